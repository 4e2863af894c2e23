"""Ranks and seconds for every benchmark of the paper, over several seeds, by the three methods.

Results are kept in out/bench/paper.jsonl as they come: stop it when you like, and it goes on from there. Two benchmarks run
at a time, each in one process, so that CPU seconds count here; `python -m bench clock` has wall-clock seconds.
KOLAHAL_SEEDS="5-9" KOLAHAL_METHODS=paper KOLAHAL_NAMES="svt sum" choose; with KOLAHAL_GOLDEN=rewrite the ranks of `paper` go
into tests/golden/ranks.json.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from statistics import median

from bench.kept import Found, cpu_seconds, run_all, seeds_of
from kolahal.evaluation import TableRow, evaluate
from kolahal.report.text import table
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY

SEEDS = seeds_of(os.environ.get("KOLAHAL_SEEDS", "10"))
METHODS = os.environ.get("KOLAHAL_METHODS", "paper exact auto").split()
NAMES = os.environ.get("KOLAHAL_NAMES", " ".join(GALLERY)).split()
RANKS = Path(__file__).parent.parent / "tests" / "golden" / "ranks.json"
SLOW = True


def main() -> None:
    print(f"two at a time, one process each; load of the machine {os.getloadavg()[0]:.1f}", flush=True)
    jobs = [(method, name, seed) for method in METHODS for seed in SEEDS for name in NAMES]
    found: dict[tuple[str, str, int], Found] = {}
    for (method, name, seed), row in run_all("paper", jobs, measure):
        found[str(method), str(name), int(seed)] = row
        print(f"{method:6} {name:18} seed {seed}: rank {row['rank'] or '-'}, variant {row['variant'] or '-'}, {row['cpu']:.1f} CPU s, {row['best']}, {row['prover']}", flush=True)
    for method in METHODS:
        rows = [
            [GALLERY[name].paper_name, *describe([found[method, name, seed] for seed in SEEDS]), str(GALLERY[name].rank)]
            for name in NAMES
        ]
        print(f"\nmethod {method}, seeds {' '.join(map(str, SEEDS))}\n\n{table(HEADS, rows)}\n", flush=True)
    if os.environ.get("KOLAHAL_GOLDEN") == "rewrite":
        write_golden(found)


def measure(method: str, name: str, seed: int) -> Found:
    start = cpu_seconds()
    return as_found(evaluate(name, method, Settings(seed=seed)), cpu_seconds() - start)


def as_found(row: TableRow, cpu: float) -> Found:
    return {
        "rank": row.rank, "variant": row.variant, "best": row.best, "prover": row.prover, "cpu": round(cpu, 2),
        "wall": round(row.total, 2), "load": round(os.getloadavg()[0], 1), "at": time.strftime("%Y-%m-%d %H:%M"),
    }  # fmt: skip


HEADS = [
    "benchmark",
    "rank of the classic answer, by seed",
    "median",
    "of a variant, by seed",
    "first answer proved",
    "CPU seconds, median",
    "worst",
    "first at the first seed",
    "paper rank",
]


def describe(found: list[Found]) -> list[str]:
    """The cells of one benchmark by one method."""
    totals = sorted(row["cpu"] for row in found)
    return [
        " ".join(str(row["rank"] or "-") for row in found),
        f"{median(row['rank'] or 99 for row in found):g}",
        " ".join(str(row["variant"] or "-") for row in found),
        f"{sum(row['prover'] == 'proved' for row in found)} of {len(found)}",
        f"{totals[len(totals) // 2]:.1f}",
        f"{totals[-1]:.1f}",
        found[0]["best"],
    ]


def write_golden(found: dict[tuple[str, str, int], Found]) -> None:
    """The ranks that were found, among those of other seeds."""
    known = json.loads(RANKS.read_text())
    for (method, name, seed), row in found.items():
        if method == "paper":
            known[name][str(seed)] = [row["rank"], row["variant"]]
    ordered = {name: dict(sorted(known[name].items(), key=lambda item: int(item[0]))) for name in GALLERY}
    RANKS.write_text(json.dumps(ordered, indent=1) + "\n")
