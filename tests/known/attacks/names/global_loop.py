"""A loop inside a function changes the file's name.

Truth: not private. Lap is Exp when the function runs.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


def setup():
    global Lap
    for Lap in (Exp,):
        pass


setup()


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
