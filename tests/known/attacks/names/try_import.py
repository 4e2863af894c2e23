"""Our noise is replaced where another module can be imported.

Truth: not private for all that is known: nobody has seen that module.
"""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch

try:
    from faster import Lap
except ImportError:
    pass


@sketch(adjacent=each_within(1))
def release(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)
