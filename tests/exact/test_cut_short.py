"""Loops that may go on for ever: probabilities from both sides, against closed forms."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest

from kolahal.exact import cut_short as module
from kolahal.exact.cut_short import GOES_ON, certain_probability, cut_short
from kolahal.exact.intervals import Interval, rigorous_probability
from kolahal.lang.read.parse import parse_source
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source
from kolahal.model import AllOf, Anything, Arguments, Equals, Event, Example, Within
from kolahal.paths.cuts import CannotIntegrate
from kolahal.proof.refute.shrink import confirm
from kolahal.verdicts import Refuted

AT = Arguments(F(1), 1, ())
REDRAWN = "noisy = q[0] + {0}\nwhile noisy < 0:\n    noisy = q[0] + {0}\nreturn noisy"
TRIES = "n = 0\nwhile q[0] + Lap(1/eps) < 0:\n    n += 1\nreturn n"
TWO = "n = 0\nwhile Lap(1/eps) < 0:\n    n += 1\nm = 0\nwhile True:\n    if q[0] + Lap(1/eps) > 0:\n        break\n    m += 1\nreturn n, m"


def load(body: str, private: str = "Private[1]") -> Sketch:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return parse_source(Source("loop", f"@sketch(adjacent=one_within(1))\ndef f(q: {private}, eps: Epsilon):\n{lines}"))[0]


def below(x: float) -> float:
    """P(Lap(1) < x)."""
    return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2


@pytest.mark.parametrize(
    ("body", "private", "answer", "event", "wanted"),
    [
        (REDRAWN.format("DiscreteLap(1/eps)"), "Private[int, 1]", 0, Equals(F(0)), 1 - math.exp(-1)),
        (REDRAWN.format("Lap(1/eps)"), "Private[1]", 1, Within(None, F(1)), (0.5 - below(-1)) / (1 - below(-1))),
        (TRIES, "Private[1]", 1, Equals(F(2)), below(-1) ** 2 * (1 - below(-1))),
        (TRIES, "Private[1]", -1, Equals(F(2)), below(1) ** 2 * (1 - below(1))),
        (TWO, "Private[1]", 0, AllOf((Equals(F(1)), Equals(F(1)))), 1 / 16),
    ],
)
def test_the_closed_form_lies_between_both_sides(body: str, private: str, answer: int, event: Event, wanted: float) -> None:
    sketch = load(body, private)
    assert isinstance(rigorous_probability(sketch, (F(answer),), AT, (), event), CannotIntegrate)
    found = certain_probability(sketch, (F(answer),), AT, event)
    assert isinstance(found, Interval)
    assert found.low <= wanted * (1 + 1e-12) and wanted * (1 - 1e-12) <= found.high
    assert found.high <= found.low * 1.01


def test_what_is_cut_counts_for_the_upper_side_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TURNS", (1,))
    found = certain_probability(load(TRIES), (F(0),), AT, Equals(F(0)))
    assert isinstance(found, Interval)
    assert (found.low, found.high) == (pytest.approx(1 / 2), pytest.approx(1 / 2 + 1 / 4))


@pytest.mark.parametrize("event", [Anything(), Equals(GOES_ON), AllOf((Anything(),) * len(GOES_ON))])
def test_an_event_that_runs_which_are_cut_are_in_is_not_asked(event: Event) -> None:
    assert isinstance(certain_probability(load(TRIES), (F(0),), AT, event), CannotIntegrate)


def test_a_program_that_is_cut_answers_as_before_until_then() -> None:
    text = str(cut_short(load(TRIES), 3))
    assert "range(4)" in text and "while" not in text and "break" in text


def test_noise_that_is_drawn_again_is_refuted_and_an_exact_bound_is_not() -> None:
    """At eps = 1 the answer 0 is 3.35 times as likely on [0] as on [1], which is between e and e^(3/2)."""
    sketch = load(REDRAWN.format("DiscreteLap(1/eps)"), "Private[int, 1]")
    example = Example((F(0),), (F(1),), Equals(F(0)), AT)
    assert isinstance(confirm(sketch, example, parse_scale("eps")), Refuted)
    assert confirm(sketch, example, parse_scale("3*eps/2")) is None
