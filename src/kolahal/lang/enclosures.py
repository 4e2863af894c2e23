"""Bounds of functions from `math` over an interval, by ball arithmetic, rounded outwards to numbers that people can read."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any

DIGITS = 6  # of a bound that is not exact
LARGEST = 10**12  # what a record may add
STEP = Fraction(1, 2**20)  # emitted programs round these values to multiples of it
NEAR = 2**32  # below which fields are doubles in emitted programs
BITS = 128
LAST = Fraction(sys.float_info.max)
MATH: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "sin": math.sin, "cos": math.cos, "atan": math.atan, "floor": math.floor,
}  # fmt: skip


class NoBounds(Exception):
    """Why a function has no bounds on an interval."""


def math_value(name: str, value: Fraction) -> Fraction:
    """What Python computes; of numbers beyond all doubles, what it computes of the last one: no record is an error."""
    if name == "floor":
        return Fraction(math.floor(value))
    return Fraction(MATH[name](float(min(max(value, -LAST), LAST))))


def enclose(name: str, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of a function between two numbers; raises NoBounds where it is not defined everywhere there."""
    if name == "floor":
        return Fraction(math.floor(low)), Fraction(math.floor(high))
    if (name == "sqrt" and low < 0) or (name == "log" and low <= 0):
        raise NoBounds(f"{name} of numbers that may be {'0 or ' if name == 'log' else ''}below 0")
    if max(abs(low), abs(high)) > LARGEST or (name == "exp" and high > 30):
        raise NoBounds(f"{name} of numbers that may be too large")
    low, high = _wider(low, -1), _wider(high, 1)
    flint: Any = import_module("flint")  # by name: it is needed for these functions alone
    before, flint.ctx.prec = flint.ctx.prec, BITS
    try:
        ends = [getattr(flint.arb(flint.fmpq(v.numerator, v.denominator)), name)() for v in (low, high)]
        found = min(_round(end.lower(), down=True) for end in ends), max(_round(end.upper(), down=False) for end in ends)
        if name in ("sin", "cos"):
            return _with_turns(flint, name, low, high, found)
        return found
    finally:
        flint.ctx.prec = before


def enclose_all(name: str) -> tuple[Fraction, Fraction] | None:
    """Bounds of a function of any number, if it has some."""
    if name in ("sin", "cos"):
        return Fraction(-1), Fraction(1)
    return (Fraction(-15708, 10_000), Fraction(15708, 10_000)) if name == "atan" else None


def _with_turns(flint: Any, name: str, low: Fraction, high: Fraction, ends: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """The bounds of a wave, which may reach 1 or -1 between the ends."""
    bounds = [max(ends[0], Fraction(-1)), min(ends[1], Fraction(1))]
    for which, start in ((1, Fraction(1, 2) if name == "sin" else Fraction(0)), (0, Fraction(-1, 2) if name == "sin" else Fraction(1))):
        turns = [
            (flint.arb(flint.fmpq(v.numerator, v.denominator)) / flint.arb.pi() - flint.arb(flint.fmpq(start.numerator, start.denominator))) / 2
            for v in (low, high)
        ]
        if math.ceil(_exact(turns[0].lower())) <= math.floor(_exact(turns[1].upper())):
            bounds[which] = Fraction(1 if which else -1)
    return bounds[0], bounds[1]


def _exact(ball: Any) -> Fraction:
    mantissa, exponent = ball.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _wider(end: Fraction, way: int) -> Fraction:
    """An end of an interval; of numbers that are rounded before the function is asked, what they may be rounded to."""
    return end if abs(end) < NEAR else end + way * abs(end) / 2**50


def _round(ball: Any, down: bool) -> Fraction:
    return outward(_exact(ball), down)


def outward(value: Fraction, down: bool) -> Fraction:
    """A bound that people can read, and that what is below it, or above, does not leave when it is rounded to steps.

    A bound that is a step already is its own; others have at least a step of room, or what doubles of that size need.
    """
    if value.denominator <= 1024 and STEP.denominator % value.denominator == 0:
        return value
    room = max(STEP, abs(value) / 2**40)
    if abs(value) <= room and (value > 0) == down:  # 0 is a step
        return Fraction(0)
    value = value - room if down else value + room
    unit = Fraction(10) ** (math.floor(math.log10(abs(value))) + 1 - DIGITS) if value else room
    return (math.floor(value / unit) if down else math.ceil(value / unit)) * unit
