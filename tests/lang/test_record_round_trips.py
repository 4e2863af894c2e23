"""Programs over records read back as themselves, whatever their scales are made of; what the text says is what is proved."""

from __future__ import annotations

import itertools

import pytest

from kolahal.checking import check
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.sketches.gallery import RECORDS, load_one
from kolahal.verdicts import Proved

PURE = ("3/eps", "len({0})/(2*eps)", "2*len({0})**2/eps")
ROOTS = ("sqrt(1/(2*rho))", "sqrt(len({0})/(2*rho))/2", "len({0})/(3*rho)", "sqrt(2*len({0})**3/rho)")
HEAD = "@sketch(adjacent={})\ndef f(rows: Records[Between(0, 128)], {}{}):\n"
MEDIAN = """    lo, hi = 0, 128
    for k in range({}):
        mid = (lo + hi) / 2
        if sum(1 for r in rows if r <= mid) - len(rows) / 2 + {} > 0:
            hi = mid
        else:
            lo = mid
    return lo"""
BINS = "    return [sum(1 for r in rows if r > d) + {1} for d in range({0})]"


@pytest.mark.parametrize(("name", "scale"), [*itertools.product(RECORDS, PURE)])
def test_the_gallery(name: str, scale: str) -> None:
    sketch = load_one(name)
    if sketch.length_name not in sketch.quantities():
        scale = scale.replace("len({0})", "7")  # the number of questions has no name in the program
    program = sketch.complete(*[scale.format(sketch.private.name)] * len(sketch.holes)).filled()
    assert parse(str(sketch)) == sketch and parse(str(program)) == program


@pytest.mark.parametrize(("body", "size"), [*itertools.product((MEDIAN, BINS), ("3", "K"))])
@pytest.mark.parametrize(("budget", "noise"), [("eps: Epsilon", "Lap"), ("rho: Rho", "Gauss"), ("rho: Rho", "Lap")])
def test_scales_with_lengths_and_roots(body: str, size: str, budget: str, noise: str) -> None:
    head = HEAD.format("add_remove(1)", "K: int, " if size == "K" else "", budget)
    sketch = parse(head + body.format(size, f"{noise}(hole)"))
    for scale in PURE if noise == "Lap" and "eps" in budget else ROOTS:
        named = sketch.length_name in sketch.quantities()
        text = (scale if named else scale.replace("len({0})", "7")).format(sketch.private.name)
        program = sketch.complete(text).filled()
        assert parse(str(program)) == program, program
        (draw,) = program.draws
        assert draw.scale == parse_scale(text).renamed(f"len({sketch.private.name})", sketch.length_name)


def test_a_median_of_k_steps_is_concentrated() -> None:
    """The root of a scale with the number of steps was lost in the text, and the proof was about another program."""
    sketch = parse(HEAD.format("add_remove(1)", "K: int, ", "rho: Rho") + MEDIAN.format("K", "Gauss(hole)"))
    assert isinstance(check(sketch.complete("sqrt(len(answers)/(2*rho))/2")).verdict, Proved)
    assert not isinstance(check(sketch.complete("sqrt(len(answers)/(3*rho))/2")).verdict, Proved)


@pytest.mark.parametrize("body", [
    "zeros = [0, 0]\nx = [sum([sum(2 - d for r in rows) for d in zeros]) for d in range(2, 3)]\nreturn x[0] + Lap(1/eps)",
    "x = []\nfor d in [1, 1, 2]:\n    x.append(sum(1 for r in rows if r == d) + Lap(1/eps))\nreturn x",
    "x = []\nfor d in [1, 1]:\n    for e in [0, 0]:\n        x.append(sum(1 for r in rows if r > d + e) + Lap(1/eps))\nreturn x",
    "x = [len(rows), len(rows)]\nreturn x[0] + x[1] + len(rows) + Lap(1/eps)",
    "y = len(rows)\nx = [len(rows), sum(r for r in rows), len(rows)]\nreturn x[0] + x[2] + y + Lap(1/eps)",
])
def test_equal_aggregates(body: str) -> None:
    """A loop over written values that are equal asks for one aggregate twice, and is printed with both."""
    sketch = parse(HEAD.format("add_remove(1)", "", "eps: Epsilon") + "".join(f"    {line}\n" for line in body.split("\n")))
    assert parse(str(sketch)) == sketch, sketch
