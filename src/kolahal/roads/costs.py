"""What did it cost? The errors of the best completion and of the next one, for smaller and larger budgets."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from kolahal.engine.accuracy import errors_by_budget
from kolahal.errors import KolahalError
from kolahal.lang.sketch import Mechanism
from kolahal.results import ErrorCost, Synthesis


def with_cost(synthesis: Synthesis) -> Synthesis:
    """The same result with what its best completion costs in errors, where errors were compared."""
    if synthesis.best is None or synthesis.accuracy is None:
        return synthesis
    alive = [j.ranked.completion for j in synthesis.judged if not j.is_rejected(synthesis.settings.ranking.alpha)]
    best = synthesis.best.ranked.completion
    shown = (best, *[completion for completion in alive if completion != best][:1])
    closed = [Mechanism(synthesis.sketch, completion).closed() for completion in shown]
    try:
        each = [
            errors_by_budget(sketch, [m.completion for m in own], synthesis.split.training[0], synthesis.settings)
            for sketch, own in groupby(closed, key=lambda m: m.sketch)
        ]
    except KolahalError:  # the program may ask more of its arguments than was known here
        return synthesis
    length, first = each[0]
    rows = tuple((budget, tuple(error for _, rows in each for error in rows[place][1])) for place, (budget, _) in enumerate(first))
    return replace(synthesis, cost=ErrorCost(synthesis.accuracy.unit, shown, length, rows))
