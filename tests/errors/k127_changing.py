from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    out = [x for x in q]
    for i, x in enumerate(out):  # K127
        out.append(x)
    for x in out:  # K127
        out[0] = x
        out = [x]
    for x, y in zip(out, q):  # K127
        out = [x]
    return out
