"""The paper's four baselines on its nine benchmarks, each to its end or to a limit, against `--method paper`.

Results are kept in out/bench/baselines.jsonl as they come: stop it when you like, and it goes on from there. One process each,
two at a time. KOLAHAL_NAMES and KOLAHAL_METHODS choose, KOLAHAL_LIMIT is in CPU seconds each; what has passed a lower one
is done again.
"""

from __future__ import annotations

import os

from bench.kept import Found, run_all, within
from kolahal.evaluation import evaluate
from kolahal.report.text import table
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY

METHODS = os.environ.get("KOLAHAL_METHODS", "paper naive unlim lim noopt").split()
NAMES = os.environ.get("KOLAHAL_NAMES", " ".join(GALLERY)).split()
LIMIT = float(os.environ.get("KOLAHAL_LIMIT", "600"))
SLOW = True


def main() -> None:
    """CPU seconds, how many times those of `paper`, and the rank of the classic answer; "> 60" is a limit that was passed."""
    print(f"one process each, at most {LIMIT:g} CPU s; load of the machine {os.getloadavg()[0]:.1f}", flush=True)
    jobs = [(method, name) for name in NAMES for method in METHODS]
    found: dict[tuple[str, str], Found] = {}
    for (method, name), row in run_all("baselines", jobs, measure, LIMIT):
        found[str(method), str(name)] = row
        print(f"{method:6} {name:18} {cell(row, None)}", flush=True)
    rows = [
        [GALLERY[name].paper_name, *(cell(found[m, name], found.get(("paper", name))) for m in METHODS), *GALLERY[name].baselines]
        for name in NAMES
    ]
    heads = ["benchmark", *(f"{m}: CPU s, rank" for m in METHODS), *(f"paper {m}" for m in ("naive", "unlim", "lim", "noopt"))]
    print("\n" + table(heads, rows))


def measure(method: str, name: str) -> Found:
    return within(LIMIT, _rank, method, name)


def _rank(method: str, name: str) -> Found:
    row = evaluate(name, method, Settings())
    return {"rank": row.rank, "best": row.best}


def cell(row: Found, paper: Found | None) -> str:
    if "cpu" not in row:
        return "failed" if "failed" in row else f"> {row['limit']:g}"
    times = f" ({row['cpu'] / paper['cpu']:.1f}×)" if paper and "cpu" in paper and paper is not row else ""
    return f"{row['cpu']:.1f}{times}, {row['rank'] or '-'}"
