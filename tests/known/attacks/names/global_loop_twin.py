"""A loop inside a function has a variable of its own.

Truth: private. Lap is ours.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


def setup():
    for Lap in (Exp,):
        pass


setup()


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
