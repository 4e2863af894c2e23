"""Another module gets another name.

Truth: private. k.Lap is ours.
"""

import kolahal as k


@k.sketch(adjacent=k.each_within(1))
def release(q: k.Private, eps: k.Epsilon):
    return q[0] + k.Lap(1 / eps)


import other as o
