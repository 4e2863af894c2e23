"""What a job may take, and how it may end before it is done."""

from __future__ import annotations

from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a job may take; None is no limit."""

    seconds: float | None = None
    memory: int | None = None  # MiB of address space, beyond what a worker without a job has


class Stopped(Exception):
    """A job passed one of its limits."""


class WorkerDied(Exception):
    """The process of a job ended before the job did."""
