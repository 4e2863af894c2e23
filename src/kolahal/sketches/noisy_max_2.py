"""NoisyMax2 of the paper: noisy max with a place for noise that it does not need.

The answer for no queries at all is 0 and not None, because noise is added to it.
"""

from kolahal import Epsilon, Lap, Private, each_within, hole, sketch


def noisy_max_2_original(q):
    m, v = 0, None
    a = q
    for i in range(len(q)):
        b = a[i]
        if v is None or b > v:
            m, v = i + 1, b
    ans = m
    return ans


@sketch(adjacent=each_within(1))
def noisy_max_2(q: Private, eps: Epsilon):
    """The number of the query with the largest noisy answer, and a second hole on that number."""
    m, v = 0, None
    a = q
    for i in range(len(q)):
        b = a[i] + Lap(hole)
        if v is None or b > v:
            m, v = i + 1, b
    ans = m + Lap(hole)
    return ans
