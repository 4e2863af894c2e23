from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = True + 1  # K202
    b = eps > True  # K202
    out = []
    c = -out  # K202
    d = max(1, False)  # K202
    e = q[True]  # K202
    return a
