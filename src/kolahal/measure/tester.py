"""Hypothesis test for a privacy violation: search for a bad example, then test it on noise that nothing has seen.

The road is StatDP's: choose a pair of neighbours and an event on one batch of runs, test them on a fresh one. See
docs/tester.md for what is stronger here, and by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from kolahal.engine.tape import stream
from kolahal.lang.sketch import Sketch
from kolahal.measure.hunt import best_of, enumerate_searches, judge, refine, search
from kolahal.measure.loss import estimate_odds
from kolahal.measure.runs import Candidate, Question, count, spread
from kolahal.measure.statistics import Tally, Thinning, paired_epsilon_lower, paired_p_value
from kolahal.model import Arguments, Scales, Trial
from kolahal.settings import TesterSettings


def test(
    sketch: Sketch,
    scales: Scales,
    arguments: Arguments,
    settings: TesterSettings,
    seed: int,
    executor: Executor | None = None,
) -> Trial:
    """The worst example that was found for `sketch` with `scales` at `arguments`, tested on fresh runs."""
    return answer((Question(sketch, scales, arguments, settings, seed),), executor)


def answer(questions: Sequence[Question], executor: Executor | None = None) -> Trial:
    """The worst example of several questions about one mechanism, tested on fresh runs."""
    settings = questions[0].settings
    searched = spread(search, [part for question in questions for part in enumerate_searches(question)], executor)
    candidates = [candidate for found in searched for candidate in found.candidates]
    refined = spread(refine, best_of(candidates, settings.refined), executor)
    candidates = [candidate for found in refined for candidate in found.candidates] + candidates
    finalists = best_of(candidates, settings.finalists)
    winner = max(spread(judge, finalists, executor), key=lambda candidate: candidate.score)
    tally = count(winner.question, winner.example, "test", settings.test_runs, executor)
    runs = sum(found.runs for found in searched + refined)
    return conclude(winner, tally, runs + 2 * len(finalists) * settings.judge_runs + 2 * tally.runs)


def conclude(winner: Candidate, tally: Tally, runs: int) -> Trial:
    """The p-values and bounds that fresh counts give."""
    question, settings = winner.question, winner.question.settings
    thinning = Thinning(*stream(question.seed, "thinning").random(2))
    epsilon, doubt = float(question.arguments.epsilon), 1 - settings.confidence
    return Trial(
        example=winner.example,
        odds=estimate_odds(tally.hits1, tally.hits2, tally.runs, doubt),
        p_value=paired_p_value(tally, epsilon, thinning),
        curve=tuple((f * epsilon, paired_p_value(tally, f * epsilon, thinning)) for f in settings.test_factors),
        epsilon_lower=paired_epsilon_lower(tally, doubt, thinning),
        confidence=settings.confidence,
        runs=runs,
    )
