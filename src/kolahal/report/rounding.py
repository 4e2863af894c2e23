"""Numbers for people, rounded so that what is shown never says the opposite of what is known."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

DIGITS = 4
MOST_DIGITS = 17  # they tell any two doubles apart
SLACK = 1e-9  # relative: how wrong doubles may be, so that 1.4999999999 is 1.5


def at_least(bound: float, digits: int = DIGITS) -> str:
    """A bound from below, which is not rounded up: 0.99996 is 0.9999."""
    return _round(bound * (1 + SLACK), ROUND_FLOOR, digits)


def at_most(bound: float, digits: int = DIGITS) -> str:
    """A bound from above, which is not rounded down."""
    return _round(bound * (1 - SLACK), ROUND_CEILING, digits)


def compare(value: float, limit: float, over: bool) -> tuple[str, str]:
    """A value and the limit that it keeps to, or is `over`, with as many digits as it takes to see which.

    >>> compare(2.71828182, 2.718281828, over=False)
    ('2.718', '2.718')
    >>> compare(2.71829, 2.718281828, over=True)
    ('2.71829', '2.71828')
    """
    if not over:
        return at_least(min(value, limit)), f"{limit:.{DIGITS}g}"
    if math.isinf(value):
        return "∞", f"{limit:.{DIGITS}g}"
    value = max(value, math.nextafter(limit, math.inf))  # it is above, whatever became of that in doubles
    for digits in range(DIGITS, MOST_DIGITS + 1):
        shown = f"{value:.{digits}g}", f"{limit:.{digits}g}"
        if float(shown[0]) > float(shown[1]):
            break
    return shown


def finite(value: Any) -> float:
    """JSON has no infinity; documents spell it."""
    return math.inf if value == "Infinity" else math.nan if value is None else float(value)


def _round(value: float, towards: str, digits: int) -> str:
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "–"
    return f"{float(Context(prec=digits, rounding=towards).create_decimal(Decimal(value))):.{digits}g}"
