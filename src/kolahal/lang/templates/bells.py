"""Gaussian noise and roots in scales. `emit` copies this file, from here on, into programs with a budget other than ε."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

# ---------------------------------------------------------------- Gaussian noise
#
# A whole number k is drawn with probability proportional to exp(-k^2/(2*variance)), exactly, by rejection from discrete
# Laplace noise (Canonne, Kamath, Steinke 2020, algorithm 3). On the grid, where shifts are whole steps, a shift by s costs at
# most s^2/(2*sigma^2) of rho, as for real noise. A standard deviation is known by its square, which is a fraction.

Rho = Delta = float


class _Root:
    """The square root of a fraction, which is kept as that fraction."""

    def __init__(self, square: Fraction):
        self.square = square

    def __mul__(self, other: Any) -> _Root:
        return _Root(self.square * _square(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> _Root:
        return _Root(self.square / _square(other))

    def __rtruediv__(self, other: Any) -> _Root:
        return _Root(_square(other) / self.square)

    def __pow__(self, power: int) -> _Root:
        return _Root(self.square**power)


def _square(scale: Any) -> Fraction:
    if isinstance(scale, _Root):
        return scale.square
    if isinstance(scale, bool) or not isinstance(scale, int | Fraction):
        raise TypeError("a scale is not exact")
    return Fraction(scale) ** 2


def sqrt(value: Fraction | int) -> _Root:
    """The square root of a number, exactly."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction) or value < 0:
        raise ValueError("this has no exact root")
    return _Root(Fraction(value))


def _below(scale: Any) -> Fraction:
    """A fraction that is at most a scale, by one part in 2**62 at most; 0 for 0."""
    square = _square(scale)
    if not square:
        return Fraction(0)
    bits = max(64, 64 + square.denominator.bit_length() - square.numerator.bit_length())
    return Fraction(math.isqrt(square.numerator * 4**bits // square.denominator), 2**bits)


def _above(scale: Any) -> Fraction:
    """A fraction that is at least a scale, by one part in 2**60 at most: more noise costs no more."""
    if not isinstance(scale, _Root):
        return Fraction(scale)
    least = _below(scale)
    return least + least / 2**60


def _happens(noise: Any, power: Fraction) -> bool:
    """True with probability exp(-power), exactly."""
    while power > 1:
        if not noise.happens(1, 1):
            return False
        power -= 1
    return bool(noise.happens(power.numerator, power.denominator))


def _gauss(noise: Any, variance: Fraction) -> int:
    """A whole number k with probability proportional to exp(-k^2/(2*variance))."""
    width = math.isqrt(math.floor(variance)) + 1
    while True:
        drawn = int(noise.laplace(Fraction(width)))
        # The fixed noise of a self-test has no chances.
        if not hasattr(noise, "happens") or _happens(noise, (abs(drawn) - variance / width) ** 2 / (2 * variance)):
            return drawn


def _draw_gauss(scale: Any, whole: bool) -> Fraction:
    run = globals()["_running"].get()
    grid = Fraction(1) if whole else run.grid
    variance = _square(scale) / grid**2
    return grid * _gauss(run.noise, variance) if variance else Fraction(0)


def Gauss(scale: Any) -> Fraction:
    """Discrete Gaussian noise on the grid of noise; the scale is its standard deviation."""
    return _draw_gauss(scale, whole=False)


def DiscreteGauss(scale: Any) -> Fraction:
    """Discrete Gaussian noise in whole numbers."""
    return _draw_gauss(scale, whole=True)
