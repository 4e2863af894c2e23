"""The unknowns of a symbolic run. They are tuples because forms hash and compare them all the time; `kind` keeps
different ones apart."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from kolahal.logic.linear import Inequality, LinearForm


class AnswerAt(NamedTuple):
    """The private answer at a place."""

    place: int
    kind: str = "answer"

    def __str__(self) -> str:
        return f"q[{self.place}]"


class MoveAt(NamedTuple):
    """How far the private answer at a place moves between two neighbours."""

    place: int
    kind: str = "change"

    def __str__(self) -> str:
        return f"d[{self.place}]"


class Argument(NamedTuple):
    """A real public argument, or ε."""

    name: str
    kind: str = "argument"

    def __str__(self) -> str:
        return self.name


class NoiseAt(NamedTuple):
    """The noise at an address: a site and the turns of all loops around it."""

    site: int
    turns: tuple[int, ...]
    kind: str = "drawn"

    def __str__(self) -> str:
        return f"noise{self.site + 1}" + "".join(f".{turn}" for turn in self.turns)


class Public(NamedTuple):
    """A product or quotient of public quantities: unknown, but the same on every database."""

    op: str
    left: Affine
    right: Affine
    kind: str = "public"

    def __str__(self) -> str:
        return f"({self.left}) {self.op} ({self.right})"


class Held(NamedTuple):
    """The value of a variable, where states in which it differs go on as one."""

    name: str
    kind: str = "held"

    def __str__(self) -> str:
        return self.name


Indeterminate: TypeAlias = AnswerAt | MoveAt | Argument | NoiseAt | Public | Held
Affine: TypeAlias = LinearForm[Indeterminate]
Atom: TypeAlias = Inequality[Indeterminate]
Atoms: TypeAlias = tuple[Atom, ...]
