"""Probabilities with Gaussian noise: certain, and those of other ways to compute them."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy import integrate

from kolahal.engine.engines import BATCH
from kolahal.engine.outputs import hits
from kolahal.engine.tape import Tape
from kolahal.exact.balls import Interval
from kolahal.exact.divergences import ORDERS, breaks_approximate, breaks_gdp, breaks_zcdp, renyi
from kolahal.exact.gaussian import budget_probability, gdp_ball
from kolahal.lang import accounting
from kolahal.lang.read.parse import parse
from kolahal.model import AllOf, Anything, Arguments, Equals, Linear, OneOf, Within
from kolahal.paths.cuts import CannotIntegrate

ABOVE = """
@sketch(adjacent=each_within(1))
def f(q: Private, rho: Rho):
    t = {}
    for i in range(len(q)):
        if q[i] + {} > t:
            return i
    return None
"""
MAX = """
@sketch(adjacent=each_within(1))
def f(q: Private, rho: Rho):
    best = None
    at = 0
    for i in range(len(q)):
        v = q[i] + {}
        if best is None or v > best:
            best = v
            at = i
    return at
"""
RELEASE = """
@sketch(adjacent=each_within(1))
def f(q: Private{}, rho: Rho):
    return q[0] + {}, 2 * q[0] - q[1] + {}
