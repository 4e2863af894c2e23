"""The unknowns of two runs side by side, as types; their names are for the solver and for people only."""

from __future__ import annotations

from typing import TypeAlias

from kolahal.logic.linear import variable
from kolahal.logic.terms import BOOL, INT, REAL, Sum, Symbol, Term, put, symbols_of
from kolahal.nouns import dataclass

LENGTH = Symbol("len(q)", INT)  # of the private answers, the same in both runs
MOVED_AT = Symbol("moved.at", INT)  # the place of the one answer that moves


def ghost_value(which: int) -> Symbol:
    """The final value of a variable that first runs are sorted by."""
    return Symbol("ghost.value" if which == 0 else f"ghost.value.{which}", INT)


def next_ghost_value(which: int) -> Symbol:
    """What it is after the arrival at a loop head where it is renewed."""
    return Symbol(f"ghost.next.{which}", INT)


def moved_by(sort: str) -> Symbol:
    return Symbol("moved.by", sort)


def moved_size(sort: str) -> Symbol:
    return Symbol("moved.size", sort)


def move_of(read: int, sort: str) -> Symbol:
    """By how much the answer of a read moves."""
    return Symbol(f"move.{read}", sort)


def spent_on(monomial: int) -> Symbol:
    """What the draws of one kind of scale have cost so far."""
    return Symbol(f"spent.{monomial}", REAL)


@dataclass(frozen=True, slots=True, eq=False)
class Own(Symbol):
    """A symbol that belongs to one of the two runs: a variable at a loop head, what is read, what is drawn."""

    stem: str
    run: int  # 1 or 2
    part: str

    def in_common(self) -> Symbol:
        """The same for either run."""
        return Symbol(f"{self.stem}@{self.part}", self.sort)


@dataclass(frozen=True, slots=True, eq=False)
class Computed(Own):
    """A product or quotient in one of the runs, of which no more is known than what it is computed from."""

    before: int  # how many draws its path had made by then: it depends on no later one


def own(stem: str, run: int, sort: str, part: str = "") -> Own:
    return Own(f"{stem}@{run}{part}", sort, stem, run, part)


def in_common(term: Sum) -> Sum:
    """A number as it would be written for either run: equal for two runs that compute it alike."""
    binding: dict[Symbol, Term] = {
        symbol: symbol.in_common() if symbol.sort == BOOL else variable(symbol.in_common())
        for symbol in symbols_of(term)
        if isinstance(symbol, Own)
    }
    return put(term, binding)


# ---------------------------------------------------------------- ghosts: what a run carries along, and no program sees


@dataclass(frozen=True, slots=True)
class Turn:
    """How many turns of a loop are over."""

    loop: int

    def __str__(self) -> str:
        return f"turn.{self.loop}"


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the items of a noisy comprehension begin that were not read yet; of one that is read backwards, where they end."""

    view: int

    def __str__(self) -> str:
        return f"cursor.{self.view}"


@dataclass(frozen=True, slots=True)
class Dividend:
    """Of a remainder, when it was last computed; `expression` is its text."""

    expression: str

    def __str__(self) -> str:
        return f"of.{self.expression}"


@dataclass(frozen=True, slots=True)
class Remainder:
    """What it was then."""

    expression: str

    def __str__(self) -> str:
        return f"is.{self.expression}"


Ghost: TypeAlias = Turn | Cursor | Dividend | Remainder


def ghost_symbol(ghost: Ghost, run: int) -> Symbol:
    """Turns and cursors are common to both runs; remainders belong to one."""
    return Symbol(str(ghost), INT) if isinstance(ghost, Turn | Cursor) else own(str(ghost), run, INT)
