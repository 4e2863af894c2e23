"""Another name is imported where that is possible.

Truth: private. Lap is ours.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch

try:
    from faster import noise
except ImportError:
    pass


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
