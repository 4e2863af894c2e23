"""DiPC (Barthe, Chadha, Jagannath, Sistla, Viswanathan; LICS 2020) and DiPApprox (Bhusal and others; CCS 2025).

Programs without loops, or with few fixed turns, for a fixed number of answers; with noise on the reals and on whole numbers.
"""

from kolahal import DiscreteLap, Epsilon, Exp, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def svt_two(q: Private[2], eps: Epsilon, T: float = 0):
    """SVT-Laplace of DiPApprox, two answers: no loop.

    truth: private (1/2 + 2/4)
    """
    t = T + Lap(2 / eps)
    r1 = q[0] + Lap(4 / eps)
    if r1 >= t:
        return 1
    r2 = q[1] + Lap(4 / eps)
    if r2 >= t:
        return 2
    return 0


@sketch(adjacent=each_within(1))
def svt_three(q: Private[3], eps: Epsilon, T: float = 0):
    """SVT-Laplace of DiPApprox, three answers: all noise first, nested branches.

    truth: private (1/2 + 2/4)
    """
    t = T + Lap(2 / eps)
    r1 = q[0] + Lap(4 / eps)
    r2 = q[1] + Lap(4 / eps)
    r3 = q[2] + Lap(4 / eps)
    if r1 < t:
        if r2 < t:
            if r3 < t:
                out = 0
            else:
                out = 3
        else:
            out = 2
    else:
        out = 1
    return out


@sketch(adjacent=each_within(1))
def svt_whole(q: Private[int], eps: Epsilon, T: int = 0):
    """SVT of DiPC with noise on the whole numbers.

    truth: private (1/2 + 2/4, whole moves)
    """
    rt = T + DiscreteLap(2 / eps)
    out = []
    for i in range(len(q)):
        rq = q[i] + DiscreteLap(4 / eps)
        if rq >= rt:
            out.append(True)
            break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def numeric_svt_whole(q: Private[int], eps: Epsilon, T: int = 0):
    """NumericSparse of DiPC with noise on the whole numbers.

    truth: private (1/3 + 2/6 + 1/3)
    """
    rt = T + DiscreteLap(3 / eps)
    out = []
    for i in range(len(q)):
        rq = q[i] + DiscreteLap(6 / eps)
        if rq >= rt:
            out.append(q[i] + DiscreteLap(3 / eps))
            break
        out.append(None)
    return out


@sketch(adjacent=each_within(1))
def noisy_max_three(q: Private[3], eps: Epsilon):
    """Noisy-Max of DiPApprox, three answers: compared in pairs.

    truth: private (2/2)
    """
    r1 = q[0] + Lap(2 / eps)
    r2 = q[1] + Lap(2 / eps)
    r3 = q[2] + Lap(2 / eps)
    if r1 >= r2 and r1 >= r3:
        return 1
    if r2 >= r3:
        return 2
    return 3


@sketch(adjacent=each_within(1))
def noisy_min_three(q: Private[3], eps: Epsilon):
    """Noisy-Min of DiPApprox, three answers: a tournament.

    truth: private (2/2)
    """
    best = 1
    least = q[0] + Lap(2 / eps)
    r2 = q[1] + Lap(2 / eps)
    if r2 < least:
        best = 2
        least = r2
    r3 = q[2] + Lap(2 / eps)
    if r3 < least:
        best = 3
    return best


@sketch(adjacent=each_within(1))
def noisy_max_whole(q: Private[int], eps: Epsilon):
    """Noisy max of DiPC with noise on the whole numbers: ties go to the first.

    truth: private (2/2, whole moves)
    """
    best, largest = 0, 0
    for i in range(len(q)):
        r = q[i] + DiscreteLap(2 / eps)
        if i == 0 or r > largest:
            best = i
            largest = r
    return best


@sketch(adjacent=each_within(1))
def noisy_max_four_exponential(q: Private[4], eps: Epsilon):
    """Noisy max of DiPC with one-sided noise, four answers.

    truth: private (2/2)
    """
    best = 0
    largest = q[0] + Exp(2 / eps)
    for i in range(1, 4):
        r = q[i] + Exp(2 / eps)
        if r > largest:
            best = i
            largest = r
    return best


