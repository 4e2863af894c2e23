"""ExpNoisyMax of the paper: noisy max with one-sided noise.

The answer for no queries at all is 0 and not None, because noise is added to it.
"""

from kolahal import Epsilon, Exp, Private, each_within, hole, sketch


def exp_noisy_max_original(q):
    m, v = 0, None
    a = q
    for i in range(len(q)):
        b = a[i]
        if v is None or b > v:
            m, v = i + 1, b
    ans = m
    return ans


@sketch(adjacent=each_within(1))
def exp_noisy_max(q: Private, eps: Epsilon):
    """The number of the query with the largest noisy answer, and a second hole on that number."""
    m, v = 0, None
    a = q
    for i in range(len(q)):
        b = a[i] + Exp(hole)
        if v is None or b > v:
            m, v = i + 1, b
    ans = m + Exp(hole)
    return ans
