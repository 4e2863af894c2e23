"""Where draws have to be made, so that an example's loss is known: at some scales, and wherever it is near ε.

Weighted runs say nothing of scales that are far from those they were drawn for, and nothing is not "no loss". So
proposals are found step by step, each fitted to all runs so far (adaptive multiple importance sampling; Cornuet and
others, 2012): first from more noise to the scales of an example's home, then from there along the scales at which the
example is tight. What is found is a proposal; the losses come from draws that no fit has seen.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import field
from functools import lru_cache

import numpy as np

from kolahal.engine.noise import Array
from kolahal.engine.paired import Pool, Proposal, Sampled, TiltPair, draw, run_batch
from kolahal.engine.probe import coefficients
from kolahal.engine.tape import Tape
from kolahal.lang.sketch import Sketch
from kolahal.model import Example, Scales
from kolahal.nouns import dataclass

LADDER = (1.0, 2.0)  # scales over those that a proposal is fitted to, in a quarter of its lanes
LEVELS = (1.0, 1.5, 3.0, 8.0)  # times the scales that are asked about: more noise makes a rare event common
ENOUGH_HITS = 200  # to begin with; where there are fewer,
MANY = 8  # times as many runs are made
STEPS = 6  # fits, at most, from the largest level to the last
READY = 60.0  # equal weights to which a proposal for the next level is fitted
SETTLED = 300.0  # and to which the last one was, so that another would not be better

STEP = 2.0  # between neighbours of a lattice of scales around an example's home
KNOWN = 300.0  # equal weights, from which the loss at scales is known
EDGE = 15.0  # and from which a proposal for them can be fitted
FURTHEST = 6  # steps from home
FLAT = 6.0  # times above ε or below it: there a loss need not be known any better

GridPlace = tuple[int, ...]  # steps from home, a hole


@dataclass(slots=True)
class Look:
    """An example on draws that are made for it, batch by batch."""

    sketch: Sketch
    example: Example
    scales: Scales  # home
    key: tuple[int, ...]  # of the noise, of which each batch has its own
    runs: int  # of a batch
    pool: Pool

    @classmethod
    def at(cls, sketch: Sketch, example: Example, scales: Scales, key: tuple[int, ...], runs: int) -> Look:
        return cls(sketch, example, scales, key, runs, Pool(sketch, tuple(scale > 0 for scale in scales)))

    def add(self, proposal: Proposal, times: int = 1) -> Sampled:
        """All batches, and one more."""
        tape = _tape((*self.key, len(self.pool.batches)), times * self.runs)
        drawn = draw(self.sketch, self.pool.noisy, proposal, tape)
        self.pool.add(run_batch(self.sketch, self.example, self.pool.noisy, drawn))
        return self.pool.sampled()

    def add_at(self, scales: Scales, tilts: TiltPair) -> Sampled:
        return self.add(Proposal(around(scales, LADDER), (tilts,)))


@lru_cache(maxsize=2 * (STEPS + 2))  # one look after the other meets the same noise
def _tape(key: tuple[int, ...], runs: int) -> Tape:
    return Tape(key, runs)


def around(scales: Scales, rungs: tuple[float, ...]) -> Array:
    """A ladder of scales around those that are given."""
    return np.array([[max(scale, 1e-9) * rung for rung in rungs] for scale in scales])


def look_closely(sketch: Sketch, example: Example, scales: Scales, key: tuple[int, ...], runs: int) -> tuple[Look, Sampled]:
    """An example on draws that are fitted to it at some scales, level by level."""
    look = Look.at(sketch, example, scales, key, runs)
    wide = Proposal(LEVELS[-1] * around(scales, (0.4, 1.0)))
    found = look.add(wide)
    if min(draws.runs for draws in found.draws) < ENOUGH_HITS:
        found = look.add(wide, MANY)
    levels = [tuple(level * scale for scale in scales) for level in LEVELS]
    for _ in range(STEPS):
        worth = found.effective(levels)
        if worth[0] >= SETTLED:
            break
        place = next((place for place, enough in enumerate(worth) if enough >= READY), int(np.argmax(worth)))
        tilts = found.tilted_to(levels[place])
        if tilts is None:
            break
        found = look.add_at(levels[place], tilts)
    return look, found


@dataclass(slots=True)
class TightWalk:
    """What is known of an example's loss at the places of a lattice, and the proposals that told it."""

    look: Look
    found: Sampled
    tilts: list[TiltPair] = field(default_factory=list)
    known: dict[GridPlace, float] = field(default_factory=dict)  # how far from tight
    edge: dict[GridPlace, tuple[float, float]] = field(default_factory=dict)  # the same, and effective runs
    ways: list[GridPlace] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Steps: more noise or less at one hole, from one hole to another, at all holes."""
        noisy = [int(scale > 0) for scale in self.look.scales]
        steps = itertools.product(*((-1, 0, 1) if on else (0,) for on in noisy))
        all_alike = [tuple(way * on for on in noisy) for way in (-1, 1)]
        self.ways = [s for s in steps if sum(map(abs, s)) == 1 or (sum(s) == 0 and sum(map(abs, s)) == 2) or s in all_alike]

    def scales(self, place: GridPlace) -> Scales:
        return tuple(scale * STEP**steps for scale, steps in zip(self.look.scales, place, strict=True))

    def visit(self, place: GridPlace) -> None:
        """Make draws for a place, and read off what all draws tell of those around it, as far as they reach."""
        scales = self.scales(place)
        tilts = self.found.tilted_to(scales)
        self.edge.pop(place, None)
        self.known.setdefault(place, math.inf)
        if tilts is None:
            return
        self.tilts.append(tilts)
        self.found = self.look.add_at(scales, tilts)
        waiting = {*self.edge, *self._around(place)}
        while waiting:
            places = sorted(waiting)
            waiting = set()
            for other, far, worth in zip(places, *self._read(places), strict=True):
                if worth >= KNOWN:
                    self.known[other] = far
                    self.edge.pop(other, None)
                    waiting |= self._around(other) if far <= math.log(FLAT) else set()
                else:
                    self.edge[other] = far, worth
            waiting -= self.known.keys() | self.edge.keys()

    def next(self) -> GridPlace | None:
        """Of the places at the edge the one nearest to tight, if a proposal can be fitted to it."""
        near = [(far, place) for place, (far, worth) in self.edge.items() if worth >= EDGE]
        if not near or (min(near)[0] > math.log(FLAT) > min(self.known.values())):
            return None
        return min(near)[1]

    def _around(self, place: GridPlace) -> set[GridPlace]:
        found = {tuple(a + b for a, b in zip(place, way, strict=True)) for way in self.ways}
        return {near for near in found - self.known.keys() if max(map(abs, near)) <= FURTHEST}

    def _read(self, places: list[GridPlace]) -> tuple[list[float], list[float]]:
        """How far from tight an example is, as the logarithm of its loss over ε, and what the runs are worth."""
        rows = coefficients(self.look.sketch, np.array([self.scales(place) for place in places]), self.look.pool.noisy)
        first, second = (side.weights(rows) for side in (self.found.paired.first, self.found.paired.second))
        with np.errstate(all="ignore"):
            s1, s2 = (w.sum(axis=1, dtype=np.float64) for w in (first, second))
            squares = (np.einsum("ij,ij->i", w, w, dtype=np.float64) for w in (first, second))
            worth = [np.nan_to_num(s**2 / square) for s, square in zip((s1, s2), squares, strict=True)]
            losses = np.abs(np.log(s1) - np.log(s2)) / float(self.look.example.arguments.epsilon)
            far = np.nan_to_num(np.abs(np.log(np.maximum(losses, 1e-9))), nan=math.inf, posinf=math.inf)
        return far.tolist(), np.minimum(*worth).tolist()


def walk(sketch: Sketch, example: Example, home: Scales, key: tuple[int, ...], runs: int, most: int) -> TightWalk:
    """Proposals for an example: at its home, and along where it is tight."""
    found = TightWalk(*look_closely(sketch, example, home, key, runs))
    place: GridPlace | None = tuple(0 for _ in home)
    while place is not None and len(found.tilts) < most:
        found.visit(place)
        place = found.next()
    return found
