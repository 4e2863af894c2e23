"""Results that are kept as they come, so that a sweep that was stopped goes on where it was."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("KOLAHAL_KEEP", "out/bench"))  # remove a file of it to begin anew
WORKERS = int(os.environ.get("KOLAHAL_WORKERS", "2"))
GRACE = 10  # seconds
Job = tuple[str | int, ...]
Found = dict[str, Any]


def seeds_of(text: str) -> list[int]:
    """"10" is 0 to 9; "5-9" and "4,7" are those."""
    if "-" in text:
        first, last = text.split("-")
        return list(range(int(first), int(last) + 1))
    return [int(part) for part in text.split(",")] if "," in text else list(range(int(text)))


def read(name: str) -> dict[Job, Found]:
    """What is known by job; of two results of one job the later."""
    path = FOLDER / f"{name}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return {tuple(row["job"]): row["found"] for row in map(json.loads, lines)}


def keep(name: str, job: Job, found: Found) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.jsonl").open("a") as file:
        file.write(json.dumps({"job": list(job), "found": found}) + "\n")


def run_all(
    name: str, jobs: Sequence[Job], function: Callable[..., Found], limit: float = 0
) -> Iterator[tuple[Job, Found]]:
    """Jobs in WORKERS processes, one each at a time; those that are known are not done again.

    What is known to have passed a lower limit than `limit` is.
    """
    known = {job: found for job, found in read(name).items() if found.get("limit", limit) >= limit}
    yield from ((job, known[job]) for job in jobs if job in known)
    with ProcessPoolExecutor(WORKERS) as pool:
        waiting = {pool.submit(function, *job): job for job in jobs if job not in known}
        for done in as_completed(waiting):
            job, found = waiting[done], done.result()
            keep(name, job, found)
            yield job, found


def within(limit: float, function: Callable[..., Found], *arguments: object) -> Found:
    """What a function finds in a process of its own, and its CPU seconds; or that it has passed that limit, or failed."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_send, args=(there, limit, function, arguments))
    child.start()
    there.close()
    try:
        found: Found = here.recv()
    except EOFError:
        child.join()
        found = {"limit": limit} if child.exitcode == -signal.SIGXCPU else {"failed": child.exitcode}
    child.join()
    return found


def _send(there: Connection, limit: float, function: Callable[..., Found], arguments: tuple[object, ...]) -> None:
    most = math.ceil(limit)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + GRACE))  # at the second one it is killed, and nobody knows why
    found = function(*arguments)
    there.send({**found, "cpu": round(cpu_seconds(), 2)})


def cpu_seconds() -> float:
    """Of this process and of those that it has started and that have ended."""
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)
