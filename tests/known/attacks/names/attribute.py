"""The noise of our module is replaced.

Truth: not private. k.Lap is k.Exp.
"""

import kolahal as k

k.Lap = k.Exp


@k.sketch(adjacent=k.each_within(1))
def release(q: k.Private, eps: k.Epsilon):
    return q[0] + k.Lap(1 / eps)
