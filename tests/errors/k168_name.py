from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], eps: Epsilon):
    a = sum(1 for v in visits if v.age > noisy)  # K168
    return a + Lap(hole)


@sketch(adjacent=add_remove(1))
def some_runs(visits: Records[Visit], eps: Epsilon):
    if len(visits) + Lap(hole) > 3:
        low = 1
    return sum(1 for v in visits if v.age > low) + Lap(hole)  # K168
