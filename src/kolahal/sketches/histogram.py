"""Histogram of the paper: every count gets noise of its own."""

from kolahal import Epsilon, Lap, Private, hole, one_within, sketch


def histogram_original(q):
    hist = q
    ans = [x for x in hist]
    return ans


@sketch(adjacent=one_within(1))
def histogram(q: Private, eps: Epsilon):
    """Counts of elements in predefined buckets; one person changes one count."""
    hist = q
    ans = [x + Lap(hole) for x in hist]
    return ans
