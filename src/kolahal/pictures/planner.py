"""The data of the budget planner: what errors do when one place of noise gets more of the budget, or all of them more budget."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.accuracy import errors_on, gives_discrete_outputs, lengths_of, typical_inputs
from kolahal.errors import KolahalError
from kolahal.lang.sketch import Completion, Variant
from kolahal.law.shares import SharePlan, plan_of
from kolahal.model import Arguments
from kolahal.pictures.subject import Subject, to_digits

SHARES = tuple(Fraction(n, 20) for n in (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 19))  # that one place takes of what there is
BUDGETS = tuple(Fraction(n, 100) for n in (10, 30, 100, 300, 1000))  # times the usual ε
INPUTS = 3
MOST_HOLES = 3  # that share a budget


def plan_budget(subject: Subject, completion: Completion, arguments: Arguments) -> dict[str, Any] | None:
    """For each place of noise and each share that it may take, the others sharing the rest as before: the error at each ε.

    None where the law leaves no choice, or where it is not one sum.
    """
    sketch, settings = subject.sketch, subject.settings
    plan = _plan(subject, completion)
    if plan is None:
        return None
    lengths = lengths_of(sketch, settings)
    at = replace(arguments, size=lengths[len(lengths) // 2])
    shares = _shares(plan, completion, at, subject)
    ways = [[_moved(shares, place, part) for part in SHARES] for place in range(len(shares))]
    completions = [plan.completion(way, len(sketch.holes)) for moves in ways for way in moves]
    try:
        discrete = gives_discrete_outputs(sketch, arguments, settings)
        inputs = typical_inputs(sketch, at, settings)
        inputs = replace(inputs, cases=inputs.cases[:INPUTS])
        several = [inputs.with_epsilon(at.epsilon * budget) for budget in BUDGETS]
        rows = errors_on(several, discrete, sketch, completions, settings)
    except KolahalError:  # the program may ask more of its arguments than was known here
        return None
    errors = np.array(rows).reshape(len(BUDGETS), len(shares), len(SHARES))
    names = at.quantities(sketch)
    return {
        "law": plan.law,
        "holes": [sketch.holes[hole].label for hole in plan.holes],
        "whole": to_digits([whole.near(names) * float(at.epsilon) for whole in plan.whole]),
        "shares": to_digits([float(share) for share in shares]),
        "budgets": [float(at.epsilon * b) for b in BUDGETS],
        "parts": [float(part) for part in SHARES],
        "errors": [to_digits(errors[:, place, :].tolist()) for place in range(len(shares))],
        "kind": "probability" if discrete else "distance",
        "size": at.size,
    }


def _plan(subject: Subject, completion: Completion) -> SharePlan | None:
    """The plan of the rule that is about the holes with noise: one sum, and nothing given."""
    noisy = tuple(hole for hole, scale in enumerate(completion) if scale)
    if subject.sketch.variant is not Variant.PURE or not 2 <= len(noisy) <= MOST_HOLES:
        return None
    plans = [plan_of(subject.sketch, rule, ()) for rule in subject.rules]
    fits = [plan for plan in plans if plan is not None and plan.holes == noisy]
    return next((plan for plan in fits if len(plan.rows) == 1 and plan.room == (Fraction(1),) and not any(plan.squares)), None)


def _shares(plan: SharePlan, completion: Completion, at: Arguments, subject: Subject) -> tuple[Fraction, ...]:
    """What each scale of a completion takes, as parts of all that is taken."""
    names = at.quantities(subject.sketch)
    taken = [whole.at(names) / completion[hole].at(names) for whole, hole in zip(plan.whole, plan.holes, strict=True)]
    return tuple(part / sum(taken) for part in taken)


def _moved(shares: tuple[Fraction, ...], place: int, part: Fraction) -> tuple[Fraction, ...]:
    """One share as given, and the others in their proportions."""
    rest = 1 - shares[place]
    return tuple(part if i == place else share * (1 - part) / rest for i, share in enumerate(shares))
