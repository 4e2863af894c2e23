"""From a verdict to a program that is handed out: nothing leaves as private that is not proved to be."""

from __future__ import annotations

from dataclasses import replace

from kolahal.checking import check
from kolahal.emission.program import PYTHON, OffGrid
from kolahal.emission.program import emit as write
from kolahal.emission.promise import BOUNDED, NOTHING, PROVED, Promise
from kolahal.errors import UsageError
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.proof.online import find_turns
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown, Verdict, describe_verdict

NOBODY = Unknown("nobody has checked it")
FORCE = "`kolahal emit --force`, or force=True in Python, writes it all the same, under a title that says that nothing is claimed"


class Withheld(UsageError):
    """A program that is not handed out, because it would look private."""


def promise_of(verdict: Verdict, private: str = "the input") -> Promise:
    """What a program may say of itself, given a verdict."""
    text = f"{describe_verdict(verdict, private)}."
    match verdict:
        case Proved(certificate, _, assumed):
            return Promise(PROVED, text, certificate, assumed)
        case Bounded(certificate, bounds):
            return Promise(BOUNDED, text, certificate, (), bounds.size, bounds.values)
        case _:
            return Promise(NOTHING, text)


def why_withheld(verdict: Verdict, name: str, force: bool = False) -> str:
    """Why a program with this verdict is not written, and what to do; nothing, if it is."""
    if isinstance(verdict, Unknown) and verdict.defect:
        return f"{name} is not written, with or without --force: what is known of it contradicts itself"
    if force or isinstance(verdict, Proved | Bounded):
        return ""
    fault = "it is refuted" if isinstance(verdict, Refuted) else "it is neither proved nor refuted"
    return f"{name} is not written, because {fault}. {FORCE}"


def emit(
    mechanism: Mechanism | Sketch,
    verdict: Verdict | None = None,
    claim: str = "",
    command: str | None = None,
    force: bool = False,
    backend: str = PYTHON,
    online: bool = False,
) -> str:
    """`mechanism` as a Python file that stands alone, with exact noise, and with what is known of it in words.

    Without a `verdict` it is checked first. A program that is not proved, or not within bounds, is refused; with `force`
    it is written, and says that nothing is claimed about its privacy. The file refuses whatever a proof does not cover.
    With `online` it also has a class that is asked one answer at a time; that needs a proof that allows it, with or without force.
    """
    program = mechanism if isinstance(mechanism, Sketch) else mechanism.filled()
    if verdict is None:
        verdict = check(mechanism, claim).verdict
    if reason := why_withheld(verdict, program.name, force):
        raise Withheld(f"{reason}.")
    promise = promise_of(verdict, program.private.name)
    turns = find_turns(program, verdict) if online else None
    try:
        return write(mechanism, promise, command, claim, backend, turns)
    except OffGrid as error:
        if not force or online:
            raise Withheld(f"{error}\n{FORCE}.") from None
        return write(mechanism, replace(promise, kind=NOTHING, certificate=None), command, claim, backend)
