from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for i, x in q:  # K125
        s = s + i * x
    for q[0] in q:  # K125
        s = s + 1
    return s
