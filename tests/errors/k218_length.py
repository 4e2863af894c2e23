from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    n = len(q)
    q = [q[0]]
    return q[0] + Lap(len(q) / eps) + Lap(n / eps)  # K218 K218
