from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = []  # K206
    a = 1  # K206
    for q in range(3):  # K206
        b = 2
    return 0
