"""Event probabilities for any scales from one set of runs: the paper's importance sampling (Sec. IV-C).

Which runs hit an event depends on the noise alone, not on the scales that are asked about; those change only the
weights of the runs. A run's weight depends on its draws only through how many there were at each hole and what their
sizes add up to, so a whole population of scales is one matrix product, one `exp` and one sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kolahal.engine import batch
from kolahal.engine.engines import choose_engine
from kolahal.engine.noise import FAMILIES, Array, noisy_patterns
from kolahal.engine.outputs import Outputs, hits
from kolahal.engine.tape import Tape, stream
from kolahal.lang.ir import Hole
from kolahal.lang.move_sizes import move_sizes
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Database, Estimate, Example, Odds, Scales, Selected
from kolahal.nouns import dataclass
from kolahal.settings import Settings

NoisyHoles = tuple[bool, ...]  # which holes have noise
DOUBT = 3.0  # standard errors between a value and the bounds of its Estimate


@dataclass(frozen=True, slots=True)
class Losses:
    """For scale vectors × examples: the log-loss, and bounds that it surely lies between."""

    value: Array  # (candidates, examples)
    low: Array
    high: Array

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Where the event was not seen, or too rarely to say anything."""
        nothing: NDArray[np.bool_] = (np.isinf(self.high) & np.isfinite(self.value)) | (self.high == 0)
        return nothing

    @property
    def sure(self) -> Array:
        """The log-loss less one standard error: of several noisy values the largest is mostly luck."""
        with np.errstate(invalid="ignore"):
            less: Array = np.maximum(0.0, self.value - (self.high - self.value) / DOUBT)
        return np.where(np.isinf(self.value), self.low, np.nan_to_num(less))


class Probe(Protocol):
    """How likely an example's event is on both of its databases, for one scale vector or for many."""

    def __call__(self, scales: Scales, example: Example) -> Odds: ...

    def losses(self, scales: Array, examples: tuple[Example, ...]) -> Losses: ...

    def knowing(self, found: Sequence[Selected]) -> Probe:
        """The probe for someone who knows where some examples were found, which may help."""
        return self

    def helped_by(self, helpers: Executor | None) -> Probe:
        """The probe for someone who has workers, if it has work for them."""
        return self

    def planned_like(self, other: Probe) -> Probe:
        """The probe for someone who has another one, which may have found out where to draw."""
        return self

    def prepare(self, scales: Array, examples: Sequence[Example]) -> None:
        """Tell it what will be asked, so that it can do the work at once."""
        return

    @property
    def asked(self) -> Mapping[str, int]:
        """How many losses it has given so far, by where they come from."""
        return {}


@dataclass(frozen=True, slots=True)
class Side:
    """What the weights of the runs that hit an event depend on."""

    statistics: Array  # (2 × holes, hits): Σ|draw| at each hole, then the number of draws
    log_proposal: Array  # (hits,)
    runs: int

    def weights(self, rows: Array) -> NDArray[np.float32]:
        """Of each hit, for each row of coefficients."""
        # A product by the library starts threads, and every new array costs more than what is computed in it.
        found: NDArray[np.float32] = np.einsum("ij,jk->ik", rows.astype(np.float32), self.statistics)
        found -= self.log_proposal
        return np.exp(found, out=found)

    def probabilities(self, rows: Array) -> tuple[Array, Array]:
        """The probability of the event for each row of coefficients, and its standard error."""
        if self.log_proposal.size == 0:
            nothing = np.zeros(len(rows))
            return nothing, nothing
        weights = self.weights(rows)
        p = weights.sum(axis=1, dtype=np.float64) / self.runs
        squares = np.einsum("ij,ij->i", weights, weights, dtype=np.float64) / self.runs
        return p, np.sqrt(np.maximum(squares - p * p, 0.0) / self.runs)


