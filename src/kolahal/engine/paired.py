"""Both probabilities of an example from one set of draws, for any scales: importance sampling that reaches rare events.

The draws come from a mixture: a ladder of plain scales, which serves every candidate, and noise tilted to where the
example's event happens. Every run is weighed by the density of the whole mixture, so no part can do harm. Both databases
meet the same draws: of their two probabilities the ratio is wanted, and the luck that they share cancels in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kolahal.engine.engines import RUNS_WORTH_COMPILING, choose_engine
from kolahal.engine.noise import Array
from kolahal.engine.outputs import hits
from kolahal.engine.probe import (
    DOUBT,
    Losses,
    NoisyHoles,
    Probe,
    Side,
    coefficients,
    log_mixture,
    noisy_norms,
    proposal_scales,
    tape_of,
)
from kolahal.engine.tape import Tape, stream
from kolahal.engine.tilt import Draws, Tilt, TiltedTape, fit_tilt, holes_by_site, middles_of
from kolahal.lang.sketch import Sketch
from kolahal.model import Estimate, Example, Odds, Scales, Selected
from kolahal.settings import Settings

Places = NDArray[np.intp]
FEWEST_HITS = 12  # to which a proposal is fitted
LOCAL_LADDER = (1.0, 1.0, 1.0, 2.5)  # scales over those that are asked about
ENOUGH_HITS = 200  # to begin with; where there are fewer,
MANY = 8  # times as many runs are made
LEVELS = (1.0, 1.5, 3.0, 8.0)  # times the scales that are asked about: more noise makes a rare event common
STEPS = 5  # fits, at most, from the largest level to the last
READY = 60.0  # equal weights to which a proposal for the next level is fitted
SETTLED = 300.0  # and to which the last one was, so that another would not be better
MORE = 2.5  # times the noise of an example's home, for which there are tilts too
TILTED = 0.75  # the share of the lanes that are tilted
FEWEST_EFFECTIVE = 50.0  # equal weights, below which weighted runs say nothing
DOUBTFUL = 10.0  # over the square root of their number: by how much more than it seems an error may be
ROWS = 16  # candidates that are weighed at a time: their weights stay in the cache

TiltPair = tuple[Tilt, Tilt]  # for d1 and for d2


@dataclass(frozen=True, slots=True)
class Proposal:
    """How the draws are made: a ladder of scales a hole, and tilts, each for the two databases."""

    ladder: Array  # (holes, rungs)
    tilts: tuple[TiltPair, ...] = ()

    def lanes(self, runs: int) -> list[slice]:
        """Those on the ladder, and then those of each tilt."""
        first = runs - int(TILTED * runs) if self.tilts else runs
        ends = np.linspace(first, runs, len(self.tilts) + 1).astype(int).tolist()
        return [slice(0, first), *(slice(a, b) for a, b in pairwise(ends))]


@dataclass(frozen=True, slots=True)
class PairedHits:
    """The runs that hit an event on either database, and which of them hit it on both."""

    first: Side
    second: Side
    both: tuple[Places, Places]  # among the hits of the first, and of the second

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


def sample(sketch: Sketch, example: Example, noisy: NoisyHoles, proposal: Proposal, plain: Tape) -> Sampled:
    """Run both databases of an example on draws of a proposal."""
    runs, (holes, rungs), shares = plain.runs, proposal.ladder.shape, proposal.lanes(plain.runs)
    rng = stream(plain.key[0], "rungs", *map(int, plain.key[1:]))
    scales = np.take_along_axis(proposal.ladder, rng.integers(0, rungs, (holes, runs)), axis=1)
    for lanes, tilts in zip(shares[1:], proposal.tilts, strict=True):
        scales[:, lanes] = np.array(tilts[0].scales)[:, None]
    by_site, engine = holes_by_site(sketch, noisy), choose_engine(sketch, RUNS_WORTH_COMPILING)
    sides, found, draws = [], [], []
    for place, database in enumerate((example.d1, example.d2)):
        tilts_here = [pair[place] for pair in proposal.tilts]
        tilted = tuple((lanes, tilt.draw(plain, lanes)) for lanes, tilt in zip(shares[1:], tilts_here, strict=True))
        tape = TiltedTape(plain.key, runs, plain=plain, holes=by_site, scales=scales, tilted=tilted)
        outputs, used = engine.run_with_draws(sketch, database, example.arguments, [float(on) for on in noisy], tape)
        found.append(hits(example.event, outputs))
        draws.append(tape.draws(found[-1], used))
        statistics = draws[-1].statistics
        densities = [_ladder_density(sketch, noisy, proposal.ladder, statistics)]
        densities += [tilt.log_density(draws[-1], by_site) for tilt in tilts_here]
        weights = [np.log((lanes.stop - lanes.start) / runs) for lanes in shares]
        log_proposal = np.logaddexp.reduce([d + w for d, w in zip(densities, weights, strict=True)], axis=0)
        sides.append(Side(statistics.astype(np.float32), log_proposal.astype(np.float32), runs))
    both = found[0] & found[1]
    places = (np.flatnonzero(both[found[0]]), np.flatnonzero(both[found[1]]))
    return Sampled(sketch, noisy, (draws[0], draws[1]), PairedHits(sides[0], sides[1], places))


def _ladder_density(sketch: Sketch, noisy: NoisyHoles, ladder: Array, statistics: Array) -> Array:
    """The log-density of some runs' draws on the ladder."""
    total = np.zeros(statistics.shape[1])
    for hole, log_norm in noisy_norms(sketch, noisy).items():
        total += log_mixture(ladder[hole], log_norm, statistics[hole], statistics[len(ladder) + hole])
    return total


