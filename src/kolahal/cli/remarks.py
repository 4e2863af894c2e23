"""What `check` and `batch` found, as remarks for SARIF."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kolahal.lang.sketch import Sketch
from kolahal.report.sarif import Remark

if TYPE_CHECKING:
    from kolahal.batch import Entry, Job
    from kolahal.results import Check

FAULT = re.compile(r"(?P<path>.*?)(:(?P<line>\d+):(?P<column>\d+))?: error (?P<code>K\d+): (?P<text>.*)", re.DOTALL)
FINE = "proved"


def fault_remarks(target: str, told: str) -> list[Remark]:
    """The faults of a text, from what a user reads of them; each begins with its place."""
    found = []
    for block in told.strip().split("\n\n"):
        fault = FAULT.fullmatch(block)
        if fault is None:
            found.append(Remark(target.partition(".py:")[0] + ".py" * (".py:" in target), 0, 0, 0, "mistake", block))
            continue
        what, *rest = fault["text"].split("\n")
        words = [what, *(line.strip() for line in rest if line.startswith("  ") and not line.startswith("    "))]
        line, column = int(fault["line"] or 0), int(fault["column"] or 0)
        found.append(Remark(fault["path"], line, column, column + 1, fault["code"], "\n".join(words)))
    return found


def check_remarks(sketch: Sketch, found: Check) -> list[Remark]:
    """A verdict that is no proof, at the name of the mechanism."""
    from kolahal.report.text import render_check
    from kolahal.verdicts import name_verdict

    name = name_verdict(found.verdict)
    return [] if name == FINE else [_at_name(sketch, name, render_check(sketch, found))]


def batch_remarks(jobs: Sequence[Job], entries: Sequence[Entry], details: Callable[[Entry], str]) -> list[Remark]:
    """All that is wrong with the mechanisms of a batch."""
    by_name = {job.name: job for job in jobs}
    found: list[Remark] = []
    for entry in entries:
        verdict, job = str(entry.record["verdict"]), by_name[entry.record["job"]]
        if job.sketch is None:
            found += fault_remarks(job.target, job.mistake)
        elif verdict != FINE:
            name = "refuted" if verdict == "nothing found" else verdict
            found.append(_at_name(job.sketch, name, details(entry).strip() or f"{verdict}: {entry.record['summary']}"))
    return list(dict.fromkeys(found))


def _at_name(sketch: Sketch, code: str, text: str) -> Remark:
    from kolahal.editor.findings import key_of
    from kolahal.editor.fixes import name_place

    assert sketch.source is not None, "it was read from a file"
    place = name_place(sketch.source, sketch)
    line, columns = place.line + 1, (place.column + 1, place.end_column + 1)
    return Remark(sketch.source.path, line, *columns, code, text.strip(), key_of(sketch))
