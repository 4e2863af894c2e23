"""A function of the file has a name of its own.

Truth: private. The larger of a noise and itself is that noise.
"""

from kolahal import Epsilon, Lap, Private, each_within, sketch


def maximum(x, y):
    return 0


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    n = Lap(1 / eps)
    return q[0] + max(n, n)
