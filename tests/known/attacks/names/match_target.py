"""A `match` of the file captures in our name.

Truth: not private. Lap is something else when the function runs.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)


match Exp:
    case Lap:
        pass
