"""Rounded normal noise and gdp(ε, δ). `emit` copies this file, from here on, into programs that claim μ, or (ε, δ), with Gaussian noise."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

from kolahal.lang.templates.bells import _above
from kolahal.logic.normal import delta_bounds

# ---------------------------------------------------------------- normal noise, rounded
#
# Discrete Gaussian noise is not mu-GDP with the same scale; normal noise that is rounded to the grid is, because rounding
# comes after the noise: where a shift is a multiple of the grid, rounded noise is shifted as the noise is. The draws are
# exact (Karney 2016, algorithm N): a normal deviate k + x has as many binary digits of x as the rounding asks for. A scale
# is rounded up, and gdp(eps, delta) down: more noise costs no more.

Mu = float


class _Digits:
    """A number between 0 and 1, each as likely as the others, of which so many binary digits are known."""

    def __init__(self, noise: Any):
        self.noise, self.known, self.size = noise, 0, 0

    def more(self) -> None:
        self.known = self.known << 32 | self.noise.below(2**32)
        self.size += 32

    def is_below(self, other: _Digits, slope: int = 1, start: int = 0) -> bool:
        """Whether slope * self - start is below another number."""
        while True:
            while self.size < other.size:
                self.more()
            while other.size < self.size:
                other.more()
            low = slope * self.known - (start << self.size)  # in steps of 2**-size, self is between this and low + slope
            if low >= other.known + 1:
                return False
            if low + slope <= other.known:
                return True
            self.more()


def _accepts(noise: Any, whole: int, part: _Digits) -> bool:
    """True with probability exp(-x * (2*k + x) / (2*k + 2)), exactly, by von Neumann's method."""
    # Of falling numbers x > z1 > z2 > ..., each kept with chance p, there are at least n with chance (x*p)**n/n!.
    turns, last = 0, part
    while True:
        following, coin = _Digits(noise), _Digits(noise)
        if not following.is_below(last) or not coin.is_below(part, 2 * whole + 2, 2 * whole):
            return turns % 2 == 0
        turns, last = turns + 1, following


def _normal(noise: Any, scale: Fraction) -> int:
    """The whole number that is nearest to normal noise of this standard deviation."""
    if not hasattr(noise, "happens"):  # the fixed noise of a self-test has no chances
        return int(noise.laplace(scale))
    while True:
        whole = 0
        while noise.happens(1, 2):
            whole += 1
        if not all(noise.happens(1, 2) for _ in range(whole * (whole - 1))):
            continue
        part = _Digits(noise)
        if all(_accepts(noise, whole, part) for _ in range(whole + 1)):
            break
    while True:
        part.more()
        low = scale * (whole + Fraction(part.known, 2**part.size)) + Fraction(1, 2)
        if math.floor(low) == math.floor(low + scale / 2**part.size):
            return -math.floor(low) if noise.below(2) else math.floor(low)


def Gauss(scale: Any) -> Fraction:
    """Normal noise, rounded to the grid of noise; the scale is its standard deviation."""
    run = globals()["_running"].get()
    steps = _above(scale) / run.grid
    return run.grid * _normal(run.noise, steps) if steps else Fraction(0)


@functools.lru_cache(maxsize=64)
def gdp(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A fraction that is at most the mu whose trade-off curve touches (epsilon, delta), by one part in 2**30 at most."""
    if epsilon > 700:
        raise ValueError("epsilon is too large for Gaussian noise of a known scale: give at most 700")
    low, high = 1e-9, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        near, far = float(epsilon) / middle - middle / 2, float(epsilon) / middle + middle / 2
        found = math.erfc(near / math.sqrt(2)) / 2
        if near < 30 and far < 30:
            found -= math.exp(float(epsilon)) * math.erfc(far / math.sqrt(2)) / 2
        low, high = (middle, high) if found <= delta else (low, middle)
    step = Fraction(1, 2**30)
    while step < 1:
        mu = Fraction(low) * (1 - step)
        if delta_bounds(mu, Fraction(epsilon))[1] <= delta:
            return mu
        step *= 2
    raise ValueError("delta is too small for Gaussian noise of a known scale: give at least 1e-60")
