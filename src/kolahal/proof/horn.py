"""Z3 for proofs of every length: plain validity queries, the strongest invariant among candidates, and Spacer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from kolahal.proof.obligations import Clause, Invariant, System
from kolahal.proof.terms import (
    BOOL,
    INT,
    Choice,
    Compare,
    Every,
    Formula,
    Neither,
    NotATerm,
    Some,
    Sum,
    Symbol,
    Term,
    Truth,
    every,
    negate,
    parse_formula,
    put_in,
)

SORTS = {"Int": z3.IntSort, "Real": z3.RealSort, "Bool": z3.BoolSort}


def check_script(script: str, steps: int) -> str:
    """What Z3 says to an SMT-LIB script: sat, unsat or unknown; a text that it cannot read is unknown."""
    solver = z3.Solver()
    solver.set("rlimit", steps)
    try:
        solver.from_string(script)
    except z3.Z3Exception:
        return "unknown"
    return str(solver.check())


class Translator:
    """Our formulas as Z3's, each translated once."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}

    def symbol(self, symbol: Symbol) -> Any:
        if symbol not in self.known:
            self.known[symbol] = z3.Const(symbol.name, SORTS[symbol.sort]())
        return self.known[symbol]

    def term(self, term: Term) -> Any:
        return self.sum(term) if isinstance(term, Sum) else self.formula(term)

    def sum(self, term: Sum, whole: bool | None = None) -> Any:
        whole = term.whole if whole is None else whole
        pieces = []
        for atom, factor in term.parts:
            if isinstance(atom, Choice):
                piece = z3.If(self.formula(atom.test), self.sum(atom.then, whole), self.sum(atom.orelse, whole))
            else:
                piece = self.symbol(atom)
                if atom.sort == INT and not whole:
                    piece = z3.ToReal(piece)
            pieces.append(piece if factor == 1 else _number(factor, whole) * piece)
        if term.constant or not pieces:
            pieces.append(_number(term.constant, whole))
        return pieces[0] if len(pieces) == 1 else z3.Sum(pieces)

    def formula(self, formula: Formula) -> Any:
        if isinstance(formula, Symbol):
            return self.symbol(formula)
        if formula not in self.known:
            self.known[formula] = self._formula(formula)
        return self.known[formula]

    def _formula(self, formula: Formula) -> Any:
        match formula:
            case Truth(value):
                return z3.BoolVal(value)
            case Compare(op, term):
                left, zero = self.sum(term), _number(Fraction(0), term.whole)
                return left <= zero if op == "<=" else left < zero if op == "<" else left == zero
            case Every(parts):
                return z3.And([self.formula(part) for part in parts])
            case Some(parts):
                return z3.Or([self.formula(part) for part in parts])
            case Neither(part):
                return z3.Not(self.formula(part))
            case _:
                return self.symbol(formula)


def _number(value: Fraction, whole: bool) -> Any:
    return z3.IntVal(value.numerator) if whole else z3.RealVal(str(value))


# ---------------------------------------------------------------- Houdini


@dataclass(frozen=True, slots=True)
class Weakened:
    """The candidates that survive together, and whether all goals follow from them."""

    invariant: Invariant
    goals_hold: bool
    broken: str  # the first clause whose goals do not follow


def weaken(system: System, candidates: Invariant, steps: int) -> Weakened:
    """The largest inductive subset of the candidates (Houdini), by dropping what a step breaks until none does."""
    translator = Translator()
    left = {loop: list(formulas) for loop, formulas in candidates.items()}
    clauses = [_Step(clause, system, candidates, translator, steps) for clause in system.clauses]
    keepers = [step for step in clauses if step.clause.target is not None]
    changed = True
    while changed:
        changed = False
        for step in keepers:
            target = step.clause.target
            assert target is not None
            while broken := step.broken(left):
                changed = True
                left[target] = [formula for formula in left[target] if formula not in broken]
    failed = next((step.clause.name for step in clauses if not step.goals_hold(left)), "")
    return Weakened({loop: tuple(formulas) for loop, formulas in left.items()}, not failed, failed)


