"""`kolahal batch`: many mechanisms in one go."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from kolahal import __version__
from kolahal.cli.base import (
    BOUNDED,
    DEFECT,
    INTERRUPTED,
    MISTAKE,
    PROVED,
    REFUTED,
    UNKNOWN,
    cli,
    complete_target,
    finish,
    limits,
    processes,
    seed,
    width,
    write_files,
)
from kolahal.cli.ends import echo_json
from kolahal.cli.files import OutFile, OutFolder, write_file
from kolahal.errors import UsageError
from kolahal.settings import Settings

if TYPE_CHECKING:
    from kolahal.batch import Entry, Job
    from kolahal.batch.run import Attempt, OnEnd
    from kolahal.limits import Limits

# What a verdict means for the exit code, worst first: one broken mechanism outweighs all else.
CODES = {
    "refuted": REFUTED,
    "nothing found": REFUTED,
    "defect": DEFECT,
    "failed": DEFECT,
    "mistake": MISTAKE,
    "unknown": UNKNOWN,
    "bounded": BOUNDED,
    "proved": PROVED,
}
WIDEST = 60  # characters of a summary in the table
RESULTS, SUMMARY = "results.jsonl", "summary.txt"


@cli.command()
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True, shell_complete=complete_target)
@click.option("--check", "action", flag_value="check", help="Check everything; a sketch with holes is a mistake.")
@click.option("--synth", "action", flag_value="synth", help="Synthesize everything; one without holes is a mistake.")
@click.option("--eps-claim", "claim", default="", help="The claimed privacy level of what is checked.")
@click.option("--method", default="auto", show_default=True, help="How to synthesize.")
@click.option(
    "--out",
    type=OutFolder(),
    help="Keep a journal and the results there; the same command goes on where an interrupted one ended.",
)
@click.option("--pass-over", is_flag=True, help="Pass over files without a sketch, as in folders and patterns.")
@click.option("--retry", is_flag=True, help="Do again what failed or was stopped at a limit.")
@click.option("--cluster", metavar="ADDRESS", help="Use the workers of a running Dask scheduler.")
@limits(seconds=600, memory=4096)
@click.option("--allow-unknown", is_flag=True, help="Unknown is no failure.")
@click.option("--allow-bounded", is_flag=True, help="Bounded is no failure.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line a job.")
@click.option("--sarif", type=OutFile(), help="Also write what is wrong, faults included, as one SARIF 2.1.0 document.")
@seed
@processes
def batch(
    targets: tuple[str, ...],
    action: str | None,
    claim: str,
    method: str,
    out: Path | None,
    pass_over: bool,
    retry: bool,
    cluster: str | None,
    limit: Limits,
    allow_unknown: bool,
    allow_bounded: bool,
    as_json: bool,
    sarif: Path | None,
    seed: int,
    count: int | None,
) -> None:
    """Check or synthesize many mechanisms: names of the gallery or `gallery` for all of it, files, folders, patterns.

    A sketch with holes is synthesized, one without is checked. Exit code: 1 if any is refuted, else 70 if any failed by
    a defect of ours, else 2 if any is a mistake, else 3 if any is unknown, else 4 if any is bounded, else 0.
    """
    from kolahal.batch import Journal, Wish, find_jobs, run_jobs
    from kolahal.workers import connect

    start = time.monotonic()
    jobs = find_jobs(targets, Wish(action or "auto", claim, method, Settings(seed=seed)), pass_over)
    if not jobs and pass_over:
        _write_sarif(sarif, jobs, ())
        return
    if not jobs:
        raise UsageError(f"there is no sketch in {', '.join(targets)}")
    executor, slots = (None, count) if cluster is None else connect(cluster)
    with nullcontext() if out is None else Journal(out) as journal:
        for repair in journal.repairs if journal else ():
            click.echo(repair, err=True)
        ended: list[Entry] = []
        try:
            with _watching(len(jobs), ended) as watch:
                entries = run_jobs(jobs, executor, slots, limit, journal, retry, watch)
        except KeyboardInterrupt:
            _interrupted(ended, len(jobs), time.monotonic() - start, as_json, out)
        lines, seconds = _lines(entries), time.monotonic() - start
        if out is not None:
            write_files(out, {RESULTS: "".join(lines), SUMMARY: _table(entries, seconds)})
    _write_sarif(sarif, jobs, entries)
    if as_json:
        echo_json("".join(lines), nl=False)
    else:
        click.echo(_table(entries, seconds, width()) + "".join(map(_details, entries)), nl=False)
    allowed = {"unknown"} if allow_unknown else set()
    finish(_code(entries, allowed | ({"bounded"} if allow_bounded else set())))


def _write_sarif(file: Path | None, jobs: Sequence[Job], entries: Sequence[Entry]) -> None:
    from kolahal.cli.remarks import batch_remarks
    from kolahal.report.json import dump
    from kolahal.report.sarif import sarif_document

    if file is not None:
        write_file(file, dump(sarif_document(batch_remarks(jobs, entries, _details), __version__)) + "\n")


def _interrupted(ended: Sequence[Entry], jobs: int, seconds: float, as_json: bool, out: Path | None) -> NoReturn:
    """What was found until Ctrl-C."""
    on = "" if out is None else "; the same command goes on from there"
    click.echo(f"Interrupted: {len(ended)} of {jobs} jobs have ended{on}.", err=True)
    if as_json:
        echo_json("".join(_lines(ended)), nl=False)
    elif ended:
        click.echo(_table(ended, seconds, width()) + "".join(map(_details, ended)), nl=False)
    finish(INTERRUPTED)


def _code(entries: Sequence[Entry], allowed: set[str]) -> int:
    found = {_kind(entry.record) for entry in entries} - allowed
    return next((code for verdict, code in CODES.items() if verdict in found), PROVED)


def _kind(record: dict[str, Any]) -> str:
    """The verdict of a record; one that is a defect of ours is no verdict that can be allowed."""
    result = record.get("result") or {}
    best = result.get("best")
    told = result["candidates"][best - 1] if best else result
    return "defect" if told.get("defect") else str(record["verdict"])


def _lines(entries: Sequence[Entry]) -> list[str]:
    from kolahal.batch.journal import encoded, one_line

    return [encoded(one_line(entry.record)).decode() + "\n" for entry in entries]


def _table(entries: Sequence[Entry], seconds: float, most: int | None = None) -> str:
    from kolahal.report.text import table

    rows = [
        [
            entry.record["target"],
            entry.record["action"],
            entry.record["verdict"],
            f"{entry.seconds:.1f}",
            _short(entry.record["summary"]),
        ]
        for entry in entries
    ]
    counts = Counter(entry.record["verdict"] for entry in entries)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in reversed(CODES) if counts[verdict])
    text = table(["target", "action", "verdict", "seconds", ""], rows, most)
    return f"{text}\n\n{len(entries)} jobs in {seconds:.1f} s: {told}\n"


def _short(summary: str) -> str:
    line = summary.strip().split("\n")[0]
    return line if len(line) <= WIDEST else line[: WIDEST - 1] + "…"


def _details(entry: Entry) -> str:
    """Why a checked mechanism is refuted, and what is wrong with what is no mechanism."""
    record = entry.record
    if record["verdict"] in ("mistake", "failed"):
        return f"\n{record['target']}, {record['verdict']}:\n{record['summary'].strip()}\n"
    if record["verdict"] != "refuted" or record["action"] != "check":
        return ""
    found: dict[str, Any] = record["result"]["counterexample"]
    delta = [("δ", found["delta"])] if "delta" in found else []
    values = [(found.get("symbol", "ε"), found["epsilon"]), *delta, *found["arguments"].items()]
    given = ", ".join(f"{name} = {value:g}" for name, value in values)
    lines = [
        f"\n{record['target']} is not {record['result']['claim']}-private. With {given}, take the neighbours",
        f"  d1 = {found['d1']}",
        f"  d2 = {found['d2']}",
        f"and the event that {found['event']}. Its probability is",
        "  between {:.6g} and {:.6g} on d1".format(*found["p1"]),
        "  between {:.6g} and {:.6g} on d2".format(*found["p2"]),
    ]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- progress


@contextmanager
def _watching(total: int, ended: list[Entry]) -> Iterator[OnEnd]:
    """Progress on standard error: a bar and what goes on, on a terminal; elsewhere a line for each job that ended.

    What has ended is also put into `ended`.
    """
    if sys.stderr is None or not sys.stderr.isatty():

        def tell(entry: Entry | None, running: Sequence[Attempt]) -> None:
            if entry is not None:
                ended.append(entry)
                words = f"{entry.record['target']}: {entry.record['verdict']} ({entry.seconds:.1f} s)"
                click.echo(f"[{len(ended)} of {total}] {words}", err=True)

        yield tell
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=total)

        def show(entry: Entry | None, running: Sequence[Attempt]) -> None:
            now = time.monotonic()
            ended.extend(() if entry is None else (entry,))
            going = [f"{attempt.job.target} {now - attempt.start:.0f} s" for attempt in running]
            bar.update(task, advance=entry is not None, description=", ".join(going[:3]))

        yield show
