"""The relation that is written is not the relation that is meant.

Truth: not private. Every answer moves, and two answers cost 2*eps.
"""

from kolahal import Epsilon, Lap, Private, each_within, one_within, sketch

one_within = each_within


@sketch(adjacent=one_within(1))
def release(q: Private, eps: Epsilon):
    return [x + Lap(1 / eps) for x in q]
