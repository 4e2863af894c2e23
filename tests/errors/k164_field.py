from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



class Odd(NamedTuple):
    name: str  # K164
    low: Between(3, 1)  # K164
    half: Between(0, 0.5, whole=True)  # K164
    age: float


@sketch(adjacent=add_remove(1))
def f(visits: Records[Odd], eps: Epsilon):
    return len(visits) + Lap(hole)
