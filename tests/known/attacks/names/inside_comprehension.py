"""An assignment inside a comprehension is one of the file.

Truth: not private. Lap is Exp when the function runs.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch

NOISES = [noise for noise in (Lap, Exp) if (Lap := Exp)]


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
