from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = hole  # K115
    b = 2 * hole  # K115
    for x in hole:  # K115
        b = x
    return hole[0]  # K115
