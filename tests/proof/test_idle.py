"""Statements that nothing depends on are left out of proofs: what stays gives the same answers, and stops the same runs."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from every_length import load
from test_set_aside import outcome, text

from kolahal.emission.release import emit
from kolahal.lang.ir import Draw, For, walk
from kolahal.lang.source import SketchError
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.idle import without_idle
from kolahal.verdicts import Proved

SUM = "s = 0\nfor x in q:\n    s += x\nreturn s + Lap(1/eps)"
IDLE = {
    "a private counter": f"k = 0\nfor x in q:\n    if x > T:\n        k = k + 1\n{SUM}",
    "a loop that ends early": f"for x in q:\n    if x > T:\n        break\n{SUM}",
    "every second answer": f"z = 0\nfor i in range(0, len(q), 2):\n    z = z - q[i] * 2\n{SUM}",
    "noise for nobody": f"for x in q:\n    z = x + Lap(9/eps)\n    if z > T:\n        z = T\n{SUM}",
    "None and then a number": f"m = None\nfor x in q:\n    if m is None or x > m:\n        m = x\n{SUM}",
    "names that need one another": f"u = 0\nw = 1\nfor x in q:\n    if u > x:\n        continue\n    w = u\n    u = w + x\n{SUM}",
    "a list": f"d = [x * x for x in q]\ne = d\n{SUM}",
    "the ends": f"r = q[0] - q[-1]\n{SUM}",
}
NEEDED = {
    "what is told": "k = 0\nfor x in q:\n    if x > T:\n        k = k + 1\nreturn k",
    "what a condition reads": "k = 0\nfor x in q:\n    if x > T:\n        k = k + 1\nif k > 1:\n    return 1\nreturn 0",
    "what ends a loop that counts": "k = 0\nfor x in q:\n    k += 1\n    if x > T:\n        break\nreturn k",
    "what skips a part of a turn": "k = 0\nfor x in q:\n    if x > T:\n        continue\n    k += 1\nreturn k",
    "a turn that may never come": "z = 0\nk = 0\nwhile z < 10:\n    z = z + q[0]\nreturn k",
    "a place that may be missing": "z = q[n]\nreturn 0",
    "a place behind the last turn": "for i in range(len(q)):\n    if q[i] > T:\n        z = q[i + 1]\nreturn 0",
    "a place of a shorter list": "xs = []\nfor x in q:\n    if x > T:\n        xs.append(x)\nz = xs[0]\nreturn 0",
    "a division": "for x in q:\n    z = 1 / x\nreturn 0",
    "arithmetic on None": "m = None\nfor x in q:\n    if x > T:\n        m = x\nm = m + 1\nreturn 0",
    "a list that grows while it is read": "xs = [1]\nfor x in xs:\n    if q[0] > T:\n        xs.append(x)\nreturn 0",
}  # fmt: skip


@pytest.mark.parametrize("name", IDLE)
def test_what_nothing_depends_on_does_not_matter(name: str) -> None:
    program = load(text(IDLE[name]))
    changed = without_idle(program)
    assert sum(isinstance(node, For) for node in walk(changed.body)) == 1
    assert [draw.site for draw in changed.draws] == [draw.site for draw in program.draws]
    found = prove_every_length(program)
    assert isinstance(found, Proved), found


def test_idle_arithmetic_still_refines_the_grid() -> None:
    program = load(text(f"z = q[0] / 7\n{SUM}"))
    found = prove_every_length(program)
    assert isinstance(found, Proved)
    assert '"factors": [7],' in emit(program, found)


@pytest.mark.parametrize("name", NEEDED)
def test_what_may_stop_a_run_or_shows_stays(name: str) -> None:
    if name == "a list that grows while it is read":  # the language knows that itself
        with pytest.raises(SketchError, match="K210"):
            load(text(NEEDED[name]))
        return
    program = load(text(NEEDED[name]))
    assert without_idle(program) == program
    assert not isinstance(prove_every_length(program), Proved)


def random_program(rng: random.Random) -> str:
    """Statements of which few are needed."""

    def value() -> str:
        return rng.choice(("x", "s", "t", "m", "T", "q[0]", "q[-1]", "Lap(1/eps)", "s + x", "t - m", "2 * m", "max(s, x)", "s / 2", "1 / t", "q[n]"))

    def line(deep: int) -> list[str]:
        kinds = [[f"{rng.choice('stmxc')} = {value()}"], ["c = c + 1"], [f"xs.append({value()})"]]
        if deep:
            inner = [f"    {part}" for _ in range(rng.randint(1, 3)) for part in line(deep - 1)]
            jump = [f"    if {rng.choice('stm')} > {value()}:", f"        {rng.choice(('break', 'continue'))}"]
            turns = rng.choice(("x in q", "i in range(len(q))", "i in range(1, len(q), 2)", "x in xs"))
            kinds += [[f"for {turns}:", *rng.choice(([], jump)), *inner, *(["    m = q[i]"] if turns.startswith("i") else [])]] * 3
            kinds += [[f"if {value()} > {rng.choice('stm')}:", *inner]] * 2
        return rng.choice(kinds)

    body = [part for _ in range(rng.randint(2, 6)) for part in line(2)]
    return "\n".join(["s = 0", "t = 1", "m = T", "c = 0", "x = 2", "xs = [1]", *body, f"return {rng.choice(('c', 's', 'c, t', 'len(xs)', '1'))}"])


def test_the_program_without_idle_statements_gives_the_same_output() -> None:
    apart = stopped = 0
    for seed in range(60):
        try:
            program = load(text(random_program(random.Random(seed))))
        except Exception:  # a loop over a list that it lets grow
            continue
        changed = without_idle(program)
        apart += changed != program
        for trial in range(2):
            size = 1 + (seed + trial) % 3
            database = [Fraction(random.Random(seed + i + trial).randint(-2, 2)) for i in range(size)]
            arguments = Arguments(Fraction(1), size, (("T", Fraction(trial)), ("n", Fraction(2)), ("b", Fraction(trial))))
            noise: dict[object, list[Fraction]] = {}
            results = [outcome(one, database, arguments, noise, seed) for one in (program, changed)]
            assert results[0] == results[1], random_program(random.Random(seed))
            stopped += isinstance(results[0], type)
    assert apart > 5
    assert stopped > 4
    assert not any(isinstance(node, Draw) for node in walk(without_idle(load(text("return 1"))).body))
