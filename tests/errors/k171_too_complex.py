from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], eps: Epsilon):  # K171
    return sum(v.age * v.age for v in visits) + Lap(hole)


@sketch(adjacent=add_remove(1))
def g(visits: Records[Visit], eps: Epsilon):  # K171
    return sum(1 / clip(v.age, 0, 1) for v in visits) + Lap(hole)


@sketch(adjacent=add_remove(1))
def h(visits: Records[Visit], eps: Epsilon):
    counts = [0] * 7
    for v in visits:
        if 1 / v.age < 3:  # K171
            counts[v.day] += 1
    return [c + Lap(hole) for c in counts]
