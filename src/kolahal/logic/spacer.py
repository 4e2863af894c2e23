"""Invariants of Horn clauses by Z3's Spacer. Nothing here is trusted: what it finds is one more offer to whoever checks invariants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import z3

from kolahal.logic.linear import LinearForm, number, variable
from kolahal.logic.solver import SORTS, Translator
from kolahal.logic.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    ZERO,
    Formula,
    Sum,
    Symbol,
    Term,
    at_most,
    below,
    choose,
    equal,
    every,
    is_whole,
    negate,
    same_truth,
    some,
    symbols_of,
)

COMPARISONS: dict[int, Callable[[Sum, Sum], Formula]] = {
    z3.Z3_OP_LE: at_most,
    z3.Z3_OP_LT: below,
    z3.Z3_OP_GE: lambda a, b: at_most(b, a),
    z3.Z3_OP_GT: lambda a, b: below(b, a),
}


class _Unread(Exception):
    """Something that is not in our language."""


class HornClauses:
    """Clauses over states at places, of which each has symbols of its own."""

    def __init__(self, states: Mapping[int, Sequence[Symbol]]):
        self.states = states
        self.translator = Translator()
        context = self.translator.context
        self.engine = z3.Fixedpoint(ctx=context)
        self.engine.set(engine="spacer")
        truth = z3.BoolSort(context)
        self.holds = {
            place: z3.Function(f"holds!{place}", *[SORTS[s.sort](context) for s in symbols], truth) for place, symbols in states.items()
        }
        self.wrong = z3.Function("wrong!", truth)
        for relation in (*self.holds.values(), self.wrong):
            self.engine.register_relation(relation)

    def add(self, source: int | None, premises: Iterable[Formula], target: int | None, after: Mapping[Symbol, Term]) -> None:
        """From a state at `source` where `premises` hold, the state `after` is one at `target`; None is the beginning, or a state
        that must not be."""
        premises = tuple(premises)
        before = () if source is None else self.states[source]
        behind = () if target is None else self.states[target]
        used = frozenset(before).union(*map(symbols_of, premises), *(symbols_of(after.get(s, s if s.sort == BOOL else variable(s))) for s in behind))
        held = [self.translator.formula(premise) for premise in premises]
        if source is not None:
            held.append(self.holds[source](*map(self.value, before)))
        head = self.wrong() if target is None else self.holds[target](*(self.value(s, after) for s in behind))
        rule = z3.Implies(z3.And(*held), head) if held else head
        free = [self.value(s) for s in sorted(used, key=lambda s: s.name)]  # what Z3 answers depends on their order
        self.engine.add_rule(z3.ForAll(free, rule) if free else rule)

    def value(self, symbol: Symbol, after: Mapping[Symbol, Term] | None = None) -> Any:
        found = (after or {}).get(symbol, symbol)
        if isinstance(found, LinearForm):
            value = self.translator.form(found, whole := is_whole(found))
            return z3.ToReal(value) if whole and symbol.sort == REAL else value
        return self.translator.unknown(found) if isinstance(found, Symbol) else self.translator.formula(found)

    def invariants(self, steps: int) -> dict[int, tuple[Formula, ...]]:
        """For each place what holds there, if that is enough to show that no wrong state is reached; else nothing."""
        self.engine.set("rlimit", steps)
        try:
            if self.engine.query(self.wrong()) != z3.unsat:
                return {}
            return {place: self.read(place) for place in self.states}
        except z3.Z3Exception:  # a limit, or what it has no means for
            return {}

    def read(self, place: int) -> tuple[Formula, ...]:
        """The parts of an invariant that our language has."""
        found = z3.substitute_vars(self.engine.get_cover_delta(-1, self.holds[place]), *map(self.value, self.states[place]))
        names = {symbol.name: symbol for symbol in self.states[place]}
        parts = []
        for part in found.children() if z3.is_and(found) else [found]:
            try:
                parts.append(_formula(part, names))
            except _Unread:
                continue
        return tuple(part for part in parts if part not in (TRUE, FALSE))


def _formula(term: Any, names: Mapping[str, Symbol]) -> Formula:
    kind, parts = term.decl().kind() if z3.is_app(term) else None, term.children()
    if z3.is_true(term) or z3.is_false(term):
        return TRUE if z3.is_true(term) else FALSE
    if kind in COMPARISONS:
        left, right = (_sum(part, names) for part in parts)
        return COMPARISONS[kind](left, right)
    if z3.is_eq(term) and len(parts) == 2:
        if z3.is_bool(parts[0]):
            return same_truth(_formula(parts[0], names), _formula(parts[1], names))
        return equal(_sum(parts[0], names), _sum(parts[1], names))
    if z3.is_and(term):
        return every(_formula(part, names) for part in parts)
    if z3.is_or(term):
        return some(_formula(part, names) for part in parts)
    if z3.is_not(term):
        return negate(_formula(parts[0], names))
    if z3.is_implies(term):
        return some([negate(_formula(parts[0], names)), _formula(parts[1], names)])
    if z3.is_const(term) and term.decl().name() in names and names[term.decl().name()].sort == BOOL:
        return names[term.decl().name()]
    raise _Unread(str(kind))


def _sum(term: Any, names: Mapping[str, Symbol]) -> Sum:
    kind, parts = term.decl().kind() if z3.is_app(term) else None, term.children()
    if z3.is_int_value(term) or z3.is_rational_value(term):
        return number(term.as_fraction() if z3.is_rational_value(term) else term.as_long())
    if kind == z3.Z3_OP_TO_REAL:
        return _sum(parts[0], names)
    if kind == z3.Z3_OP_ADD:
        return sum((_sum(part, names) for part in parts), ZERO)
    if kind == z3.Z3_OP_SUB:
        first, *others = (_sum(part, names) for part in parts)
        return first - sum(others, ZERO)
    if kind == z3.Z3_OP_UMINUS:
        return -_sum(parts[0], names)
    if kind == z3.Z3_OP_MUL and len(parts) == 2:
        left, right = (_sum(part, names) for part in parts)
        if not left.terms or not right.terms:
            return right.times(left.constant) if not left.terms else left.times(right.constant)
    if kind == z3.Z3_OP_ITE:
        return choose(_formula(parts[0], names), _sum(parts[1], names), _sum(parts[2], names))
    if z3.is_const(term) and term.decl().name() in names and names[term.decl().name()].sort in (INT, REAL):
        return variable(names[term.decl().name()])
    raise _Unread(str(kind))
