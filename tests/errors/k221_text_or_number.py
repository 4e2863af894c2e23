from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    if q[0] + Lap(hole) > 0:
        return "many"
    return 0  # K221
