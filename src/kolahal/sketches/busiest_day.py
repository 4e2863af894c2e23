"""The day with the most visits, by noisy max over bins: 1/ε, because one visit more moves all counts the same way.

Where counts may move against each other it is 2/ε.
"""

from typing import NamedTuple

from kolahal import Between, Epsilon, Lap, Records, add_remove, hole, sketch


class Visit(NamedTuple):
    day: Between(0, 6, whole=True)


@sketch(adjacent=add_remove(1))
def busiest_day(visits: Records[Visit], eps: Epsilon):
    """A day whose noisy count is the largest."""
    counts = [0] * 7
    for v in visits:
        counts[v.day] += 1
    best, highest = 0, 0
    for day in range(7):
        noisy = counts[day] + Lap(hole)
        if day == 0 or noisy > highest:
            best, highest = day, noisy
    return best
