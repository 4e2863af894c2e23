"""What the families of noise do to numbers. A new family is one small class here and one line in `lang/noise.py`.

Every family has density (or mass) exp(−|x|/scale − log_norm(scale)) on its support, so the weight of a run depends
on its draws only through Σ|draw|.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kolahal.lang.noise import Noise

Array = NDArray[np.float64]
_SIGN_PLACE = np.uint64(63)  # of a double


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


FAMILIES: dict[Noise, Family] = {family.noise: family() for family in Family.__subclasses__()}
