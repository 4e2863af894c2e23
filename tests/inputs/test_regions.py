"""Public inputs on every side of public conditions: found by solving, not by habit."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.programs import read

from kolahal.checking import check
from kolahal.inputs.regions import public_points
from kolahal.verdicts import Proved, Refuted

HEAD = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon, T: float = 0, U: float = 0, k: int = 1):\n"
RARE = {  # conditions that few calls come to
    "two arguments": "T > U + 500 and U > 300",
    "a sum": "T + 2*U < -1000 and U > 7",
    "a whole number": "2*k == 154",
    "a small budget": "eps < 0.001",
    "a budget and an argument": "eps > 30 and T > 100*eps",
    "a name": "far > 900",
}


def program(test: str, there: str, elsewhere: str = "1/eps") -> str:
    return f"{HEAD}    far = T - 12345\n    if {test}:\n        return q[0] + Lap({there})\n    return q[0] + Lap({elsewhere})\n"


@pytest.mark.parametrize("name", RARE)
def test_noise_that_is_too_small_for_few_calls_is_found(name: str) -> None:
    assert isinstance(check(read(program(RARE[name], "1/(2*eps)"))).verdict, Refuted)


@pytest.mark.parametrize("name", RARE)
def test_noise_that_is_enough_for_all_calls_is_proved(name: str) -> None:
    assert isinstance(check(read(program(RARE[name], "2/eps"))).verdict, Proved)


def test_each_region_has_a_point_and_no_point_is_outside() -> None:
    points = public_points(read(program("T > U + 500 and U > 300", "2/eps")), 3)
    assert {(p["T"] > p["U"] + 500, p["U"] > 300) for p in points} == {(a, b) for a in (True, False) for b in (True, False)}
    assert all(point.get("eps", Fraction(1)) > 0 for point in points)


def test_conditions_on_what_is_private_give_no_points() -> None:
    assert public_points(read(program("q[0] > T", "2/eps")), 3) == ()
    assert public_points(read(program("q[0] + 1 > 2", "2/eps")), 3) == ()
