"""Sum of the paper: every item of a list gets noise before it is added."""

from kolahal import Epsilon, Lap, Private, hole, one_within, sketch


def sum_original(q):
    a = q
    s = 0
    for i in range(len(q)):
        s = s + a[i]
    return s


@sketch(adjacent=one_within(1))
def sum(q: Private, eps: Epsilon):
    """The sum of a private list of numbers; one person changes one of them."""
    a = q
    s = 0
    for i in range(len(q)):
        s = s + a[i] + Lap(hole)
    return s
