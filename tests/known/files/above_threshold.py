"""The first query above a threshold, with one pair of scales for the threshold and the queries each."""

from kolahal import Epsilon, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def above_2_4(q: Private, eps: Epsilon, T: float = 0):
    t = T + Lap(2 / eps)
    for i in range(len(q)):
        if q[i] + Lap(4 / eps) > t:
            return i + 1
    return 0


@sketch(adjacent=each_within(1))
def above_3_3(q: Private, eps: Epsilon, T: float = 0):
    t = T + Lap(3 / eps)
    for i in range(len(q)):
        if q[i] + Lap(3 / eps) > t:
            return i + 1
    return 0


@sketch(adjacent=each_within(1))
def above_2_3(q: Private, eps: Epsilon, T: float = 0):
    t = T + Lap(2 / eps)
    for i in range(len(q)):
        if q[i] + Lap(3 / eps) > t:
            return i + 1
    return 0


@sketch(adjacent=each_within(1))
def above_3_2(q: Private, eps: Epsilon, T: float = 0):
    t = T + Lap(3 / eps)
    for i in range(len(q)):
        if q[i] + Lap(2 / eps) > t:
            return i + 1
    return 0


@sketch(adjacent=each_within(1))
def above_1_4(q: Private, eps: Epsilon, T: float = 0):
    t = T + Lap(1 / eps)
    for i in range(len(q)):
        if q[i] + Lap(4 / eps) > t:
            return i + 1
    return 0


@sketch(adjacent=each_within(1))
def above_2_2(q: Private, eps: Epsilon, T: float = 0):
    t = T + Lap(2 / eps)
    for i in range(len(q)):
        if q[i] + Lap(2 / eps) > t:
            return i + 1
    return 0
