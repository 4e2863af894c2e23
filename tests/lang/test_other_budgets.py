"""Budgets other than ε in the language: parameters, scales with roots, claims, and what refuses them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolahal import UsageError, gdp, sqrt
from kolahal.lang import accounting
from kolahal.lang.canonical import concentrated, pure, surrogate, twin
from kolahal.lang.claims import parse_claim, plain_claim, print_claim
from kolahal.lang.ir import Draw, Hole
from kolahal.lang.noise import Noise
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, parse_scale

NAMES = ("rho", "mu", "len(q)", "N", "gdp(eps, delta)")


def program(budget: str, noise: str) -> str:
    return f"@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, {budget}):\n    return [x + {noise} for x in q]\n"


@st.composite
def scales(draw: st.DrawFn) -> Scale:
    coefficient = Fraction(draw(st.integers(1, 60)), draw(st.integers(1, 60)))
    powers = tuple((name, draw(st.integers(-3, 3))) for name in NAMES)
    return Scale(coefficient, powers, draw(st.booleans()))


@given(scales(), scales())
def test_scales_with_roots_print_parse_and_multiply(one: Scale, other: Scale) -> None:
    values = {name: Fraction(i + 2) for i, name in enumerate(NAMES)}
    for scale in (one, other, one * other, one / other, one**2, one**-3):
        assert parse_scale(str(scale)) == scale
        assert scale.pretty() and scale.latex()
    product = one.near(values) * other.near(values)
    assert math.isclose((one * other).near(values), product, rel_tol=1e-12)
    assert math.isclose(float(one.squared.at(values)), one.near(values) ** 2, rel_tol=1e-12)
    assert not one.squared.root and (one.squared.rooted() == one)


@given(scales(), scales())
def test_scales_with_roots_compare_as_their_values_do(one: Scale, other: Scale) -> None:
    order = one.compare(other, "rho")
    for least in (1, 5):
        values = {name: Fraction(least + i) for i, name in enumerate(NAMES)}
        low, high = one.near(values), other.near(values)
        if order == 0:
            assert one == other
        elif order is not None:
            assert (low <= high * (1 + 1e-12)) if order < 0 else (low * (1 + 1e-12) >= high)


def test_a_root_of_a_square_is_no_root() -> None:
    assert str(parse_scale("sqrt(4*N**2/rho**2)")) == "2*N/rho"
    assert str(parse_scale("sqrt(len(q)/(2*rho))")) == "sqrt(len(q)/(2*rho))"
    assert str(parse_scale("sqrt(len(q))/gdp(eps, delta)")) == "sqrt(len(q))/gdp(eps, delta)"
    assert parse_scale("3/sqrt(2*rho)") == parse_scale("3*sqrt(1/(2*rho))")
    for text in ("sqrt(sqrt(N))", "sqrt(2 + N)", "gdp(1, 2)", "sqrt(rho, 2)"):
        with pytest.raises(UsageError):
            parse_scale(text)


@pytest.mark.parametrize(
    ("budget", "noise", "claim"),
    [
        ("rho: Rho", "Gauss(sqrt(len(q)/(2*rho)))", "rho"),
        ("mu: Mu = 1", "Gauss(sqrt(len(q))/mu)", "mu"),
        ("eps: Epsilon, delta: Delta = 0.001", "Gauss(sqrt(len(q))/gdp(eps, delta))", "eps,delta"),
        ("eps: Epsilon", "Lap(len(q)/eps)", "eps"),
    ],
)
def test_the_claim_is_a_value_of_the_program(budget: str, noise: str, claim: str) -> None:
    sketch = parse(program(budget, noise))
    assert parse(str(sketch)) == sketch and sketch.variant.value == claim
    assert print_claim(sketch, plain_claim(sketch)) == claim
    assert parse_claim(sketch, claim) == parse_claim(sketch, "") == plain_claim(sketch)
    with pytest.raises(UsageError):
        parse_claim(sketch, f"sqrt({sketch.budget.name})")
    if claim != "eps":
        with pytest.raises(UsageError, match="only"):
            sketch.epsilon  # noqa: B018


def test_calls_refuse_what_is_no_budget() -> None:
    sketch = parse(program("eps: Epsilon, delta: Delta", "Gauss(1/gdp(eps, delta))"))
    assert len(sketch([1, 2, 3], 1, 1, 0.01)) == 3
    for eps, delta in ((1, 0), (1, 1), (0, 0.1), (1, math.nan)):
        with pytest.raises(UsageError):
            sketch([1], 1, eps, delta)


def test_no_bell_and_no_root_hides_in_a_pure_program() -> None:
    """Whatever builds such a program without the parser is refused where its draws are listed, as every pure rule does."""
    sketch = parse(program("eps: Epsilon", "Lap(hole)"))
    with pytest.raises(UsageError, match="root"):
        sketch.complete("sqrt(len(q))/eps")
    for noise, scale in ((Noise.GAUSS, Scale(Fraction(1))), (Noise.LAPLACE, parse_scale("sqrt(2/eps)"))):
        from kolahal.lang.canonical import with_draws

        changed = with_draws(sketch, lambda d, noise=noise, scale=scale: (noise, scale))
        with pytest.raises(UsageError):
            changed.draws  # noqa: B018


def test_rewritings() -> None:
    claimed = parse(program("mu: Mu", "Gauss(sqrt(N*len(q))/mu)"))
    found = concentrated(claimed, parse_claim(claimed, "2*mu"))
    assert not isinstance(found, str)
    canonical, level = found
    assert str(canonical.draws[0].scale) == "sqrt(N*len(q)/(2*rho))" and str(level) == "4*rho"
    changed = surrogate(canonical, {0: Scale(Fraction(2))}, Fraction(1))
    assert (changed.draws[0].noise, str(changed.draws[0].scale)) == (Noise.LAPLACE, "N*len(q)/(2*rho)")
    below = parse(program("rho: Rho", "Lap(len(q)/sqrt(2*rho))"))
    converted = pure(below, plain_claim(below))
    assert not isinstance(converted, str)
    assert str(converted[0].draws[0].scale) == "len(q)/eps" and str(converted[1]) == "eps"
    assert isinstance(pure(claimed, plain_claim(claimed)), str)
    both = parse(program("rho: Rho, eps: float", "Lap(1/rho)"))
    assert twin(both).epsilon.name == "rho" and isinstance(twin(both).draws[0].scale, Hole)
    odd = parse(program("rho: Rho", "Lap(1/rho)"))
    assert isinstance(pure(odd, plain_claim(odd)), str) or "eps**2" in str(pure(odd, plain_claim(odd))[0])  # type: ignore[index]
    assert all(isinstance(draw, Draw) for draw in canonical.draws)


def test_known_numbers() -> None:
    """The analytic Gaussian mechanism (Balle, Wang 2018) at ε = 1, δ = 10⁻⁶, to twelve digits by ball arithmetic."""
    from kolahal.exact.gaussian import gdp_ball

    for eps, delta in ((1.0, 1e-6), (0.5, 1e-2), (4.0, 1e-10), (0.01, 0.4)):
        exact = gdp_ball(Fraction(eps), Fraction(delta))
        assert exact.rad() < 1e-25 and abs(gdp(eps, delta) - float(exact.mid())) <= 1e-13 * gdp(eps, delta)
        assert math.isclose(accounting.delta_of_gdp(gdp(eps, delta), eps), delta, rel_tol=1e-10)
    assert math.isclose(1 / gdp(1, 1e-6), 4.224678889326, rel_tol=1e-12)
    assert math.isclose(accounting.rho_of_pure(1.0), math.tanh(0.5))
    assert accounting.rho_of_pure(0.3) < 0.3**2 / 2
    assert sqrt(4) == 2


def test_zcdp_to_approximate_is_better_than_the_simple_formula() -> None:
    for rho, delta in ((0.1, 1e-6), (0.5, 1e-2), (2.0, 1e-9)):
        epsilon = accounting.epsilon_of_zcdp(rho, delta)
        assert epsilon < rho + 2 * math.sqrt(rho * math.log(1 / delta))
        assert accounting.delta_of_zcdp(rho, epsilon) <= delta * (1 + 1e-9)
        # A Gaussian of that ρ is better still.
        assert accounting.delta_of_gdp(math.sqrt(2 * rho), epsilon) <= delta
