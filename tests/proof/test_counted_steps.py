"""Searches end after counted steps, and what they found by then stands."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.programs import read

from kolahal.checking import check
from kolahal.lang.claims import plain_claim
from kolahal.logic.counting import OutOfSteps, limited, take_steps, within
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.refute.refute import survey_losses
from kolahal.settings import ProofSettings, Settings
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown

HURRIED = Settings(proof=replace(ProofSettings(), steps=300))
ABOVE = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon, T: float = 0):
    t = T + Lap(2/eps)
    for i in range(len(q)):
        if q[i] + Lap({scale}/eps) >= t:
            return i
    return -1
"""
HALVES = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    low, high = 0, 100
    for j in range(12):
        middle = (low + high)/2
        below = 0
        for x in q:
            if x < middle:
                below += 1
        if below + Lap(1/eps) < len(q)/2:
            low = middle
        else:
            high = middle
    return low
"""


def test_the_narrowest_limit_counts_and_none_lifts_all() -> None:
    with limited(10), limited(100), pytest.raises(OutOfSteps):
        take_steps(11)
    with limited(10), limited(None):
        take_steps(10**9)
    take_steps(10**9)  # nobody asked


def test_what_takes_too_long_gives_what_was_there() -> None:
    def double(value: int) -> int:
        take_steps(value)
        return 2 * value

    assert within(10, double, 7) == 14
    assert within(10, double, 70) == 70


def test_without_a_law_there_is_a_proof_all_the_same() -> None:
    found = check(read(ABOVE.format(scale=4)), settings=HURRIED)
    assert isinstance(found.verdict, Proved) and found.law is None


def test_a_hurried_survey_keeps_what_it_found() -> None:
    program = read(ABOVE.format(scale=4))
    full = survey_losses(program, plain_claim(program), Settings())
    hurried = survey_losses(program, plain_claim(program), Settings(proof=replace(ProofSettings(), steps=2_000)))
    assert set(hurried) < set(full)
    assert all(hurried[size].loss == full[size].loss for size in sorted(hurried)[:-1])


def test_a_bounded_proof_that_takes_too_long_stands_for_fewer_answers() -> None:
    program = read(ABOVE.format(scale=4))
    assert str(prove_bounded(program).scope) == "up to 4 queries"  # type: ignore[union-attr]
    for steps in (3_000, 6_000, 12_000):
        found = prove_bounded(program, settings=replace(ProofSettings(), steps=steps))
        if isinstance(found, Bounded):
            assert str(found.scope) in ("up to 2 queries", "up to 3 queries", "up to 4 queries")
            break
    else:
        raise AssertionError("no limit gave a part of the proof")


def test_a_program_with_too_many_ways_ends_and_its_test_is_told() -> None:
    found = check(read(HALVES), settings=Settings(proof=replace(ProofSettings(), steps=20_000)))
    assert isinstance(found.verdict, Refuted) or (isinstance(found.verdict, Unknown) and "p = " in found.verdict.reason)
    assert found.trial is None or found.trial.p_value < 0.001
    assert isinstance(found.verdict, Refuted) or any("rehearsals" in line for line in found.tried)
