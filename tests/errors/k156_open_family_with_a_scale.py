from kolahal import Epsilon, Noise, Private, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    t = q[0] + Noise(2 / eps)  # K156
    s = Noise(2 * hole)  # K112
    return t + s + Noise(hole, 1) + Noise(hole)  # K113
