"""Losses that rise with the number of answers, and those that only unusual arguments, places or fractions show."""

from __future__ import annotations

import pytest

from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Equals
from kolahal.proof.refute.growth import find_growth
from kolahal.proof.refute.refute import refute
from kolahal.settings import Settings
from kolahal.verdicts import Refuted

EPS = parse_scale("eps")


def load(body: str, parameters: str = "", private: str = "Private", relation: str = "each_within(1)") -> Sketch:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, {parameters}eps: Epsilon):\n{lines}\n")


SUM = "s = 0\nfor x in q:\n    s = s + x\nreturn s + Lap({}/eps)"


@pytest.mark.parametrize(
    ("body", "breaks_at"),
    [
        ("return [x + Lap(8/eps) for x in q]", 9),
        (SUM.format(9), 10),
        (SUM.format(20), 21),
        (SUM.format(300), 301),
        ("return [x + Lap(100/eps) for x in q]", 101),
        ("out = []\nfor x in q:\n    out.append(x + Lap(7/eps) > 0)\nreturn out", 8),
    ],
)
def test_a_loss_that_rises_is_followed_to_where_the_claim_breaks(body: str, breaks_at: int) -> None:
    found = find_growth(load(body), EPS, Settings())
    assert isinstance(found, Refuted) and len(found.example.d1) == breaks_at


@pytest.mark.parametrize(
    ("body", "breaks_at"),
    [
        ("return [q[0] / 2 + Lap(8/eps) for k in range(N)]", 17),
        ("s = 0\nfor k in range(N):\n    s += q[0]\nreturn s + Lap(20/eps)", 21),
        ("out = []\nwhile len(out) < 2 * N:\n    out.append(q[0] + Lap(9/eps))\nreturn out", 5),
        ("c = 0\nfor k in range(N):\n    if q[0] + Lap(5/eps) > 0:\n        c += 1\nreturn c", 6),
    ],
)
def test_a_loss_that_rises_with_an_argument_is_followed_too(body: str, breaks_at: int) -> None:
    found = find_growth(load(body, "N: int, ", relation="one_within(1)"), EPS, Settings())
    assert isinstance(found, Refuted)
    assert dict(found.example.arguments.values)["N"] == breaks_at


RESET = """
t = T + Lap({0})
out = []
n = 0
for x in q:
    if n < N:
        hit = x + Lap({1}) > t
        out.append(hit)
        if hit:
            n += 1
            t = T + Lap({0})
return out
"""


def test_what_is_done_anew_in_each_round_is_lost_once_a_round() -> None:
    found = find_growth(load(RESET.format("2/eps", "4*N/eps"), "T: float, N: int, "), EPS, Settings())
    assert isinstance(found, Refuted)
    assert dict(found.example.arguments.values)["N"] == 2
    assert found.example.event == Equals((*(False,) * 5, True) * 2)
    assert find_growth(load(RESET.format("2*N/eps", "4*N/eps"), "T: float, N: int, "), EPS, Settings()) is None


@pytest.mark.parametrize(
    "sketch",
    [
        load("return [q[0] + Lap(N/eps) for k in range(N)]", "N: int, "),
        load("out = []\nfor x in q:\n    if x + Lap(2/eps) > 0:\n        out.append(True)\n        if len(out) >= N:\n            break\nreturn out", "N: int, ", relation="one_within(1)"),
        load("return [x + Lap(len(q)/eps) for x in q]"),
        load(SUM.format(1), relation="one_within(1)"),
        load("return [x + Lap(8/eps) for x in q]", private="Private[8]"),
        load("t = Lap(2/eps)\nfor x in q:\n    if x + Lap(4/eps) > t:\n        return True\nreturn False"),
    ],
    ids=["noise that grows with an argument", "answers that may be none", "noise that grows too", "one answer moves", "a declared number", "a loss with a limit"],
)
def test_what_is_private_does_not_grow(sketch: Sketch) -> None:
    assert find_growth(sketch, EPS, Settings()) is None


@pytest.mark.parametrize(
    ("body", "parameters"),
    [
        ("if N < 1:\n    return q[0]\nreturn q[0] + Lap(1/eps)", "N: int, "),
        ("if N < -2:\n    return q[0]\nreturn q[0] + Lap(1/eps)", "N: int, "),
        ("x = q[0]\nfor i in range(N):\n    if i == 0:\n        x = x + Lap(1/eps)\nreturn x", "N: int, "),
        ("if T > 1000:\n    return q[0]\nreturn q[0] + Lap(1/eps)", "T: float, "),
        ("if eps > 5:\n    return q[0]\nreturn q[0] + Lap(1/eps)", ""),
        ("if eps < 0.01:\n    return q[0]\nreturn q[0] + Lap(1/eps)", ""),
        ("return q[6]", ""),
        ("return q[-9]", ""),
        ("a = q\nreturn a[3 + 4]", ""),
        ("return q[0] + DiscreteLap(8/eps)", ""),
        ("return q[0] / 2 + DiscreteLap(1/eps)", ""),
    ],
)
def test_what_only_unusual_inputs_show_is_refuted(body: str, parameters: str) -> None:
    sketch = load(body, parameters)
    found = refute(sketch, EPS, Settings())
    assert found is not None
    assert sketch.related(found.example.d1, found.example.d2) and found.example.arguments.accepted_by(sketch, EPS)


@pytest.mark.parametrize("body", ["return q[0] / 2 + DiscreteLap(1/eps)", "b = min(q[0], T) + DiscreteLap(6/eps)\nreturn abs(b)"])
def test_whole_noise_does_not_hide_half_of_a_whole_answer(body: str) -> None:
    found = refute(load(body, "T: float, ", private="Private[int]"), EPS, Settings())
    assert found is not None and found.odds.p2.high == 0


@pytest.mark.parametrize(
    ("body", "parameters", "private"),
    [
        ("if N < 1:\n    return q[0]\nreturn q[0] + Lap(N/eps)", "N: int, ", "Private"),  # N below 1 is refused
        ("if i_ % M < 0:\n    return q[0]\nreturn 0", "i_: int, M: int, ", "Private"),
        ("return q[0] + DiscreteLap(1/eps)", "", "Private[int]"),
        ("if len(q) > 2:\n    return q[0]\nreturn q[0] + Lap(1/eps)", "", "Private[2]"),
    ],
)
def test_what_a_call_refuses_refutes_nothing(body: str, parameters: str, private: str) -> None:
    assert refute(load(body, parameters, private), EPS, Settings()) is None
