from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def a(q: float, eps: Epsilon):  # K137
    if 3:  # K203
        return x  # K201
    return q + 1


@sketch(adjacent=each_within(1))
def b(q: Private, eps: float):  # K137
    return q[0] + Lap(1 / eps)
