from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within)  # K131
def a(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=1)  # K131
def b(q: Private, eps: Epsilon):
    return 0


@sketch(nearby(1))  # K131
def c(q: Private, eps: Epsilon):
    return 0


@sketch(*relations)  # K131
def d(q: Private, eps: Epsilon):
    return 0
