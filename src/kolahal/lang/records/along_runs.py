"""Questions that depend on the run, along one run: what each is asked with is known there, so that all of them are fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.records.bins import bins_at
from kolahal.lang.records.moves import RECORD_RELATIONS, RecordRelation
from kolahal.lang.records.public_bounds import put_arguments
from kolahal.lang.records.table import ZERO, Aggregate, NumberOf, Table

Questions: TypeAlias = tuple[tuple[int, tuple[Fraction, ...]], ...]  # the place of each, and what it is asked with
NOTHING = Aggregate("sum", ZERO)  # stands for what is not asked


def read_questions(table: Table, told: Sequence[Fraction | int]) -> Questions:
    """The questions of a run that gave their places and all that they were asked with away, one after another."""
    rest, found = list(told), []
    while rest:
        place, *rest = rest
        many = len(_aggregate_at(table, int(place), 0).run_names())
        found.append((int(place), tuple(map(Fraction, rest[:many]))))
        rest = rest[many:]
    return tuple(found)


def _aggregate_at(table: Table, place: int, size: int) -> Aggregate:
    if table.bins is None:
        return table.aggregates[place]
    return bins_at(table.bins, NumberOf(Fraction(place)), NumberOf(Fraction(size)))


def along(relation: RecordRelation, asked: Questions, size: int) -> RecordRelation:
    """The relation on the answers of runs that ask these questions and no others of their kind; raises TooComplex."""
    table = relation.table
    assert table is not None
    given = dict(asked)
    fixed = []
    for place in range(size):
        aggregate = _aggregate_at(table, place, size)
        names = aggregate.run_names()
        if place in given:
            values = {name: NumberOf(value) for name, value in zip(names, given[place], strict=True)}
            test = None if aggregate.test is None else put_arguments(aggregate.test, values)
            aggregate = replace(aggregate, item=put_arguments(aggregate.item, values), test=test)
        fixed.append(NOTHING if place not in given and (names or table.bins is not None) else aggregate)
    declared = RECORD_RELATIONS[relation.name].declared(relation.count)
    return declared.about(replace(table, aggregates=tuple(fixed), bins=None), relation.public)
