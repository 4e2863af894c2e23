"""What may be claimed of a program: a multiple of its ε."""

from __future__ import annotations

from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Sketch, Type


def plain_claim(sketch: Sketch) -> Scale:
    """ε itself, which is claimed where nothing else is."""
    return Scale(Fraction(1), ((sketch.epsilon.name, 1),))


def parse_claim(sketch: Sketch, text: str) -> Scale:
    """The claimed privacy level as an expression: `eps`, `2*eps`, `N*eps`."""
    epsilon = sketch.epsilon.name
    claim = parse_scale(text or epsilon)
    real = {p.name for p in sketch.arguments if p.type is not Type.INT}  # may be zero or negative
    allowed = [name for name in sketch.quantities() if name not in real]
    if not claim or dict(claim.powers).get(epsilon) != 1:
        raise UsageError(
            f"the claim {text} is not a multiple of {epsilon}; write for example {epsilon}, 2*{epsilon} or N*{epsilon}"
        )
    for name, _ in claim.powers:
        if name not in allowed:
            raise UsageError(f"the claim {text} uses {name}; a claim about {sketch.name} may use {', '.join(allowed)}")
    return claim
