import builtins
import importlib
import sys
from builtins import eval as run  # K145

import kolahal
import kolahal.lang.read.front as front
from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch

kolahal.Lap = Exp  # K145
builtins.max = min  # K145
front.Lap = Exp  # K145
del kolahal.Exp  # K145


@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    return q[0] + Lap(2 / eps)
