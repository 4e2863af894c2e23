from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a, b = q  # K108
    c, d = 1, 2, 3  # K108
    e, e = 1, 2  # K108
    f, g = h = 1, 2  # K108
    () = ()  # K108
    return a + b + c + d + e + f + g + h
