"""Hypothesis test for a privacy violation: search for a bad example, then test it on noise that nothing has seen.

The road is StatDP's: choose a pair of neighbours and an event on one batch of runs, test them on a fresh one. See
docs/tester.md for what is stronger here, and by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from fractions import Fraction

from kolahal.engine.engines import RUNS_WORTH_COMPILING, choose_engine
from kolahal.engine.tape import stream
from kolahal.errors import UsageError
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.sketch import Sketch
from kolahal.losses import epsilon_lower, estimate_odds
from kolahal.model import Arguments, Example, Scales, Trial, show
from kolahal.settings import TesterSettings
from kolahal.tester.counterexample import describe, frequencies, reproduce
from kolahal.tester.example_search import JUDGE_CAUTION, best_of, enumerate_searches, judge, refine, search
from kolahal.tester.questions import enumerate_questions
from kolahal.tester.runs import Candidate, Question, afford, cost_of_a_run, count, spread
from kolahal.tester.statdp import ChosenExample, choose, enumerate_patterns
from kolahal.tester.statistics import Tally, Thinning, fisher_p_value, paired_epsilon_lower, paired_p_value

__all__ = ["answer", "ask", "describe", "frequencies", "reproduce", "test", "test_example", "test_mechanism"]

NOTHING_TO_SEE = 0.9  # a p-value


def test(
    sketch: Sketch,
    scales: Scales,
    arguments: Arguments,
    settings: TesterSettings,
    seed: int,
    executor: Executor | None = None,
) -> Trial:
    """The worst example that was found for `sketch` with `scales` at `arguments`, tested on fresh runs."""
    return answer((ask(sketch, scales, arguments, settings, seed),), executor)


def ask(sketch: Sketch, scales: Scales, arguments: Arguments, settings: TesterSettings, seed: int) -> Question:
    """A question of those that come by the hundred, about one sketch, so that compiling it pays."""
    engine = choose_engine(sketch, total_runs=RUNS_WORTH_COMPILING).name
    settings = afford(settings, cost_of_a_run(sketch, tuple(scales), arguments))
    sketch.must_be_pure("this test")
    return Question(sketch, scales, arguments, settings, seed, engine)


def test_example(sketch: Sketch, scales: Scales, example: Example, settings: TesterSettings, seed: int) -> Trial:
    """One example, tested on fresh runs; its d1 is the likelier side."""
    question = ask(sketch, scales, example.arguments, settings, seed)
    (tally,) = count(question, [example], "test", question.settings.test_runs)
    return conclude(Candidate(question, example, 0.0), tally, 2 * tally.runs)


def test_mechanism(
    sketch: Sketch, epsilon: Fraction, settings: TesterSettings, seed: int, executor: Executor | None = None
) -> Trial:
    """The worst example for a complete mechanism at a concrete ε; sizes and arguments are chosen here."""
    if sketch.holes:
        raise UsageError(f"{sketch.name} has holes; give their scales to `test`")
    sketch.must_be_pure("this test")
    return answer(enumerate_questions(sketch, epsilon, settings, seed), executor)


# ---------------------------------------------------------------- ours


def answer(questions: Sequence[Question], executor: Executor | None = None) -> Trial:
    """The worst example of several questions about one mechanism, tested on fresh runs."""
    settings = questions[0].settings
    _check_records(questions)
    match settings.method:
        case "paired":
            return _answer_paired(questions, executor)
        case "statdp":
            return _answer_statdp(questions, executor)
        case method:
            raise UsageError(f"there is no test method {method!r}; there are paired and statdp")


def _check_records(questions: Sequence[Question]) -> None:
    """Neighbours are lists of records at one value of each argument that aggregates use."""
    adjacency = questions[0].sketch.adjacency
    for name, value in adjacency.public if isinstance(adjacency, RecordRelation) else ():
        if any(dict(question.arguments.values).get(name) != value for question in questions):
            raise UsageError(f"aggregates of records use {name}, and they are looked at with {name} = {show(value)} alone")


def _answer_paired(questions: Sequence[Question], executor: Executor | None) -> Trial:
    settings = questions[0].settings
    searched = spread(search, [part for question in questions for part in enumerate_searches(question)], executor)
    if not any(found.candidates for found in searched):
        raise UsageError(f"no neighbours of {questions[0].sketch.name} with {questions[0].arguments.size} answers differ: nothing that it computes moves, and it needs no noise")
    early = [candidate for found in searched for candidate in found.candidates]
    appraised = early
    if settings.refined:
        shares = _shares(early, settings.appraised)
        appraised = judge(shares, "appraise", settings.refine_runs, JUDGE_CAUTION, executor)
    refined = spread(refine, _shares(appraised, settings.refined) if settings.refined else (), executor)
    late = [candidate for found in refined for candidate in found.candidates]
    finalists = best_of(late or early, settings.finalists)
    winner = max(judge(finalists, "judge", settings.judge_runs, JUDGE_CAUTION, executor), key=lambda c: c.score)
    tally = _fresh_tally(winner, executor)
    runs = sum(found.runs for found in searched + refined) + 2 * tally.runs
    runs += 2 * len(finalists) * settings.judge_runs
    runs += 2 * len(appraised) * settings.refine_runs if settings.refined else 0
    return conclude(winner, tally, runs)


def _fresh_tally(winner: Candidate, executor: Executor | None) -> Tally:
    """The winner's hits on runs that nothing has seen.

    To end early where there is nothing to see only makes a test that rejects rarer, so that its level holds.
    """
    question, settings = winner.question, winner.question.settings
    if settings.glance_runs:
        (tally,) = count(question, [winner.example], "test", settings.glance_runs, executor)
        if conclude(winner, tally, 0).p_value > NOTHING_TO_SEE:
            return tally
    (tally,) = count(question, [winner.example], "test", settings.test_runs, executor)
    return tally


def _shares(candidates: Sequence[Candidate], most: int) -> tuple[Candidate, ...]:
    """The best candidates, an equal share for each question: what is common at one size is rare at another."""
    sizes = list(dict.fromkeys(candidate.question.arguments for candidate in candidates))
    share = max(1, most // max(1, len(sizes)))
    return tuple(
        chosen
        for arguments in sizes
        for chosen in best_of([c for c in candidates if c.question.arguments == arguments], share)
    )


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


# ---------------------------------------------------------------- StatDP's


def _answer_statdp(questions: Sequence[Question], executor: Executor | None) -> Trial:
    settings, first = questions[0].settings, questions[0]
    patterns = [pattern for question in questions for pattern in enumerate_patterns(question)]
    chosen = spread(choose, patterns, executor)
    epsilon = float(first.arguments.epsilon)
    examples = [_smallest([choices[i] for choices in chosen]) for i in range(len(settings.test_factors))]
    claimed = _smallest([choices[_nearest(settings)] for choices in chosen])
    tallies: dict[Example, Tally] = {}
    for example in [claimed, *examples]:
        if example not in tallies:
            question = next(q for q in questions if q.arguments == example.arguments)
            (tallies[example],) = count(question, [example], "test", settings.test_runs, executor, independent=True)
    thinning = Thinning(*stream(first.seed, "thinning").random(2))
    tally = tallies[claimed]
    odds = estimate_odds(tally.hits1, tally.hits2, tally.runs, 1 - settings.confidence)
    return Trial(
        example=claimed,
        odds=odds,
        p_value=fisher_p_value(tally, epsilon, thinning),
        curve=tuple(
            (factor * epsilon, fisher_p_value(tallies[example], factor * epsilon, thinning))
            for factor, example in zip(settings.test_factors, examples, strict=True)
        ),
        epsilon_lower=epsilon_lower(odds),
        confidence=settings.confidence,
        runs=2 * len(patterns) * settings.select_runs + 2 * len(tallies) * settings.test_runs,
    )


def _smallest(choices: Sequence[ChosenExample | None]) -> Example:
    found = [choice for choice in choices if choice is not None]
    if not found:
        raise UsageError("no event is common enough for StatDP's method; raise select_runs")
    return min(found, key=lambda choice: choice.key).example


def _nearest(settings: TesterSettings) -> int:
    """Which test ε is the claimed one."""
    return min(range(len(settings.test_factors)), key=lambda i: abs(settings.test_factors[i] - 1))
