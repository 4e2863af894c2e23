"""A `with` of the file gives our name to what it opens.

Truth: not private. Lap is something else when the function runs.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)


with open("noise.txt") as Lap:
    pass
