from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch  # K130
def a(q: Private, eps: Epsilon):
    return 0


@sketch()  # K130
def b(q: Private, eps: Epsilon):
    return 0


@sketch(each_within(1), one_within(1))  # K130
def c(q: Private, eps: Epsilon):
    return 0


@sketch(adjacent=each_within(1), name=3)  # K130
def d(q: Private, eps: Epsilon):
    return 0


@sketch(neighbours=each_within(1))  # K130
def e(q: Private, eps: Epsilon):
    return 0


@sketch(**options)  # K130
def f(q: Private, eps: Epsilon):
    return 0
