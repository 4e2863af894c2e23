"""The name of a sketch stands for something else in the end."""

from kolahal import Epsilon, Lap, Private, each_within, hole, sketch

release = None  # before it: the sketch wins


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)


def release(q, eps):  # K147
    return q[0]


@sketch(adjacent=each_within(1))
def other(q: Private, eps: Epsilon):
    return q[0] + Lap(hole)


other = other.complete("1/eps")  # K147
