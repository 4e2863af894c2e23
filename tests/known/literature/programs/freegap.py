"""Free gap information (Ding, Wang, Xiao, Zhang, Kifer; VLDB 2019 and VLDB Journal 2022): gaps that cost nothing, adaptive budgets."""

from kolahal import Epsilon, Lap, Private, each_within, monotone, sketch


@sketch(adjacent=each_within(1))
def sparse_vector_with_gap(q: Private, eps: Epsilon, k: int = 1, T: float = 0):
    """Sparse vector with gap: budgets have names.

    truth: private (1/2 + 2k/(4k))
    """
    epsilon_1 = eps / 2
    epsilon_2 = eps / 2
    out = []
    i, count = 0, 0
    noisy_threshold = T + Lap(1 / epsilon_1)
    while i < len(q) and count < k:
        noisy_q_i = q[i] + Lap(2 * k / epsilon_2)
        if noisy_q_i >= noisy_threshold:
            out.append(i)
            out.append(noisy_q_i - noisy_threshold)
            count += 1
        i += 1
    return out


@sketch(adjacent=each_within(1))
def noisy_max_with_gap(q: Private, eps: Epsilon):
    """Noisy max with gap, in one pass: the largest so far, and how far the next is behind.

    truth: private (the winner's noise alone moves, by at most 2; the gap stays)
    """
    imax, largest, gap = 0, 0, 0
    for i in range(len(q)):
        noisy = q[i] + Lap(2 / eps)
        if i == 0:
            largest = noisy
        elif noisy > largest:
            imax = i
            gap = noisy - largest
            largest = noisy
        elif i == 1 or noisy > largest - gap:
            gap = largest - noisy
    return imax, gap


@sketch(adjacent=each_within(1))
def noisy_max_with_gap_from_zero(q: Private, eps: Epsilon):
    """Noisy max with gap as an early draft of its code has it: the gap of the first answer is measured from 0.

    truth: broken (where the first wins below 0 the gap is its noisy value, and all others are below it: n/2 eps)
    witness: [0,0,0] [1,1,1] eps=2 cut=1e-4
    """
    i, imax, largest, gap = 0, 0, 0, 0
    while i < len(q):
        eta_i = Lap(2 / eps)
        noisy_q_i = q[i] + eta_i
        if noisy_q_i > largest or i == 0:
            imax = i
            gap = noisy_q_i - largest
            largest = noisy_q_i
        else:
            if noisy_q_i > largest - gap:
                gap = largest - noisy_q_i
        i = i + 1
    return imax, gap


@sketch(adjacent=each_within(1))
def noisy_max_with_gap_list(q: Private[4], eps: Epsilon):
    """Noisy max with gap from a noisy list: the best place, then the best of the others.

    truth: private (as the one-pass version)
    """
    noisy = [x + Lap(2 / eps) for x in q]
    best = 0
    for i in range(len(q)):
        if noisy[i] > noisy[best]:
            best = i
    second = None
    for i in range(len(q)):
        if i != best:
            if second is None or noisy[i] > second:
                second = noisy[i]
    if second is None:
        return best, 0
    return best, noisy[best] - second


@sketch(adjacent=each_within(1))
def top_two(q: Private, eps: Epsilon):
    """Noisy top-k of the paper with k = 2: the places of the two largest noisy answers, in order.

    truth: private (two noises move by at most 2 at scale 4/eps)
    """
    noisy = [x + Lap(4 / eps) for x in q]
    first, second = None, None
    for i in range(len(q)):
        if first is None or noisy[i] > noisy[first]:
            second = first
            first = i
        elif second is None or noisy[i] > noisy[second]:
            second = i
    return first, second


