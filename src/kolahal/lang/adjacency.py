"""Which databases are neighbours: the relation, its extreme points, and random members of it.

A database is the vector of query answers. A relation is a set of *moves*, the differences d2 − d1 that neighbours
may have; all four sets are unions of polytopes that contain 0. `vertices` lists their corners, except 0 itself.
"""

from __future__ import annotations

import itertools
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from kolahal.errors import UsageError
from kolahal.nouns import dataclass

Move = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Adjacency(ABC):
    """Neighbouring databases have equal length, and a difference that `allows` accepts."""

    distance: Fraction
    name: ClassVar[str]
    words: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "distance", Fraction(self.distance))
        if self.distance <= 0:
            raise UsageError(f"{self.name}({self.distance}): the distance must be above 0")

    @abstractmethod
    def allows(self, move: Sequence[Fraction]) -> bool:
        """Whether neighbours may differ by `move`."""

    @abstractmethod
    def vertices(self, size: int) -> Iterator[Move]:
        """The corners of the set of moves of databases with `size` answers, lazily: there may be 2^(size + 1)."""

    @abstractmethod
    def draw_move(self, size: int, rng: random.Random) -> Move:
        """A random move: half the time a corner, otherwise a point inside."""

    def related(self, d1: Sequence[Fraction], d2: Sequence[Fraction]) -> bool:
        """Whether d1 and d2 are neighbours."""
        return len(d1) == len(d2) and self.allows([b - a for a, b in zip(d1, d2, strict=True)])

    def neighbours(self, database: Sequence[Fraction], rng: random.Random) -> Iterator[Move]:
        """Endless random neighbours of `database`."""
        while True:
            move = self.draw_move(len(database), rng)
            yield tuple(a + b for a, b in zip(database, move, strict=True))

    def describe(self) -> str:
        """The relation in words."""
        return self.words.format(d=self.distance)

    def __str__(self) -> str:
        return f"{self.name}({self.distance})"


def _part(distance: Fraction, rng: random.Random) -> Fraction:
    """A multiple of a sixteenth of `distance` between −distance and distance."""
    return distance * Fraction(rng.randint(-16, 16), 16)


@dataclass(frozen=True, slots=True)
class EachWithin(Adjacency):
    """Every answer moves by at most `distance`: the relation of noisy max, above threshold and sparse vector."""

    name: ClassVar[str] = "each_within"
    words: ClassVar[str] = "every answer may move by at most {d}"

    def allows(self, move: Sequence[Fraction]) -> bool:
        return all(abs(step) <= self.distance for step in move)

    def vertices(self, size: int) -> Iterator[Move]:
        return itertools.product((-self.distance, self.distance), repeat=size)

    def draw_move(self, size: int, rng: random.Random) -> Move:
        if rng.random() < 0.5:
            return tuple(rng.choice((-1, 1)) * self.distance for _ in range(size))
        return tuple(_part(self.distance, rng) for _ in range(size))


def _axes(distance: Fraction, size: int) -> Iterator[Move]:
    if size == 0:
        yield ()
    for place in range(size):
        for sign in (-1, 1):
            yield tuple(sign * distance if i == place else Fraction(0) for i in range(size))


@dataclass(frozen=True, slots=True)
class OneWithin(Adjacency):
    """One answer moves by at most `distance`, the others stay: the relation of sum, histogram and smart sum."""

    name: ClassVar[str] = "one_within"
    words: ClassVar[str] = "one answer may move by at most {d}, the others stay"

    def allows(self, move: Sequence[Fraction]) -> bool:
        return sum(1 for step in move if step) <= 1 and all(abs(step) <= self.distance for step in move)

    def vertices(self, size: int) -> Iterator[Move]:
        return _axes(self.distance, size)

    def draw_move(self, size: int, rng: random.Random) -> Move:
        place = rng.randrange(size) if size else 0
        step = rng.choice((-1, 1)) * self.distance if rng.random() < 0.5 else _part(self.distance, rng)
        return tuple(step if i == place else Fraction(0) for i in range(size))


@dataclass(frozen=True, slots=True)
class SumWithin(Adjacency):
    """All moves together add up to at most `distance` (L1)."""

    name: ClassVar[str] = "sum_within"
    words: ClassVar[str] = "the moves of all answers add up to at most {d}"

    def allows(self, move: Sequence[Fraction]) -> bool:
        return sum(abs(step) for step in move) <= self.distance

    def vertices(self, size: int) -> Iterator[Move]:
        return _axes(self.distance, size)

    def draw_move(self, size: int, rng: random.Random) -> Move:
        move = [Fraction(0)] * size
        parts = 1 if rng.random() < 0.5 else 16
        for _ in range(parts if size else 0):
            move[rng.randrange(size)] += rng.choice((-1, 1)) * self.distance / parts
        return tuple(move)


@dataclass(frozen=True, slots=True)
class Monotone(Adjacency):
    """All answers move the same way, each by at most `distance`."""

    name: ClassVar[str] = "monotone"
    words: ClassVar[str] = "all answers move the same way, each by at most {d}"

    def allows(self, move: Sequence[Fraction]) -> bool:
        one_way = all(step >= 0 for step in move) or all(step <= 0 for step in move)
        return one_way and all(abs(step) <= self.distance for step in move)

    def vertices(self, size: int) -> Iterator[Move]:
        if size == 0:
            yield ()
        for way in (self.distance, -self.distance):
            corners = itertools.product((Fraction(0), way), repeat=size)
            yield from (move for move in corners if any(move))  # 0 lies between two others

    def draw_move(self, size: int, rng: random.Random) -> Move:
        sign = rng.choice((-1, 1))
        if rng.random() < 0.5:
            return tuple(sign * rng.choice((0, 1)) * self.distance for _ in range(size))
        return tuple(sign * abs(_part(self.distance, rng)) for _ in range(size))


RELATIONS: dict[str, type[Adjacency]] = {kind.name: kind for kind in (EachWithin, OneWithin, SumWithin, Monotone)}
