from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = 1 in 2  # K105
    b = eps is 3  # K105
    c = None is not a  # K105
    return 3 not in 2 * eps  # K105
