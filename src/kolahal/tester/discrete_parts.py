"""Answers sorted by their discrete part: length, truth values, None, and numbers that come up again and again."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.noise import Array, IntArray
from kolahal.engine.outputs import BOOLEAN, NUMBER, SCALAR, Mask, Outputs, join
from kolahal.model import AllOf, Anything, Equals, Event, StartsWith, Within
from kolahal.nouns import dataclass

MOST_ATOMS = 64  # more different numbers than this are taken as a continuum
LONGEST_PREFIX = 8
SMALL_TABLE = 1 << 16  # cells: fewer are numbered by counting them all, which is faster than sorting


def pool_answers(first: Outputs, second: Outputs) -> Outputs:
    """The answers of both, d1's first, with no more places than the longest has."""
    pool = join([first, second]) if first.values.shape != second.values.shape else None
    lengths = np.concatenate([first.lengths, second.lengths])
    width = max(1, int(lengths.max()))
    if pool is not None:
        return Outputs(lengths, pool.kinds[:width], pool.values[:width])
    kinds = np.concatenate([first.kinds[:width], second.kinds[:width]], axis=1)
    return Outputs(lengths, kinds, np.concatenate([first.values[:width], second.values[:width]], axis=1))


def sort_answers(first: Outputs, second: Outputs) -> SortedAnswers:
    """The answers of two databases by their discrete part."""
    pool = pool_answers(first, second)
    return SortedAnswers(pool, *_codes(pool))


@dataclass(frozen=True, slots=True)
class SortedAnswers:
    """The answers of both databases, d1's first, sorted by their discrete part."""

    pool: Outputs
    codes: IntArray  # (answers,) the discrete part, as a number from 0
    samples: IntArray  # (codes,) an answer of each
    prefixes: tuple[IntArray, ...]  # by code, the discrete part of the first items of lists, as any whole numbers
    continuous: Mask  # (items, answers): the numbers that are no atoms

    @property
    def count(self) -> int:
        return len(self.samples)

    def example(self, code: int) -> Any:
        """Item values of an answer with this discrete part; `...` for a number of a continuum. A scalar is no tuple."""
        run = int(self.samples[code])
        row = self.pool.row(run)
        items = [
            ... if self.continuous[i, run] else _exact(item)
            for i, item in enumerate(row if isinstance(row, tuple) else (row,))
        ]
        return tuple(items) if isinstance(row, tuple) else items[0]

    def numbers(self, code: int) -> tuple[int, ...]:
        """The places of the numbers of a continuum."""
        row = self.example(code)
        return tuple(i for i, item in enumerate(row if isinstance(row, tuple) else (row,)) if item is ...)

    def whole(self, code: int) -> Event:
        return pattern(self.example(code))

    def prefix(self, cells: IntArray, length: int) -> Callable[[int], Event | None]:
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


def _codes(pool: Outputs) -> tuple[IntArray, IntArray, tuple[IntArray, ...], Mask]:
    width = pool.values.shape[0]
    lists = bool((pool.lengths != SCALAR).any())
    codes = np.zeros(pool.runs, dtype=np.int64)
    if lists:  # an empty list and a scalar, or a list and its item, are not the same answer
        codes += pool.lengths == SCALAR
    bound = 2
    continuous = np.zeros((width, pool.runs), dtype=bool)
    prefixes: list[IntArray] = []
    for place in range(width):
        digit, radix = _sort_items(pool, place, continuous[place])
        if bound * radix > SMALL_TABLE:
            codes, bound = compact(codes)
        codes, bound = codes * radix + digit, bound * radix
        if lists and place < min(LONGEST_PREFIX, width - 1):
            prefixes.append(codes)
    codes, count = compact(codes)
    samples = np.empty(count, dtype=np.int64)
    samples[codes] = np.arange(len(codes))
    return codes, samples, tuple(prefix[samples] for prefix in prefixes), continuous


def _sort_items(pool: Outputs, place: int, continuous: Mask) -> tuple[IntArray, int]:
    """A number for the discrete part of every item at a place, and a bound on it; marks the items of a continuum."""
    kinds, values = pool.kinds[place], pool.values[place]
    # 0 is no item, 1 is None, 2 and 3 are False and True, 4 is a number of a continuum, others are atoms.
    small = kinds * (pool.lengths > place if place else pool.lengths != 0)  # bytes, as long as that is possible
    truth = small == BOOLEAN
    numbers = small == NUMBER
    if truth.any():
        small += truth & (values != 0)
    digit = small.astype(np.int64)
    if not numbers.any():
        return digit, NUMBER + 1
    everywhere = bool(numbers.all())
    found = values if everywhere else values[numbers]
    sorted_in, is_atom = _places(_atoms(found), found)
    digit[numbers] = np.where(is_atom, 5 + sorted_in, 4)
    continuous[numbers] = ~is_atom
    return compact(digit)


def _places(atoms: Array, found: Array) -> tuple[IntArray, Mask]:
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


def compact(codes: IntArray) -> tuple[IntArray, int]:
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

    first: IntArray  # (pairs,) the cell on d1
    second: IntArray
    even: IntArray  # (pairs,) runs
    odd: IntArray

    @property
    def all(self) -> IntArray:
        return self.even + self.odd

    def merged(self, cells: IntArray) -> JointCells:
        """The same runs in other cells, by the cells that they were in."""
        return JointCells(cells[self.first], cells[self.second], self.even, self.odd)


def join_cells(first: IntArray, second: IntArray, count: int) -> JointCells:
    """The joint table of two runs on each noise, as the list of what occurs."""
    pairs, total = compact(first * count + second)
    halves = [np.bincount(pairs[start::2], minlength=total) for start in (0, 1)]
    sample = np.empty(total, dtype=np.int64)
    sample[pairs] = np.arange(len(pairs))
    return JointCells(first[sample], second[sample], halves[0], halves[1])


def tally(cells: IntArray, runs: IntArray, count: int) -> IntArray:
    """How many runs are in each of `count` cells."""
    return np.bincount(cells, weights=runs, minlength=count).astype(np.int64)


def with_parts(example: tuple[Any, ...], parts: dict[int, Within]) -> AllOf:
    """The event that a list has the discrete part of `example`, and these numbers in it lie within bounds."""
    return AllOf(tuple(parts.get(i, Anything() if item is ... else Equals(item)) for i, item in enumerate(example)))
