"""Looking ahead on Gaussian noise under (ε, δ): what is proved, against exact probabilities, and documents that lie."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from digests import agrees, digest
from kolahal.exact.balls import precision
from kolahal.exact.gaussian import ball, budget_probability, delta_ball, gdp_ball
from kolahal.lang.canonical import twin
from kolahal.lang.claims import plain_claim
from kolahal.lang.noise import Noise
from kolahal.lang.preconditions import bounds_of
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.normal import delta_bounds, exp_bounds, root_above, tail_bounds
from kolahal.model import Arguments, Equals
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.unknowns import NoiseAt
from kolahal.proof.find.union import prove_union
from kolahal.proof.trusted.bounded import DEFAULTS, read_cases
from kolahal.proof.trusted.concentrated import read_head
from kolahal.proof.trusted.union import KIND, Squares, _UnionCheck, find_squares, too_long
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Certificate, Proved, Unknown, Verdict
from kolahal.verification import verify

ACCEPTS = "assert eps >= 0.5 and delta <= 1e-6"
ABOVE = "t = Gauss({0})\nfor i in range(len(q)):\n    if q[i] + Gauss({1}) > t:\n        return i\nreturn None"
MAX = "b = q[0] + Gauss({0})\nat = 0\nfor i in range(1, len(q)):\n    v = q[i] + Gauss({0})\n    if v > b:\n        b = v\n        at = i\nreturn at"


def program(body: str, size: int | None = 5, relation: str = "each_within(1)", accepts: str = ACCEPTS) -> Sketch:
    lines = "\n    ".join([accepts, *body.split("\n")]) if accepts else "\n    ".join(body.split("\n"))
    private = "Private" if size is None else f"Private[{size}]"
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, eps: Epsilon, delta: Delta):\n    {lines}\n")


def prove(sketch: Sketch) -> Verdict:
    return prove_union(sketch, plain_claim(sketch), Settings().proof)


# ---------------------------------------------------------------- numbers between fractions


def test_bounds_of_the_normal_law_hold_and_are_close() -> None:
    rng = random.Random(16)
    for _ in range(40):
        distance, epsilon = Fraction(rng.randint(1, 4000), 1000), Fraction(rng.randint(0, 4000), 1000)
        low, high = delta_bounds(distance, epsilon)
        with precision(1200):
            exact = delta_ball(ball(distance), epsilon)
            assert ball(low) <= exact <= ball(high)
            assert ball(exp_bounds(-epsilon)[0]) <= ball(-epsilon).exp() <= ball(exp_bounds(-epsilon)[1])
        assert high - low < Fraction(1, 10**60)
    assert tail_bounds(Fraction(0)) == (Fraction(1, 2), Fraction(1, 2))
    assert tail_bounds(Fraction(40))[0] == 0 < tail_bounds(Fraction(40))[1] < Fraction(1, 10**70)
    assert 1 - tail_bounds(Fraction(-1))[0] == tail_bounds(Fraction(1))[1]
    assert root_above(Fraction(2)) ** 2 >= 2 and root_above(Fraction(2)) < Fraction(3, 2)


def test_one_epsilon_and_one_delta_are_the_worst() -> None:
    """The two monotonicities of Theorem E, at random."""
    rng = random.Random(17)
    more = 1 + Fraction(1, 1000)
    with precision(300):
        for _ in range(150):
            k, epsilon = Fraction(rng.randint(1, 999), 1000), Fraction(rng.randint(1, 6000), 1000)
            mu = Fraction(rng.randint(1, 8000), 1000)
            at = [delta_ball(ball(k * m), epsilon) / delta_ball(ball(m), epsilon) for m in (mu, mu * more)]
            assert at[0] < at[1]
            assert delta_ball(ball(k * epsilon), epsilon) < delta_ball(ball(k * epsilon * more), epsilon * more)
        for delta in map(Fraction, ("0.9", "0.1", "1e-3", "1e-6")):
            k, epsilon = Fraction(rng.randint(1, 999), 1000), Fraction(rng.randint(1, 6000), 1000)
            near, far = (delta_ball(ball(k) * gdp_ball(e, delta), e) for e in (epsilon, epsilon * more))
            assert far < near


def test_what_is_asserted_bounds_a_public_number() -> None:
    sketch = program("return q[0] + Gauss(1/gdp(eps, delta))", accepts="assert 1/2 <= eps and eps < 2\n    assert 1e-6 >= delta")
    assert bounds_of(sketch.asserted, "eps") == (Fraction(1, 2), Fraction(2))
    assert bounds_of(sketch.asserted, "delta") == (None, Fraction(1, 10**6))
    either = program("return q[0] + Gauss(1/gdp(eps, delta))", accepts="assert eps > 1 or delta < 1e-6\n    assert not eps > 3")
    assert bounds_of(either.asserted, "eps") == (None, None) == bounds_of(either.asserted, "delta")
    exact = program("return q[0] + Gauss(1/gdp(eps, delta))", accepts="assert eps == 1\n    assert eps <= eps")
    assert bounds_of(exact.asserted, "eps") == (Fraction(1), Fraction(1))


# ---------------------------------------------------------------- what is proved

S = "{}/gdp(eps, delta)"


@pytest.mark.mutants
@pytest.mark.parametrize(
    ("sketch", "proved"),
    [
        (program(ABOVE.format(S.format("2.6"), S.format("2.6")), 7), True),
        (program(ABOVE.format(S.format("2.3"), S.format("2.3")), 7), False),
        (program(ABOVE.format(S.format("2.6"), S.format("2.6")), 7, accepts="assert delta <= 1e-6"), False),
        (program(ABOVE.format(S.format("8"), S.format("16")), 4, accepts="assert delta <= 1e-6"), True),
        (program(ABOVE.format(S.format("2.6"), S.format("2.6")), 7, accepts=""), False),
        (program(ABOVE.format("12/eps", "12/eps"), 5, accepts="assert eps <= 1 and delta >= 1e-6"), True),
        (program(ABOVE.format("9/eps", "9/eps"), 5, accepts="assert eps <= 1 and delta >= 1e-6"), False),
        (program(ABOVE.format("12/eps", "12/eps"), 5, accepts="assert eps <= 1"), False),
        (program(ABOVE.format("12/eps", "12/eps"), 5), False),
        (program(MAX.format(S.format("2.4")), 6), True),
        (program(MAX.format(S.format("1.6")), 6), False),
    ],
)
def test_above_threshold_and_the_largest_of_noisy_answers(sketch: Sketch, proved: bool) -> None:
    verdict = prove(sketch)
    assert isinstance(verdict, Proved if proved else Unknown), verdict
    if isinstance(verdict, Proved):
        assert verify(verdict.certificate.text) == []


@pytest.mark.mutants
def test_of_any_length_it_is_a_bounded_proof() -> None:
    assert isinstance(prove(program(ABOVE.format(S.format("2.5"), S.format("2.5")), None)), Bounded)


@pytest.mark.mutants
@pytest.mark.parametrize(
    "body",
    [
        "t = Gauss({0})\nif q[0] > 0:\n    return 1\nreturn q[0] + Gauss({0}) > t",  # answers without noise
        "t = Lap(1/eps)\nfor i in range(len(q)):\n    if q[i] + Lap(8/eps) > t:\n        return i\nreturn None",  # no Gaussian noise
        "t = Gauss(4)\nfor i in range(len(q)):\n    if q[i] + Gauss(4) > t:\n        return i\nreturn None",  # at ε = 1000 that is little
        "if q[0] + DiscreteGauss({0}) > DiscreteGauss({0}):\n    return 1\nreturn 0",
    ],
)
def test_what_theorem_e_says_nothing_of(body: str) -> None:
    assert isinstance(prove(program(body.format(S.format("9")), 3)), Unknown)


@pytest.mark.thorough
@pytest.mark.parametrize("relation", ["each_within(1)", "one_within(1)", "monotone(1)", "sum_within(1)", "each_within(2)"])
@pytest.mark.parametrize("body", ["above", "max", "below"])
def test_proofs_against_exact_probabilities(relation: str, body: str) -> None:
    """Of the largest scales that are just proved: Σ over all outcomes of (P1 − e^ε·P2)₊ stays within δ."""
    texts = {"above": ABOVE, "max": MAX, "below": ABOVE.replace(">", "<")}
    size = 3
    outcomes = [*map(Fraction, range(size)), *([] if body == "max" else [None])]
    accepts = "assert eps >= 0.5 and delta <= 0.01"
    for tenths in range(5, 80):
        scale = S.format(f"{tenths}/10")
        sketch = program(texts[body].format(scale, scale), size, relation, accepts)
        if isinstance(prove(sketch), Proved):
            break
    else:
        raise AssertionError("nothing is proved")
    rng = random.Random(f"{relation}{body}")
    for epsilon, delta in ((Fraction(1, 2), Fraction(1, 100)), (Fraction(2), Fraction(1, 1000))):
        arguments = Arguments(epsilon, size, (), delta, sketch.variant.symbol)
        for _ in range(2):
            d1 = tuple(Fraction(rng.randint(-4, 4)) for _ in range(size))
            d2 = tuple(a + b for a, b in zip(d1, rng.choice(list(sketch.adjacency.vertices(size))), strict=True))
            total = 0.0
            for outcome in outcomes:
                p, q = (budget_probability(sketch, d, arguments, Equals(outcome)) for d in (d1, d2))
                assert not isinstance(p, CannotIntegrate) and not isinstance(q, CannotIntegrate)
                with precision(128):
                    total += max(0.0, float((p.ball - ball(epsilon).exp() * q.ball).mid()))
            assert total <= float(delta)


@pytest.mark.mutants
def test_lengths_that_are_too_long() -> None:
    sketch = program("return q[0] + Gauss(1/gdp(eps, delta))", accepts="")
    assert too_long(sketch, plain_claim(sketch), "gdp(eps, delta)", [Fraction(1), Fraction(0)]) == ""
    assert too_long(sketch, plain_claim(sketch), "gdp(eps, delta)", [Fraction(101, 100)]) == "a shift is 1.005 times too long"
    assert too_long(sketch, plain_claim(sketch), "gdp(eps, delta)", [Fraction(1, 100)] * 2), "with δ near 1 no two groups are private"
    region = program("return q[0] + Gauss(1/gdp(eps, delta))")
    assert too_long(region, plain_claim(region), "gdp(eps, delta)", [Fraction(7, 10)] * 8) == ""
    assert too_long(region, plain_claim(region), "gdp(eps, delta)", [Fraction(1), Fraction(1)])


# ---------------------------------------------------------------- documents that lie


@pytest.mark.mutants
def test_lies_are_noticed() -> None:
    verdict = prove(program(ABOVE.format(S.format("2.6"), S.format("2.6")), 4))
    assert isinstance(verdict, Proved)
    text = verdict.certificate.text
    assert verify(text) == []

    def changed(change: Any) -> list[str]:
        document = json.loads(text)
        change(document)
        return verify(json.dumps(document))

    def steps(document: Any) -> Any:
        return next(s for p in document["cases"][0]["passages"] for s in p["shifts"] if s["steps"])

    assert changed(lambda d: steps(d).update(steps={}))
    assert changed(lambda d: steps(d).update(cost="0"))
    assert changed(lambda d: d.update(program=d["program"].replace("13/5", "2").replace("13/(5", "2/(1")))
    assert changed(lambda d: d.update(program=d["program"].replace("eps >= 0.5 and ", "")))
    assert changed(lambda d: d.update(program=d["program"].replace("0.000001", "0.1")))
    assert changed(lambda d: d.update(program=d["program"].replace("each_within(1)", "each_within(2)"), adjacency="each_within(2)"))
    assert changed(lambda d: d.update(size=3))
    assert changed(lambda d: d["cases"].pop())
    assert changed(lambda d: d["cases"][0]["events"].pop())
    assert changed(lambda d: d["cases"][0]["passages"].pop())
    assert changed(lambda d: d["cases"][0].update(active=[0]))
    assert changed(lambda d: d.update(claim="2*eps"))
    assert changed(lambda d: d.update(variant="zCDP"))
    assert changed(lambda d: d.update(kind="bounded"))


# ---------------------------------------------------------------- every number and every reason, byte for byte

BUDGETS = {
    "delta": program("return q[0] + Gauss(1/gdp(eps, delta))"),
    "no most delta": program("return q[0] + Gauss(1/gdp(eps, delta))", accepts="assert eps >= 0.5"),
    "no least epsilon": program("return q[0] + Gauss(1/gdp(eps, delta))", accepts="assert delta <= 1e-6"),
    "most delta 1": program("return q[0] + Gauss(1/gdp(eps, delta))", accepts="assert delta <= 1"),
    "most delta 0": program("return q[0] + Gauss(1/gdp(eps, delta))", accepts="assert delta <= 0"),
    "like epsilon": program("return q[0] + Gauss(4/eps)", accepts="assert eps <= 1 and delta >= 1e-6"),
    "no least delta": program("return q[0] + Gauss(4/eps)", accepts="assert eps <= 1"),
    "no most epsilon": program("return q[0] + Gauss(4/eps)", accepts="assert delta >= 1e-6"),
    "most epsilon 0": program("return q[0] + Gauss(4/eps)", accepts="assert eps <= 0 and delta >= 1e-6"),
    "least delta 0": program("return q[0] + Gauss(4/eps)", accepts="assert eps <= 1 and delta >= 0"),
    **{name: parse(f"@sketch(adjacent=each_within(1))\ndef f(q: Private[2], N: int, {parameter}):\n    return [x + Gauss({scale}) for x in q]\n") for name, parameter, scale in (
        ("rho", "rho: Rho", "3/sqrt(2*rho)"), ("mu", "mu: Mu", "N/mu"), ("root", "mu: Mu", "sqrt(len(q))/mu"), ("another power", "mu: Mu", "1/mu**2"),
    )},
    "two noises": program("return q[0] + Gauss(2/gdp(eps, delta)) + Lap(3/eps)"),
    "both scales": program("return q[0] + Gauss(2/gdp(eps, delta)) + Gauss(3/eps)"),
    "times epsilon": program("return q[0] + Gauss(2/gdp(eps, delta)/eps)"),
    "no Gaussian noise": program("return q[0] + Lap(3/eps)"),
}  # fmt: skip
SQUARES = [[], [0], ["1"], ["1.0001"], ["0.999"], ["0.01", "0.01"], ["0.6", "0.7", "0"], ["0.7"] * 3, ["4", "9"], ["1", "1"], ["1.01", "0.1"]]


@pytest.mark.mutants
@pytest.mark.parametrize("name", BUDGETS)
def test_what_is_too_long_is_what_it_was(name: str) -> None:
    sketch = BUDGETS[name]
    found = []
    others = (parse_scale("2*" + sketch.budget.name), parse_scale("1/2*" + sketch.budget.name), parse_scale("3")) if sketch.delta is None else ()
    for claim in (plain_claim(sketch), *others):
        for unit in () if sketch.draws[0].noise is not Noise.GAUSS or len(sketch.draws) > 1 else ("gdp(eps, delta)", sketch.budget.name):
            found += [f"{claim} {unit} {squares} {too_long(sketch, claim, unit, [Fraction(s) for s in squares])}" for squares in SQUARES]
    for size, n in ((2, 3), (3, 1)):
        squares = find_squares(sketch, size, {"N": Fraction(n), "flag": True})
        found += [repr(squares), repr(squares.cost({NoiseAt(0, 0): Fraction(-3)})) if isinstance(squares, Squares) else ""]
    agrees("union.txt", {name: digest(found)}, UNION)


def cases_of(certificate: Certificate) -> Iterator[tuple[Squares, list[list[Fraction]]]]:
    """What steps cost in every case, and how long the shifts of its groups are."""
    document, found, _ = read_head(certificate, KIND)
    for arguments, size, entry in read_cases(document, twin(found), DEFAULTS):
        squares = find_squares(found, size, arguments)
        assert isinstance(squares, Squares)
        check = _UnionCheck(twin(found), squares, size, arguments, DEFAULTS, entry)
        check.run()
        yield squares, list(check.lengths())


KEPT = {
    "first above": program(ABOVE.format(S.format("2.6"), S.format("2.6")), 3),
    "largest": program(MAX.format(S.format("2.4")), 3, "monotone(1)"),
    "nothing moves": parse(f"@sketch(adjacent=replace(1))\ndef f(visits: Records, eps: Epsilon, delta: Delta):\n    {ACCEPTS}\n    if len(visits) + Gauss(2/gdp(eps, delta)) > 3:\n        return 1\n    return 0\n"),
    "one move": program(ABOVE.format(S.format("2.6"), S.format("2.6")), 2, "one_within(1)"),
}
UNION = [*BUDGETS, *KEPT]


@pytest.mark.mutants
@pytest.mark.parametrize("name", KEPT)
def test_groups_of_events_are_what_they_were(name: str) -> None:
    verdict = prove(KEPT[name])
    assert isinstance(verdict, Proved)
    agrees("union.txt", {name: digest(map(repr, cases_of(verdict.certificate)))}, UNION)


@pytest.mark.mutants
def test_a_scale_may_name_all_that_is_public() -> None:
    text = "@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, mu: Mu):\n    return [x + Gauss({}/mu) for x in q]\n"
    for scale, price in (("len(q)*N", Fraction(1, 36)), ("len(q)", Fraction(1, 4)), ("1", Fraction(1))):
        assert find_squares(parse(text.format(scale)), 2, {"N": Fraction(3)}) == Squares({0: price}, Fraction(0), "mu")
    assert isinstance(find_squares(parse(text.format("N")), 2, {}), Unknown)
