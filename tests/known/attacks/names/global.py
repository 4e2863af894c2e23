"""A function of the file changes our name for all.

Truth: not private. Lap is Exp once setup has run.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


def setup():
    global Lap
    Lap = Exp


setup()


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