@dataclass(frozen=True, slots=True)
class ReweighingProbe(Probe):
    """One tape of noise for all candidates, all steps, and both databases of every pair.

    The proposal of each run and hole is drawn from a ladder of scales: with a single one of 4, as in the paper, the
    weights of a candidate scale of 8 or more have infinite variance (decision 0002).
    """

    sketch: Sketch
    tape: Tape
    ladder: tuple[float, ...]
    rungs: Array  # (holes, runs): the scale each run drew with
    _runs: dict[tuple[Database, Arguments, NoisyHoles], tuple[Outputs, Array, Array]] = field(default_factory=dict)
    _sides: dict[tuple[Database, Arguments, NoisyHoles, Any], Side] = field(default_factory=dict)

    def __call__(self, scales: Scales, example: Example) -> Odds:
        rows = np.array([scales], dtype=float)
        p1, e1, p2, e2 = self._probabilities(rows, example)
        return Odds(estimate_of(p1[0], e1[0], self.tape.runs), estimate_of(p2[0], e2[0], self.tape.runs))

    def losses(self, scales: Array, examples: tuple[Example, ...]) -> Losses:
        """The log-losses of many scale vectors (rows; 0 is no noise) on all examples."""
        shape = (len(scales), len(examples))
        value, low, high = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for place, example in enumerate(examples):
            p1, e1, p2, e2 = self._probabilities(scales, example)
            value[:, place], low[:, place], high[:, place] = log_losses(p1, e1, p2, e2)
        return Losses(value, low, high)

    def _probabilities(self, scales: Array, example: Example) -> tuple[Array, Array, Array, Array]:
        found = [np.zeros(len(scales)) for _ in range(4)]
        patterns = scales > 0
        for pattern in noisy_patterns(scales):
            rows = np.flatnonzero((patterns == pattern).all(axis=1))
            factors = coefficients(self.sketch, scales[rows], pattern)
            for place, database in ((0, example.d1), (2, example.d2)):
                side = self._side(database, example, pattern)
                found[place][rows], found[place + 1][rows] = side.probabilities(factors)
        return found[0], found[1], found[2], found[3]

    def _side(self, database: Database, example: Example, pattern: NoisyHoles) -> Side:
        key = (database, example.arguments, pattern, example.event)
        if key not in self._sides:
            outputs, statistics, log_proposal = self._run(database, example.arguments, pattern)
            found = hits(example.event, outputs)
            self._sides[key] = Side(
                statistics[:, found].astype(np.float32), log_proposal[found].astype(np.float32), self.tape.runs
            )
        return self._sides[key]

    def _run(self, database: Database, arguments: Arguments, pattern: NoisyHoles) -> tuple[Outputs, Array, Array]:
        key = (database, arguments, pattern)
        if key not in self._runs:
            scales: list[Any] = [rung if on else 0.0 for rung, on in zip(self.rungs, pattern, strict=True)]
            outputs, used = batch.run_with_draws(self.sketch, database, arguments, scales, self.tape)
            statistics = np.concatenate([used.sums, used.counts])
            log_proposal = np.zeros(self.tape.runs)
            for hole, log_norm in noisy_norms(self.sketch, pattern).items():
                log_proposal += log_mixture(self.ladder, log_norm, used.sums[hole], used.counts[hole])
            self._runs[key] = (outputs, statistics, log_proposal)
        return self._runs[key]


LogNorm = Callable[[Array], Array]


def noisy_norms(sketch: Sketch, noisy: NoisyHoles) -> dict[int, LogNorm]:
    """By hole with noise, the normalisation of its family."""
    draws = ((draw.scale, draw.noise) for draw in sketch.draws)
    return {s.index: FAMILIES[noise].log_norm for s, noise in draws if isinstance(s, Hole) and noisy[s.index]}


def coefficients(sketch: Sketch, scales: Array, noisy: NoisyHoles) -> Array:
    """What the statistics of a run are multiplied with: −1/c and −log_norm(c), or nothing where there is no noise."""
    holes = scales.shape[1]
    result = np.zeros((len(scales), 2 * holes))
    for hole, log_norm in noisy_norms(sketch, noisy).items():
        result[:, hole] = -1 / scales[:, hole]
        result[:, holes + hole] = -log_norm(scales[:, hole])
    return result


def log_mixture(ladder: Sequence[float] | Array, log_norm: LogNorm, sums: Array, counts: Array) -> Array:
    """log of the mean over a ladder of scales of the density of a run's draws at one hole."""
    steps = np.array(ladder)[:, None]
    mixed: Array = log_of_sum(-sums / steps - counts * log_norm(steps)) - np.log(len(steps))
    return mixed


def log_of_sum(logarithms: Array) -> Array:
    """The logarithm of the sum of each column, of numbers that are given by theirs; these are used up."""
    top = logarithms.max(axis=0)
    logarithms -= top
    total: Array = np.exp(logarithms, out=logarithms).sum(axis=0)
    np.log(total, out=total)
    total += top
    return total


