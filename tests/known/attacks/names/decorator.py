"""The decorator is another one.

Truth: not private. This sketch answers with the raw list.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within


def sketch(adjacent):
    return lambda function: lambda q, eps: q


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
