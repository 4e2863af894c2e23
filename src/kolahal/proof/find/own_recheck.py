"""A proof of ours that does not pass its own re-check. It is not given, so nobody is misled; but one of the two is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from kolahal.verdicts import Unknown

_NOTES: ContextVar[tuple[dict[str, None], ...]] = ContextVar("notes", default=())


def failed_recheck(what: str, faults: Sequence[str]) -> Unknown:
    """What is given instead of the proof; `--verbose` counts and shows it, and the tests make an error of it."""
    told = f"{what} did not pass its re-check: {faults[0]}"
    for notes in _NOTES.get():
        notes[told] = None
    return Unknown(told, failed_rechecks=(told,))


@contextmanager
def noted() -> Iterator[dict[str, None]]:
    """What fails its re-check in here, each once, whatever else is found afterwards."""
    notes: dict[str, None] = {}
    token = _NOTES.set((*_NOTES.get(), notes))
    try:
        yield notes
    finally:
        _NOTES.reset(token)
