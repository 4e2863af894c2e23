"""The relation that is written is the one that is meant.

Truth: private. One answer moves.
"""

from kolahal import Epsilon, Lap, Private, each_within, one_within, sketch

every_within = each_within


@sketch(adjacent=one_within(1))
def release(q: Private, eps: Epsilon):
    return [x + Lap(1 / eps) for x in q]
