"""Faults of every kind in one file: all are reported, in source order, and none causes another."""

from kolahal import Epsilon, Lap, Private, each_within, hole, sketch


@sketch(adjacent=each_within)  # K131
def first(q: Private, T, eps: Epsilon):  # K136
    t = T + Lap(2 * hole)  # K112
    best = median(q)  # K102
    second = best[0]
    for x in shuffled(q):  # K110
        if x:
            second = x
    while q in -second:  # K105
        second = second + 1
    if (n := len(q)) > 3:  # K103
        second = n
    flag = None
    flag = round(T)  # K102
    copy = flag
    if copy:
        return -copy
    if second > t and len(q):  # K203
        return b"yes"  # K118
    return undefined  # K201


def helper():
    return first


@sketch(adjacent=each_within(0))  # K132
def second(q: Private, eps: Epsilon):
    total = 0
    for i in range(len(q)):
        total = total + q[i] + Lap(hole)
    totl = total  # fine, if useless
    out.append(totl)  # K205
