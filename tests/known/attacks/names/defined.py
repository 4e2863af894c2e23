"""A function of the file has the name of our noise.

Truth: not private. Python adds 0, so the answer is q[0] itself.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


def Lap(x):
    return 0


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
