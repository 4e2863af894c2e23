"""The road of sketches that leave a family of noise open: each choice of families has its own law and proof, and all are ranked together."""

from __future__ import annotations

from dataclasses import replace

from kolahal.engine.accuracy import describe_errors
from kolahal.lang.families import close_families, name_families
from kolahal.lang.sketch import Completion, Mechanism, Sketch, Variant
from kolahal.law.budget_offers import Offer, find_offers
from kolahal.law.hole_choices import HoleChoice, find_choices, law_of_choices
from kolahal.model import Ranked, Selection, Split
from kolahal.nouns import dataclass
from kolahal.results import Law, Priced, Synthesis
from kolahal.roads.budgets import judge_offers, law_of_offers, rank_offers, typical_arguments
from kolahal.roads.law import judge_lawful, price_completions, rank_by_error
from kolahal.roads.watch import Watch
from kolahal.search.arguments import fix_arguments
from kolahal.search.ordering import in_order
from kolahal.settings import Settings
from kolahal.verdicts import Unknown


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of families: its sketch, what its law allows, and the completions in the words of the open sketch."""

    sketch: Sketch
    lawful: tuple[HoleChoice, ...] | tuple[Offer, ...]
    priced: tuple[Priced, ...]
    ranked: tuple[Ranked, ...]
    reason: str

    def law(self, completion: Completion | None) -> Law | None:
        """The law, that of a completion first."""
        if self.sketch.variant is Variant.PURE:
            return law_of_choices(self.sketch, [c for c in self.lawful if isinstance(c, HoleChoice)], completion)
        return law_of_offers(tuple(o for o in self.lawful if isinstance(o, Offer)), completion)


def straight_from_families(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The completions that the laws of all choices of families allow, the one with the least expected error first, judged."""
    split = watch("arguments", usual_split, sketch, settings)
    choices = rank_families(sketch, split, settings, watch)
    accuracy = describe_errors(choices[0].sketch, split.training[0], settings)
    ranked = merge(choices, split, settings)
    if sketch.variant is Variant.PURE:
        judged = watch("verdicts", judge_lawful, sketch, ranked, split, settings, watch.executor)
    else:
        judged = watch("verdicts", judge_offers, sketch, ranked, settings, watch.executor)
    law = law_of_best(sketch, choices, judged[0].ranked.completion if judged else None)
    priced = tuple(p for choice in choices for p in choice.priced)
    why = "" if ranked else "; ".join(dict.fromkeys(choice.reason for choice in choices))
    none, count = Selection(), sum(len(choice.lawful) for choice in choices)
    return Synthesis(
        sketch, "law", settings, split, none, (), count, none, ranked, judged, law, accuracy if ranked else None, priced, why
    )  # fmt: skip


def usual_split(sketch: Sketch, settings: Settings) -> Split:
    """The arguments by which completions are compared, whatever the families are."""
    if sketch.variant is Variant.PURE:
        return fix_arguments(sketch, settings)
    return Split((typical_arguments(sketch, settings),), ())


def rank_families(sketch: Sketch, split: Split, settings: Settings, watch: Watch) -> list[Choice]:
    """Every choice of families with what it allows."""
    return [_rank_choice(sketch, closed, split, settings, watch) for closed in close_families(sketch)]


def _rank_choice(sketch: Sketch, closed: Sketch, split: Split, settings: Settings, watch: Watch) -> Choice:
    """What the law of one choice of families allows, the least expected error first."""
    lawful: tuple[HoleChoice, ...] | tuple[Offer, ...] = ()
    priced: tuple[Priced, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    reason = "no scale of the grammar keeps to a law of the sketch"
    if sketch.variant is Variant.PURE:
        match watch("choices", find_choices, closed, settings.proof):
            case Unknown(reason):
                pass
            case found:
                lawful, priced = found, watch("completions", price_completions, closed, found, settings)
                ranked = watch("ranking", rank_by_error, closed, priced, split, settings)
    else:
        match watch("choices", find_offers, closed, settings.proof):
            case Unknown(reason):
                pass
            case offers:
                lawful = offers
                ranked = watch("ranking", rank_offers, closed, offers, split.training[0], settings)
    return Choice(
        closed,
        lawful,
        tuple(replace(p, completion=name_families(closed, sketch, p.completion)) for p in priced),
        tuple(replace(r, completion=name_families(closed, sketch, r.completion)) for r in ranked),
        reason,
    )


def merge(choices: list[Choice], split: Split, settings: Settings) -> tuple[Ranked, ...]:
    """All completions, the least error first, each once: without noise at a place, its family is none."""
    found: dict[Completion, Ranked] = {}
    every = (r for choice in choices for r in choice.ranked)
    for ranked in in_order(every, describe_errors(choices[0].sketch, split.training[0], settings).unit):
        found.setdefault(ranked.completion, ranked)
    return tuple(found.values())


def law_of_best(sketch: Sketch, choices: list[Choice], completion: Completion | None) -> Law | None:
    """The law of the families of the best completion; where there is none, the first law that there is."""
    if completion is None:
        return next((law for choice in choices if (law := choice.law(None))), None)
    plain = Mechanism(sketch, completion).closed().completion
    own = next(choice for choice in choices if any(r.completion == completion for r in choice.ranked))
    return own.law(plain)
