"""The first half of findExpr: completions whose values lie in the neighbourhood of the region (Sec. IV-D)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Sketch
from kolahal.model import Region
from kolahal.search.grammar import enumerate_scales
from kolahal.settings import Settings


def enumerate_completions(sketch: Sketch, regions: tuple[Region, ...], settings: Settings) -> tuple[Completion, ...]:
    """All vectors of scales within L1 distance `neighbourhood` of a member of every region.

    Vectors are built hole by hole. A prefix whose distance to every member is too large already is given up with all
    its extensions, so the whole product of the grammar is never formed.
    """
    scales = enumerate_scales(settings.grammar, sketch)
    tables = [_Distances(scales, sketch, region) for region in regions]
    prefixes: list[tuple[int, ...]] = [()]
    for hole in range(len(sketch.holes)):
        extended = [(*prefix, choice) for prefix in prefixes for choice in range(len(scales))]
        prefixes = _near(extended, hole + 1, tables, settings.ranking.neighbourhood)
    return tuple(tuple(scales[choice] for choice in prefix) for prefix in prefixes)


def all_completions(sketch: Sketch, settings: Settings, epsilon_power: int | None = None) -> Iterator[Completion]:
    """The whole grammar at every hole, or only its scales with one power of ε."""
    scales = [
        scale
        for scale in enumerate_scales(settings.grammar, sketch)
        if epsilon_power is None or not scale or dict(scale.powers).get(sketch.epsilon.name, 0) == epsilon_power
    ]
    return itertools.product(scales, repeat=len(sketch.holes))


class _Distances:
    """|value of a scale − member| for every scale, hole and member of one region."""

    def __init__(self, scales: tuple[Scale, ...], sketch: Sketch, region: Region):
        names = region.arguments.quantities(sketch)
        values = np.array([float(scale.at(names)) for scale in scales])
        members = np.array(region.members)  # (members, holes)
        self.gaps = np.abs(values[:, None, None] - members[None, :, :])  # (scales, members, holes)


def _near(prefixes: list[tuple[int, ...]], holes: int, tables: list[_Distances], most: float) -> list[tuple[int, ...]]:
    if not prefixes:
        return []
    picks = np.array(prefixes)  # (prefixes, holes)
    near = np.ones(len(prefixes), dtype=bool)
    for table in tables:
        distance = sum(table.gaps[picks[:, hole], :, hole] for hole in range(holes))  # (prefixes, members)
        near &= np.asarray(distance).min(axis=1) <= most
    return [prefix for prefix, keep in zip(prefixes, near, strict=True) if keep]