class _Step:
    """One clause with a solver of its own; what is left of the invariant is switched on by assumptions."""

    def __init__(self, clause: Clause, system: System, candidates: Invariant, translator: Translator, steps: int):
        self.clause = clause
        self.solver = z3.SolverFor("QF_LIRA")
        self.solver.set("rlimit", steps)
        self.translator = translator
        for formula in (*system.fixed, *clause.premises):
            self.solver.add(translator.formula(formula))
        self.before: dict[Formula, Any] = {}
        if clause.source is not None:
            for i, formula in enumerate(candidates[clause.source]):
                switch = z3.Bool(f"before!{i}")
                self.solver.add(z3.Implies(switch, translator.formula(formula)))
                self.before[formula] = switch
        self.after: dict[Formula, Any] = {}
        self.alive = True
        if clause.target is not None:
            binding = dict(clause.updates)
            for i, formula in enumerate(candidates[clause.target]):
                violated = z3.Bool(f"after!{i}")
                self.solver.add(z3.Implies(violated, translator.formula(negate(put_in(formula, binding)))))
                self.after[formula] = violated
        self.goal = translator.formula(negate(every(clause.goals)))
        self.possible: bool | None = None

    def assumptions(self, left: Mapping[int, Sequence[Formula]]) -> list[Any]:
        if self.clause.source is None:
            return []
        return [self.before[formula] for formula in left[self.clause.source]]

    def impossible(self, assumed: list[Any]) -> bool:
        """Whether the step cannot happen at all; once a weaker invariant allows it, it stays possible."""
        if self.possible:
            return False
        self.possible = self.solver.check(assumed) != z3.unsat
        return not self.possible

    def broken(self, left: Mapping[int, Sequence[Formula]]) -> set[Formula]:
        """Some of the target's candidates that this step can break; empty if it keeps them all."""
        assert self.clause.target is not None
        assumed = self.assumptions(left)
        if self.impossible(assumed):
            return set()
        remaining = left[self.clause.target]
        self.solver.push()
        self.solver.add(z3.Or([self.after[formula] for formula in remaining]))
        answer = self.solver.check(assumed)
        broken: set[Formula] = set()
        if answer == z3.sat:
            model = self.solver.model()
            binding = dict(self.clause.updates)
            for formula in remaining:
                held = model.eval(self.translator.formula(put_in(formula, binding)), model_completion=True)
                if not z3.is_true(held):
                    broken.add(formula)
        self.solver.pop()
        if answer == z3.unknown:
            return set(remaining)
        return broken

    def goals_hold(self, left: Mapping[int, Sequence[Formula]]) -> bool:
        assumed = self.assumptions(left)
        if self.impossible(assumed):
            return True
        self.solver.push()
        self.solver.add(self.goal)
        answer = self.solver.check(assumed)
        self.solver.pop()
        return bool(answer == z3.unsat)

    def core(self, invariant: Invariant, wrong: Any) -> list[Formula] | None:
        """Formulas at the source from which it follows that `wrong` does not happen; None if it may."""
        if self.solver.check([*self.assumptions(invariant), wrong]) != z3.unsat:
            return None
        names = {str(switch) for switch in self.solver.unsat_core()}
        return [formula for formula, switch in self.before.items() if str(switch) in names]


def prune(system: System, invariant: Invariant, steps: int) -> Invariant:
    """A part of an inductive invariant that is inductive and still carries all goals."""
    translator = Translator()
    all_steps = [_Step(clause, system, invariant, translator, steps) for clause in system.clauses]
    needed: dict[int, dict[Formula, None]] = {loop: {} for loop in invariant}
    todo: list[tuple[int, Formula]] = []

    def need(loop: int | None, formulas: list[Formula] | None) -> None:
        for formula in formulas or ():
            assert loop is not None
            if formula not in needed[loop]:
                needed[loop][formula] = None
                todo.append((loop, formula))

    for step in all_steps:
        step.solver.set("core.minimize", True)
        wrong = z3.Bool("wrong!goal")
        step.solver.add(z3.Implies(wrong, step.goal))
        core = step.core(invariant, wrong)
        if core is None:
            return invariant
        need(step.clause.source, core)
    while todo:
        loop, formula = todo.pop()
        for step in all_steps:
            if step.clause.target == loop:
                core = step.core(invariant, step.after[formula])
                if core is None:
                    return invariant
                need(step.clause.source, core)
    return {loop: tuple(f for f in parts if f in needed[loop]) for loop, parts in invariant.items()}
