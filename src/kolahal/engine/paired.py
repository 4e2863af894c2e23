"""Both probabilities of an example from one set of draws, for any scales: importance sampling that reaches rare events.

The draws come from a mixture: a ladder of plain scales, which serves every candidate, and noise tilted to where the
example's event happens. Every run is weighed by the density of the whole mixture, so no part can do harm. Both databases
meet the same draws: of their two probabilities the ratio is wanted, and the luck that they share cancels in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kolahal.engine.engines import RUNS_WORTH_COMPILING, choose_engine
from kolahal.engine.noise import Array
from kolahal.engine.outputs import hits
from kolahal.engine.probe import DOUBT, Losses, NoisyHoles, Side, coefficients, log_mixture, log_of_sum, noisy_norms
from kolahal.engine.tape import Tape, stream
from kolahal.engine.tilt import Draws, Tilt, TiltedTape, fit_tilt, holes_by_site, join_draws, middles_of, spread_draws
from kolahal.lang.sketch import Sketch
from kolahal.model import Example, Scales
from kolahal.nouns import dataclass

RunPlaces = NDArray[np.intp]
FEWEST_HITS = 12  # to which a proposal is fitted
TILTED = 0.75  # the share of the lanes that are tilted
FIRST = 0.4  # and of these, that of the first tilt
FEWEST_EFFECTIVE = 50.0  # equal weights, below which weighted runs say nothing
DOUBTFUL = 10.0  # over the square root of their number: by how much more than it seems an error may be

TiltPair = tuple[Tilt, Tilt]  # for d1 and for d2


@dataclass(frozen=True, slots=True)
class Proposal:
    """How the draws are made: a ladder of scales a hole, and tilts, each for the two databases."""

    ladder: Array  # (holes, rungs)
    tilts: tuple[TiltPair, ...] = ()

    def lanes(self, runs: int) -> list[slice]:
        """Those on the ladder, those of the first tilt, which matters most, and then those of each other."""
        tilted = int(TILTED * runs) if self.tilts else 0
        first = tilted if len(self.tilts) == 1 else int(FIRST * tilted)
        others = max(1, len(self.tilts) - 1)
        ends = [0, runs - tilted, *(runs - (tilted - first) * left // others for left in range(others, -1, -1))]
        return [slice(a, b) for a, b in pairwise(ends[: 2 + len(self.tilts)])]


@dataclass(frozen=True, slots=True)
class PairedHits:
    """The runs that hit an event on either database, and which of them hit it on both."""

    first: Side
    second: Side
    both: tuple[RunPlaces, RunPlaces]  # among the hits of the first, and of the second

    def probabilities(self, rows: Array) -> tuple[Array, Array]:
        """P on d1 and on d2, for rows of coefficients."""
        first, second = (side.probabilities(rows)[0] for side in (self.first, self.second))
        return first, second

    def losses(self, rows: Array) -> Losses:
        """|log p1 − log p2| for rows of coefficients, with bounds at DOUBT standard errors of the ratio."""
        w1, w2 = self.first.weights(rows), self.second.weights(rows)
        with np.errstate(all="ignore"):
            s1, s2 = (w.sum(axis=1, dtype=np.float64) for w in (w1, w2))
            own1, own2 = (np.einsum("ij,ij->i", w, w, dtype=np.float64) / s**2 for w, s in ((w1, s1), (w2, s2)))
            shared = np.einsum("ij,ij->i", w1[:, self.both[0]], w2[:, self.both[1]], dtype=np.float64) / (s1 * s2)
            value = np.abs(np.log(s1) - np.log(s2))
            # Few runs that carry the weight cannot say how much they may be wrong either.
            enough = 1 / np.maximum(own1, own2)
            blur = np.where(enough < FEWEST_EFFECTIVE, np.inf, 1 + DOUBTFUL / np.sqrt(enough))
            spread = DOUBT * blur * np.sqrt(np.maximum(own1 + own2 - 2 * shared, 0.0))
            # Where only one side hits, so many runs would have shown a probability of the other above 3 over their number.
            alone = np.maximum(0.0, np.log(1 / np.where(s1 > 0, own1, own2) / 3))
        neither, both = (s1 == 0) & (s2 == 0), (s1 > 0) & (s2 > 0)
        low = np.where(both, np.maximum(0.0, value - spread), np.where(neither, 0.0, alone))
        high = np.where(both, value + spread, np.where(neither, 0.0, np.inf))
        return Losses(np.where(neither, 0.0, value), low, high)


@dataclass(frozen=True, slots=True)
class Sampled:
    """One example on one set of draws."""

    sketch: Sketch
    noisy: NoisyHoles
    draws: tuple[Draws, Draws]  # of the runs that hit, on d1 and on d2
    paired: PairedHits

    def tilted_to(self, scales: Scales) -> TiltPair | None:
        """Noise of these scales, tilted to where either side hits, if enough runs do.

        Both tilts have the spread of one side, so that draws which correspond have equal densities: where d2 only moves
        the draws that lead to the event, the weights of a run on d1 and on d2 then rise and fall together.
        """
        rows = coefficients(self.sketch, np.array([scales]), self.noisy)
        sides = [
            (draws, weights)
            for side, draws in zip((self.paired.first, self.paired.second), self.draws, strict=True)
            if len(weights := side.weights(rows)[0].astype(float)) >= FEWEST_HITS and weights.sum() > 0
        ]
        if not sides:
            return None
        fitted = fit_tilt(*sides[0], scales, holes_by_site(self.sketch, self.noisy))
        return fitted, fitted.moved_to(middles_of(*sides[-1]))

    def effective(self, scales: Sequence[Scales]) -> Array:
        """For each vector of scales, how many equal weights the hits of the poorer side are worth."""
        rows = coefficients(self.sketch, np.array(scales), self.noisy)
        found = [side.weights(rows).astype(float) for side in (self.paired.first, self.paired.second)]
        with np.errstate(all="ignore"):
            worth = [np.nan_to_num(w.sum(axis=1) ** 2 / np.einsum("ij,ij->i", w, w)) for w in found]
        poorer: Array = np.minimum(*worth)
        return poorer


@dataclass(frozen=True, slots=True)
class PairedRuns:
    """The runs on draws of one proposal that hit an example's event."""

    proposal: Proposal
    runs: int
    draws: tuple[Draws, Draws]  # on d1 and on d2
    both: tuple[RunPlaces, RunPlaces]  # which of them hit on both, among those on d1 and on d2


