"""Noise that a sum begins with, noise that waits at loop heads, and items of noise that get a name: what they mean, and what is never proved."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import test_segments
from every_length import load
from test_segments import ONE, both_ways

from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.proof.trusted.steps import decide_flags
from kolahal.proof.trusted.values import Pending, Unsupported
from kolahal.verdicts import Proved


def text(body: str, relation: str = "one_within", arguments: str = "T: float, n: int, b: bool") -> str:
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"@sketch(adjacent={relation}(1))\ndef f(q: Private, {arguments}, eps: Epsilon):\n{lines}"


CLIPPED = "min(max(x, 0), 1)"
PROVED = {
    "begins with noise": f"s = Lap(1/eps)\nfor x in q:\n    s += {CLIPPED}\nreturn s",
    "begins with named noise": f"e = Lap(1/eps)\ns = e\nfor x in q:\n    s = {CLIPPED} + s\nreturn s",
    "added before the loop": "s = 0\ns += Lap(1/eps)\nfor x in q:\n    if x > T:\n        s += 1\nreturn s / len(q)",
    "noise taken away": "s = 5 - Lap(1/eps)\ni = 0\nwhile i < len(q):\n    if q[i] > T:\n        s += 1\n    i += 1\nreturn s",
    "a sum in every turn": "out = []\nfor r in range(n):\n    c = Lap(n/eps)\n    for x in q:\n        if x > r:\n            c += 1\n    out.append(c)\nreturn out",
    "blocks": "out = []\nacc = Lap(1/eps)\nhalf = False\nfor x in q:\n    acc += x\n    if half:\n        out.append(acc)\n"
    "        acc = Lap(1/eps)\n        half = False\n    else:\n        half = True\nreturn out",
    "an item with a name": "noise = [Lap(1/eps) for _ in q]\nout = []\nfor i in range(len(q)):\n    e = noise[i]\n    out.append(q[i] + e)\nreturn out",
    "zip": "noise = [Lap(1/eps) for _ in q]\nreturn [x + e for x, e in zip(q, noise)]",
    "a flag that goes on": "t = T + Lap(2/eps)\nn = 0\ni = 0\ngo = True\nwhile go and i < len(q):\n    n += 1\n    go = not q[i] + Lap(2/eps) > t\n    i += 1\nreturn n",
    "two noisy answers in one sum": "a = q[0] + Lap(6/eps)\nc = q[-1] + Lap(1/2/eps)\nreturn a - c",
    "two noisy answers in one condition": "a = Lap(6/eps) + q[0]\nc = q[-1] - Lap(1/2/eps)\nif c - 2 * T + a > 0:\n    return True\nreturn False",
    "the last item at first": "noisy = [x + Lap(2/eps) for x in q]\nbest = -1\nfor i in range(len(q)):\n    if noisy[i] > noisy[best]:\n        best = i\nreturn best",
}
BROKEN = {
    "looked at before": "s = Lap(1/eps)\na = s\nfor x in q:\n    s += x\nreturn a, s",
    "looked at between": "out = []\ns = Lap(1/eps)\nfor x in q:\n    s += x\nout.append(s)\nfor x in q:\n    s += x\nout.append(s)\nreturn out",
    "looked at in every turn": "e = Lap(1/eps)\nout = []\nfor x in q:\n    out.append(x + e)\nreturn out",
    "looked at in two turns": "e = Lap(1/eps)\nout = []\nfor i in range(len(q)):\n    if i == 0:\n        out.append(q[i] + e)\n    if i == 1:\n        out.append(q[i] + e)\nreturn out",
    "one noise for all blocks": "out = []\nacc = Lap(1/eps)\nhalf = False\nfor x in q:\n    acc += x\n    if half:\n        out.append(acc)\n    half = not half\nreturn out",
    "a block without noise": "out = []\nacc = Lap(1/eps)\nhalf = False\nfor x in q:\n    acc += x\n    if half:\n        out.append(acc)\n        acc = 0\n    half = not half\nreturn out",
    "a part of a sum is told": "a = q[0] + Lap(6/eps)\nc = q[-1] + Lap(1/2/eps)\nreturn a - c, c",
    "a part of a sum counts in every turn": "a = q[0] + Lap(6/eps)\nout = []\nfor x in q:\n    c = x + Lap(1/2/eps)\n    out.append(a - c)\nreturn out",
    "the noise is told": "m = Lap(1/eps)\ns = m\nfor x in q:\n    s += x\nreturn s, m",
    "one noise for two sums": "m = Lap(1/eps)\ns = m\nt = m\nfor x in q:\n    s += x\n    t -= x\nreturn s, t",
    "doubled on the way": "s = Lap(1/eps)\nfor x in q:\n    s += x\ns = 2 * s\nfor x in q:\n    s += x\nreturn s",
    "noise in one branch": "s = 0\nif b:\n    s = Lap(1/eps)\nfor x in q:\n    s += x\nreturn s",
    "swapped": "a = Lap(1/eps)\nc = Lap(1/eps)\nout = []\nfor x in q:\n    a, c = c, a\n    out.append(x + a)\nreturn out",
    "named anew at times": "e = Lap(1/eps)\nout = []\nfor i in range(len(q)):\n    if i == 3:\n        e = Lap(1/eps)\n    if i >= 2:\n        out.append(q[i] + e)\nreturn out",
    "told while it adds": "s = Lap(1/eps)\ni = 0\nwhile i < len(q):\n    s += q[i]\n    i += 1\n    if s > 10:\n        return s, i\nreturn s, 0",
    "an item twice": "noise = [Lap(1/eps) for _ in q]\nout = []\nfor i in range(len(q)):\n    e = noise[i]\n    out.append(q[i] + e)\n    out.append(e)\nreturn out",
    "an item with both signs": "noise = [Lap(1/eps) for _ in q]\nout = []\nfor i in range(len(q)):\n    e = noise[i]\n    out.append(q[i] + e)\n    out.append(q[i] - e)\nreturn out",
    "an item for twice the answer": "noise = [Lap(1/eps) for _ in q]\nout = []\nfor i in range(len(q)):\n    e = noise[i]\n    out.append(2 * q[i] + e)\nreturn out",
    "a bare flag": "n = 0\ni = 0\ngo = True\nwhile go and i < len(q):\n    n += 1\n    go = not q[i] > T\n    i += 1\nreturn n",
    "a private number of turns": "c = 0\nfor x in q:\n    if x > T:\n        c += 1\nout = []\nfor i in range(min(len(q), c)):\n    out.append(Lap(1/eps))\nreturn out",
}


@pytest.mark.parametrize("name", PROVED)
def test_where_the_noise_of_a_sum_stands_does_not_matter(name: str) -> None:
    assert isinstance(prove_every_length(load(text(PROVED[name]))), Proved)


@pytest.mark.parametrize("name", BROKEN)
def test_what_looks_at_noise_twice_is_not_proved(name: str) -> None:
    assert not isinstance(prove_every_length(load(text(BROKEN[name]))), Proved)


def random_sums(rng: random.Random, again: bool = True) -> str:
    """A program with sums that begin with noise, are added to, looked at, doubled and begun anew, with noise in loops or without."""

    def value(draws: bool = again) -> str:
        if not draws:
            return rng.choice(("0", "T", "e", "e + 1"))
        return rng.choice(("Lap(1/eps)", "0", "T - Lap(1/eps)", "Lap(1/eps) + Lap(2/eps)", "e", "e + 1"))

    def line(deep: int) -> list[str]:
        s, t = rng.sample("stm", 2)
        kinds = [
            [f"{s} = {value()}"],
            [f"{s} += {rng.choice(('x', '1', 'Lap(1/eps)' if again else 'T', t))}"],
            [f"{s} = {rng.choice((f'{s} - x', f'x + {s}', f'2 * {s}', t, f'-{s}', f'{s} + {s}'))}"],
            [f"out.append({rng.choice((s, f'{s} - {t}', 'e'))})"],
            ["e = Lap(1/eps)" if again else "e = T"],
        ]
        if deep:
            inner = [f"    {part}" for _ in range(rng.randint(1, 3)) for part in line(deep - 1)]
            kinds += [["for x in q:", *inner]] * 3 + [[f"if {rng.choice((s, 'x', 'T'))} > 0:", *inner]] * 2
            kinds += [["for x in q:", f"    {s} += x"]] * 3
        return rng.choice(kinds)

    first = [f"{name} = {value(True)}" for name in "stm"]
    rng.shuffle(first)
    body = [part for _ in range(rng.randint(2, 5)) for part in line(2)]
    body.insert(0, f"u, w = {rng.choice(('T', 'q[0] + x'))}, 0\nu = {value(True)}\nw = q[0] - Lap(2/eps)" if again else "u, w = T, x")
    met = rng.choice(("out.append(u - w)", "x = w + 1 + u", "if w - u > x:\n    out.append(w)"))
    return "\n".join(["out = []", "x = 0", "e = Lap(1/eps)", *first, *body, met, f"out.append({rng.choice('stm')})", "return out"])


def outcome(sketch: Sketch, database: list[Fraction], arguments: Arguments, noise: dict[object, list[Fraction]], seed: int) -> object:
    rng = random.Random(seed)

    def units(kind: object, site: int, turns: object) -> list[Fraction]:
        return noise.setdefault((site, turns), [Fraction(rng.randint(-64, 64), 8)])

    try:
        return reference.run(sketch, database, arguments, (), units, Fraction)
    except KolahalError as fault:
        return type(fault)


@pytest.mark.mutants
def test_the_rewritten_program_gives_the_same_output() -> None:
    apart = 0
    for seed in range(150):
        program = load(text(random_sums(random.Random(seed))))
        changed = set_aside(program)
        apart += changed != program
        for trial in range(2):
            size = 1 + (seed + trial) % 3
            database = [Fraction(random.Random(seed + i).randint(-3, 3)) for i in range(size)]
            arguments = Arguments(Fraction(1), size, (("T", Fraction(trial)), ("n", Fraction(2)), ("b", Fraction(trial))))
            noise: dict[object, list[Fraction]] = {}
            results = [outcome(p, database, arguments, noise, seed) for p in (program, changed, decide_flags(changed))]
            assert results[0] == results[1] == results[2], random_sums(random.Random(seed))
    assert apart > 40


@pytest.mark.parametrize("again", (False, True))
def test_segments_with_waiting_noise_mean_what_the_reference_means(again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise is told apart by its place in the text and its turn; where loops name it `again`, by its place alone, as it may wait
    until a later turn."""
    monkeypatch.setattr(Pending, "law", property(lambda waiting: waiting.draw.site))  # else either of one law will do
    if again:
        monkeypatch.setattr(test_segments, "noise_at", lambda seed, positive, site, turns: Fraction(seed + 7 * site % 5 - 2))
    answered = 0
    for seed in range(60):
        program = set_aside(load(text(random_sums(random.Random(seed), again))))
        size = 1 + seed % 3
        database = tuple(Fraction(random.Random(seed + i).randint(-3, 3)) for i in range(size))
        arguments = Arguments(ONE, size, (("T", Fraction(1)), ("n", Fraction(2)), ("b", Fraction(0))))
        try:
            answered += both_ways(program, frozenset(), database, arguments, 0, delayed=True)
        except Unsupported:
            continue
    assert answered > 15
