"""What is found out about the mechanisms of the literature: truth, verdict, seconds and reason of each, and totals.

Each has a process of its own and 20 seconds of its processor's time, so that a busy machine changes nothing. `python -m
bench.literature` takes some minutes; words choose programs whose names contain them.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from tests.known.literature.literature_table import BROKEN, ENTRIES, PRIVATE, TRUTHS, Entry, sketches_of

from kolahal.checking import check, parse_claim
from kolahal.limits import Limits, Stopped, WorkerDied
from kolahal.proof.find.lengths import prove_every_length
from kolahal.report.text import table
from kolahal.verdicts import Refuted, Unknown, name_verdict
from kolahal.workers import call, stop

SLOW = True
SECONDS = 20.0  # of the processor
PATIENCE = 8  # times as long by the clock
KINDS = ("proved", "bounded", "unknown", "refuted", "failed")


def judge(path: Path, name: str, claim: str) -> tuple[str, float, str]:
    """The verdict on a program, in a word, its seconds, and what it says."""
    start = time.process_time()
    verdict = check(sketches_of(path)[name], claim).verdict
    seconds = time.process_time() - start
    if seconds > SECONDS:
        return "unknown", seconds, f"stopped at its limit of {SECONDS:g} s"
    if isinstance(verdict, Unknown) and verdict.defect:
        return "failed", seconds, verdict.reason
    match verdict:
        case Unknown(reason):
            said = reason
        case Refuted(example):
            said = str(example)
        case _:
            said = str(verdict.scope)
    return name_verdict(verdict), seconds, said


def why_not_longer(path: Path, name: str, claim: str) -> str:
    """Why there is no proof for every length."""
    sketch = sketches_of(path)[name]
    found = prove_every_length(sketch, parse_claim(sketch, claim))
    return found.reason if isinstance(found, Unknown) else "there is one, found without the law"


def judge_within(entry: Entry) -> tuple[str, float, str]:
    """The same within the limit; what passes it is unknown."""
    job = (entry.path, entry.name, entry.claim)
    try:
        verdict, seconds, said = call(Limits(SECONDS * PATIENCE), judge, *job)
    except (Stopped, WorkerDied) as error:
        verdict, seconds, said = "unknown", SECONDS, str(error)
    except Exception as error:  # a defect of ours: told, and counted
        return "failed", 0.0, f"{type(error).__name__}: {error}"
    if verdict == "bounded" or said.startswith("stopped"):
        try:
            said += f": {call(Limits(SECONDS * PATIENCE), why_not_longer, *job)}"
        except (Stopped, WorkerDied):
            said += ", and so is the prover for every length alone"
    return verdict, seconds, said


def main(wanted: tuple[str, ...] = ()) -> None:
    rows, counts = [], {truth: Counter[str]() for truth in TRUTHS}
    for entry in ENTRIES:
        if wanted and not any(word in str(entry) for word in wanted):
            continue
        verdict, seconds, said = judge_within(entry)
        counts[entry.truth][verdict] += 1
        (line, *_) = said.splitlines()
        rows.append([str(entry), entry.truth, verdict, f"{seconds:.1f}", line])
        print(" | ".join(rows[-1]), flush=True)
    stop()
    print("\n" + table(["program", "truth", "verdict", "seconds", "reason"], rows) + "\n")
    for truth, found in counts.items():
        print(f"{truth}: {found.total()} of {len(PRIVATE if truth == 'private' else BROKEN)}: "
              + ", ".join(f"{found[kind]} {kind}" for kind in KINDS))  # fmt: skip
    times = sorted(float(row[3]) for row in rows)
    if times:
        print(f"seconds: median {times[len(times) // 2]:.1f}, worst {times[-1]:.1f}, all {sum(times):.0f}")


if __name__ == "__main__":
    from bench.literature import main as run  # so that workers find what they are asked to do

    run(tuple(sys.argv[1:]))
