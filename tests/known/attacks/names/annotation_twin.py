"""The function's own header has an annotation.

Truth: private. Lap is ours.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon) -> float:
    return q[0] + Lap(1 / eps)
