"""Above threshold with the family of the noise left open: the one that errs least is found with its scale."""

from kolahal import Epsilon, Noise, Private, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def above_threshold_open(q: Private, T: float, eps: Epsilon):
    """The number of the first answer above the threshold, or None."""
    threshold = T + Noise(hole)
    for i in range(len(q)):
        if q[i] + Noise(hole) >= threshold:
            return i
    return None
