"""Rank of the textbook answer and seconds for every benchmark of the paper, over several seeds."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor

from kolahal.evaluation import evaluate
from kolahal.report.text import table
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY

SEEDS = range(int(os.environ.get("KOLAHAL_SEEDS", "10")))
SLOW = True
METHODS = ("paper", "auto")


def main() -> None:
    with ProcessPoolExecutor(2) as pool:
        for method in METHODS:
            rows = []
            for name in GALLERY:
                found = []
                for seed in SEEDS:
                    found.append(evaluate(name, method, Settings(seed=seed), pool))
                ranks = [str(row.rank or "-") for row in found]
                totals = sorted(dict(row.seconds)["total"] for row in found)
                proved = sum(row.proved for row in found)
                rows.append(
                    [
                        GALLERY[name].paper_name,
                        " ".join(ranks),
                        f"{proved} of {len(found)}",
                        f"{totals[len(totals) // 2]:.1f}",
                        f"{totals[-1]:.1f}",
                        found[0].best,
                    ]
                )
                print(f"{method}: {name} done", flush=True)
            print(f"\nmethod {method}, seeds {SEEDS.start} to {SEEDS.stop - 1}, 2 workers\n")
            heads = [
                "benchmark",
                "rank of a textbook answer, by seed",
                "best proved",
                "seconds, median",
                "worst",
                "best at seed 0",
            ]
            print(table(heads, rows) + "\n", flush=True)
