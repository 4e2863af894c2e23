"""Every bit is told, and a coin decides whether it is told truly: local differential privacy."""

from kolahal import Epsilon, Flip, Private, hole, one_within, sketch


@sketch(adjacent=one_within(1))
def randomized_response(q: Private[bool], eps: Epsilon):
    """Each person's bit, turned over where the coin says so."""
    return [bit != Flip(hole) for bit in q]
