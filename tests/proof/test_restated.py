"""Lists that a loop fills, and loops whose first turn stands before them, are the same program in forms that proofs know more about."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from kolahal.emission.release import emit
from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.ir import Comprehension, For, walk
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.report.proofs import explain
from kolahal.verdicts import Proved

HEAD = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon, k: int = 1, T: float = 0):\n"
FILLED = {
    "by a loop over answers": "noisy = []\nfor x in q:\n    noisy.append(x + Lap(2/eps))",
    "by places": "noisy = []\nfor i in range(len(q)):\n    noisy.append(q[i] + Lap(2/eps))",
    "noise named first": "noisy = []\nfor x in q:\n    e = Lap(2/eps)\n    noisy.append(x + e)",
    "sums with a name": "noisy = []\nfor i in range(len(q)):\n    x = q[i]\n    y = x + Lap(2/eps)\n    noisy.append(y)",
    "all at once": "noisy = [x + Lap(2/eps) for x in q]",
}
SEARCHED = {
    "from the second": "best = noisy[0]\nplace = 0\nfor i in range(1, len(noisy)):\n    if noisy[i] > best:\n        best, place = noisy[i], i",
    "from the first": "best = noisy[0]\nplace = 0\nfor i in range(len(noisy)):\n    if noisy[i] > best:\n        best, place = noisy[i], i",
    "by a counter": "best = noisy[0]\nplace = 0\ni = 0\nfor x in noisy:\n    if x > best:\n        best = x\n        place = i\n    i += 1",
    "by enumerate": "place, best = 0, noisy[0]\nfor i, x in enumerate(noisy):\n    if not x <= best:\n        place, best = i, x",
    "in one line": "place = noisy.index(max(noisy))",
}
QUICK = [("noise named first", "from the first"), ("sums with a name", "by a counter"), ("by places", "in one line")]


def program(filled: str, searched: str, scale: str = "2/eps") -> Sketch:
    lines = f"{filled}\n{searched}\nreturn place".replace("2/eps", scale).split("\n")
    return parse(HEAD + "\n".join(f"    {line}" for line in lines))


@pytest.mark.parametrize(("filled", "searched"), QUICK)
def test_noisy_max_is_proved_and_emitted(filled: str, searched: str) -> None:
    mechanism = program(FILLED[filled], SEARCHED[searched])
    found = prove_every_length(mechanism)
    assert isinstance(found, Proved), found
    assert "Lap(2/eps)" in str(explain(found.certificate.document(), mechanism))
    assert "def f(" in emit(mechanism, found)


COUNTED = {  # with noise that is drawn where it is looked at
    "the best one first": "while i < len(q):\n    if xs[best] < xs[i]:\n        best = i\n    i = i + 1",
    "denied": "while True:\n    if i >= len(q):\n        break\n    if not xs[best] >= xs[i]:\n        best = i\n    i += 1",
    "a difference": "while i < len(q):\n    d = xs[best] - xs[i]\n    if d < 0:\n        best = i\n    i += 1",
    "the larger one": "while i < len(q):\n    if max(xs[best], xs[i]) > xs[best]:\n        best = i\n    i += 1",
    "from the last": "i = len(q) - 1\nbest = i\nwhile i >= 0:\n    if xs[best] < xs[i]:\n        best = i\n    i -= 1",
}


@pytest.mark.parametrize("search", COUNTED)
def test_it_does_not_matter_which_item_is_written_first(search: str) -> None:
    lines = f"xs = [x + Lap(2/eps) for x in q]\nbest = 0\ni = 0\n{COUNTED[search]}\nreturn best"
    text = HEAD + "\n".join(f"    {line}" for line in lines.split("\n"))
    assert isinstance(prove_every_length(parse(text)), Proved)


@pytest.mark.thorough
@pytest.mark.parametrize("filled", FILLED)
@pytest.mark.parametrize("searched", SEARCHED)
def test_noisy_max_is_proved_however_it_is_written(filled: str, searched: str) -> None:
    assert isinstance(prove_every_length(program(FILLED[filled], SEARCHED[searched])), Proved)
    assert not isinstance(prove_every_length(program(FILLED[filled], SEARCHED[searched], "3/(2*eps)")), Proved)


KEPT = {
    "it is an answer": "xs = []\nfor x in q:\n    xs.append(x + Lap(1/eps))\nreturn xs",
    "looked at while it grows": "xs = []\nfor x in q:\n    xs.append(x + len(xs) + Lap(1/eps))\nreturn xs[0]",
    "a name of the last turn": "xs = []\nfor x in q:\n    y = x + Lap(1/eps)\n    xs.append(y)\nreturn xs[0] + y",
    "the last item": "xs = []\nfor x in q:\n    xs.append(x + Lap(1/eps))\nreturn xs[0] + x",
    "a running sum": "xs = []\ns = 0\nfor x in q:\n    s = s + x\n    xs.append(s + Lap(1/eps))\nreturn xs[0]",
    "noise that stands in it twice": "xs = []\nfor x in q:\n    e = Lap(1/eps)\n    xs.append(x*e + e)\nreturn xs[0]",
    "noise that nobody needs": "xs = []\nfor x in q:\n    e = Lap(1/eps)\n    xs.append(x + Lap(2/eps))\nreturn xs[0]",
    "a condition": "xs = []\nfor x in q:\n    if x > 0:\n        xs.append(x + Lap(1/eps))\nreturn len(xs)",
    "two items a turn": "xs = []\nfor x in q:\n    xs.append(x)\n    xs.append(x + Lap(1/eps))\nreturn xs[0]",
    "filled twice": "xs = []\nfor x in q:\n    xs.append(x + Lap(1/eps))\nfor x in q:\n    xs.append(x)\nreturn xs[0]",
    "not empty at first": "xs = [1]\nfor x in q:\n    xs.append(x + Lap(1/eps))\nreturn xs[0]",
    "what may not be computed": "xs = []\nfor x in q:\n    y = q[k]\n    xs.append(x > 0 and y + Lap(1/eps) > 0)\nreturn 1 if xs[0] else 0",
    "an answer in the loop": "xs = []\nfor x in q:\n    return x\n    xs.append(x + Lap(1/eps))\nreturn xs[0]",
    "an answer behind a name": "xs = []\nfor x in q:\n    e = Lap(1/eps)\n    return x\n    xs.append(x + e)\nreturn xs[0]",
    "a turn that goes on before": "xs = []\nfor x in q:\n    continue\n    xs.append(x + Lap(1/eps))\nreturn len(xs)",
    "a loop that stops": "xs = [x + Lap(1/eps) for x in q]\nb = xs[0]\nfor i in range(len(xs)):\n    if xs[i] > b:\n        break\nreturn i",
    "nothing was looked at": "xs = [x + Lap(1/eps) for x in q]\nb = 0\nfor i in range(len(xs)):\n    b = i\nreturn b",
    "answers that are replaced": "xs = [x + Lap(1/eps) for x in q]\nb = xs[0]\nz = q[0]\nq = []\nfor i in range(len(q)):\n    z = 0\nreturn z",
    "answers that are replaced by as many as an argument says": "xs = [q[i] + Lap(1/eps) for i in range(len(q))]\nb = xs[0]\nz = q[0]\nq = [0 for i in range(k)]\nfor j in range(len(q)):\n    z = 0\nreturn z",
    "an argument that its loop changes": "y = 7 % k\nxs = []\nfor k in q:\n    xs.append(k + Lap(1/eps))\nreturn xs[0]",
    "perhaps looked at": "xs = [x + Lap(1/eps) for x in q]\nb = k > 1 and xs[0] > 0\nfor i in range(len(xs)):\n    k = i\nreturn 1 if b else 0",
}


@pytest.mark.parametrize("kept", KEPT)
def test_other_programs_stay_as_they_are(kept: str) -> None:
    text = HEAD + "\n".join(f"    {line}" for line in KEPT[kept].split("\n"))
    try:
        mechanism = parse(text)
    except KolahalError as fault:  # so is what the language does not have
        assert kept in ("what may not be computed", "perhaps looked at"), fault
        return
    if kept in ("a running sum", "noise that stands in it twice"):
        assert not any(isinstance(part, Comprehension) for part in walk(restated(mechanism).body))
    else:
        assert restated(mechanism) == mechanism


def random_lists(seed: int) -> str:
    """A program that fills a list and goes through it, in ways that are taken and in ways that are not."""
    rng = random.Random(seed)
    over = rng.choice(("x in q", "i in range(len(q))", "i in range(k)"))
    item = "x" if over.startswith("x") else rng.choice(("q[i]", "i", "q[0]"))
    names = rng.sample(["e", "y", "z"], rng.randint(0, 3))
    body, known = [], [item, "T", "Lap(2/eps)", "1"]
    for name in names:
        body.append(f"{name} = {rng.choice(known)} {rng.choice('+-')} {rng.choice(known)}")
        known = [name, name, name, *known]
    body.append(f"xs.append({rng.choice(known)} {rng.choice('+-')} {rng.choice(known)})")
    before = rng.choice(("pass", "y = 3", "b = 0", "xs.append(1)", "z = len(q)"))
    first = rng.choice(("b = xs[0]", "b = xs[0]", "b = 0", "b = q[0] + xs[0]", "b = xs[0]\nq = [k]"))
    through = rng.choice(("x in xs", "i in range(len(xs))", "i in range(len(q))", "i in range(1, len(xs))"))
    seen = "x" if through.startswith("x") else "xs[i]"
    turn = rng.choice((f"if {seen} > b:\n        b, p = {seen}, p + 1", f"b = b + {seen}", f"if {seen} > 2:\n        return p\n    p = p + 1", f"if {seen} > b:\n        break\n    p = p + 1"))
    last = rng.choice(("b", "p", "b", rng.choice(("i", "x", "xs[0]"))))
    loop = [f"for {over}:", *(f"    {line}" for line in body)]
    lines = [*(["i = 0", "x = 0"] if last in ("i", "x") else []), "xs = []", *([] if before == "pass" else [before]), *loop, "p = 0", first, f"for {through}:", f"    {turn}", f"return {last}"]
    return HEAD + "\n".join(f"    {line}" for line in "\n".join(lines).split("\n"))


@pytest.mark.mutants
def test_the_restated_program_gives_the_same_output() -> None:
    gathered, begun, stopped = 0, 0, 0
    for seed in range(250):
        try:
            mechanism = parse(random_lists(seed))
        except KolahalError:
            continue
        other = restated(mechanism)
        gathered += any(isinstance(part, Comprehension) for part in walk(other.body))
        begun += sum(isinstance(part, For) for part in other.body) >= 1 and len(other.body) > len(mechanism.body)
        for run in range(3 if other != mechanism else 0):
            rng = random.Random(1000 * seed + run)
            size = rng.randint(0, 4)
            arguments = Arguments(Fraction(1), size, (("k", Fraction(rng.randint(1, 5))), ("T", Fraction(rng.randint(-2, 2), 2))))
            database = [Fraction(rng.randint(-3, 3)) for _ in range(size)]
            noise: dict = {}

            def units(kind: object, site: int, turns: object, rng: random.Random = rng, noise: dict = noise) -> list[Fraction]:
                return noise.setdefault((site, turns), [Fraction(rng.randint(-64, 64), 8)])

            def outcome(p: Sketch, *given: object) -> object:
                try:
                    return reference.run(p, *given, Fraction)
                except KolahalError:
                    return "stopped"

            one, two = (outcome(p, database, arguments, (), units) for p in (mechanism, other))
            assert one == two, random_lists(seed)
            stopped += one == "stopped"
    assert gathered > 60 and begun > 20 and stopped > 20, (gathered, begun, stopped)


@pytest.mark.parametrize("first", ["i == 1", "place == 0"])
def test_winners_whose_places_are_counted_from_one(first: str) -> None:
    body = f"best, place, i = 0, 0, 1\nfor x in q:\n    y = x + Lap(2/eps)\n    if {first} or y < best:\n        best, place = y, i\n    i = i + 1\nreturn place"
    mechanism = parse(HEAD + "\n".join(f"    {line}" for line in body.split("\n")))
    assert isinstance(prove_every_length(mechanism), Proved)
