"""Answers sorted by their discrete part: length, truth values, None, and numbers that come up again and again."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolahal.engine.noise import Array
from kolahal.engine.outputs import BOOLEAN, NUMBER, SCALAR, KindCodes, Mask, Outputs
from kolahal.model import AllOf, Anything, Equals, Event, StartsWith, Within
from kolahal.nouns import dataclass

WholeNumbers = NDArray[Any]  # of as many bytes as they need

MOST_ATOMS = 64  # more different numbers than this are taken as a continuum
LONGEST_PREFIX = 8
SMALL_TABLE = 1 << 16  # cells: fewer are numbered by counting them all, which is faster than sorting


class BothAnswers:
    """The answers of two databases, the first's first. A place of both is put together where it is asked for: whole
    copies of long answers take longer than all that is done with them."""

    def __init__(self, first: Outputs, second: Outputs):
        self.both = first, second
        self.lengths = np.concatenate([first.lengths, second.lengths])
        self.width = max(1, int(self.lengths.max()))  # no more places than the longest has
        self._values: dict[int, Array] = {}

    @property
    def runs(self) -> int:
        return len(self.lengths)

    def kinds(self, place: int) -> KindCodes:
        return np.concatenate([_at(outputs.kinds, place) for outputs in self.both])

    def values(self, place: int) -> Array:
        if place not in self._values:
            self._values[place] = np.concatenate([_at(outputs.values, place) for outputs in self.both])
        return self._values[place]

    def truths(self, place: int) -> Mask:
        """Which values are not 0."""
        return np.concatenate([_at(outputs.values, place) != 0 for outputs in self.both])

    def row(self, run: int) -> Any:
        """The answer of one run as a Python value."""
        first, second = self.both
        return first.row(run) if run < first.runs else second.row(run - first.runs)


def _at(items: NDArray[Any], place: int) -> NDArray[Any]:
    """The items at a place; nothing where no answer is so long."""
    return items[place] if place < len(items) else np.zeros(items.shape[1], dtype=items.dtype)


def sort_answers(first: Outputs, second: Outputs) -> SortedAnswers:
    """The answers of two databases by their discrete part."""
    pool = BothAnswers(first, second)
    return SortedAnswers(pool, *_codes(pool))


@dataclass(frozen=True, slots=True)
class SortedAnswers:
    """The answers of both databases, d1's first, sorted by their discrete part."""

    pool: BothAnswers
    codes: WholeNumbers  # (answers,) the discrete part, as a number from 0
    samples: WholeNumbers  # (codes,) an answer of each
    prefixes: tuple[WholeNumbers, ...]  # by code, the discrete part of the first items of lists, as any whole numbers
    continuous: dict[int, Mask]  # by place, the numbers that are no atoms

    @property
    def count(self) -> int:
        return len(self.samples)

    def example(self, code: int) -> Any:
        """Item values of an answer with this discrete part; `...` for a number of a continuum. A scalar is no tuple."""
        run = int(self.samples[code])
        row = self.pool.row(run)
        items = [
            ... if i in self.continuous and self.continuous[i][run] else _exact(item)
            for i, item in enumerate(row if isinstance(row, tuple) else (row,))
        ]
        return tuple(items) if isinstance(row, tuple) else items[0]

    def numbers(self, code: int) -> tuple[int, ...]:
        """The places of the numbers of a continuum."""
        row = self.example(code)
        return tuple(i for i, item in enumerate(row if isinstance(row, tuple) else (row,)) if item is ...)

    def whole(self, code: int) -> Event:
        return pattern(self.example(code))

    def prefix(self, cells: WholeNumbers, length: int) -> Callable[[int], Event | None]:
        def event(cell: int) -> Event | None:
            row = self.example(int(np.argmax(cells == cell)))
            if not isinstance(row, tuple):
                return pattern(row)
            if ... in row[:length]:
                return None
            return StartsWith(row[:length]) if len(row) >= length else Equals(row)

        return event


def _exact(item: Any) -> Any:
    return Fraction(item) if isinstance(item, float) else item


def pattern(row: Any) -> Event:
    """The event that an answer has this discrete part."""
    if not isinstance(row, tuple):
        return Within(None, None) if row is ... else Equals(row)
    if ... not in row:
        return Equals(row)
    return AllOf(tuple(Within(None, None) if item is ... else Equals(item) for item in row))


def _codes(pool: BothAnswers) -> tuple[WholeNumbers, WholeNumbers, tuple[WholeNumbers, ...], dict[int, Mask]]:
    width = pool.width
    lists = bool((pool.lengths != SCALAR).any())
    lengths = pool.lengths.astype(np.int16) if width < 1 << 15 else pool.lengths
    codes: WholeNumbers = np.zeros(pool.runs, dtype=np.uint16)
    if lists:  # an empty list and a scalar, or a list and its item, are not the same answer
        codes += lengths == SCALAR
    bound = 2
    continuous: dict[int, Mask] = {}
    prefixes: list[WholeNumbers] = []
    for place in range(width):
        digit, radix = _sort_items(pool, place, lengths > place if place else lengths != 0, continuous)
        if bound * radix > SMALL_TABLE:
            codes, bound = compact(codes)
        bound *= radix
        codes = codes.astype(np.uint16 if bound <= SMALL_TABLE else np.int64, copy=False) * radix + digit
        if lists and place < min(LONGEST_PREFIX, width - 1):
            prefixes.append(codes)
    codes, count = compact(codes)
    codes = codes.astype(np.int64)
    samples = np.empty(count, dtype=np.int64)
    samples[codes] = np.arange(len(codes))
    return codes, samples, tuple(prefix[samples] for prefix in prefixes), continuous