"""
DATABASE = (Fraction(1), Fraction(-1), Fraction(1, 2))


def chance(text: str, event: object, database: tuple[Fraction, ...] = DATABASE) -> Interval:
    found = budget_probability(parse(text), database, Arguments(Fraction(1, 2), len(database)), event)  # type: ignore[arg-type]
    assert isinstance(found, Interval), found
    return found


@pytest.mark.parametrize(
    ("text", "events"),
    [
        (ABOVE.format("Gauss(2)", "Gauss(1/sqrt(rho))"), [Equals(None), *(Equals(Fraction(i)) for i in range(3))]),
        (ABOVE.format("Gauss(2)", "Lap(3)"), [Equals(None), *(Equals(Fraction(i)) for i in range(3))]),
        (ABOVE.format("Lap(2)", "Gauss(3)"), [Equals(None), *(Equals(Fraction(i)) for i in range(3))]),
        (ABOVE.format("Gauss(1)", "Exp(2)"), [Equals(None), *(Equals(Fraction(i)) for i in range(3))]),
        (MAX.format("Gauss(sqrt(2)/rho)"), [Equals(Fraction(i)) for i in range(3)]),
    ],
)
def test_outcomes_add_up_to_one_and_runs_agree(text: str, events: list[Equals]) -> None:
    """A frequency of 100 000 runs strays by six deviations once in 10⁹."""
    sketch, runs = parse(text), 100_000
    outputs = BATCH.run(sketch, DATABASE, Arguments(Fraction(1, 2), 3), (), Tape((7,), runs))
    total = Fraction(0)
    for event in events:
        p = chance(text, event)
        assert p.high - p.low < 1e-12
        assert abs(hits(event, outputs).mean() - p.low) <= 6 * math.sqrt(p.low * (1 - p.low) / runs)
        total += Fraction(p.low)
    assert abs(float(total) - 1) < 1e-12


def test_one_integral_by_another_integrator() -> None:
    p = chance(ABOVE.format("Gauss(2)", "Gauss(3)"), Equals(Fraction(1)))
    below, above = NormalDist(1, 3), NormalDist(-1, 3)
    value, _ = integrate.quad(lambda t: NormalDist(0, 2).pdf(t) * below.cdf(t) * (1 - above.cdf(t)), -40, 40)
    assert abs(value - p.low) < 1e-9


def test_directions_of_a_release() -> None:
    text = RELEASE.format("", "Gauss(1)", "Gauss(2)")
    two = (Fraction(1), Fraction(3))
    for event, expected in (
        (AllOf((Within(Fraction(2), None), Anything())), NormalDist(1, 1).cdf(0)),
        (AllOf((Within(Fraction(0), Fraction(2)), Within(None, Fraction(-1)))), (NormalDist().cdf(1) - NormalDist().cdf(-1)) / 2),
        (Linear((Fraction(1), Fraction(1)), Fraction(2)), 1 - NormalDist(0, math.sqrt(5)).cdf(2)),
        (Linear((Fraction(-1), Fraction(0)), Fraction(20)), 0.5 * math.erfc(21 / math.sqrt(2))),
    ):
        p = chance(text, event, two)
        assert math.isclose(p.low, expected, rel_tol=1e-9) and p.low <= p.high
    far = chance(text, AllOf((Within(Fraction(1000), None), Anything())), two)
    assert far.ball > 0 and far.low == 0.0


def test_discrete_gaussian_noise() -> None:
    text = RELEASE.format("[int]", "DiscreteGauss(3/2)", "DiscreteGauss(1)")
    two = (Fraction(1), Fraction(3))
    mass = sum(math.exp(-k * k / 4.5) for k in range(-60, 61))
    for low, high in ((1, 1), (2, None), (None, -3), (0, 5)):
        event = AllOf((Within(None if low is None else Fraction(low), None if high is None else Fraction(high)), Anything()))
        inside = [k for k in range(-60, 61) if (low is None or k + 1 >= low) and (high is None or k + 1 <= high)]
        assert math.isclose(chance(text, event, two).low, sum(math.exp(-k * k / 4.5) for k in inside) / mass, rel_tol=1e-12)


def test_what_is_no_star_cannot_be_integrated() -> None:
    text = "@sketch(adjacent=each_within(1))\ndef f(q: Private, rho: Rho):\n    a = Gauss(1)\n    b = Gauss(1)\n    c = Gauss(1)\n    return a < b and b < c and c < a + 1\n"
    found = budget_probability(parse(text), (Fraction(0),), Arguments(Fraction(1, 2), 1), Equals(True))
    assert isinstance(found, CannotIntegrate)


def gaussian_pair(distance: float, low: float) -> tuple[Interval, Interval]:
    """P(x ≥ low) for N(distance, 1) and N(0, 1)."""
    text = "@sketch(adjacent=one_within(9))\ndef f(q: Private, rho: Rho):\n    return q[0] + Gauss(1)\n"
    event = Within(Fraction(low), None)
    return chance(text, event, (Fraction(distance),)), chance(text, event, (Fraction(0),))


@pytest.mark.parametrize("distance", [0.25, 1.0, 3.0])
def test_events_say_no_more_than_the_truth(distance: float) -> None:
    """Of a Gaussian pair ρ, μ and δ(ε) are known: no event refutes them, and good ones refute a little less."""
    rho, mu = Fraction(distance) ** 2 / 2, Fraction(distance)
    for low in (-1.0, distance / 2, distance, 4.0, 12.0, 40.0):
        p, q = gaussian_pair(distance, low)
        for order in ORDERS:
            assert not breaks_zcdp(p, q, rho, order) and not breaks_zcdp(q, p, rho, order)
            assert float(renyi(p, q, order).mid()) <= float(order * rho) + 1e-12
        assert not breaks_gdp(p, q, mu) and not breaks_gdp(q, p, mu)
        assert low > 30 or breaks_gdp(p, q, mu * Fraction(999_999, 1_000_000))  # beyond, doubles end
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
        best = float(epsilon) / distance + distance / 2
        p, q = gaussian_pair(distance, best)
        delta = Fraction(accounting.delta_of_gdp(distance, float(epsilon)))
        assert not breaks_approximate(p, q, epsilon, delta * Fraction(1_000_001, 1_000_000))
        assert breaks_approximate(p, q, epsilon, delta * Fraction(999_999, 1_000_000))


def test_a_union_is_an_event() -> None:
    text = MAX.format("Gauss(1)")
    parts = [chance(text, Equals(Fraction(i))) for i in range(2)]
    both = chance(text, OneOf((Equals(Fraction(0)), Equals(Fraction(1)))))
    assert math.isclose(both.low, sum(p.low for p in parts), rel_tol=1e-12)


def test_the_tight_values_of_the_literature() -> None:
    """Laplace noise under zCDP: D_α ≤ α·(t + e^−t − 1) for all α, with equality as α → 1 (Harrison, Manurangsi 2026)."""
    for t in (0.1, 0.7, 2.0, 5.0):
        value = t + math.expm1(-t)
        for alpha in (1.0001, 1.2, 2.0, 5.0, 40.0):
            exact = math.log(alpha / (2 * alpha - 1) * math.exp((alpha - 1) * t) + (alpha - 1) / (2 * alpha - 1) * math.exp(-alpha * t)) / (alpha - 1)
            assert exact <= alpha * value + 1e-9
        assert value <= t * t / 2
        assert math.isclose(value, exact_kl(t), rel_tol=1e-6)
    assert gdp_ball(Fraction(1), Fraction(1, 10**6)).rad() < 1e-25


def exact_kl(t: float) -> float:
    x = np.linspace(-60, 60, 2_000_001)
    density = np.exp(-np.abs(x)) / 2
    return float(np.trapezoid(density * (np.abs(x - t) - np.abs(x)), x))
