"""Programs of other budgets as pure and zero-concentrated ones: which parameters, draws and claims they have then, written out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from kolahal.lang.canonical import (
    IN_UNITS,
    concentrated,
    deviation,
    fresh_budget,
    is_quadratic,
    pure,
    surrogate,
    twin,
    with_budget,
)
from kolahal.lang.claims import parse_claim, plain_claim
from kolahal.lang.parameters import Role, Type
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Sketch

pytestmark = pytest.mark.mutants

GAUSSIAN, NO_SCALE = "Gaussian noise is never ε-private", "a scale is not one of a pure budget"


def program(budget: str, noise: str, private: str = "Private", before: str = "") -> Sketch:
    return parse(f"@sketch(adjacent=each_within(1))\ndef f(q: {private}, N: int, {budget}):\n{before}    return [x + {noise} for x in q]\n")


def shape(found: Any) -> Any:
    """What a program has of its own; a claim beside it, or the reason why there is none."""
    if isinstance(found, tuple):
        return (*shape(found[0]), str(found[1]))
    return found if isinstance(found, str) else (", ".join(map(str, found.parameters[2:])), *(f"{d.noise.value}({d.scale if isinstance(d.scale, Scale) else 'hole'})" for d in found.draws))


# Budget, noise, claim: as a concentrated program, as a pure one, and whether a move is charged with its square.
FORMS: dict[tuple[str, str, str | None], tuple[Any, Any, bool]] = {
    ("rho: Rho", "Gauss(sqrt(N/rho))", None): (("rho: Rho", "Gauss(sqrt(N/rho))", "rho"), GAUSSIAN, True),
    ("mu: Mu", "Gauss(2*N/mu)", None): (("mu: float, rho: Rho", "Gauss(N*sqrt(2/rho))", "rho"), GAUSSIAN, True),
    ("mu: Mu", "Gauss(2*N/mu)", "3*mu"): (("mu: float, rho: Rho", "Gauss(N*sqrt(2/rho))", "9*rho"), GAUSSIAN, True),
    ("mu: Mu", "Lap(sqrt(N/mu))", None): ("the scale sqrt(N/mu) has the root of mu", "a pure proof says nothing of μ-GDP", True),
    ("mu: Mu", "Lap(sqrt(N)/mu)", None): (("mu: float, rho: Rho", "Lap(sqrt(N/(2*rho)))", "rho"), "a pure proof says nothing of μ-GDP", False),
    ("mu: Mu, rho: float", "Lap(1/mu)", None): (("mu: float, rho_: Rho, rho: float", "Lap(sqrt(1/(2*rho_)))", "rho_"), "a pure proof says nothing of μ-GDP", False),
    ("eps: Epsilon, delta: Delta", "Gauss(N/gdp(eps, delta))", None): (("eps: float, rho: Rho, delta: float", "Gauss(N*sqrt(1/(2*rho)))", "rho"), GAUSSIAN, True),
    ("eps: Epsilon, delta: Delta", "Lap(N/eps)", None): (("eps: float, rho: Rho, delta: float", "Lap(N/eps)", "rho"), ("eps: Epsilon, delta: float", "Lap(N/eps)", "eps"), False),
    ("eps: Epsilon, delta: Delta", "Lap(sqrt(2)/eps)", None): (("eps: float, rho: Rho, delta: float", "Lap(sqrt(2)/eps)", "rho"), NO_SCALE, False),
    ("eps: Epsilon, delta: Delta", "Lap(1/gdp(eps, delta))", None): (("eps: float, rho: Rho, delta: float", "Lap(sqrt(1/(2*rho)))", "rho"), NO_SCALE, False),
    ("eps: Epsilon", "Lap(1/eps)", None): ("the claim is pure", "a pure proof says nothing of ε-DP", False),
    ("rho: Rho", "Lap(sqrt(2/rho))", None): (("rho: Rho", "Lap(sqrt(2/rho))", "rho"), ("rho: float, eps: Epsilon", "Lap(2/eps)", "eps"), True),
    ("rho: Rho", "Lap(1/rho)", None): (("rho: Rho", "Lap(1/rho)", "rho"), ("rho: float, eps: Epsilon", "Lap(2/eps**2)", "eps"), False),
    ("rho: Rho", "Lap(sqrt(1/rho))", None): (("rho: Rho", "Lap(sqrt(1/rho))", "rho"), NO_SCALE, True),
    ("rho: Rho", "Lap(sqrt(2/rho))", "4*rho"): (("rho: Rho", "Lap(sqrt(2/rho))", "4*rho"), ("rho: float, eps: Epsilon", "Lap(2/eps)", "2*eps"), True),
    ("rho: Rho", "Lap(sqrt(2/rho))", "2*rho"): (("rho: Rho", "Lap(sqrt(2/rho))", "2*rho"), NO_SCALE, True),
    ("rho: Rho", "Exp(3*sqrt(2/rho))", None): (("rho: Rho", "Exp(3*sqrt(2/rho))", "rho"), ("rho: float, eps: Epsilon", "Exp(6/eps)", "eps"), False),
    ("rho: Rho, eps: float", "Lap(sqrt(2/rho))", None): (("rho: Rho, eps: float", "Lap(sqrt(2/rho))", "rho"), ("rho: float, eps_: Epsilon, eps: float", "Lap(2/eps_)", "eps_"), True),
}


@pytest.mark.parametrize("form", FORMS)
def test_programs_of_other_budgets_are_written_out(form: tuple[str, str, str | None]) -> None:
    budget, noise, claim = form
    sketch = program(budget, noise)
    level = plain_claim(sketch) if claim is None else parse_claim(sketch, claim)
    as_concentrated, as_pure, quadratic = FORMS[form]
    assert shape(concentrated(sketch, level)) == as_concentrated and shape(pure(sketch, level)) == as_pure
    assert is_quadratic(sketch.draws[0], sketch.budget.name) is quadratic


def test_a_name_is_new_wherever_it_stands() -> None:
    for private, before in (("Private", "    eps = 3\n"), ("Private", "    y = [eps for eps in range(3)]\n"), ("Private", "    for eps in range(2):\n        N = N + eps\n")):
        assert fresh_budget(program("rho: Rho", "Lap(sqrt(2/rho))", private, before), Role.EPSILON) == "eps_"
    plain = program("rho: Rho, eps: int, eps_: int", "Lap(sqrt(2/rho))")
    assert fresh_budget(plain, Role.EPSILON) == "eps__" and fresh_budget(plain, Role.MU) == "mu" and fresh_budget(plain, Role.RHO) == "rho_"


def test_another_budget_is_a_parameter_behind_the_first() -> None:
    sketch = program("eps: Epsilon, delta: Delta, T: float = 1", "Lap(1/eps)")
    other = with_budget(sketch, Role.RHO)
    assert other.private == sketch.private and other.parameters[:2] == sketch.parameters[:2] and other.budget.type is Type.FLOAT and other.budget.default is None
    assert shape(other)[0] == "eps: float, rho: Rho, delta: float, T: float = 1"
    assert shape(with_budget(sketch, Role.RHO, "eps"))[0] == "eps: Rho, delta: float, T: float = 1"
    assert shape(with_budget(sketch, Role.EPSILON, "T"))[0] == "eps: float, delta: float, T: Epsilon = 1"


def test_programs_without_shown_noise_have_no_scale_to_change() -> None:
    sketch = program("mu: Mu", "Lap(hole)")
    assert shape(concentrated(sketch, plain_claim(sketch))) == ("mu: float, rho: Rho", "Lap(hole)", "rho")
    sketch = program("rho: Rho", "Lap(hole)")
    assert shape(pure(sketch, plain_claim(sketch))) == ("rho: float, eps: Epsilon", "Lap(hole)", "eps")
    assert is_quadratic(sketch.draws[0], "rho") is False
    assert shape(surrogate(sketch, {}, Fraction(1))) == ("rho: Epsilon", "Lap(hole)")


@pytest.mark.parametrize(
    ("noise", "private", "found"),
    [
        ("Gauss(sqrt(N/rho))", "Private", "Lap(N/rho)"),  # 2·N/ρ over 2/3·3
        ("DiscreteGauss(sqrt(N/rho))", "Private[int]", "DiscreteLap(N/rho)"),
        ("Lap(3*sqrt(1/rho))", "Private", "Lap(9/rho)"),
        ("DiscreteLap(sqrt(1/rho))", "Private[int]", "DiscreteLap(1/rho)"),
        ("Lap(3/rho)", "Private", "Lap(3/rho)"),
        ("Exp(3/rho)", "Private", "Exp(3/rho)"),
    ],
)
def test_a_pure_program_that_charges_no_less(noise: str, private: str, found: str) -> None:
    """σ²·2/(reach·d) for a reach of 2/3 and moves of 3: noise of that scale charges for s what s²/(2σ²) is at most."""
    sketch = program("rho: Rho", noise, private)
    assert shape(surrogate(sketch, {0: Scale(Fraction(2, 3))}, Fraction(3))) == ("rho: Epsilon", found)


def test_chosen_places_are_charged_as_noise_of_twice_their_scale() -> None:
    sketch = parse("@sketch(adjacent=each_within(1))\ndef f(q: Private, N: int, rho: Rho):\n    return choose(q, sqrt(2/rho))\n")
    (draw,) = sketch.draws
    assert is_quadratic(draw, "rho") and not is_quadratic(draw, "mu")
    assert str(deviation(draw, parse_scale("sqrt(2/rho)"))) == "2*sqrt(2/rho)"
    (changed,) = surrogate(sketch, {0: Scale(Fraction(2))}, Fraction(1)).draws
    assert changed.noise is draw.noise and str(changed.scale) == "8/rho"
    (plain,) = program("rho: Rho", "Gauss(sqrt(1/rho))").draws
    assert str(deviation(plain, parse_scale("3"))) == "3"


@pytest.mark.parametrize(
    ("noise", "private", "found"), [("Gauss(1)", "Private", "Lap(hole)"), ("DiscreteGauss(1)", "Private[int]", "DiscreteLap(hole)"), ("Exp(1)", "Private", "Exp(hole)"), ("DiscreteExp(2)", "Private[int]", "DiscreteExp(hole)")]
)
def test_the_same_runs_with_any_noise(noise: str, private: str, found: str) -> None:
    sketch = program("rho: Rho", noise, private)
    other = twin(sketch)
    assert shape(other) == ("rho: Epsilon", found) and other.draws[0].scale.index == 0  # type: ignore[union-attr]
    both = twin(parse("@sketch(adjacent=each_within(1))\ndef f(q: Private, mu: Mu):\n    return Gauss(1/mu), Gauss(2/mu)\n"))
    assert [draw.scale.index for draw in both.draws] == [0, 1]  # type: ignore[union-attr]


def test_records_in_units_are_known_to_pure_budgets_alone() -> None:
    text = "class R(NamedTuple):\n    age: Between(0, 100)\n@sketch(adjacent=add_remove(1))\ndef f(rows: Records[R], M: float, rho: Rho):\n    assert M >= 1\n    return sum(clip(r.age, 0, M) for r in rows) + Lap(M*sqrt(1/(2*rho)))\n"
    sketch = parse(text)
    assert sketch.units and concentrated(sketch, plain_claim(sketch)) == pure(sketch, plain_claim(sketch)) == IN_UNITS
