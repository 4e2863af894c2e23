from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q.items():  # K110
        s = s + x
    for x in 3:  # K110
        s = s + x
    return [x for x in {3, 4}]  # K110
