from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], eps: Epsilon):
    counts = [0] * 6
    for v in visits:
        counts[v.day] += 1  # K170
    return [c + Lap(hole) for c in counts]


@sketch(adjacent=add_remove(1))
def g(visits: Records[Visit], eps: Epsilon):
    total = 0
    for v in visits:
        total[v.day] += 1  # K170
    return total + Lap(hole)
