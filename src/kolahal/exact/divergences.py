"""Whether two probabilities of one event break a claim other than ε, for certain.

- zCDP: the Rényi divergence of order α of the event and its complement is above α·ρ (data processing);
- GDP: the event is a better test than any between N(0, 1) and N(μ, 1);
- (ε, δ): p − e^ε·q is above δ.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist
from typing import Any

from kolahal.exact.balls import Interval, precision
from kolahal.exact.gaussian import BITS, ball, normal_below

ORDERS = tuple(map(Fraction, ("1.01", "1.1", "1.5", "2", "3", "4", "6", "8", "12", "16", "24", "32", "48", "64")))


def renyi(p: Interval, q: Interval, order: Fraction) -> Any:
    """The Rényi divergence of order α between (p, 1 − p) and (q, 1 − q), as a ball; None where that says nothing."""
    with precision(BITS):
        alpha, one = ball(order), ball(1)
        total = ball(0)
        for a, b in ((p.ball, q.ball), (one - p.ball, one - q.ball)):
            if not (a > 0 and b > 0):
                if not (a >= 0 and b > 0):
                    return None
                continue  # what it would add is not below 0
            total += (alpha * a.log() + (1 - alpha) * b.log()).exp()
        return total.log() / (alpha - 1) if total > 0 else None


def breaks_zcdp(p: Interval, q: Interval, rho: Fraction, order: Fraction) -> bool:
    """Whether an event shows for certain that a program is not ρ-zCDP."""
    if q.is_zero:
        return p.low > 0
    found = renyi(p, q, order)
    with precision(BITS):
        return found is not None and bool(found > ball(order) * ball(rho))


def best_order(p: Interval, q: Interval) -> tuple[Fraction, float]:
    """The order at which an event tells most of ρ, and how much that is, in doubles."""
    found = [(order, renyi(p, q, order)) for order in ORDERS]
    values = [(order, float(value.mid()) / float(order)) for order, value in found if value is not None]
    return max(values, key=lambda pair: pair[1], default=(Fraction(2), 0.0))


def breaks_gdp(p: Interval, q: Interval, mu: Fraction) -> bool:
    """Whether an event shows for certain that a program is not μ-GDP: p > Φ(Φ⁻¹(q) + μ)."""
    if not 0 < q.high < 1:
        return bool(q.is_zero and p.low > 0)
    with precision(BITS):
        point = Fraction(NormalDist().inv_cdf(min(max(q.high, 1e-300), 1 - 1e-16)))
        for _ in range(60):  # a little higher, until Φ is surely not below q
            if normal_below(ball(point)) >= q.ball:
                return bool(p.ball > normal_below(ball(point + mu)))
            point += Fraction(1, 2**40)
        return False


def breaks_approximate(p: Interval, q: Interval, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether an event shows for certain that a program is not (ε, δ)-DP."""
    with precision(BITS):
        return bool(p.ball - ball(epsilon).exp() * q.ball > ball(delta))
