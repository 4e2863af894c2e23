"""Three places with high scores, best first: the exponential mechanism again and again, each time with those that it has far behind."""

from kolahal import Epsilon, Private, choose, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def top_three(q: Private, eps: Epsilon):
    """The places of three large answers; max(0, 1 - abs(i - first)) is 1 at the first place and 0 elsewhere."""
    first = choose(q, hole)
    rest = [q[i] - 1000000 * max(0, 1 - abs(i - first)) for i in range(len(q))]
    second = choose(rest, hole)
    last = [rest[i] - 1000000 * max(0, 1 - abs(i - second)) for i in range(len(q))]
    return first, second, choose(last, hole)
