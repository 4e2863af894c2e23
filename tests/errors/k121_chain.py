from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = 0 < Lap(hole) < 1  # K121
    b = 0 < (1 < eps) < 1  # K121
    return a
