from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


@sketch(adjacent=replace(1))
def f(ages: Records[Between(0, 100)], eps: Epsilon):
    return sum(ages) / len(ages) + Lap(hole)  # K176
