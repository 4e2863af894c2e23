from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    if eps > 1:
        out = [1]
    for i in range(3):
        more = [i]
        more.append(i)
    while eps > 2:
        third = [1]
    more.append(1)  # K219
    a = len(third)  # K219
    for x in third:  # K219
        a = x
    if eps > 2:
        fine = []
    else:
        return 0
    fine.append(1)
    return out  # K219


@sketch(adjacent=each_within(1))
def nothing_is_added(q: Private, eps: Epsilon):
    if q[0] > 0:
        out = []
        other = []
        third = []
    out += []  # K219
    other.extend([])  # K219
    third = third + []  # K219
    return 0
