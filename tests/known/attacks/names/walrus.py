"""A name of ours is given away inside an expression.

Truth: not private. Lap is Exp.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch

NOISES = [Lap := Exp]


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
