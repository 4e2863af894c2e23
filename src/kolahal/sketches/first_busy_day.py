"""The first day with more visits than a threshold: above threshold over daily counts.

Days are disjoint, so a visit moves one count alone: the threshold needs no noise, and each count 1/ε, instead of 2/ε and 4/ε.
"""

from typing import NamedTuple

from kolahal import Between, Epsilon, Lap, Records, add_remove, hole, sketch


class Visit(NamedTuple):
    day: Between(0, 6, whole=True)


@sketch(adjacent=add_remove(1))
def first_busy_day(visits: Records[Visit], T: float, eps: Epsilon):
    """The first day whose noisy count is above the threshold, or -1."""
    threshold = T + Lap(hole)
    for day in range(7):
        if sum(1 for v in visits if v.day == day) + Lap(hole) > threshold:
            return day
    return -1
