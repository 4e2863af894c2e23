from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = 1
    a.append(2)  # K205
    b.append(2)  # K205
    c = a[0]  # K205
    d = len(eps)  # K205
    for x in a:  # K205
        c = x
    return [x for x in eps]  # K205
