"""More noise than the law asks for, where that is what a proof for every length takes.

A law is fitted to a few sizes, and may be too small for machines that need more answers to lose all they can. Where nothing
that it prices is proved for every length, the noise of the best completion is raised until it is, and then lowered again
hole by hole as far as the proof goes along. Noise may also have to grow with an argument, where a few sizes show no more than
a bound: of four answers the three largest cost no more than the two largest do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.claims import plain_claim
from kolahal.lang.sketch import Completion, Mechanism, Sketch, Type
from kolahal.proof.find.lengths import prove_every_length
from kolahal.results import Judged
from kolahal.settings import Settings
from kolahal.verdicts import Proved, Refuted

FACTORS = (Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4))
PARTS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))  # of noise that grows with an argument


def loosen(sketch: Sketch, judged: Sequence[Judged], settings: Settings) -> Completion | None:
    """A completion with more noise than those that were judged: proved for every length if any is, or else, where the best
    ones were refuted, one that is not. None where neither is needed or found."""
    if not judged or sketch.private.count is not None or any(isinstance(j.verdict, Proved) for j in judged):
        return None
    tight = min(judged, key=lambda j: j.ranked.score.error).ranked.completion

    def is_proved(completion: Completion) -> bool:
        program = Mechanism(sketch, completion).filled()
        return isinstance(prove_every_length(program, plain_claim(sketch), settings.proof.quick(fixed=False)), Proved)

    def is_refuted(completion: Completion) -> bool:
        from kolahal.proof.refute.refute import refute
        from kolahal.proof.refute.scattered import find_scattered

        program, claim = Mechanism(sketch, completion).filled(), plain_claim(sketch)
        return (refute(program, claim, settings) or find_scattered(program, claim, settings)) is not None

    def all_times(factor: Fraction) -> Completion:
        return scaled(tight, [factor] * len(tight))

    if is_proved(all_times(FACTORS[-1])):
        enough = next(f for f in FACTORS if f == FACTORS[-1] or is_proved(all_times(f)))
        return lowered(tight, enough, is_proved)
    for name in (p.name for p in sketch.arguments if p.type is Type.INT):
        if is_proved(wide := growing(tight, name)):
            return next(least for f in PARTS if is_proved(least := scaled(wide, [f] * len(wide))))
    if any(isinstance(j.verdict, Refuted) for j in judged):
        return next((wider for f in FACTORS if not is_refuted(wider := all_times(f))), None)
    return None


def lowered(tight: Completion, factor: Fraction, is_proved: Callable[[Completion], bool]) -> Completion:
    """The completion with each scale times a factor, or with less where that is proved too, one hole after the other."""
    factors = [factor] * len(tight)
    for hole in range(len(tight)):
        for less in (Fraction(1), *FACTORS):
            tried = [*factors[:hole], less, *factors[hole + 1 :]]
            if less >= factor or is_proved(scaled(tight, tried)):
                factors = tried if less < factor else factors
                break
    return scaled(tight, factors)


def growing(completion: Completion, name: str) -> Completion:
    """The completion with scales that grow with an argument, each that does not yet."""
    return tuple(s if name in s.names else replace(s, powers=(*s.powers, (name, 1))) for s in completion)


def scaled(completion: Completion, factors: Sequence[Fraction]) -> Completion:
    return tuple(replace(s, coefficient=s.coefficient * f) for s, f in zip(completion, factors, strict=True))
