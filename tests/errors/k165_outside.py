from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], eps: Epsilon):
    first = visits[0]  # K165
    ordered = sorted(visits)  # K165
    visits = []  # K165
    return len(visits) + Lap(hole)


@sketch(adjacent=add_remove(1))
def g(visits: Records[Visit], eps: Epsilon):  # K165
    return Lap(hole)


@sketch(adjacent=add_remove(1))
def h(visits: Records[Visit], eps: Epsilon):
    return sorted(v.age for v in visits)[0]  # K165
