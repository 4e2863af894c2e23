"""A class body speaks of the file's name.

Truth: not private. Lap is Exp when the function runs.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


class Setup:
    global Lap
    Lap = Exp


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
