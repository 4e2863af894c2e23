from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = 3 ** eps  # K104
    b = 3 & 5  # K104
    c = ~3  # K104
    a @= 3  # K104
    return a
