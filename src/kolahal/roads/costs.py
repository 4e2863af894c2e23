"""What did it cost? The errors of the best completion and of the next one, for smaller and larger budgets."""

from __future__ import annotations

from dataclasses import replace

from kolahal.engine.accuracy import errors_by_budget
from kolahal.errors import KolahalError
from kolahal.results import ErrorCost, Synthesis


def with_cost(synthesis: Synthesis) -> Synthesis:
    """The same result with what its best completion costs in errors, where errors were compared."""
    if synthesis.best is None or synthesis.accuracy is None:
        return synthesis
    alive = [j.ranked.completion for j in synthesis.judged if not j.is_rejected(synthesis.settings.ranking.alpha)]
    best = synthesis.best.ranked.completion
    shown = (best, *[completion for completion in alive if completion != best][:1])
    try:
        found = errors_by_budget(synthesis.sketch, shown, synthesis.split.training[0], synthesis.settings)
    except KolahalError:  # the program may ask more of its arguments than was known here
        return synthesis
    return replace(synthesis, cost=ErrorCost(synthesis.accuracy.unit, shown, *found))
