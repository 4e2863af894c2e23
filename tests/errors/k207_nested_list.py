from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    out.append(q)  # K207
    out.append([1])  # K207
    a = [q, 1]  # K207
    b = [[x] for x in q]  # K207
    return 0, q  # K207
