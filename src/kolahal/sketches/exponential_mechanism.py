"""A place with a high score, and its score with noise: selection, then measurement."""

from kolahal import Epsilon, Lap, Private, choose, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def exponential_mechanism(q: Private, eps: Epsilon):
    """The place of a large answer, and that answer."""
    place = choose(q, hole)
    return place, q[place] + Lap(hole)
