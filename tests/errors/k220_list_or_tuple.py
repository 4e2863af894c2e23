from kolahal import Epsilon, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def one_or_the_other(q: Private, eps: Epsilon):
    x = q[0] + Lap(2 / eps)
    if q[0] > 0:
        return x, 1
    return [x, 1]  # K220


@sketch(adjacent=each_within(1))
def by_name(q: Private, eps: Epsilon):
    out = []
    if len(q) > 3:
        return out
    elif len(q) > 2:
        return None
    elif len(q) > 1:
        return [x + Lap(2 / eps) for x in q]
    return (1,)  # K220


@sketch(adjacent=each_within(1))
def the_caller(q: Private, eps: Epsilon):
    if len(q) > 3:
        return 1, 2
    if len(q) > 2:
        return q  # K220
    return []  # K220
