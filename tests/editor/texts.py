"""Texts that the tests of this folder open."""

GREEDY = """\
from kolahal import Epsilon, Lap, Private, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def greedy(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2 / eps)
    for i in range(len(q)):
        if q[i] + Lap(2 / eps) > t:
            return i + 1
    return 0
"""
BUDGET = """\
from kolahal import Gauss, Private, Rho, each_within, sketch, sqrt


@sketch(adjacent=each_within(1))
def release(q: Private[2], rho: Rho):
    return [x + Gauss(0.9 * sqrt(1 / rho)) for x in q]
"""
SKETCH = GREEDY.replace("2 / eps", "hole").replace("greedy", "careful")
SUNDAY = """\
from kolahal import Epsilon, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def sunday(visits: Private, eps: Epsilon):
    return visits[6] + Lap(1 / eps)
"""
PRIVATE = SUNDAY.replace("Private,", "Private[1],").replace("[6]", "[0]").replace("Private[1], each", "Private, each")
BUSIER = SUNDAY.replace("visits[6]", "visits[2 * 3]").replace("sunday", "busier")  # a place that is not written as a number
FAULTY = """\
from kolahal import Epsilon, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def faulty(q: Private, eps: Epsilon):
    "𝒳𝒳"; x = round(q)
    return x + Lap(1 / eps)
"""
