"""DPGen (Wang, Ding, Xiao, Kifer, Zhang; CCS 2021): its programs with the scales that it or its authors found."""

from kolahal import Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def sparse_vector_inverse(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SVT inverse of DPGen: answers below are counted, answers above are free.

    truth: private (the threshold moves down by 1: 1/2 + 2N/(4N))
    """
    out = []
    t = T + Lap(2 / eps)
    i, count = 0, 0
    while i < len(q) and count < N:
        if q[i] + Lap(4 * N / eps) >= t:
            out.append(True)
        else:
            out.append(False)
            count += 1
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def gap_sparse_vector(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """GapSVT with the scales that DPGen finds: (3, 3N).

    truth: private (1/3 + 2N/(3N))
    """
    out = []
    t = T + Lap(3 / eps)
    i, count = 0, 0
    while i < len(q) and count < N:
        noisy = q[i] + Lap(3 * N / eps)
        if noisy >= t:
            out.append(noisy - t)
            count += 1
        else:
            out.append(False)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def num_sparse_vector(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """NumSVT with the scales that DPGen finds: (4, 4N, 4N).

    truth: private (1/4 + 2N/(4N) + N/(4N))
    """
    out = []
    t = T + Lap(4 / eps)
    i, count = 0, 0
    while i < len(q) and count < N:
        if q[i] + Lap(4 * N / eps) >= t:
            out.append(q[i] + Lap(4 * N / eps))
            count += 1
        else:
            out.append(False)
        i = i + 1
    return out


@sketch(adjacent=one_within(1))
def smart_sum(q: Private, eps: Epsilon, M: int = 2):
    """SmartSum of DPGen: the block's sum overwrites the running one.

    truth: private (1/2 for the block, 1/2 for the item)
    """
    out = []
    next, i, sum = 0, 0, 0
    while i < len(q):
        sum = sum + q[i]
        if (i + 1) % M == 0:
            next = sum + Lap(2 / eps)
            sum = 0
        else:
            next = next + q[i] + Lap(2 / eps)
        out.append(next)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def sparse_vector_inverse_unscaled(q: Private, eps: Epsilon, N: int = 2, T: float = 0):
    """SVT inverse whose noise does not grow with N.

    truth: broken (1/2 + 2N/4 eps: 1.5 eps at N = 2, by many above and two below)
    """
    out = []
    t = T + Lap(2 / eps)
    i, count = 0, 0
    while i < len(q) and count < N:
        if q[i] + Lap(4 / eps) >= t:
            out.append(True)
        else:
            out.append(False)
            count += 1
        i = i + 1
    return out
