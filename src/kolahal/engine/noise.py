"""What the families of noise do to numbers. A new family is one small class here and one line in `lang/noise.py`.

Every family but the bells has density (or mass) exp(−|x|/scale − log_norm(scale)) on its support, so the weight of a
run depends on its draws only through Σ|draw|. A bell has no such weight, and whoever asks for one is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kolahal.errors import UsageError
from kolahal.lang.noise import Noise

NO_WEIGHTS = "runs with Gaussian noise cannot be weighed for other scales; use `--method auto`, or `kolahal check`"
Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
_SIGN_PLACE = np.uint64(63)  # of a double


def noisy_patterns(scales: Array) -> list[tuple[bool, ...]]:
    """Which holes have noise, each way once, in order; as `np.unique`, for which numpy's masked arrays would be loaded."""
    return sorted(set(map(tuple, (scales > 0).tolist())))


class Family(ABC):
    """How a draw is made of unit variates, which are drawn before anything runs and serve every scale."""

    noise: ClassVar[Noise]
    parts: ClassVar[int] = 1  # unit variates a draw
    code: ClassVar[str]  # `value` as an expression for the compiled engine

    @property
    def two_sided(self) -> bool:
        return not self.noise.one_sided

    @property
    def whole(self) -> bool:
        return self.noise.whole

    def draw_units(self, rng: Generator, units: Array) -> None:
        """Fill `units`, of shape (parts, runs): exponential, with a random sign if there is one two-sided part."""
        rng.standard_exponential(out=units)
        if self.two_sided and self.parts == 1:
            runs = units.shape[1]
            bits = np.unpackbits(rng.bit_generator.random_raw(-(-runs // 64)).view(np.uint8), count=runs)
            units.view(np.uint64)[0] |= bits.astype(np.uint64) << _SIGN_PLACE

    @abstractmethod
    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        """The draw of a scale, from its unit variates: numbers or arrays alike."""

    @abstractmethod
    def log_norm(self, scale: Array) -> Array:
        """The logarithm of what exp(−|x|/scale) adds up to over the support."""


class Laplace(Family):
    noise = Noise.LAPLACE
    code = "{s} * {u0}"

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        return scale * units[0]

    def log_norm(self, scale: Array) -> Array:
        return np.log(2 * scale)


class Exponential(Family):
    noise = Noise.EXPONENTIAL
    code = "{s} * {u0}"

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        return scale * units[0]

    def log_norm(self, scale: Array) -> Array:
        return np.log(scale)


class DiscreteLaplace(Family):
    """The difference of two geometric variates; the floor of an exponential variate is geometric."""

    noise = Noise.DISCRETE_LAPLACE
    parts = 2
    code = "floor({s} * {u0}) - floor({s} * {u1})"

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        return floor(scale * units[0]) - floor(scale * units[1])

    def log_norm(self, scale: Array) -> Array:
        return -np.log(np.tanh(1 / (2 * scale)))


class Geometric(Family):
    noise = Noise.GEOMETRIC
    code = "floor({s} * {u0})"

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        return floor(scale * units[0])

    def log_norm(self, scale: Array) -> Array:
        return -np.log(-np.expm1(-1 / scale))


class Flip(Family):
    """Whether a geometric variate is odd: that has probability p/(1 + p), where p = exp(−1/scale)."""

    noise = Noise.FLIP
    code = "floor({s} * {u0}) - 2.0 * floor(0.5 * floor({s} * {u0}))"

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        drawn = floor(scale * units[0])
        return drawn - 2 * floor(drawn / 2)

    def log_norm(self, scale: Array) -> Array:
        return np.log1p(np.exp(-1 / scale))


class Gumbel(Family):
    """What is added to the scores that a place is chosen from: the largest sum stands where `choose` would."""

    noise = Noise.CHOOSE
    code = "{s} * {u0}"

    def draw_units(self, rng: Generator, units: Array) -> None:
        rng.standard_exponential(out=units)
        np.negative(np.log(units, out=units), out=units)

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        return scale * units[0]

    def log_norm(self, scale: Array) -> Array:
        raise AssertionError("runs that choose a place are not weighed again for other scales")


class Gaussian(Family):
    noise = Noise.GAUSS
    code = "{s} * {u0}"

    def draw_units(self, rng: Generator, units: Array) -> None:
        rng.standard_normal(out=units)

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        return scale * units[0]

    def log_norm(self, scale: Array) -> Array:
        raise UsageError(NO_WEIGHTS)


class DiscreteGaussian(Family):
    """By rejection from discrete Laplace noise (Canonne, Kamath, Steinke 2020, algorithm 3): a try is accepted with
    probability exp(−x), as an exponential variate is at least x. That all tries fail has a chance below 10⁻⁴ where the
    answer is 0 almost always, and below 10⁻⁶ where σ ≥ 1."""

    noise = Noise.DISCRETE_GAUSS
    tries = 16
    parts = 3 * tries
    code = ""

    def value(self, scale: Any, units: Sequence[Any], floor: Callable[[Any], Any]) -> Any:
        width = floor(scale) + 1.0
        least = scale * scale / width
        narrow = 2.0 * scale * scale + (scale == 0)  # no division by 0 where there is no noise
        result: Any = 0.0
        for place in reversed(range(0, self.parts, 3)):
            drawn = floor(width * units[place]) - floor(width * units[place + 1])
            away = abs(drawn) - least
            taken = units[place + 2] >= away * away / narrow
            result = taken * drawn + (1.0 - taken) * result
        return result * (scale != 0)

    def log_norm(self, scale: Array) -> Array:
        raise UsageError(NO_WEIGHTS)


def _tries(family: type[DiscreteGaussian]) -> str:
    """`value` as one expression, from the last try inwards."""
    width, narrow = "(floor({s}) + 1.0)", "(2.0 * {s} * {s} + ({s} == 0))"
    result = "0.0"
    for place in reversed(range(0, family.parts, 3)):
        drawn = f"(floor({width} * {{u{place}}}) - floor({width} * {{u{place + 1}}}))"
        away = f"(abs({drawn}) - {{s}} * {{s}} / {width})"
        taken = f"({{u{place + 2}}} >= {away} * {away} / {narrow})"
        result = f"({taken} * {drawn} + (1.0 - {taken}) * {result})"
    return f"{result} * ({{s}} != 0)"


DiscreteGaussian.code = _tries(DiscreteGaussian)

FAMILIES: dict[Noise, Family] = {family.noise: family() for family in Family.__subclasses__()}
