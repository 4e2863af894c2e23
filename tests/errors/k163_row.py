from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



class Plain:
    age: float


@sketch(adjacent=add_remove(1))
def f(visits: Records[Plain], eps: Epsilon):  # K163
    return len(visits) + Lap(hole)


@sketch(adjacent=add_remove(1))
def g(visits: Records[Missing], eps: Epsilon):  # K163
    return len(visits) + Lap(hole)


@sketch(adjacent=add_remove(1))
def h(visits: Records[bool], eps: Epsilon):  # K163
    return len(visits) + Lap(hole)
