"""The one ladder from a program to a verdict: proved, refuted, bounded, unknown, in the order in which they are asked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.growth import find_growth
from kolahal.proof.refute.refute import Survey, refute
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Proved, Unknown, Verdict

FEW = 3  # answers, of a program that has so many and no more: one by one is then the shorter way


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, and the smallest multiple of the claim that was proved for every length, if any."""

    verdict: Verdict
    upper: Fraction | None = None
    failed_rechecks: tuple[str, ...] = ()  # of proofs that were found and are not given, whatever the verdict


def decide(
    program: Sketch,
    claim: Scale,
    settings: Settings,
    cost: Fraction | None = None,
    dear: str = "",
    survey: Survey | None = None,
) -> Decision:
    """What is certain about a program without holes and its claim.

    `cost` is what the law says that it costs, in units of the claim, where that is one number: that is proved first,
    because such a proof bounds the loss. `dear` says why no proof of the claim is looked for, if so. `survey` are
    the largest losses, where they are known already.
    """
    proof: Proved | Unknown = Unknown(dear)
    upper = None
    failed: tuple[str, ...] = ()
    if not dear:
        proof, upper, failed = _prove_everywhere(program, claim, cost, settings)
    if isinstance(proof, Proved):
        return Decision(proof, upper, failed)
    # Before a bounded proof: a program that fails at five answers may be private up to four.
    refuted = refute(program, claim, settings)
    if refuted is not None:
        return Decision(refuted, upper, failed)
    grown = find_growth(program, claim, settings, survey)
    if grown is not None:
        return Decision(grown, upper, failed)
    bounded = prove_bounded(program, claim, settings.proof)
    if isinstance(bounded, Proved | Bounded):
        return Decision(bounded, upper, failed)
    reasons = dict.fromkeys([proof.reason, bounded.reason, "no certain counterexample"])
    return Decision(Unknown("; ".join(reasons)), upper, failed + bounded.failed_rechecks)


def _prove_everywhere(
    program: Sketch, claim: Scale, cost: Fraction | None, settings: Settings
) -> tuple[Proved | Unknown, Fraction | None, tuple[str, ...]]:
    """A proof of the claim for all inputs or why there is none, the smallest multiple of it that was proved, and what
    did not pass its re-check."""
    failed: tuple[str, ...] = ()
    if program.private.count is not None and program.private.count <= FEW:
        small = prove_bounded(program, claim, settings.proof)
        if isinstance(small, Proved):
            return small, Fraction(1), ()
    if cost:
        tight = prove_every_length(program, Scale(claim.coefficient * cost, claim.powers), settings.proof)
        if isinstance(tight, Proved):
            too_dear = Unknown(f"the cheapest alignment costs {float(cost):.4g} of the claim")
            return (tight if cost <= 1 else too_dear), cost, ()
        failed = tight.failed_rechecks
    found = prove_every_length(program, claim, settings.proof)
    if isinstance(found, Proved):
        return found, Fraction(1), failed
    return found, None, failed + found.failed_rechecks
