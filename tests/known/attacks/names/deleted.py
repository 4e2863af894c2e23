"""Our name is deleted, and Python finds one of its own making.

Truth: not private for all that is known: the name means nothing, or what somebody put among Python's own.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch

del Lap


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
