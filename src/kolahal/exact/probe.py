"""Event probabilities by integration over the polyhedra of the noise: no sampling, no sampling error.

For a concrete database an event is a union of polyhedra of independent draws, whose comparisons mostly form trees
(design, section 6). Here is the fast form, in doubles and for many scales at once; `rigorous.py` has the slow form
with bounds that hold for certain. What neither can do is a `CannotIntegrate`, and the sampler takes over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.noise import Array, noisy_patterns
from kolahal.engine.probe import Losses, NoisyHoles, Probe, build_probe, plain_losses
from kolahal.exact.formula import SMALLEST, Batch, EventFormula, FormulaQuestion, build_batch, compile_formula
from kolahal.exact.polyhedra import build_polyhedra
from kolahal.lang.ir import Hole
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Database, Equals, Estimate, Event, Example, Odds, Output, Scales
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate, open_bounds
from kolahal.paths.joined import Outcomes, find_outcomes
from kolahal.paths.state import Fault, affine_parts
from kolahal.settings import Settings

TOO_FAR = CannotIntegrate("answers are too far apart for the noise")
ALL_AT_ONCE = 12  # queries up to which the paths of all events are found together, and kept


@dataclass(frozen=True, slots=True)
class Integrator:
    """The formulas of a sketch, kept: the paths of a program do not depend on scales or databases."""

    sketch: Sketch
    _outcomes: dict[Any, Outcomes | CannotIntegrate] = field(default_factory=dict)
    _formulas: dict[Any, EventFormula | CannotIntegrate] = field(default_factory=dict)

    def question(
        self, arguments: Arguments, pattern: NoisyHoles, event: Event, database: Database
    ) -> FormulaQuestion | CannotIntegrate:
        """The probability of `event` on `database`: a formula that serves other bounds and databases too, if it can."""
        opened, bounds = open_bounds(event, arguments.size)
        found = self._formula(arguments, pattern, opened, None)
        if isinstance(found, CannotIntegrate):
            found = self._formula(arguments, pattern, opened, database)
        return found if isinstance(found, CannotIntegrate) else (found, (*database, *bounds))

    def _formula(
        self, arguments: Arguments, pattern: NoisyHoles, event: Event, database: Database | None
    ) -> EventFormula | CannotIntegrate:
        key = (arguments, pattern, event, database)
        if key not in self._formulas:
            self._formulas[key] = self._compile(arguments, pattern, event, database)
        return self._formulas[key]

    def _compile(
        self, arguments: Arguments, pattern: NoisyHoles, event: Event, database: Database | None
    ) -> EventFormula | CannotIntegrate:
        outcomes = self._find(arguments, pattern, event, database)
        if isinstance(outcomes, CannotIntegrate):
            return outcomes
        polyhedra = build_polyhedra(outcomes.paths, event, outcomes.noises)
        if isinstance(polyhedra, CannotIntegrate):
            return polyhedra
        return compile_formula(polyhedra, outcomes.noises)

    def _find(
        self, arguments: Arguments, pattern: NoisyHoles, event: Event | None, database: Database | None
    ) -> Outcomes | CannotIntegrate:
        """All paths if they are few, else those that can end in the event."""
        given = (arguments.size, arguments.environment(self.sketch), self._silent(arguments, pattern), database)
        if event is not None and arguments.size > ALL_AT_ONCE:
            return find_outcomes(self.sketch, *given, event)
        key = (arguments, pattern, database)
        if key not in self._outcomes:
            self._outcomes[key] = find_outcomes(self.sketch, *given)
        if isinstance(self._outcomes[key], Outcomes):
            return self._outcomes[key]
        return find_outcomes(self.sketch, *given, event)

    def answers(self, arguments: Arguments, scales: Scales) -> tuple[Event, ...]:
        """An event for each answer that the program can give, where answers have no noise of their own."""
        outcomes = self._find(arguments, tuple(scale > 0 for scale in scales), None, None)
        if isinstance(outcomes, CannotIntegrate):
            return ()
        values = dict.fromkeys(path.output for path in outcomes.paths if not isinstance(path.output, Fault))
        if any(affine_parts(value) for value in values):
            return ()
        return tuple(Equals(_exact(value)) for value in values)

    def _silent(self, arguments: Arguments, pattern: NoisyHoles) -> frozenset[int]:
        names = arguments.quantities(self.sketch)
        return frozenset(
            draw.site
            for draw in self.sketch.draws
            if not (pattern[draw.scale.index] if isinstance(draw.scale, Hole) else draw.scale.at(names))
        )

    def site_scales(self, arguments: Arguments, scales: Array) -> Array:
        """The scale of every draw, by site, (candidates, sites); 1 stands for no noise, and nothing reads it."""
        names = arguments.quantities(self.sketch)
        columns = [
            scales[:, draw.scale.index]
            if isinstance(draw.scale, Hole)
            else np.full(len(scales), float(draw.scale.at(names)))
            for draw in self.sketch.draws
        ]
        found = np.stack(columns, axis=1) if columns else np.ones((len(scales), 0))
        return np.where(found > 0, found, 1.0)


def _exact(value: Any) -> Output:
    if isinstance(value, tuple):
        return tuple(_exact(item) for item in value)  # type: ignore[misc]
    return value if value is None or isinstance(value, bool) else Fraction(value)


def event_probability(
    sketch: Sketch, database: Database, arguments: Arguments, scales: Array, event: Event
) -> Array | CannotIntegrate:
    """P(event) for each row of `scales`, one number a hole; 0 is no noise."""
    return ask(Integrator(sketch), arguments, scales, [(event, database)])


def ask(
    integrator: Integrator, arguments: Arguments, scales: Array, questions: Sequence[tuple[Event, Database]]
) -> Array | CannotIntegrate:
    """The probabilities of events on databases, (questions, candidates), or of a single question (candidates,)."""
    result = np.zeros((len(questions), len(scales)))
    for pattern, rows in _patterns(scales):
        batch = _prepare(integrator, arguments, pattern, questions)
        if isinstance(batch, CannotIntegrate):
            return batch
        result[:, rows] = batch.probabilities(integrator.site_scales(arguments, scales[rows]))
    if np.isnan(result).any():
        return TOO_FAR
    return result[0] if len(questions) == 1 else result


def _patterns(scales: Array) -> list[tuple[NoisyHoles, Any]]:
    noisy = scales > 0
    if noisy.all():
        return [((True,) * scales.shape[1], slice(None))]
    return [(pattern, np.flatnonzero((noisy == pattern).all(axis=1))) for pattern in noisy_patterns(scales)]


def _prepare(
    integrator: Integrator, arguments: Arguments, pattern: NoisyHoles, questions: Sequence[tuple[Event, Database]]
) -> Batch | CannotIntegrate:
    prepared: list[FormulaQuestion] = []
    for event, database in questions:
        question = integrator.question(arguments, pattern, event, database)
        if isinstance(question, CannotIntegrate):
            return question
        prepared.append(question)
    return build_batch(prepared)


# ---------------------------------------------------------------- the probe


@dataclass(frozen=True, slots=True)
class ExactProbe(Probe):
    """Probabilities without sampling error, and the sampler's where integration is out of reach."""

    sketch: Sketch
    sampler: Probe
    integrator: Integrator
    _batches: dict[Any, tuple[Batch | None, tuple[int, ...], tuple[Example, ...]]] = field(default_factory=dict)
    _asked: dict[str, int] = field(default_factory=lambda: {"sampled": 0, "integrated": 0})

    @property
    def asked(self) -> Mapping[str, int]:
        return self._asked

    def __call__(self, scales: Scales, example: Example) -> Odds:
        row = np.array([scales], dtype=float).reshape(1, len(scales))
        found = ask(self.integrator, example.arguments, row, [(example.event, example.d1), (example.event, example.d2)])
        if isinstance(found, CannotIntegrate):
            return self.sampler(scales, example)
        p1, p2 = (float(p) for p in found[:, 0])
        return Odds(Estimate(p1, p1, p1, 0), Estimate(p2, p2, p2, 0))

    def losses(self, scales: Array, examples: tuple[Example, ...]) -> Losses:
        """The log-losses of many scale vectors (rows; 0 is no noise) on all examples."""
        shape = (len(scales), len(examples))
        value, low, high = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for arguments in dict.fromkeys(example.arguments for example in examples):
            places = [i for i, example in enumerate(examples) if example.arguments == arguments]
            group = tuple(examples[i] for i in places)
            for pattern, chosen in _patterns(scales):
                rows = np.arange(len(scales))[chosen]
                batch, exact = self._batch(arguments, pattern, group)
                rest = [i for i in range(len(group)) if i not in exact]
                if batch is not None:
                    found = batch.probabilities(self.integrator.site_scales(arguments, scales[rows]))
                    losses = exact_losses(found[0::2], found[1::2])
                    rest += [i for i, loss in zip(exact, losses, strict=True) if np.isnan(loss).any()]
                    block = np.ix_(rows, [places[i] for i in exact])
                    value[block] = low[block] = high[block] = losses.T
                self._asked["integrated"] += len(rows) * (len(group) - len(rest))
                self._asked["sampled"] += len(rows) * len(rest)
                if rest:
                    sampled = self.sampler.losses(scales[rows], tuple(group[i] for i in rest))
                    block = np.ix_(rows, [places[i] for i in rest])
                    value[block], low[block], high[block] = sampled.value, sampled.low, sampled.high
        return Losses(value, low, high)

    def _batch(
        self, arguments: Arguments, pattern: NoisyHoles, examples: tuple[Example, ...]
    ) -> tuple[Batch | None, tuple[int, ...]]:
        """The examples that can be integrated, as one batch, d1 and d2 in turn, and their places."""
        key = (pattern, tuple(map(id, examples)))  # a hash of the examples themselves takes as long as the integrals
        if key not in self._batches:
            questions: list[FormulaQuestion] = []
            exact: list[int] = []
            for place, example in enumerate(examples):
                asked = [
                    self.integrator.question(arguments, pattern, example.event, d) for d in (example.d1, example.d2)
                ]
                both = [question for question in asked if not isinstance(question, CannotIntegrate)]
                if len(both) == 2:
                    questions += both
                    exact.append(place)
            batch = build_batch(questions) if questions else None
            self._batches[key] = (batch, tuple(exact), examples)  # the examples stay, so their ids do
        return self._batches[key][:2]


def exact_losses(p1: Array, p2: Array) -> Array:
    """|log p1 − log p2|; 0 where both are 0 or too small to tell, ∞ where only one is 0."""
    most, least = np.maximum(p1, p2), np.minimum(p1, p2)
    # A probability below SMALLEST may have lost its digits to underflow; that of an impossible event is exactly 0,
    # and then the other side must be clearly possible.
    blurred = (least < SMALLEST) & ((least > 0) | (most < math.sqrt(SMALLEST)))
    return np.where(blurred, 0.0, plain_losses(p1, p2))


def build_exact_probe(sketch: Sketch, settings: Settings, name: str) -> ExactProbe:
    """A probe that integrates where it can, and samples with noise of its own where it cannot."""
    return ExactProbe(sketch, build_probe(sketch, settings, name), Integrator(sketch))
