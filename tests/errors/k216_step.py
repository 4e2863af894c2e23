from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    for i in range(0, 3, 0):  # K216
        x = i
    return 0
