"""What programs with a budget other than ε need so that they can be handed out, and which of them are not."""

from __future__ import annotations

import re

from kolahal.errors import UsageError
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Variant
from kolahal.lang.templates import BELLS, NORMAL_LAW, NORMALS


def check_emittable(program: Sketch, backend: str) -> None:
    """Refuse a program that has no such form."""
    if program.variant is Variant.GDP and backend != "python":
        raise UsageError(f"there is no OpenDP measurement of {program.name}: OpenDP has no measure for μ-GDP; claim rho: Rho, or delta: Delta beside eps")


def bell_files(program: Sketch) -> tuple[str, ...]:
    """The support code for roots and Gaussian noise: discrete under ρ, and normal noise that is rounded to the grid under μ
    and (ε, δ), where discrete noise would cost more."""
    if program.variant is Variant.PURE:
        return ()
    rounded = program.variant is not Variant.ZCDP and any(draw.noise.bell for draw in program.draws)
    return (BELLS, NORMAL_LAW, NORMALS) if rounded else (BELLS,)


def budget_checks(program: Sketch) -> list[str]:
    """What has to hold of a budget, as expressions; ε is checked where it is read."""
    if program.variant in (Variant.ZCDP, Variant.GDP):
        return [f"{program.budget.name} > 0"]
    return [] if program.delta is None else [f"0 < {program.delta.name} < 1"]


def with_fractions(text: str, program: Sketch) -> str:
    """The print of a program in which noise that is not Gaussian has fractions for scales: a root becomes one that is at
    least as large, and more noise costs no more."""
    laws = {(draw.noise.value, str(draw.scale)) for draw in program.draws if isinstance(draw.scale, Scale) and draw.scale.root and not draw.noise.bell}
    for name, scale in sorted(laws):
        pattern = rf"\b({name}\((?:\w+, )?){re.escape(scale)}\)"  # a chosen place has a list of scores before its scale
        text = re.sub(pattern, lambda found, scale=scale: f"{found[1]}_above({scale}))", text)  # type: ignore[misc]
    return text
