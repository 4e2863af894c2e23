"""The paper's four baselines on its nine benchmarks, each to its end or to a limit, against `--method paper`."""

from __future__ import annotations

import multiprocessing
import os
import time

from kolahal.evaluation import evaluate
from kolahal.report.text import table
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY

METHODS = os.environ.get("KOLAHAL_METHODS", "paper naive unlim lim noopt").split()
NAMES = os.environ.get("KOLAHAL_NAMES", " ".join(GALLERY)).split()
LIMIT = float(os.environ.get("KOLAHAL_LIMIT", "600"))  # seconds each
SLOW = True


def main() -> None:
    """A row a benchmark as soon as it is there: seconds, and rank of the classic answer; a dash is a limit that was passed."""
    print(f"one process each, at most {LIMIT:g} s; load of the machine {os.getloadavg()[0]:.1f}", flush=True)
    rows = []
    for name in NAMES:
        rows.append([GALLERY[name].paper_name, *(run(name, method) for method in METHODS), *GALLERY[name].baselines])
        print(" | ".join(rows[-1]), flush=True)
    heads = ["benchmark", *(f"{method}: s, rank" for method in METHODS), *(f"paper {m}" for m in ("naive", "unlim", "lim", "noopt"))]
    print("\n" + table(heads, rows))


def run(name: str, method: str) -> str:
    """Seconds and rank, or a dash."""
    found: multiprocessing.Queue[int | None] = multiprocessing.Queue()
    start = time.perf_counter()
    child = multiprocessing.Process(target=_rank, args=(name, method, found))
    child.start()
    child.join(LIMIT)
    if child.is_alive():
        child.terminate()
        return "-"
    return f"{time.perf_counter() - start:.1f}, {found.get(timeout=10) or '-'}" if child.exitcode == 0 else "failed"


def _rank(name: str, method: str, found: multiprocessing.Queue[int | None]) -> None:
    found.put(evaluate(name, method, Settings()).rank)
