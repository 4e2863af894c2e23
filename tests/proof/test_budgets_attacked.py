"""Attacks on claims other than ε: those that once went through, and some that never did."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from kolahal.errors import KolahalError, UsageError
from kolahal.exact.balls import Interval, precision
from kolahal.exact.gaussian import ball, budget_probability, delta_ball, gdp_ball
from kolahal.lang.claims import parse_claim
from kolahal.lang.conversions import convert, short, sufficient
from kolahal.lang.read.parse import parse
from kolahal.model import Arguments, Equals, Linear
from kolahal.proof.find.affine import prove_affine
from kolahal.proof.find.budgets import prove_budget
from kolahal.proof.online import find_turns
from kolahal.proof.refute.budgets import refute_budget
from kolahal.proof.trusted.certificate import Rejected, read_certificate
from kolahal.proof.trusted.concentrated import check_shifts
from kolahal.proof.trusted.shifts import Always, Form
from kolahal.settings import Settings
from kolahal.tester.budgets import test_budget as lower_bound
from kolahal.verdicts import Bounded, Certificate, Proved, Refuted, Unknown
from kolahal.verification import verify

EACH, ONE, SUM = "each_within(1)", "one_within(1)", "sum_within(1)"
RHO, MU, BOTH = "rho: Rho", "mu: Mu", "eps: Epsilon, delta: Delta"
G = "Gauss(1/sqrt(2*rho))"


def program(relation: str, budget: str, body: str, private: str = "Private") -> Any:
    lines = "\n    ".join(body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, {budget}):\n    {lines}\n")


# ---------------------------------------------------------------- what a name means


@pytest.mark.parametrize(
    ("before", "root"),
    [
        ("import mymath as math", "math.sqrt"),
        ("class math:\n    def sqrt(x):\n        return x", "math.sqrt"),
        ("import math\nmath.sqrt = abs", "math.sqrt"),
        ("import math\nfrom math import sqrt\nsetattr(math, 'sqrt', abs)", "sqrt"),
        ("from math import isqrt as sqrt", "sqrt"),
        ("def sqrt(x):\n    return x", "sqrt"),
        ("gdp = max", "1/gdp"),
    ],
)
def test_roots_of_somebody_else_are_not_believed(before: str, root: str) -> None:
    """Python would draw with another scale than the one that is proved."""
    noise = "Gauss(1/gdp(eps, delta))" if "gdp" in root else f"Gauss({root}(1/(2*eps)))"
    budget = BOTH if "gdp" in root else "eps: Rho"
    text = f"{before}\n@sketch(adjacent={ONE})\ndef f(q: Private, {budget}):\n    return [x + {noise} for x in q]\n"
    with pytest.raises(KolahalError, match=r"K14[45]"):
        parse(text)


def test_the_module_math_is_believed() -> None:
    text = "import math\n@sketch(adjacent=one_within(1))\ndef f(q: Private, rho: Rho):\n    return q[0] + Gauss(math.sqrt(1/(2*rho)))\n"
    assert str(parse(text).draws[0].scale) == "sqrt(1/(2*rho))"


# ---------------------------------------------------------------- conversions


@pytest.mark.parametrize("mu", [1e-6, 0.1, 1.0, 5.0, 36.0, 50.0, 1000.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.3])
def test_what_a_mu_is_worth_holds(mu: float, delta: float) -> None:
    """ε was cut off at 700: for μ = 50 and δ = 10⁻⁶ the truth is 1486.7."""
    epsilon = dict(convert({"mu": mu, "delta": delta})[1].values)["eps"]
    with precision(400):
        assert delta_ball(ball(Fraction(mu)), Fraction(epsilon)) <= ball(Fraction(delta) * (1 + Fraction(1, 10**12)))
        if epsilon > 1e-3:
            assert delta_ball(ball(Fraction(mu)), Fraction(epsilon) * Fraction(99999, 100000)) > ball(Fraction(delta))


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0, 30.0, 750.0])
@pytest.mark.parametrize("delta", [1e-15, 1e-6, 0.9])
def test_what_is_said_to_be_enough_is_enough(epsilon: float, delta: float) -> None:
    mu = dict(sufficient(epsilon, delta).values)["mu"]
    with precision(400):
        assert delta_ball(ball(Fraction(mu)), Fraction(epsilon)) <= ball(Fraction(delta))


def test_figures_are_rounded_to_the_safe_side() -> None:
    assert short(math.tanh(0.5)) == "0.462118" and short(math.tanh(0.5), digits=4) == "0.4622"
    assert short(0.46211751, down=True) == "0.462117" and short(0.5) == short(0.5, down=True) == "0.5"
    for value in (9.9999999, 1.0000001e-7, 123456.7, 0.999999999, 2 / 3):
        assert float(short(value, down=True)) <= value <= float(short(value)) <= value * 1.00002
    assert "μ = 0.236704 is" in f"{sufficient(1, 1e-6)} is" and "5.22154" in str(convert({"rho": 0.5, "delta": 1e-6})[0])


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 1.0, 699.0, 800.0])
def test_no_epsilon_is_too_large_or_too_small(epsilon: float) -> None:
    for found in convert({"eps": epsilon, "delta": 1e-9}):
        for name, value in found.values:
            assert name == "delta" or (0 <= value <= 2 * math.sqrt(2 * epsilon) + epsilon and (name == "eps" or value > 0))


def test_gdp_is_enclosed_where_doubles_are_far_off() -> None:
    found = gdp_ball(Fraction(1, 10**12), Fraction(1, 10**12))
    assert 3.6227971857e-12 < found < 3.6227971858e-12


# ---------------------------------------------------------------- places that know ε alone


def test_one_answer_at_a_time_is_refused_for_other_claims() -> None:
    """It ended in an error of ours: the certificate is of another form."""
    sketch = program(ONE, RHO, f"out = []\nfor x in q:\n    out.append(x + {G})\nreturn out")
    found = prove_budget(sketch, parse_claim(sketch, "rho"), Settings().proof)
    assert isinstance(found, Proved)
    with pytest.raises(UsageError, match="zCDP"):
        find_turns(sketch, found)


def test_refused_arguments_are_no_test() -> None:
    sketch = program(ONE, f"N: int, {RHO}", "assert N >= 3\nreturn q[0] + Gauss(N/(3*sqrt(2*rho)))")
    with pytest.raises(UsageError, match="could not be run"):
        lower_bound(sketch, Fraction(1, 2), None, 0)


def test_a_shift_that_is_not_whole_is_no_defect() -> None:
    sketch = program(ONE, RHO, "return [x + DiscreteGauss(1/sqrt(2*rho)) for x in q]")
    found = prove_affine(sketch, parse_claim(sketch, "rho"), Settings().proof)
    assert isinstance(found, Unknown) and found.failed_rechecks == ()


# ---------------------------------------------------------------- attacks that were resisted

NOT_SO = {
    "the budget as a factor": (ONE, RHO, f"return rho*q[0] + {G}", "Private[1]", "rho"),
    "the budget as a factor, mu": (ONE, MU, "return mu*q[0] + Gauss(1/mu)", "Private[1]", "mu"),
    "one noise, two sums": (ONE, RHO, f"x = {G}\nreturn q[0] + x, q[0] - x", "Private[1]", "rho"),
    "a sign of its own noise": (ONE, RHO, f"x = {G}\nif x > 0:\n    return q[0] + x\nreturn 2*q[0] + x", "Private[1]", "rho"),
    "linear and quadratic": (ONE, RHO, f"return q[0] + Lap(1/rho), q[0] + {G}", "Private[1]", "rho"),
    "Laplace beside Gauss": (ONE, MU, "return q[0] + Lap(2/mu), q[0] + Gauss(1/mu)", "Private[1]", "mu"),
    "moves that add up": (SUM, RHO, f"out = [sum(q) + {G}]\nfor x in q:\n    out.append(x + {G})\nreturn out", "Private[2]", "rho"),
    "half of a step": (ONE, RHO, "return q[0] + 2*DiscreteGauss(1/sqrt(8*rho))", "Private[int, 1]", "rho"),
    "discrete is not Gaussian": (ONE, BOTH, "return q[0] + DiscreteGauss(1/gdp(eps, delta))", "Private[int, 1]", "eps"),
    "a power too many": (ONE, MU, "return [x + Gauss(len(q)/mu) for x in q]", "Private", "mu/len(q)**2"),
    "one release too many": (
        EACH, RHO, "out = []\nspent = 0\nfor x in q:\n    if spent <= rho:\n        spent = spent + rho/4\n        out.append(x + Gauss(2/sqrt(2*rho)))\nreturn out", "Private", "rho"
    ),
    "a claim of a hair less": (ONE, RHO, f"return q[0] + {G}", "Private[1]", "0.9999999*rho"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_SO)
def test_no_proof_of_what_is_not_so(name: str) -> None:
    relation, budget, body, private, claim = NOT_SO[name]
    sketch = program(relation, budget, body, private)
    level = parse_claim(sketch, claim)
    for prove in (prove_budget, prove_affine):
        assert not isinstance(prove(sketch, level, Settings().proof), Proved | Bounded)


def test_a_budget_that_a_loop_keeps_is_counted() -> None:
    body = "out = []\nspent = 0\nfor x in q:\n    if spent + rho/4 <= rho:\n        spent = spent + rho/4\n        out.append(x + Gauss(2/sqrt(2*rho)))\nreturn out"
    sketch = program(EACH, RHO, body)
    assert isinstance(prove_budget(sketch, parse_claim(sketch, "rho"), Settings().proof), Proved)


@pytest.mark.mutants
def test_no_edited_certificate_passes() -> None:
    sketch = program(ONE, RHO, f"return [x + {G} for x in q]")
    found = prove_budget(sketch, parse_claim(sketch, "rho"), Settings().proof)
    assert isinstance(found, Proved) and verify(found.certificate.text) == []
    good = found.certificate.document()

    def faults(**changes: Any) -> list[str]:
        return verify(json.dumps({**copy.deepcopy(good), **changes}))

    text = good["program"]
    assert "sqrt(1/(2*rho))" in text
    assert faults(program=text.replace("2*rho", "3*rho")) and faults(claim="rho/2") and faults(rule="pure") and faults(variant="mu")
    assert faults(program=text.replace("Gauss", "DiscreteGauss"))
    for reach in ("1/2", "0", "-1", None):
        cases = copy.deepcopy(good["proof"])
        for case in cases["cases"]:
            case["reach"] = [reach]
        assert faults(proof=cases) and faults(proof=cases, program=text.replace("2*rho", "4*rho"))
    assert verify(json.dumps({**good["proof"], "program": text, "claim": "rho"}))  # the inner proof is of ε-DP


# ---------------------------------------------------------------- probabilities by closed forms


def chance(body: str, database: tuple[int, ...], event: Any, private: str = "Private") -> Interval:
    sketch = program(ONE, RHO, body, private)
    found = budget_probability(sketch, tuple(map(Fraction, database)), Arguments(Fraction(1, 2), len(database)), event)
    assert isinstance(found, Interval)
    return found


def test_probabilities_have_their_closed_forms() -> None:
    """ρ = 1/2, so σ = 1: three equal draws, a wedge of 135°, sums, and a discrete law added up by hand."""
    most = f"a = q[0] + {G}\nb = q[1] + {G}\nc = q[2] + {G}\nif a > b and a > c:\n    return 0\nif b > c:\n    return 1\nreturn 2"
    wedge = f"x = {G}\nb = {G}\nif q[0] + x > b and x > 0:\n    return 1\nreturn 0"
    pair = f"x = {G}\ny = {G}\nreturn [q[0] + x + 2*y, x - y]"
    steps = "if q[0] - 3*DiscreteGauss(1/sqrt(2*rho)) >= 2:\n    return 1\nreturn 0"
    mass = sum(math.exp(-k * k / 2) for k in range(-40, 41))
    below = sum(math.exp(-k * k / 2) for k in range(-40, 1)) / mass
    for found, true in (
        (chance(most, (0, 0, 0), Equals(Fraction(1))), 1 / 3),
        (chance(wedge, (0,), Equals(Fraction(1))), 3 / 8),
        (chance(pair, (1,), Linear((Fraction(1), Fraction(-1)), Fraction(1))), 0.5),
        (chance(steps, (2,), Equals(Fraction(1)), "Private[int]"), below),
    ):
        assert found.low - 1e-12 <= true <= found.high + 1e-12 and found.high - found.low < 1e-12


@pytest.mark.parametrize(("noise", "refuted"), [("Gauss(0.995/sqrt(2*rho))", True), (G, False), ("Lap(1/sqrt(2*rho))", False)])
def test_refutations_are_on_the_right_side(noise: str, refuted: bool) -> None:
    sketch = program(ONE, RHO, f"return q[0] + {noise}", "Private[1]")
    assert isinstance(refute_budget(sketch, parse_claim(sketch, "rho")), Refuted) == refuted


# ---------------------------------------------------------------- questions that depend on the run


@pytest.mark.mutants
def test_the_size_of_a_move_is_not_known_before_the_question_is_asked() -> None:
    """How far `t` lets a record move its bin is noise of the turns before, and later noise to a draw that comes earlier."""
    text = "@sketch(adjacent=add_remove(1))\ndef f(rows: Records[Between(0, 9)], K: int, rho: Rho):\n    t = 5\n    for k in range(K):\n"
    sketch = parse(text + f"        t = sum(1 for r in rows if k <= r < k + 1 and t > 0) + {G}\n    return t\n")
    claim = parse_claim(sketch, "")
    found = prove_budget(sketch, claim, Settings().proof)
    assert isinstance(found, Proved)
    proof, *_ = read_certificate(Certificate(json.dumps(found.certificate.document()["proof"])))
    check_shifts(sketch, claim, proof, proof.product())
    (case,) = proof.cases
    ahead = replace(case, alignment=replace(case.alignment, shifts=(Always(Form(Fraction(1))),)))
    with pytest.raises(Rejected, match="looks ahead"):
        check_shifts(sketch, claim, replace(proof, cases=(ahead,)), proof.product())
