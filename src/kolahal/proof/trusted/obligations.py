"""What must be valid for a proof, as data: Horn clauses over the states of two runs, and queries as SMT-LIB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kolahal.logic.terms import (
    FALSE,
    Formula,
    Symbol,
    Term,
    every,
    negate,
    print_symbol,
    print_term,
    put_in,
    symbols_of,
)
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Clause:
    """A step of the two runs together: from a state at `source` where `premises` hold, all of `goals` hold, and the
    state after it, given by `updates`, is a state at `target` (None: the runs are over)."""

    name: str
    source: int | None
    premises: tuple[Formula, ...]
    goals: tuple[Formula, ...]
    target: int | None
    updates: tuple[tuple[Symbol, Term], ...]


@dataclass(frozen=True, slots=True)
class System:
    """All steps of the two runs; `states` are the symbols of a state at each loop head, `fixed` hold throughout."""

    fixed: tuple[Formula, ...]
    states: Mapping[int, tuple[Symbol, ...]]
    clauses: tuple[Clause, ...]


Invariant = Mapping[int, tuple[Formula, ...]]  # what holds whenever the runs are at a loop head


@dataclass(frozen=True, slots=True)
class Obligation:
    """`premises` together imply `conclusion`, for all values of all symbols."""

    name: str
    premises: tuple[Formula, ...]
    conclusion: Formula

    def script(self) -> str:
        """An SMT-LIB script whose answer must be `unsat`."""
        asserted = (*self.premises, negate(self.conclusion))
        lines = [f"; {self.name}", "(set-logic ALL)"]
        for symbol in sorted(_all_symbols(asserted), key=lambda s: s.name):
            lines.append(f"(declare-const {print_symbol(symbol.name)} {symbol.sort})")
        lines += [f"(assert {print_term(part)})" for part in asserted]
        return "\n".join([*lines, "(check-sat)", ""])


def _all_symbols(parts: Iterable[Formula]) -> frozenset[Symbol]:
    return frozenset().union(*map(symbols_of, parts))


def obligations(system: System, invariant: Invariant) -> tuple[Obligation, ...]:
    """The invariant holds when a loop head is first reached, every step keeps it, and every goal follows from it.

    A clause from the start of the program is the first kind, one from loop head to loop head the second; goals are
    part of each clause. Clauses whose premises contradict one another on their face are left out.
    """
    result = []
    for clause in system.clauses:
        held = invariant.get(clause.source, ()) if clause.source is not None else ()
        conclusion = list(clause.goals)
        if clause.target is not None:
            binding = dict(clause.updates)
            conclusion += [put_in(part, binding) for part in invariant[clause.target]]
        if FALSE in clause.premises:
            continue
        result.append(Obligation(clause.name, (*system.fixed, *held, *clause.premises), every(conclusion)))
    return tuple(result)
