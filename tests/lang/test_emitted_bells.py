"""Gaussian noise in emitted programs: exact, and what the program means."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from statistics import NormalDist

import pytest

from kolahal.checking import check
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.errors import UsageError
from kolahal.exact.balls import precision
from kolahal.exact.gaussian import ball, gdp_ball
from kolahal.lang.accounting import gdp_of
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Variant
from kolahal.lang.templates import bells, normals, runtime
from kolahal.verdicts import Proved

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


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(22, 7), Fraction(2**43, 7)])
def test_rounded_normal_noise_is_exact(scale: Fraction) -> None:
    """Bins of 20 000 draws by Bernstein's inequality: a correct sampler fails once in 10⁹, all bins together."""
    sampler, runs, law = runtime._Sampler(), 20_000, NormalDist(0, float(scale))
    drawn = sorted(normals._normal(sampler, scale) for _ in range(runs))
    edges = sorted({math.floor(scale * half / 2) for half in range(-8, 9)})
    room = math.log(2 * (len(edges) + 1) * 1e9)
    for edge in edges:
        chance, hits = law.cdf(edge - 0.5), bisect_left(drawn, edge)
        assert abs(hits - runs * chance) <= room / 3 + math.sqrt(room**2 / 9 + 2 * room * runs * chance * (1 - chance))


def test_digits_that_are_drawn_when_they_are_needed() -> None:
    """u < v, and 4u − 2 < v, for two numbers between 0 and 1: chances 1/2 and 5/8; 6.2 deviations of 20 000 runs."""
    sampler, runs = runtime._Sampler(), 20_000
    for slope, start, chance in ((1, 0, 1 / 2), (4, 2, 5 / 8)):
        hits = sum(normals._Digits(sampler).is_below(normals._Digits(sampler), slope, start) for _ in range(runs))
        assert abs(hits - runs * chance) <= 6.2 * math.sqrt(runs * chance * (1 - chance))


def test_gdp_is_rounded_down() -> None:
    for epsilon, delta in ((1, "1e-6"), ("0.1", "1e-9"), (10, "1e-5"), (50, "1e-30"), ("0.001", "0.1"), (300, "1e-6"), ("0.001", "0.9")):
        mu = normals.gdp(Fraction(epsilon), Fraction(delta))
        with precision(300):
            assert ball(mu) < gdp_ball(Fraction(epsilon), Fraction(delta))
            assert ball(mu) * ball(Fraction(1001, 1000) if epsilon != 300 else Fraction(101, 100)) > gdp_ball(Fraction(epsilon), Fraction(delta))
    for epsilon, delta in ((1, "1e-90"), (1000, "1e-6"), (1, "0")):
        with pytest.raises(ValueError):
            normals.gdp(Fraction(epsilon), Fraction(delta))


TREE = "@sketch(adjacent=one_within(1))\ndef f(q: Private[4], mu: Mu):\n    return q[0] + q[1] + Gauss(sqrt(2)/mu), q[0] + Gauss(sqrt(2)/mu), q[1] + Gauss(sqrt(2)/mu)\n"
ABOVE = """@sketch(adjacent=each_within(1))
def f(q: Private[3], eps: Epsilon, delta: Delta):
    assert eps >= 0.5 and delta <= 1e-6
    t = Gauss(2.6/gdp(eps, delta))
    for i in range(len(q)):
        if q[i] + Gauss(2.6/gdp(eps, delta)) > t:
            return i
    return None
"""


@pytest.mark.parametrize(
    "text",
    [
        RELEASE.format("", "mu: Mu", "Gauss(sqrt(len(q))/mu)"),
        RELEASE.format("", "eps: Epsilon, delta: Delta", "Gauss(sqrt(len(q))/gdp(eps, delta))"),
        TREE,
        ABOVE,
        "@sketch(adjacent=add_remove(1))\ndef f(q: Records[int], mu: Mu):\n    return sum(1 for r in q if r > 3) + Gauss(1/mu)\n",
        "@sketch(adjacent=add_remove(1))\ndef f(q: Records[int], rho: Rho):\n    return sum(clip(r, 0, 9) for r in q) + Gauss(9/sqrt(2*rho))\n",
    ],
)
def test_gaussian_claims_are_emitted_with_rounded_noise(text: str) -> None:
    sketch = parse(text)
    written = emit(sketch)
    rounded = sketch.variant is not Variant.ZCDP
    words = " ".join(written.split())  # without line ends
    assert ("Gaussian noise is normal noise that is rounded" in words) == rounded
    if sketch.variant is Variant.GDP:
        assert "Gaussian differential privacy" in words
    release = load_emitted(written)
    space = release.__globals__
    inner = space[f"{sketch.name}_of_answers"] if sketch.private.table is not None else release
    assert space["_check_known"](inner, space["_KNOWN"]) == [] and space["_KNOWN"]
    answers = [1, 5, 7, 2][: sketch.private.count]
    release(answers, *((1,) if sketch.delta is None else (1, 1e-7)))
    with pytest.raises(ValueError):
        release(answers, *((0,) if sketch.delta is None else (1, 0)))


