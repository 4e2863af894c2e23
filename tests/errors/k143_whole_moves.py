from kolahal import Epsilon, Private, each_within, sketch, sum_within


@sketch(adjacent=each_within(1 / 2))  # K143
def halves(q: Private[int], eps: Epsilon):
    return 0


@sketch(adjacent=sum_within(1.5))  # K143
def declared(q: Private[int, 3], eps: Epsilon):
    return 0
