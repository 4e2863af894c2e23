from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    if len(q):  # K203
        a = 1
    while q:  # K203
        a = 1
    b = eps and True  # K203
    c = not None  # K203
    d = None
    if eps > 1:
        d = True
    if d:  # K203
        a = 2
    return a
