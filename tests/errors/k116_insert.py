from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    out.insert(1, 2)  # K116
    out.insert(0.0, 2)  # K116
    out.insert(0)  # K116
    return out
