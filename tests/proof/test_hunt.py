"""Generated mechanisms are never proved and refuted; `python -m bench hunt` tries thousands."""

from __future__ import annotations

import pytest
from bench.hunt import generate, judge


@pytest.mark.parametrize("seed", range(60))
def test_no_mechanism_is_both_proved_and_refuted(seed: int) -> None:
    _, verdict = judge(seed)
    assert verdict != "both", generate(seed)


def test_the_hunt_sees_all_verdicts() -> None:
    assert {judge(seed)[1] for seed in range(12)} >= {"refuted", "proved, every length"}
