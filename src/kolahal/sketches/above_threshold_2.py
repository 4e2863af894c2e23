"""AboveT2 of the paper: above threshold with a place for noise that it does not need."""

from kolahal import Epsilon, Lap, Private, each_within, hole, sketch


def above_threshold_2_original(q, T):
    i = 1
    done = False
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
    out = ans
    return out


@sketch(adjacent=each_within(1))
def above_threshold_2(q: Private, T: float, eps: Epsilon):
    """The number of the first query above the noisy threshold, or 0, and a third hole on that number."""
    i = 1
    done = False
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
    out = ans + Lap(hole)
    return out
