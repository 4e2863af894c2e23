from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=add_remove(0.5))  # K162
def f(visits: Records[Visit], eps: Epsilon):
    return len(visits) + Lap(hole)


@sketch(adjacent=add_remove(0))  # K162
def g(visits: Records[Visit], eps: Epsilon):
    return len(visits) + Lap(hole)
