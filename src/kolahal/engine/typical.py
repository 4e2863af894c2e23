"""Typical inputs, on which errors are compared: private answers that are made up, few of which stand out.

Whoever asks for the first answer above a threshold expects few of them above it; whoever asks for the largest expects
that it is larger than most. So as many answers as the largest whole argument says, or one, lie above a mark, and all
others below it, evenly spread on both sides; a real argument that nobody gives, such as a threshold, is the mark.
Where the answers are aggregates of records, the records are made up: values of their fields, some more common than others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.random import Generator

from kolahal.engine.tape import stream
from kolahal.lang.records.bins import sized_table
from kolahal.lang.records.table import Field, FieldValue, NumberOf, Table, parts_of
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Arguments, Database
from kolahal.nouns import dataclass

DIFFERENT = 64  # records that lists are drawn from
STEPS = 1 << 10  # values of a real field between its bounds
WIDEST = 1 << 62  # between bounds up to which whole numbers are drawn one by one


@dataclass(frozen=True, slots=True)
class TypicalInputs:
    """Arguments and private answers; `source` says where these come from, and is empty where they are made up."""

    cases: tuple[tuple[Arguments, Database], ...]
    source: str = ""

    def with_epsilon(self, epsilon: Fraction) -> TypicalInputs:
        """The same inputs with another budget."""
        return replace(self, cases=tuple((replace(arguments, epsilon=epsilon), answers) for arguments, answers in self.cases))


def make_up(
    sketch: Sketch,
    arguments: Arguments,
    spread: float,
    count: int,
    key: tuple[int, ...],
    free: Collection[str] = (),
    rows: int = 0,
    above: int | None = None,
) -> TypicalInputs:
    """Inputs whose answers reach `spread` below and above the mark, with so many above it; `free` are the real arguments that nobody gave."""
    if is_made_of_records(sketch):
        return TypicalInputs(tuple((arguments, answers) for answers in _aggregated(sketch, arguments, rows, count, key)))
    rng = stream(key[0], "typical", *key[1:], arguments.size)
    above = standing_out(sketch, arguments) if above is None else above
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


def free_arguments(sketch: Sketch) -> tuple[str, ...]:
    """The real arguments that the program gives no value to."""
    return tuple(p.name for p in sketch.arguments if p.type is Type.FLOAT and p.default is None and p.usual is None)


def standing_out(sketch: Sketch, arguments: Arguments) -> int:
    """How many answers lie above the mark."""
    whole = {p.name for p in sketch.arguments if p.type is Type.INT}
    most = max([1, *(int(value) for name, value in arguments.values if name in whole)])
    return min(most, max(1, arguments.size // 2))


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


# ---------------------------------------------------------------- records


def is_made_of_records(sketch: Sketch) -> bool:
    """Whether answers are aggregates that some list of records has."""
    return sketch.private.table is not None and not sketch.private.table.depends_on_run


def _aggregated(sketch: Sketch, arguments: Arguments, rows: int, count: int, key: tuple[int, ...]) -> Iterator[Database]:
    """The aggregates of lists of so many records, which are drawn from a few different ones."""
    rng = stream(key[0], "records", *key[1:])
    table = sketch.private.table
    assert table is not None
    if table.bins is not None:
        table = sized_table(table, arguments.size)
    public = {name: value for name, value in arguments.values if name in table.public_names()}
    marks = _marks(table, public)
    pool = [tuple(_draw(field, marks, rng) for field in table.row.fields) for _ in range(DIFFERENT)]
    own = [table.own_values(record, public) for record in pool]
    for _ in range(count):
        drawn = rng.multinomial(rows, rng.dirichlet(np.ones(DIFFERENT))).tolist()
        found = []
        for place, aggregate in enumerate(table.aggregates):
            values = [(value, times) for record, times in zip(own, drawn, strict=True) if times and (value := record[place]) is not None]
            match aggregate.how:
                case _ if not values:
                    found.append(aggregate.default or Fraction(0))
                case "sum":
                    found.append(sum((value * times for value, times in values if value), Fraction(0)))
                case how:
                    found.append((max if how == "max" else min)(value for value, _ in values))
        yield tuple(found)


def _marks(table: Table, public: Mapping[str, Fraction | bool]) -> tuple[Fraction, Fraction]:
    """The least and the largest number that the aggregates name: fields without bounds are drawn between them."""
    parts = [part for aggregate in table.aggregates for function in aggregate.functions() for part in parts_of(function)]
    named = [part.value for part in parts if isinstance(part, NumberOf) and not isinstance(part.value, bool)]
    named += [value for value in public.values() if not isinstance(value, bool)]
    low, high = min(named, default=Fraction(0)), max(named, default=Fraction(1))
    return (low, high) if low < high else (low - 1, high + 1)


def _draw(field: Field, marks: tuple[Fraction, Fraction], rng: Generator) -> FieldValue:
    low, high = marks if field.low is None or field.high is None else (field.low, field.high)
    match field.kind:
        case "bool":
            return bool(rng.integers(2))
        case "label":
            return field.labels[int(rng.integers(len(field.labels)))]
        case "int":
            first, last = sorted((math.ceil(low), math.floor(high)))  # on both sides, where no whole number lies between
            if last - first < WIDEST:
                return Fraction(first + int(rng.integers(last - first + 1)))
            return Fraction(first + (last - first) * int(rng.integers(STEPS)) // STEPS)
        case _:
            return low + (high - low) * Fraction(int(rng.integers(STEPS)), STEPS)
