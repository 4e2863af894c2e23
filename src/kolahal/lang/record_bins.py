"""As many aggregates as a public argument says: bins of one kind, and how one record moves all of them at once.

At any one number of bins they are aggregates as others are. What holds for every number of them is seen on two bins at
places that are not known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, Move, OneWithin, SumWithin
from kolahal.lang.cells import RecordPieces
from kolahal.lang.record_lists import Rows
from kolahal.lang.record_moves import RECORD_RELATIONS, RecordRelation, Swing
from kolahal.lang.records import ONE, Aggregate, Apply, ArgumentOf, Bins, NumberOf, RecordFunction, Table
from kolahal.lang.record_units import put_arguments

MOST_BINS = 1_000_000  # of a call
GAP = "the gap"  # between two places; no name of a program
Sized: TypeAlias = dict[int, RecordRelation]


def bins_at(bins: Bins, place: RecordFunction, size: RecordFunction) -> Aggregate:
    """The bin at a place, of so many."""
    given = {bins.place: place, bins.size: size}
    test = None if bins.aggregate.test is None else put_arguments(bins.aggregate.test, given)
    return replace(bins.aggregate, item=put_arguments(bins.aggregate.item, given), test=test)


def sized_table(table: Table, size: int) -> Table:
    """The table with so many bins."""
    assert table.bins is not None
    many, places = NumberOf(Fraction(size)), [NumberOf(Fraction(place)) for place in range(size)]
    return replace(table, aggregates=tuple(bins_at(table.bins, place, many) for place in places), bins=None)


@dataclass(frozen=True)
class BinsRelation(RecordRelation):
    """Lists that differ by a few records, as moves of any number of bins. `kind` is the name of the relation."""

    kind: str = ""

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.kind

    @property
    def words(self) -> str:  # type: ignore[override]
        return RECORD_RELATIONS[self.kind].words

    @staticmethod
    def about_bins(declared: RecordRelation, table: Table, public: Sequence[tuple[str, Fraction | bool]]) -> BinsRelation:
        """The relation on any number of bins; raises TooComplex."""
        chosen = BinsRelation(declared.distance, declared.count, table, tuple(public), kind=declared.name)
        steps = [] if chosen.unbounded else [abs(end) for ends in chosen.two.boxes()[0] for end in ends if end]
        return replace(chosen, distance=max(steps, default=Fraction(1)))

    @property
    def _bins(self) -> Bins:
        assert self._table.bins is not None
        return self._table.bins

    @cached_property
    def _sized(self) -> Sized:
        return {}

    def at(self, size: int) -> RecordRelation:
        """The relation on so many bins."""
        if size not in self._sized:
            declared = RECORD_RELATIONS[self.kind].declared(self.count)
            self._sized[size] = declared.about(sized_table(self._table, size), self.public)
        return self._sized[size]

    @cached_property
    def two(self) -> RecordRelation:
        """The relation on two different bins, at any places."""
        first, size = ArgumentOf(self._bins.place), ArgumentOf(self._bins.size)
        second = Apply("+", (Apply("+", (first, ONE)), Apply("abs", (ArgumentOf(GAP),))))
        pair = bins_at(self._bins, first, size), bins_at(self._bins, second, size)
        table = replace(self._table, aggregates=pair, bins=None)
        return RECORD_RELATIONS[self.kind](Fraction(self.count), self.count, table, self.public)

    def enclosing(self) -> Adjacency:
        """A relation on lists of answers of every length that contains this one."""
        two, times = self.two, 1 if self.kind == "add_remove" else 2
        columns = [end for ends in two.boxes()[0] for end in ends]
        most = max(map(abs, columns))
        ends = [end for ends in two.contributions() for end in ends]
        if all(sum(1 for v in zip(*piece.values, strict=True) if any(v)) <= 1 for piece in two.pieces.pieces) and not two.spans:
            total = self.count * times * max(map(abs, ends))
            return OneWithin(total) if self.count == times == 1 else SumWithin(total)
        return Monotone(most) if two.moves_one_way else EachWithin(most)

    # ---- what is the same for every number of bins

    @property
    def pieces(self) -> RecordPieces:
        return self.two.pieces

    @property
    def spans(self) -> dict[int, Swing]:
        return self.two.spans

    @property
    def unbounded(self) -> tuple[int, ...]:
        return self.two.unbounded

    @property
    def moves_one(self) -> bool:
        return self.two.moves_one

    @property
    def moves_one_way(self) -> bool:
        return self.two.moves_one_way

    @property
    def alike(self) -> bool:
        return True

    def show(self, place: int) -> str:
        return f"each of {self._table}"

    # ---- what is asked of a number of them

    def vertices(self, size: int) -> Iterator[Move]:
        return self.at(size).vertices(size)

    def allows(self, move: Sequence[Fraction]) -> bool:
        return self.at(len(move)).allows(move)

    def draw_move(self, size: int, rng: random.Random) -> Move:
        return self.at(size).draw_move(size, rng)

    def realise(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> tuple[Rows, Rows] | None:
        return self.at(len(d1)).realise(d1, d2) if len(d1) == len(d2) else None

    def related(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> bool:
        return len(d1) == len(d2) and self.at(len(d1)).related(d1, d2)

    def compose(self, target: Move) -> Rows | None:
        return self.at(len(target)).compose(target)

    def nearest(self, target: Sequence[Fraction]) -> Move:
        return self.at(len(target)).nearest(target)

    def settle(self, d1: Move, move: Move) -> tuple[Move, Move] | None:
        return self.at(len(d1)).settle(d1, move)
