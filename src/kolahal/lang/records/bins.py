"""As many aggregates as a public argument says: bins of one kind, and how one record moves all of them at once.

At any one number of bins they are aggregates as others are. What holds for every number of them is seen on two bins at
places that are not known.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from kolahal.errors import UsageError
from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, Move, OneWithin, SumWithin
from kolahal.lang.records.cells import RecordPieces
from kolahal.lang.records.given_sums import RecordCounts
from kolahal.lang.records.moves import RECORD_RELATIONS, RecordRelation, Swing
from kolahal.lang.records.public_bounds import put_arguments
from kolahal.lang.records.table import ONE, Aggregate, Apply, ArgumentOf, Bins, NumberOf, RecordFunction, Table
from kolahal.nouns import dataclass

MOST_BINS = 1_000_000  # of a call
GAP = "the gap"  # between two places; no name of a program
Sized: TypeAlias = dict[int, RecordRelation]


def bins_at(bins: Bins, place: RecordFunction, size: RecordFunction) -> Aggregate:
    """The bin at a place, of so many."""
    given = {bins.place: place, bins.size: size}
    test = None if bins.aggregate.test is None else put_arguments(bins.aggregate.test, given)
    return replace(bins.aggregate, item=put_arguments(bins.aggregate.item, given), test=test)


def read_count(name: str, value: object) -> int:
    """The number of bins of a call."""
    if not isinstance(value, int) or not 1 <= value <= MOST_BINS:
        raise UsageError(f"{name} must be a whole number from 1 to {MOST_BINS}, not {value}")
    return value


def sized_table(table: Table, size: int) -> Table:
    """The table with so many bins; those that depend on the run have no value before it."""
    assert table.bins is not None
    if table.depends_on_run:
        return table
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
        kind = RunBins if table.depends_on_run else BinsRelation
        chosen = kind(declared.distance, declared.count, table, tuple(public), kind=declared.name)
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
        own = self._bins.size
        first, size = ArgumentOf(self._bins.place), NumberOf(Fraction(own)) if own.isdigit() else ArgumentOf(own)
        second = Apply("+", (Apply("+", (first, ONE)), Apply("abs", (ArgumentOf(GAP),))))
        pair = bins_at(self._bins, first, size), bins_at(self._bins, second, size)
        table = replace(self._table, aggregates=pair, bins=None)
        return RECORD_RELATIONS[self.kind](Fraction(self.count), self.count, table, self.public)

    @cached_property
    def wide(self) -> Adjacency:
        """The relation on answers that contains it."""
        return self.enclosing()

    def enclosing(self) -> Adjacency:
        """A relation on lists of answers of every length that contains this one."""
        two, times = self.two, 1 if self.kind == "add_remove" else 2
        columns = [end for ends in two.boxes()[0] for end in ends]
        most = max(map(abs, columns)) or ONE.value  # a relation has a distance, also where nothing moves
        ends = [end for ends in two.contributions() for end in ends]
        if all(sum(1 for v in zip(*piece.values, strict=True) if any(v)) <= 1 for piece in two.pieces.pieces) and not two.spans:
            total = self.count * times * max(map(abs, ends)) or ONE.value
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
        each = self._bins.aggregate.over(self._table.rows) if self._table.depends_on_run else str(self._table)
        return f"each {each}" if self._table.depends_on_run else f"each of {each}"

    # ---- what is asked of a number of them

    def vertices(self, size: int) -> Iterator[Move]:
        return self.at(size).vertices(size)

    def allows(self, move: Sequence[Fraction]) -> bool:
        return self.at(len(move)).allows(move)

    def draw_move(self, size: int, rng: random.Random) -> Move:
        return self.at(size).draw_move(size, rng)

    def realise(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> tuple[RecordCounts, RecordCounts] | None:
        return self.at(len(d1)).realise(d1, d2) if len(d1) == len(d2) else None

    def related(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> bool:
        return len(d1) == len(d2) and self.at(len(d1)).related(d1, d2)

    def compose(self, target: Move) -> RecordCounts | None:
        return self.at(len(target)).compose(target)

    def nearest(self, target: Move) -> Move:
        return self.at(len(target)).nearest(target)

    def settle(self, d1: Move, move: Move) -> tuple[Move, Move] | None:
        return self.at(len(d1)).settle(d1, move)


@dataclass(frozen=True)
class RunBins(BinsRelation):
    """Aggregates that are read in the turns of a loop and depend on the run: each is another function of the records.

    Nothing but the distance and the way of their moves is known; `record_runs.along` knows more of one run.
    """

    size: int = 1

    def at(self, size: int) -> RecordRelation:
        return replace(self, size=size)

    @property
    def whole(self) -> bool:
        return False

    @property
    def library_moves(self) -> tuple[Move, ...]:
        return ()

    def vertices(self, size: int) -> Iterator[Move]:
        return self.wide.vertices(size)

    def boxes(self) -> list[list[tuple[Fraction, Fraction]]]:
        reach, none = self.wide.distance, Fraction(0)
        ways = [(none, reach), (-reach, none)] if isinstance(self.wide, Monotone) else [(-reach, reach)]
        return [[way] * self.size for way in ways]

    def allows(self, move: Sequence[Fraction]) -> bool:
        return not any(move)

    def draw_move(self, size: int, rng: random.Random) -> Move:
        return (Fraction(0),) * size

    def realise(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> tuple[RecordCounts, RecordCounts] | None:
        return None

    def related(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> bool:
        return False

    def compose(self, target: Move) -> RecordCounts | None:
        return None

    def nearest(self, target: Move) -> Move:
        return tuple(target)

    def settle(self, d1: Move, move: Move) -> tuple[Move, Move] | None:
        return None
