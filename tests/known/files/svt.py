"""Sparse vector: which queries are above a threshold? Right ones, and the broken ones of Lyu, Su and Li (VLDB 2017)."""

from kolahal import Epsilon, Lap, Private, each_within, monotone, sketch


@sketch(adjacent=each_within(1))
def svt(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SVT1 of DP-Sniper, Algorithm 1 of Lyu et al."""
    t = T + Lap(2 / eps)
    out = []
    count = 0
    for x in q:
        if x + Lap(4 * N / eps) > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def svt_two(q: Private, eps: Epsilon, N: int = 2, T: float = 0):
    t = T + Lap(2 / eps)
    out = []
    count = 0
    for x in q:
        if x + Lap(4 * N / eps) > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def svt_three(q: Private, eps: Epsilon, N: int = 3, T: float = 0):
    t = T + Lap(3 / eps)
    out = []
    count = 0
    for x in q:
        if x + Lap(3 * N / eps) > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=monotone(1))
def svt_monotone(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    t = T + Lap(2 / eps)
    out = []
    count = 0
    for x in q:
        if x + Lap(2 * N / eps) > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def svt2(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SVT2 of DP-Sniper, Algorithm 2 of Lyu et al. (Dwork and Roth): a fresh threshold after each True."""
    t = T + Lap(2 * N / eps)
    out = []
    count = 0
    for x in q:
        if x + Lap(4 * N / eps) > t:
            out.append(True)
            t = T + Lap(2 * N / eps)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def isvt4(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SVT3 of DP-Sniper, iSVT4 of StatDP, Algorithm 3 of Lyu et al. (Roth's notes): releases the noisy answer."""
    t = T + Lap(2 / eps)
    out = []
    count = 0
    for x in q:
        b = x + Lap(2 * N / eps)
        if b > t:
            out.append(b)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def isvt3(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SVT4 of DP-Sniper, iSVT3 of StatDP, Algorithm 4 of Lyu et al. (Lee and Clifton): query noise without N."""
    t = T + Lap(4 / eps)
    out = []
    count = 0
    for x in q:
        if x + Lap(4 / (3 * eps)) > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def isvt1(q: Private, eps: Epsilon, T: float = 0):
    """SVT5 of DP-Sniper, iSVT1 of StatDP, Algorithm 5 of Lyu et al. (Stoddard et al.): no query noise, no cut-off."""
    t = T + Lap(2 / eps)
    return [x >= t for x in q]


@sketch(adjacent=each_within(1))
def isvt2(q: Private, eps: Epsilon, T: float = 0):
    """SVT6 of DP-Sniper, iSVT2 of StatDP, Algorithm 6 of Lyu et al. (Chen et al.): no cut-off."""
    t = T + Lap(2 / eps)
    return [x + Lap(2 / eps) >= t for x in q]


@sketch(adjacent=each_within(1))
def gap_svt(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """Releases by how much the noisy answer is above the noisy threshold."""
    t = T + Lap(2 / eps)
    out = []
    count = 0
    for x in q:
        b = x + Lap(4 * N / eps)
        if b > t:
            out.append(b - t)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def bad_gap_svt(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """BadGapSVT of CheckDP: the noisy answer in place of the gap."""
    t = T + Lap(2 / eps)
    out = []
    count = 0
    for x in q:
        b = x + Lap(4 * N / eps)
        if b > t:
            out.append(b)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def num_svt(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """Releases the answer with noise of its own."""
    t = T + Lap(3 / eps)
    out = []
    count = 0
    for x in q:
        if x + Lap(6 * N / eps) > t:
            out.append(x + Lap(3 * N / eps))
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def adaptive_svt(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """Adaptive SVT with gap of CheckDP: an answer far above costs 1 of 2N, one just above costs 2."""
    t = T + Lap(2 / eps)
    out = []
    spent = 0
    for x in q:
        if spent > 2 * N - 2:
            break
        top = x + Lap(8 * N / eps) - t
        if top > 4:
            out.append(top)
            spent = spent + 1
        else:
            middle = x + Lap(4 * N / eps) - t
            if middle > 0:
                out.append(middle)
                spent = spent + 2
            else:
                out.append(False)
    return out


@sketch(adjacent=each_within(1))
def svt34_parallel(q: Private, eps: Epsilon, N: int = 2, T: float = 0):
    """SVT34Parallel of DP-Sniper: isvt4 and isvt3 on the same queries, one after the other."""
    t = T + Lap(2 / eps)
    out = []
    count = 0
    for x in q:
        if count < N:
            b = x + Lap(2 * N / eps)
            if b > t:
                out.append(b)
                count = count + 1
            else:
                out.append(False)
        else:
            out.append(None)
    t = T + Lap(4 / eps)
    count = 0
    for x in q:
        if count < N:
            if x + Lap(4 / (3 * eps)) > t:
                out.append(True)
                count = count + 1
            else:
                out.append(False)
        else:
            out.append(None)
    return out
