"""Differential evolution (rand/1/bin, with crowding) on a whole population at once. Knows nothing of privacy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from kolahal.engine.noise import Array
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Population:
    """Members with their objectives, and after how many steps."""

    members: Array  # (members, genes)
    objectives: Array  # (members,)
    steps: int


def minimise(
    objective: Callable[[Array], Array],
    low: Array,
    high: Array,
    size: int,
    steps: int,
    rng: Generator,
    patience: int = 100,
) -> Population:
    """The population after `steps` generations, or earlier when `patience` of them improved no member.

    Weights are drawn anew each generation between 0.5 and 1 (dither), which needs no tuning. A trial takes the place of the
    member nearest to it, if it is better (crowding; Thomsen, CEC 2004), so that every valley keeps its members.
    """
    genes = len(low)
    members: Any = low + (high - low) * rng.random((size, genes))
    values = objective(members)
    idle = 0
    for step in range(steps):
        a, b, c = _three_others(size, rng)
        weight = rng.uniform(0.5, 1.0)
        mutant = members[a] + weight * (members[b] - members[c])
        outside = (mutant < low) | (mutant > high)
        mutant = np.where(outside, low + (high - low) * rng.random((size, genes)), mutant)
        cross = rng.random((size, genes)) < 0.7
        cross[np.arange(size), rng.integers(0, genes, size)] = True
        trial = np.where(cross, mutant, members)
        found = objective(trial)
        improved = False
        nearest = (((trial[:, None] - members[None]) / (high - low)) ** 2).sum(axis=2).argmin(axis=1)
        for place in np.argsort(-found, kind="stable"):  # of two that want one place the better comes last
            rival = nearest[place]
            if found[place] <= values[rival]:
                improved = improved or bool(found[place] < values[rival] - 1e-9)
                members[rival], values[rival] = trial[place], found[place]
        idle = 0 if improved else idle + 1
        if idle >= patience:
            return Population(members, values, step + 1)
    return Population(members, values, steps)


def _three_others(size: int, rng: Generator) -> tuple[Any, Any, Any]:
    """For each member three others, all different."""
    order = rng.random((size, size))
    order[np.arange(size), np.arange(size)] = np.inf
    picks = np.argpartition(order, 3, axis=1)[:, :3]
    return picks[:, 0], picks[:, 1], picks[:, 2]