def look_closely(
    sketch: Sketch, example: Example, scales: Scales, plain: Tape, tilts: TiltPair | None = None
) -> Sampled:
    """An example on draws that are fitted to it at some scales: level by level, unless tilts are known that nearly fit."""
    noisy = tuple(scale > 0 for scale in scales)
    ladder = np.array([[max(scale, 1e-9) * rung for rung in LOCAL_LADDER] for scale in scales])
    if tilts is not None:
        return sample(sketch, example, noisy, Proposal(ladder, (tilts,)), plain)
    wide = Proposal(LEVELS[-1] * ladder / LOCAL_LADDER[-1])
    found = sample(sketch, example, noisy, wide, plain)
    if min(side.log_proposal.size for side in (found.paired.first, found.paired.second)) < ENOUGH_HITS:
        found = sample(sketch, example, noisy, wide, Tape((*plain.key, 1), MANY * plain.runs))
    levels = [tuple(level * scale for scale in scales) for level in LEVELS]
    for _ in range(STEPS):
        worth = found.effective(levels)
        place = next((place for place, enough in enumerate(worth) if enough >= READY), len(levels) - 1)
        tilts = found.tilted_to(levels[place])
        if tilts is None:
            break
        found = sample(sketch, example, noisy, Proposal(ladder, (tilts,)), plain)
        if worth[0] >= SETTLED:
            break
    return found


