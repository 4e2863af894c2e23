from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(
    p: Private,
    q: Private,  # K138
    e: Epsilon,
    d: Epsilon,  # K138
):
    return p[0] + q[0]
