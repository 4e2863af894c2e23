"""How completions compare on examples: the paper's three criteria (Sec. IV-D)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.accuracy import LARGER
from kolahal.engine.noise import Array
from kolahal.engine.probe import Probe
from kolahal.lang.sketch import Completion, Sketch, Type
from kolahal.model import Arguments, Example, Split
from kolahal.settings import Settings

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


def grade(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    examples: tuple[Example, ...],
    split: Split,
    probe: Probe,
    settings: Settings,
) -> Grades:
    """The three criteria, in units of ε, so that all γ count alike.

    A completion that is tight at one γ is no noisier than it must be. An average over all γ would instead prefer noise
    that grows with |q|, whose worst example is found everywhere, to less noise whose worst example is far away at some.
    """
    below, above = np.full(len(completions), np.inf), np.zeros(len(completions))
    first: Array | None = None
    violations = np.zeros(len(completions), dtype=int)
    for arguments in dict.fromkeys(e.arguments for e in examples):
        group = tuple(e for e in examples if e.arguments == arguments)
        scales = np.array([arguments.concretise(sketch, c) for c in completions])
        losses = probe.losses(scales, group)
        epsilon = float(arguments.epsilon)
        violations += (losses.low > epsilon * (1 + 1e-6)).sum(axis=1)
        top = losses.sure.max(axis=1)
        below = np.minimum(below, np.maximum(0.0, 1 - top / epsilon))
        above = np.maximum(above, np.minimum(top / epsilon - 1, MOST_LOSS))
        if arguments == split.training[0]:
            first = top
    step = settings.ranking.resolution
    slack = np.maximum(0.0, np.maximum(below, above) - settings.ranking.tight)
    noise = noise_size(sketch, completions, split.training + split.testing)
    return Grades(violations, np.round(slack / step) * step, noise, first)


def noise_size(sketch: Sketch, completions: tuple[Completion, ...], settings: tuple[Arguments, ...]) -> Array:
    """How much noise each completion adds: Σ log₂(1 + scale) over the holes, where a scale is in units of 1/ε.

    The logarithm stands between the two sizes that the paper names, the sum of the scales and how many there are
    (Sec. IV-C, IV-D): of vectors with one sum it prefers the one with more of its noise at fewer places. A scale is its
    average over several settings. Noise that grows with |q| or with a whole argument can look cheap where these are small,
    so each setting counts with more answers too, and with larger whole arguments and yet more answers.
    """
    several = [
        other for a in settings for other in (a, _grown(a, sketch, LARGER, 1), _grown(a, sketch, LARGER**2, LARGER))
    ]
    scales = np.zeros((len(completions), len(sketch.holes)))
    for arguments in several:
        scales += np.array([arguments.concretise(sketch, c) for c in completions]) * float(arguments.epsilon)
    size: Array = np.log2(1 + scales / max(1, len(several))).sum(axis=1)
    return size


def _grown(arguments: Arguments, sketch: Sketch, answers: int, whole: int) -> Arguments:
    """The same arguments with that many times as many answers, and whole ones that many times as large."""
    integral = {p.name for p in sketch.arguments if p.type is Type.INT}
    values = tuple((name, Fraction(value) * whole if name in integral else value) for name, value in arguments.values)
    (size,) = sketch.sizes((arguments.size * answers,))
    return replace(arguments, size=size, values=values)
