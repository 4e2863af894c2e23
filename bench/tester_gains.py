"""Ours against StatDP's method on the same engine: what the pairs, the events and the shared noise bring.

Markdown, for docs/tester.md: mechanisms whose truth is known, at ε = 0.5.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np

from bench.tester_table import FOLDER
from kolahal.exact.probe import event_probability
from kolahal.lang.read.front import load_sketches
from kolahal.lang.sketch import Sketch
from kolahal.losses import log_ratio
from kolahal.model import Trial
from kolahal.paths.cuts import CannotIntegrate
from kolahal.settings import TesterSettings
from kolahal.tester.trial import test_mechanism

HALF = Fraction(1, 2)
STATDP = replace(TesterSettings(), method="statdp", select_runs=100_000, test_runs=500_000)  # StatDP's own numbers
MORE = replace(STATDP, select_runs=500_000, test_runs=2_500_000)  # and as many in the test as ours
COLUMNS = "mechanism | true ε | StatDP: p | bound | CPU s | 5 × runs: p | bound | CPU s | ours: p | bound | CPU s | exact loss"
ROWS = (
    ("above_threshold above_2_4", "1"),
    ("above_threshold above_3_3", "1"),
    ("noisy_max laplace_index", "1"),
    ("sums sum_of_noisy", "1"),
    ("sums smart_sum", "1"),
    ("svt svt", "1"),
    ("above_threshold above_2_3", "7/6"),
    ("above_threshold above_3_2", "4/3"),
    ("above_threshold above_1_4", "3/2"),
    ("above_threshold above_2_2", "3/2"),
    ("noisy_max half_the_noise", "2"),
    ("noisy_max laplace_value", "5"),
    ("noisy_max exponential_value", "∞"),
    ("sums histogram_half", "2"),
    ("sums histogram_eps", "4"),
    ("sums bad_partial_sum", "2"),
    ("sums smart_sum_1_2", "3/2"),
    ("sums bad_smart_sum", "∞"),
    ("svt isvt1", "∞"),
    ("svt isvt2", "5"),
    ("svt isvt3", "7/4"),
    ("svt isvt4", "5"),
    ("svt bad_gap_svt", "5/2"),
)


def main() -> None:
    """The table: p-value at the claimed ε, lower bound over ε at confidence 0.99, CPU seconds, loss over ε."""
    print(f"| {COLUMNS} |")
    print("| --- " * (COLUMNS.count("|") + 1) + "|")
    for name, truth in ROWS:
        (sketch,) = load_sketches(f"{FOLDER}/{name.replace(' ', '.py:')}")
        test_mechanism(sketch, HALF, TesterSettings(), 1)  # compile
        cells = [name, truth]
        for settings in (STATDP, MORE, TesterSettings()):
            trial, seconds = measure(sketch, settings)
            cells += [f"{trial.p_value:.2g}", f"{trial.epsilon_lower / float(HALF):.3f}", f"{seconds:.1f}"]
        print("| " + " | ".join([*cells, exact_loss(sketch, trial)]) + " |", flush=True)


def measure(sketch: Sketch, settings: TesterSettings) -> tuple[Trial, float]:
    start = time.process_time()
    trial = test_mechanism(sketch, HALF, settings, 0)
    return trial, time.process_time() - start


def exact_loss(sketch: Sketch, trial: Trial) -> str:
    """The loss of the example that was found, by integration, over ε; empty where that cannot be done."""
    found = []
    for database in (trial.example.d1, trial.example.d2):
        p = event_probability(sketch, database, trial.example.arguments, np.zeros((1, 0)), trial.example.event)
        if isinstance(p, CannotIntegrate):
            return ""
        found.append(float(p[0]))
    loss = log_ratio(*found) / float(HALF)
    return "∞" if loss == math.inf else f"{loss:.3f}"
