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


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, and the smallest multiple of the claim that was proved for every length, if any."""

    verdict: Verdict
    upper: Fraction | None = None


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
    if not dear:
        proof, upper = _prove_everywhere(program, claim, cost, settings)
    if isinstance(proof, Proved):
        return Decision(proof, upper)
    # Before a bounded proof: a program that fails at five answers may be private up to four.
    refuted = refute(program, claim, settings)
    if refuted is not None:
        return Decision(refuted, upper)
    grown = find_growth(program, claim, settings, survey)
    if grown is not None:
        return Decision(grown, upper)
    bounded = prove_bounded(program, claim, settings.proof)
    if isinstance(bounded, Proved | Bounded):
        return Decision(bounded, upper)
    reasons = dict.fromkeys([proof.reason, bounded.reason, "no certain counterexample"])
    return Decision(Unknown("; ".join(reasons)), upper)


def _prove_everywhere(
    program: Sketch, claim: Scale, cost: Fraction | None, settings: Settings
) -> tuple[Proved | Unknown, Fraction | None]:
    """A proof of the claim for all inputs or why there is none, and the smallest multiple of it that was proved."""
    if cost:
        tight = prove_every_length(program, Scale(claim.coefficient * cost, claim.powers), settings.proof)
        if isinstance(tight, Proved):
            too_dear = Unknown(f"the cheapest alignment costs {float(cost):.4g} of the claim")
            return (tight if cost <= 1 else too_dear), cost
    found = prove_every_length(program, claim, settings.proof)
    return found, Fraction(1) if isinstance(found, Proved) else None
