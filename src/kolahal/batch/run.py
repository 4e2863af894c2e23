"""Jobs → records, by any executor: in what order they end, and how often a worker died, does not show in them."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any

from kolahal import workers
from kolahal.batch.jobs import Job
from kolahal.batch.journal import Entry, Journal
from kolahal.batch.judging import FAILED, judge_job, refused
from kolahal.errors import UsageError
from kolahal.limits import Limits, Stopped
from kolahal.nouns import dataclass

UNLIMITED = Limits()
ATTEMPTS = 2  # a job whose worker dies is done once more
TICK = 0.25  # seconds between two looks at the clock


@dataclass(slots=True)
class Attempt:
    """A job that is being done."""

    job: Job
    number: int
    start: float


OnEnd = Callable[[Entry | None, Sequence[Attempt]], None]  # hears of what ended, and at times of what goes on


def run_jobs(
    jobs: Sequence[Job],
    executor: Executor | None = None,
    slots: int | None = None,
    limits: Limits = UNLIMITED,
    journal: Journal | None = None,
    retry: bool = False,
    watch: OnEnd = lambda ended, running: None,
) -> list[Entry]:
    """An entry for each job, in the order of the jobs; those that stand in the journal are not done again.

    Without an executor the jobs are done by `slots` processes on this machine, one a core if nothing is said.
    `retry` does again what failed or was stopped at a limit.
    """
    slots = slots or os.cpu_count() or 1
    entries = {} if journal is None else _finished(jobs, journal, limits, retry)
    waiting = deque(Attempt(job, 1, 0.0) for job in _dearest_first(jobs) if job.name not in entries)
    pool = executor or ThreadPoolExecutor(slots)
    running: dict[Future[dict[str, Any]], Attempt] = {}

    def keep(entry: Entry) -> None:
        entries[entry.job] = entry
        if journal is not None:
            journal.add(entry)
        watch(entry, tuple(running.values()))

    try:
        while waiting or running:
            while waiting and len(running) < slots:
                attempt = waiting.popleft()
                attempt.start = time.monotonic()
                if attempt.job.sketch is None:  # there is nothing to do but to tell the mistake
                    keep(Entry(judge_job(attempt.job), 0.0))
                else:
                    running[_submit(pool, limits, attempt.job)] = attempt
            done, _ = wait(running, TICK, FIRST_COMPLETED)
            for future in done:
                attempt = running.pop(future)
                entry = _conclude(future, attempt, limits)
                if entry is None:
                    waiting.appendleft(Attempt(attempt.job, attempt.number + 1, 0.0))
                else:
                    keep(entry)
            if not done:
                watch(None, tuple(running.values()))
    finally:
        for future in running:
            future.cancel()
        if executor is None:
            workers.stop()  # before the threads that wait for them
            pool.shutdown()
    return [entries[job.name] for job in jobs]


def _finished(jobs: Sequence[Job], journal: Journal, limits: Limits, retry: bool) -> dict[str, Entry]:
    """What the journal holds of these jobs, but for what other limits may change."""

    def stands(entry: Entry) -> bool:
        if entry.stopped and entry.stopped != _describe(limits):
            return False
        return not (retry and (entry.stopped or entry.record["verdict"] == FAILED))

    found: Mapping[str, Entry] = journal.entries
    return {job.name: found[job.name] for job in jobs if job.name in found and stands(found[job.name])}


def _dearest_first(jobs: Sequence[Job]) -> list[Job]:
    """Those with most holes first: a long job that starts last keeps the other workers waiting."""
    return sorted(jobs, key=lambda job: -len(job.sketch.holes) if job.sketch is not None else 0)


def _submit(pool: Executor, limits: Limits, job: Job) -> Future[dict[str, Any]]:
    try:
        return pool.submit(workers.call, limits, judge_job, job)
    except Exception as error:  # the pool is broken, or the cluster is gone
        raise UsageError(f"the workers are lost ({error}); the same command goes on where this one ended") from error


def _conclude(future: Future[dict[str, Any]], attempt: Attempt, limits: Limits) -> Entry | None:
    """The entry of an attempt that ended, or None if it is to be done again."""
    seconds = round(time.monotonic() - attempt.start, 3)
    try:
        return Entry(future.result(), seconds, attempt.number)
    except Stopped as stopped:
        return Entry(refused(attempt.job, "unknown", str(stopped)), seconds, attempt.number, _describe(limits))
    except Exception as error:  # a job tells of its own faults, so this is one of its worker
        if attempt.number < ATTEMPTS:
            return None
        why = f"its worker died {ATTEMPTS} times: {error}"
        return Entry(refused(attempt.job, FAILED, why), seconds, attempt.number)


def _describe(limits: Limits) -> str:
    return f"{limits.seconds} s, {limits.memory} MiB"
