"""The ways to synthesize: the paper's, its baselines, and straight from the law."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace
from functools import lru_cache

from kolahal.engine.accuracy import expected_errors
from kolahal.engine.probe import Probe
from kolahal.errors import UsageError
from kolahal.lang.adjacency import Adjacency
from kolahal.lang.plain.convert import Program, read_plain
from kolahal.lang.sketch import Completion, Sketch
from kolahal.law.hole_choices import find_choices, shares_of
from kolahal.law.law import print_rule
from kolahal.law.pricing import Priced, least_completions, tight_completions
from kolahal.model import Example, Ranked, Region, Score, Split
from kolahal.proof.judge import final_test, judge_completion, standing, tested
from kolahal.results import Judged, Law, Synthesis
from kolahal.roads.baselines import LIM, NAIVE, NOOPT, UNLIM, no_examples, whole_space
from kolahal.roads.paper import PAPER, Parts
from kolahal.roads.paper import synthesize as travel
from kolahal.search.completions import scales_at
from kolahal.search.ranking import total_noise
from kolahal.settings import Settings
from kolahal.verdicts import Unknown

MOST_ENUMERATED = 3  # holes with noise up to which the whole grammar is tried at each
FEW = 2  # completions of a sketch with more holes that are judged at a time: one a core


def lawful_completions(sketch: Sketch, regions: tuple[Region, ...], settings: Settings) -> tuple[Completion, ...]:
    """The completions that keep to a law of the holes they use, and of which no scale can be lowered."""
    return tuple(p.completion for p in price_completions(sketch, settings))


@lru_cache(maxsize=16)
def price_completions(sketch: Sketch, settings: Settings) -> tuple[Priced, ...]:
    """For each choice of holes the cheapest completions: of the grammar, or where that has none, shares of ε."""
    choices = find_choices(sketch, settings.proof)
    found: list[Priced] = []
    for choice in () if isinstance(choices, Unknown) else choices:
        priced: tuple[Priced, ...] = ()
        if len(choice.holes) <= MOST_ENUMERATED:
            some = least_completions(sketch, choice.laws, scales_at(choice.holes, sketch, settings))
            priced = tight_completions(sketch, choice.laws, some)
        minimal = [p for p in priced or tight_completions(sketch, choice.laws, shares_of(sketch, choice)) if p.minimal]
        # Fewer holes come first, so what another choice does with less noise is known by now.
        found += [p for p in minimal if not any(_is_below(other, p, sketch) for other in found)]
    return tuple(found)


def _is_below(low: Priced, high: Priced, sketch: Sketch) -> bool:
    """Whether no scale of a completion is ever above that of another."""
    pairs = zip(low.completion, high.completion, strict=True)
    return all(one.compare(other, sketch.epsilon.name) in (-1, 0) for one, other in pairs)


def rank_by_error(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    examples: tuple[Example, ...],
    split: Split,
    probe: Probe,
    settings: Settings,
) -> tuple[Ranked, ...]:
    """Smallest expected error first, among the completions with the least noise; the law gives the loss."""
    if not completions:
        return ()
    noise = total_noise(sketch, completions, split.training + split.testing)
    order = sorted(range(len(completions)), key=lambda i: float(noise[i]))
    short = order[: settings.ranking.measured_per_hole * len(sketch.holes)]
    chosen = tuple(completions[i] for i in short)
    errors = expected_errors(sketch, chosen, split.training[0], settings)
    costs = {p.completion: float(p.worst) for p in price_completions(sketch, settings)}
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


def show_best_law(sketch: Sketch, judged: tuple[Judged, ...], settings: Settings) -> Law | None:
    """The law of the holes that the best completion uses, and those of other choices as alternatives."""
    choices = find_choices(sketch, settings.proof)
    if isinstance(choices, Unknown):
        return None
    best = tuple(i for i, scale in enumerate(judged[0].ranked.completion) if scale) if judged else ()
    ordered = sorted(choices, key=lambda choice: choice.holes != best)
    texts = dict.fromkeys(print_rule(sketch, rule) for choice in ordered for rule in choice.laws.rules)
    return Law(next(iter(texts)), ordered[0].laws.sizes, tuple(texts)[1:])


def judge_lawful(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, executor: Executor | None = None
) -> tuple[Judged, ...]:
    """A verdict for each finalist; the winner is also tested, as a second opinion that shares nothing with the proof."""
    finalists = ranked[: settings.ranking.finalists_per_hole * len(sketch.holes)]
    batch = len(finalists) if len(sketch.holes) <= MOST_ENUMERATED else FEW
    judged: list[Judged] = []
    favourite = finalists[0].completion if finalists else ()
    # The winner is most often the first, so its test can go on beside the proofs.
    early = (
        executor.submit(final_test, sketch, favourite, split.training[0], settings, 0)
        if executor and finalists
        else None
    )
    # With many holes there are many ways to be private, and a proof of one of the best will do.
    while len(judged) < len(finalists) and not _is_enough(judged, settings):
        jobs = [(sketch, r, settings) for r in finalists[len(judged) : len(judged) + batch]]
        judged += executor.map(_prove, jobs) if executor else map(_prove, jobs)
    judged.sort(key=lambda j: standing(j, settings))
    if judged:
        winner = judged[0].ranked.completion
        if early is not None and winner == favourite:
            trial = early.result()
        else:
            trial = final_test(sketch, winner, split.training[0], settings, 0)
        judged[0] = tested(judged[0], trial)
    return tuple(sorted(judged, key=lambda j: standing(j, settings)))


def _is_enough(judged: list[Judged], settings: Settings) -> bool:
    """Whether something is proved for every length, or, after a second look, up to a size."""
    best = min((standing(j, settings) for j in judged), default=2)
    return best == 0 or (best == 1 and len(judged) >= 2 * FEW)


def _prove(job: tuple[Sketch, Ranked, Settings]) -> Judged:
    sketch, ranked, settings = job
    return Judged(ranked, None, judge_completion(sketch, ranked.completion, settings))


LAW = replace(
    PAPER,
    method="law",
    select_examples=no_examples,
    select_tests=no_examples,
    find_regions=whole_space,
    enumerate_completions=lawful_completions,
    rank_completions=rank_by_error,
    judge=judge_lawful,
    find_law=show_best_law,
)
METHODS: dict[str, Parts] = {parts.method: parts for parts in (PAPER, NAIVE, UNLIM, LIM, NOOPT, LAW)}


def synthesize(
    sketch: Sketch, settings: Settings | None = None, method: str = "auto", executor: Executor | None = None
) -> Synthesis:
    """Find noise scales that make `sketch` ε-private and no noisier than they must be, by the method of that name."""
    settings = settings or Settings()
    return travel(sketch, settings, choose_parts(method, sketch, settings).spread_over(executor))


def synthesize_plain(
    program: Program,
    adjacent: Adjacency | str = "each_within(1)",
    private: str | None = None,
    function_name: str | None = None,
    noise: str = "Lap",
    settings: Settings | None = None,
    method: str = "auto",
    executor: Executor | None = None,
) -> Synthesis:
    """Make a program without noise ε-private: find the places for noise, and how much of it.

    `program` is a function, which is read and never called, or a text with one. `private` names its private parameter (the
    first, if nothing is said), `adjacent` says who the neighbours are, and `noise` is Lap or Exp.
    """
    sketch = read_plain(program, function_name, adjacent, private, noise=noise)
    return synthesize(sketch, settings, method, executor)


def choose_parts(method: str, sketch: Sketch, settings: Settings) -> Parts:
    """The parts of a method; `auto` goes straight from the law where the sketch has one, and the paper's way elsewhere.

    With many holes the paper's way has too far to go to be taken unasked.
    """
    if method == "auto":
        return LAW if lawful_completions(sketch, (), settings) or len(sketch.holes) > MOST_ENUMERATED else PAPER
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}: choose auto, {', '.join(METHODS)}")
    return METHODS[method]


def why_nothing(found: Synthesis) -> str:
    """Why the law gave no completion at all, or nothing where it is not the law's fault."""
    if found.method != LAW.method or found.ranked:
        return ""
    choices = find_choices(found.sketch, found.settings.proof)
    return choices.reason if isinstance(choices, Unknown) else "no scale of the grammar keeps to a law of the sketch"
