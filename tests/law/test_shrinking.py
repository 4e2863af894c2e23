"""Laws of means: their weights shrink with the number of answers, or with a whole argument, and so does the noise."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kolahal.lang.polynomial import Polynomial
from kolahal.lang.read.parse import parse
from kolahal.law.hole_choices import cover
from kolahal.roads.methods import synthesize
from kolahal.verdicts import Proved

MEANS = {
    "sum(q) / len(q)": ("one_within(1)", "q: Private", "return sum(q) / len(q) + Lap(hole)", "1/(eta1*len(q)) <= eps", ["1/(eps*len(q))"]),
    "a loop": (
        "one_within(1)",
        "q: Private",
        "total = 0\n    for x in q:\n        total += x\n    return total / len(q) + Lap(hole)",
        "1/(eta1*len(q)) <= eps",
        ["1/(eps*len(q))"],
    ),
    "a name for the length": (
        "one_within(1)",
        "q: Private",
        "n = len(q)\n    s = 0\n    for i in range(n):\n        s = s + q[i]\n    return [s / n + Lap(hole), n]",
        "1/(eta1*len(q)) <= eps",
        ["1/(eps*len(q))"],
    ),
    "a sum of shares": ("one_within(1)", "q: Private", "return sum(x / len(q) for x in q) + Lap(hole)", "1/(eta1*len(q)) <= eps", ["1/(eps*len(q))"]),
    "noise on the sum": ("one_within(1)", "q: Private", "return (sum(q) + Lap(hole)) / len(q)", "1/eta1 <= eps", ["1/eps"]),
    "sums move": ("sum_within(1)", "q: Private", "m = sum(q) / len(q)\n    return m + Lap(hole)", "1/(eta1*len(q)) <= eps", ["1/(eps*len(q))"]),
    "all move": ("each_within(1)", "q: Private", "return sum(q) / len(q) + Lap(hole)", "1/eta1 <= eps", ["1/eps"]),
    "a constant": ("one_within(1)", "q: Private", "return sum(q) / 4 + Lap(hole)", "1/(4*eta1) <= eps", ["1/(4*eps)"]),
    "twice the length": ("one_within(3)", "q: Private", "return sum(q) / (2 * len(q)) + Lap(hole)", "3/(2*eta1*len(q)) <= eps", ["3/(2*eps*len(q))"]),
    "an argument": ("one_within(1)", "q: Private, n: int", "assert n >= 1\n    return sum(q) / n + Lap(hole)", "1/(eta1*n) <= eps", ["1/(eps*n)"]),
    "one over an argument": ("one_within(1)", "q: Private, n: int", "assert n > 0\n    return sum(q) * (1 / n) + Lap(hole)", "1/(eta1*n) <= eps", ["1/(eps*n)"]),
    "both": (
        "one_within(1)",
        "q: Private, n: int",
        "assert n >= 1\n    m = sum(q) / n\n    return m / len(q) + Lap(hole)",
        "1/(eta1*len(q)*n) <= eps",
        ["1/(eps*len(q)*n)"],
    ),
    "beside a value": (
        "one_within(1)",
        "q: Private",
        "return sum(q) / len(q) + Lap(hole), q[0] + Lap(hole)",
        "1/(eta1*len(q)) + 1/eta2 <= eps",
        ["2/(eps*len(q))", "2/eps"],
    ),
    "above a threshold": (
        "each_within(1)",
        "q: Private, n: int, T: float",
        "assert n >= 1\n    t = T + Lap(hole)\n    for i in range(len(q)):\n        if q[i] / n + Lap(hole) > t:\n            return i\n    return -1",
        "1/(eta1*n) + 2/(eta2*n) <= eps",
        ["2/(eps*n)", "4/(eps*n)"],
    ),
    "seven answers": ("one_within(1)", "q: Private[7]", "return sum(q) / len(q) + Lap(hole)", "1/(eta1*len(q)) <= eps", ["1/(eps*len(q))"]),
}


@pytest.mark.parametrize(("adjacent", "arguments", "body", "law", "scales"), MEANS.values(), ids=MEANS)
def test_a_mean_gets_as_little_noise_as_it_needs(adjacent: str, arguments: str, body: str, law: str, scales: list[str]) -> None:
    found = synthesize(parse(f"@sketch(adjacent={adjacent})\ndef m({arguments}, eps: Epsilon):\n    {body}\n"))
    assert found.law is not None and found.law.text == law
    assert found.best is not None and isinstance(found.best.verdict, Proved)
    assert list(map(str, found.best.ranked.completion)) == scales


def test_what_shrinks_in_one_weight_alone_does_not_in_what_covers_both():
    one, length = Polynomial.constant(Fraction(1)), Polynomial(((((("n", -1),)), Fraction(3)),))
    assert str(cover([length])) == "3/n"
    assert str(cover([one, length])) == str(cover([length, one])) == "3"
    assert str(cover([one + length])) == "4"


def test_a_name_with_a_negative_power_is_replaced():
    shares = Polynomial((((("k", 1), ("n", -2)), Fraction(5)),))
    assert shares.put({"n": Polynomial.constant(Fraction(10))}) == Polynomial.name("k").times(Fraction(1, 20))
