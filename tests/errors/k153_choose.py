from kolahal import Epsilon, Private, choose, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def best(q: Private, eps: Epsilon):
    a = choose(q)  # K153
    b = choose(q, hole, 3)  # K153
    return a + b
