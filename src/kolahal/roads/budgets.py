"""The road of sketches with a budget other than ε: straight from their laws, the same ranking, verdicts by proof."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction

from kolahal.engine.accuracy import describe_errors
from kolahal.inputs.arguments import usual_budget, usual_value
from kolahal.lang.canonical import with_draws
from kolahal.lang.noise import Noise
from kolahal.lang.places import answers_needed
from kolahal.lang.sketch import Completion, Sketch, Variant
from kolahal.law.budget_offers import Offer, find_offers
from kolahal.model import Arguments, Ranked, Selection, Split
from kolahal.proof.judge import Proofs, decide_one, judge_in_turn
from kolahal.results import Judged, Law, Synthesis
from kolahal.roads.watch import Watch
from kolahal.search.ordering import rank_least_noisy
from kolahal.settings import Settings
from kolahal.tester.final import by_standing, finalists_of
from kolahal.verdicts import Proved, Unknown, Verdict

WHOLE, REAL = Fraction(2), Fraction(0)  # usual values of arguments


def straight_from_budget_law(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The completions that a law prices within the budget, the one with the least expected error first, judged.

    Under (ε, δ) with both Gaussian and Laplace noise, the family with less error first.
    """
    found = _straight(sketch, settings, watch)
    other = _other_family(sketch)
    if other is None:
        return found
    rival = _straight(other, settings, watch)
    first, second = sorted((found, rival), key=_standing)
    return replace(first, rival=second if second.best is not None else None)


def _other_family(sketch: Sketch) -> Sketch | None:
    """Laplace for Gaussian noise or the other way round, where (ε, δ) leaves the choice and all noise is of one family."""
    families = {draw.noise for draw in sketch.draws}
    swapped = {Noise.GAUSS: Noise.LAPLACE, Noise.LAPLACE: Noise.GAUSS}
    if sketch.variant is not Variant.APPROXIMATE or len(families) != 1 or not families <= set(swapped):
        return None
    return with_draws(sketch, lambda draw: (swapped[draw.noise], draw.scale))


def _standing(found: Synthesis) -> tuple[int, float]:
    best = found.best
    return (9, 0.0) if best is None else (best.standing(found.settings.ranking.alpha), best.ranked.score.error)


def _straight(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    found = watch("choices", find_offers, sketch, settings.proof)
    offers, reason = ((), found.reason) if isinstance(found, Unknown) else (found, "")
    arguments = watch("arguments", typical_arguments, sketch, settings)
    ranked = watch("ranking", rank_offers, sketch, offers, arguments, settings)
    judged = watch("verdicts", judge_offers, sketch, ranked, settings, watch.executor)
    law = law_of_offers(offers, judged[0].ranked.completion if judged else None)
    accuracy = describe_errors(sketch, arguments, settings) if ranked else None
    none, split = Selection(), Split((arguments,), ())
    return Synthesis(
        sketch, "law", settings, split, none, (), len(offers), none, ranked, judged, law, accuracy, (), reason
    )  # fmt: skip


def typical_arguments(sketch: Sketch, settings: Settings) -> Arguments:
    """Concrete inputs for expected errors: the user's own defaults, or usual values."""
    budget, delta = usual_budget(sketch)
    (size,) = sketch.sizes((max(5, settings.arguments.sizes[0], answers_needed(sketch)),))
    values = tuple((p.name, usual_value(p, WHOLE, REAL)) for p in sketch.arguments)
    return Arguments(budget, size, values, delta, sketch.variant.symbol)


def rank_offers(
    sketch: Sketch, offers: tuple[Offer, ...], arguments: Arguments, settings: Settings
) -> tuple[Ranked, ...]:
    """Smallest expected error first, among the completions with the least noise."""
    return rank_least_noisy(sketch, tuple(offer.completion for offer in offers), (arguments,), settings)


def judge_offers(
    sketch: Sketch, ranked: tuple[Ranked, ...], settings: Settings, executor: Executor | None = None
) -> tuple[Judged, ...]:
    """A verdict for each finalist."""
    jobs = [(sketch, r, settings, None) for r in finalists_of(sketch, ranked, settings)]
    return by_standing(judge_in_turn(jobs, Proofs(), executor), settings)


def law_of_offers(offers: tuple[Offer, ...], completion: Completion | None) -> Law | None:
    """The law of a completion first, the others as alternatives."""
    if not offers:
        return None
    best = completion or offers[0].completion
    ordered = sorted(offers, key=lambda offer: offer.completion != best)
    text, *others = dict.fromkeys(offer.law for offer in ordered)
    return Law(text, ordered[0].sizes, tuple(others))


def quick_pick(sketch: Sketch, settings: Settings, most: int) -> tuple[Law | None, Completion | None, Verdict]:
    """The first completion that is proved among the best few, its law, and the verdict; the family of noise stays."""
    offers = find_offers(sketch, settings.proof)
    if isinstance(offers, Unknown):
        return None, None, offers
    judged: list[Judged] = []
    for ranked in rank_offers(sketch, offers, typical_arguments(sketch, settings), settings)[:most]:
        judged.append(decide_one((sketch, ranked, settings, None)))
        if isinstance(judged[-1].verdict, Proved):
            break
    first = by_standing(judged, settings)[0]
    return law_of_offers(offers, first.ranked.completion), first.ranked.completion, first.verdict
