"""Loops of a few turns inside others are their turns, and tails are read from their list: windows and differences for every length."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from digests import agrees, digest
from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.tails import without_tails
from kolahal.proof.trusted.restated.unrolled import unrolled
from kolahal.verdicts import Proved
from near_misses import same_output, shown

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


# ---------------------------------------------------------------- written to be near the border of what is restated

ENDS = "out = []\ns = 0\nm = 1\n{0}\n    end = {1}\n    {2}\n    for j in range(i, min(end, len(q))):\n        s = s + q[j]\n    out.append(s)\nreturn out"
LOW = "if end < 0:\n        end = 0"
CHECKED = {  # where the condition goes, and where it stays
    "counted up": ("for i in range(len(q)):", "i + 2", LOW), "from another number": ("for i in range(2, len(q)):", "i + 2", LOW), "by two": ("for i in range(0, len(q), 2):", "i + 2", LOW),
    "a number first": ("for i in range(len(q)):", "2 + i", LOW), "no number": ("for i in range(len(q)):", "i", LOW), "less a number": ("for i in range(len(q)):", "i - 1", LOW), "a number alone": ("for i in range(len(q)):", "3", LOW),
    "from below": ("for i in range(-1, len(q)):", "i + 2", LOW), "downwards": ("for i in range(3, -1, -1):", "i + 2", LOW), "answers": ("for i in q:", "i + 2", LOW), "another name": ("for i in range(len(q)):", "m + 2", LOW), "an argument": ("for i in range(len(q)):", "k + 2", LOW),
    "changed before": ("for i in range(len(q)):\n    i = i - 5", "i + 2", LOW), "changed behind": ("for i in range(len(q)):", "i + 2", LOW + "\n    i = i - 5"), "below another number": ("for i in range(len(q)):", "i + 2", "if end < 1:\n        end = 0"),
    "with another branch": ("for i in range(len(q)):", "i + 2", LOW + "\n    else:\n        m = 2"), "of another name": ("for i in range(len(q)):", "i + 2", "if m < 0:\n        end = 0"), "a statement between": ("for i in range(len(q)):", "i + 2\n    m = 3", LOW),
    "above": ("for i in range(len(q)):", "i + 2", "if end > 0:\n        end = 0"), "a product": ("for i in range(len(q)):", "2 * i", LOW), "twice the name": ("for i in range(len(q)):", "i + i", LOW), "with noise": ("for i in range(len(q)):", "i + 2", "if end < 0:\n        s = Lap(1/eps)"),
    "in a loop of its own": ("for i in range(len(q)):\n    while m < 2:\n        m = m + 1\n        end = i + 1\n        if end < 0:\n            m = 0", "i + 2", "pass"),
    "in a loop that changes it": ("for i in range(len(q)):\n    while m < 2:\n        m = m + 1\n        end = i + 1\n        if end < 0:\n            m = 0\n        i = i - 5", "i + 2", "pass"),
    "in a branch": ("for i in range(len(q)):\n    if m > 0:\n        end = i + 1\n        if end < 0:\n            m = 0\n    else:\n        end = i + 3\n        if end < 0:\n            m = 7", "i + 2", "pass"),
    "in a loop inside": ("for i in range(len(q)):\n    for t in range(2):\n        end = i + t\n        if end < 0:\n            m = 0", "i + 2", "pass"),
    "in a loop that counts the same name": ("for i in range(len(q)):\n    for i in range(-2, 0):\n        end = i + 1\n        if end < 0:\n            m = m + 1", "i + 2", "m = m + 0"),
    "a condition that asks more": ("for i in range(len(q)):\n    if m > 5:\n        m = 5", "i + 2", "if end < 0 and m > 0:\n        end = 0"),
}
ROUND = "out = []\ns = 0\nt = 1\nm = 1\nn = 2\nfor i in range(1, len(q)):\n    {0}\n    out.append(s + t)\nreturn out"
TURNS = {
    "a sum": "for j in range(i - 1, i + 1):\n        s = s + q[j]", "numbers first": "for j in range(-1 + i, 1 + i):\n        s = s + q[j]", "another name": "for j in range(m, m + 1 + 1):\n        s = s + j", "one turn": "for j in range(i, i + 1):\n        s = q[j]",
    "one turn, a sum": "for j in range(i - 1, i):\n        s = q[j]", "eight": "for j in range(m, m + 8):\n        s = s + j", "nine": "for j in range(m, m + 9):\n        s = s + j", "none": "for j in range(i, i):\n        s = s + j", "fewer": "for j in range(i + 1, i):\n        s = s + j",
    "halves": "for j in range(i, min(len(q), i + 2)):\n        s = s * 2 + q[j]", "at most": "for j in range(i, min(i + 2, len(q))):\n        s = s - q[j]", "at least": "for j in range(i, max(i + 2, len(q))):\n        s = s - q[j]", "of two numbers": "for j in range(i, min(i + 2, m)):\n        s = s - j",
    "by two": "for j in range(i, i + 4, 2):\n        s = s + j", "two names": "for j in range(i + m, i + m + 2):\n        s = s + j", "other names": "for j in range(i, m + 2):\n        s = s + j", "a product": "for j in range(2 * i, 2 * i + 2):\n        s = s + j", "numbers alone": "for j in range(0, 2):\n        s = s + j",
    "every operation": "for j in range(i - 1, i + 1):\n        s = (s + j) - 2 * j\n        t = t // 2 + j % 2 - -t / 4", "a size": "for j in range(i - 1, i + 1):\n        s = abs(q[j])", "the larger": "for j in range(i - 1, i + 1):\n        s = max(s, q[j])",
    "a truth": "for j in range(i - 1, i + 1):\n        b = q[j] > 0\n        s = s + j", "a branch": "for j in range(i - 1, i + 1):\n        if q[j] > 0:\n            s = s + j", "a list": "for j in range(i - 1, i + 1):\n        out.append(q[j])", "noise": "for j in range(i - 1, i + 1):\n        s = s + q[j] + Lap(1/eps)",
    "its place is changed": "for j in range(i - 1, i + 1):\n        s = s + j\n        j = j + 1", "where it begins is changed": "for j in range(i - 1, i + 1):\n        s = s + j\n        i = i + 0", "where it ends is changed": "for j in range(m, m + 2):\n        s = s + j\n        m = m + 1", "its place is read behind": "for j in range(i - 1, i + 1):\n        s = s + j\n    t = j",
    "no place": "for j in range(i - 1, i + 1):\n        s = s + 1", "answers": "for x in q:\n        s = s + x", "in a branch": "if m > 0:\n        for j in range(i - 1, i + 1):\n            s = s + q[j]\n    else:\n        for l in range(i, i + 2):\n            s = s - l", "in a loop": "while n > 0:\n        n = n - 1\n        for j in range(i - 1, i + 1):\n            s = s + q[j]",
    "swapped": "for j in range(i - 1, i + 1):\n        s, t = t + j, s", "in one another": "for j in range(i - 1, i + 1):\n        for l in range(j, j + 2):\n            s = s + l", "a list of its own": "for j in range(i - 1, i + 1):\n        w = [j, s]\n        s = s + j",
}
OUTSIDE = {
    "at the top": "s = 0\nm = 1\nfor j in range(m, m + 2):\n    s = s + j\nreturn s", "in a branch at the top": "s = 0\nm = 1\nif k > 1:\n    for j in range(m, m + 2):\n        s = s + j\nelse:\n    for j in range(m, m + 3):\n        s = s - j\nreturn s",
    "behind a loop": "s = 0\nm = 1\nfor i in range(2):\n    m = m + i\nfor j in range(m, m + 2):\n    s = s + j\nreturn s",
}
TAILED = "later = {0}\nout = []\ns = 0\nm = 1\nfor i in range(len(q)):\n    s = s + i\n{1}\nout.append(s)\nreturn out"
TAILS = {
    "places": ("q[1:]", "for i in range(len(later)):\n    out.append(later[i])"), "further places": ("q[1:]", "for i in range(len(later)):\n    out.append(later[i + 0])\n    out.append(later[1 + i] if i + 2 < len(q) else 0)"), "two off": ("q[2:]", "for i in range(min(len(later), len(q))):\n    out.append(later[i] - q[i])"),
    "all": ("q[0:]", "for i in range(len(later)):\n    out.append(later[i])"), "each second": ("[q[i] for i in range(1, len(q), 2)]", "for i in range(len(later)):\n    out.append(later[i])"), "one place": ("[q[0] for i in range(1, len(q))]", "for i in range(len(later)):\n    out.append(later[i])"),
    "one place of an argument": ("[q[k] for i in range(1, len(q))]", "for i in range(len(later)):\n    out.append(later[i])"), "behind one that stays": ("[q[i] for i in range(1, len(q), 2)]\nw = q[1:]", "for i in range(len(w)):\n    out.append(w[i] + len(later))"),
    "from before the first": ("[q[i] for i in range(-1, len(q))]", "for i in range(len(later)):\n    out.append(later[i])"), "from a name": ("[q[i] for i in range(m0, len(q))]".replace("m0", "k"), "for i in range(len(later)):\n    out.append(later[i])"), "another end": ("[q[i] for i in range(1, len(q) - 1)]", "for i in range(len(later)):\n    out.append(later[i])"), "another list": ("[x + 1 for x in q]\nw = [later[i] for i in range(1, len(q))]", "for i in range(len(w)):\n    out.append(w[i])"),
    "from below": ("q[1:]", "for i in range(-1, 1):\n    out.append(later[i])"), "downwards": ("q[1:]", "for i in range(1, -1, -1):\n    out.append(later[i])"), "an argument": ("q[1:]", "for i in range(k):\n    out.append(later[i])"), "a name": ("q[1:]", "for i in range(len(q) - 1):\n    out.append(later[m])"),
    "a number": ("q[1:]", "for i in range(len(q) - 1):\n    out.append(later[0])"), "less a number": ("q[1:]", "for i in range(1, len(later)):\n    out.append(later[i - 1])"), "changed before": ("q[1:]", "for i in range(1, len(later)):\n    i = i - 2\n    out.append(later[i])"), "in a loop that changes it": ("q[1:]", "for i in range(1, len(later)):\n    for j in range(2):\n        out.append(later[i])\n        i = i - 1"),
    "in a loop": ("q[1:]", "for i in range(0, len(later)):\n    for j in range(2):\n        out.append(later[i])"), "in a while": ("q[1:]", "for i in range(0, len(later)):\n    while m < 3:\n        m = m + 1\n        out.append(later[i])"), "in a while that changes it": ("q[1:]", "for i in range(0, len(later)):\n    while m < 3:\n        m = m + 1\n        i = i - 1\n        out.append(later[i])"),
    "asked in a while": ("q[1:]", "for i in range(0, len(later)):\n    while later[i] > m:\n        m = m + 1"), "in a list": ("q[1:]", "out = [later[i] for i in range(len(later))]"), "in a list from below": ("q[1:]", "out = [later[i] for i in range(-1, 1)]"), "in a list of answers": ("q[1:]", "out = [later[m] + x for x in q]"),
    "in a list in a loop": ("q[1:]", "for i in range(len(later)):\n    out.append(sum([later[i] + j for j in range(2)]))"), "a list of the same name": ("q[1:]", "for i in range(len(later)):\n    out.append(sum([later[i] for i in range(-1, 1)]))"), "its length": ("q[1:]", "s = len(later)"), "its length in a range from below": ("q[1:]", "for i in range(-1, len(later)):\n    s = s + 1"),
    "its length, less": ("q[1:]", "for i in range(0, len(later) - 1):\n    s = s + 1"), "its length, downwards": ("q[1:]", "for i in range(2, len(later), -1):\n    s = s + 1"), "where a range begins": ("q[1:]", "for i in range(len(later), 5):\n    s = s + 1"), "at most its length": ("q[1:]", "for i in range(1, min(3, len(later))):\n    s = s + later[i]"),
    "at least its length": ("q[1:]", "for i in range(1, max(3, len(later))):\n    s = s + 1"), "items": ("q[1:]", "for x in later:\n    out.append(x)"), "told": ("q[1:]", "out = later"), "it grows": ("q[1:]", "later.append(0)\nfor i in range(len(later)):\n    out.append(later[i])"), "the list grows": ("q[1:]", "q.append(0)\nfor i in range(len(later)):\n    out.append(later[i])"),
    "given twice": ("q[1:]", "later = q[2:]\nfor i in range(len(later)):\n    out.append(later[i])"), "the list is given": ("q[1:]", "q = [0, 1]\nfor i in range(len(later)):\n    out.append(later[i])"), "the name of a loop": ("q[1:]", "for later in range(2):\n    out.append(later)"), "a branch": ("q[1:]", "for i in range(len(later)):\n    if later[i] > 0:\n        out.append(later[i])\n    else:\n        i = i + 1\n        s = s + i"),
    "behind the loop": ("q[1:]", "for i in range(2):\n    s = s + i\nout.append(later[i])"), "a place of a place": ("q[1:]", "for i in range(len(later)):\n    out.append(later[i])\n    s = s + later[i + 0]\nfor i in range(2):\n    for j in range(i, i + 2):\n        s = s + later[j]"), "in a branch that changes it": ("q[1:]", "for i in range(len(later)):\n    if m > 0:\n        i = i - 1\n    out.append(later[i])"),
}
NEAR = {
    **{f"an end {name}": (unrolled, ENDS.format(*parts)) for name, parts in CHECKED.items()}, **{f"turns: {name}": (unrolled, ROUND.format(loop)) for name, loop in TURNS.items()}, **{f"a loop {name}": (unrolled, body) for name, body in OUTSIDE.items()},
    **{f"a tail: {name}": (without_tails, TAILED.format(*parts)) for name, parts in TAILS.items()},
}  # fmt: skip


@pytest.mark.mutants
@pytest.mark.parametrize("start", range(0, len(NEAR), 16))
def test_what_is_near_the_border_is_restated_as_it_was(start: int) -> None:
    for name in list(NEAR)[start : start + 16]:
        restate, body = NEAR[name]
        try:
            mechanism = load(body)
        except KolahalError:
            found = "not taken"
        else:
            other = restate(mechanism)
            found = shown(restate, mechanism)
            assert (other is mechanism) == (found == "as it was"), name
            assert other is mechanism or same_output(mechanism, other, 6, 11), name
        agrees("near_windows.txt", {name: digest([found])}, NEAR)
