"""Typical inputs, on which errors are compared: private answers that are made up, few of which stand out.

Whoever asks for the first answer above a threshold expects few of them above it; whoever asks for the largest expects
that it is larger than most. So as many answers as the largest whole argument says, or one, lie above a mark, and all
others below it, evenly spread on both sides; a real argument that nobody gives, such as a threshold, is the mark.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction

from kolahal.engine.tape import stream
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Arguments, Database


@dataclass(frozen=True, slots=True)
class TypicalInputs:
    """Arguments and private answers; `source` says where these come from, and is empty where they are made up."""

    cases: tuple[tuple[Arguments, Database], ...]
    source: str = ""


def make_up(
    sketch: Sketch, arguments: Arguments, spread: float, count: int, key: tuple[int, ...], free: Collection[str] = ()
) -> TypicalInputs:
    """Inputs whose answers reach `spread` below and above the mark; `free` are the real arguments that nobody gave."""
    rng = stream(key[0], "typical", *key[1:], arguments.size)
    above = min(_standing_out(sketch, arguments), max(1, arguments.size // 2))
    reals = [p.name for p in sketch.arguments if p.type is Type.FLOAT]
    given = [value for name, value in arguments.values if name in reals and name not in free]
    mark = Fraction(given[0]) if given else _sixteenths(spread)
    placed = _place(sketch, arguments, [name for name in reals if name in free], mark, spread)
    cases = []
    for _ in range(count):
        units = rng.uniform(0, 1, arguments.size) - 1
        units[rng.permutation(arguments.size)[:above]] += 1
        # No answer is a multiple of a sixteenth, as marks are: without noise nothing is equal to a threshold.
        answers = (mark + _sixteenths(spread * float(u)) + Fraction(1, 32) for u in units)
        cases.append((placed, tuple(_admitted(sketch, answer) for answer in answers)))
    return TypicalInputs(tuple(cases))


def _standing_out(sketch: Sketch, arguments: Arguments) -> int:
    whole = {p.name for p in sketch.arguments if p.type is Type.INT}
    return max([1, *(int(value) for name, value in arguments.values if name in whole)])


def _place(sketch: Sketch, arguments: Arguments, free: list[str], mark: Fraction, spread: float) -> Arguments:
    """The arguments with the free ones at the mark, or evenly around it where there are several."""
    steps = {name: _sixteenths(spread * (2 * (i + 1) / (len(free) + 1) - 1)) for i, name in enumerate(free)}
    values = tuple((name, mark + steps[name] if name in steps else value) for name, value in arguments.values)
    placed = replace(arguments, values=values)
    return placed if placed.kept_by(sketch) else arguments


def _sixteenths(value: float) -> Fraction:
    return Fraction(round(value * 16), 16)


def _admitted(sketch: Sketch, answer: Fraction) -> Fraction:
    """The answer, or one near it that the program takes."""
    if not sketch.private.whole:
        return answer
    return Fraction(round(answer * 16) % 2 if sketch.private.bits else round(answer))
