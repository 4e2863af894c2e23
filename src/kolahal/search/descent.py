"""The least of a function of proportions, and short fractions near it. It knows nothing of privacy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine.noise import Array

ErrorOf = Callable[[Sequence[float]], float]  # of parts, of which only the proportions count
FAR = 7  # steps of the grid each way, in powers of e: proportions up to about a thousand
FINE = 0.01  # of a logarithm: what proportions are found to
TINY = 1e-300  # in place of 0, which has no logarithm
GOLDEN = (math.sqrt(5) - 1) / 2
MOST_DENOMINATOR = 2_000


def find_least(measure: ErrorOf, count: int, smooth: bool) -> tuple[float, ...]:
    """The proportions of `count` parts at which a measure is least; a smooth one is followed downhill to many digits.

    One that is simulated has small steps everywhere, which slopes would be misled by.
    """

    def at(logs: Array) -> float:
        return measure((*np.exp(logs), 1.0))

    if count == 1:
        return (1.0,)
    if count == 2 and not smooth:
        return (math.exp(_golden(lambda x: at(np.array([x])))), 1.0)
    start: Array = np.zeros(count - 1)
    options: dict[str, Any] = {"gtol": 1e-6}
    if smooth:
        # The logarithm has slopes of one size however large the measure is.
        found = _minimise(lambda logs: math.log(max(at(logs), TINY)), start, "BFGS", options)
    else:
        corners = np.vstack([start, 0.7 * np.eye(count - 1) - 0.2])
        options = {"initial_simplex": corners, "maxfev": 60 * (count - 1), "xatol": FINE, "fatol": 0.0, "adaptive": True}
        found = _minimise(at, start, "Nelder-Mead", options)
    return (*(float(part) for part in np.exp(found)), 1.0)


def _minimise(function: Callable[[Array], float], start: Array, method: Any, options: Any) -> Array:
    from scipy.optimize import minimize  # lazily: the import takes a third of a second

    found: Array = minimize(function, start, method=method, options=options).x
    return found


def _golden(function: Callable[[float], float]) -> float:
    """Where a function of one number is least: near the best place of a grid, by golden sections."""
    grid = {float(x): function(float(x)) for x in range(-FAR, FAR + 1)}
    middle = min(grid, key=lambda x: grid[x])
    low, high = middle - 1, middle + 1
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > FINE:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = function(right)
    return (low + high) / 2


def short_fractions(shares: Sequence[float], allows: Callable[[Sequence[Fraction]], bool]) -> Iterator[tuple[Fraction, ...]]:
    """Fractions near some shares that are allowed, the shortest first: one denominator for all of them."""
    for denominator in range(len(shares), MOST_DENOMINATOR + 1):
        exact = [share * denominator for share in shares]
        parts = [max(1, math.floor(part + 1e-9)) for part in exact]
        # What is left of the budget goes to those that lose most by rounding, in turn.
        for place in sorted(range(len(parts)), key=lambda i: parts[i] - exact[i]):
            more = [*parts[:place], parts[place] + 1, *parts[place + 1 :]]
            if parts[place] < exact[place] and allows([Fraction(part, denominator) for part in more]):
                parts = more
        found = tuple(Fraction(part, denominator) for part in parts)
        if allows(found):
            yield found
