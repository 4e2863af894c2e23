"""Exact draws with finitely many values. `emit` copies this file, from here on, into the programs that use them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from kolahal.lang.templates.runtime import _running

# ---------------------------------------------------------------- coins


def Flip(scale: Fraction | int) -> bool:
    """True with probability 1/(1 + exp(1/scale)), exactly: whether a geometric number is odd.

    A whole number k >= 0 with probability (1 - p) p^k, p = exp(-1/scale), is odd with probability p/(1 + p).
    """
    if not scale:  # only for a list without answers, which has no neighbour
        return False
    return _running.get().noise.exponential(Fraction(scale)) % 2 == 1


# ---------------------------------------------------------------- the exponential mechanism


def Pick(scale: Fraction | int, k: int) -> int:
    """0, or with probability exp(-1/scale) times that each of 1, ..., k - 1, exactly."""
    return choose([1] + [0] * (k - 1), scale)


def choose(scores: Sequence[Fraction | int], scale: Fraction | int) -> int:
    """A place with probability proportional to exp(score/scale), exactly.

    Places are proposed, each as likely as the others, and one that is behind the best by d is taken with probability
    exp(-d/scale): that a geometric number is at least d, both counted in parts of which all scores are whole multiples.
    """
    noise, top = _running.get().noise, max(scores)
    parts = math.lcm(*(score.denominator for score in scores))
    while True:
        place = noise.below(len(scores))
        behind = (top - scores[place]) * parts
        if not behind or (scale and noise.exponential(Fraction(scale) * parts) >= behind):
            return place
