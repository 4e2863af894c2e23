"""getNoiseRegion: the scale vectors whose worst loss is closest to e^ε, with as few noisy places as can be (Sec. IV-C)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from kolahal.engine.noise import Array
from kolahal.engine.probe import Probe
from kolahal.engine.tape import stream
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Example, Region, Selection
from kolahal.search.evolution import minimise
from kolahal.search.grammar import widest_scale
from kolahal.settings import Settings

SMALLEST = 0.25  # scale of noise that is searched
CURVE = 129  # points of a table over the scales of one hole: steps of 4 %
HUGE = 1e6  # stands for an infinite loss


def find_regions(sketch: Sketch, selection: Selection, probe: Probe, settings: Settings) -> tuple[Region, ...]:
    """A region for each setting of the arguments that has examples."""
    groups = dict.fromkeys(example.arguments for example in selection.examples)
    return tuple(
        find_region(
            sketch, arguments, tuple(e for e in selection.examples if e.arguments == arguments), probe, settings
        )
        for arguments in groups
    )


def find_region(
    sketch: Sketch, arguments: Arguments, examples: tuple[Example, ...], probe: Probe, settings: Settings
) -> Region:
    """The final population of differential evolution at one setting of the arguments.

    Which holes have noise is fixed for each member, and every choice has its members from the start: otherwise the
    sparsest choice that looks tight on the examples takes the whole population over, and a denser one that is tight
    for longer inputs too is lost. Choices that stay far from e^ε are dropped at the end.
    """
    holes = len(sketch.holes)
    choices = np.array(list(itertools.product((False, True), repeat=holes))[1:])
    size = max(settings.region.population, 6 * len(choices))
    noisy = choices[np.arange(size) % len(choices)]
    low, high = math.log(SMALLEST), math.log(widest_scale(arguments))

    def decode(genes: Array) -> Array:
        return np.where(noisy, np.exp(genes), 0.0)

    def at(scales: Array) -> Array:
        return objectives(scales, examples, probe, float(arguments.epsilon), settings)

    objective = _curve(at, low, high) if holes == 1 else lambda genes: at(decode(genes))
    rng = stream(settings.seed, "region", arguments.size, int(1000 * arguments.epsilon))
    found = minimise(
        objective,
        np.full(holes, low),
        np.full(holes, high),
        size,
        settings.region.steps_per_hole * holes,
        rng,
        settings.region.patience,
    )
    gaps = found.objectives - settings.region.sparsity * noisy.sum(axis=1)
    kept = np.flatnonzero(gaps <= max(2 * tolerance(float(arguments.epsilon), settings), gaps.min()))
    order = kept[np.argsort(found.objectives[kept], kind="stable")]
    members = decode(found.members)[order]
    return Region(
        tuple(tuple(float(c) for c in row) for row in members),
        tuple(float(v) for v in found.objectives[order]),
        arguments,
        found.steps,
    )


def _curve(function: Callable[[Array], Array], low: float, high: float) -> Callable[[Array], Array]:
    """A function of one hole's log-scale, read off a table: a curve needs far fewer points than an evolution asks for."""
    grid = np.linspace(low, high, CURVE)
    values = function(np.exp(grid)[:, None])
    return lambda genes: np.interp(genes[:, 0], grid, values)


def tolerance(epsilon: float, settings: Settings) -> float:
    """Gaps below this count as none: the probe cannot tell them apart, and the region is not to shrink to a point."""
    width = settings.ranking.resolution * epsilon
    return width if settings.region.log_form else math.exp(epsilon) * width


def objectives(scales: Array, examples: tuple[Example, ...], probe: Probe, epsilon: float, settings: Settings) -> Array:
    """|max over Ex of L − e^ε| + λ‖c‖₀ for each row of `scales`: tight on the worst example, silent where it can be."""
    worst = probe.losses(scales, examples).sure.max(axis=1)
    if settings.region.log_form:
        gap = np.abs(np.minimum(worst, HUGE) - epsilon)
    else:
        gap = np.abs(np.minimum(np.exp(np.minimum(worst, 20.0)), HUGE) - math.exp(epsilon))
    gap = np.maximum(gap, tolerance(epsilon, settings))
    result: Array = gap + settings.region.sparsity * (scales > 0).sum(axis=1)
    return result