@sketch(adjacent=one_within(1))
def histogram_three(q: Private[3], eps: Epsilon):
    """Noisy histogram of DiPC, three cells, cut off below 0.

    truth: private (post-processing of three noisy cells)
    """
    a = q[0] + Lap(1 / eps)
    b = q[1] + Lap(1 / eps)
    c = q[2] + Lap(1 / eps)
    if a < 0:
        a = 0
    if b < 0:
        b = 0
    if c < 0:
        c = 0
    return [a, b, c]


@sketch(adjacent=each_within(1))
def range_two(q: Private[2], eps: Epsilon, low: float = 0, high: float = 1):
    """m-Range of DiPApprox with one dimension, two answers: both ends are noisy.

    truth: private (1/4 + 1/4 + 2/4)
    """
    l = low + Lap(4 / eps)
    h = high + Lap(4 / eps)
    r1 = q[0] + Lap(4 / eps)
    if r1 < l or r1 >= h:
        return 1
    r2 = q[1] + Lap(4 / eps)
    if r2 < l or r2 >= h:
        return 2
    return 0


@sketch(adjacent=each_within(1))
def min_max_three(q: Private[3], eps: Epsilon):
    """k-Min-Max of DiPApprox with k = 2: is the third answer between the first two?

    truth: private (2/8 + 2/8 + 2/4)
    """
    a = q[0] + Lap(8 / eps)
    b = q[1] + Lap(8 / eps)
    if a < b:
        least = a
        most = b
    else:
        least = b
        most = a
    r = q[2] + Lap(4 / eps)
    if r >= least and r < most:
        return True
    return False


@sketch(adjacent=each_within(1))
def leaky_svt_4(q: Private[2], eps: Epsilon, T: float = 0):
    """SVT4 of DiPC and DiPApprox, two answers: noise 4/eps and 4/(3 eps), two answers above.

    truth: broken (above and below, far from the threshold: 3/4 eps each; with a shared threshold 1.5 eps)
    """
    t = T + Lap(4 / eps)
    out = []
    if q[0] + Lap(4 / (3 * eps)) >= t:
        out.append(True)
    else:
        out.append(False)
    if q[1] + Lap(4 / (3 * eps)) >= t:
        out.append(True)
    else:
        out.append(False)
    return out


@sketch(adjacent=each_within(1))
def leaky_svt_5(q: Private[2], eps: Epsilon, T: float = 0):
    """SVT5 of DiPC and DiPApprox, two answers without noise.

    truth: broken ([1, 0] can be above and below, [0, 1] cannot)
    witness: [1,0] [0,1] T=0
    """
    t = T + Lap(2 / eps)
    first = q[0] >= t
    second = q[1] >= t
    return first, second


@sketch(adjacent=each_within(1))
def leaky_svt_6(q: Private[3], eps: Epsilon, T: float = 0):
    """SVT6 of DiPC and DiPApprox, three answers and no cut-off.

    truth: broken (3/2 eps in the limit: one above, two below, far from the threshold)
    """
    t = T + Lap(2 / eps)
    r1 = q[0] + Lap(2 / eps)
    r2 = q[1] + Lap(2 / eps)
    r3 = q[2] + Lap(2 / eps)
    return [r1 >= t, r2 >= t, r3 >= t]


@sketch(adjacent=each_within(1))
def noisy_max_three_half(q: Private[3], eps: Epsilon):
    """Noisy-Max of DiPApprox with half of the noise.

    truth: broken (2 eps in the limit, the first far behind)
    witness: [0,6,6] [1,5,5] eps=1 cut=1e-4
    """
    r1 = q[0] + Lap(1 / eps)
    r2 = q[1] + Lap(1 / eps)
    r3 = q[2] + Lap(1 / eps)
    if r1 >= r2 and r1 >= r3:
        return 1
    if r2 >= r3:
        return 2
    return 3


@sketch(adjacent=each_within(1))
def min_max_three_thin(q: Private[3], eps: Epsilon):
    """k-Min-Max with k = 2 and noise 1/eps everywhere.

    truth: broken (2 eps in the limit: the third answer far above both moves up, both move down)
    witness: [0,0,5] [-1,-1,6] eps=1 cut=1e-4
    """
    a = q[0] + Lap(1 / eps)
    b = q[1] + Lap(1 / eps)
    if a < b:
        least = a
        most = b
    else:
        least = b
        most = a
    r = q[2] + Lap(1 / eps)
    if r >= least and r < most:
        return True
    return False
