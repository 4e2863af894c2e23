"""Shown numbers never say the opposite of what is known, whatever they are."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kolahal.report.html import _bounds, _losses, tightness
from kolahal.report.pairs import _is_over, tell_event
from kolahal.report.rounding import at_least, at_most, compare
from kolahal.report.words import headline

bounds = st.floats(min_value=1e-6, max_value=1e6)
budgets = st.floats(min_value=1e-3, max_value=20)
chances = st.floats(min_value=1e-12, max_value=1)


@given(bounds)
@example(0.99996)
@example(1.4999999999)
@example(123456.7)
def test_bounds_are_rounded_to_the_side_of_caution(value: float) -> None:
    low, high = float(at_least(value)), float(at_most(value))
    assert low <= value * (1 + 1e-8) and value * (1 - 1e-8) <= high
    assert low == pytest.approx(value, rel=1.1e-3) and high == pytest.approx(value, rel=1.1e-3)


def test_odd_bounds_have_words() -> None:
    assert at_least(math.inf) == "∞" and at_most(math.nan) == "–" and at_least(0.0) == "0" and at_least(1.0) == "1"
    assert at_least(1.4999999999) == "1.5" and at_least(0.99996) == "0.9999" and at_most(1.00004) == "1.001"


@given(bounds, st.floats(min_value=0.999, max_value=1.001), st.booleans())
def test_a_value_and_its_limit_are_told_apart(limit: float, times: float, over: bool) -> None:
    value, shown = map(float, compare(limit * times, limit, over))
    assert (value > shown) == over
    assert shown == pytest.approx(limit, rel=1e-3) and value == pytest.approx(limit * times, rel=3e-3)


def numbers_of(say: str) -> tuple[float, float] | None:
    found = re.search(
        r"It is (?:about )?(\S+) times as likely on d[12], (?:more than|within|too close to) the (\S+) that", say
    )
    return (float(found[1]), float(found[2])) if found else None


@given(chances, budgets, st.floats(min_value=-1e-3, max_value=1e-3), st.booleans(), st.sampled_from([None, 6, 4]))
@example(0.25, 1.0, 0.0, False, 4)  # 0.25 and 0.09197 with four digits are 2.71828… as 2.719
@example(0.5, 1.0, 1e-9, True, 6)
def test_the_words_of_an_event_agree_with_what_is_known(
    p1: float, allowed: float, near: float, flip: bool, digits: int | None
) -> None:
    """Losses close to the claim on either side, with all digits or those of a document, and the verdict as it was computed."""
    p2 = p1 * math.exp(-allowed * (1 + near))
    over = near > 0
    odds = [p if digits is None else float(f"{p:.{digits}g}") for p in ((p2, p1) if flip else (p1, p2))]
    told = tell_event({"p1": odds[0], "p2": odds[1], "exact": True, "over": over}, allowed, 0)
    ratio, limit = numbers_of(told["say"]) or (0.0, 0.0)
    assert told["over"] == over == ("more than" in told["say"]) == (ratio > limit)
    assert (float(told["loss"]) > 1) == over


@given(chances, budgets, st.integers(1, 30))
def test_a_document_that_does_not_say_is_read_with_its_digits(p1: float, allowed: float, scale: int) -> None:
    """A tight pair of a proved mechanism, four digits a probability, is never called a violation."""
    p1, p2 = p1 / scale, p1 / scale * math.exp(-allowed)
    event: dict[str, Any] = {"p1": float(f"{p1:.4g}"), "p2": float(f"{p2:.4g}"), "exact": True}
    told = tell_event(event, allowed, 0)
    ratio, limit = numbers_of(told["say"]) or (0.0, 0.0)
    assert not told["over"] and "within" in told["say"] and ratio <= limit and float(told["loss"]) <= 1


@given(chances, budgets, st.floats(min_value=0, max_value=3))
def test_sampled_losses_are_over_only_beyond_doubt(p1: float, allowed: float, part: float) -> None:
    p2, runs = p1 * math.exp(-allowed * part), 100_000
    over = _is_over(allowed * part, allowed, p1, p2, runs)
    assert over is not True or part > 1
    assert over is not False or part <= 1 + 1e-9


@given(
    st.floats(min_value=1e-6, max_value=0.9),
    st.floats(min_value=1e-9, max_value=1e-3),
    st.sampled_from([0.1, 0.5, 1.0, 3.0]),
)
def test_a_refutation_is_never_shown_as_none(p1: float, above: float, epsilon: float) -> None:
    p2 = p1 * math.exp(-epsilon * (1 + above))
    shown = {"event": "the output is 1", "p1": [p1, p1], "p2": [p2, p2], "epsilon": epsilon}
    told = headline({"verdict": "refuted", "sketch": "f", "claim": "eps", "counterexample": shown})
    found = re.search(r"is (\S+) times as likely .* allows a factor of (\S+)\.$", told)
    assert found is not None and float(found[1]) > float(found[2])


@given(bounds, st.floats(min_value=1, max_value=1.01))
def test_bounds_from_both_sides_are_shown_in_order(low: float, times: float) -> None:
    told = re.findall(r"\d\S*", _bounds(low, low * times))
    assert float(told[0]) <= float(told[-1])


def test_a_proof_outweighs_an_estimate() -> None:
    candidate = {"verdict": "proved", "log_loss": 0.512, "epsilon": 0.5}
    assert tightness(candidate) == 1.0 and tightness({**candidate, "verdict": "unknown"}) == 1.024
    curve = {"hole": "eta1", "scale": "1/eps", "found": [1.3, 1.02, 0.8], "law": None}
    data = {"curves": [curve], "factors": [0.5, 1.0, 2.0], "exact": False, "examples": 1, "epsilon": 1.0}
    assert "it is 1 of the claim" in _losses(data, True).svg and "it is 1.02 of the claim" in _losses(data, False).svg
