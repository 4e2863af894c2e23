"""How completions compare on examples: the paper's three criteria (Sec. IV-D)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.accuracy import LARGER
from kolahal.engine.noise import Array
from kolahal.engine.probe import Probe
from kolahal.lang.move_sizes import move_sizes
from kolahal.lang.sketch import Completion, Sketch, Type
from kolahal.model import Arguments, Example, Scales, Selected, Split
from kolahal.nouns import dataclass
from kolahal.settings import Settings

Objections = Collection[tuple[Arguments, Scales]]
BEYOND_DOUBT = 1e-4  # a p-value of an example at some scales that counts as a violation there; some hundred are looked at
AHEAD = 4  # examples whose draws are made together: each may leave fewer completions for which the next ones need any
MOST_LOSS = 50.0  # in units of ε; more is all the same


@dataclass(frozen=True, slots=True)
class Grades:
    """Of each completion: examples that it violates, how far from tight it is, and its noise; smaller is better."""

    violations: Any  # whole numbers
    slack: Array  # in units of ε: how far below it stays at every γ, or gets above it at any
    noise: Array
    first: Array | None  # the worst log-loss at the first γ, which may have no example

    @property
    def order(self) -> Any:
        """The places of the completions, best first."""
        return np.lexsort((self.noise, self.slack, self.violations))

    def may_lead(self, place: int) -> bool:
        """Whether a completion is the first, or may become it if it is tighter than it seems: then noise decides."""
        first = self.order[0]
        return bool(place == first or self.violations[first] or self.slack[first] > 0 or self.noise[place] < self.noise[first])


@dataclass(frozen=True, slots=True)
class Concretised:
    """Many completions, which have few different scales between them, as numbers: (completions, holes)."""

    sketch: Sketch
    scales: Completion
    picks: Any  # by completion and hole, which of the scales

    @classmethod
    def of(cls, sketch: Sketch, completions: tuple[Completion, ...]) -> Concretised:
        known = {scale: place for place, scale in enumerate(dict.fromkeys(s for c in completions for s in c))}
        picks = np.array([[known[scale] for scale in c] for c in completions], dtype=np.intp)
        return cls(sketch, tuple(known), picks.reshape(len(completions), len(sketch.holes)))

    def at(self, arguments: Arguments) -> Array:
        found: Array = np.array(arguments.concretise(self.sketch, self.scales))[self.picks]
        return found


def objections_of(found: Iterable[Selected]) -> Objections:
    """The scales at which the tester has no doubt, which is surer there than what weighted runs say."""
    return {(s.example.arguments, s.scales) for s in found if s.p_value < BEYOND_DOUBT}


def grade(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    examples: tuple[Example, ...],
    split: Split,
    probe: Probe,
    settings: Settings,
    objections: Objections = (),
) -> Grades:
    """The three criteria, in units of ε, so that all γ count alike.

    A completion that is tight at one γ is no noisier than it must be. An average over all γ would instead prefer noise
    that grows with |q|, whose worst example is found everywhere, to less noise whose worst example is far away at some.
    """
    values, violations = Concretised.of(sketch, completions), np.zeros(len(completions), dtype=int)
    scales = {a: values.at(a) for a in dict.fromkeys([*(e.arguments for e in examples), *(a for a, _ in objections)])}
    for arguments, refused in objections:
        violations += (scales[arguments] == np.array(refused)).all(axis=1)
    top: dict[Arguments, Array] = {}
    finalists = settings.ranking.finalists_per_hole * len(sketch.holes)
    for place, example in enumerate(examples):
        arguments, rows = example.arguments, _still_wanted(violations, finalists)
        if place % AHEAD == 0:
            probe.prepare(scales[arguments][rows], examples[place : place + AHEAD])
        losses = probe.losses(scales[arguments][rows], (example,))
        violations[rows] += losses.low[:, 0] > float(arguments.epsilon) * (1 + 1e-6)
        worst = top.setdefault(arguments, np.zeros(len(completions)))
        worst[rows] = np.maximum(worst[rows], losses.sure[:, 0])
    below, above = np.full(len(completions), np.inf), np.zeros(len(completions))
    for arguments, worst in top.items():
        share = worst / float(arguments.epsilon)
        below = np.minimum(below, np.maximum(0.0, 1 - share))
        above = np.maximum(above, np.minimum(share - 1, MOST_LOSS))
    first = top.get(split.training[0])
    step = settings.ranking.resolution
    slack = np.maximum(0.0, np.maximum(below, above) - settings.ranking.tight)
    noise = noise_size(sketch, completions, split.training + split.testing)
    return Grades(violations, np.round(slack / step) * step, noise, first)


def _still_wanted(violations: Any, finalists: int) -> Any:
    """The completions with fewest violations, as many as there are finalists or more: what the others lose is all the same."""
    enough = min(finalists, len(violations)) - 1
    return np.flatnonzero(violations <= np.partition(violations, enough)[enough])


def noise_size(sketch: Sketch, completions: tuple[Completion, ...], settings: tuple[Arguments, ...]) -> Array:
    """How much noise each completion adds: Σ log₂(1 + scale) over the holes, where a scale is in units of the least move, over ε.

    The logarithm stands between the two sizes that the paper names, the sum of the scales and how many there are
    (Sec. IV-C, IV-D): of vectors with one sum it prefers the one with more of its noise at fewer places. A scale is its
    average over several settings. Noise that grows with |q| or with a whole argument can look cheap where these are small,
    so each setting counts with more answers too, and with larger whole arguments and yet more answers.
    """
    several = [
        other for a in settings for other in (a, _grown(a, sketch, LARGER, 1), _grown(a, sketch, LARGER**2, LARGER))
    ]
    scales, values = np.zeros((len(completions), len(sketch.holes))), Concretised.of(sketch, completions)
    for arguments in several:
        scales += values.at(arguments) * float(arguments.epsilon) / float(move_sizes(sketch)[0])
    size: Array = np.log2(1 + scales / max(1, len(several))).sum(axis=1)
    return size


def _grown(arguments: Arguments, sketch: Sketch, answers: int, whole: int) -> Arguments:
    """The same arguments with that many times as many answers, and whole ones that many times as large."""
    integral = {p.name for p in sketch.arguments if p.type is Type.INT}
    values = tuple((name, Fraction(value) * whole if name in integral else value) for name, value in arguments.values)
    (size,) = sketch.sizes((arguments.size * answers,))
    return replace(arguments, size=size, values=values)
