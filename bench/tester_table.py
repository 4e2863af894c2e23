"""Lower bounds on ε for DP-Sniper's mechanisms at its settings, beside what DP-Sniper and StatDP report.

Markdown, for docs/tester.md. `python -m bench tester_table` takes some minutes.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kolahal.lang.read.front import load_sketches
from kolahal.model import make_arguments
from kolahal.settings import TesterSettings
from kolahal.tester.trial import test

FOLDER = Path(__file__).parent.parent / "tests" / "known" / "files"
EPSILON = Fraction(1, 10)

SLOW = True


@dataclass(frozen=True)
class Row:
    """A mechanism of DP-Sniper's suite: its own best bound (logistic regression or MLP) and StatDP-Fixed's."""

    name: str
    target: str
    size: int
    truth: float
    sniper: float
    statdp: float | None
    given: tuple[tuple[str, Fraction], ...] = ()


def _svt(threshold: str, most: int = 1) -> tuple[tuple[str, Fraction], ...]:
    return ("N", Fraction(most)), ("T", Fraction(threshold))


ROWS = (
    Row("LaplaceMechanism", "sums.py:laplace", 1, 0.1, 0.0976, 0.0998),
    Row("NoisyHist1", "sums.py:histogram", 5, 0.1, 0.0978, 0.0994),
    Row("NoisyHist2", "sums.py:histogram_eps", 5, 10, 4.602, 10.002),
    Row("ReportNoisyMax1", "noisy_max.py:laplace_index", 5, 0.1, 0.0925, 0.0921),
    Row("ReportNoisyMax2", "noisy_max.py:exponential_index", 5, 0.1, 0.0979, 0.0997),
    Row("ReportNoisyMax3", "noisy_max.py:laplace_value", 5, 0.25, 0.2488, 0.1991),
    Row("ReportNoisyMax4", "noisy_max.py:exponential_value", 5, math.inf, 0.3534, 0.1988),
    Row("SVT1", "svt.py:svt", 10, 0.1, 0.0858, 0.0298, _svt("0.5")),
    Row("SVT2", "svt.py:svt2", 10, 0.1, 0.0859, 0.0407, _svt("1")),
    Row("SVT3", "svt.py:isvt4", 10, 0.5, 0.1822, 0.1793, _svt("1")),
    Row("SVT4", "svt.py:isvt3", 10, 0.175, 0.1696, 0.1719, _svt("1")),
    Row("SVT5", "svt.py:isvt1", 10, math.inf, 1.7612, 14.31, (("T", Fraction(1)),)),
    Row("SVT6", "svt.py:isvt2", 10, 0.5, 0.2720, 0.3220, (("T", Fraction(1)),)),
    Row("LaplaceParallel", "sums.py:laplace_parallel", 1, 0.1, 0.0350, 0.0135),
    Row("SVT34Parallel", "svt.py:svt34_parallel", 10, 0.575, 0.2616, 0.1963, _svt("1", 2)),
    Row("PrefixSum", "sums.py:prefix_sum_all_move", 10, 1.0, 0.5774, 0.3516),
    Row("NumericalSVT", "svt.py:num_svt", 10, 0.1, 0.0345, None, _svt("1", 2)),
)


def main(wanted: tuple[str, ...] = ()) -> None:
    """The table; profiles `default` and `thorough`."""
    print("| mechanism | true ε | DP-Sniper | StatDP-Fixed | default | CPU s | thorough | CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in ROWS:
        if wanted and row.name not in wanted:
            continue
        cells = [row.name, show(row.truth), show(row.sniper), show(row.statdp)]
        for profile in ("default", "thorough"):
            bound, seconds = measure(row, profile)
            cells += [show(bound), f"{seconds:.1f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


def measure(row: Row, profile: str) -> tuple[float, float]:
    """The lower bound at confidence 0.99, and CPU seconds."""
    (sketch,) = load_sketches(f"{FOLDER}/{row.target}")
    arguments = make_arguments(sketch, EPSILON, row.size, dict(row.given))
    test(sketch, (), arguments, TesterSettings.quick(), 0)  # compile
    start = time.process_time()
    trial = test(sketch, (), arguments, getattr(TesterSettings, profile)() if profile != "default" else TesterSettings(), 0)
    return trial.epsilon_lower, time.process_time() - start


def show(value: float | None) -> str:
    if value is None:
        return "error"
    return "∞" if value == math.inf else f"{value:.4g}"


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
