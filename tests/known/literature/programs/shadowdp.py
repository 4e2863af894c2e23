"""ShadowDP (Wang, Ding, Wang, Kifer, Zhang; PLDI 2019) and the coupling proofs of Albarghouthi and Hsu (POPL 2018)."""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def noisy_max(q: Private, eps: Epsilon):
    """NoisyMax of ShadowDP: the noisy answer has a name too.

    truth: private (the winner's noise moves by 2 at scale 2/eps)
    """
    bq, largest, i = 0, 0, 0
    while i < len(q):
        eta = Lap(2 / eps)
        noisy = q[i] + eta
        if i == 0 or noisy > bq:
            largest = i
            bq = noisy
        i = i + 1
    return largest


@sketch(adjacent=each_within(1))
def sparse_vector_one(q: Private, eps: Epsilon, T: float = 0):
    """SVT of ShadowDP with N = 1: a loop until one is found.

    truth: private (1/2 + 2/4)
    """
    out = []
    eta_1 = Lap(2 / eps)
    noisy_t = T + eta_1
    count, i = 0, 0
    while count < 1 and i < len(q):
        eta_2 = Lap(4 / eps)
        if q[i] + eta_2 >= noisy_t:
            out.append(True)
            count = count + 1
        else:
            out.append(False)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def num_sparse_vector_one(q: Private, eps: Epsilon, T: float = 0):
    """NumSVT of ShadowDP with N = 1.

    truth: private (1/3 + 2/6 + 1/3)
    """
    out = []
    eta_1 = Lap(3 / eps)
    noisy_t = T + eta_1
    count, i = 0, 0
    while count < 1 and i < len(q):
        eta_2 = Lap(6 / eps)
        if q[i] + eta_2 >= noisy_t:
            eta_3 = Lap(3 / eps)
            out.append(q[i] + eta_3)
            count = count + 1
        else:
            out.append(False)
        i = i + 1
    return out


@sketch(adjacent=one_within(1))
def prefix_sum(q: Private, eps: Epsilon):
    """PrefixSum of ShadowDP: every running sum of noisy items.

    truth: private (one item's noise moves by 1)
    """
    out = []
    next, i = 0, 0
    while i < len(q):
        eta = Lap(1 / eps)
        next = next + q[i] + eta
        out.append(next)
        i = i + 1
    return out


@sketch(adjacent=one_within(1))
def smart_sum(q: Private, eps: Epsilon, M: int = 2):
    """SmartSum of ShadowDP: a block's sum is added to the total of all blocks before.

    truth: private (1/2 for the block, 1/2 for the item)
    """
    out = []
    next, n, i, sum = 0, 0, 0, 0
    while i < len(q):
        if (i + 1) % M == 0:
            eta_1 = Lap(2 / eps)
            n = n + sum + q[i] + eta_1
            next = n
            sum = 0
        else:
            eta_2 = Lap(2 / eps)
            next = next + q[i] + eta_2
            sum = sum + q[i]
        out.append(next)
        i = i + 1
    return out


@sketch(adjacent=each_within(1))
def exponential_mechanism(q: Private, eps: Epsilon):
    """ExpMech of Albarghouthi and Hsu: the largest score with one-sided noise.

    truth: private (the winner's noise moves up by at most 2 at scale 2/eps)
    """
    best, i = 0, 0
    score = None
    while i < len(q):
        d = Exp(2 / eps)
        if score is None or q[i] + d > score:
            score = q[i] + d
            best = i
        i = i + 1
    return best


@sketch(adjacent=each_within(1))
def above_threshold_n(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """AboveTN of Albarghouthi and Hsu: the places of the first N above.

    truth: private (1/2 + 2N/(4N))
    """
    t = T + Lap(2 / eps)
    ans = []
    i = 0
    while i < len(q) and len(ans) < N:
        a = q[i] + Lap(4 * N / eps)
        if a > t:
            ans.append(i)
        i = i + 1
    return ans


@sketch(adjacent=each_within(1))
def num_above_threshold(q: Private, eps: Epsilon, T: float = 0):
    """NumAboveT of Albarghouthi and Hsu: the first place above, and its answer with fresh noise.

    truth: private (1/3 + 2/6 + 1/3)
    """
    t = T + Lap(3 / eps)
    i = 0
    while i < len(q):
        a = q[i] + Lap(6 / eps)
        if a > t:
            b = q[i] + Lap(3 / eps)
            return i, b
        i = i + 1
    return -1, 0


@sketch(adjacent=each_within(1))
def num_above_threshold_unsplit(q: Private, eps: Epsilon, T: float = 0):
    """NumAboveT with the scales of AboveT, and 1/eps for the answer: the budget of the answer is forgotten.

    truth: broken (2 eps: the sum 1/2 + 2/4 + 1 is reached by many below and one above)
    """
    t = T + Lap(2 / eps)
    i = 0
    while i < len(q):
        a = q[i] + Lap(4 / eps)
        if a > t:
            b = q[i] + Lap(1 / eps)
            return i, b
        i = i + 1
    return -1, 0
