"""SmartSum of the paper: all running sums, with noise for each item and for each block of M items."""

from kolahal import Epsilon, Lap, Private, hole, one_within, sketch


def smart_sum_original(q, M):
    n = 0
    i = 1
    next = 0
    sum = 0
    a = q
    r = []
    while i <= len(q):
        sum = sum + a[i - 1]
        if i % M == 0:
            n = n + sum
            sum = 0
            next = n
        else:
            next = next + a[i - 1]
        r.insert(0, next)
        i = i + 1
    return r


@sketch(adjacent=one_within(1))
def smart_sum(q: Private, M: int, eps: Epsilon):
    """All running sums of a list, the latest first; one person changes one item."""
    n = 0
    i = 1
    next = 0
    sum = 0
    a = q
    r = []
    while i <= len(q):
        sum = sum + a[i - 1]
        if i % M == 0:
            n = n + sum + Lap(hole)
            sum = 0
            next = n
        else:
            next = next + a[i - 1] + Lap(hole)
        r.insert(0, next)
        i = i + 1
    return r
