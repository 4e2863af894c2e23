from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = max()  # K122
    b = len(q, q)  # K122
    c = abs(1, 2)  # K122
    d = min(1, key=2)  # K122
    e = sum(q, 0, 1)  # K122
    return a