@dataclass(frozen=True, slots=True)
class ProposedDraws:
    """What a proposal draws on a tape, for d1 and for d2, whatever these are."""

    proposal: Proposal
    tapes: tuple[TiltedTape, TiltedTape]


def draw(sketch: Sketch, noisy: NoisyHoles, proposal: Proposal, plain: Tape) -> ProposedDraws:
    """The draws of a proposal."""
    runs, (holes, rungs), shares = plain.runs, proposal.ladder.shape, proposal.lanes(plain.runs)
    rng = stream(plain.key[0], "rungs", *map(int, plain.key[1:]))
    scales = np.take_along_axis(proposal.ladder, rng.integers(0, rungs, (holes, runs)), axis=1)
    for lanes, tilts in zip(shares[1:], proposal.tilts, strict=True):
        scales[:, lanes] = np.array(tilts[0].scales)[:, None]
    by_site = holes_by_site(sketch, noisy)

    def on(place: int) -> TiltedTape:
        tilts = (pair[place] for pair in proposal.tilts)
        tilted = tuple((lanes, tilt.draw(plain, lanes)) for lanes, tilt in zip(shares[1:], tilts, strict=True))
        return TiltedTape(plain.key, runs, plain=plain, holes=by_site, scales=scales, tilted=tilted)

    return ProposedDraws(proposal, (on(0), on(1)))


