"""Another name is changed in place.

Truth: private. Lap is ours.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch

count = 0
count += 1


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
