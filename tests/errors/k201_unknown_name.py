from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = LIMIT + 1  # K201
    for i in range(len(p)):  # K201
        a = a + p[i]  # K201
    b = [x + y for x in q]  # K201
    return x  # K201: the comprehension's own name
