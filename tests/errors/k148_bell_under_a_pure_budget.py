from kolahal import DiscreteGauss, Epsilon, Gauss, Private, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    t = q[0] + Gauss(hole)  # K148
    return t + DiscreteGauss(2 / eps)  # K148
