from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    eps = eps / 2  # K213
    for eps in q:  # K213
        x = 1
    return q[0] + Lap(1 / eps)  # K114
