"""A name of ours is given away inside an `if`.

Truth: not private. The condition holds, and Lap is Exp.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch

if len("x") == 1:
    Lap = Exp


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
