"""The normal law and what it hides of a move, as pairs of fractions between which the numbers lie for certain.

Sums and products of decimals are rounded down for lower and up for upper bounds. `Decimal.exp` and `sqrt` are rounded to
the nearest whatever the context says, so their neighbours are taken.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TypeAlias

Ends: TypeAlias = tuple[Fraction, Fraction]
DIGITS = 180
DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emin=-(10**9), Emax=10**9)
UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)
FAR = 18  # deviations; of what lies beyond it is only known that it is less than what lies beyond 18
TINY = Decimal((0, (1,), -DIGITS))
# The ratio of a circle to its diameter is between these.
PI = (
    Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899"),
    Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620900"),
)


def exp_bounds(x: Fraction) -> Ends:
    """e^x, which rises with x."""
    low = DOWN.divide(Decimal(x.numerator), Decimal(x.denominator))
    high = UP.divide(Decimal(x.numerator), Decimal(x.denominator))
    return Fraction(DOWN.next_minus(DOWN.exp(low))), Fraction(UP.next_plus(UP.exp(high)))


def tail_bounds(x: Fraction) -> Ends:
    """The chance that standard normal noise is above x."""
    if x < 0:
        low, high = tail_bounds(-x)
        return 1 - high, 1 - low
    if x > FAR:
        return Fraction(0), tail_bounds(Fraction(FAR))[1]
    # 1/2 − φ(x)·(x + x³/3 + x⁵/(3·5) + …), every term positive.
    root = (DOWN.next_minus(DOWN.sqrt(DOWN.multiply(2, PI[0]))), UP.next_plus(UP.sqrt(UP.multiply(2, PI[1]))))
    bell = exp_bounds(-x * x / 2)
    series = _series(x)
    low = Fraction(1, 2) - bell[1] / Fraction(root[0]) * series[1]
    return max(Fraction(0), low), Fraction(1, 2) - bell[0] / Fraction(root[1]) * series[0]


def _series(x: Fraction) -> Ends:
    """x + x³/3 + x⁵/(3·5) + …: from a term on whose successor is at most half of it, the rest is at most that term."""
    totals = []
    for context in (DOWN, UP):
        square = context.divide(Decimal((x * x).numerator), Decimal((x * x).denominator))
        term = total = context.divide(Decimal(x.numerator), Decimal(x.denominator))
        odd = 1
        while 2 * x * x > odd + 2 or term > TINY:
            odd += 2
            term = context.divide(context.multiply(term, square), Decimal(odd))
            total = context.add(total, term)
        totals.append(total if context is DOWN else context.add(total, term))
    return Fraction(totals[0]), Fraction(totals[1])


def delta_bounds(distance: Fraction, epsilon: Fraction) -> Ends:
    """Φ(−ε/m + m/2) − e^ε·Φ(−ε/m − m/2): the least δ at ε of two normal laws that are m deviations apart."""
    if not distance:
        return Fraction(0), Fraction(0)
    near, far = epsilon / distance - distance / 2, epsilon / distance + distance / 2
    first, second, factor = tail_bounds(near), tail_bounds(far), exp_bounds(epsilon)
    return max(Fraction(0), first[0] - factor[1] * second[1]), first[1] - factor[0] * second[0]


def root_above(square: Fraction) -> Fraction:
    """A fraction that is not below the root of another."""
    high = UP.next_plus(UP.sqrt(UP.divide(Decimal(square.numerator), Decimal(square.denominator))))
    return Fraction(high)
