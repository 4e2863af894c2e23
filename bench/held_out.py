"""Ranks on sketches that are not the paper's, by the three methods. No setting and no rule was chosen with these in view.

Results are kept in out/bench/held_out.jsonl as they come: stop it when you like, and it goes on from there.
"""

from __future__ import annotations

import os

from bench.kept import Found, cpu_seconds, run_all, seeds_of
from bench.paper import HEADS, as_found, describe
from kolahal.evaluation import evaluate_sketch
from kolahal.lang.read.parse import parse
from kolahal.report.text import table
from kolahal.settings import Settings

METHODS = os.environ.get("KOLAHAL_METHODS", "paper exact auto").split()
SEEDS = seeds_of(os.environ.get("KOLAHAL_SEEDS", "1"))
SLOW = True

Answer = tuple[str | None, ...]
# the neighbours, the parameters between q and eps, the body, and the least noise that is private, from what is known of each
SKETCHES: dict[str, tuple[str, str, str, Answer]] = {
    "two_counts": ("each_within(1)", "", "return [q[0] + Lap(hole), q[1] + Lap(hole)]", ("2/eps", "2/eps")),
    "difference": ("each_within(1)", "", "return q[0] - q[1] + Lap(hole)", ("2/eps",)),
    "largest_value": ("each_within(1)", "", "return max(q) + Lap(hole)", ("1/eps",)),
    "is_above": ("each_within(1)", "T: float, ", "return q[0] + Lap(hole) > T", ("1/eps",)),
    "clipped_sum": ("one_within(5)", "", "return sum(min(max(x, 0), 1) for x in q) + Lap(hole)", ("1/eps",)),
    "wide_sum": ("one_within(3)", "", "return sum(q) + Lap(hole)", ("3/eps",)),
    "every_answer": ("each_within(1)", "", "return [x + Lap(hole) for x in q]", ("len(q)/eps",)),
    "sum_of_all": ("each_within(1)", "", "return sum(q) + Lap(hole)", ("len(q)/eps",)),
    "prefix_sums": (
        "one_within(1)",
        "",
        "s = 0\nout = []\nfor x in q:\n    s = s + x\n    out.append(s + Lap(hole))\nreturn out",
        ("len(q)/eps",),
    ),
    "noisy_min": (
        "each_within(1)",
        "",
        "best = 0\nplace = 0\ni = 1\nfor x in q:\n    y = x + Lap(hole)\n    if i == 1 or y < best:\n        best = y\n"
        "        place = i\n    i = i + 1\nreturn place",
        ("2/eps",),
    ),
    "noisy_max_one_way": (
        "monotone(1)",
        "",
        "best = 0\nplace = 0\ni = 1\nfor x in q:\n    y = x + Lap(hole)\n    if i == 1 or y > best:\n        best = y\n"
        "        place = i\n    i = i + 1\nreturn place",
        ("1/eps",),
    ),
    "first_below": (
        "each_within(1)",
        "T: float, ",
        "t = T + Lap(hole)\ni = 1\nfor x in q:\n    if x + Lap(hole) < t:\n        return i\n    i = i + 1\nreturn 0",
        ("2/eps", "4/eps"),
    ),
    "first_above_one_way": (
        "monotone(1)",
        "T: float, ",
        "t = T + Lap(hole)\ni = 1\nfor x in q:\n    if x + Lap(hole) > t:\n        return i\n    i = i + 1\nreturn 0",
        ("2/eps", "2/eps"),
    ),
}


def text_of(name: str) -> str:
    """The sketch as a program."""
    adjacent, given, body, _ = SKETCHES[name]
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"@sketch(adjacent={adjacent})\ndef {name}(q: Private, {given}eps: Epsilon):\n{lines}\n"


def main() -> None:
    print(f"two at a time, one process each; load of the machine {os.getloadavg()[0]:.1f}", flush=True)
    jobs = [(method, name, seed) for method in METHODS for name in SKETCHES for seed in SEEDS]
    found: dict[tuple[str, str, int], Found] = {}
    for (method, name, seed), row in run_all("held_out", jobs, measure):
        found[str(method), str(name), int(seed)] = row
        print(f"{method:6} {name:20} seed {seed}: rank {row['rank'] or '-'}, {row['cpu']:.1f} CPU s, {row['best']}, {row['prover']}", flush=True)
    for method in METHODS:
        rows = [[name, *describe([found[method, name, seed] for seed in SEEDS])] for name in SKETCHES]
        print(f"\nmethod {method}, seeds {' '.join(map(str, SEEDS))}\n\n{table(HEADS[:-1], rows)}\n", flush=True)


def measure(method: str, name: str, seed: int) -> Found:
    start = cpu_seconds()
    row = evaluate_sketch(parse(text_of(name)), (SKETCHES[name][-1],), method, Settings(seed=seed))
    return as_found(row, cpu_seconds() - start)
