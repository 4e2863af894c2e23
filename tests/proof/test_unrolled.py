"""Loops of a few turns inside others are their turns, and tails are read from their list: windows and differences for every length."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.tails import without_tails
from kolahal.proof.trusted.restated.unrolled import unrolled
from kolahal.verdicts import Proved

HEAD = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon, k: int = 1):\n"
WINDOWS = {
    "loop": "out = []\nfor i in range(2, len(q)):\n    s = 0\n    for j in range(i - 2, i + 1):\n        s += q[j]\n    out.append(s + Lap({0}))\nreturn out",
    "slice": "return [sum(q[i:i + 3]) + Lap({0}) for i in range(len(q) - 2)]",
    "generator": "return [sum(q[j] for j in range(i, i + 3)) + Lap({0}) for i in range(len(q) - 2)]",
    "tails": "return [a + b + c + Lap({0}) for a, b, c in zip(q, q[1:], q[2:])]",
    "a tail with a name": "later = q[2:]\nout = []\nfor i in range(len(later)):\n    out.append(q[i] + q[i + 1] + later[i] + Lap({0}))\nreturn out",
    "short at the end": "return [sum(q[i:i + 3]) + Lap({0}) for i in range(len(q))]",
}


def load(body: str) -> Sketch:
    return parse(HEAD + "\n".join(f"    {line}" for line in body.split("\n")))


@pytest.mark.parametrize("body", WINDOWS.values(), ids=WINDOWS)
def test_windows_are_proved_for_every_length(body: str) -> None:
    assert isinstance(prove_every_length(load(body.format("3/eps"))), Proved)
    assert not isinstance(prove_every_length(load(body.format("2/eps"))), Proved)


def random_windows(seed: int) -> str:
    """A program with a loop in another, in one of many ways; some of them are no short loops."""
    rng = random.Random(seed)
    low, many = rng.randint(-2, 2), rng.randint(0, 4)
    outer = rng.choice(("range(len(q))", "range(1, len(q))", "range(len(q) - 2)", "range(-1, 3)", "range(k)"))
    start = rng.choice((f"i + {low}", "i", f"{low} + i", "m", "i + m", "i - 1", "m + 1 - 1"))
    stop = rng.choice((f"i + {low + many}", f"i + {many}", f"m + {many}", f"i + m + {many}", f"i - 1 + {many}"))
    stop = rng.choice((stop, f"min({stop}, len(q))", f"min({stop}, k)"))
    over = rng.choice((f"j in range({start}, {stop})", f"x in q[i:i + {many}]", f"x in q[m:m + {many}]", f"x in q[i - 1:i + {many}]"))
    seen = "q[j]" if over.startswith("j") else "x"
    turn = rng.choice((f"s = s + {seen}", f"s += {seen} * 2", f"s, t = t, s + {seen}", f"s = s + {seen}\n        m = m + 1", f"s = s / {seen}", f"if {seen} > 0:\n            s += 1", f"s += {seen}\n        i = i + 0"))
    before = rng.choice(("m = 0", "m = i", "m = None", "m = i - 1", "m = 0\n    if i < 0:\n        i = 0"))
    behind = rng.choice(("out.append(s)", "out.append(s + Lap(1/eps))", "out.append(s + m)", "t = s", "out.append(s)\n    m = m + 1"))
    last = rng.choice(("out", "out", "s, t", "j" if over.startswith("j") else "x"))
    lines = ["out = []", "s = 0", "t = 1", "m = 0", "j = 7", "x = 3", f"for i in {outer}:", f"    {before}", f"    for {over}:", f"        {turn}", f"    {behind}", f"return {last}"]
    return HEAD + "\n".join(f"    {line}" for line in "\n".join(lines).split("\n"))


def random_tails(seed: int) -> str:
    """A program with a tail of its answers, read in one of many ways; some of them are read elsewhere too."""
    rng = random.Random(seed)
    turn = rng.choice(("i in range(len(later))", "i in range(min(len(q), len(later)))", "i in range(1, len(later))", "i in range(-1, 2)", "i in range(k)", "i in range(len(q) - 1)"))
    inner = rng.choice(("s = s + later[i]", "s += later[i] * q[i]", "s += later[i + 1]", "s += later[i - 1]", "s += later[m]", "i = i - 1\n        s += later[i]", "s += len(later)", "s += later[0]", "out = [later[j] - s for j in range(len(later))]", "for j in range(i, min(i + 2, len(q))):\n            s += later[j]"))
    before = rng.choice(("m = 0", "m = 0", "q = [x + 1 for x in q]", "later.append(3)", "m = len(later)"))
    last = rng.choice(("s", "out", "s, m", "later"))
    lines = [f"later = q[{rng.choice((0, 1, 1, 2))}:]", "out = []", "s = 0", "m = 0", before, f"for {turn}:", f"    {inner}", f"return {last}"]
    return HEAD + "\n".join(f"    {line}" for line in "\n".join(lines).replace("\n        ", "\n    ").split("\n"))


@pytest.mark.mutants
@pytest.mark.parametrize(("made", "restate", "many", "fewest"), [(random_windows, unrolled, 300, (30, 6)), (random_tails, without_tails, 400, (30, 6))])
def test_the_restated_program_gives_the_same_output(made: Callable[[int], str], restate: Callable[[Sketch], Sketch], many: int, fewest: tuple[int, int]) -> None:
    changed, stopped = 0, 0
    for seed in range(many):
        try:
            mechanism = parse(made(seed))
        except KolahalError:
            continue
        other = restate(mechanism)
        changed += other != mechanism
        for run in range(4 if other != mechanism else 0):
            rng = random.Random(1000 * seed + run)
            size = rng.randint(0, 6)
            arguments = Arguments(Fraction(1), size, (("k", Fraction(rng.randint(1, 5))),))
            database = [Fraction(rng.randint(-2, 3)) for _ in range(size)]
            noise: dict = {}

            def units(kind: object, site: int, turns: object, rng: random.Random = rng, noise: dict = noise) -> list[Fraction]:
                return noise.setdefault((site, turns), [Fraction(rng.randint(-64, 64), 8)])

            def outcome(p: Sketch, *given: object) -> object:
                try:
                    return reference.run(p, *given, Fraction)
                except KolahalError:
                    return "stopped"

            one, two = (outcome(p, database, arguments, (), units) for p in (mechanism, other))
            assert one == two, made(seed)
            stopped += one == "stopped"
    assert (changed, stopped) > fewest and stopped > fewest[1], (changed, stopped)


@pytest.mark.parametrize(
    "loop",
    [
        "for j in range(i, i + 9):\n        s += q[j]",  # many turns
        "for j in range(i, i + k):\n        s += q[j]",  # nobody knows how many
        "for j in range(i, i + 2):\n        s += 1",  # where nothing looks at its place, it may not exist
        "for j in range(i, i + 2):\n        i = i + 1\n        s += q[j]",
        "for j in range(i, i + 2):\n        j = j + 1\n        s += q[j]",
        "for j in range(i, i + 2):\n        s += q[j]\n    s += j",
    ],
)
def test_other_loops_stay(loop: str) -> None:
    mechanism = load(f"s = 0\nfor i in range(len(q)):\n    j = 0\n    {loop}\nreturn s + Lap(1/eps)")
    assert unrolled(mechanism) is mechanism


def test_a_single_turn_whose_place_may_be_none_stops_the_run_still() -> None:
    choice = "m = None\n    if q[i] > 0:\n        m = 1"
    stops = load(f"s = 0\nfor i in range(len(q)):\n    {choice}\n    for j in range(m, m + 1):\n        s = j\n    if s is None:\n        s = 1\nreturn 0")
    assert unrolled(stops) is stops
    assert not isinstance(prove_every_length(stops), Proved)


def test_noise_that_is_never_drawn_keeps_its_place_in_proofs() -> None:
    window = "end = i + 3\n    if end < 0:\n        s = Lap(1/eps)\n    for j in range(i, min(end, len(q))):\n        s += q[j]"
    mechanism = load(f"out = []\nfor i in range(len(q)):\n    s = 0\n    {window}\n    out.append(s + Lap(3/eps))\nreturn out")
    assert unrolled(mechanism).draws == mechanism.draws
