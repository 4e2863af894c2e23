"""From hits to an Estimate, from Odds to a loss: all corner cases live here."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kolahal.beta import functions
from kolahal.model import Estimate, Odds


def log_loss(odds: Odds) -> float:
    """|log p1 − log p2|: 0 when both are zero, ∞ when only one is."""
    return log_ratio(max(odds.p1.value, odds.p2.value), min(odds.p1.value, odds.p2.value))


def log_ratio(p1: float, p2: float) -> float:
    """log(p1 / p2): 0 for 0/0, ∞ for x/0, −∞ for 0/x."""
    if p1 == p2:
        return 0.0
    if p2 == 0:
        return math.inf
    if p1 == 0:
        return -math.inf
    return math.log(p1) - math.log(p2)


def estimate(hits: int, runs: int, doubt: float = 1e-3) -> Estimate:
    """P(event) from `hits` of `runs`; the truth lies outside [low, high] with probability ≤ doubt (Clopper–Pearson).

    >>> estimate(0, 1000, 0.05).low
    0.0
    """
    if runs == 0:
        return Estimate(0.0, 0.0, 1.0, 0)
    low = 0.0 if hits == 0 else float(functions().betaincinv(hits, runs - hits + 1, doubt / 2))
    high = 1.0 if hits == runs else float(functions().betaincinv(hits + 1, runs - hits, 1 - doubt / 2))
    return Estimate(low, hits / runs, high, runs)


def estimate_odds(hits1: int, hits2: int, runs: int, doubt: float) -> Odds:
    """Both probabilities; both intervals hold together except with probability ≤ doubt, whatever links the runs."""
    return Odds(estimate(hits1, runs, doubt / 2), estimate(hits2, runs, doubt / 2))


def renyi_of_event(p: float, q: float, order: float) -> float:
    """The Rényi divergence of an event and its complement, whose probability is p > 0 on the one side and 0 < q < 1 on the other."""
    parts = [order * math.log(p) + (1 - order) * math.log(q)]
    if p < 1:
        parts.append(order * math.log1p(-p) + (1 - order) * math.log1p(-q))
    most = max(parts)
    return (most + math.log(sum(math.exp(part - most) for part in parts))) / (order - 1)


def gdp_of_event(p: float, q: float) -> float:
    """How far apart two normal laws are that an event of probability p and q tells apart, both above 0 and below 1."""
    from statistics import NormalDist  # lazily: most commands need none

    return NormalDist().inv_cdf(p) - NormalDist().inv_cdf(q)


def epsilon_lower(odds: Odds) -> float:
    """A log-loss that the true one is not below, wherever in their intervals the two probabilities lie."""
    least, _ = loss_range((odds.p1.low, odds.p1.high), (odds.p2.low, odds.p2.high))
    return least


def loss_range(p1: Sequence[float], p2: Sequence[float]) -> tuple[float, float]:
    """The least and the largest log-loss that the intervals of two probabilities leave room for."""
    (low1, high1), (low2, high2) = p1, p2
    least = max(0.0, log_ratio(low1, high2), log_ratio(low2, high1))
    return least, max(log_ratio(high1, low2), log_ratio(high2, low1))
