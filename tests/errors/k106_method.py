from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    out = [1]
    out.remove(1)  # K106
    out.pop()  # K106
    out.append()  # K106
    out.append(x=1)  # K106
    out.append(1, 2)  # K106
    return out
