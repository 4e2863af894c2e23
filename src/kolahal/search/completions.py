"""The first half of findExpr: completions whose values lie in the neighbourhood of the region (Sec. IV-D)."""

from __future__ import annotations

import itertools
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from kolahal.engine.noise import Array
from kolahal.lang.move_sizes import move_sizes
from kolahal.lang.scale import NO_NOISE, Scale, base_of
from kolahal.lang.sketch import Completion, Sketch, Type
from kolahal.model import Region
from kolahal.search.grammar import degree_of, enumerate_scales
from kolahal.settings import Settings

Picks = NDArray[np.intp]
ROOM = 1 << 22  # distances that are held at a time


def enumerate_completions(sketch: Sketch, regions: tuple[Region, ...], settings: Settings) -> tuple[Completion, ...]:
    """All vectors of scales within L1 distance `neighbourhood` of a member of every region, times whole arguments.

    Vectors are built hole by hole. A prefix whose distance to every member is too large already is given up with all
    its extensions, so the whole product of the grammar is never formed.
    """
    scales = enumerate_scales(settings.grammar, sketch)
    gaps = [_gaps(scales, sketch, region) / _stretch(sketch, region) for region in regions]
    picks = np.zeros((1, 0), dtype=np.intp)  # (prefixes, holes)
    spent = [np.zeros((1, len(region.members))) for region in regions]  # (prefixes, members)
    for hole in range(len(sketch.holes)):
        picks, spent = _extend(picks, spent, [gap[:, :, hole] for gap in gaps], settings.ranking.neighbourhood)
    found = (tuple(scales[choice] for choice in row) for row in picks)
    return tuple(completion for completion in found if all(completion[hole] for hole in sketch.selecting))


def all_completions(sketch: Sketch, settings: Settings) -> tuple[Completion, ...]:
    """The whole grammar at every hole."""
    scales = enumerate_scales(settings.grammar, sketch)
    noisy = tuple(scale for scale in scales if scale)
    return tuple(itertools.product(*(noisy if hole.index in sketch.selecting else scales for hole in sketch.holes)))


def scales_at(holes: Collection[int], sketch: Sketch, settings: Settings) -> list[tuple[Scale, ...]]:
    """For each hole the scales of the grammar that go with 1/ε, as a law has them, or no noise."""
    epsilon = sketch.epsilon.name
    noisy = tuple(s for s in enumerate_scales(settings.grammar, sketch) if s and dict(s.powers).get(epsilon) == -1)
    return [noisy if hole in holes else (NO_NOISE,) for hole in range(len(sketch.holes))]


def _gaps(scales: tuple[Scale, ...], sketch: Sketch, region: Region) -> Array:
    """|value of a scale − member|, by scale, member and hole, in units of the moves that the scale is made for."""
    names = region.arguments.quantities(sketch)
    values = np.array([float(scale.at(names)) for scale in scales])
    sizes = move_sizes(sketch)
    units = np.array([float(max((s for s in sizes if s <= scale.coefficient), default=sizes[0])) for scale in scales])
    length = sketch.length_name
    if degree_of(sketch, length) > 1:  # squares are far apart, and a program that adds up sums may need one
        units *= [float(names[length]) if _degree(scale, length) == 2 else 1.0 for scale in scales]
    gaps: Array = np.abs(values[:, None, None] - np.array(region.members)[None, :, :]) / units[:, None, None]
    return gaps


def _degree(scale: Scale, name: str) -> int:
    return sum(power for factor, power in scale.powers if base_of(factor) == name)


def _stretch(sketch: Sketch, region: Region) -> float:
    """What scales may be multiplied with at a region's arguments, and so how much further apart they lie there."""
    values = dict(region.arguments.values)
    return max([1.0, *(float(values[p.name]) for p in sketch.arguments if p.type is Type.INT)])


def _extend(picks: Picks, spent: list[Array], gaps: list[Array], most: float) -> tuple[Picks, list[Array]]:
    """The prefixes with one more scale that are still near a member of every region, and their distances."""
    found: list[tuple[Picks, list[Array]]] = []
    together = max(1, ROOM // max(gap.size for gap in gaps))  # prefixes whose extensions fit into memory at once
    for start in range(0, max(1, len(picks)), together):
        some = slice(start, start + together)
        totals = [have[some, None, :] + gap[None] for have, gap in zip(spent, gaps, strict=True)]
        near = np.logical_and.reduce([total.min(axis=2) <= most for total in totals])
        rows, choices = np.nonzero(near)
        found.append((np.column_stack([picks[some][rows], choices]), [total[rows, choices] for total in totals]))
    parts = zip(*(totals for _, totals in found), strict=True)
    return np.concatenate([chosen for chosen, _ in found]), [np.concatenate(part) for part in parts]
