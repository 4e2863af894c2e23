"""Noise in floating point, for calls of a mechanism on one machine: where it comes from, and what its names do."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import partial

from kolahal.errors import UsageError
from kolahal.lang.noise import Noise

Sampler = Callable[[Noise, float], float]


class SystemSampler:
    """Noise in floating point from the operating system's randomness, for experiments on one machine.

    Doubles leak: a release to strangers needs the exact sampler of an emitted program.
    """

    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def __call__(self, noise: Noise, scale: float) -> float:
        first, second = -math.log1p(-self._random.random()), -math.log1p(-self._random.random())
        match noise:
            case Noise.LAPLACE:
                return scale * (first - second)
            case Noise.EXPONENTIAL:
                return scale * first
            case Noise.DISCRETE_LAPLACE:
                return float(math.floor(scale * first) - math.floor(scale * second))
            case Noise.GEOMETRIC:
                return float(math.floor(scale * first))
            case Noise.CHOOSE:
                return -scale * math.log(first)
            case Noise.FLIP:
                return float(math.floor(scale * first) % 2)
            case Noise.GAUSS:
                return scale * self._random.gauss()
            case Noise.DISCRETE_GAUSS:
                return self._discrete_gauss(scale)
            case Noise.OPEN:
                raise UsageError("noise of an open family cannot be drawn: name one")

    def _discrete_gauss(self, scale: float) -> float:
        """By rejection from discrete Laplace noise (Canonne, Kamath, Steinke 2020, algorithm 3), in doubles."""
        width = math.floor(scale) + 1.0
        while scale:
            drawn = self(Noise.DISCRETE_LAPLACE, width)
            if -math.log1p(-self._random.random()) >= (abs(drawn) - scale * scale / width) ** 2 / (2 * scale * scale):
                return drawn
        return 0.0


def draws_of(sampler: Sampler) -> dict[str, object]:
    """The names by which a program draws noise, with noise from `sampler`."""
    return {noise.value: partial(_choose if noise.selects else _draw, sampler, noise) for noise in Noise if not noise.open}


def _choose(sampler: Sampler, noise: Noise, scores: Sequence[float], scale: float) -> int:
    """The place of the largest score after Gumbel noise; of several, the first."""
    noisy = [score + _draw(sampler, noise, scale) for score in scores]
    return noisy.index(max(noisy))


def _draw(sampler: Sampler, noise: Noise, scale: float) -> float:
    if not 0 <= scale < math.inf:
        raise UsageError(f"a noise scale must be a finite number that is not negative, and here it is {scale}")
    return (bool if noise.finite else float)(sampler(noise, float(scale)))
