"""The literature as a table: mechanisms of the files beside this one, with the truth about them.

`truth` is the exact privacy loss in units of the claimed ε, for inputs of the sizes that the tester uses; infinite
where an event is possible on one side only. Sources: StatDP (CCS 2018), CheckDP (CCS 2020), DP-Sniper (S&P 2021), Lyu,
Su and Li (VLDB 2017). The costs 1/s1 + 2N/s2 and their like come from alignments, which bound the loss from above.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from kolahal.lang.read.front import load_sketches
from kolahal.lang.sketch import Sketch

FOLDER = Path(__file__).parent / "files"
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Known:
    target: str  # file:function
    truth: float  # in units of the claimed ε
    why: str
    epsilon: Fraction = HALF
    hard: bool = False  # a violation that needs more runs than the quick profile has

    @property
    def private(self) -> bool:
        return self.truth <= 1

    def load(self) -> Sketch:
        (sketch,) = load_sketches(f"{FOLDER}/{self.target.replace(':', '.py:')}")
        return sketch

    def __str__(self) -> str:
        return f"{self.target}@{self.epsilon}"


PRIVATE = (
    Known("noisy_max:laplace_index", 1, "StatDP noisy_max_v1a: 2/s = ε"),
    Known("noisy_max:exponential_index", 1, "StatDP noisy_max_v2a: 2/s = ε, reached at n = 2"),
    Known("noisy_max:one_moves", 1, "1/s where one answer moves"),
    Known("noisy_max:all_move_one_way", 1, "1/s where all answers move the same way"),
    Known("sums:laplace", 1, "DP-Sniper LaplaceMechanism: 1/s"),
    Known("sums:discrete_laplace", 1, "the same on the whole numbers"),
    Known("sums:truncated_geometric", 1, "the same, cut off: post-processing"),
    Known("sums:laplace_parallel", 1, "DP-Sniper LaplaceParallel: twenty times 1/s"),
    Known("sums:histogram", 1, "StatDP histogram: 1/s"),
    Known("sums:histogram_eps", 4 / 9, "StatDP histogram_eps at ε = 1.5: the loss is 1/ε = 0.67", Fraction(3, 2)),
    Known("sums:sum_of_noisy", 1, "1/s, reached only in the far tails"),
    Known("sums:partial_sum", 1, "CheckDP PartialSum: 1/s"),
    Known("sums:prefix_sum", 1, "ShadowDP PrefixSum: 1/s where one answer moves"),
    Known("sums:smart_sum", 1, "1/s1 + 1/s2 = ε/2 + ε/2"),
    Known("above_threshold:above_2_4", 1, "1/s1 + 2/s2 = ε/2 + ε/2"),
    Known("above_threshold:above_3_3", 1, "1/s1 + 2/s2 = ε/3 + 2ε/3"),
    Known("svt:svt", 1, "StatDP SVT, N = 1: 1/s1 + 2N/s2"),
    Known("svt:svt_two", 1, "the same, N = 2"),
    Known("svt:svt_three", 1, "the same at (3, 3N), N = 3"),
    Known("svt:svt_monotone", 1, "CheckDP SVT increasing: 1/s1 + N/s2"),
    Known("svt:svt2", 1, "DP-Sniper SVT2; N = 1, where the second threshold is never used"),
    Known("svt:gap_svt", 1, "CheckDP GapSVT: 1/s1 + 2N/s2"),
    Known("svt:num_svt", 1, "CheckDP NumSVT: 1/s1 + 2N/s2 + N/s3"),
    Known("svt:adaptive_svt", 1, "CheckDP AdaptiveSVT: 1/s1 + 2/s_top or 2/s_middle until 2N are spent"),
)

BROKEN = (
    Known("noisy_max:half_the_noise", 2, "2/s = 2ε"),
    Known("noisy_max:laplace_value", 5, "StatDP noisy_max_v1b: all n noises shift, n/s = nε/2 (n = 10)"),
    Known("noisy_max:exponential_value", math.inf, "StatDP noisy_max_v2b: one-sided support moves"),
    Known("sums:histogram_half", 2, "1/s = 2ε"),
    Known("sums:histogram_eps", 4, "StatDP histogram_eps at ε = 0.5: 1/ε = 2"),
    Known("sums:bad_partial_sum", 2, "CheckDP BadPartialSum: 1/s = 2ε"),
    Known("sums:prefix_sum_all_move", 4, "n/s where every answer moves (n = 4)"),
    Known("sums:smart_sum_1_2", 1.5, "1/s1 + 1/s2 = ε + ε/2: the paper's tool ranked it above the right one"),
    Known("sums:bad_smart_sum", math.inf, "CheckDP BadSmartSum: block sums without noise"),
    Known("above_threshold:above_2_3", 7 / 6, "1/s1 + 2/s2 = ε/2 + 2ε/3: the hardest", hard=True),
    Known("above_threshold:above_3_2", 4 / 3, "1/s1 + 2/s2 = ε/3 + ε"),
    Known("above_threshold:above_1_4", 1.5, "1/s1 + 2/s2 = ε + ε/2", hard=True),
    Known("above_threshold:above_2_2", 1.5, "1/s1 + 2/s2 = ε/2 + ε"),
    Known("svt:isvt1", math.inf, "StatDP iSVT1, Lyu's Alg. 5: no query noise"),
    Known("svt:isvt2", 5, "StatDP iSVT2, Lyu's Alg. 6: no cut-off, nε/2 (n = 10)"),
    Known("svt:isvt3", 1.75, "StatDP iSVT3, Lyu's Alg. 4: (1 + 6N)/4, N = 1"),
    Known("svt:isvt4", 5, "StatDP iSVT4, Lyu's Alg. 3: releases the compared answer, nε/2 (n = 10)"),
    Known("svt:bad_gap_svt", 2.5, "CheckDP BadGapSVT: as iSVT4 with twice the query noise (n = 10)", hard=True),
    Known("svt:svt34_parallel", 5.75, "DP-Sniper SVT34Parallel, at most (n = 10)"),
)
