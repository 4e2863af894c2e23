"""What programs with a budget other than ε need so that they can be handed out, and which of them are not."""

from __future__ import annotations

import re

from kolahal.emission.promise import Promise
from kolahal.errors import UsageError
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Variant

NOT_GDP = (
    "its noise is discrete on a computer, and discrete Gaussian noise is zCDP, but not {} with the same scale. "
    "Claim rho: Rho"
)


def check_emittable(program: Sketch, promise: Promise, backend: str) -> None:
    """Refuse a program whose proof says nothing of discrete noise, or that has no such form yet."""
    if program.variant is Variant.PURE:
        return
    if program.private.table is not None or (backend != "python" and program.variant is not Variant.ZCDP):
        raise UsageError(f"{program.name} claims {program.variant.words}, and cannot be emitted over records, or for OpenDP, yet")
    document = promise.certificate.document() if promise.certificate is not None else {}
    converted = document.get("rule") == "pure"
    if program.variant is not Variant.ZCDP and not converted:
        raise UsageError(f"{program.name} cannot be emitted: {NOT_GDP.format(program.variant.words)}")


def budget_checks(program: Sketch) -> list[str]:
    """What has to hold of a budget, as expressions; ε is checked where it is read."""
    if program.variant is Variant.ZCDP:
        return [f"{program.budget.name} > 0"]
    return [] if program.delta is None else [f"0 < {program.delta.name} < 1"]


def with_fractions(text: str, program: Sketch) -> str:
    """The print of a program in which noise that is not Gaussian has fractions for scales: a root becomes one that is at
    least as large, and more noise costs no more."""
    laws = {(draw.noise.value, str(draw.scale)) for draw in program.draws if isinstance(draw.scale, Scale) and draw.scale.root and not draw.noise.bell}
    for name, scale in sorted(laws):
        text = re.sub(rf"\b{name}\({re.escape(scale)}\)", lambda found, name=name, scale=scale: f"{name}(_above({scale}))", text)  # type: ignore[misc]
    return text
