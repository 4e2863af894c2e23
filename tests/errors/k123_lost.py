from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    eps > 3  # K123
    q[0]  # K123
    Lap(hole)  # K123
    return 0
