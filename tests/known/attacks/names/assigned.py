"""A name of ours is given to other noise.

Truth: not private. Python draws exponential noise, so the answer is at least q[0].
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch

Lap = Exp


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
