"""The probe of the sampled method: one set of draws an example, for all candidates, all steps, and both databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kolahal.engine.noise import Array
from kolahal.engine.paired import PairedHits, Proposal, TiltPair, sample
from kolahal.engine.probe import DOUBT, Losses, NoisyHoles, Probe, coefficients, proposal_scales, tape_of
from kolahal.engine.reach import walk
from kolahal.engine.tape import Tape
from kolahal.engine.tilt import Tilt
from kolahal.lang.sketch import Sketch
from kolahal.model import Estimate, Example, Odds, Scales, Selected
from kolahal.settings import Settings

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
            ladder = np.tile(np.array(proposal_scales(self.sketch, self.settings)), (len(self.sketch.holes), 1))
            proposal = Proposal(ladder, self._tilts_for(example, noisy))
            self._hits[example, noisy] = sample(self.sketch, example, noisy, proposal, self.tape).paired
        return self._hits[example, noisy]

    def _tilts_for(self, example: Example, noisy: NoisyHoles) -> tuple[TiltPair, ...]:
        """From an example's home, with as much noise at holes that have none there, along where it is tight."""
        home = self.homes.get(example)
        if home is None:
            return ()
        scales = tuple((scale or max(home)) if on else 0.0 for on, scale in zip(noisy, home, strict=True))
        straight = Tilt(scales)  # for events that happen in several ways, which one middle does not describe
        runs = self.settings.examples.walk_runs
        found = walk(self.sketch, example, scales, Tape((*self.tape.key, 0), runs), self.settings.examples.walk)
        return ((straight, straight), *found.tilts)


def build_tilted_probe(sketch: Sketch, settings: Settings, name: str) -> TiltedProbe:
    """A probe with draws of its own, named by the step that asks; they are tilted where it knows an example's home."""
    return TiltedProbe(sketch, settings, tape_of(settings, name))