@dataclass(frozen=True, slots=True)
class TiltedProbe(Probe):
    """One set of draws an example, for all candidates, all steps, and both of its databases.

    `homes` says at which scales an example was found: there its draws are tilted to its event.
    """

    sketch: Sketch
    settings: Settings
    tape: Tape
    homes: Mapping[Example, Scales] = field(default_factory=dict)
    _tilts: dict[tuple[Example, Scales], tuple[TiltPair, ...]] = field(default_factory=dict)
    _hits: dict[tuple[Example, NoisyHoles], PairedHits] = field(default_factory=dict)
    _losses: dict[Example, dict[bytes, tuple[float, float, float]]] = field(default_factory=dict)  # rounds ask again
    _asked: dict[str, int] = field(default_factory=lambda: {"sampled": 0})

    @property
    def asked(self) -> Mapping[str, int]:
        return self._asked

    def knowing(self, found: Sequence[Selected]) -> TiltedProbe:
        """The same probe, which knows where some more examples were found."""
        return replace(self, homes={**{s.example: s.scales for s in found}, **self.homes})

    def __call__(self, scales: Scales, example: Example) -> Odds:
        noisy = tuple(scale > 0 for scale in scales)
        rows = coefficients(self.sketch, np.array([scales], dtype=float), noisy)
        sides = self._paired(example, noisy)
        p1, p2 = (self._estimate(*side.probabilities(rows)) for side in (sides.first, sides.second))
        return Odds(p1, p2)

    def _estimate(self, p: Array, error: Array) -> Estimate:
        value, spread = float(p[0]), DOUBT * float(error[0])
        return Estimate(max(0.0, value - spread), value, min(1.0, value + spread), self.tape.runs)

    def losses(self, scales: NDArray[np.float64], examples: tuple[Example, ...]) -> Losses:
        """The log-losses of many scale vectors (rows; 0 is no noise) on all examples."""
        self._asked["sampled"] += len(scales) * len(examples)
        found, keys = np.zeros((3, len(scales), len(examples))), [row.tobytes() for row in scales]
        for place, example in enumerate(examples):
            known = self._losses.setdefault(example, {})
            new = [row for row, key in enumerate(keys) if key not in known]
            measured = self._measure(scales[new], example)
            columns = zip(measured.value.tolist(), measured.low.tolist(), measured.high.tolist(), strict=True)
            known.update(zip((keys[row] for row in new), columns, strict=True))
            found[:, :, place] = np.array([known[key] for key in keys]).reshape(-1, 3).T
        return Losses(*found)

    def _measure(self, scales: NDArray[np.float64], example: Example) -> Losses:
        value, low, high = np.zeros((3, len(scales)))
        patterns = scales > 0
        for pattern in np.unique(patterns, axis=0):
            chosen = np.flatnonzero((patterns == pattern).all(axis=1))
            noisy = tuple(bool(on) for on in pattern)
            paired = self._paired(example, noisy)
            for start in range(0, len(chosen), ROWS):
                some = chosen[start : start + ROWS]
                found = paired.losses(coefficients(self.sketch, scales[some], noisy))
                value[some], low[some], high[some] = found.value, found.low, found.high
        return Losses(value, low, high)

    def _paired(self, example: Example, noisy: NoisyHoles) -> PairedHits:
        if (example, noisy) not in self._hits:
            holes = holes_by_site(self.sketch, noisy)
            tilts = tuple((first.at(holes), second.at(holes)) for first, second in self._tilts_for(example, noisy))
            ladder = np.tile(np.array(proposal_scales(self.sketch, self.settings)), (len(self.sketch.holes), 1))
            self._hits[example, noisy] = sample(self.sketch, example, noisy, Proposal(ladder, tilts), self.tape).paired
        return self._hits[example, noisy]

    def _tilts_for(self, example: Example, noisy: NoisyHoles) -> tuple[TiltPair, ...]:
        """Tilts for the scales of an example's home, and with as much noise at holes that have none there."""
        home = self.homes.get(example)
        if home is None:
            return ()
        more = [on and not scale for on, scale in zip(noisy, home, strict=True)]
        scales = tuple(max(home) if added else scale for added, scale in zip(more, home, strict=True))
        key = (example, scales)
        if key not in self._tilts:
            self._tilts[key] = self._fit(example, scales)
        return self._tilts[key]

    def _fit(self, example: Example, scales: Scales) -> tuple[TiltPair, ...]:
        """Tilts for some scales, and for more noise at one hole or at all: candidates have that too."""
        seen = look_closely(self.sketch, example, scales, Tape(self.tape.key, self.settings.examples.climb_runs))
        levels = [scales, tuple(MORE * scale for scale in scales)]
        if sum(scale > 0 for scale in scales) > 1:
            levels += [(*scales[:i], MORE * scales[i], *scales[i + 1 :]) for i in range(len(scales)) if scales[i]]
        found = [seen.tilted_to(level) for level in levels]
        straight = Tilt(scales)  # for events that happen in several ways, which one middle does not describe
        return ((straight, straight), *(tilts for tilts in found if tilts is not None))


def build_tilted_probe(sketch: Sketch, settings: Settings, name: str) -> TiltedProbe:
    """A probe with draws of its own, named by the step that asks; they are tilted where it knows an example's home."""
    return TiltedProbe(sketch, settings, tape_of(settings, name))
