"""Answers as arrays say the same as answers as values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kolahal.engine.outputs import hits, join, pack
from kolahal.model import AllOf, Anything, Equals, Event, Linear, OneOf, StartsWith, Within, contains

# Numbers of events are doubles here, as those are that come from answers.
numbers = st.integers(-6, 6).map(lambda n: Fraction(n, 2))
scalars = st.one_of(numbers, st.booleans(), st.none())
answers = st.one_of(scalars, st.lists(scalars, max_size=4).map(tuple))
rows = st.lists(answers, min_size=1, max_size=12)
within = st.builds(Within, st.none() | numbers, st.none() | numbers)
parts = st.one_of(st.builds(Equals, scalars), within, st.just(Anything()))
simple = st.one_of(
    st.builds(Equals, answers),
    within,
    st.builds(AllOf, st.lists(parts, max_size=4).map(tuple)),
    st.builds(StartsWith, st.lists(scalars, max_size=4).map(tuple)),
    st.builds(Linear, st.lists(numbers, min_size=1, max_size=4).map(tuple), numbers),
)
events = st.one_of(simple, st.just(Anything()), st.lists(simple, max_size=3).map(lambda some: OneOf(tuple(some))))


def as_run(answer: Any) -> Any:
    """An answer as a run gives it: numbers are doubles."""
    if isinstance(answer, tuple):
        return tuple(map(as_run, answer))
    return float(answer) if isinstance(answer, Fraction) else answer


@settings(max_examples=150)
@given(rows, events)
def test_hits_are_the_runs_whose_answer_the_event_contains(answered: list[Any], event: Event) -> None:
    outputs = pack([as_run(answer) for answer in answered])
    assert hits(event, outputs).tolist() == [contains(event, as_run(answer)) for answer in answered]


@given(st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6), st.lists(numbers, min_size=3, max_size=3))
def test_weighted_sums_are_added_in_order(values: list[float], weights: list[Fraction]) -> None:
    answered = [tuple(values[:3]), tuple(values[3:])]
    total = sum(w * v for w, v in zip(weights, answered[0]))
    event = Linear(tuple(weights), Fraction(total))
    assert hits(event, pack(answered)).tolist() == [contains(event, answer) for answer in answered]
    assert contains(event, answered[0])


@given(rows)
def test_packing_keeps_answers(answered: list[Any]) -> None:
    runs = [as_run(answer) for answer in answered]
    found = pack(runs).rows()
    assert found == runs
    assert [repr(row) for row in found] == [repr(row) for row in runs]


@given(st.lists(rows, min_size=1, max_size=3))
def test_joining_keeps_answers(parts: list[list[Any]]) -> None:
    packed = [pack([as_run(answer) for answer in part]) for part in parts]
    joined = join(packed)
    assert joined.rows() == [row for part in packed for row in part.rows()]
    assert joined.runs == sum(len(part) for part in parts)


def test_no_answers_at_all() -> None:
    assert pack([]).rows() == []
    assert not np.any(hits(Equals(Fraction(1)), pack([])))
