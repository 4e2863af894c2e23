"""What shifted noise costs, and whether that is within the claim."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass
from kolahal.proof.trusted.values import Unsupported


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the budget of all draws whose scale has the same powers: their cost, as Σ |shift| / coefficient,
    is at most `bound` × `per`, where `per` is 1 or the name of one public quantity."""

    powers: Powers
    bound: Fraction
    per: str | None


Powers: TypeAlias = tuple[tuple[str, int], ...]


def powers_of(size: Scale, sketch: Sketch) -> Powers:
    """The powers μ of a scale c·μ/ε; those that are not 1/ε otherwise still have a power of ε in μ."""
    if size.coefficient <= 0 or size.root:
        raise Unsupported(f"the scale {size} is not above 0, or has a root")
    whole = sketch.counted | {sketch.epsilon.name}
    for name in size.names:
        if name not in whole or name not in sketch.quantities():
            raise Unsupported(f"the scale {size} uses {name}, which may be zero or negative, or change")
    return (size * Scale(Fraction(1), ((sketch.epsilon.name, 1),))).powers


def within_claim(shares: tuple[Share, ...], claim: Scale, sketch: Sketch) -> bool:
    """Whether the shares add up to at most the claim, for all public quantities ≥ 1 and all ε > 0.

    A draw of scale c·μ/ε whose shift is s costs |s|·ε/(c·μ). A share says Σ |s|/c ≤ bound·ν, so it costs at most
    bound·ε·ν/μ; that is at most bound·ε·μ₀ where ν ≤ μ·μ₀, μ₀ being the claim's own quantities. With a power of ε
    in μ no bound but 0 holds for all ε.
    """
    allowance = dict(claim.powers)
    whole = sketch.counted
    if allowance.pop(sketch.epsilon.name, 0) != 1 or claim.coefficient <= 0 or claim.root or not whole >= set(allowance):
        return False
    for share in shares:
        if share.bound == 0:
            continue
        powers = dict(allowance)
        for name, power in share.powers:
            powers[name] = powers.get(name, 0) + power
        if share.bound < 0 or any(power < 0 for power in powers.values()) or sketch.epsilon.name in powers:
            return False
        if share.per is not None and powers.get(share.per, 0) < 1:
            return False
    return sum((share.bound for share in shares), Fraction(0)) <= claim.coefficient
