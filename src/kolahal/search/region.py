"""getNoiseRegion: the scale vectors whose worst loss is closest to e^ε, with as few noisy places as can be (Sec. IV-C)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kolahal.engine.noise import Array
from kolahal.engine.probe import Probe
from kolahal.engine.tape import stream
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Example, Region, Selection
from kolahal.search.evolution import minimise
from kolahal.search.grammar import scale_range
from kolahal.settings import Settings

OFF = 0.7  # of a gene's range below the smallest scale is no noise, in units of its logarithm
POINTS = {1: 65, 2: 25, 3: 11}  # of a table over the scales of so many holes: steps of 9, 27 and 80 %
LARGEST = 20.0  # log-loss that a table holds
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

    A gene is the logarithm of a scale, and below the smallest scale the hole is off: λ‖c‖₀ is what a member saves by
    switching it off. A trial competes with the member that is most like it, not with its parent: otherwise the sparsest
    choice of holes that looks tight on the examples takes the whole population over, and a denser one that is tight for
    longer inputs too is lost. Members that stay far from e^ε are dropped at the end.
    """
    holes, epsilon = len(sketch.holes), float(arguments.epsilon)
    low, high = map(math.log, scale_range(sketch, arguments))
    worst = worst_losses(sketch, examples, probe)

    def decode(genes: Array) -> Array:
        return np.where(genes >= low, np.exp(genes), 0.0)

    found = minimise(
        lambda genes: objectives(decode(genes), worst, epsilon, settings),
        np.full(holes, low - OFF),
        np.full(holes, high),
        max(settings.region.population, 6 * (2**holes - 1)),
        settings.region.steps_per_hole * holes,
        stream(settings.seed, "region", arguments.size, int(1000 * arguments.epsilon)),
        settings.region.patience,
    )
    scales = decode(found.members)
    gaps = found.objectives - settings.region.sparsity * (scales > 0).sum(axis=1)
    kept = np.flatnonzero(gaps <= max(2 * tolerance(epsilon, settings), gaps.min()))
    order = kept[np.argsort(found.objectives[kept], kind="stable")]
    return Region(
        tuple(tuple(float(c) for c in row) for row in scales[order]),
        tuple(float(v) for v in found.objectives[order]),
        arguments,
        found.steps,
    )


WorstLoss = Callable[[Array], Array]  # of rows of scales, the largest log-loss on some examples


def worst_losses(sketch: Sketch, examples: tuple[Example, ...], probe: Probe) -> WorstLoss:
    """The largest log-loss, read off a table for few holes: it needs far fewer points than an evolution asks for."""
    holes = len(sketch.holes)
    if holes not in POINTS:
        return lambda scales: probe.losses(scales, examples).sure.max(axis=1)
    low, high = map(math.log, scale_range(sketch, examples[0].arguments))
    grid = np.linspace(low, high, POINTS[holes])
    tables = {
        noisy: _table(examples, probe, grid, noisy)
        for noisy in itertools.product((False, True), repeat=holes)
        if any(noisy)
    }

    def look_up(scales: Array) -> Array:
        result = np.full(len(scales), LARGEST)
        for noisy, table in tables.items():
            rows = np.flatnonzero(((scales > 0) == noisy).all(axis=1))
            if len(rows):
                places = (np.log(scales[rows][:, noisy]) - low) / (high - low) * (len(grid) - 1)
                result[rows] = _interpolate(table, places)
        return result

    return look_up


def _table(examples: tuple[Example, ...], probe: Probe, grid: Array, noisy: tuple[bool, ...]) -> Array:
    """The largest log-losses at the points of a grid over the holes with noise."""
    count = sum(noisy)
    points = np.array(list(itertools.product(np.exp(grid), repeat=count)))
    scales = np.zeros((len(points), len(noisy)))
    scales[:, noisy] = points
    losses = probe.losses(scales, examples)
    shape = (len(grid),) * count + (len(examples),)
    filled = _fill_in(np.minimum(losses.sure, LARGEST).reshape(shape), losses.unknown.reshape(shape))
    table: Array = filled.max(axis=-1)
    return table


def _fill_in(losses: Array, unknown: Any) -> Array:
    """Where nothing is known of an example's loss, what it is with one step more noise at all holes: less noise hides nothing."""
    axes = losses.ndim - 1
    here, there = (slice(None, -1),) * axes, (slice(1, None),) * axes
    for _ in range(losses.shape[0] - 1):
        losses[here] = np.where(unknown[here], np.maximum(losses[here], losses[there]), losses[here])
    return losses


def _interpolate(table: Array, places: Array) -> Array:
    """The value between the corners of a cell, linear in each direction."""
    below = np.clip(places.astype(int), 0, np.array(table.shape) - 2)
    share = np.clip(places - below, 0.0, 1.0)
    result = np.zeros(len(places))
    for corner in itertools.product((0, 1), repeat=table.ndim):
        weight = np.prod(np.where(corner, share, 1 - share), axis=1)
        result += weight * table[tuple((below + corner).T)]
    return result


def tolerance(epsilon: float, settings: Settings) -> float:
    """Gaps below this count as none: the probe cannot tell them apart, and the region is not to shrink to a point."""
    width = settings.ranking.resolution * epsilon
    return width if settings.region.log_form else math.exp(epsilon) * width


def objectives(scales: Array, worst: WorstLoss, epsilon: float, settings: Settings) -> Array:
    """|max over Ex of L − e^ε| + λ‖c‖₀ for each row of `scales`: tight on the worst example, silent where it can be."""
    losses = np.where((scales > 0).any(axis=1), worst(scales), np.inf)  # no noise at all is no mechanism
    if settings.region.log_form:
        gap = np.abs(np.minimum(losses, HUGE) - epsilon)
    else:
        gap = np.abs(np.minimum(np.exp(np.minimum(losses, LARGEST)), HUGE) - math.exp(epsilon))
    gap = np.maximum(gap, tolerance(epsilon, settings))
    result: Array = gap + settings.region.sparsity * (scales > 0).sum(axis=1)
    return result
