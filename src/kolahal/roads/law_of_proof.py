"""A law that is read off a proof, where the costs at small sizes follow no formula, or grow with the number of answers.

A machine may need many answers to lose all it can: what it costs grows with every small size and then no longer. Or only some of
its draws have to move, whatever shifts keep a run on its path at small sizes. Here the same noise at every hole is raised until a
proof for every length is found. What its alignments take at each hole in rehearsals is the law. Nothing rests on it: a law chooses
completions, and each is judged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from kolahal.lang.adjacency import EachWithin, Monotone, OneWithin
from kolahal.lang.claims import plain_claim
from kolahal.lang.ir import Hole
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Mechanism, Sketch, Type
from kolahal.law.hole_choices import HoleChoice
from kolahal.law.law import Laws
from kolahal.proof.find.alike import guess_from
from kolahal.proof.find.concrete_runs import Stage
from kolahal.proof.find.effort import Effort
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.refute import survey_losses
from kolahal.proof.trusted.certificate import LengthProof
from kolahal.results import LawInequality, Rule
from kolahal.settings import Settings

COEFFICIENTS = range(1, 17)  # of the noise at every hole, in distances over ε
GROWTH = 1.1  # of the loss from one size to the next, where it does not settle
REHEARSED = 1_000  # runs
BASE = 10_000  # no hole takes as much as that
PARTS = 60  # of a distance, in whole numbers of which shifts are


def find_law_of_proof(sketch: Sketch, settings: Settings) -> tuple[HoleChoice, ...]:
    """The holes that need noise, and what each of them takes of the budget in a proof for every length, if one is found."""
    if sketch.private.count is not None or not isinstance(sketch.adjacency, EachWithin | OneWithin | Monotone):
        return ()
    for grown in ("", *(p.name for p in sketch.arguments if p.type is Type.INT and p.name in sketch.quantities())):
        proof = least_proof(sketch, grown, settings)
        if proof is not None:
            rule = Rule(inequalities_of(sketch, grown, proof))
            holes = sorted({d.scale.index for d in sketch.draws if d.site in rule.sites and isinstance(d.scale, Hole)})
            return (HoleChoice(tuple(holes), Laws((rule,), settings.proof.sizes, frozenset())),)
    return ()


def least_proof(sketch: Sketch, grown: str, settings: Settings) -> LengthProof | None:
    """A proof with as little noise as can be, of one scale for all holes."""
    found: dict[int, LengthProof | None] = {}

    def is_proved(coefficient: int) -> bool:
        program = at_all_holes(sketch, coefficient, grown)
        guess = next((proof for proof in reversed(found.values()) if proof), None)
        verdict = prove_every_length(program, plain_claim(sketch), settings.proof.quick(fixed=False), guess)
        found[coefficient] = guess_from(verdict)
        return found[coefficient] is not None

    most = COEFFICIENTS[-1]
    if not settles(at_all_holes(sketch, most, grown), settings) or not is_proved(most):
        return None
    return found[COEFFICIENTS[bisect_left(COEFFICIENTS[:-1], True, key=is_proved)]]


def settles(program: Sketch, settings: Settings) -> bool:
    """Whether the losses that are found at small sizes do not grow from each to the next."""
    losses = [found.loss for _, found in sorted(survey_losses(program, plain_claim(program), settings).items())]
    return len(losses) < 2 or any(more < GROWTH * loss for loss, more in pairwise(losses))


def inequalities_of(sketch: Sketch, grown: str, proof: LengthProof) -> tuple[LawInequality, ...]:
    """What the alignments of a proof take at the holes in rehearsals, with what takes no more than another left out."""
    spent = list(spent_in_rehearsals(sketch, proof))
    holes = range(len(sketch.holes))

    def most_at(hole: int, is_first: bool) -> Fraction:
        return max((took[hole] for took, of in spent if (of[grown] == 1) == is_first), default=Fraction(0))

    grows = [bool(grown) and most_at(hole, False) > most_at(hole, True) for hole in holes]
    vectors = {tuple(took[h] / of[grown] if grows[h] else took[h] for h in holes) for took, of in spent}
    most = [v for v in vectors if not any(v != w and all(a <= b for a, b in zip(v, w, strict=True)) for w in vectors)]
    site_of = {d.scale.index: d.site for d in reversed(sketch.draws) if isinstance(d.scale, Hole)}
    kinds = [Polynomial.name(grown) if grows[h] else Polynomial.constant(Fraction(1)) for h in holes]
    return tuple(LawInequality(tuple(sorted((site_of[h], kinds[h].times(v[h])) for h in holes if v[h]))) for v in sorted(most))


def spent_in_rehearsals(sketch: Sketch, proof: LengthProof) -> Iterator[tuple[tuple[Fraction, ...], Mapping[str, int]]]:
    """For each rehearsal the shifts of the noise of each hole, added up, and the whole arguments.

    Noise of very unlike scales keeps them apart in one sum, as the digits of a number.
    """
    holes = len(sketch.holes)
    program = Mechanism(sketch, tuple(even(sketch, Fraction(1, BASE**hole), "") for hole in range(holes))).filled()
    claim = replace(proof.claim, coefficient=Fraction(BASE ** (holes + 1)))
    product = replace(proof, sketch=program).product()
    for case in proof.cases:
        stage = Stage(product, case.neighbours, claim, 0, REHEARSED, Effort(REHEARSED))
        symbols = list(stage.spent.values())
        for scenario in stage.scenarios:
            played = stage.play(scenario, case.alignment)
            if played.states and not played.failed:
                _, state = played.states[-1]
                whole = sum((Fraction(state[symbol]) for symbol in symbols), Fraction(0)) * PARTS
                digits = [Fraction(whole // BASE**hole % BASE, PARTS) for hole in range(holes)]
                yield tuple(digit * sketch.adjacency.distance for digit in digits), scenario.quantities


def even(sketch: Sketch, coefficient: int | Fraction, grown: str) -> Scale:
    """So many distances over ε, and in proportion to a whole argument if one is named."""
    powers = {sketch.epsilon.name: -1, **({grown: 1} if grown else {})}
    return Scale(coefficient * sketch.adjacency.distance, tuple(sorted(powers.items())))


def at_all_holes(sketch: Sketch, coefficient: int, grown: str) -> Sketch:
    """The program with that noise at every hole."""
    return Mechanism(sketch, (even(sketch, coefficient, grown),) * len(sketch.holes)).filled()
