"""Answers sorted by their discrete part: length, truth values, None, and numbers that come up again and again."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kolahal.engine.noise import Array
from kolahal.engine.outputs import BOOLEAN, NUMBER, SCALAR, Mask, Outputs, join
from kolahal.model import AllOf, Anything, Equals, Event, StartsWith, Within
from kolahal.nouns import dataclass

Cells = NDArray[np.int64]

MOST_ATOMS = 64  # more different numbers than this are taken as a continuum
LONGEST_PREFIX = 8


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
    codes: Cells  # (answers,) the discrete part, as a number from 0
    count: int
    prefixes: tuple[Cells, ...]  # the same for the first items of lists, as any whole numbers
    continuous: Mask  # (items, answers): the numbers that are no atoms

    def example(self, code: int) -> Any:
        """Item values of an answer with this discrete part; `...` for a number of a continuum. A scalar is no tuple."""
        return self._row(int(np.argmax(self.codes == code)))

    def _row(self, run: int) -> Any:
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

    def prefix(self, cells: Cells, length: int) -> Callable[[int], Event | None]:
        def event(cell: int) -> Event | None:
            row = self._row(int(np.argmax(cells == cell)))
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


def _codes(pool: Outputs) -> tuple[Cells, int, tuple[Cells, ...], Mask]:
    width = pool.values.shape[0]
    lists = bool((pool.lengths != SCALAR).any())
    codes = np.zeros(pool.runs, dtype=np.int64)
    if lists:  # an empty list and a scalar, or a list and its item, are not the same answer
        codes += pool.lengths == SCALAR
    bound = 2
    continuous = np.zeros((width, pool.runs), dtype=bool)
    prefixes: list[Cells] = []
    for place in range(width):
        digit, continuous[place] = _sort_items(pool, place)
        digit, radix = compact(digit)
        if bound * radix > 1 << 40:
            codes, bound = compact(codes)
        codes, bound = codes * radix + digit, bound * radix
        if lists and place < min(LONGEST_PREFIX, width - 1):
            prefixes.append(codes)
    codes, count = compact(codes)
    return codes, count, tuple(prefixes), continuous


def _sort_items(pool: Outputs, place: int) -> tuple[Cells, Mask]:
    """A number for the discrete part of every item at a place, and which items are of a continuum."""
    present = pool.lengths > place
    if place == 0:
        present |= pool.lengths == SCALAR
    kinds, values = pool.kinds[place], pool.values[place]
    # 0 is no item, 1 is None, 2 and 3 are False and True, 4 is a number of a continuum, others are atoms.
    digit = np.where(present, kinds, 0).astype(np.int64)
    truth = digit == BOOLEAN
    if truth.any():
        digit += truth & (values != 0)
    numbers = present & (kinds == NUMBER)
    if not numbers.any():
        return digit, numbers
    found = values if numbers.all() else values[numbers]
    atoms = _atoms(found)
    sorted_in = np.searchsorted(atoms, found).clip(max=max(0, len(atoms) - 1))
    is_atom = atoms[sorted_in] == found if len(atoms) else np.zeros(len(found), dtype=bool)
    digit[numbers] = np.where(is_atom, 5 + sorted_in, 4)
    continuous = numbers.copy()
    continuous[numbers] = ~is_atom
    return digit, continuous


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


def compact(codes: Cells) -> tuple[Cells, int]:
    """The same classes, numbered 0, 1, … in the order of their codes."""
    bound = int(codes.max(initial=0)) + 1
    if bound <= max(1 << 12, 4 * len(codes)):
        used = np.bincount(codes, minlength=bound) > 0
        count = int(used.sum())
        return (codes, count) if count == bound else ((np.cumsum(used) - 1)[codes], count)
    distinct, inverse = np.unique(codes, return_inverse=True)
    return inverse.astype(np.int64), len(distinct)


def with_parts(example: tuple[Any, ...], parts: dict[int, Within]) -> AllOf:
    """The event that a list has the discrete part of `example`, and these numbers in it lie within bounds."""
    return AllOf(tuple(parts.get(i, Anything() if item is ... else Equals(item)) for i, item in enumerate(example)))
