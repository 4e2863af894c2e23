"""The ways to synthesize: the paper's, its baselines, and straight from the law."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace

from kolahal.baselines import LIM, NAIVE, NOOPT, UNLIM, no_examples, whole_space
from kolahal.errors import UsageError
from kolahal.lang.sketch import Completion, Sketch
from kolahal.measure.accuracy import expected_errors
from kolahal.measure.probe import Probe
from kolahal.model import Example, Judged, Ranked, Region, Score, Split, Synthesis, Unknown
from kolahal.proof.judge import decide, final_test, known_laws, standing
from kolahal.proof.law import tight_completions
from kolahal.search.completions import all_completions
from kolahal.search.ranking import total_noise
from kolahal.settings import Settings
from kolahal.synthesis import PAPER, Parts
from kolahal.synthesis import synthesize as travel


def lawful_completions(sketch: Sketch, regions: tuple[Region, ...], settings: Settings) -> tuple[Completion, ...]:
    """The completions of the grammar that keep to a law of the sketch and of which no scale can be lowered."""
    laws = known_laws(sketch, settings.proof)
    if isinstance(laws, Unknown):
        return ()
    priced = tight_completions(sketch, laws, all_completions(sketch, settings, epsilon_power=-1))
    return tuple(p.completion for p in priced if p.minimal)


def rank_by_error(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    examples: tuple[Example, ...],
    split: Split,
    probe: Probe,
    settings: Settings,
) -> tuple[Ranked, ...]:
    """Smallest expected error first, among the completions with the least noise; the law gives the loss."""
    laws = known_laws(sketch, settings.proof)
    if isinstance(laws, Unknown) or not completions:
        return ()
    noise = total_noise(sketch, completions, split.training + split.testing)
    order = sorted(range(len(completions)), key=lambda i: float(noise[i]))
    short = order[: settings.ranking.measured_per_hole * len(sketch.holes)]
    chosen = tuple(completions[i] for i in short)
    errors = expected_errors(sketch, chosen, split.training[0], settings)
    costs = {p.completion: float(p.worst) for p in tight_completions(sketch, laws, chosen)}
    epsilon = float(split.training[0].epsilon)
    ranked = [
        Ranked(
            completions[i],
            Score(0, abs(1 - costs[completions[i]]), float(noise[i]), error),
            costs[completions[i]] * epsilon,
        )
        for i, error in zip(short, errors, strict=True)
    ]
    # Two digits of a simulated error are what the simulation is sure of; ties go to less noise, then to simpler scales.
    return tuple(sorted(ranked, key=lambda r: (float(f"{r.score.error:.2g}"), round(r.score.noise, 6))))


def judge_lawful(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, executor: Executor | None = None
) -> tuple[Judged, ...]:
    """A verdict for each finalist; the winner is also tested, as a second opinion that shares nothing with the proof."""
    finalists = ranked[: settings.ranking.finalists_per_hole * len(sketch.holes)]
    jobs = [(sketch, r, settings) for r in finalists]
    judged = sorted(executor.map(_prove, jobs) if executor else map(_prove, jobs), key=lambda j: standing(j, settings))
    if judged:
        first = judged[0]
        trial = final_test(sketch, first.ranked.completion, split.training[0], settings, 0)
        judged[0] = replace(first, trial=trial)
    return tuple(sorted(judged, key=lambda j: standing(j, settings)))


def _prove(job: tuple[Sketch, Ranked, Settings]) -> Judged:
    sketch, ranked, settings = job
    return Judged(ranked, None, decide(sketch, ranked.completion, None, settings))


LAW = replace(
    PAPER,
    method="law",
    select_examples=no_examples,
    select_tests=no_examples,
    find_regions=whole_space,
    enumerate_completions=lawful_completions,
    rank_completions=rank_by_error,
    judge=judge_lawful,
)
METHODS: dict[str, Parts] = {parts.method: parts for parts in (PAPER, NAIVE, UNLIM, LIM, NOOPT, LAW)}


def synthesize(
    sketch: Sketch, settings: Settings | None = None, method: str = "auto", executor: Executor | None = None
) -> Synthesis:
    """Find noise scales that make `sketch` ε-private and no noisier than they must be, by the method of that name."""
    settings = settings or Settings()
    return travel(sketch, settings, choose_parts(method, sketch, settings).spread_over(executor))


def choose_parts(method: str, sketch: Sketch, settings: Settings) -> Parts:
    """The parts of a method; `auto` goes straight from the law where the sketch has one, and the paper's way elsewhere."""
    if method == "auto":
        return LAW if lawful_completions(sketch, (), settings) else PAPER
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}: choose auto, {', '.join(METHODS)}")
    return METHODS[method]
