"""Noise drawn where an event happens: proposals for importance sampling that are fitted to the runs which hit it.

The runs of a path are a convex set of draws, and the densities of noise are log-concave: the draws that lead to an event
lie around one middle. A proposal that has the middle and the covariance of the hits makes a rare event common.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from kolahal.engine.batch import Used
from kolahal.engine.noise import FAMILIES, Array
from kolahal.engine.outputs import Mask
from kolahal.engine.tape import Tape, Turns
from kolahal.lang.ir import Hole
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.model import Scales
from kolahal.nouns import dataclass

Address = tuple[Noise, int, Turns]
NARROWEST = 0.2  # spread, in scales: few hits lie closer together than the event does
LEVELS = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)  # quantiles at which hits may be densest
ENOUGH_TO_SORT = 1_500  # hits, from which the skew is read
NEARLY = 1e-6  # sums that differ by no more, for their size, are the same
SINGLE_THREAD = 200_000  # multiplications; OpenBLAS starts threads from 2^18
TRUST = 10.0  # hits a draw that count as much as the assumption that draws are independent


def tiltable(address: Address) -> bool:
    """Whole noise is drawn as it is: its draws are made of two variates, or are rounded."""
    return not address[0].whole


@dataclass(frozen=True, slots=True)
class Draws:
    """What some runs drew at the holes, in the order in which a run does it, and whether it made that draw at all."""

    addresses: tuple[Address, ...]
    values: Array  # (addresses, runs)
    made: Mask  # (addresses, runs)
    statistics: Array  # (2 × holes, runs): Σ|draw| at each hole, and then the number of draws

    @property
    def runs(self) -> int:
        return int(self.values.shape[1])

    def at(self, addresses: tuple[Address, ...]) -> Draws:
        """The same among more addresses."""
        values, made = np.zeros((len(addresses), self.runs)), np.zeros((len(addresses), self.runs), dtype=bool)
        rows = [addresses.index(address) for address in self.addresses]
        values[rows], made[rows] = self.values, self.made
        return Draws(addresses, values, made, self.statistics)


def spread_draws(parts: Sequence[Draws]) -> list[Draws]:
    """Some draws, each at every address of any of them."""
    addresses = tuple(sorted({a for part in parts for a in part.addresses}, key=_in_order))
    return [part if part.addresses == addresses else part.at(addresses) for part in parts]


def join_draws(parts: Sequence[Draws]) -> Draws:
    """The draws of several sets of runs at the same addresses."""
    return Draws(
        parts[0].addresses,
        np.concatenate([part.values for part in parts], axis=1),
        np.concatenate([part.made for part in parts], axis=1),
        np.concatenate([part.statistics for part in parts], axis=1),
    )


def _in_order(address: Address) -> tuple[Turns, int]:
    """As runs draw."""
    return address[2], address[1]


@dataclass(frozen=True, slots=True)
class Tilt:
    """Where noise is drawn instead: around a middle, two-sided noise with the covariance of the hits."""

    scales: Scales  # a hole, of the draws that are not tilted
    middles: Mapping[Address, float] = field(default_factory=dict)
    spreads: Mapping[Address, float] = field(default_factory=dict)  # of one-sided noise
    joint: tuple[Address, ...] = ()  # two-sided noise
    factor: Array = field(default_factory=lambda: np.zeros((0, 0)))  # of its covariance, lower triangle
    skew: Array = field(default_factory=lambda: np.ones((3, 0)))  # of what it multiplies: peaks, and spreads on both sides
    inverse: Array = field(init=False, compare=False, repr=False)  # of the factor

    def __post_init__(self) -> None:
        object.__setattr__(self, "inverse", _inverse(self.factor))

    def draw(self, plain: Tape, lanes: slice) -> dict[Address, Array]:
        """The draws of some lanes at all addresses of the tilt."""
        drawn: dict[Address, Array] = {}
        if self.joint:
            tails = np.array([plain.log_tails(*address)[:, lanes] for address in self.joint])
            moved = _times(self.factor, _skewed(tails, self.skew))
            drawn = {a: self.middles[a] + row for a, row in zip(self.joint, moved, strict=True)}
        for address, spread in self.spreads.items():
            units = plain.units(*address)[0, lanes]
            signs = 1.0 - 2.0 * (units.view(np.uint64) & np.uint64(1))  # the last bit tells nothing of the size
            drawn[address] = np.abs(self.middles[address] + spread * signs * units)
        return drawn

    def log_density(self, draws: Draws, holes: Mapping[int, int]) -> Array:
        """Of the draws that some runs made. Those that are tilted together are in the order in which runs make them, so
        that a run which ends early made the first of them, and the factor's triangle is what it takes to leave out the rest.
        """
        total = np.zeros(draws.runs)
        if self.joint:
            places = [draws.addresses.index(address) for address in self.joint]
            middles = np.array([self.middles[address] for address in self.joint])[:, None]
            units = _times(self.inverse, draws.values[places] - middles)
            units -= self.skew[0][:, None]
            steep = np.maximum(units / -self.skew[1][:, None], units / self.skew[2][:, None])
            steep += np.log(np.diag(self.factor) * (self.skew[1] + self.skew[2]))[:, None]
            total -= np.einsum("ij,ij->j", steep, draws.made[places])
        for place, address in enumerate(draws.addresses):
            values = draws.values[place]
            if address in self.spreads:
                middle, spread = self.middles[address], self.spreads[address]
                near, mirrored = (-np.abs(values - way * middle) / spread for way in (1, -1))
                density = np.logaddexp(near, mirrored) - math.log(2 * spread)
            elif address not in self.middles:
                scale = self.scales[holes[address[1]]]
                density = -np.abs(values) / scale - FAMILIES[address[0]].log_norm(np.array(scale))
            else:
                continue
            total += np.where(draws.made[place], density, 0.0)
        return total

    def moved_to(self, middles: Mapping[Address, float]) -> Tilt:
        """The same spreads around other middles, where there are some."""
        return replace(self, middles={a: middles.get(a, middle) for a, middle in self.middles.items()})

    def at(self, holes: Mapping[int, int]) -> Tilt:
        """The same for other holes with noise: what it says of theirs; as much as at the noisiest where it says nothing."""
        kept = [place for place, address in enumerate(self.joint) if address[1] in holes]
        covariance = (self.factor @ self.factor.T)[np.ix_(kept, kept)]
        return Tilt(
            tuple(scale or max(self.scales) for scale in self.scales),
            {address: middle for address, middle in self.middles.items() if address[1] in holes},
            {address: spread for address, spread in self.spreads.items() if address[1] in holes},
            tuple(self.joint[place] for place in kept),
            _triangle(covariance) if kept else np.zeros((0, 0)),
            self.skew[:, kept],
        )


def fit_tilt(draws: Draws, weights: Array, scales: Scales, holes: Mapping[int, int]) -> Tilt:
    """Noise like that of weighted hits."""
    weights = weights / weights.sum()
    enough = 1 / float((weights**2).sum())  # equal weights would be this many
    values = {a: row for a, row in zip(draws.addresses, draws.values, strict=True) if tiltable(a)}
    own = {address: scales[holes[address[1]]] for address in values}
    middles = middles_of(draws, weights)
    joint = tuple(address for address in own if not address[0].one_sided)
    spreads = {
        a: max(NARROWEST * own[a], float(weights @ np.abs(values[a] - middles[a]))) for a in own if a[0].one_sided
    }
    away = [values[a] - middles[a] for a in joint]
    factor = _factor(away, weights, enough, [own[a] for a in joint])
    skew = _fit_skew(_times(_inverse(factor), np.array(away)), weights) if joint else np.ones((3, 0))
    return Tilt(scales, middles, spreads, joint, factor, skew)


def middles_of(draws: Draws, weights: Array) -> dict[Address, float]:
    """Where weighted hits lie."""
    means = np.einsum("ij,j->i", draws.values, weights / weights.sum())
    return {address: float(mean) for address, mean in zip(draws.addresses, means, strict=True) if tiltable(address)}


# Draws that must not cross a bound lie to one side of it: most hits have variates that are as good as exponential.


def _fit_skew(units: Array, weights: Array) -> Array:
    """The likeliest asymmetric Laplace variates: for each row its peak, and its spreads to the left and to the right."""
    if units.shape[1] > ENOUGH_TO_SORT:  # as many of equal weight
        steps = (np.arange(ENOUGH_TO_SORT) + 0.5) / ENOUGH_TO_SORT
        units = units[:, np.searchsorted(np.cumsum(weights), steps * weights.sum())]
        weights = np.full(ENOUGH_TO_SORT, 1 / ENOUGH_TO_SORT)
    best, found = np.full(len(units), -np.inf), np.ones((3, len(units)))
    order = np.argsort(units, axis=1)
    shares = np.cumsum(weights[order], axis=1)
    for level in LEVELS:
        places = np.minimum((shares < level).sum(axis=1), units.shape[1] - 1)
        peaks = np.take_along_axis(units, np.take_along_axis(order, places[:, None], axis=1), axis=1)
        right, left = (np.maximum(way * (units - peaks), 0.0) @ weights for way in (1, -1))
        both = np.sqrt(right) + np.sqrt(left)
        spreads = [np.maximum(np.sqrt(part) * both, NARROWEST) for part in (left, right)]
        fit = -np.log(spreads[0] + spreads[1]) - left / spreads[0] - right / spreads[1]
        found = np.where(fit > best, np.array([peaks[:, 0], *spreads]), found)
        best = np.maximum(fit, best)
    return found


def _skewed(tails: Array, skew: Array) -> Array:
    """Laplace variates, given by the logarithms of their tails, as skewed ones, in their order: (variates, lanes)."""
    peak, left, right = skew[:, :, None]
    below, above = (tails[:, side] + np.log((left + right) / way) for side, way in ((0, left), (1, right)))
    result: Array = peak + np.where(below < 0, left * below, -right * above)
    return result


def _factor(away: Sequence[Array], weights: Array, enough: float, scales: Sequence[float]) -> Array:
    """What independent unit variates, of variance 2, are multiplied with to have the covariance of the hits."""
    if not away:
        return np.zeros((0, 0))
    rows = np.array(away)
    covariance = np.einsum("ij,kj->ik", rows * weights, rows)
    variances = np.maximum(np.diag(covariance), 2 * (NARROWEST * np.array(scales)) ** 2)
    shrunk = enough / (enough + TRUST * len(rows)) * covariance
    np.fill_diagonal(shrunk, variances)
    return _triangle(shrunk / 2)


def _triangle(covariance: Array) -> Array:
    return np.asarray(np.linalg.cholesky(covariance), dtype=np.float64)


def _inverse(factor: Array) -> Array:
    return np.asarray(np.linalg.inv(factor), dtype=np.float64)


def _times(small: Array, wide: Array) -> Array:
    """A product of matrices, in parts that are too small for the threads of a library: to start them takes longer than to multiply."""
    rows, inner = small.shape
    product, step = np.empty((rows, wide.shape[1])), max(1, SINGLE_THREAD // max(1, rows * inner))
    for start in range(0, wide.shape[1], step):
        np.matmul(small, wide[:, start : start + step], out=product[:, start : start + step])
    return product


def holes_by_site(sketch: Sketch, noisy: Sequence[bool]) -> dict[int, int]:
    """The hole of each site whose hole has noise."""
    draws = ((draw.site, draw.scale) for draw in sketch.draws)
    return {site: scale.index for site, scale in draws if isinstance(scale, Hole) and noisy[scale.index]}


@dataclass(frozen=True, slots=True)
class TiltedTape(Tape):
    """Draws of holes instead of units, so that every lane may have scales of its own, and some lanes are tilted."""

    plain: Tape = field(default_factory=lambda: Tape((0,), 1))
    holes: Mapping[int, int] = field(default_factory=dict)  # by site
    scales: Array = field(default_factory=lambda: np.zeros((0, 0)))  # (holes, runs): what each run draws with
    tilted: tuple[tuple[slice, Mapping[Address, Array]], ...] = ()  # lanes, and what they draw

    def units(self, noise: Noise, site: int, turns: Turns) -> Array:
        """What is drawn at an address; the scale to go with it is 1, where the site is a hole's."""
        address = (noise, site, turns)
        if site not in self.holes:
            return self.plain.units(noise, site, turns)
        if address not in self._drawn:
            drawn = self.plain.units(noise, site, turns) * self.scales[self.holes[site]]
            for lanes, draws in self.tilted:
                if address in draws:
                    drawn[0, lanes] = draws[address]
            self._drawn[address] = drawn
        return self._drawn[address]

    def draws(self, runs: Mask, used: Used) -> Draws:
        """What some runs drew, at every address of a hole that anyone has asked for, or that is tilted."""
        for _, tilted in self.tilted:
            for address in tilted:
                self.units(*address)
        addresses = tuple(sorted(self._drawn, key=_in_order))
        places = np.flatnonzero(runs)
        values = np.zeros((len(addresses), len(places)))
        for place, address in enumerate(addresses):
            values[place] = FAMILIES[address[0]].value(1.0, list(self._drawn[address].take(places, axis=1)), np.floor)
        sums, counts = used.sums.take(places, axis=1), used.counts.take(places, axis=1)
        made = np.arange(len(addresses))[:, None] < counts.sum(axis=0)
        counted = np.concatenate([sums, counts])
        # A run that leaves out draws in the middle is taken to have made all of them, which is as true and less precise.
        found = self._statistics(addresses, np.where(made, np.abs(values), 0.0), made, len(used.sums))
        if (np.abs(found - counted) <= NEARLY * (1 + counted)).all():
            return Draws(addresses, values, made, found)
        all_made = np.ones_like(made)
        return Draws(addresses, values, all_made, self._statistics(addresses, np.abs(values), all_made, len(used.sums)))

    def _statistics(self, addresses: tuple[Address, ...], sizes: Array, made: Mask, holes: int) -> Array:
        found = np.zeros((2, holes, sizes.shape[1]))
        for hole in range(holes):
            own = [place for place, address in enumerate(addresses) if self.holes[address[1]] == hole]
            if own:
                found[0, hole], found[1, hole] = sizes[own].sum(axis=0), made[own].sum(axis=0)
        return found.reshape(2 * holes, -1)
