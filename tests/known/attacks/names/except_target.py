"""An `except` of the file takes our name, and Python deletes it afterwards.

Truth: not private for all that is known: without the name the program is not the one that is written.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, sketch

try:
    raise ValueError
except ValueError as Lap:
    pass


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
