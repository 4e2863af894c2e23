from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within())  # K132
def a(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=each_within(0))  # K132
def b(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=each_within(-1))  # K132
def c(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=one_within(1, 2))  # K132
def d(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=one_within(d=1))  # K132
def e(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=each_within(eps))  # K132
def f(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=each_within('1'))  # K132
def g(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=each_within(1e999))  # K132
def h(q: Private, eps: Epsilon):
    return 0
