from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    a = [T for T in q]  # K215
    return [q for q in q]  # K215
