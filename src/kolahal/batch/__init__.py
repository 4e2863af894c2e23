"""Many mechanisms in one go, with a journal from which an interrupted run goes on."""

from kolahal.batch.jobs import Job, Wish, find_jobs
from kolahal.batch.journal import Entry, Journal
from kolahal.batch.run import run_jobs
from kolahal.limits import Limits

__all__ = ["Entry", "Job", "Journal", "Limits", "Wish", "find_jobs", "run_jobs"]
