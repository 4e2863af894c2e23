import kolahal as k
from kolahal import Lap as L
from kolahal import Epsilon, Private, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def __import__(  # K141
    q: Private,
    abs: float,  # K141
    eta1: int,  # K141
    eps: Epsilon,
):
    len = 3  # K141
    for max in range(3):  # K141
        x = 1
    y = [hole for hole in q]  # K115 K141
    k = 2  # K141
    L = 2  # K141
    __debug__ = 3  # K141
    Lap, z = 1, 2  # K141
    range += 1  # K141
    return 0
