"""A class has the name of our noise.

Truth: not private. Adding 0, as this number does, hides nothing.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


class Lap(float):
    def __radd__(self, other):
        return other


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
