"""Sums of exponentials Σ c·e^(r·t) with whole r and c: whether one is above 0 at a time t, or from 0 on."""

from __future__ import annotations

import math
from decimal import Context, Decimal, Overflow
from fractions import Fraction
from typing import TypeAlias

Exponentials: TypeAlias = dict[int, int]  # rate → coefficient, none of them 0
DIGITS = 60
EXACT = Context(prec=DIGITS)


def times(one: Exponentials, other: Exponentials) -> Exponentials:
    found: Exponentials = {}
    for r, a in one.items():
        for s, b in other.items():
            found[r + s] = found.get(r + s, 0) + a * b
    return {rate: c for rate, c in found.items() if c}


def minus(one: Exponentials, other: Exponentials) -> Exponentials:
    found = dict(one)
    for rate, c in other.items():
        found[rate] = found.get(rate, 0) - c
    return {rate: c for rate, c in found.items() if c}


def later(one: Exponentials, shift: int) -> Exponentials:
    """The same, times e^(shift·t)."""
    return {rate + shift: c for rate, c in one.items()}


def never_negative(sum_: Exponentials) -> bool:
    """Whether a sum is at least 0 for all t ≥ 0, as far as this shows: False says nothing.

    Let F be the sum and r its smallest rate. If F(0) ≥ 0 and the derivative of G = e^(−r·t)·F is nowhere negative, G
    stays above 0, and so does F. G' has one term less, and the factor e^(−r·t) does not change its sign.
    """
    terms = sorted(sum_.items())
    while terms:
        if sum(c for _, c in terms) < 0:
            return False
        (first, _), *rest = terms
        terms = [(rate, c * (rate - first)) for rate, c in rest]
    return True


def is_above(sum_: Exponentials, time: Fraction) -> bool:
    """Whether a sum is surely above 0 at a time ≥ 0.

    `Decimal.exp` is correctly rounded, and so is every other step here: each may err by one part in 10^DIGITS, and a
    rounded exponent by as much again as it is large. Rates are counted from the smallest, so that nothing underflows.
    """
    least = min(sum_, default=0)
    total, doubt = Decimal(0), Decimal(0)
    try:
        for rate, c in sum_.items():
            at = (rate - least) * time
            exponent = EXACT.divide(Decimal(at.numerator), Decimal(at.denominator))
            term = EXACT.multiply(Decimal(c), EXACT.exp(exponent))
            total = EXACT.add(total, term)
            doubt = EXACT.add(doubt, EXACT.multiply(abs(term), EXACT.add(exponent, Decimal(len(sum_) + 4))))
        return total > EXACT.multiply(doubt, Decimal(10) ** (2 - DIGITS))
    except Overflow:  # beyond e^2,000,000
        return False


def log_at(sum_: Exponentials, time: Fraction) -> float:
    """The logarithm of a sum with coefficients above 0, near enough to compare."""
    top = max(sum_)
    return float(top * time) + math.log(sum(c * math.exp(float((rate - top) * time)) for rate, c in sum_.items()))