def run_batch(sketch: Sketch, example: Example, noisy: NoisyHoles, drawn: ProposedDraws) -> PairedRuns:
    """Run both databases of an example on draws of a proposal."""
    engine, found, draws = choose_engine(sketch, RUNS_WORTH_COMPILING), [], []
    for tape, database in zip(drawn.tapes, (example.d1, example.d2), strict=True):
        outputs, used = engine.run_with_draws(sketch, database, example.arguments, [float(on) for on in noisy], tape)
        found.append(hits(example.event, outputs))
        draws.append(tape.draws(found[-1], used))
    both = found[0] & found[1]
    places = (np.flatnonzero(both[found[0]]), np.flatnonzero(both[found[1]]))
    return PairedRuns(drawn.proposal, drawn.tapes[0].runs, (draws[0], draws[1]), places)


@dataclass(slots=True)
class Pool:
    """Batches of runs as one: each run is weighed by the density of all that was drawn from, in its share."""

    sketch: Sketch
    noisy: NoisyHoles
    batches: list[PairedRuns] = field(default_factory=list)
    draws: list[Draws] = field(default_factory=list)  # on d1 and on d2
    densities: list[Array] = field(default_factory=list)  # of theirs, the logarithms, times the number of runs

    @property
    def runs(self) -> int:
        return sum(batch.runs for batch in self.batches)

    def add(self, batch: PairedRuns) -> None:
        before, self.batches = self.batches, [*self.batches, batch]
        if not before:
            self.draws = list(batch.draws)
            self.densities = [self._density((batch,), place, draws) for place, draws in enumerate(self.draws)]
            return
        for place in (0, 1):
            old, new = spread_draws((self.draws[place], batch.draws[place]))
            known = log_of_sum(np.array([self.densities[place], self._density((batch,), place, old)]))
            self.densities[place] = np.concatenate([known, self._density(self.batches, place, new)])
            self.draws[place] = join_draws((old, new))

    def _density(self, batches: Sequence[PairedRuns], place: int, draws: Draws) -> Array:
        """Of draws on one side in all lanes of some batches."""
        found, by_site = [], holes_by_site(self.sketch, self.noisy)
        for batch in batches:
            lanes = [np.log(lane.stop - lane.start) for lane in batch.proposal.lanes(batch.runs)]
            found.append(lanes[0] + _ladder_density(self.sketch, self.noisy, batch.proposal.ladder, draws.statistics))
            tilts = (pair[place] for pair in batch.proposal.tilts)
            found += [many + tilt.log_density(draws, by_site) for many, tilt in zip(lanes[1:], tilts, strict=True)]
        return log_of_sum(np.array(found))

    def sampled(self) -> Sampled:
        sides = [
            Side(draws.statistics.astype(np.float32), (density - np.log(self.runs)).astype(np.float32), self.runs)
            for draws, density in zip(self.draws, self.densities, strict=True)
        ]
        both = []
        for place in (0, 1):
            starts = np.cumsum([0, *(batch.draws[place].runs for batch in self.batches[:-1])])
            both.append(np.concatenate([s + batch.both[place] for s, batch in zip(starts, self.batches, strict=True)]))
        paired = PairedHits(sides[0], sides[1], (both[0], both[1]))
        return Sampled(self.sketch, self.noisy, (self.draws[0], self.draws[1]), paired)


def sample(sketch: Sketch, example: Example, noisy: NoisyHoles, proposal: Proposal, plain: Tape) -> Sampled:
    """One batch alone."""
    return sample_on(sketch, example, noisy, draw(sketch, noisy, proposal, plain))


def sample_on(sketch: Sketch, example: Example, noisy: NoisyHoles, drawn: ProposedDraws) -> Sampled:
    """One batch alone, on draws that were made before."""
    pool = Pool(sketch, noisy)
    pool.add(run_batch(sketch, example, noisy, drawn))
    return pool.sampled()


def _ladder_density(sketch: Sketch, noisy: NoisyHoles, ladder: Array, statistics: Array) -> Array:
    """The log-density of some runs' draws on the ladder."""
    total = np.zeros(statistics.shape[1])
    for hole, log_norm in noisy_norms(sketch, noisy).items():
        total += log_mixture(ladder[hole], log_norm, statistics[hole], statistics[len(ladder) + hole])
    return total
