"""The probe of the sampled method: one set of draws an example, for all candidates, all steps, and both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import field, replace
from typing import TypeVar

import numpy as np

from kolahal.engine.noise import Array, noisy_patterns
from kolahal.engine.paired import PairedHits, Proposal, TiltPair, sample
from kolahal.engine.probe import Losses, NoisyHoles, Probe, coefficients, estimate_of, proposal_scales, tape_of
from kolahal.engine.reach import walk
from kolahal.engine.tape import Tape
from kolahal.engine.tilt import Tilt, holes_by_site
from kolahal.lang.sketch import Sketch
from kolahal.model import Example, Odds, Scales, Selected
from kolahal.nouns import dataclass
from kolahal.settings import Settings

J = TypeVar("J")
R = TypeVar("R")
ROWS = 16  # candidates that are weighed at a time: their weights stay in the cache


@dataclass(frozen=True, slots=True)
class TiltedProbe(Probe):
    """One set of draws an example, for all candidates, all steps, and both of its databases.

    `homes` says at which scales an example was found: there its draws are tilted to its event.
    """

    sketch: Sketch
    settings: Settings
    tape: Tape
    homes: Mapping[Example, Scales] = field(default_factory=dict)
    helpers: Executor | None = None
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

    def helped_by(self, helpers: Executor | None) -> TiltedProbe:
        return replace(self, helpers=helpers)

    def planned_like(self, other: Probe) -> TiltedProbe:
        """With draws of its own, made in the same places."""
        return replace(self, _tilts=other._tilts) if isinstance(other, TiltedProbe) else self

    def __call__(self, scales: Scales, example: Example) -> Odds:
        noisy = tuple(scale > 0 for scale in scales)
        rows = coefficients(self.sketch, np.array([scales], dtype=float), noisy)
        sides = self._paired(example, noisy)
        found = (side.probabilities(rows) for side in (sides.first, sides.second))
        return Odds(*(estimate_of(float(p[0]), float(error[0]), self.tape.runs) for p, error in found))

    def losses(self, scales: Array, examples: tuple[Example, ...]) -> Losses:
        """The log-losses of many scale vectors (rows; 0 is no noise) on all examples."""
        self._asked["sampled"] += len(scales) * len(examples)
        self.prepare(scales, examples)
        found, keys = np.zeros((3, len(scales), len(examples))), [row.tobytes() for row in scales]
        for place, example in enumerate(examples):
            known = self._losses.setdefault(example, {})
            new = [row for row, key in enumerate(keys) if key not in known]
            measured = self._measure(scales[new], example)
            columns = zip(measured.value.tolist(), measured.low.tolist(), measured.high.tolist(), strict=True)
            known.update(zip((keys[row] for row in new), columns, strict=True))
            found[:, :, place] = np.array([known[key] for key in keys]).reshape(-1, 3).T
        return Losses(*found)

    def _measure(self, scales: Array, example: Example) -> Losses:
        value, low, high = np.zeros((3, len(scales)))
        patterns = scales > 0
        for noisy in noisy_patterns(scales):
            chosen = np.flatnonzero((patterns == noisy).all(axis=1))
            paired = self._paired(example, noisy)
            for start in range(0, len(chosen), ROWS):
                some = chosen[start : start + ROWS]
                found = paired.losses(coefficients(self.sketch, scales[some], noisy))
                value[some], low[some], high[some] = found.value, found.low, found.high
        return Losses(value, low, high)

    def prepare(self, scales: Array, examples: Sequence[Example]) -> None:
        """Make the draws that questions about these scales will need, in parallel where someone helps."""
        patterns = noisy_patterns(scales)
        needed = [(e, noisy) for e in examples for noisy in patterns if (e, noisy) not in self._hits]
        homes = {(e, noisy): self._home(e, noisy) for e, noisy in needed}
        places = list(dict.fromkeys((e, homes[e, n]) for e, n in needed if homes[e, n] and (e, homes[e, n]) not in self._tilts))
        most = {True: self.settings.examples.walk, False: self.settings.examples.walk_beyond}
        plans = self._map(_plan, [(self.sketch, self.settings, e, home, most[home == self.homes[e]]) for e, home in places])
        self._tilts.update(zip(places, plans, strict=True))
        jobs = [(self.sketch, self.settings, self.tape, e, n, self._tilts.get((e, homes[e, n]), ())) for e, n in needed]
        self._hits.update(zip(needed, self._map(_run, jobs), strict=True))

    def _home(self, example: Example, noisy: NoisyHoles) -> Scales:
        """The scales where an example was found, with as much noise at further holes as at the noisiest; none if nobody knows."""
        home = self.homes.get(example, ())
        return tuple(scale or (max(home) if on else 0.0) for on, scale in zip(noisy, home, strict=False))

    def _map(self, function: Callable[[J], R], jobs: Sequence[J]) -> Iterator[R]:
        return self.helpers.map(function, jobs) if self.helpers and len(jobs) > 1 else map(function, jobs)

    def _paired(self, example: Example, noisy: NoisyHoles) -> PairedHits:
        if (example, noisy) not in self._hits:
            self.prepare(np.array([noisy], dtype=float), (example,))
        return self._hits[example, noisy]


def _plan(job: tuple[Sketch, Settings, Example, Scales, int]) -> tuple[TiltPair, ...]:
    """Where to make the draws of an example: from its home along where it is tight."""
    sketch, settings, example, home, most = job
    straight = Tilt(home)  # for events that happen in several ways, which one middle does not describe
    found = walk(sketch, example, home, (settings.seed,), settings.examples.walk_runs, most)
    return (*found.tilts[:1], (straight, straight), *found.tilts[1:])


def _run(job: tuple[Sketch, Settings, Tape, Example, NoisyHoles, tuple[TiltPair, ...]]) -> PairedHits:
    """The runs of an example with noise at some of the holes that the tilts have noise at."""
    sketch, settings, tape, example, noisy, planned = job
    holes = holes_by_site(sketch, noisy)
    tilts = tuple((first.at(holes), second.at(holes)) for first, second in planned)
    ladder = np.tile(np.array(proposal_scales(sketch, settings)), (len(sketch.holes), 1))
    return sample(sketch, example, noisy, Proposal(ladder, tilts), tape).paired


def build_tilted_probe(sketch: Sketch, settings: Settings, name: str) -> TiltedProbe:
    """A probe with draws of its own, named by the step that asks; they are tilted where it knows an example's home."""
    return TiltedProbe(sketch, settings, tape_of(settings, name))
