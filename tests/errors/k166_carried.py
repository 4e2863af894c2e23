from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], eps: Epsilon):
    last = 0
    best = 0  # K166
    for v in visits:
        if v.age > best:
            best = v.age
    return best + last + Lap(hole)


@sketch(adjacent=add_remove(1))
def g(visits: Records[Visit], eps: Epsilon):
    last = 0  # K166
    for v in visits:
        last = clip(v.age, 0, 1)
    return last + Lap(hole)


@sketch(adjacent=add_remove(1))
def h(visits: Records[Visit], eps: Epsilon):
    total = 0
    for v in visits:
        total += total + 1  # K166
    for v in visits:
        if v.kind == "new":
            x = 1
        total += x  # K166
    for v in visits:
        total *= 2  # K166
        break
    return total + Lap(hole)
