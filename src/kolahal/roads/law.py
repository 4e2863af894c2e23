"""The default road: straight from the law, which says what every completion costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

from kolahal.engine.accuracy import describe_errors
from kolahal.lang.sketch import Sketch
from kolahal.law.hole_choices import HoleChoice, find_choices, is_uneven, law_of_choices, noisy_holes, shares_of
from kolahal.law.pricing import least_completions, price_proved, tight_completions
from kolahal.model import Ranked, Selection, Split
from kolahal.proof.judge import Proofs, decide_one, judge_in_turn, tested
from kolahal.results import Judged, Priced, Synthesis
from kolahal.roads.hopeless import WHY, is_impossible, refute_all
from kolahal.roads.law_of_proof import find_law_of_proof
from kolahal.roads.loosening import loosen
from kolahal.roads.narrowing import COEFFICIENTS, law_of_narrow, narrow
from kolahal.roads.watch import Watch
from kolahal.search.arguments import fix_arguments
from kolahal.search.completions import scales_at
from kolahal.search.ordering import rank_least_noisy
from kolahal.settings import Settings, with_changes
from kolahal.tester.final import by_standing, final_test, finalists_of
from kolahal.verdicts import Proved, Refuted, Unknown

MOST_ENUMERATED = 3  # holes with noise up to which the whole grammar is tried at each
WIDER: Mapping[str, Any] = {"coefficients": COEFFICIENTS, "length_powers": (0,)}  # for machines
FEW = 2  # completions of a sketch with more holes that are judged at a time: one a core

Road = Callable[[Sketch, Settings, Watch], Synthesis]


def straight_from_law(sketch: Sketch, settings: Settings, watch: Watch, otherwise: Road | None = None) -> Synthesis:
    """The completions that keep to a law of the holes they use, and of which no scale can be lowered, judged.

    Where there is none, the road goes on as `otherwise` does; with many holes that has too far to go to be taken unasked.
    """
    hopeless = watch("unbounded", refute_all, sketch, settings, at_once=True)
    found = Unknown(WHY) if hopeless else watch("choices", find_choices, sketch, settings.proof)
    choices, reason = ((), found.reason) if isinstance(found, Unknown) else (found, "")
    grows = all(rule.grows(sketch.length_name) for choice in choices for rule in choice.laws.rules)
    read_off = watch("proved law", find_law_of_proof, sketch, settings) if grows else ()
    choices, grammar = read_off or choices, with_changes(settings, "grammar", **WIDER) if read_off else settings
    priced = watch("completions", price_completions, sketch, choices, grammar)
    hopeless = hopeless or (() if priced else watch("unbounded", refute_all, sketch, settings))
    if not priced and not hopeless and otherwise is not None and len(sketch.holes) <= MOST_ENUMERATED:
        return otherwise(sketch, settings, watch)
    split = watch("arguments", fix_arguments, sketch, settings)
    ranked = watch("ranking", rank_by_error, sketch, priced, split, settings)
    judged = watch("verdicts", judge_lawful, sketch, ranked, split, settings, watch.executor, bool(read_off))
    wider = watch("more noise", loosen, sketch, judged, settings)
    if wider is not None:
        more = tuple(p for choice in choices for p in tight_completions(sketch, choice.laws, (wider,)))[:1]
        more = more or (price_proved(sketch, choices[0].laws, wider),)
        added = rank_by_error(sketch, more, split, settings)
        priced, ranked = (*priced, *more), (*ranked, *added)
        judged = by_standing((*judged, *(decide_one((sketch, r, settings, None)) for r in added)), settings)
    ranked, judged = (*ranked, *(j.ranked for j in hopeless)), (*judged, *hopeless)
    law = law_of_choices(sketch, choices, judged[0].ranked.completion if judged else None)
    less = None if read_off else watch("less noise", narrow, sketch, judged, priced, settings)
    if less is not None:
        priced = (*priced, less)
        ranked, judged = _with_narrower(sketch, priced, judged, split, settings)
        law = law_of_narrow(sketch, less) if judged[0].ranked.completion == less.completion else law
    accuracy = describe_errors(sketch, split.training[0], settings) if priced else None
    why = "" if ranked else reason or "no scale of the grammar keeps to a law of the sketch"
    why = next((WHY for j in hopeless if is_impossible(j.verdict)), why)
    none, count = Selection(), len(priced)
    return Synthesis(
        sketch, "law", settings, split, none, (), count, none, ranked, judged, law, accuracy, priced, why
    )  # fmt: skip


def _with_narrower(
    sketch: Sketch, priced: tuple[Priced, ...], judged: tuple[Judged, ...], split: Split, settings: Settings
) -> tuple[tuple[Ranked, ...], tuple[Judged, ...]]:
    """The ranking anew, and the verdicts with that of the last of the completions, which has less noise than a law asks for."""
    ranked = rank_by_error(sketch, priced, split, settings)
    known = {j.ranked.completion: j for j in judged}
    shown = [r for r in ranked if r.completion in known or r.completion == priced[-1].completion]
    found = [replace(known[r.completion], ranked=r) if r.completion in known else decide_one((sketch, r, settings, None)) for r in shown]
    return ranked, by_standing(found, settings)


def price_completions(sketch: Sketch, choices: tuple[HoleChoice, ...], settings: Settings) -> tuple[Priced, ...]:
    """For each choice of holes the cheapest completions: of the grammar, and where that is not enough, shares of ε."""
    found: list[Priced] = []
    for choice in choices:
        priced: tuple[Priced, ...] = ()
        if len(choice.holes) <= MOST_ENUMERATED:
            some = least_completions(sketch, choice.laws, scales_at(choice.holes, sketch, with_powers_of(choice, sketch, settings)))
            priced = tight_completions(sketch, choice.laws, some)
        # Sums move by any amount, and the grammar may have nothing near it, or few ways to share.
        if all(p.worst < 1 for p in priced) or is_uneven(choice, max(settings.grammar.coefficients)):
            more = dict.fromkeys((*(p.completion for p in priced), *shares_of(sketch, choice)))
            priced = tight_completions(sketch, choice.laws, more)
        minimal = [p for p in priced if p.minimal]
        # Fewer holes come first, so what another choice does with less noise is known by now.
        found += [p for p in minimal if not any(_is_below(other, p, sketch) for other in found)]
    return tuple(found)


def with_powers_of(choice: HoleChoice, sketch: Sketch, settings: Settings) -> Settings:
    """The settings with a grammar that has scales that shrink, as far as the weights of the laws do."""
    lowest: dict[str, int] = {}
    for name, power in (factor for rule in choice.laws.rules for factor in rule.powers()):
        lowest[name] = min(lowest.get(name, 0), power)
    length = range(lowest.pop(sketch.length_name, 0), 0)
    argument = range(min(lowest.values(), default=0), 0)
    if not length and not argument:
        return settings
    grammar = settings.grammar
    return with_changes(
        settings, "grammar", length_powers=(*length, *grammar.length_powers), argument_powers=(*argument, *grammar.argument_powers)
    )


def _is_below(low: Priced, high: Priced, sketch: Sketch) -> bool:
    """Whether no scale of a completion is ever above that of another."""
    pairs = zip(low.completion, high.completion, strict=True)
    return all(one.compare(other, sketch.epsilon.name) in (-1, 0) for one, other in pairs)


def rank_by_error(sketch: Sketch, priced: tuple[Priced, ...], split: Split, settings: Settings) -> tuple[Ranked, ...]:
    """Smallest expected error first, among the completions with the least noise; the law gives the loss."""
    costs = [float(p.worst) for p in priced]
    return rank_least_noisy(sketch, tuple(p.completion for p in priced), split.training + split.testing, settings, costs)


def judge_lawful(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, executor: Executor | None = None, slow: bool = False
) -> tuple[Judged, ...]:
    """A verdict for each finalist, or for as few as will do where proofs are slow. A winner that is not proved is tested; one
    that is, only if a second opinion is wanted, which shares nothing with the proof."""
    finalists = finalists_of(sketch, ranked, settings)
    if not finalists:
        return ()
    batch = FEW if slow or len(sketch.holes) > MOST_ENUMERATED else len(finalists)
    judged: list[Judged] = []
    favourite = finalists[0].completion
    table = sketch.private.table
    testable = table is None or not table.depends_on_run  # no records are known for questions that depend on the run
    # The winner is most often the first, so its test can go on beside the proofs.
    wanted = settings.ranking.second_opinion and testable
    early = executor.submit(final_test, sketch, favourite, split.training[0], settings, 0) if executor and wanted else None
    guess, known = None, Proofs()
    # With many holes there are many ways to be private, and a proof of one of the best will do. Where the best are refuted,
    # the law that priced them is too small, and more noise is what helps.
    while len(judged) < len(finalists) and not _is_enough(judged, settings, batch) and not _is_too_small(sketch, judged):
        now = finalists[len(judged) : len(judged) + (batch if judged else FEW)]
        if guess is None:  # how the runs are cut in the proof of the first of them may well suit the others
            judged += judge_in_turn([(sketch, now[0], settings, None)], known, None)
            guess, now = known.at(noisy_holes(now[0].completion)) if len(finalists) > 1 else None, now[1:]
        judged += judge_in_turn([(sketch, r, settings, guess) for r in now], known, executor)
    first, *others = by_standing(judged, settings)
    winner = first.ranked.completion
    if not testable or (isinstance(first.verdict, Proved) and not wanted):
        return by_standing(judged, settings)
    if early is not None and winner == favourite:
        trial = early.result()
    else:
        trial = final_test(sketch, winner, split.training[0], settings, 0)
    return by_standing((tested(first, trial), *others), settings)


def _is_too_small(sketch: Sketch, judged: list[Judged]) -> bool:
    """Whether the law prices completions within ε that are refuted, and none was proved."""
    refuted, proved = (any(isinstance(j.verdict, kind) for j in judged) for kind in (Refuted, Proved))
    return sketch.private.count is None and refuted and not proved


def _is_enough(judged: list[Judged], settings: Settings, batch: int) -> bool:
    """Whether something is proved for every length, or, after a second look, up to a size; few finalists are all judged."""
    if batch > FEW:
        return False
    best = min((j.standing(settings.ranking.alpha) for j in judged), default=2)
    return best == 0 or (best == 1 and len(judged) >= 2 * FEW)