@pytest.mark.parametrize(
    ("private", "body"),
    [("", "return choose(q, 1/sqrt(2*rho))"), ("", "at = choose(q, 1/sqrt(rho))\n    return at, q[at] + Gauss(1/sqrt(rho))"), ("[bool]", "return [x != Flip(1/sqrt(2*rho)) for x in q]")],
)
def test_chosen_places_and_coins_with_roots_are_drawn(private: str, body: str) -> None:
    relation = "one_within(1)" if private else "each_within(1)"
    release = load_emitted(emit(parse(f"@sketch(adjacent={relation})\ndef f(q: Private{private}, rho: Rho):\n    {body}\n")))
    assert release([True, False] if private else [1, 900, 3], 0.5) is not None
    if not private:  # 897 behind with a scale below 2: once in e^400
        found = release([1, 900, 3], 0.5)
        assert (found[0] if isinstance(found, tuple) else found) == 1


def test_noise_of_a_release_has_the_deviation_that_is_claimed() -> None:
    """The mean square of 2 000 draws strays from σ² by more than 6.2·√(2/2000) of it less than once in 10⁸."""
    release = load_emitted(emit(parse(RELEASE.format("", "eps: Epsilon, delta: Delta", "Gauss(sqrt(len(q))/gdp(eps, delta))"))))
    drawn = release([0] * 2000, 1, 1e-6)
    variance = 2000 / gdp_of(1.0, 1e-6) ** 2
    assert abs(sum(x * x for x in drawn) / 2000 / variance - 1) < 6.2 * math.sqrt(2 / 2000)


def test_an_opendp_measurement_of_approximate_privacy() -> None:
    dp = pytest.importorskip("opendp.prelude")
    for noise in ("Gauss(sqrt(len(q))/gdp(eps, delta))", "Lap(len(q)/eps)"):
        sketch = parse(RELEASE.format("", "eps: Epsilon, delta: Delta", noise))
        make = load_emitted(emit(sketch, backend="opendp")).__globals__["make_measurement"]
        measurement = make("1/2", {"delta": 2.0**-20})
        assert str(measurement.output_measure) == str(dp.approximate(dp.max_divergence()))
        assert measurement.map(0.0) == (0.0, 0.0) and measurement.map(1.0) == measurement.map(0.3) == (0.5, 2.0**-20)
        epsilon, delta = measurement.map(2.5)
        assert epsilon == 1.5 and 1 < delta / (2.0**-20 * (1 + math.exp(0.5) + math.exp(1.0))) < 1 + 1e-8
        assert len(measurement([1.0, 2.0, 3.0])) == 3
        for bad in (0, 1, "much"):
            with pytest.raises(ValueError):
                make("1/2", {"delta": bad})
    sketch = parse(RELEASE.format("", "mu: Mu", "Gauss(sqrt(len(q))/mu)"))
    with pytest.raises(UsageError, match="OpenDP has no measure"):
        emit(sketch, backend="opendp")


def test_an_opendp_measurement_of_zcdp() -> None:
    dp = pytest.importorskip("opendp.prelude")
    sketch = parse(RELEASE.format("", "rho: Rho", "Gauss(sqrt(len(q)/(2*rho)))"))
    make = load_emitted(emit(sketch, backend="opendp")).__globals__["make_measurement"]
    measurement = make("1/2")
    assert str(measurement.output_measure) == str(dp.zero_concentrated_divergence())
    assert [measurement.map(distance) for distance in (0.0, 0.5, 1.0, 2.0, 2.5)] == [0.0, 0.5, 0.5, 2.0, 4.5]
    assert len(measurement([1.0, 2.0, 3.0])) == 3


def test_shifts_that_are_mixed_by_records_are_on_no_grid() -> None:
    """Two sums move together, each by its own amount: shifts that look ahead are mixtures of those of the corners, with any weights."""
    head = "class Visit(NamedTuple):\n    age: Between(0, 3)\n    score: Between(-2, 2)\n\n@sketch(adjacent=replace(1))\n"
    noise = "Gauss(40/gdp(eps, delta))"
    sketch = parse(
        f"{head}def f(visits: Records[Visit], eps: Epsilon, delta: Delta):\n    assert eps >= 0.5 and delta <= 1e-6\n"
        f"    a = sum(v.age for v in visits)\n    b = sum(v.score for v in visits)\n    t = {noise}\n"
        f"    if a + {noise} > t:\n        return 1\n    if b + {noise} > t:\n        return 2\n    return 0\n"
    )
    verdict = check(sketch).verdict
    assert isinstance(verdict, Proved) and verdict.certificate.document()["kind"] == "union"
    with pytest.raises(UsageError, match="leave every grid"):
        emit(sketch, verdict)
