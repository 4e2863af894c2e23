from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = "a text\n"  # K118
    b = b"text"  # K118
    c = 1j  # K118
    d = ...  # K118
    return a
