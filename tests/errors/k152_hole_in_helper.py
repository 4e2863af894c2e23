from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


def noisy(x):
    return x + Lap(hole)


def with_scale(x, s):
    return x + Lap(s)


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = noisy(q[0])  # K152
    return with_scale(q[0], hole)  # K152
