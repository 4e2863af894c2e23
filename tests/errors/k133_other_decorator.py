from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@cache  # K133
@sketch(adjacent=each_within(1))
@trace(3)  # K133
def f(q: Private, eps: Epsilon):
    return 0
