"""What `kolahal tune` gains: the textbook's scales and the tuned ones, for the gallery and for programs over records, as a table."""

from __future__ import annotations

import time

from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.report.text import table
from kolahal.results import describe_completion
from kolahal.roads.tune import find_tuning
from kolahal.settings import Settings
from kolahal.sketches.gallery import NAMES, load_one
from kolahal.verdicts import Unknown, name_verdict, scope_of

SLOW = True  # some minutes
AT: dict[str, dict[str, object]] = {"svt": {"N": 10}, "smart_sum": {"M": 10}}  # beside 100 answers and the usual budget

HEAD = """
class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]

@sketch(adjacent=add_remove(1))
"""
RECORDS = {
    "mean of clipped ages": '''def mean_age(visits: Records[Visit], eps: Epsilon):
    total = sum(clip(v.age, 0, 100) for v in visits if v.kind == "new") + Lap(hole)
    count = sum(1 for v in visits if v.kind == "new") + Lap(hole)
    return total / max(count, 1)
''',
    "sum of ages and two counts": '''def three(visits: Records[Visit], eps: Epsilon):
    total = sum(clip(v.age, 0, 100) for v in visits) + Lap(hole)
    count = sum(1 for v in visits) + Lap(hole)
    fresh = sum(1 for v in visits if v.kind == "new") + Lap(hole)
    return total, count, fresh
''',
    "five releases": '''def five(visits: Records[Visit], eps: Epsilon):
    total = sum(clip(v.age, 0, 100) for v in visits) + Lap(hole)
    young = sum(clip(v.age, 0, 20) for v in visits) + Lap(hole)
    count = sum(1 for v in visits) + Lap(hole)
    fresh = sum(1 for v in visits if v.kind == "new") + Lap(hole)
    days = sum(v.day for v in visits) + Lap(hole)
    return total, young, count, fresh, days
''',
}


def row(name: str, sketch: Sketch, at: dict[str, object]) -> list[str]:
    start = time.process_time()
    found = find_tuning(sketch, at, None, Settings(), "")
    seconds = f"{time.process_time() - start:.1f}"
    if isinstance(found, Unknown):
        return [name, "", "", "", "", "", found.reason, seconds]
    errors = [f"{m.error:.3g}" for m in (found.textbook, found.tuned)]
    off = f" ± {found.uncertainty:.1g}" if found.runs else ""
    verdict = f"{name_verdict(found.tuned.verdict)}, {scope_of(found.tuned.verdict)}"
    scales = [describe_completion(m.completion) for m in (found.textbook, found.tuned)]
    return [name, scales[0], errors[0], scales[1], errors[1], f"{found.ratio:.3f}{off}", verdict, seconds]


def main() -> None:
    rows = [row(name, load_one(name), AT.get(name, {})) for name in NAMES]
    rows += [row(name, parse(HEAD + text), {}) for name, text in RECORDS.items()]
    print(table(["sketch", "textbook", "error", "tuned", "error", "ratio", "verdict", "CPU s"], rows))
