from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = 1
    b = lambda x: x  # K103
    c = {1: 2}  # K103
    d = {1, 2}  # K103
    e = (1, 2)  # K103
    f = f"{a}"  # K103
    if (n := len(q)) > 3:  # K103
        a = n
    g = q.size  # K103
    h = len  # K103
    i = range(3)  # K103
    j = [1, *q]  # K103
    k = (x for x in q)  # K103
    l = {1: 2}[0]  # K110
    yield a  # K103
    return {x for x in q}  # K103


@sketch(adjacent=each_within(1))
def beside_a_list(q: Private, eps: Epsilon):
    out = [1] + range(3)  # K103
    more = [1] + (2, 3)  # K103
    third = [1] + range(3)[::-1]  # K103
    out += range(3)
    more = more + list(range(3))
    return out
