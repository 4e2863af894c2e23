"""Ours against StatDP's method on the same engine: what the pairs, the events and the shared noise bring.

Markdown, for docs/tester.md: mechanisms whose truth is known, at ε = 0.5.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from bench.tester_table import FOLDER
from kolahal.lang.front import load_sketches
from kolahal.measure.tester import PROFILES, test_mechanism
from kolahal.settings import TesterSettings

HALF = Fraction(1, 2)
STATDP = replace(PROFILES["default"], method="statdp", select_runs=100_000, test_runs=500_000)  # StatDP's own numbers
MORE = replace(STATDP, select_runs=500_000, test_runs=2_500_000)  # and as many in the test as ours
ROWS = (
    ("above_threshold.py:above_2_4", "1"),
    ("above_threshold.py:above_3_3", "1"),
    ("above_threshold.py:above_2_3", "7/6"),
    ("above_threshold.py:above_3_2", "4/3"),
    ("above_threshold.py:above_1_4", "3/2"),
    ("above_threshold.py:above_2_2", "3/2"),
    ("noisy_max.py:laplace_index", "1"),
    ("noisy_max.py:half_the_noise", "2"),
    ("sums.py:sum_of_noisy", "1"),
    ("sums.py:smart_sum", "1"),
    ("sums.py:smart_sum_1_2", "3/2"),
    ("svt.py:svt", "1"),
    ("svt.py:isvt2", "5"),
    ("svt.py:isvt3", "7/4"),
    ("svt.py:isvt4", "5"),
    ("svt.py:bad_gap_svt", "5/2"),
)


def main() -> None:
    """The table: p-value at the claimed ε, lower bound over ε at confidence 0.99, CPU seconds."""
    print("| mechanism | true ε / claimed | StatDP: p | bound | CPU s | 5 × runs: p | bound | CPU s | ours: p | bound | CPU s |")
    print("| --- " * 11 + "|")
    for target, truth in ROWS:
        cells = [target.replace(".py:", " "), truth]
        for settings in (STATDP, MORE, PROFILES["default"]):
            cells += measure(target, settings)
        print("| " + " | ".join(cells) + " |", flush=True)


def measure(target: str, settings: TesterSettings) -> list[str]:
    (sketch,) = load_sketches(f"{FOLDER}/{target}")
    test_mechanism(sketch, HALF, PROFILES["default"], 1)  # compile
    start = time.process_time()
    trial = test_mechanism(sketch, HALF, settings, 0)
    seconds = time.process_time() - start
    return [f"{trial.p_value:.2g}", f"{trial.epsilon_lower / float(HALF):.3f}", f"{seconds:.1f}"]
