"""The order of completions by their expected errors."""

from __future__ import annotations

from collections.abc import Iterable

from kolahal.engine.accuracy import SHARE
from kolahal.model import Ranked

SURE = 1.01  # how near errors are taken for equal: what the simulation is sure of
ALIKE = 1.2  # and how near shares of wrong outputs over several lengths, which depend on the inputs, and those are made up


def in_order(ranked: Iterable[Ranked], unit: str) -> tuple[Ranked, ...]:
    """The least error first; of those that are as good as the least, the one with the least noise."""
    waiting = sorted(ranked, key=lambda r: r.score.error)
    found: list[Ranked] = []
    while waiting:
        most = waiting[0].score.error * (ALIKE if unit == SHARE and len(waiting[0].errors) > 1 else SURE)
        alike = [r for r in waiting if r.score.error <= most]
        found += sorted(alike, key=lambda r: round(r.score.noise, 6))  # and then the least error, as they stand
        waiting = waiting[len(alike) :]
    return tuple(found)
