"""The ladder of `decide` for budgets other than ε: proved, refuted or unknown, in the order in which they are asked."""

from __future__ import annotations

import math

from kolahal.lang.canonical import IN_UNITS
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Variant
from kolahal.losses import gdp_of_event, renyi_of_event
from kolahal.proof.find.affine import prove_affine, reach_of
from kolahal.proof.find.budgets import prove_budget
from kolahal.proof.find.union import prove_union
from kolahal.proof.refute.budgets import refute_budget
from kolahal.proof.trusted.certificate import LengthProof
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Decision, Proved, Refuted, Unknown


def decide_budget(program: Sketch, claim: Scale, settings: Settings, guess: LengthProof | None = None) -> Decision:
    """What is certain about a program without holes and a claim other than ε. `guess` is the pure proof of one that differs in
    its scales."""
    if program.units:
        return Decision(Unknown(IN_UNITS))
    quick = settings.proof.quick(program.private.count is not None)
    found = prove_budget(program, claim, quick, guess=guess)
    if isinstance(found, Proved):
        return Decision(found)
    release = prove_affine(program, claim, settings.proof)
    if isinstance(release, Proved):
        return Decision(release)
    if isinstance(release, Bounded) and (reach := reach_of(release, program)):
        again = prove_budget(program, claim, quick, reach)
        if isinstance(again, Proved):
            return Decision(again)
    ahead = prove_union(program, claim, settings.proof) if isinstance(release, Unknown) else release
    if isinstance(ahead, Proved):
        return Decision(ahead)
    refuted = refute_budget(program, claim)
    if refuted is not None:
        return Decision(refuted)
    if quick != settings.proof:
        found = prove_budget(program, claim, settings.proof)
        if isinstance(found, Proved):
            return Decision(found)
    if isinstance(ahead, Bounded):
        return Decision(ahead)
    reasons = dict.fromkeys([found.reason, *(o.reason for o in (release, ahead) if isinstance(o, Unknown)), "no certain counterexample"])
    return Decision(Unknown("; ".join(reasons)))


def shown_loss(refuted: Refuted, sketch: Sketch, claim: Scale) -> float:
    """How much of the claim an event shows to be spent, in doubles; above 1 where it refutes it.

    For zCDP the divergence over α·ρ, for GDP the distance of two normal laws that it tells apart over μ, for (ε, δ) the
    ε that the same δ takes, over ε.
    """
    p, q = refuted.odds.p1.value, refuted.odds.p2.value
    level = float(claim.at(refuted.example.arguments.quantities(sketch)))
    match sketch.variant:
        case Variant.ZCDP if refuted.order is not None and 0 < q < 1 and p > 0:
            alpha = float(refuted.order)
            return max(1.0, renyi_of_event(p, q, alpha) / (alpha * level))
        case Variant.GDP if 0 < p < 1 and 0 < q < 1:
            return max(1.0, gdp_of_event(p, q) / level)
        case Variant.APPROXIMATE if q > 0:
            delta = float(refuted.example.arguments.delta or 0)
            return max(1.0, math.log((p - delta) / q) / level) if p > delta else 1.0
        case _:
            return math.inf
