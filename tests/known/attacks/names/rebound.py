"""The function's name is given to another one below.

Truth: not private. Whoever imports `release` gets the raw answer.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)


release = lambda q, eps: q[0]