@dataclass(frozen=True, slots=True)
class RerunningProbe(Probe):
    """Runs the program anew for each scale vector, on one tape of noise: slow, and the judge of the fast one."""

    sketch: Sketch
    tape: Tape

    def __call__(self, scales: Scales, example: Example) -> Odds:
        p1, e1, p2, e2 = (found[0, 0] for found in self._probabilities(np.array([scales], dtype=float), (example,)))
        return Odds(estimate_of(p1, e1, self.tape.runs), estimate_of(p2, e2, self.tape.runs))

    def losses(self, scales: Array, examples: tuple[Example, ...]) -> Losses:
        return Losses(*log_losses(*self._probabilities(scales, examples)))

    def _probabilities(self, scales: Array, examples: tuple[Example, ...]) -> tuple[Array, ...]:
        found = [np.zeros((len(scales), len(examples))) for _ in range(4)]
        engine = choose_engine(self.sketch, 2 * len(scales) * len(examples) * self.tape.runs)
        for row, vector in enumerate(scales):
            outputs: dict[tuple[Database, Arguments], Outputs] = {}
            for place, example in enumerate(examples):
                for side, database in ((0, example.d1), (2, example.d2)):
                    key = (database, example.arguments)
                    if key not in outputs:
                        outputs[key] = engine.run(self.sketch, database, example.arguments, tuple(vector), self.tape)
                    p = float(hits(example.event, outputs[key]).mean())
                    found[side][row, place] = p
                    found[side + 1][row, place] = np.sqrt(p * (1 - p) / self.tape.runs)
        return tuple(found)


def build_probe(sketch: Sketch, settings: Settings, name: str) -> ReweighingProbe | RerunningProbe:
    """A probe that re-weighs, with noise of its own, named by the step that asks; one that runs again where places are chosen."""
    if any(draw.noise.selects for draw in sketch.draws):
        return build_rerunning_probe(sketch, settings, name)
    runs = settings.region.runs
    rng = stream(settings.seed, "rungs", name)
    ladder = proposal_scales(sketch, settings)
    rungs = np.array(ladder)[rng.integers(0, len(ladder), (len(sketch.holes), runs))]
    return ReweighingProbe(sketch, tape_of(settings, name), ladder, rungs)


def proposal_scales(sketch: Sketch, settings: Settings) -> tuple[float, ...]:
    """Scales to draw with, as answers move."""
    return tuple(scale * float(size) for size in move_sizes(sketch) for scale in settings.region.proposal_scales)


def build_rerunning_probe(sketch: Sketch, settings: Settings, name: str) -> RerunningProbe:
    """A probe that runs again for every question."""
    return RerunningProbe(sketch, tape_of(settings, name))


def tape_of(settings: Settings, name: str) -> Tape:
    """Noise of its own for a step."""
    return Tape((settings.seed, int(stream(settings.seed, "tape", name).integers(2**31))), settings.region.runs)


def estimate_of(p: float, error: float, runs: int) -> Estimate:
    """A probability with bounds at DOUBT standard errors."""
    return Estimate(max(0.0, p - DOUBT * error), p, min(1.0, p + DOUBT * error), runs)


def plain_losses(p1: Array, p2: Array) -> Array:
    """|log p1 − log p2|: 0 when both are zero, ∞ when only one is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p1 == p2, 0.0, np.abs(np.log(p1) - np.log(p2)))


def log_losses(p1: Array, e1: Array, p2: Array, e2: Array) -> tuple[Array, Array, Array]:
    """|log p1 − log p2| with bounds at DOUBT standard errors; 0 when both are zero, ∞ when only one is.

    The errors of p1 and p2 are added as if independent: shared noise makes them smaller, never larger.
    """
    value = plain_losses(p1, p2)
    with np.errstate(all="ignore"):
        spread = DOUBT * np.sqrt((e1 / p1) ** 2 + (e2 / p2) ** 2)
        low, high = np.maximum(0.0, value - spread), value + spread
    # One side never hit: sure only if the other side is clearly likely.
    one_sided = (p1 == 0) != (p2 == 0)
    sure = np.maximum(p1 - DOUBT * e1, p2 - DOUBT * e2) > 0
    never = (p1 == 0) & (p2 == 0)
    low = np.where(never, 0.0, np.where(one_sided, np.where(sure, np.inf, 0.0), low))
    return value, low, np.where(never, 0.0, np.where(one_sided, np.inf, high))
