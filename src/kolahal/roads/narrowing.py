"""Less noise than the law asks for, where a proof for every length needs no more.

A law is fitted to shifts that keep a run on its path, at a few sizes. Where other shifts cost less it asks for too much: for noise
that follows the largest of the others. So where all noise is at one hole, and no loss near the budget is found, its scale is lowered
as far as losses stay within the budget and the proof goes along. Of noise at several holes, small losses at a few sizes say little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from kolahal.lang.claims import plain_claim
from kolahal.lang.ir import Hole
from kolahal.lang.move_sizes import move_sizes
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import NO_NOISE, Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.law.hole_choices import noisy_holes
from kolahal.law.law import print_rule
from kolahal.proof.decide import decide
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.refute import survey_losses
from kolahal.results import Judged, Law, LawInequality, Priced, Rule
from kolahal.settings import Settings
from kolahal.verdicts import Proved

NEAR = 0.8  # of the budget: a loss that leaves no scale to lower by a whole step
COEFFICIENTS = tuple(map(Fraction, (1, 2, 3, 4, 5, 6, 8, 12, 16)))  # beyond the grammar, where a proof says what is enough
SLACK = 1 + 1e-6

LossesBySize = tuple[tuple[int, float], ...]  # the largest that was found at each number of answers, in units of the claim


def narrow(sketch: Sketch, judged: Sequence[Judged], priced: Sequence[Priced], settings: Settings) -> Priced | None:
    """A completion that is proved for every length with less noise than the best one, where that has one noisy hole and is far
    from losing what its law says; None if there is none to be expected, or none is found."""
    counted = sketch.private.count is not None
    if not judged or (counted and not _is_finite(sketch)) or not isinstance(judged[0].verdict, Proved):
        return None
    best = judged[0].ranked.completion
    if len(noisy := noisy_holes(best)) != 1:
        return None
    said = next((min(1.0, float(p.worst)) for p in priced if p.completion == best), 1.0)
    losses = _survey(sketch, best, settings)
    if not losses or _worst(losses) > NEAR * said:
        return None
    (hole,) = noisy
    claim, quick = plain_claim(sketch), settings.proof.quick(fixed=counted)
    for scale in _below(sketch, hole, best[hole]):
        tried = (*best[:hole], scale, *best[hole + 1 :])
        losses, filled = _survey(sketch, tried, settings), Mechanism(sketch, tried).filled()
        if _worst(losses) > SLACK:
            continue
        if isinstance(decide(filled, claim, settings).verdict if counted else prove_every_length(filled, claim, quick), Proved):
            return _priced(sketch, hole, tried, losses)
    return None


def _is_finite(sketch: Sketch) -> bool:
    """Whether all that can happen may be counted, which tells more than a law of the moves of scores."""
    return all(draw.noise.finite or draw.noise.selects for draw in sketch.draws)


def law_of_narrow(sketch: Sketch, priced: Priced) -> Law | None:
    """The law that a narrower completion keeps if all noise is at its hole, whose scale and the budget go together."""
    if not any(priced.completion) or any(isinstance(draw.scale, Scale) for draw in sketch.draws):
        return None
    sizes = tuple(size for size, _ in priced.costs)
    return Law(print_rule(sketch, priced.rule), sizes, (), (priced.rule,))


def _survey(sketch: Sketch, completion: Completion, settings: Settings) -> LossesBySize:
    found = survey_losses(Mechanism(sketch, completion).filled(), plain_claim(sketch), settings)
    return tuple((size, one.loss) for size, one in sorted(found.items()))


def _worst(losses: LossesBySize) -> float:
    return max((loss for _, loss in losses), default=0.0)


def _below(sketch: Sketch, hole: int, scale: Scale) -> Iterator[Scale]:
    """Less noise at a hole, the least first: none, then some that does not grow, then some that grows as it does now."""
    if hole not in sketch.selecting:
        yield NO_NOISE
    unit = move_sizes(sketch)[0 if _is_finite(sketch) else -1]
    for kind in dict.fromkeys((((sketch.epsilon.name, -1),), scale.powers)):
        for coefficient in COEFFICIENTS:
            lower = Scale(coefficient * unit, kind)
            if lower.compare(scale, sketch.epsilon.name) == -1:
                yield lower


def _priced(sketch: Sketch, hole: int, completion: Completion, losses: LossesBySize) -> Priced:
    """With the losses that were found in place of what a law asks for, and the law of its hole."""
    sites = [draw.site for draw in sketch.draws if isinstance(draw.scale, Hole) and draw.scale.index == hole]
    budget = Scale(Fraction(1), ((sketch.epsilon.name, 1),))
    weights = ((sites[-1], _polynomial(completion[hole] * budget)),) if completion[hole] else ()
    costs = tuple((size, Fraction(min(loss, 1.0)).limit_denominator(1000)) for size, loss in losses)
    return Priced(completion, Rule((LawInequality(weights),)), costs, True)


def _polynomial(product: Scale) -> Polynomial:
    found = Polynomial.constant(product.coefficient)
    for name, power in product.powers:
        for _ in range(power):
            found = found * Polynomial.name(name)
    return found
