from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    a = q[len(q) / 2]  # K217
    b = q[T]  # K217
    for i in range(eps):  # K217
        b = i
    c = q[0 + Lap(hole)]  # K217
    m = None
    for i in range(len(q)):
        if m is not None:
            b = q[m - 1]
        k = m
        m = i
    return [x for x in range(1.5)]  # K217
