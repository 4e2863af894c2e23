"""StatDP (Ding, Wang, Wang, Zhang, Kifer; CCS 2018): noise on a whole list at once, then plain Python over it."""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def noisy_max_v1a(q: Private, eps: Epsilon):
    """noisy_max_v1a of StatDP: a noisy list, and the place of its largest item by `noisy[i] > noisy[best]`.

    truth: private (the winner's noise moves by 2 at scale 2/eps)
    """
    noisy = [x + Lap(2 / eps) for x in q]
    best = 0
    for i in range(len(noisy)):
        if noisy[i] > noisy[best]:
            best = i
    return best


@sketch(adjacent=each_within(1))
def noisy_max_v2a(q: Private, eps: Epsilon):
    """noisy_max_v2a of StatDP: the same with one-sided noise.

    truth: private (the winner's noise moves up by at most 2)
    """
    noisy = [x + Exp(2 / eps) for x in q]
    best = 0
    for i in range(len(noisy)):
        if noisy[i] > noisy[best]:
            best = i
    return best


@sketch(adjacent=each_within(1))
def noisy_max_v1b(q: Private, eps: Epsilon):
    """noisy_max_v1b of StatDP: the largest item of the noisy list itself.

    truth: broken (a low value on three answers that all move up by 1 costs 3/2 eps)
    """
    noisy = [x + Lap(2 / eps) for x in q]
    best = 0
    for i in range(len(noisy)):
        if noisy[i] > noisy[best]:
            best = i
    return noisy[best]


@sketch(adjacent=each_within(1))
def noisy_max_v2b(q: Private, eps: Epsilon):
    """noisy_max_v2b of StatDP: the largest item with one-sided noise.

    truth: broken (a value below 1 is possible on [0] and not on [1])
    witness: [0] [1]
    """
    noisy = [x + Exp(2 / eps) for x in q]
    largest = noisy[0]
    for x in noisy:
        if x > largest:
            largest = x
    return largest


@sketch(adjacent=one_within(1))
def histogram(q: Private, eps: Epsilon):
    """histogram of StatDP: noise on all cells, the first is told.

    truth: private (1/1)
    """
    noisy = [x + Lap(1 / eps) for x in q]
    return noisy[0]


@sketch(adjacent=one_within(1))
def histogram_whole(q: Private, eps: Epsilon):
    """histogram of StatDP's paper: all cells are told.

    truth: private (one cell moves by 1)
    """
    noisy_array = [query + Lap(1 / eps) for query in q]
    return noisy_array


@sketch(adjacent=one_within(1))
def histogram_eps(q: Private, eps: Epsilon):
    """histogram_eps of StatDP: scale eps in place of 1/eps.

    truth: broken (1/eps, more than eps where eps is below 1)
    witness: [0] [1] eps=1/2 step=1/4
    """
    noisy = [x + Lap(eps) for x in q]
    return noisy[0]


@sketch(adjacent=each_within(1))
def svt(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SVT of StatDP: how many are below before the N-th above.

    truth: private (a count of what sparse vector tells)
    """
    eta1 = Lap(2 / eps)
    noisy_T = T + eta1
    c1, below = 0, 0
    for query in q:
        eta2 = Lap(4 * N / eps)
        if query + eta2 >= noisy_T:
            c1 += 1
            if c1 >= N:
                break
        else:
            below += 1
    return below


@sketch(adjacent=each_within(1))
def svt_list(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """SVT of StatDP before it is projected: the list of truth values.

    truth: private (1/2 + 2N/(4N))
    """
    out = []
    eta1 = Lap(2 / eps)
    noisy_T = T + eta1
    c1 = 0
    for query in q:
        eta2 = Lap(4 * N / eps)
        if query + eta2 >= noisy_T:
            out.append(True)
            c1 += 1
            if c1 >= N:
                break
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def isvt1(q: Private, eps: Epsilon, T: float = 0):
    """iSVT1 of StatDP: no noise on answers; the distance from "the first half above, the others below" is told.

    truth: broken (distance 0 is possible on [1, 0] and not on [0, 1])
    witness: [1,0] [0,1] T=0
    """
    out = []
    eta1 = Lap(2 / eps)
    noisy_T = T + eta1
    for query in q:
        if query >= noisy_T:
            out.append(True)
        else:
            out.append(False)
    distance = 0
    for i in range(len(q)):
        if out[i] != (i < len(q) // 2):
            distance += 1
    return distance


@sketch(adjacent=each_within(1))
def isvt2(q: Private, eps: Epsilon, T: float = 0):
    """iSVT2 of StatDP: no bound on answers above; the same distance.

    truth: broken (distance 0 where the first half moves down and the others up: n/2 eps in the limit)
    """
    out = []
    eta1 = Lap(2 / eps)
    noisy_T = T + eta1
    for query in q:
        eta2 = Lap(2 / eps)
        if query + eta2 >= noisy_T:
            out.append(True)
        else:
            out.append(False)
    distance = 0
    for i in range(len(q)):
        if out[i] != (i < len(q) // 2):
            distance += 1
    return distance


@sketch(adjacent=each_within(1))
def isvt3(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """iSVT3 of StatDP: scales 4/eps and 4/(3 eps); the distance counts what is missing too.

    truth: broken (the largest distance says that the first half was below and the next above: 1.75 eps in the limit)
    """
    out = []
    eta1 = Lap(4 / eps)
    noisy_T = T + eta1
    c1 = 0
    for query in q:
        eta2 = Lap(4 / (3 * eps))
        if query + eta2 > noisy_T:
            out.append(True)
            c1 += 1
            if c1 >= N:
                break
        else:
            out.append(False)
    distance = len(q) - len(out)
    for i in range(len(out)):
        if out[i] != (i < len(q) // 2):
            distance += 1
    return distance


@sketch(adjacent=each_within(1))
def isvt4(q: Private, eps: Epsilon, N: int = 1, T: float = 0):
    """iSVT4 of StatDP: how many are below, and the last output, which is the noisy answer that was compared.

    truth: broken (a very low answer above bounds the threshold: n/2 eps)
    """
    eta1 = Lap(2 / eps)
    noisy_T = T + eta1
    c1, below = 0, 0
    last = None
    for query in q:
        eta2 = Lap(2 * N / eps)
        if query + eta2 > noisy_T:
            last = query + eta2
            c1 += 1
            if c1 >= N:
                break
        else:
            last = None
            below += 1
    return below, last
