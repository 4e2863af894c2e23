"""Symbolic values, and the paths of one run between two loop heads, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.ir import Expr
from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale
from kolahal.proof.terms import FALSE, INT, TRUE, Formula, Sum, Symbol, equal, every, same_truth, some


class Unsupported(Exception):
    """The program is outside what proofs for every length cover; the text says why."""


# ---------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Numeric:
    value: Sum


@dataclass(frozen=True, slots=True)
class Logical:
    value: Formula


@dataclass(frozen=True, slots=True)
class Maybe:
    """None where `none` holds, `value` elsewhere."""

    none: Formula
    value: Numeric | Logical


@dataclass(frozen=True, slots=True)
class Answers:
    """The private answers."""


@dataclass(frozen=True, slots=True)
class View:
    """`[item for name in over]`, computed item by item where it is read; `cursor` numbers those that draw noise."""

    item: Expr
    name: str
    over: Vector
    cursor: int | None


@dataclass(frozen=True, slots=True)
class Built:
    """A list that the program made. Its items are alike in both runs, because every change to it is compared."""

    name: str
    length: Sum


@dataclass(frozen=True, slots=True)
class Several:
    """`a, b, …` or `[a, b, …]` as an answer."""

    items: tuple[Scalar, ...]


Scalar: TypeAlias = Numeric | Logical | Maybe
Vector: TypeAlias = Answers | View
Value: TypeAlias = Scalar | Vector | Built
Environment: TypeAlias = dict[str, Value]


def same(left: Value | Several, right: Value | Several) -> Formula:
    """Whether two answers of the two runs are equal; kinds that can never be equal give false."""
    match left, right:
        case Numeric(a), Numeric(b):
            return equal(a, b)
        case Logical(a), Logical(b):
            return same_truth(a, b)
        case (Maybe(), Numeric() | Logical() | Maybe()) | (Numeric() | Logical(), Maybe()):
            first, second = _lift(left), _lift(right)
            alike = some([first.none, same(first.value, second.value)])
            return every([same_truth(first.none, second.none), alike])
        case Several(a), Several(b) if len(a) == len(b):
            return every(same(x, y) for x, y in zip(a, b, strict=True))
        case Built(a, _), Built(b, _) if a == b:
            return TRUE
        case _:
            return FALSE


def _lift(value: Value | Several) -> Maybe:
    if isinstance(value, Maybe):
        return value
    assert isinstance(value, Numeric | Logical)
    return Maybe(FALSE, value)


# ---------------------------------------------------------------- paths


@dataclass(frozen=True, slots=True)
class Read:
    """A place of a list that a path looks at; equal keys in two runs are one place, if their places are equal."""

    key: str
    place: Sum
    symbol: Symbol
    private: bool  # an answer, which may differ between the runs; otherwise an item alike in both


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw: `rest` is the sum it is part of without it and later noise, and `factor` its factor in that sum."""

    site: int
    key: str
    noise: Noise
    scale: Scale
    symbol: Symbol
    place: Sum  # which item of a comprehension it belongs to
    names: Mapping[str, Value]  # the variables at that moment
    turn: Sum  # the place of the answer that was looked at last before it, or the number of the turn
    rest: Sum
    factor: Fraction


@dataclass(frozen=True, slots=True)
class Change:
    """A list of the program begins anew, or gets an item."""

    name: str
    how: str  # new, append, insert
    item: Scalar | None


@dataclass(frozen=True, slots=True)
class Goto:
    loop: int


@dataclass(frozen=True, slots=True)
class Answer:
    value: Value | Several


@dataclass(frozen=True, slots=True)
class Path:
    """One way through a segment: possible where all `conditions` hold, and faulty where one of `faults` does."""

    conditions: tuple[Formula, ...]
    faults: tuple[Formula, ...]
    decisions: Mapping[int, bool]  # by branch
    tests: Mapping[int, Formula]  # what was asked there
    reads: tuple[Read, ...]
    draws: tuple[Drawn, ...]
    changes: tuple[Change, ...]
    end: Goto | Answer
    names: Mapping[str, Value]
    ghosts: Mapping[str, Sum]  # turns, cursors and remainders


@dataclass(frozen=True, slots=True)
class Place:
    """Where segments begin: the start of the program (loop None) or a loop head, with the variables alive there."""

    loop: int | None
    names: tuple[tuple[str, Value], ...]  # with the symbols of the run
    ghosts: tuple[tuple[str, Symbol], ...]


@dataclass(frozen=True, slots=True)
class Run:
    """All segments of one run."""

    which: int
    places: tuple[Place, ...]
    paths: Mapping[int | None, tuple[Path, ...]]

    def place(self, loop: int | None) -> Place:
        return next(place for place in self.places if place.loop == loop)


@dataclass(slots=True)
class Walk:
    """A path under construction."""

    names: Environment
    ghosts: dict[str, Sum]
    conditions: list[Formula] = field(default_factory=list)
    faults: list[Formula] = field(default_factory=list)
    decisions: dict[int, bool] = field(default_factory=dict)
    tests: dict[int, Formula] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    draws: list[Drawn] = field(default_factory=list)
    items: dict[str, Scalar] = field(default_factory=dict)  # view items already computed in this segment
    changes: list[Change] = field(default_factory=list)

    def fork(self) -> Walk:
        return Walk(
            dict(self.names),
            dict(self.ghosts),
            list(self.conditions),
            list(self.faults),
            dict(self.decisions),
            dict(self.tests),
            list(self.reads),
            list(self.draws),
            dict(self.items),
            list(self.changes),
        )

    def path(self, end: Goto | Answer) -> Path:
        return Path(
            tuple(self.conditions),
            tuple(self.faults),
            self.decisions,
            self.tests,
            tuple(self.reads),
            tuple(self.draws),
            tuple(self.changes),
            end,
            self.names,
            self.ghosts,
        )


LENGTH = Symbol("len(q)", INT)
