"""The visits up to each day, from noisy days and noisy blocks of days (smart sums: Chan, Shi and Song 2011).

A visit is on one day and in one block, so 1/η1 + 1/η2 ≤ ε for any number of days.
"""

from typing import NamedTuple

from kolahal import Between, Epsilon, Lap, Records, add_remove, hole, sketch


class Visit(NamedTuple):
    day: Between(0, 365, whole=True)


@sketch(adjacent=add_remove(1))
def visits_so_far(visits: Records[Visit], days: int, M: int, eps: Epsilon):
    """Running sums over `days` days; the days of a full block of M are counted again, with one draw."""
    counts = [sum(1 for v in visits if v.day == day) for day in range(days)]
    sums = []
    before, block, since = 0, 0, 0
    for day in range(days):
        block = block + counts[day]
        if (day + 1) % M == 0:
            before = before + block + Lap(hole)
            block, since = 0, 0
        else:
            since = since + counts[day] + Lap(hole)
        sums.append(before + since)
    return sums
