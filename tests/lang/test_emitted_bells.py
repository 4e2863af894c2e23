"""Gaussian noise in emitted programs: exact, and what the program means."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest

from kolahal.checking import check
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.errors import UsageError
from kolahal.lang.read.parse import parse
from kolahal.lang.templates import bells, runtime

RELEASE = "@sketch(adjacent=each_within(1))\ndef f(q: Private{}, {}):\n    return [x + {} for x in q]\n"


@pytest.mark.parametrize("variance", [Fraction(1, 9), Fraction(1), Fraction(7, 2), Fraction(40)])
def test_the_sampler_is_exact(variance: Fraction) -> None:
    """Bins of 20 000 draws by Bernstein's inequality: a correct sampler fails once in 10⁹, all bins together."""
    sampler, runs = runtime._Sampler(), 20_000
    drawn = Counter(bells._gauss(sampler, variance) for _ in range(runs))
    mass = sum(math.exp(-k * k / (2 * variance)) for k in range(-200, 201))
    room = math.log(2 * 81 * 1e9)
    for k in range(-40, 41):
        chance = math.exp(-k * k / (2 * variance)) / mass
        assert abs(drawn[k] - runs * chance) <= room / 3 + math.sqrt(room**2 / 9 + 2 * room * runs * chance * (1 - chance))


@pytest.mark.parametrize("power", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_chances_are_exact(power: Fraction) -> None:
    sampler, runs = runtime._Sampler(), 20_000
    hits = sum(bells._happens(sampler, power) for _ in range(runs))
    chance = math.exp(-power)
    assert abs(hits - runs * chance) <= 6.2 * math.sqrt(runs * chance * (1 - chance)) + (power > 0)


def test_roots_are_exact() -> None:
    for value in (Fraction(2), Fraction(1, 7), Fraction(10**30), Fraction(1, 10**30), Fraction(9, 4)):
        root = bells.sqrt(value)
        assert (root * root).square == value**2 and (3 * root / 2).square == value * Fraction(9, 4)
        assert (1 / root).square == 1 / value and (root**2).square == value**2
        low, high = bells._below(root), bells._above(root)
        assert low**2 <= value <= high**2 and (high - low) * 2**59 <= high
    assert bells._below(bells.sqrt(0)) == bells._above(bells.sqrt(0)) == 0
    assert bells._above(Fraction(1, 3)) == Fraction(1, 3) and bells._below(3) == 3
    for bad in (-1, 2.0, True):
        with pytest.raises((ValueError, TypeError)):
            bells.sqrt(bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        bells._square(0.5)


@pytest.mark.parametrize(
    ("private", "budget", "noise"),
    [
        ("", "rho: Rho", "Gauss(sqrt(len(q)/(2*rho)))"),
        ("[int]", "rho: Rho", "DiscreteGauss(sqrt(len(q)/(2*rho)))"),
        ("", "rho: Rho", "Lap(sqrt(len(q)/(2*rho)))"),
        ("", "eps: Epsilon, delta: Delta", "Lap(len(q)/eps)"),
        ("[3]", "r: Rho", "Gauss(1.5*sqrt(2/r))"),
    ],
)
def test_what_is_proved_is_emitted(private: str, budget: str, noise: str) -> None:
    sketch = parse(RELEASE.format(private, budget, noise))
    text = emit(sketch)
    assert "zero-concentrated" in text if "eps" not in budget else "plus delta" in text
    private_release = load_emitted(text)
    space = private_release.__globals__
    assert space["_check_known"](private_release, space["_KNOWN"]) == [] and space["_KNOWN"]
    given = (Fraction(1, 2),) if "eps" not in budget else (1, 0.01)
    answers = [private_release([1, 2, 3], *given) for _ in range(200)]
    # The mean of 600 draws, whose deviation is at most 3·√2 each, strays by more than 6.2/√600 of it once in 10⁹.
    mean = sum(a - b for answer in answers for a, b in zip(answer, (1, 2, 3), strict=True)) / 600
    assert abs(mean) < 6.2 * 4.3 / math.sqrt(600)
    for bad in (0, -1, math.inf):
        with pytest.raises(ValueError, match=r"above 0|asserts|finite|large|divides|root"):
            private_release([1, 2, 3], bad, *given[1:])


def test_what_discrete_noise_does_not_keep_is_not_emitted() -> None:
    for budget, noise in (("mu: Mu", "Gauss(sqrt(len(q))/mu)"), ("eps: Epsilon, delta: Delta", "Gauss(sqrt(len(q))/gdp(eps, delta))")):
        sketch = parse(RELEASE.format("", budget, noise))
        assert check(sketch).epsilon_upper == 1.0
        for force in (False, True):
            with pytest.raises(UsageError, match="discrete"):
                emit(sketch, force=force)
    sketch = parse(RELEASE.format("", "eps: Epsilon, delta: Delta", "Lap(len(q)/eps)"))
    with pytest.raises(UsageError, match="OpenDP"):
        emit(sketch, backend="opendp")


def test_an_opendp_measurement_of_zcdp() -> None:
    dp = pytest.importorskip("opendp.prelude")
    sketch = parse(RELEASE.format("", "rho: Rho", "Gauss(sqrt(len(q)/(2*rho)))"))
    make = load_emitted(emit(sketch, backend="opendp")).__globals__["make_measurement"]
    measurement = make("1/2")
    assert str(measurement.output_measure) == str(dp.zero_concentrated_divergence())
    assert [measurement.map(distance) for distance in (0.0, 0.5, 1.0, 2.0, 2.5)] == [0.0, 0.5, 0.5, 2.0, 4.5]
    assert len(measurement([1.0, 2.0, 3.0])) == 3
