"""Work that is counted, so that a search which takes too long ends at the same place on every machine.

Whoever does work that may explode says how much it is, in steps of some ten microseconds; whoever starts a search says how
many it may take. Nothing is counted where nobody asked for a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")


class OutOfSteps(Exception):
    """A search took as many steps as it may."""


class _Meter:
    def __init__(self, left: int):
        self.left = left


_METERS: ContextVar[tuple[_Meter, ...]] = ContextVar("meters", default=())


def take_steps(steps: int) -> None:
    """Say that work of so many steps is done; raises OutOfSteps where that is more than a search may take."""
    for meter in _METERS.get():
        meter.left -= steps
        if meter.left < 0:
            raise OutOfSteps


@contextmanager
def limited(steps: int | None) -> Iterator[None]:
    """Whatever is done here ends with OutOfSteps after so many steps, or those of a wider limit; None is no limit at all,
    for what must be finished."""
    token = _METERS.set(() if steps is None else (*_METERS.get(), _Meter(steps)))
    try:
        yield
    finally:
        _METERS.reset(token)


def within(steps: int, search: Callable[[T], T], otherwise: T) -> T:
    """What a search makes of something, or that itself if it takes more than so many steps."""
    try:
        with limited(steps):
            return search(otherwise)
    except OutOfSteps:
        return otherwise
