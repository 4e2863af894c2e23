from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    for i in range():  # K111
        s = i
    for i in range(1, 2, 3, 4):  # K111
        s = i
    for i in range(stop=3):  # K111
        s = i
    return s