def _sort_items(pool: BothAnswers, place: int, there: Mask, continuous: dict[int, Mask]) -> tuple[WholeNumbers, int]:
    """A number for the discrete part of every item at a place, and a bound on it; notes the items of a continuum."""
    # 0 is no item, 1 is None, 2 and 3 are False and True, 4 is a number of a continuum, others are atoms.
    small = pool.kinds(place) * there  # bytes, as long as that is possible
    truth = small == BOOLEAN
    numbers = small == NUMBER
    if truth.any():
        small += truth & pool.truths(place)
    if not numbers.any():
        return small, NUMBER + 1
    everywhere = bool(numbers.all())
    found = pool.values(place) if everywhere else pool.values(place)[numbers]
    sorted_in, is_atom = _places(_atoms(found), found)
    digit = small.astype(np.int64)
    digit[numbers] = np.where(is_atom, 5 + sorted_in, 4)
    if not is_atom.all():
        continuous[place] = np.zeros(pool.runs, dtype=bool)
        continuous[place][numbers] = ~is_atom
    return compact(digit)


def _places(atoms: Array, found: Array) -> tuple[WholeNumbers, Mask]:
    """Where each number stands among the atoms, which ascend, and whether it is one."""
    if not len(atoms):
        return np.zeros(len(found), dtype=np.int64), np.zeros(len(found), dtype=bool)
    if len(atoms) == atoms[-1] - atoms[0] + 1 and (found == np.floor(found)).all():
        place = (found.clip(atoms[0], atoms[-1]) - atoms[0]).astype(np.int64)
    else:
        place = np.searchsorted(atoms, found).clip(max=len(atoms) - 1)
    return place, atoms[place] == found


def _atoms(values: Array) -> Array:
    """The numbers that stand for themselves: all, if they are few, or those that come up again and again."""
    low, high = values.min(), values.max()
    if high - low < MOST_ATOMS and (values == np.floor(values)).all():
        return np.arange(low, high + 1)
    sample = values[:: max(1, len(values) // 512)]
    distinct, counts = np.unique(sample, return_counts=True)
    if len(distinct) <= 0.2 * len(sample):
        distinct = np.unique(values)
        if len(distinct) <= MOST_ATOMS:
            return distinct
        if (distinct == np.floor(distinct)).all():
            return np.zeros(0)
        distinct, counts = np.unique(sample, return_counts=True)
    return distinct[counts >= 0.04 * len(sample)]


def compact(codes: WholeNumbers) -> tuple[WholeNumbers, int]:
    """The same classes, numbered 0, 1, … in the order of their codes."""
    bound = int(codes.max(initial=0)) + 1
    if bound <= max(SMALL_TABLE, 4 * len(codes)):
        used = np.bincount(codes, minlength=bound) > 0
        count = int(used.sum())
        return (codes, count) if count == bound else ((np.cumsum(used) - 1)[codes], count)
    distinct, inverse = np.unique(codes, return_inverse=True)
    return inverse.astype(np.int64), len(distinct)


@dataclass(frozen=True, slots=True)
class JointCells:
    """How many runs end in a cell on d1 and in a cell on d2, by both: the runs of either half, every other one."""

    first: WholeNumbers  # (pairs,) the cell on d1
    second: WholeNumbers
    even: WholeNumbers  # (pairs,) runs
    odd: WholeNumbers

    @property
    def all(self) -> WholeNumbers:
        return self.even + self.odd

    def merged(self, cells: WholeNumbers) -> JointCells:
        """The same runs in other cells, by the cells that they were in."""
        return JointCells(cells[self.first], cells[self.second], self.even, self.odd)


def join_cells(first: WholeNumbers, second: WholeNumbers, count: int) -> JointCells:
    """The joint table of two runs on each noise, as the list of what occurs."""
    pairs, total = compact(first * count + second)
    halves = [np.bincount(pairs[start::2], minlength=total) for start in (0, 1)]
    sample = np.empty(total, dtype=np.int64)
    sample[pairs] = np.arange(len(pairs))
    return JointCells(first[sample], second[sample], halves[0], halves[1])


def tally(cells: WholeNumbers, runs: WholeNumbers, count: int) -> WholeNumbers:
    """How many runs are in each of `count` cells."""
    return np.bincount(cells, weights=runs, minlength=count).astype(np.int64)


def with_parts(example: tuple[Any, ...], parts: dict[int, Within]) -> AllOf:
    """The event that a list has the discrete part of `example`, and these numbers in it lie within bounds."""
    return AllOf(tuple(parts.get(i, Anything() if item is ... else Equals(item)) for i, item in enumerate(example)))
