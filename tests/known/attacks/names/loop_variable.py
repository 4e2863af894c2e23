"""A loop of the file runs over noises and leaves the last one in our name.

Truth: not private. Lap is Exp when the function runs.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch

for Lap in (Lap, Exp):
    pass


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
