"""The noise comes from another module.

Truth: not private for all that is known: nobody has seen that module.
"""

from kolahal import Epsilon, Exp, Private, each_within, one_within, sketch
from other import Lap


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
