from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    out = [1]
    out[0:1] = [2]  # K107
    out.size += 2  # K107
    out.size = 3  # K107
    out.size: int = 3  # K107
    a, *b = 1, 2  # K107
    return out
