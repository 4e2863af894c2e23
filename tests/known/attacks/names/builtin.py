"""A function of the file has the name of a function of Python.

Truth: not private. This max gives 0, so the answer is q[0] itself.
"""

from kolahal import Epsilon, Lap, Private, each_within, sketch


def max(x, y):
    return 0


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    n = Lap(1 / eps)
    return q[0] + max(n, n)
