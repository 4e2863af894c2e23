"""What may be claimed of a program: a multiple of its budget."""

from __future__ import annotations

from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang.ir import Var, walk
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Sketch, Type, Variant


def plain_claim(sketch: Sketch) -> Scale:
    """The budget itself, which is claimed where nothing else is."""
    return Scale(Fraction(1), ((sketch.budget.name, 1),))


def print_claim(sketch: Sketch, claim: Scale) -> str:
    """A claim as results name it: `eps`, `2*rho`, `mu`, `eps,delta`."""
    return str(claim) if sketch.delta is None else f"{claim},{sketch.delta.name}"


def parse_claim(sketch: Sketch, text: str) -> Scale:
    """The claimed privacy level as an expression: `eps`, `2*eps`, `N*eps`; a number, if nothing in the program depends on ε."""
    epsilon = sketch.budget.name
    if sketch.delta is not None and text.replace(" ", "") == f"{epsilon},{sketch.delta.name}":
        text = epsilon  # as results name it
    claim = parse_scale(text or epsilon)
    if sketch.delta is not None and claim != plain_claim(sketch):
        raise UsageError(f"the claim {text} of {sketch.name}: with {sketch.delta.name}, claim {epsilon} itself")
    real = {p.name for p in sketch.arguments if p.type is not Type.INT}  # may be zero or negative
    allowed = [name for name in sketch.quantities() if name not in real]
    if claim and not claim.powers and sketch.variant is Variant.PURE and not _uses(sketch, epsilon):
        return claim
    if not claim or claim.root or dict(claim.powers).get(epsilon) != 1:
        raise UsageError(
            f"the claim {text} is not a multiple of {epsilon}; write for example {epsilon}, 2*{epsilon} or N*{epsilon}"
        )
    for name, _ in claim.powers:
        if name not in allowed:
            raise UsageError(f"the claim {text} uses {name}; a claim about {sketch.name} may use {', '.join(allowed)}")
    return claim


def _uses(sketch: Sketch, name: str) -> bool:
    """Whether a scale or the program itself depends on a parameter."""
    scales = [draw.scale for draw in sketch.sites]
    read = any(isinstance(node, Var) and node.name == name for node in walk(sketch.body))
    return read or any(not isinstance(scale, Scale) or name in scale.names for scale in scales)
