"""The order of completions by their expected errors, and the lengths at which that order changes."""

from __future__ import annotations

import math
from collections.abc import Iterable

from kolahal.engine.accuracy import SHARE
from kolahal.model import Ranked

ALIKE = {SHARE: 1.25}  # shares of wrong outputs depend on the inputs, which are made up: this near, no completion is better
TINY = 1e-12  # in place of an error of 0
SURE = 1.01  # how near distances are taken for equal: what the simulation is sure of


def in_order(ranked: Iterable[Ranked], unit: str) -> tuple[Ranked, ...]:
    """The least error first; of those that are as good as the least, the one with the least noise."""
    waiting = sorted(ranked, key=lambda r: r.score.error)
    found: list[Ranked] = []
    while waiting:
        most = waiting[0].score.error * ALIKE.get(unit, SURE)
        alike = [r for r in waiting if r.score.error <= most]
        found += sorted(alike, key=lambda r: round(r.score.noise, 6))  # and then the least error, as they stand
        waiting = waiting[len(alike) :]
    return tuple(found)


def crossing(first: Ranked, other: Ranked) -> float | None:
    """The length from which on the first errs less than another one that errs less where answers are few.

    Between two lengths that were looked at, errors are taken for powers of the length.
    """
    lengths = [length for length, _ in first.errors]
    gaps = [math.log(max(b, TINY) / max(a, TINY)) for (_, a), (_, b) in zip(first.errors, other.errors)]
    for place in range(1, len(gaps)):
        if gaps[place - 1] < 0 <= gaps[place]:
            part = gaps[place - 1] / (gaps[place - 1] - gaps[place])
            return math.exp(math.log(lengths[place - 1]) + part * math.log(lengths[place] / lengths[place - 1]))
    return None
