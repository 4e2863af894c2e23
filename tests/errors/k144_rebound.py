import kolahal
from elsewhere import abs  # K144
from elsewhere import *  # K144
from kolahal import Epsilon, Exp, Lap, Private, each_within, hole, one_within, sketch
from kolahal import Lap
from kolahal import Exp as hole  # K144
from kolahal.lang.templates.runtime import Private  # K144
from . import Epsilon  # K144
import numpy as kolahal  # K144

Lap = Exp  # K144
each_within: object = one_within  # K144
del one_within


def max(*numbers):  # K144
    return 0


class int:  # K144
    pass


for min in (print,):  # K144
    pass

with open("x") as abs:  # K144
    pass

try:
    (len := print)  # K144
    [(range := print) for Exp in (1, 2)]  # K144
except ValueError as min:  # K144
    pass


def elsewhere(one, Lap, hole=(min := 3)):  # K144
    Exp = 1
    return [sketch for sketch in (Lap, Exp)], lambda Epsilon: Epsilon


def change():
    global Lap
    Lap = Exp  # K144


match 3:
    case [min, *len]:  # K144 K144
        pass
    case {"x": 1, **range}:  # K144
        pass
    case {"x": 2} as abs:  # K144
        pass


@sketch(adjacent=each_within(1))
def f(q: Private, N: int, eps: Epsilon) -> (abs := 3):  # K144
    x = max(q[0], 0) - min(q[0], 0) + abs(q[0])
    for i in range(len(q)):
        x = x + q[i]
    return x + Lap(hole) + kolahal.Lap(2 / eps)


def make(Lap):  # K144
    Exp = 1  # K144

    class Here:
        bool = 1  # K144
        Exp = 2

        @sketch(adjacent=one_in(1))
        def g(q: Private, N: bool, eps: Epsilon):
            return q[0] + Lap(2 / eps) + Exp(2 / eps)

    return Here


from kolahal import one_within as one_in
