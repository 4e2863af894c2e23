"""Less noise than the law asks for, where a proof for every length needs no more.

A law is fitted to shifts that keep a run on its path, at a few sizes. Where other shifts cost less it asks for too much: for noise
that follows the largest of the others. So where no loss near the budget is found, the scales are lowered, one after the other, as
far as losses stay within the budget and the proof goes along.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.claims import plain_claim
from kolahal.lang.ir import Hole
from kolahal.lang.move_sizes import move_sizes
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import NO_NOISE, Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.law.law import print_rule
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.refute import survey_losses
from kolahal.results import Judged, Law, LawInequality, Priced, Rule
from kolahal.settings import Settings
from kolahal.verdicts import Proved

NEAR = 0.8  # of the budget: a loss that leaves no scale to lower by a whole step
COEFFICIENTS = tuple(map(Fraction, (1, 2, 3, 4, 5, 6, 8, 12, 16)))
SLACK = 1 + 1e-6


def narrow(sketch: Sketch, judged: Sequence[Judged], priced: Sequence[Priced], settings: Settings) -> Priced | None:
    """A completion that is proved for every length with less noise than the best one, where that is far from losing what its law
    says; None if there is none to be expected, or none is found. With noise at several holes small losses at a few sizes say little."""
    if not judged or sketch.private.count is not None or not isinstance(judged[0].verdict, Proved):
        return None
    best = judged[0].ranked.completion
    if sum(map(bool, best)) > 1:
        return None
    trials = _Trials(sketch, settings)
    said = next((min(1.0, float(p.worst)) for p in priced if p.completion == best), 1.0)
    if not trials.survey(best) or trials.worst(best) > NEAR * said:
        return None
    found = trials.lowered(trials.all_lowered(best))
    return None if found == best else trials.priced(found)


def law_of_narrow(sketch: Sketch, priced: Priced) -> Law | None:
    """The law that a narrower completion keeps where all noise is at one hole, whose scale and the budget go together; there is
    none of several."""
    noisy = sum(map(bool, priced.completion)) + sum(isinstance(draw.scale, Scale) for draw in sketch.draws)
    if noisy > 1:
        return None
    sizes = tuple(size for size, _ in priced.costs)
    return Law(print_rule(sketch, priced.rule), sizes, (), (priced.rule,))


class _Trials:
    """Completions of a sketch that were tried, each once."""

    def __init__(self, sketch: Sketch, settings: Settings):
        self.sketch, self.settings = sketch, settings
        self.claim = plain_claim(sketch)
        self.unit = Scale(move_sizes(sketch)[-1], ((sketch.epsilon.name, -1),))
        self.losses: dict[Completion, tuple[tuple[int, float], ...]] = {}
        self.proved: dict[Completion, bool] = {}

    def survey(self, completion: Completion) -> tuple[tuple[int, float], ...]:
        """The largest loss that was found at each number of answers, in units of the claim."""
        if completion not in self.losses:
            found = survey_losses(Mechanism(self.sketch, completion).filled(), self.claim, self.settings)
            self.losses[completion] = tuple((size, one.loss) for size, one in sorted(found.items()))
        return self.losses[completion]

    def worst(self, completion: Completion) -> float:
        return max((loss for _, loss in self.survey(completion)), default=0.0)

    def holds(self, completion: Completion) -> bool:
        """Whether a completion is proved for every length; what is seen to lose too much is not put to the prover."""
        if completion not in self.proved:
            program = Mechanism(self.sketch, completion).filled()
            quick = self.settings.proof.quick(fixed=False)
            within = self.worst(completion) <= SLACK
            self.proved[completion] = within and isinstance(prove_every_length(program, self.claim, quick), Proved)
        return self.proved[completion]

    def all_lowered(self, start: Completion) -> Completion:
        """The least of the completions that have less noise everywhere, by one factor."""
        largest = max(scale.coefficient for scale in start if scale)
        for coefficient in COEFFICIENTS:
            lower = tuple(_times(scale, coefficient * self.unit.coefficient / largest) for scale in start)
            if coefficient * self.unit.coefficient >= largest or self.holds(lower):
                return lower if coefficient * self.unit.coefficient < largest else start
        return start

    def lowered(self, start: Completion) -> Completion:
        """The same with each scale as small as the others allow, one after the other."""
        found = start
        for hole in range(len(start)):
            for lower in self.below(hole, found[hole]):
                if self.holds(tried := (*found[:hole], lower, *found[hole + 1 :])):
                    found = tried
                    break
        return found

    def below(self, hole: int, scale: Scale) -> Iterator[Scale]:
        """Less noise at one hole, the least first: none, and then with less growth."""
        if scale and hole not in self.sketch.selecting:
            yield NO_NOISE
        for least in dict.fromkeys((self.unit, *_same_powers(scale))):
            for coefficient in COEFFICIENTS:
                lower = replace(least, coefficient=coefficient * self.unit.coefficient)
                if lower.compare(scale, self.sketch.epsilon.name) == -1:
                    yield lower

    def priced(self, completion: Completion) -> Priced:
        """With the losses that were found in place of what a law asks for, and the law of a single hole."""
        sites = {d.scale.index: d.site for d in self.sketch.draws if isinstance(d.scale, Hole)}
        budget = Scale(Fraction(1), ((self.sketch.epsilon.name, 1),))
        weights = tuple((sites[hole], _polynomial(scale * budget)) for hole, scale in enumerate(completion) if scale)
        costs = tuple((size, Fraction(min(loss, 1.0)).limit_denominator(1000)) for size, loss in self.survey(completion))
        return Priced(completion, Rule((LawInequality(weights),)), costs, True)


def _polynomial(product: Scale) -> Polynomial:
    found = Polynomial.constant(product.coefficient)
    for name, power in product.powers:
        for _ in range(power):
            found = found * Polynomial.name(name)
    return found


def _same_powers(scale: Scale) -> tuple[Scale, ...]:
    return (scale,) if scale else ()


def _times(scale: Scale, factor: Fraction) -> Scale:
    return replace(scale, coefficient=scale.coefficient * factor) if scale else scale


