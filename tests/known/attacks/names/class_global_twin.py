"""A class body has a name of its own.

Truth: private. Lap is ours.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


class Setup:
    Lap = Exp


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
