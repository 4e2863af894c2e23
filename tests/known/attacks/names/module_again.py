"""Another module gets the name of ours, below the function.

Truth: not private for all that is known: nobody has seen that module.
"""

import kolahal as k


@k.sketch(adjacent=k.each_within(1))
def release(q: k.Private, eps: k.Epsilon):
    return q[0] + k.Lap(1 / eps)


import other as k
