"""Lists of records that have given sums, by search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.adjacency import Move
from kolahal.lang.records.table import Record

MOST_STEPS = 2_000  # of the search for records with given sums
DEEPEST = 12  # different records of a list
RecordCounts: TypeAlias = tuple[tuple[int, Record], ...]  # how often each record is in the list


def fitting_times(gap: Sequence[Fraction], vector: Move) -> int:
    """How often a vector fits into a gap, roughly."""
    sizes = sorted((abs(g / v), g / v) for g, v in zip(gap, vector, strict=True) if v)
    return max(0, round(sizes[0][1])) if sizes else 0


def nearest_of(sums: Iterable[Move], target: Move) -> Move:
    """The sum that is nearest to a target."""
    return min(sums, key=lambda d: sum(abs(a - b) for a, b in zip(d, target, strict=True)))


def nearest_sum(vectors: Iterable[Move], target: Move) -> Move:
    """A sum of vectors that is near a target: whichever vector brings it nearest, as often as it fits, comes next."""
    near = (Fraction(0),) * len(target)
    for _ in range(2 * len(target) + 2):
        gap = tuple(a - b for a, b in zip(target, near, strict=True))
        best = sum(map(abs, gap), Fraction(0))
        step: Move | None = None
        for vector in vectors:
            times = fitting_times(gap, vector)
            rest = sum((abs(g - times * v) for g, v in zip(gap, vector, strict=True)), Fraction(0))
            if times and rest < best:
                best, step = rest, tuple(times * v for v in vector)
        if step is None:
            break
        near = tuple(a + b for a, b in zip(near, step, strict=True))
    return near


class RecordSearch:
    """Records with given sums, by depth-first search; the vectors that leave least are tried first."""

    def __init__(self, library: dict[Move, Record]):
        self.library = {vector: record for vector, record in library.items() if any(vector)}
        self.steps = 0
        columns = list(zip(*self.library, strict=True))
        self.up = [any(v > 0 for v in column) for column in columns]
        self.down = [any(v < 0 for v in column) for column in columns]

    def run(self, target: Move, depth: int = 0) -> RecordCounts | None:
        if not any(target):
            return ()
        if not self.library or depth == DEEPEST or self.steps > MOST_STEPS:
            return None
        if any((t > 0 and not up) or (t < 0 and not down) for t, up, down in zip(target, self.up, self.down, strict=True)):
            return None
        first = next(i for i, t in enumerate(target) if t)
        tries: list[tuple[Fraction, int, Move, Move]] = []
        for vector in self.library:
            if vector[first] * target[first] <= 0:
                continue
            top = int(target[first] / vector[first])
            for times in dict.fromkeys((top, top - 1, 1)):
                if times >= 1:
                    rest = tuple(t - times * v for t, v in zip(target, vector, strict=True))
                    tries.append((sum(map(abs, rest), Fraction(0)), times, vector, rest))
        for _, times, vector, rest in sorted(tries, key=lambda t: t[:2])[:12]:
            self.steps += 1
            others = self.run(rest, depth + 1)
            if others is not None:
                return ((times, self.library[vector]), *others)
        return None
