"""Another name is given to our noise.

Truth: private. Lap is still Laplace noise.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch

lap = Exp


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
