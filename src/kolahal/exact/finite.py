"""Draws with finitely many values: their probabilities stand beside the integrals of the others as factors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.noise import Array
from kolahal.logic.linear import Number
from kolahal.nouns import dataclass
from kolahal.paths.state import ChosenPlace
from kolahal.paths.unknowns import Atom, Indeterminate, NoiseAt


@dataclass(frozen=True, slots=True)
class CoinCount:
    """How the coins of one site fell: so many of them True, of so many."""

    site: int
    ones: int
    total: int

    def probability(self, scales: Array) -> Array:
        """For scales by site, (candidates, sites)."""
        rate = 1 / scales[:, self.site]
        found: Array = np.exp(-self.ones * rate - self.total * np.log1p(np.exp(-rate)))
        return found


@dataclass(frozen=True, slots=True)
class PickPlan:
    """A place that was chosen: how far the other scores are ahead of its own are rows of a table of limits."""

    site: int
    gaps: tuple[int, ...]

    def probability(self, limits: Array, scales: Array) -> Array:
        """(rows, candidates): 1/(1 + Σ exp(gap/scale)), which never overflows."""
        gaps = limits[:, list(self.gaps)][:, None, :] / scales[:, self.site][None, :, None]
        top = np.maximum(gaps.max(axis=2, initial=0.0), 0.0)
        total: Array = np.exp(-top) / (np.exp(-top) + np.exp(gaps - top[:, :, None]).sum(axis=2))
        return total


def picks_ball(picks: Sequence[ChosenPlace], values: Mapping[Indeterminate, Number], rate: Callable[[int, Fraction], Any]) -> Any:
    """The probability that these places were chosen, for certain; `rate` is exp(gap/scale) at a site as a ball."""
    sums = [[rate(pick.draw.site, Fraction(gap.at(values))) for gap in pick.gaps] for pick in picks]
    return math.prod(1 / (1 + sum(gaps)) for gaps in sums)


def coins_ball(coins: Sequence[CoinCount], shrink: Callable[[int], Any]) -> Any:
    """The probability that all coins fell so, for certain; `shrink` is exp(−1/scale) of a site as a ball."""
    return math.prod(shrink(c.site) ** c.ones / (1 + shrink(c.site)) ** c.total for c in coins)


def count_coins(coins: Mapping[NoiseAt, Sequence[Atom]]) -> tuple[CoinCount, ...]:
    """How the coins fell that some comparisons pin, site by site."""
    fell: dict[int, list[int]] = {}
    for coin, atoms in coins.items():
        (value,) = (v for v in (0, 1) if all(atom.holds({coin: v}) for atom in atoms))
        fell.setdefault(coin.site, []).append(value)
    return tuple(CoinCount(site, sum(values), len(values)) for site, values in sorted(fell.items()))
