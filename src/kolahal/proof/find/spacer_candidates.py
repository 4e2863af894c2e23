"""Candidates for an invariant from Z3's Spacer, where those of our own templates do not suffice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kolahal.logic.spacer import HornClauses
from kolahal.logic.terms import TRUE, Formula, every, negate, symbols_of
from kolahal.proof.trusted.obligations import Invariant, System
from kolahal.proof.trusted.product import END

STEPS = 3_000_000  # of one question


def spacer_candidates(system: System, known: Invariant, cost: Sequence[Formula]) -> Mapping[int, tuple[Formula, ...]]:
    """Formulas at each loop head that carry all goals and the bounds on the cost, if Spacer finds some.

    What is `known` to hold at a place is given to it, so that it looks for what is missing.
    """
    public = frozenset().union(*map(symbols_of, system.fixed))
    states = {place: (*own, *sorted(public - set(own), key=lambda s: s.name)) for place, own in system.states.items()}
    horn = HornClauses(states)
    for clause in system.clauses:
        held = () if clause.source is None else known.get(clause.source, ())
        premises = (*system.fixed, *held, *clause.premises)
        if clause.target is not None:
            horn.add(clause.source, premises, clause.target, dict(clause.updates))
        if (goal := every(clause.goals)) != TRUE:
            horn.add(clause.source, (*premises, negate(goal)), None, {})
    if END in states and (wanted := every(cost)) != TRUE:
        horn.add(END, (*system.fixed, negate(wanted)), None, {})
    return horn.invariants(STEPS)
