"""The function is defined again below, without noise.

Truth: not private. Whoever imports `release` gets the second one.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)


def release(q, eps):
    return q[0]
