from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = Lap()  # K113
    b = Lap(0, hole)  # K113
    c = Lap(scale=hole)  # K113
    d = Exp(*q)  # K113
    return a + b + c + d
