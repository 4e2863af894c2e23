"""NoisyMax1 of the paper: which query has the largest answer?"""

from kolahal import Epsilon, Lap, Private, each_within, hole, sketch


def noisy_max_1_original(q):
    m, v = None, None
    a = q
    for i in range(len(q)):
        b = a[i]
        if v is None or b >= v:
            m, v = i + 1, b
    return m


@sketch(adjacent=each_within(1))
def noisy_max_1(q: Private, eps: Epsilon):
    """The number of the query with the largest noisy answer."""
    m, v = None, None
    a = q
    for i in range(len(q)):
        b = a[i] + Lap(hole)
        if v is None or b >= v:
            m, v = i + 1, b
    return m
