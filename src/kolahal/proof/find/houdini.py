"""The strongest invariant among candidates, for proofs of every length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress

from kolahal.logic.solver import UNSAT, Switchboard, Translator
from kolahal.logic.terms import TRUE, Formula, Symbol, every, negate, put_in
from kolahal.proof.trusted.obligations import Clause, Invariant, System


class Inductive:
    """The candidates that every step keeps, found by dropping what a step breaks until none does (Houdini).

    `base` is an earlier search whose candidates are all among these: steps that cannot happen under what it kept are
    not looked at again.
    """

    def __init__(self, system: System, candidates: Invariant, steps: int, base: Inductive | None = None):
        self.left: dict[int, list[Formula]] = {loop: list(dict.fromkeys(own)) for loop, own in candidates.items()}
        self.base = base
        translator = base.translator if base is not None else Translator()
        self.translator: Translator = translator
        idle = base.idle_steps() if base is not None else set()
        clauses = [clause for clause in system.clauses if clause.name not in idle]
        self.all_steps: list[_Step] = [_Step(clause, system, self.left, translator, steps) for clause in clauses]

    def idle_steps(self) -> set[str]:
        """The names of the steps that cannot happen."""
        return {step.clause.name for step in self.all_steps if step.impossible(step.assumptions(self.left))}

    def weaken(self) -> None:
        """Drop candidates until those left are kept by every step."""
        keepers = [step for step in self.all_steps if step.clause.target is not None]
        changed = True
        while changed:
            changed = False
            for step in keepers:
                target = step.clause.target
                assert target is not None
                while broken := step.broken(self.left):
                    changed = True
                    self.left[target] = [formula for formula in self.left[target] if formula not in broken]

    def broken_goal(self) -> str:
        """The name of a step whose goals do not follow; empty if all do."""
        return next((step.clause.name for step in self.all_steps if not step.goals_hold(self.left)), "")

    def prune(self, wanted: Invariant) -> Invariant:
        """A part of what is left that is inductive by itself, carries all goals and contains what is wanted."""
        needed: dict[int, dict[Formula, None]] = {loop: {} for loop in self.left}
        todo: list[tuple[int, Formula]] = []

        def need(loop: int | None, formulas: Sequence[Formula]) -> None:
            for formula in formulas:
                if loop is not None and formula not in needed[loop] and formula != TRUE:
                    needed[loop][formula] = None
                    todo.append((loop, formula))

        for loop, formulas in wanted.items():
            need(loop, formulas)
        for search in (self, *([self.base] if self.base else [])):
            own = {step.clause.name for step in self.all_steps}
            for step in search.all_steps:
                if search is self:
                    need(step.clause.source, step.core(self.left, step.goal_switch))
                elif step.clause.name not in own:
                    need(step.clause.source, step.core(search.left, None))
        while todo:
            loop, formula = todo.pop()
            for step in self.all_steps:
                if step.clause.target == loop:
                    need(step.clause.source, step.core(self.left, step.after[formula]))
        return {loop: tuple(f for f in parts if f in needed[loop]) for loop, parts in self.left.items()}


class _Step:
    """One clause with a solver of its own; what is left of the invariant is switched on by assumptions."""

    def __init__(
        self,
        clause: Clause,
        system: System,
        candidates: Mapping[int, Sequence[Formula]],
        translator: Translator,
        steps: int,
    ):
        self.clause = clause
        self.solver = Switchboard(translator, (*system.fixed, *clause.premises), steps)
        self.before: dict[Formula, Symbol] = {}
        if clause.source is not None:
            for i, formula in enumerate(candidates[clause.source]):
                self.before[formula] = self.solver.assertion(f"before!{i}", formula)
        self.after: dict[Formula, Symbol] = {}
        if clause.target is not None:
            binding = dict(clause.updates)
            for i, formula in enumerate(candidates[clause.target]):
                self.after[formula] = self.solver.denial(f"after!{i}", put_in(formula, binding))
        self.goal_switch = self.solver.assertion("goal!", negate(every(clause.goals)))
        self.possible = False

    def assumptions(self, left: Mapping[int, Sequence[Formula]]) -> list[Symbol]:
        if self.clause.source is None:
            return []
        return [self.before[formula] for formula in left[self.clause.source]]

    def impossible(self, assumed: list[Symbol]) -> bool:
        """Whether the step cannot happen at all; once a weaker invariant allows it, it stays possible."""
        if not self.possible:
            self.possible = self.solver.check(assumed) != UNSAT
        return not self.possible

    def broken(self, left: Mapping[int, Sequence[Formula]]) -> set[Formula]:
        """Some of the target's candidates that this step can break; empty if it keeps them all."""
        assert self.clause.target is not None
        assumed = self.assumptions(left)
        remaining = left[self.clause.target]
        if not remaining or self.impossible(assumed):
            return set()
        return set(compress(remaining, self.solver.broken(assumed, [self.after[f] for f in remaining])))

    def goals_hold(self, left: Mapping[int, Sequence[Formula]]) -> bool:
        return self.solver.check([*self.assumptions(left), self.goal_switch]) == UNSAT

    def core(self, left: Mapping[int, Sequence[Formula]], wrong: Symbol | None) -> list[Formula]:
        """Formulas at the source from which it follows that `wrong` does not happen."""
        assumed = self.assumptions(left)
        if self.solver.check(assumed + ([] if wrong is None else [wrong])) != UNSAT:
            return list(left[self.clause.source]) if self.clause.source is not None else []
        names = self.solver.core()
        return [formula for formula, switch in self.before.items() if switch.name in names]
