"""CheckDP (Wang, Ding, Kifer, Zhang; CCS 2020): its benchmarks, right and wrong, in its own order of words.

Every draw has a name before it is used, loops are `while` over a counter, outputs are appended one by one.
"""

from kolahal import Epsilon, Lap, Private, each_within, monotone, one_within, sketch


@sketch(adjacent=each_within(1))
def noisy_max(q: Private, eps: Epsilon):
    """NoisyMax of CheckDP: the place of the largest noisy answer, the first turn by `or i == 0`.

    truth: private (the winner's noise moves by 2 at scale 2/eps)
    """
    largest, bq, i = 0, 0, 0
    while i < len(q):
        eta = Lap(2 / eps)
        if q[i] + eta > bq or i == 0:
            largest = i
            bq = q[i] + eta
        i = i + 1
    return largest


@sketch(adjacent=each_within(1))
def sparse_vector(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SparseVector of CheckDP: the loop's own condition counts the answers above.

    truth: private (1/2 for the threshold, 2/(4N) for each of N answers)
    """
    out = []
    eta_1 = Lap(2 / eps)
    T_bar = T + eta_1
    count, i = 0, 0
    while count < N and i < len(q):
        eta_2 = Lap(4 * N / eps)
        if q[i] + eta_2 >= T_bar:
            out.append(1)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out


@sketch(adjacent=monotone(1))
def svt_monotone(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SVT increasing and SVT decreasing of CheckDP: all answers move one way, so half of the noise is enough.

    truth: private (up: threshold and answers by at most 1; down: answers alone)
    """
    out = []
    eta_1 = Lap(2 / eps)
    T_bar = T + eta_1
    count, i = 0, 0
    while count < N and i < len(q):
        eta_2 = Lap(2 * N / eps)
        if q[i] + eta_2 >= T_bar:
            out.append(1)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def gap_sparse_vector(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """GapSVT of CheckDP: by how much the noisy answer is above the noisy threshold.

    truth: private (the threshold moves by 1, each answer that is told by at most 2)
    """
    out = []
    eta_1 = Lap(2 / eps)
    T_bar = T + eta_1
    count, i = 0, 0
    while count < N and i < len(q):
        eta_2 = Lap(4 * N / eps)
        if q[i] + eta_2 >= T_bar:
            out.append(q[i] + eta_2 - T_bar)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def num_sparse_vector(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """NumSVT of CheckDP: an answer above is told with noise of its own.

    truth: private (1/3 + 2N/(6N) + N/(3N))
    """
    out = []
    eta_1 = Lap(3 / eps)
    T_bar = T + eta_1
    count, i = 0, 0
    while count < N and i < len(q):
        eta_2 = Lap(6 * N / eps)
        if q[i] + eta_2 >= T_bar:
            eta_3 = Lap(3 * N / eps)
            out.append(q[i] + eta_3)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def adaptive_sparse_vector(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """AdaptiveSVT of CheckDP: the budget that is spent is kept in a variable, in units of eps/4N.

    truth: private (eps/2 for the threshold; eps/4N for each answer of the first branch, eps/2N of the second, until spent)
    """
    out = []
    eta_1 = Lap(2 / eps)
    T_bar = T + eta_1
    i = 0
    cost = eps * N * 2
    while i < len(q):
        eta_3 = Lap(8 * N / eps)
        if q[i] + eta_3 - T_bar >= 16:
            out.append(q[i] + eta_3 - T_bar)
            cost = cost + eps
        else:
            eta_2 = Lap(4 * N / eps)
            if q[i] + eta_2 - T_bar >= 0:
                out.append(q[i] + eta_2 - T_bar)
                cost = cost + 2 * eps
            else:
                out.append(0)
        i = i + 1
        if cost > 4 * N * eps - 2 * eps:
            break
    return out


@sketch(adjacent=one_within(1))
def partial_sum(q: Private, eps: Epsilon):
    """PartialSum of CheckDP: the sum first, then a draw with a name, then the output.

    truth: private (the sum moves by 1)
    """
    sum, i = 0, 0
    while i < len(q):
        sum = sum + q[i]
        i = i + 1
    eta = Lap(1 / eps)
    out = sum + eta
    return out


@sketch(adjacent=one_within(1))
def smart_sum(q: Private, eps: Epsilon, T: int = 3, M: int = 2):
    """SmartSum of CheckDP: running sums up to place T, which start again at every M-th with the sum of the block.

    claim: 2*eps
    truth: private (an item moves one block's sum and one item's output)
    """
    out = []
    next, i, sum = 0, 0, 0
    while i <= T and i < len(q):
        if (i + 1) % M == 0:
            eta_1 = Lap(1 / eps)
            next = sum + q[i] + eta_1
            sum = 0
            out.append(next)
        else:
            eta_2 = Lap(1 / eps)
            next = next + q[i] + eta_2
            sum = sum + q[i]
            out.append(next)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def bad_noisy_max(q: Private, eps: Epsilon):
    """BadNoisyMax of CheckDP: the largest noisy answer itself.

    truth: broken (all noises move: a low value on three answers that all move up by 1 costs 3/2 eps)
    witness: [0,0,0] [1,1,1] eps=2 cut=1e-4
    """
    bq, i = 0, 0
    while i < len(q):
        eta = Lap(2 / eps)
        if q[i] + eta > bq or i == 0:
            bq = q[i] + eta
        i = i + 1
    return bq


@sketch(adjacent=each_within(1))
def bad_sparse_vector_1(q: Private, eps: Epsilon, T: float = 0):
    """BadSVT1 of CheckDP: noise on the threshold alone, and no bound on answers above.

    truth: broken ([1, 0] can be above and below, [0, 1] cannot)
    witness: [1,0] [0,1] T=0
    """
    out = []
    eta_1 = Lap(2 / eps)
    T_bar = T + eta_1
    i = 0
    while i < len(q):
        if q[i] >= T_bar:
            out.append(1)
        else:
            out.append(0)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def bad_sparse_vector_2(q: Private, eps: Epsilon, T: float = 0):
    """BadSVT2 of CheckDP: no bound on answers above, and noise that does not grow with their number.

    truth: broken (every answer's noise must move: n/2 eps in the limit, half of the answers above and half below)
    """
    out = []
    eta_1 = Lap(2 / eps)
    T_bar = T + eta_1
    count, i = 0, 0
    while i < len(q):
        eta_2 = Lap(2 / eps)
        if q[i] + eta_2 >= T_bar:
            out.append(1)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def bad_sparse_vector_3(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """BadSVT3 of CheckDP: scales 4/eps and 4/(3 eps), whatever N is.

    truth: broken (1/4 + 6N/4 eps: 1.75 eps at N = 1, by many below and one above)
    """
    out = []
    eta_1 = Lap(4 / eps)
    T_bar = T + eta_1
    count, i = 0, 0
    while count < N and i < len(q):
        eta_2 = Lap(4 / (3 * eps))
        if q[i] + eta_2 >= T_bar:
            out.append(1)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def bad_gap_sparse_vector(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """BadGapSVT of CheckDP: the noisy answer that was compared is told, not its distance from the threshold.

    truth: broken (a very low answer above bounds the threshold, so every answer below costs 1/4 eps: five are enough)
    """
    out = []
    eta_1 = Lap(2 / eps)
    T_bar = T + eta_1
    count, i = 0, 0
    while count < N and i < len(q):
        eta_2 = Lap(4 * N / eps)
        if q[i] + eta_2 >= T_bar:
            out.append(q[i] + eta_2)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def bad_adaptive_sparse_vector(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """BadAdaptiveSVT of CheckDP: noisy answers in place of gaps.

    truth: broken (as BadGapSVT: each answer below costs 1/8 + 1/4 eps where the answer above is very low)
    """
    out = []
    eta_1 = Lap(2 / eps)
    T_bar = T + eta_1
    i = 0
    cost = eps * N * 2
    while i < len(q):
        eta_3 = Lap(8 * N / eps)
        if q[i] + eta_3 - T_bar >= 16:
            out.append(q[i] + eta_3)
            cost = cost + eps
        else:
            eta_2 = Lap(4 * N / eps)
            if q[i] + eta_2 - T_bar >= 0:
                out.append(q[i] + eta_2)
                cost = cost + 2 * eps
            else:
                out.append(0)
        i = i + 1
        if cost > 4 * N * eps - 2 * eps:
            break
    return out


@sketch(adjacent=one_within(1))
def bad_smart_sum(q: Private, eps: Epsilon, T: int = 3, M: int = 2):
    """BadSmartSum of CheckDP: the sum of a block without noise.

    claim: 2*eps
    truth: broken (M = 1: the first output is the raw first item)
    witness: [0] [1] M=1 T=3
    """
    out = []
    next, i, sum = 0, 0, 0
    while i <= T and i < len(q):
        if (i + 1) % M == 0:
            next = sum + q[i]
            sum = 0
            out.append(next)
        else:
            eta_2 = Lap(1 / eps)
            next = next + q[i] + eta_2
            sum = sum + q[i]
            out.append(next)
        i = i + 1
    return out


@sketch(adjacent=one_within(1))
def bad_partial_sum(q: Private, eps: Epsilon):
    """BadPartialSum of CheckDP: half of the noise.

    truth: broken (exactly 2 eps, on [0] and [1])
    witness: [0] [1] eps=1
    """
    sum, i = 0, 0
    while i < len(q):
        sum = sum + q[i]
        i = i + 1
    eta = Lap(1 / (2 * eps))
    out = sum + eta
    return out
