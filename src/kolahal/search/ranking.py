"""The second half of findExpr: order the completions by violations, loss and noise (Sec. IV-D), then accuracy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from kolahal.engine.accuracy import LARGER, expected_errors
from kolahal.engine.noise import Array
from kolahal.engine.probe import Probe
from kolahal.lang.sketch import Completion, Sketch, Type
from kolahal.model import Arguments, Example, Ranked, Score, Split
from kolahal.settings import Settings


def rank_completions(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    examples: tuple[Example, ...],
    split: Split,
    probe: Probe,
    settings: Settings,
) -> tuple[Ranked, ...]:
    """The completions, best first. What is compared is in units of ε, so that all γ count alike.

    A completion that is tight at one γ is no noisier than it must be. An average over all γ would instead prefer noise
    that grows with |q|, whose worst example is found everywhere, to less noise whose worst example is far away at some.
    """
    if not completions:
        return ()
    slack = np.full(len(completions), np.inf)  # at the γ where it is smallest
    first: Array | None = None  # of the first γ, which may have no example
    groups = tuple(dict.fromkeys(e.arguments for e in examples))
    violations = np.zeros(len(completions), dtype=int)
    for arguments in groups:
        group = tuple(e for e in examples if e.arguments == arguments)
        scales = np.array([arguments.concretise(sketch, c) for c in completions])
        losses = probe.losses(scales, group)
        epsilon = float(arguments.epsilon)
        violations += (losses.low > epsilon * (1 + 1e-6)).sum(axis=1)
        top = losses.sure.max(axis=1)
        slack = np.minimum(slack, np.abs(1 - np.minimum(top / epsilon, 50.0)))
        if arguments == split.training[0]:
            first = top
    noise = total_noise(sketch, completions, split.training + split.testing)
    step = settings.ranking.resolution
    slack = np.round(slack / step) * step
    order = np.lexsort((noise, slack, violations))
    short = order[: settings.ranking.measured_per_hole * len(sketch.holes)]
    errors = dict(
        zip(
            short.tolist(),
            expected_errors(sketch, [completions[i] for i in short], split.training[0], settings),
            strict=True,
        )
    )
    ranked = [
        Ranked(
            completions[i],
            Score(int(violations[i]), round(float(slack[i]), 6), float(noise[i]), errors.get(int(i), float("inf"))),
            None if first is None else float(first[i]),
        )
        for i in order
    ]
    return tuple(sorted(ranked, key=lambda r: r.score))


def total_noise(sketch: Sketch, completions: tuple[Completion, ...], settings: tuple[Arguments, ...]) -> Array:
    """Sum of the scales of each completion, in units of 1/ε, averaged over several settings of the arguments.

    Noise that grows with |q| or with a whole argument can look cheap where these are small, so each setting counts with
    more answers too, and with larger whole arguments and yet more answers.
    """
    several = [
        other for a in settings for other in (a, _grown(a, sketch, LARGER, 1), _grown(a, sketch, LARGER**2, LARGER))
    ]
    total = np.zeros(len(completions))
    for arguments in several:
        epsilon = float(arguments.epsilon)
        total += np.array([sum(arguments.concretise(sketch, c)) * epsilon for c in completions])
    return total / max(1, len(several))


def _grown(arguments: Arguments, sketch: Sketch, answers: int, whole: int) -> Arguments:
    """The same arguments with that many times as many answers, and whole ones that many times as large."""
    integral = {p.name for p in sketch.arguments if p.type is Type.INT}
    values = tuple((name, Fraction(value) * whole if name in integral else value) for name, value in arguments.values)
    (size,) = sketch.sizes((arguments.size * answers,))
    return replace(arguments, size=size, values=values)
