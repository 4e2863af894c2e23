from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], eps: Epsilon):
    low = len(visits) + Lap(hole)
    while low > 0:
        low = sum(1 for v in visits if v.age > low) + Lap(hole)  # K175
    return low


@sketch(adjacent=add_remove(1))
def g(visits: Records[Visit], eps: Epsilon):
    low = len(visits) + Lap(hole)
    counts = [0] * 7
    for v in visits:
        if v.age > low:
            counts[v.day] += 1  # K175
    return [c + Lap(hole) for c in counts]
