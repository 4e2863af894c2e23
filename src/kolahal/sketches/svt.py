"""SVT of the paper: which queries are above a threshold? It halts after N that are."""

from kolahal import Epsilon, Lap, Private, each_within, hole, sketch


def svt_original(q, N, T):
    out = []
    i = 1
    count = 0
    t = T
    a = q
    while i <= len(q):
        qans = a[i - 1]
        if qans > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def svt(q: Private, N: int, T: float, eps: Epsilon):
    """True for each query above the threshold and False for the others, up to the Nth True."""
    out = []
    i = 1
    count = 0
    t = T + Lap(hole)
    a = q
    while i <= len(q):
        qans = a[i - 1] + Lap(hole)
        if qans > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
        i = i + 1
    return out
