"""AboveT1 of the paper: the number of the first query above a threshold, or 0."""

from kolahal import Epsilon, Lap, Private, each_within, hole, sketch


def above_threshold_1_original(q, T):
    i = 1
    done = False
    ans = 0
    t = T
    a = [x for x in q]
    while i <= len(q) and not done:
        if a[i - 1] > t:
            done = True
        i = i + 1
        if done:
            ans = i - 1
        else:
            ans = 0
    return ans


@sketch(adjacent=each_within(1))
def above_threshold_1(q: Private, T: float, eps: Epsilon):
    """The number of the first query above the noisy threshold, or 0."""
    i = 1
    done = False
    ans = 0
    t = T + Lap(hole)
    a = [x + Lap(hole) for x in q]
    while i <= len(q) and not done:
        if a[i - 1] > t:
            done = True
        i = i + 1
        if done:
            ans = i - 1
        else:
            ans = 0
    return ans
