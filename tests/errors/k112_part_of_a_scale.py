from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2 * hole)  # K112
    return t + Exp(hole / eps)  # K112
