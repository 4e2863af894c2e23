"""Ranks and seconds for every benchmark of the paper, over several seeds, by the three methods."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from statistics import median

from kolahal.evaluation import TableRow, evaluate
from kolahal.report.text import table
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY

SEEDS = range(int(os.environ.get("KOLAHAL_SEEDS", "10")))
METHODS = os.environ.get("KOLAHAL_METHODS", "paper exact auto").split()
SLOW = True


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        for method in METHODS:
            rows = []
            for name in GALLERY:
                found = [evaluate(name, method, Settings(seed=seed), pool) for seed in SEEDS]
                rows.append([GALLERY[name].paper_name, *describe(found), str(GALLERY[name].rank)])
                print(f"{method}: {name} done", file=sys.stderr, flush=True)
            print(f"\nmethod {method}, seeds {SEEDS.start} to {SEEDS.stop - 1}, 2 workers\n")
            print(table(HEADS, rows) + "\n", flush=True)


HEADS = [
    "benchmark",
    "rank of the classic answer, by seed",
    "median",
    "of a variant, by seed",
    "first answer proved",
    "seconds, median",
    "worst",
    "first at seed 0",
    "paper rank",
]


def describe(found: list[TableRow]) -> list[str]:
    """The cells of one benchmark by one method."""
    totals = sorted(row.total for row in found)
    return [
        " ".join(str(row.rank or "-") for row in found),
        f"{median(row.rank or 99 for row in found):g}",
        " ".join(str(row.variant or "-") for row in found),
        f"{sum(row.prover == 'proved' for row in found)} of {len(found)}",
        f"{totals[len(totals) // 2]:.1f}",
        f"{totals[-1]:.1f}",
        found[0].best,
    ]
