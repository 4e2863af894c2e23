"""What one notion of privacy is worth in another: the formulas, in doubles. docs/theory-budgets.md derives them.

Certain verdicts use intervals instead (`exact/gaussian.py`); these serve scales, reports and searches.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from kolahal.errors import UsageError

ROOT_HALF = math.sqrt(0.5)
FAR = 25.0  # deviations from which on a continued fraction has the tail of the normal law to the last bit


def normal_below(x: float) -> float:
    """Φ(x)."""
    return 0.5 * math.erfc(-x * ROOT_HALF)


def delta_of_gdp(mu: float, epsilon: float) -> float:
    """The least δ for which μ-GDP is (ε, δ)-DP: Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2) (Balle, Wang 2018; Dong, Roth, Su 2022)."""
    return normal_below(mu / 2 - epsilon / mu) - _far_part(mu, epsilon)


def _far_part(mu: float, epsilon: float) -> float:
    """e^ε·Φ(−ε/μ − μ/2); where e^ε could be too large for a double as φ(ε/μ − μ/2) times the ratio of Mills."""
    near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if far < FAR:
        return math.exp(epsilon) * normal_below(-far)
    ratio = far
    for k in range(40, 0, -1):
        ratio = far + k / ratio
    return math.exp(-near * near / 2) / math.sqrt(2 * math.pi) / ratio


def delta_above(mu: float, epsilon: float) -> float:
    """`delta_of_gdp` and what doubles may have lost of it: two numbers that are much alike are subtracted."""
    near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    lost = normal_below(-near) * min(1.0, 2.0**-50 * (8 + near * near + far * far))
    return delta_of_gdp(mu, epsilon) + lost


@lru_cache(maxsize=4096)
def gdp_of(epsilon: float, delta: float) -> float:
    """The μ whose trade-off curve touches (ε, δ), by bisection: δ rises with μ."""
    epsilon, delta = float(epsilon), float(delta)
    if not (0 < epsilon < 700 and 0 < delta < 1):
        raise UsageError(f"gdp({epsilon}, {delta}): ε must be above 0 and below 700, δ between 0 and 1")
    return rising(lambda mu: delta_of_gdp(mu, epsilon), delta)


def rising(value: Callable[[float], float], wanted: float) -> float:
    """Where a rising function of a positive number reaches `wanted`, from below, to the last bit."""
    low, high = 1.0, 1.0
    while value(low) > wanted and low > 1e-300:
        low /= 2
    while value(high) <= wanted and high < 1e300:
        high *= 2
    for _ in range(2000):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if value(middle) <= wanted else (low, middle)
    return low


def delta_of_zcdp(rho: float, epsilon: float) -> float:
    """A δ for which ρ-zCDP is (ε, δ)-DP: inf over α of e^((α−1)(αρ−ε))/(α−1)·(1−1/α)^α (Canonne, Kamath, Steinke 2020, Cor. 13)."""

    def log_delta(alpha: float) -> float:
        return (alpha - 1) * (alpha * rho - epsilon) + alpha * math.log1p(-1 / alpha) - math.log(alpha - 1)

    low, high = 1 + 1e-9, max(2.0, (epsilon / rho + 1) / 2 + 2)
    for _ in range(200):  # the logarithm is convex in α
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if log_delta(first) <= log_delta(second) else (first, high)
    return min(1.0, math.exp(min(0.0, log_delta((low + high) / 2))))


def epsilon_of_zcdp(rho: float, delta: float) -> float:
    """The ε for which ρ-zCDP is (ε, δ)-DP by `delta_of_zcdp`; δ falls with ε."""
    return 1 / rising(lambda inverse: delta_of_zcdp(rho, 1 / inverse), delta)


def rho_of_pure(epsilon: float) -> float:
    """ε-DP is ρ-zCDP with ρ = ε·tanh(ε/2), and no smaller one."""
    return epsilon * math.tanh(epsilon / 2)
