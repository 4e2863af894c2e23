from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=replace(1))  # K161
def f(q: Private, eps: Epsilon):
    return q[0] + Lap(hole)
