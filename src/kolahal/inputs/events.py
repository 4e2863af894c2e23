"""Events that are worth trying beside a given one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from kolahal.model import AllOf, Equals, Event, Linear, Within


def moved_events(event: Event, step: Fraction) -> Iterator[Event]:
    """Events whose bounds are a step away."""
    match event:
        case Within(low, high):
            for shift in (step, -step):
                if low is not None and (high is None or low + shift <= high):
                    yield Within(low + shift, high)
                if high is not None and (low is None or low <= high + shift):
                    yield Within(low, high + shift)
        case AllOf(events):
            for place, part in enumerate(events):
                for other in moved_events(part, step):
                    assert isinstance(other, Within)
                    yield AllOf((*events[:place], other, *events[place + 1 :]))
        case Linear(weights, low):
            yield Linear(weights, low + step)
            yield Linear(weights, low - step)
        case Equals() | _:
            return
