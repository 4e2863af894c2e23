"""Expected errors without sampling, where outputs are the true values plus sums of noise on every run.

The mean size of a sum X of independent draws follows from its characteristic function φ alone:
E|X| = (2/π) ∫₀^∞ (1 − Re φ(t))/t² dt. With t = eʸ the integrand falls off on both sides as exp(−|y|), and the
trapezoid rule is exact to all digits that matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np

from kolahal.engine.noise import Array
from kolahal.lang.canonical import twin
from kolahal.lang.ir import Hole
from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import LinearForm
from kolahal.model import Arguments, Scales
from kolahal.nouns import dataclass
from kolahal.paths.explore import explore
from kolahal.paths.state import Fault
from kolahal.paths.unknowns import NoiseAt
from kolahal.verdicts import Unknown

AddedDraws: TypeAlias = tuple[tuple[int, Fraction, int], ...]  # site, factor (its size) and how many draws are added with it
STEP, REACH = 0.1, 40.0  # of the trapezoid rule in y; beyond, e^(−40) is left out
SIGNED = (Noise.EXPONENTIAL,)  # whose factors count with their signs


@dataclass(frozen=True, slots=True)
class AffineErrors:
    """What is added to each item of the output, and how often a sum of that kind occurs among them."""

    sketch: Sketch
    arguments: Arguments
    sums: tuple[tuple[AddedDraws, int], ...]
    items: int

    def error(self, scales: Scales) -> float:
        """The mean over the items of the mean distance from the truth."""
        names = self.arguments.quantities(self.sketch)
        draws = self.sketch.draws
        widths = {d.site: _width(d.scale, scales, names) for d in draws}
        total = 0.0
        for drawn, times in self.sums:
            parts = tuple((draws[s].noise, float(factor) * widths[s], many) for s, factor, many in drawn if widths[s])
            total += times * mean_size(parts)
        return total / self.items


def _width(scale: Scale | Hole, scales: Scales, names: Mapping[str, Fraction]) -> float:
    return scales[scale.index] if isinstance(scale, Hole) else scale.near(names)


def find_affine_errors(sketch: Sketch, arguments: Arguments, silent: frozenset[int]) -> AffineErrors | None:
    """The sums, if every run takes the same path whatever the answers and the noise are; `silent` sites have no noise."""
    known = (Noise.LAPLACE, Noise.EXPONENTIAL, Noise.GAUSS)
    if any(draw.noise not in known for draw in sketch.draws if draw.site not in silent):
        return None
    found = explore(twin(sketch), arguments.size, arguments.environment(sketch), 1, silent)
    if isinstance(found, Unknown) or isinstance(found.paths[0].output, Fault):
        return None
    output = found.paths[0].output
    items = output if isinstance(output, tuple) else (output,)
    sums: dict[AddedDraws, int] = {}
    for item in items:
        terms = item.terms if isinstance(item, LinearForm) else {}
        counts: dict[tuple[int, Fraction], int] = {}
        for unknown, factor in terms.items():
            if isinstance(unknown, NoiseAt):
                signed = sketch.draws[unknown.site].noise in SIGNED
                key = unknown.site, Fraction(factor) if signed else abs(Fraction(factor))
                counts[key] = counts.get(key, 0) + 1
        drawn = tuple(sorted((site, factor, many) for (site, factor), many in counts.items()))
        sums[drawn] = sums.get(drawn, 0) + 1
    return AffineErrors(sketch, arguments, tuple(sums.items()), max(1, len(items)))


@cache
def _grid() -> Array:
    found: Array = np.exp(np.arange(-REACH, REACH, STEP))
    return found


def mean_size(parts: tuple[tuple[Noise, float, int], ...]) -> float:
    """E|X| of a sum of independent draws: of each family and width, so many."""
    if not parts:
        return 0.0
    spread = math.sqrt(sum(many * width**2 for _, width, many in parts))
    at = _grid() / spread
    phi = np.ones(len(at), dtype=complex)
    for noise, width, many in parts:
        match noise:
            case Noise.LAPLACE:
                phi *= (1 + (width * at) ** 2) ** -float(many)
            case Noise.EXPONENTIAL:
                phi *= (1 - 1j * width * at) ** -float(many)
            case _:
                phi *= np.exp(-many * (width * at) ** 2 / 2)
    # Where t is small, 1 − Re φ is the difference of near numbers; its limit there is t²·E[X²]/2.
    gap = 1 - phi.real
    mean = sum(many * width for noise, width, many in parts if noise is Noise.EXPONENTIAL)
    second = mean**2 + sum(many * width**2 * (2 if noise is Noise.LAPLACE else 1) for noise, width, many in parts)
    small = at * spread < 1e-4
    gap[small] = second * at[small] ** 2 / 2
    return float(2 / math.pi * STEP * np.sum(gap / at))
