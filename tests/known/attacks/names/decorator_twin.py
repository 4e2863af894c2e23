"""A function of the file has another name than the decorator.

Truth: private. sketch is ours.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


def sketched(adjacent):
    return lambda function: lambda q, eps: q


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
