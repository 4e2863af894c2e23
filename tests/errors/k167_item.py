from typing import Literal, NamedTuple

from kolahal import Between, Epsilon, Lap, Private, Records, add_remove, clip, each_within, hole, replace, sketch


class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "returning"]



@sketch(adjacent=add_remove(1))
def f(visits: Records[Visit], eps: Epsilon):
    a = sum(v.size for v in visits)  # K167
    b = sum(1 for v in visits if v.kind == "old")  # K167
    c = sum(v.kind for v in visits)  # K167
    d = sum(1 for v in visits if v.age)  # K167
    e = sum(clip(v.age, 0, sum(w.age for w in visits)) for v in visits)  # K167
    g = sum(v.age @ 2 for v in visits)  # K167
    h = sum(clip(v.age, 2, 1) for v in visits)  # K167
    i = sum(v for v in visits)  # K167
    return a + b + c + d + e + g + h + i + Lap(hole)
