"""Numbers that are known between two bounds, in ball arithmetic (python-flint's Arb)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

from kolahal.model import Estimate
from kolahal.nouns import dataclass

T = TypeVar("T")
MOST_BITS, PRECISE = 16_384, 2.0**-40  # relative width at which an interval is narrow enough


@dataclass(frozen=True, slots=True)
class Interval:
    """A number that is surely between two bounds; `ball` is the same in ball arithmetic."""

    ball: Any

    @property
    def low(self) -> float:
        """A double that is not above the number."""
        return max(0.0, _outward(self.ball.lower(), -math.inf))

    @property
    def high(self) -> float:
        """A double that is not below it."""
        return _outward(self.ball.upper(), math.inf)

    @property
    def is_zero(self) -> bool:
        """Whether the number is 0 exactly."""
        return bool(self.ball.is_zero())

    def estimate(self) -> Estimate:
        low, high = self.low, min(1.0, self.high)
        return Estimate(low, min(max(float(self.ball.mid()), low), high), high, 0)


def _outward(value: Any, towards: float) -> float:
    near = float(value)
    exact = value == flint_library().arb(near) if math.isfinite(near) else False
    return near if exact else math.nextafter(near, towards)


def exceeds(p1: Interval, p2: Interval, log_factor: Fraction) -> bool:
    """Whether p1 > exp(log_factor)·p2 for certain."""
    flint = flint_library()
    with precision(256):
        return bool(p1.ball > ball(flint, log_factor).exp() * p2.ball)


def log_ratio(p1: Interval, p2: Interval) -> tuple[float, float]:
    """Bounds on log(p1/p2) that hold for certain."""
    if p2.is_zero:
        return (0.0, 0.0) if p1.is_zero else (math.inf, math.inf)
    if p1.is_zero:
        return -math.inf, -math.inf
    with precision(256):
        ratio = Interval((p1.ball / p2.ball).log())
        return _outward(ratio.ball.lower(), -math.inf), _outward(ratio.ball.upper(), math.inf)


def flint_library() -> Any:
    import flint  # lazily: only refutations need it

    return flint


class precision:
    """Balls with at least so many bits inside."""

    def __init__(self, bits: int):
        self.bits = bits

    def __enter__(self) -> None:
        context = flint_library().ctx
        self.before = context.prec
        context.prec = self.bits

    def __exit__(self, *_: object) -> None:
        flint_library().ctx.prec = self.before


def ball(flint: Any, value: Fraction) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def narrowed(compute: Callable[[Any], Any], other: type[T], bits: int) -> Interval | T:
    """The ball that is computed with flint, as an interval, with more bits until it is narrow; what is an `other` is handed on."""
    flint = flint_library()
    while True:
        with precision(bits):
            found = compute(flint)
            if isinstance(found, other):
                return found
            if found.is_zero() or found.rad() < PRECISE * found.mid() or bits >= MOST_BITS:
                return Interval(found)
        bits *= 2
