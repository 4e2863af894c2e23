"""Another name is given to another function below.

Truth: private. `release` is the sketch.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)


raw = lambda q, eps: q[0]