@sketch(adjacent=each_within(1))
def top_two_with_gap(q: Private[3], eps: Epsilon):
    """Noisy top-k with gap, k = 2 of three answers: two places and two gaps.

    truth: private (two noises move by at most 2 at scale 4/eps)
    """
    a = q[0] + Lap(4 / eps)
    b = q[1] + Lap(4 / eps)
    c = q[2] + Lap(4 / eps)
    if a >= b and b >= c:
        return 0, 1, a - b, b - c
    if a >= c and c >= b:
        return 0, 2, a - c, c - b
    if b >= a and a >= c:
        return 1, 0, b - a, a - c
    if b >= c and c >= a:
        return 1, 2, b - c, c - a
    if c >= a and a >= b:
        return 2, 0, c - a, a - b
    return 2, 1, c - b, b - a


@sketch(adjacent=monotone(1))
def top_two_counting(q: Private, eps: Epsilon):
    """Noisy top-k for counting queries, k = 2: half of the noise.

    truth: private (two noises move by at most 1 at scale 2/eps)
    """
    noisy = [x + Lap(2 / eps) for x in q]
    first, second = None, None
    for i in range(len(q)):
        if first is None or noisy[i] > noisy[first]:
            second = first
            first = i
        elif second is None or noisy[i] > noisy[second]:
            second = i
    return first, second


@sketch(adjacent=monotone(1))
def sparse_vector_with_gap_counting(q: Private, eps: Epsilon, k: int = 1, T: float = 0):
    """Sparse vector with gap for counting queries: k/eps2 in place of 2k/eps2.

    truth: private (1/2 + k/(2k))
    """
    out = []
    i, count = 0, 0
    noisy_threshold = T + Lap(2 / eps)
    while i < len(q) and count < k:
        noisy_q_i = q[i] + Lap(2 * k / eps)
        if noisy_q_i >= noisy_threshold:
            out.append(noisy_q_i - noisy_threshold)
            count += 1
        else:
            out.append(False)
        i += 1
    return out


@sketch(adjacent=each_within(1))
def adaptive_sparse_vector(q: Private, eps: Epsilon, k: int = 1, T: float = 0, sigma: float = 2):
    """Adaptive sparse vector: both noises first, the budget in a variable that is compared with eps.

    truth: private (eps/2 for the threshold, 2 epsilon_1 or 2 epsilon_2 an answer, until less than 2 epsilon_2 is left)
    """
    epsilon_0 = eps / 2
    epsilon_1 = eps / (8 * k)
    epsilon_2 = eps / (4 * k)
    out = []
    i = 0
    priv = epsilon_0
    noisy_threshold = T + Lap(1 / epsilon_0)
    while i < len(q) and priv <= eps - 2 * epsilon_2:
        eta_i = Lap(1 / epsilon_1)
        xi_i = Lap(1 / epsilon_2)
        if q[i] + eta_i - noisy_threshold >= sigma:
            out.append(i)
            priv += 2 * epsilon_1
        elif q[i] + xi_i - noisy_threshold >= 0:
            out.append(i)
            priv += 2 * epsilon_2
        i += 1
    return out


@sketch(adjacent=each_within(1))
def adaptive_sparse_vector_with_gap(q: Private, eps: Epsilon, k: int = 1, T: float = 0, sigma: float = 2):
    """Adaptive sparse vector with gap: the same, and the gaps are told, with the branch that they came from.

    truth: private (gaps are free)
    """
    epsilon_0 = eps / 2
    epsilon_1 = eps / (8 * k)
    epsilon_2 = eps / (4 * k)
    out = []
    cost = epsilon_0
    noisy_threshold = T + Lap(1 / epsilon_0)
    for x in q:
        if cost > eps - 2 * epsilon_2:
            break
        eta_i = Lap(1 / epsilon_1)
        xi_i = Lap(1 / epsilon_2)
        if x + eta_i - noisy_threshold >= sigma:
            out.append(True)
            out.append(x + eta_i - noisy_threshold)
            cost += 2 * epsilon_1
        elif x + xi_i - noisy_threshold >= 0:
            out.append(False)
            out.append(x + xi_i - noisy_threshold)
            cost += 2 * epsilon_2
        else:
            out.append(None)
    return out


