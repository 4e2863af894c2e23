"""What was tried against proofs that count values in other units, and what it taught them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from test_set_aside import outcome

from kolahal.lang.canonical import concentrated, surrogate
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.budgets import prove_budget
from kolahal.proof.find.lengths import find_proof, prove_every_length
from kolahal.proof.trusted.certificate import Rejected
from kolahal.proof.trusted.concentrated import check_shifts, recheck_budget
from kolahal.proof.trusted.restated.rescaled import in_other_units
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved

HEAD = "@sketch(adjacent={})\ndef f(q: Private, {}, k: int = 1):\n"


def program(text: str, adjacent: str = "one_within(1)", budget: str = "rho: Rho") -> Sketch:
    return parse(HEAD.format(adjacent, budget) + "\n".join(f"    {line}" for line in text.split("\n")))


# Quadratic prices: a shift of one unit of the proof may be k of the program's.
LONGER = {
    "times": "return k*q[0] + Gauss(sqrt(k/(2*rho)))",
    "times, compared": "if k*q[0] + Gauss(sqrt(k/(2*rho))) > 0:\n    return 1\nreturn 0",
    "times, Laplace": "return k*q[0] + Lap(sqrt(k/(2*rho)))",
    "noise divided": "return q[0] + Gauss(sqrt(k/(2*rho)))/k",
    "each times": "out = []\nfor x in q:\n    out.append(x*k + Gauss(sqrt(k/(2*rho))))\nreturn out",
    "times the budget": "return q[0]/rho + Gauss(sqrt(1/(2*rho*rho)))",
    "times the number": "return len(q)*sum(q) + Gauss(sqrt(len(q)/(2*rho)))",
}
AS_LONG = {
    "times": "return k*q[0] + Gauss(sqrt(1/(2*rho))*k)",
    "a mean": "return sum(q)/len(q) + Gauss(sqrt(1/(2*rho))/len(q))",
    "a mean, compared": "s = 0\nfor x in q:\n    s += x\nif s/len(q) + Gauss(sqrt(1/(2*rho))/len(q)) > 1/2:\n    return 1\nreturn 0",
    "each divided": "out = []\nfor x in q:\n    out.append(x/k + Gauss(sqrt(1/(2*rho))/k))\nreturn out",
}


@pytest.mark.parametrize("way", LONGER)
def test_a_quadratic_price_is_not_that_of_a_shift_in_other_units(way: str) -> None:
    sketch = program(LONGER[way])
    assert not isinstance(prove_budget(sketch, plain_claim(sketch), ProofSettings()), Proved)


@pytest.mark.parametrize("way", AS_LONG)
def test_a_quadratic_price_is_found_in_other_units(way: str) -> None:
    sketch = program(AS_LONG[way])
    found = prove_budget(sketch, plain_claim(sketch), ProofSettings())
    assert isinstance(found, Proved), found
    assert recheck_budget(found.certificate) == []


def test_how_long_a_shift_is_does_not_say_that_an_argument_is_at_least_1() -> None:
    """k appears in no scale, so that calls may well give -1; only the price of a shift of 1/k asks for at least 1."""
    sketch = program("if k < 1:\n    return q[0]/k\nreturn q[0]/k + Gauss(sqrt(1/(2*rho)))")
    found = concentrated(sketch, plain_claim(sketch))
    assert not isinstance(found, str)
    canonical, level = found
    lengths: dict[int, Scale] = {0: parse_scale("1/k")}
    proved = find_proof(surrogate(canonical, lengths, Fraction(1)), level, ProofSettings(), lengths)
    assert not isinstance(proved, str), proved
    with pytest.raises(Rejected, match="may be below 1"):
        check_shifts(sketch, plain_claim(sketch), *proved)


# ---------------------------------------------------------------- what may be None

MISSING = "m = None\nif q[0] > 0:\n    m = 1\n{}\nreturn sum(q) / len(q) + Lap(1/len(q)/eps)"


@pytest.mark.parametrize("text", ["a = m / len(q)", "a = len(q) * m", "xs = [m]\nys = [x / len(q) for x in xs]", "xs = [m]\nfor x in q:\n    a = x\nfor x in xs:\n    a = x / len(q)"])
def test_what_stops_because_it_is_none_stops_in_other_units(text: str) -> None:
    mechanism = program(MISSING.format(text), budget="eps: Epsilon")
    changed = in_other_units(mechanism)
    for answer in (Fraction(0), Fraction(1)):
        given = Arguments(Fraction(1), 1, (("k", Fraction(1)),))
        one, two = (outcome(sketch, [answer], given, {}, 0) for sketch in (mechanism, changed))
        assert isinstance(one, type) == isinstance(two, type) == (answer == 0)
    assert not isinstance(prove_every_length(mechanism), Proved)
