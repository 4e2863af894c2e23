"""One job → its record. The same job gives the same record, to the last byte, wherever and whenever it is done."""

from __future__ import annotations

from typing import Any

from kolahal import later
from kolahal.batch.jobs import Job
from kolahal.checking import check, parse_claim, refutation_of
from kolahal.engine import jit
from kolahal.errors import KolahalError, UsageError
from kolahal.lang.claims import print_claim
from kolahal.lang.sketch import Sketch
from kolahal.model import describe_event, show
from kolahal.report.json import as_plain, check_document, synthesis_document
from kolahal.results import describe_completion
from kolahal.roads.methods import synthesize
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown, Verdict, name_verdict

later.load_all()  # once, and not in each fork

NOTHING, MISTAKE, FAILED = "nothing found", "mistake", "failed"
jit.available()  # asked here, so that a worker loads the compiler once, and not in the fork of every job


def judge_job(job: Job) -> dict[str, Any]:
    """The record of a job; what goes wrong with it is its result."""
    if job.sketch is None:
        return refused(job, MISTAKE, job.mistake)
    try:
        return _check(job, job.sketch) if job.action == "check" else _synthesize(job, job.sketch)
    except KolahalError as error:
        return refused(job, MISTAKE, str(error))
    except MemoryError:
        raise  # a limit, and not a fault
    except Exception as error:
        if "out of memory" in str(error):  # as the solver says it
            raise MemoryError from error
        return refused(job, FAILED, f"{type(error).__name__}: {error}")


def refused(job: Job, verdict: str, why: str) -> dict[str, Any]:
    """The record of a job without a result."""
    return {**job.head(), "verdict": verdict, "summary": why, "result": None}


def _check(job: Job, sketch: Sketch) -> dict[str, Any]:
    claim = parse_claim(sketch, job.wish.claim)
    found = check(sketch, job.wish.claim, job.wish.settings)
    document = {**check_document(found, refutation_of(found)), "sketch": sketch.name, "claim": print_claim(sketch, claim), "program": str(sketch)}
    return _record(job, _name(found.verdict), _summary(found.verdict), document)


def _synthesize(job: Job, sketch: Sketch) -> dict[str, Any]:
    if not sketch.holes:
        raise UsageError(f"{sketch.name} has no holes: there is nothing to find")
    found = synthesize(sketch, job.wish.settings, job.wish.method)
    document = synthesis_document(found, {}, job.wish.version)
    del document["seconds"]  # not the same in every run
    if found.best is None:
        return _record(job, NOTHING, "no private completion was found", document)
    best = found.best
    words = f"{describe_completion(best.ranked.completion)}: {_summary(best.verdict)}"
    return _record(job, _name(best.verdict), words, document)


def _name(verdict: Verdict) -> str:
    """What is unknown because we contradict ourselves has failed."""
    return FAILED if isinstance(verdict, Unknown) and verdict.defect else name_verdict(verdict)


def _summary(verdict: Verdict) -> str:
    match verdict:
        case Proved(scope=scope) | Bounded(scope=scope):
            return str(scope)
        case Refuted(example=example):
            event = describe_event(example.event)
            return f"{event}, on d1 = {show(example.d1)} and d2 = {show(example.d2)}"
        case Unknown(reason):
            return reason


def _record(job: Job, verdict: str, summary: str, document: dict[str, Any]) -> dict[str, Any]:
    return {**job.head(), "verdict": verdict, "summary": summary, "result": as_plain(document)}
