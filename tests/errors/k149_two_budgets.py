from kolahal import Delta, Epsilon, Gauss, Mu, Private, Rho, each_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, rho: Rho, eps: Epsilon):  # K149
    return q[0] + Gauss(1 / rho)


@sketch(adjacent=each_within(1))
def g(q: Private, mu: Mu, delta: Delta):  # K149
    return q[0] + Gauss(1 / mu)
