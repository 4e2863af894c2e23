from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = any(x > y for x in q for y in q)  # K117
    b = all(x > y for x in q for y in q)  # K117
    return [x async for x in q]  # K117
