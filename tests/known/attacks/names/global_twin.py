"""A function of the file has a name of its own that reads like ours.

Truth: private. The Lap of setup is its own.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


def setup():
    Lap = Exp
    return Lap


setup()


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
