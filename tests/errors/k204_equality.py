from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = q == q  # K204
    b = True == 1  # K204
    return eps != (eps > 1)  # K204
