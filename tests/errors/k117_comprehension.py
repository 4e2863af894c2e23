from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = [x for x in q if x > 0]  # K117
    b = [x + y for x in q for y in q]  # K117
    return [x for x, y in q]  # K117
