"""The function's own header gives our name away: annotations are computed when it is defined.

Truth: not private. Lap is Exp when the function runs.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon) -> (Lap := Exp):
    return q[0] + Lap(1 / eps)
