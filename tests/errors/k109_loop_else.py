from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    for x in q:
        if x > 3:
            break
    else:
        x = 0  # K109
    while x > 3:
        x = x - 1
    else:
        x = 1  # K109
    return x
