"""Neighbouring lists of records, as moves of their aggregates; and lists of records that have given aggregates.

What one record contributes to the sums of a program is a vector, the same record in every sum. Neighbours differ by a
few such vectors, added, taken away or exchanged. docs/theory-records.md says why the corners below enclose all moves.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from kolahal.errors import UsageError
from kolahal.lang.adjacency import Adjacency, Move
from kolahal.lang.records.cells import RecordPieces, TooComplex, field_values, find_pieces, item_range
from kolahal.lang.records.given_sums import RecordCounts, RecordSearch, nearest_of, nearest_sum
from kolahal.lang.records.public_bounds import Slice, find_slices, put_arguments
from kolahal.lang.records.table import ZERO, Aggregate, ArgumentOf, NumberOf, Record, RecordFunction, RowClass, Table
from kolahal.nouns import dataclass

MOST_RECORDS = 3_000  # that are tried for a refutation
MOST_LISTED = 24  # records that short lists are made of, where an aggregate is a max or min


@dataclass(frozen=True, slots=True)
class Swing:
    """How far a max or min may move, None being without bound; and whether a record that comes only moves it up, or down."""

    size: Fraction | None
    way: int

    def ends(self, sign: int, count: int) -> tuple[Fraction, Fraction]:
        """The extreme moves; of several records, some may come and some go."""
        size = self.size or Fraction(0)
        if not self.way or not sign or count > 1:
            return -size, size
        moved = sign * self.way * size
        return min(moved, Fraction(0)), max(moved, Fraction(0))


@dataclass(frozen=True)
class RecordRelation(Adjacency):
    """Lists that differ by up to `count` records. Without a table it is what a decorator says, and has no moves yet."""

    count: int = 1
    table: Table | None = None
    public: tuple[tuple[str, Fraction | bool], ...] = ()  # at which refutations look at aggregates
    units: tuple[str, ...] = ()  # what each aggregate moves by multiples of, where that is not 1 for all
    slice: Slice | None = field(default=None, compare=False, repr=False)  # where all units are 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.count < 1:
            raise UsageError(f"{self.name}({self.count}): the number of records must be a whole number above 0")

    @classmethod
    def declared(cls, count: int) -> RecordRelation:
        return cls(Fraction(count), count)

    def about(self, table: Table, public: Sequence[tuple[str, Fraction | bool]], real: Collection[str] = ()) -> RecordRelation:
        """The same relation on the aggregates of a table; its distance is the longest step of one of them.

        Where they have no bounds, these may be multiples of public arguments, of which `real` are no whole numbers.
        """
        chosen = replace(self, distance=Fraction(self.count), table=table, public=tuple(public))
        if table.public_names() and not table.depends_on_run:
            chosen = chosen._in_units(real)
        steps = [abs(step) for move in chosen.vertices(len(table.aggregates)) for step in move]
        return replace(chosen, distance=max([step for step in steps if step] or [Fraction(1)]))

    def _in_units(self, real: Collection[str]) -> RecordRelation:
        """The relation with units in which all aggregates have bounds, if there are some and it needs them."""
        with suppress(TooComplex):
            if not self.unbounded:
                return self
        for slice_ in find_slices(self._table, real, signed=self.name == AddRemove.name):
            public = tuple((name, slice_.usual[0].get(name, value)) for name, value in self.public)
            found = replace(self, public=public, units=slice_.units, slice=slice_)
            with suppress(TooComplex):
                if not found.unbounded:
                    return found
        return self

    def usual_at(self) -> Iterator[RecordRelation]:
        """The relation with other public values at which refutations may look at aggregates."""
        for values in self.slice.usual if self.slice is not None else ():
            yield replace(self, public=tuple((name, values.get(name, value)) for name, value in self.public))

    @property
    def factors(self) -> tuple[str, ...]:
        """What scales may be made of besides public arguments."""
        return () if self.slice is None else self.slice.factors

    def at(self, size: int) -> RecordRelation:
        """The relation on so many aggregates, where their number is open."""
        return self

    def unit(self, place: int) -> str:
        """What an aggregate moves by multiples of; nothing where that is 1."""
        return self.units[place] if self.units else ""

    def __str__(self) -> str:
        return f"{self.name}({self.count})"

    def describe(self) -> str:
        return self.words.format(d="one record" if self.count == 1 else f"up to {self.count} records")

    # ---- what one record contributes

    @property
    def _table(self) -> Table:
        assert self.table is not None, "the relation has no aggregates yet"
        return self.table

    @cached_property
    def pieces(self) -> RecordPieces:
        several = enumerate(self._table.aggregates)
        functions = [self._sliced(_apart(i, a, a.contribution)) if a.how == "sum" else ZERO for i, a in several]
        return find_pieces(self._row, functions)

    @property
    def _row(self) -> RowClass:
        return self._table.row if self.slice is None else self.slice.row

    def _sliced(self, item: RecordFunction) -> RecordFunction:
        return item if self.slice is None else self.slice.of(item)

    @cached_property
    def spans(self) -> dict[int, Swing]:
        """How far each max or min may move."""
        found: dict[int, Swing] = {}
        for i, a in enumerate(self._table.aggregates):
            if a.how != "sum":
                test = None if a.test is None else self._sliced(_apart(i, a, a.test))
                known = item_range(self._row, self._sliced(_apart(i, a, a.item)), test)
                assert a.default is not None
                if known is None:
                    found[i] = Swing(None, 0)
                    continue
                # The first record that counts takes the place of the default, which may be on the other side.
                way = int(a.default <= known[0]) if a.how == "max" else -int(a.default >= known[1])
                found[i] = Swing(max(known[1], a.default) - min(known[0], a.default), way)
        return found

    @property
    def unbounded(self) -> tuple[int, ...]:
        """The aggregates that one record may move by any amount."""
        return tuple(sorted({*self.pieces.unbounded, *(i for i, span in self.spans.items() if span.size is None)}))

    @property
    def whole(self) -> bool:
        """Whether aggregates move by finitely many whole steps."""
        steps = (step for corner in self.pieces.corners for step in corner)
        return not self.spans and not self.units and self.pieces.finite and all(step.denominator == 1 for step in steps)

    @property
    def moves_one(self) -> bool:
        """Whether at most one aggregate moves."""
        return False

    @property
    def moves_one_way(self) -> bool:
        """Whether all aggregates move up, or all down."""
        return False

    def contributions(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The least and the most that one record adds to each aggregate."""
        columns = list(zip(*self.pieces.corners, strict=True))
        return tuple(self.spans[i].ends(1, 1) if i in self.spans else (min(c), max(c)) for i, c in enumerate(columns))

    def show(self, place: int) -> str:
        """An aggregate as it is written in a program."""
        return self._table.aggregates[place].over(self._table.rows)

    # ---- moves

    def _ends(self, corner: Move, sign: int) -> Iterator[Move]:
        """A move of the sums with every extreme move of the others; `sign` is 1 if records come, -1 if they go, 0 if both."""
        yield from itertools.product(
            *(self.spans[i].ends(sign, self.count) if i in self.spans else (step,) for i, step in enumerate(corner))
        )

    def vertices(self, size: int) -> Iterator[Move]:
        """The corners of a set that contains all moves, if all aggregates have bounds; otherwise some moves.

        Of the first `size` aggregates, where that is not all.
        """
        assert 0 < size <= len(self._table.aggregates)
        moves = iter(self.library_moves) if self.unbounded else self._corners()
        return (move for move in dict.fromkeys(move[:size] for move in moves) if any(move))

    def _corners(self) -> Iterator[Move]:
        raise NotImplementedError

    def boxes(self) -> list[list[tuple[Fraction, Fraction]]]:
        """Bounds of the moves of each aggregate; the moves of neighbours are in one of these boxes."""
        columns = list(zip(*self._corners(), strict=True))
        return [[(min(column), max(column)) for column in columns]]

    @cached_property
    def alike(self) -> bool:
        """Whether all aggregates move by the same distance."""
        return len({max(map(abs, ends)) for ends in self.boxes()[0]}) == 1

    def finite_moves(self) -> Iterator[Move]:
        """All moves, where there are only so many."""
        assert self.whole
        single = set(self._steps())
        reached = {tuple(Fraction(0) for _ in self._table.aggregates)}
        for _ in range(self.count):
            reached |= {tuple(map(sum, zip(a, b, strict=True))) for a in reached for b in single}  # type: ignore[arg-type]
        yield from sorted(reached)

    def _steps(self) -> Iterator[Move]:
        """The moves by one record, where contributions are finitely many."""
        raise NotImplementedError

    # ---- concrete records

    @cached_property
    def library(self) -> dict[Move, Record]:
        """Contributions of records that are worth trying, and the plainest record of each.

        There are none where these depend on the run.
        """
        if self._table.depends_on_run:
            return {}
        fields, far = self._table.row.fields, bool(self.unbounded)
        given = {n: NumberOf(v) for n, v in self.public if self.slice is not None and isinstance(v, Fraction)}
        others = [put_arguments(a.gated, given) for a in self._table.aggregates if a.how != "sum" or self.slice is not None]
        breaks = [self.pieces.breaks, *(find_pieces(self._table.row, [other]).breaks for other in others)]
        values = [field_values(f, [mark for known in breaks for mark in known.get(f.name, ())], far) for f in fields]
        found: dict[Move, Record] = {}
        for record in itertools.islice(itertools.product(*values), MOST_RECORDS):
            found.setdefault(self._table.contribution(record, dict(self.public)), record)
        return found

    @cached_property
    def library_moves(self) -> tuple[Move, ...]:
        """The moves between lists of records that are known."""
        if self.spans:
            return tuple(dict.fromkeys(difference(*pair) for pair in self._short_pairs))
        return tuple(dict.fromkeys(self._moves_of_records()))

    def _moves_of_records(self) -> Iterator[Move]:
        raise NotImplementedError

    def allows(self, move: Sequence[Fraction]) -> bool:
        return tuple(move) in self._known_moves

    @cached_property
    def _known_moves(self) -> frozenset[Move]:
        return frozenset(self.library_moves)

    def draw_move(self, size: int, rng: random.Random) -> Move:
        moves = self.library_moves
        return moves[rng.randrange(len(moves))] if moves else (Fraction(0),) * size

    def realise(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> tuple[RecordCounts, RecordCounts] | None:
        """Two neighbouring lists of records with these aggregates, if some are found."""
        first, second = tuple(d1), tuple(d2)
        return self._short_pairs.get((first, second)) if self.spans else self._composed_pair(first, second)

    @cached_property
    def _short_pairs(self) -> dict[tuple[Move, Move], tuple[RecordCounts, RecordCounts]]:
        """Neighbouring lists of a few records, by their aggregates."""
        raise NotImplementedError

    def _composed_pair(self, first: Move, second: Move) -> tuple[RecordCounts, RecordCounts] | None:
        raise NotImplementedError

    def related(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> bool:
        return len(d1) == len(d2) == len(self._table.aggregates) and self._realised(tuple(d1), tuple(d2)) is not None

    def admits(self, database: Sequence[Fraction]) -> bool:
        """Whether some list of records is known to have these aggregates."""
        return self.compose(tuple(database)) is not None

    @cached_property
    def _pairs(self) -> dict[tuple[Move, Move], tuple[RecordCounts, RecordCounts] | None]:
        return {}

    def _realised(self, d1: Move, d2: Move) -> tuple[RecordCounts, RecordCounts] | None:
        if (d1, d2) not in self._pairs:
            self._pairs[d1, d2] = self.realise(d1, d2)
        return self._pairs[d1, d2]

    @cached_property
    def _composed(self) -> dict[Move, RecordCounts | None]:
        return {}

    def compose(self, target: Move) -> RecordCounts | None:
        """A list of records with these aggregates, if one is found."""
        if target not in self._composed:
            self._composed[target] = self._short_lists.get(target) if self.spans else RecordSearch(self.library).run(target)
        return self._composed[target]

    @cached_property
    def _short_lists(self) -> dict[Move, RecordCounts]:
        records = list(self.library.values())[:MOST_LISTED]
        found: dict[Move, RecordCounts] = {}
        for size in range(3):
            for rows in itertools.combinations_with_replacement(records, size):
                answers = self._table.answers(rows, dict(self.public))
                found.setdefault(answers, tuple((1, record) for record in rows))
        return found

    @cached_property
    def _near(self) -> dict[Move, Move]:
        return {}

    def nearest(self, target: Move) -> Move:
        """The aggregates of a list of records that are near these."""
        if target not in self._near:
            self._near[target] = nearest_of(self._short_lists, target) if self.spans else nearest_sum(self.library, target)
        return self._near[target]

    def settle(self, d1: Move, move: Move) -> tuple[Move, Move] | None:
        """Neighbours near d1 that differ by `move` and are the aggregates of lists of records."""
        if not self.spans:
            return self._settled(d1, move)
        pairs = [pair for pair in self._short_pairs if difference(*pair) == move]
        return min(pairs, key=lambda p: sum(abs(a - b) for a, b in zip(p[0], d1, strict=True)), default=None)

    def _settled(self, d1: Move, move: Move) -> tuple[Move, Move] | None:
        raise NotImplementedError

    def neighbours(self, database: Sequence[Fraction], rng: random.Random) -> Iterator[Move]:
        base = tuple(database)
        while True:
            found = self.settle(base, self.draw_move(len(base), rng))
            if found is not None and found[0] == base:
                yield found[1]
            else:
                yield base


def _apart(place: int, aggregate: Aggregate, item: RecordFunction) -> RecordFunction:
    """A function whose values of the run are unknowns of its own: another aggregate is read at another time."""
    return put_arguments(item, {name: ArgumentOf(f"{name} at {place}") for name in aggregate.run_names()})


def scaled(factor: int, vector: Move) -> Move:
    """A vector of contributions, so many times."""
    return tuple(factor * step for step in vector)


def vector_sum(left: Move, right: Move) -> Move:
    """Two vectors of contributions together."""
    return tuple(a + b for a, b in zip(left, right, strict=True))


def difference(left: Move, right: Move) -> Move:
    """The move from one vector to another."""
    return tuple(b - a for a, b in zip(left, right, strict=True))


@dataclass(frozen=True)
class AddRemove(RecordRelation):
    """Up to `count` records more or fewer: a person may be in the data or not, and their number is private."""

    name: ClassVar[str] = "add_remove"
    words: ClassVar[str] = "{d} may be added or removed"

    @property
    def moves_one(self) -> bool:
        if self.count > 1 or self.spans:
            return False
        # Between two corners on different axes lie moves of both.
        return all(len({i for values in p.values for i, v in enumerate(values) if v}) <= 1 for p in self.pieces.pieces)

    @property
    def moves_one_way(self) -> bool:
        steps = [[step for values in piece.values for step in values] for piece in self.pieces.pieces]
        return self.count == 1 and not self.spans and all(min(s) >= 0 or max(s) <= 0 for s in steps)

    def _corners(self) -> Iterator[Move]:
        for corner in self.pieces.corners:
            for sign in (1, -1):
                yield from self._ends(scaled(sign * self.count, corner), sign)

    def _steps(self) -> Iterator[Move]:
        return (scaled(sign, corner) for corner in self.pieces.corners for sign in (1, -1))

    def _moves_of_records(self) -> Iterator[Move]:
        found = (scaled(sign * self.count, vector) for vector in self.library for sign in (1, -1))
        return (move for move in found if any(move))

    @cached_property
    def _short_pairs(self) -> dict[tuple[Move, Move], tuple[RecordCounts, RecordCounts]]:
        found: dict[tuple[Move, Move], tuple[RecordCounts, RecordCounts]] = {}
        for answers, rows in list(self._short_lists.items()):
            for record in list(self.library.values())[:MOST_LISTED]:
                more = (*rows, (self.count, record))
                after = self._table.answers([r for n, r in more for _ in range(n)], dict(self.public))
                found.setdefault((answers, after), (rows, more))
                found.setdefault((after, answers), (more, rows))
        return found

    def _composed_pair(self, first: Move, second: Move) -> tuple[RecordCounts, RecordCounts] | None:
        move = difference(first, second)
        found: list[tuple[RecordCounts, RecordCounts]] = []
        for times in range(1, self.count + 1):
            for sign, base in ((1, first), (-1, second)):
                vector = tuple(sign * step / times for step in move)
                rows = self.compose(base) if vector in self.library else None
                if rows is not None:
                    more = (*rows, (times, self.library[vector]))
                    found.append((rows, more) if sign == 1 else (more, rows))
        return min(found, key=lambda pair: sum(n for rows in pair for n, _ in rows), default=None)

    def _settled(self, d1: Move, move: Move) -> tuple[Move, Move] | None:
        if tuple(step / self.count for step in move) in self.library:
            base = self.nearest(d1)
            return base, vector_sum(base, move)
        if tuple(-step / self.count for step in move) not in self.library:
            return None
        base = self.nearest(vector_sum(d1, move))
        return vector_sum(base, scaled(-1, move)), base


@dataclass(frozen=True)
class Replace(RecordRelation):
    """Up to `count` records changed: how many records there are is public."""

    name: ClassVar[str] = "replace"
    words: ClassVar[str] = "{d} may be replaced by others; how many there are is public"

    def _corners(self) -> Iterator[Move]:
        for before, after in itertools.product(self.pieces.corners, repeat=2):
            move = vector_sum(scaled(self.count, after), scaled(-self.count, before))
            yield from self._ends(move, 0)

    def _steps(self) -> Iterator[Move]:
        return (vector_sum(after, scaled(-1, before)) for before, after in itertools.product(self.pieces.corners, repeat=2))

    @cached_property
    def _exchanges(self) -> dict[Move, tuple[Move, Move]]:
        """Moves by one record, with the contributions before and after."""
        found: dict[Move, tuple[Move, Move]] = {}
        vectors = list(self.library)[:200]
        for before, after in itertools.product(vectors, repeat=2):
            if before != after:
                found.setdefault(vector_sum(after, scaled(-1, before)), (before, after))
        return found

    @cached_property
    def _short_pairs(self) -> dict[tuple[Move, Move], tuple[RecordCounts, RecordCounts]]:
        records, public = list(self.library.values())[:MOST_LISTED], dict(self.public)
        found: dict[tuple[Move, Move], tuple[RecordCounts, RecordCounts]] = {}
        for rows in list(self._short_lists.values())[:200]:
            for before, after in itertools.product(records, repeat=2):
                one, two = (*rows, (self.count, before)), (*rows, (self.count, after))
                answers = [self._table.answers([r for n, r in side for _ in range(n)], public) for side in (one, two)]
                found.setdefault((answers[0], answers[1]), (one, two))
        return found

    def _moves_of_records(self) -> Iterator[Move]:
        return (scaled(self.count, move) for move in self._exchanges)

    def _composed_pair(self, first: Move, second: Move) -> tuple[RecordCounts, RecordCounts] | None:
        move = difference(first, second)
        for times in range(1, self.count + 1):
            known = self._exchanges.get(tuple(step / times for step in move))
            if known is not None:
                before, after = known
                rows = self.compose(vector_sum(first, scaled(-times, before)))
                if rows is not None:
                    return (*rows, (times, self.library[before])), (*rows, (times, self.library[after]))
        return None

    def _settled(self, d1: Move, move: Move) -> tuple[Move, Move] | None:
        known = self._exchanges.get(tuple(step / self.count for step in move))
        if known is None:
            return None
        before = scaled(self.count, known[0])
        first = vector_sum(self.nearest(vector_sum(d1, scaled(-1, before))), before)
        return first, vector_sum(first, move)


RECORD_RELATIONS: dict[str, type[RecordRelation]] = {kind.name: kind for kind in (AddRemove, Replace)}


def positive_units(adjacency: Adjacency, named: Sequence[str]) -> tuple[str, ...]:
    """The units that are above 0 wherever a program is called, beside those that it names: moves are known there alone."""
    found = adjacency.slice if isinstance(adjacency, RecordRelation) else None
    return tuple(dict.fromkeys((*named, *(() if found is None else found.above))))