@sketch(adjacent=each_within(1))
def adaptive_sparse_vector_counter(q: Private, eps: Epsilon, c: int = 1, T: float = 0, sigma: float = 2):
    """Adaptive sparse vector with a whole counter: an answer far above counts once, one just above twice, up to 2c.

    truth: private (1/2 + 2c times 1/(4c))
    """
    out = []
    count, i = 0, 0
    noisy_threshold = T + Lap(2 / eps)
    while i < len(q) and count <= 2 * c - 2:
        eta_i = Lap(8 * c / eps)
        if q[i] + eta_i >= noisy_threshold + sigma:
            out.append(True)
            count += 1
        else:
            psi_i = Lap(4 * c / eps)
            if q[i] + psi_i >= noisy_threshold:
                out.append(True)
                count += 2
            else:
                out.append(False)
        i += 1
    return out


@sketch(adjacent=each_within(1))
def max_with_measure(q: Private[4], eps: Epsilon):
    """Noisy max, half of the budget, and the winner measured afresh with the other half.

    truth: private (2/4 + 1/2)
    """
    noisy = [x + Lap(4 / eps) for x in q]
    best = 0
    for i in range(len(q)):
        if noisy[i] > noisy[best]:
            best = i
    return best, q[best] + Lap(2 / eps)


@sketch(adjacent=each_within(1))
def noisy_max_with_gap_half(q: Private, eps: Epsilon):
    """Noisy max with gap at scale 1/eps, which is enough for counting queries only.

    truth: broken (two answers, the winner down and the other up: 2 eps)
    witness: [1,0] [0,1] eps=1 cut=1e-5
    """
    imax, largest, gap = 0, 0, 0
    for i in range(len(q)):
        noisy = q[i] + Lap(1 / eps)
        if i == 0:
            largest = noisy
        elif noisy > largest:
            imax = i
            gap = noisy - largest
            largest = noisy
        elif i == 1 or noisy > largest - gap:
            gap = largest - noisy
    return imax, gap


@sketch(adjacent=each_within(1))
def top_two_unscaled(q: Private, eps: Epsilon):
    """Noisy top-k, k = 2, with the noise of k = 1.

    truth: broken (2 eps in the limit: two far behind many others that move up, while the two move down)
    """
    noisy = [x + Lap(2 / eps) for x in q]
    first, second = None, None
    for i in range(len(q)):
        if first is None or noisy[i] > noisy[first]:
            second = first
            first = i
        elif second is None or noisy[i] > noisy[second]:
            second = i
    return first, second


@sketch(adjacent=each_within(1))
def max_and_its_noisy_value(q: Private, eps: Epsilon):
    """Noisy max that tells the place and the noisy value, as if it were a gap.

    truth: broken (n/2 eps: three answers that move up by 1, and a low value)
    """
    best, largest = 0, 0
    for i in range(len(q)):
        noisy = q[i] + Lap(2 / eps)
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best, largest


@sketch(adjacent=each_within(1))
def adaptive_sparse_vector_overspent(q: Private, eps: Epsilon, k: int = 2, T: float = 0, sigma: float = 2):
    """Adaptive sparse vector that counts answers and forgets that near ones cost twice: 2k answers of either kind.

    truth: broken (2k near answers cost 2k * eps/2k more than the threshold: 1.5 eps)
    """
    out = []
    count = 0
    noisy_threshold = T + Lap(2 / eps)
    for x in q:
        if count == 2 * k:
            break
        eta_i = Lap(8 * k / eps)
        xi_i = Lap(4 * k / eps)
        if x + eta_i - noisy_threshold >= sigma:
            out.append(True)
            count += 1
        elif x + xi_i - noisy_threshold >= 0:
            out.append(True)
            count += 1
        else:
            out.append(False)
    return out
