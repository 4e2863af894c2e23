"""Whatever another module has comes in after our names.

Truth: not private for all that is known: it may bring a Lap of its own.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch
from other import *


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
