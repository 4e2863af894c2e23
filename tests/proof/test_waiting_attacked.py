"""Programs that were proved by mistake, or could have been: noise that waits, noise that sums set aside, lists drawn at once."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from test_set_aside import outcome as at_seed

from kolahal.emission.resolution import Shifts, plan_grid
from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.budgets import prove_budget
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.budget import Share
from kolahal.proof.trusted.neighbours import neighbours_of
from kolahal.proof.trusted.others import find_others
from kolahal.proof.trusted.product import build_product, build_system
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, FollowedSums, Form
from kolahal.proof.trusted.values import Unsupported
from kolahal.settings import Settings
from kolahal.verdicts import Proved


def program(body: str, header: str = "q: Private, eps: Epsilon, k: int = 1") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent=each_within(1))\ndef f({header}):\n{lines}\n")


# ---------------------------------------------------------------- an argument that is called like an unknown of the proof

NAMED = "q: Private, eps: Epsilon, answer: float = 0"
LARGEST = "best, top = -1, 0\nfor i in range(len(q)):\n    x = {}\n    if best == -1 or x > top:\n        best, top = i, x\nreturn best"


def test_an_argument_is_not_the_answer_of_an_item() -> None:
    """With `x - answer` the list seemed not to depend on the answers: top-k was proved with noise of any scale."""
    body = "noisy = [x - answer + Lap(1/(100*eps)) for x in q]\n" + LARGEST.format("noisy[i]")
    (item,) = build_product(program(body, NAMED), frozenset(), at_once=True).first.noisy_items
    assert item.slope == 1


def test_an_argument_is_not_the_answer_of_a_followed_sum() -> None:
    sketch = program(LARGEST.format("q[i] - answer*9/10 + Lap(2/eps)"), NAMED)
    product = build_product(sketch, frozenset())
    alignment = Alignment((AtGhost(0, Form(Fraction(1), lead=True), Form()),), ("best",), lead=FollowedSums((0,)))
    others = find_others(alignment, product.first, product.second, product.sketch)
    assert others is not None and others.slope == 1


# ---------------------------------------------------------------- noise that waits at a loop head

WAITS = "n = {}\nif q[0] > 0:\n    n = {}\ns = 0\nfor x in q:\n    s = s + 1\nreturn s + n"


@pytest.mark.parametrize(("one", "two", "proved"), [("Gauss", "Gauss", True), ("Gauss", "Lap", False), ("Lap", "Gauss", False)])
def test_waiting_noise_is_of_one_law_before_the_surrogate(one: str, two: str, proved: bool) -> None:
    """Gaussian and Laplace noise of one deviation have one surrogate, and no divergence between them is finite."""
    sketch = program(WAITS.format(*(f"{noise}(1/sqrt(rho))" for noise in (one, two))), "q: Private, rho: Rho")
    assert isinstance(prove_budget(sketch, plain_claim(sketch), Settings().proof), Proved) == proved


GRID = "e = Lap(2/eps)\ng = Lap(2/eps)\nbest = q[0] + e\nif q[1] + g > best:\n    best = q[1] + g\n{}for x in q:\n    s += x + best/3\nreturn 1 if s > 0 else 0"


def test_the_grid_knows_of_noise_that_a_sum_sets_aside() -> None:
    """It makes up for a third of other noise, which is on a finer grid."""
    sketch = program(GRID.format("s = 0 + Lap(2/eps)\n"))
    assert plan_grid(sketch, Shifts(cancels=frozenset({2}), delayed=True)).reasons


# ---------------------------------------------------------------- sums whose noise is set aside run as before

NAMES = ("s", "t", "u")


def _value(rng: random.Random, depth: int = 0) -> str:
    plain = (*NAMES, "q[0]", "k", "1", "Lap(2/eps)", "Exp(1/eps)")
    if depth > 2 or rng.random() < 0.5:
        return rng.choice(plain)
    form = rng.choice(("({} + {})", "({} - {})", "(-{})", "max({}, {})", "abs({})", "2*{}", "({} - (-{}))"))
    return form.format(*(_value(rng, depth + 1) for _ in range(form.count("{}"))))


def _steps(rng: random.Random, by: int = 0, item: str = "k") -> list[str]:
    lines: list[str] = []
    for _ in range(rng.randint(1, 3)):
        name, kind = rng.choice(NAMES), rng.randint(0, 9) if by < 2 else rng.randint(0, 5)
        inner: list[str] = []
        match kind:
            case 0 | 1:
                lines.append(f"{name} = {rng.choice(('Lap(2/eps)', '1 - Lap(1/eps)', '0', _value(rng)))}")
            case 2 | 3:
                lines.append(f"{name} {rng.choice('+-')}= {rng.choice((item, 'Lap(1/eps)', _value(rng)))}")
            case 4:
                lines.append(f"{NAMES[0]}, {NAMES[1]} = {_value(rng)}, {_value(rng)}")
            case 5:
                lines += [f"if {name} > 4:", f"    return {rng.choice(NAMES)}"]
            case 6 | 7:
                turn = f"x{len(lines)}{by}{rng.randint(0, 99)}"
                lines.append(f"for {turn} in q:")
                inner = _steps(rng, by + 1, turn)
            case _:
                lines.append(f"if {_value(rng)} > {rng.choice(('0', 'k', name))}:")
                inner = _steps(rng, by + 1, item)
        lines += [f"    {line}" for line in inner]
    return lines


def _sums(seed: int) -> str:
    rng = random.Random(seed)
    begun = [f"{name} = {rng.choice(('Lap(2/eps)', '0', 'Lap(1/eps) - Lap(2/eps)'))}" for name in NAMES]
    loop = ["for y in q:", f"    {rng.choice(NAMES)} += y"]
    if rng.random() < 0.5:
        loop += ["    if y > 1:", f"        {rng.choice(NAMES)} = {rng.choice(('Lap(2/eps)', 's + Lap(1/eps)', '0'))}"]
    return "\n".join([*begun, *loop, *_steps(rng), *_steps(rng), f"return {rng.choice((*NAMES, 's, t'))}"])


def test_sums_with_their_noise_set_aside_give_the_same_output() -> None:
    changed = 0
    for seed in range(80):
        try:
            mechanism = program(_sums(seed))
        except KolahalError:
            continue
        other = set_aside(mechanism)
        changed += other != mechanism
        for run in range(3 if other != mechanism else 0):
            rng = random.Random(1000 * seed + run)
            size = rng.randint(0, 3)
            database = [Fraction(rng.randint(-3, 3)) for _ in range(size)]
            arguments = Arguments(Fraction(1), size, (("k", Fraction(rng.randint(1, 4))),))
            noise: dict = {}

            def units(kind: object, site: int, turns: object, rng: random.Random = rng, noise: dict = noise) -> list[Fraction]:
                return noise.setdefault((site, turns), [Fraction(rng.randint(-64, 64), 8)])

            def outcome(p: Sketch, *given: object) -> object:
                try:
                    return reference.run(p, *given, Fraction)
                except KolahalError:
                    return "stopped"

            one, two = (outcome(p, database, arguments, (), units) for p in (mechanism, other))
            assert one == two, _sums(seed)
    assert changed > 20, changed


# ---------------------------------------------------------------- sums of what may be None

MISSING = "m = None\nif q[0] > 0:\n    m = 1\nc = Lap(1/eps)\na = {}\n{}if len(q) < 0:\n    return a{}\nreturn 0"
STOPS = {
    "met by other noise": MISSING.format("m + Lap(1/eps)", "", " - c"),
    "met by named noise": MISSING.format("c + m", "", " + Lap(1/eps)"),
    "added to": MISSING.format("Lap(1/eps) + m", "for x in q:\n    a += 1\n", ""),
    "begun anew": MISSING.format("m + Lap(1/eps)", "for x in q:\n    a += 1\n    if k > 1:\n        a = Lap(1/eps) + m\n", ""),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_sum_whose_noise_is_set_aside_stops_the_same_runs(name: str) -> None:
    """Whether m is None is told by whether the run stops, which no look at the sum tells: none is ever reached."""
    mechanism = program(STOPS[name])
    other = set_aside(mechanism)
    for answer in (Fraction(-1), Fraction(1)):
        arguments = Arguments(Fraction(1), 1, (("k", Fraction(1)),))
        one, two = (at_seed(p, [answer], arguments, {}, 0) for p in (mechanism, other))
        assert one == two, name
    assert not isinstance(prove_every_length(mechanism), Proved)


@pytest.mark.parametrize("value", ["+m", "m ** 1", "m ** 2", "-m"])
def test_arithmetic_that_changes_nothing_stops_where_python_does(value: str) -> None:
    mechanism = program(f"m = None\nif q[0] > 0:\n    m = 1\ny = {value}\nreturn 0")
    stopped = [isinstance(at_seed(mechanism, [answer], Arguments(Fraction(1), 1, (("k", Fraction(1)),)), {}, 0), type) for answer in (Fraction(0), Fraction(1))]
    assert stopped == [True, False]
    assert not isinstance(prove_every_length(mechanism), Proved)


# ---------------------------------------------------------------- items of noise that wait for their sum

SIDES = "if q[0] + z > 0:\n    y = {}\nelse:\n    y = {}\nreturn y"
# In the first, z follows e, which makes up for what the condition on z decides; in the second z makes up for an item that is e.
CIRCLES = {
    "follow": ("e = noise[0]\nz = Lap(1/(9*eps))\n" + SIDES.format("1 + e", "e"), Form(follow="e")),
    "cancel": (
        "best = k\nif best < 0 or best > 1:\n    return 0\nother = [Lap(1/(9*eps)) for x in q]\nd = noise[0]\ne = noise[1]\n"
        "z = other[0]\nw = noise[best] + z\n" + SIDES.format("d", "1 + d").replace("return y", "return y, 1 + e"),
        Form(cancel=True),
    ),
}


@pytest.mark.parametrize("how", CIRCLES)
def test_no_shift_depends_on_what_it_decides(how: str) -> None:
    """Where z is small the condition tells q, at no cost: the runs of which nothing was shown are those with no noise to go with."""
    text, form = CIRCLES[how]
    sketch = program("noise = [Lap(1/(9*eps)) for x in q]\n" + text, "q: Private[2], eps: Epsilon, k: int = 0")
    product = build_product(sketch, frozenset())
    shares = tuple(Share(powers, Fraction(0), None) for powers in product.monomials)
    alignment = Alignment((Always(Form(cancel=True)), Always(form)))
    with pytest.raises(Unsupported):
        build_system(product, neighbours_of(sketch)[0], alignment, shares, ())


def test_noise_that_scores_share_is_not_moved_with_the_rival() -> None:
    sketch = program("e = Lap(1/eps)\ns = [abs(x + e) for x in q]\nreturn choose(s, 2/eps)")
    with pytest.raises(Unsupported, match="rival"):
        build_product(sketch, frozenset(), delayed=True)
