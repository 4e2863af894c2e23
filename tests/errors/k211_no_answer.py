from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def a(q: Private, eps: Epsilon):
    x = 1
    for y in q:  # K211
        return y


@sketch(adjacent=each_within(1))
def b(q: Private, eps: Epsilon):
    if eps > 1:  # K211
        return 1
    elif eps > 2:
        return 2


@sketch(adjacent=each_within(1))
def c(q: Private, eps: Epsilon):
    while True:  # K211
        if eps > 1:
            break


@sketch(adjacent=each_within(1))
def d(q: Private, eps: Epsilon):  # K211
    """Nothing but words."""


@sketch(adjacent=each_within(1))
def e(q: Private, eps: Epsilon):  # K211
    pass


@sketch(adjacent=each_within(1))
def fine(q: Private, eps: Epsilon):
    while True:
        for x in q:
            break
        return 1
