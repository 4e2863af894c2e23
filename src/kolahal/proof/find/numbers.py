"""A variable of both runs, as invariants speak of it, and linear relations between such numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from kolahal.lang.sketch import Sketch, Type
from kolahal.logic.compiled import compile_sum
from kolahal.logic.linear import variable
from kolahal.logic.terms import INT, Formula, Sum, Symbol
from kolahal.nouns import dataclass
from kolahal.proof.find.compiled_paths import ConcreteState


@dataclass(frozen=True, slots=True)
class Both:
    """A number in both runs; `known` says where it is not None."""

    one: Sum
    two: Sum
    known: Formula
    counts: bool  # whether it is a whole number by the program's own types, and not only because answers are

    @property
    def difference(self) -> Sum:
        return self.two - self.one


def null_space(rows: Sequence[Sequence[Fraction]], width: int) -> Iterator[list[Fraction]]:
    """A basis of the vectors that are orthogonal to all rows."""
    pivots: dict[int, list[Fraction]] = {}
    for row in rows:
        rest = list(row)
        for column, own in pivots.items():
            rest = [a - rest[column] * b for a, b in zip(rest, own, strict=True)] if rest[column] else rest
        lead = next((i for i, value in enumerate(rest) if value), None)
        if lead is not None:
            rest = [value / rest[lead] for value in rest]
            for other, own in pivots.items():
                pivots[other] = [a - own[lead] * b for a, b in zip(own, rest, strict=True)]
            pivots[lead] = rest
    for free in range(width):
        if free not in pivots:
            yield [Fraction(i == free) if i not in pivots else -pivots[i][free] for i in range(width)]


def whole_arguments(sketch: Sketch) -> list[Sum]:
    """The arguments that are whole numbers."""
    return [variable(Symbol(p.name, INT)) for p in sketch.arguments if p.type is Type.INT]


def steepest(gap: Sum, unit: Callable[[ConcreteState], Any], states: Sequence[ConcreteState], sizes: int = 1) -> list[Fraction]:
    """How many units a difference was seen to be at most, to either side, with units of so many sizes."""
    value = compile_sum(gap)
    seen = {(abs(Fraction(value(state)) / size), size) for state in states if (size := unit(state)) > 0}
    most = max((slope for slope, _ in seen), default=Fraction(0))
    return [most, -most] if most and sum(slope == most for slope, _ in seen) >= sizes else []
