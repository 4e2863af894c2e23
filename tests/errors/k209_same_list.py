from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = []
    b = a  # K209
    b.append(1)
    c = d = []  # K209
    d.append(2)
    return a
