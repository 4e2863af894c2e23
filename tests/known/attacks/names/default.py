"""The default of another function gives our name away.

Truth: not private. Lap is Exp when the function runs.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


def other(x=(Lap := Exp)):
    return x


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
