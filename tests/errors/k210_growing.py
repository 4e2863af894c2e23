from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    out = [1]
    for x in out:
        if x > 0:
            out.append(x)  # K210
    return out
