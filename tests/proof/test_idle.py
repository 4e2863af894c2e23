"""Statements that nothing depends on are left out of proofs: what stays gives the same answers, and stops the same runs."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from every_length import load
from test_set_aside import outcome, text

from digests import agrees, digest
from kolahal.emission.release import emit
from kolahal.lang.ir import Draw, For, walk
from kolahal.lang.source import SketchError
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.idle import without_idle
from kolahal.verdicts import Proved
from near_misses import same_output, shown, taken

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


# ---------------------------------------------------------------- written near the border of what is left out

VALUES = (
    "x", "T", "q[0]", "q[-1]", "q[1]", "q[n]", "q[i]", "len(q)", "len(xs)", "-x", "-m", "not b", "not x > T", "abs(x)", "abs(m)", "max(x, T)", "max(x, m)", "min(x, 1, T)", "x + T", "x + m", "x * x", "x - n", "x < T", "x <= m", "x == T", "x != m", "m == None", "xs == xs", "x / 2", "x / 0.5", "x // 3", "n % 2", "x / T", "m / 2", "x // m",
    "b and x > 0", "m is None or m > x", "m is not None and m > x", "m is None and m > x", "m is not None or m > x", "not m is None and m > x", "b or m > x", "[x, 1]", "[m, x]", "[m + 1]", "[y for y in q]", "[y + 1 for y in q]", "[y + m for y in q]", "[q[j] for j in range(len(q))]", "[q[j] for j in range(1, len(q))]", "[q[j + 1] for j in range(len(q))]", "[xs[j] for j in range(len(q))]",
    "[xs[j] for j in range(len(xs))]", "[q[x0] for x0 in range(len(q))]", "[q[i] for j in range(2)]", "[n for j in range(n)]", "[1 for j in range(0, 9, 2)]", "[1 for j in range(9, 0, -2)]", "[0] * 2", "Lap(1/eps)", "x + Lap(2/eps)", "c", "(x if b else T)", "sum(q)", "max(q)", "xs[0]",
)  # fmt: skip
LOOPS = (
    "for x in q:", "for i in range(len(q)):\n    x = q[i]", "for i in range(1, len(q)):\n    x = 1", "for i in range(n):\n    x = 1", "for i in range(0, 9, 2):\n    x = i", "for i in range(9, 0, -1):\n    x = i", "for x in xs:", "for i in range(len(xs)):\n    x = xs[i]", "for i in range(len(q)):\n    x = xs[i]", "for i in range(len(q)):\n    i = i + 1\n    x = q[i]",
    "for i in range(len(q)):\n    for j in range(2):\n        x = q[i]", "for i in range(len(q)):\n    for i in range(2):\n        x = q[i]", "for x in q:\n    xs.append(x)", "for x in xs:\n    xs.append(x)", "for x in q:\n    if x > T:\n        break", "for x in q:\n    if x > T:\n        continue", "for x in q:\n    if x > m:\n        break", "for x in q:\n    while b:\n        break", "while n > 2:\n    n = n - 1", "for x in q:\n    return x",
    "for x in q:\n    if b:\n        c = 1\n    else:\n        c = 2\n    d = c", "for x in q:\n    if b:\n        c = 1\n    d = c", "for x in q:\n    if b:\n        d = q[0]\n    else:\n        d = q[n]", "for x in q:\n    u = x\n    w = u\n    u = w", "for x in q:\n    m = x", "for x in q:\n    b = not b", "for x in q:\n    n = n + 1", "for x in q:\n    a = [y for y in q]\n    for y in a:\n        u = y",
)  # fmt: skip
NEAR = {f"a value: {value}": f"m = None\nxs = [1]\nb2 = b\nfor x in q:\n    z = {value}\n    if z is None:\n        m = 1\n{SUM}" for value in VALUES}
NEAR |= {f"a loop value: {value}": f"m = None\nxs = [1]\nfor i in range(len(q)):\n    x = q[i]\n    z = {value}\n{SUM}" for value in VALUES}
NEAR |= {f"a loop: {loop}": f"m = None\nxs = [1]\nc = 0\n{loop}\n    z = x\n{SUM}" for loop in LOOPS}
NEAR |= {f"told: {loop}": f"m = 0\nxs = [1]\nc = 0\n{loop}\n    z = x\ns = n\nif b:\n    s = 0\nreturn s + m" for loop in LOOPS}
NEAR |= {f"behind: {loop}": f"m = 0\nxs = [1]\nc = 0\n{loop}\n    z = x\ny = xs[0] + c\nw = z if b else 0\n{SUM}" for loop in LOOPS}
STATEMENTS = (
    "q = [x + 1 for x in q]\nfor x in q:\n    z = q[0]", "q = [1 for i in range(n - 2)]\nfor x in q:\n    z = x\nz = q[0]\nfor x in q:\n    w = z", "q = [q[i] for i in range(1, len(q))]\nfor x in q:\n    z = x\nz = q[-1]\nfor x in q:\n    w = z", "p = q[0]\nfor x in q:\n    z = p", "p = q[n]\nfor x in q:\n    z = p",
    "for x in q:\n    xs.append(m)", "for x in q:\n    xs.append(m + 1)", "for x in q:\n    xs.append(q[n])", "for i in range(len(q)):\n    xs.append(q[i])", "for i in range(len(q)):\n    xs.append(q[i + 1])", "for x in q:\n    ys.append(x)\nys = []", "for x in q:\n    ys = []\n    ys.append(x)", "for x in q:\n    if b:\n        ys = []\n    ys.append(x)",
    "for x in q:\n    if m > 0:\n        z = 1", "for i in range(len(q)):\n    if q[i] > 0:\n        z = 1", "for i in range(len(q)):\n    if q[i + 1] > 0:\n        z = 1", "for i in range(len(q)):\n    if b:\n        z = q[i]\n    else:\n        z = q[i] + 1", "for i in range(len(q)):\n    if b:\n        z = q[i]\n    else:\n        z = q[i + 1]",
    "for x in q:\n    if b:\n        u = 1\n    else:\n        w = 1\n    z = u", "for x in q:\n    if b:\n        u = 1\n        w = 2\n    else:\n        u = 3\n    z = u\n    y = w", "if b:\n    u = 1\nfor x in q:\n    z = u", "if b:\n    u = 1\nelse:\n    u = 2\nfor x in q:\n    z = u", "u = 0\nif b:\n    w = 1\nfor x in q:\n    z = u",
    "for i in range(len(q)):\n    for j in range(len(q)):\n        z = q[i] + q[j]", "for i in range(len(q)):\n    for j in range(len(xs)):\n        z = q[i] + xs[j]", "for i in range(len(q)):\n    for j in range(len(xs)):\n        z = q[j] + xs[i]", "for i in range(len(q)):\n    for j in range(2):\n        i = j\n        z = q[i]", "for i in range(len(q)):\n    for j in range(2):\n        z = q[i]\n        i = 7", "for i in range(len(xs)):\n    z = xs[i]\n    xs = [1, 2]",
    "for i in range(len(xs)):\n    xs = []\n    z = xs[i]", "for i in range(len(xs)):\n    for j in range(2):\n        xs = []\n        z = xs[i]", "for i in range(len(q)):\n    for i in range(9):\n        z = q[i]", "for i in range(len(q)):\n    while b:\n        z = q[i]\n        break", "for x in q:\n    for y in u:\n        z = y\nu = []", "for x in n0:\n    z = x".replace("n0", "xs"), "for i in range(u):\n    z = i\nu = 2",
    "for i in range(len(q) // 2):\n    z = i", "for i in range(len(q) / 2):\n    z = i", "for i in range(0, 4, n):\n    z = i", "for i in range(0, 4, -1):\n    z = i", "for i in range(m, 4):\n    z = i", "for x in q:\n    u, w = x, u", "u = 1\nfor x in q:\n    u, w = x, u", "for x in q:\n    z = u\n    u = x", "for x in q:\n    m = None\n    z = m",
    "while b:\n    for x in q:\n        z = x\n    break", "while b:\n    b = False\n    for x in q:\n        z = c", "for x in q:\n    z = x\nif z > 0:\n    z = 1", "z = 0\nfor x in q:\n    z = x\nif z > 0:\n    z = 1", "z = 0\nfor x in q:\n    z = x\ny = z\nw = y", "z = 0\nfor x in q:\n    z = x\nif b:\n    w = z\nelse:\n    w = q[n]", "for x in q:\n    z = [x]\nfor y in xs:\n    z = [y]",
)  # fmt: skip
NEAR |= {f"statements: {one}": f"m = None\nxs = [1]\nc = 0\n{one}\n{SUM}" for one in STATEMENTS}
NEAR |= {f"statements, and told: {one}": f"m = None\nxs = [1]\nc = 0\nz = 0\n{one}\nif b:\n    return z\nreturn 0" for one in STATEMENTS}


@pytest.mark.mutants
@pytest.mark.parametrize("start", range(0, len(NEAR), 20))
def test_what_is_near_the_border_is_left_out_as_it_was(start: int) -> None:
    for name in list(NEAR)[start : start + 20]:
        found = ["not taken"]
        for sketch in taken([text(NEAR[name])], load):
            other = without_idle(sketch)
            found = [shown(without_idle, sketch)]
            assert (other is sketch) == (other == sketch), name
            public = {"T": Fraction(1), "n": Fraction(2), "b": True}
            assert other is sketch or same_output(sketch, other, 4, 3, **public), name
        agrees("near_idle.txt", {name.replace("\n", "; "): digest(found)}, [name.replace("\n", "; ") for name in NEAR])
