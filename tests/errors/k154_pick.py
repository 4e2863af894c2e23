from kolahal import Epsilon, Pick, Private, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def one_of(q: Private, k: int, eps: Epsilon):
    a = Pick(hole)  # K154
    b = Pick(hole, k)  # K154
    c = Pick(hole, 1)  # K154
    return a + b + c
