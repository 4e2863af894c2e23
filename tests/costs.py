"""The privacy cost of a program of one size, straight from its plans: what laws and witnesses are held to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from kolahal.law.cost import ShiftPlan, find_actives, find_plan
from kolahal.law.linear_program import Weights
from kolahal.proof.trusted.passages import Active, SizedProgram
from kolahal.settings import ProofSettings


@dataclass(frozen=True, slots=True)
class Cost:
    """A function of the scales; each plan is an upper bound."""

    plans: tuple[ShiftPlan, ...]
    needed: Active  # sites of which nothing is known while they are switched off

    def at(self, scales: Sequence[Fraction]) -> Fraction | float:
        """The cost where site i has noise of scale `scales[i]`, and 0 is no noise; infinite if no bound is known."""
        if any(not scales[site] for site in self.needed):
            return math.inf
        return min(_at(plan, scales) for plan in self.plans)

    @property
    def reason(self) -> str:
        """Why no plan has a cost, if none has."""
        return self.plans[0].reason if all(plan.reason for plan in self.plans) else ""


def find_cost(case: SizedProgram, settings: ProofSettings) -> Cost:
    """Over all events and moves the worst, over all shifts the best."""
    return Cost(tuple(find_plan(case, active, settings) for active in find_actives(case)), case.paths.almost)


def _at(plan: ShiftPlan, scales: Sequence[Fraction]) -> Fraction | float:
    if plan.reason:
        return math.inf
    fronts = [min((_price(weights, scales) for weights in front), default=math.inf) for front in plan.fronts]
    return max(fronts, default=Fraction(0))


def _price(weights: Weights, scales: Sequence[Fraction]) -> Fraction | float:
    if any(not scales[site] for site, _ in weights):
        return math.inf
    return sum((weight / scales[site] for site, weight in weights), Fraction(0))
