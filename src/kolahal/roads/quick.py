"""A shorter road, for those who wait for it while they type: the first completion by the law that is proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch, Variant
from kolahal.law.hole_choices import find_choices, law_of_choices
from kolahal.law.law import find_laws
from kolahal.law.pricing import tight_completions
from kolahal.model import Ranked
from kolahal.nouns import dataclass
from kolahal.proof.decide import decide
from kolahal.results import Law
from kolahal.roads.budgets import quick_pick
from kolahal.roads.families import law_of_best, merge, rank_families, usual_split
from kolahal.roads.law import price_completions, rank_by_error
from kolahal.roads.watch import Watch
from kolahal.search.arguments import fix_arguments
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Proved, Unknown, Verdict

MOST_TRIED = 3  # completions that are put to the prover
FACTORS = tuple(Fraction(text) for text in ("3/2", "2", "3", "4", "6", "8"))  # by which too little noise is scaled up


@dataclass(frozen=True, slots=True)
class Pick:
    """The law of a sketch, and a completion with its verdict; the best that was tried."""

    law: Law | None
    completion: Completion | None
    verdict: Verdict


def pick(sketch: Sketch, settings: Settings) -> Pick:
    """The completion with the smallest error that is proved, among the first few that the law allows."""
    if sketch.is_open:
        return _pick_family(sketch, settings)
    if sketch.variant is not Variant.PURE:
        return Pick(*quick_pick(sketch, settings, MOST_TRIED))
    found = find_choices(sketch, settings.proof)
    if isinstance(found, Unknown):
        return Pick(None, None, found)
    priced = price_completions(sketch, found, settings)
    ranked = rank_by_error(sketch, priced, fix_arguments(sketch, settings), settings)
    best = _first_proved(sketch, ranked, settings)
    return Pick(law_of_choices(sketch, found, best[0]), *best)


def _first_proved(sketch: Sketch, ranked: Sequence[Ranked], settings: Settings) -> tuple[Completion | None, Verdict]:
    best: tuple[Completion | None, Verdict] = None, Unknown("no scale of the grammar keeps to a law of the sketch")
    for one in ranked[:MOST_TRIED]:
        verdict = _decide(sketch, one.completion, settings)
        if best[0] is None or isinstance(verdict, Proved) or (isinstance(verdict, Bounded) and isinstance(best[1], Unknown)):
            best = one.completion, verdict
        if isinstance(verdict, Proved):
            break
    return best


def _pick_family(sketch: Sketch, settings: Settings) -> Pick:
    """The same where a family is open, and so a part of what is found."""
    split = usual_split(sketch, settings)
    choices = rank_families(sketch, split, settings, Watch())
    completion, verdict = _first_proved(sketch, merge(choices, split, settings), settings)
    return Pick(law_of_best(sketch, choices, completion), completion, verdict)


def mend(program: Sketch, settings: Settings) -> Completion | None:
    """Scales with which a program without holes would be proved: more noise at one place, if that will do; None if none is found."""
    if program.variant is not Variant.PURE:
        return None
    opened = program.opened()
    laws = find_laws(program, settings.proof)
    if not isinstance(laws, Unknown):
        lawful = tight_completions(opened.sketch, laws, _one_louder(opened))
        order = sorted(lawful, key=lambda p: (-p.worst, p.completion != opened.completion))
        for priced in order[:MOST_TRIED]:
            if isinstance(_decide(opened.sketch, priced.completion, settings), Proved):
                return priced.completion
    found = pick(opened.sketch, settings)
    return found.completion if isinstance(found.verdict, Proved) else None


def _one_louder(mechanism: Mechanism) -> tuple[Completion, ...]:
    """The same scales, but for one of them, which is larger."""
    scales = mechanism.completion
    return tuple(
        (*scales[:place], _times(factor, scale), *scales[place + 1 :])
        for place, scale in enumerate(scales)
        for factor in FACTORS
    )


def _times(factor: Fraction, scale: Scale) -> Scale:
    return replace(scale, coefficient=factor * scale.coefficient)


def _decide(sketch: Sketch, completion: Completion, settings: Settings) -> Verdict:
    program = Mechanism(sketch, completion).filled()
    return decide(program, plain_claim(sketch), settings, priced=True).verdict
