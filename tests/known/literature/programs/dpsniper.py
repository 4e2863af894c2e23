"""DP-Sniper (Bichsel, Steffen, Bogunovic, Vechev; S&P 2021): all noise is drawn first, a flag says that a run is over.

Its arrays are lists here: `rho` for the threshold, `nu` for the answers, and -1 or None where the run was aborted.
"""

from kolahal import DiscreteLap, Epsilon, Exp, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def laplace_mechanism(q: Private[1], eps: Epsilon):
    """LaplaceMechanism of DP-Sniper: one answer.

    truth: private (1/1)
    """
    noise = Lap(1 / eps)
    return q[0] + noise


@sketch(adjacent=each_within(1))
def laplace_parallel(q: Private[1], eps: Epsilon):
    """LaplaceParallel of DP-Sniper: one answer twenty times, each with a twentieth of the budget.

    truth: private (20/20)
    """
    out = []
    for i in range(20):
        out.append(q[0] + Lap(20 / eps))
    return out


@sketch(adjacent=each_within(1))
def truncated_geometric(q: Private[int, 1], eps: Epsilon, n: int = 5):
    """TruncatedGeometric of DP-Sniper (after Ghosh, Roughgarden, Sundararajan): whole noise, cut off at 0 and n.

    truth: private (post-processing)
    """
    noisy = q[0] + DiscreteLap(1 / eps)
    if noisy < 0:
        return 0
    if noisy > n:
        return n
    return noisy


@sketch(adjacent=one_within(1))
def noisy_hist_1(q: Private, eps: Epsilon):
    """NoisyHist1 of DP-Sniper: a list of noise is added to a list of counts.

    truth: private (one count moves by 1)
    """
    noise = [Lap(1 / eps) for x in q]
    return [q[i] + noise[i] for i in range(len(q))]


@sketch(adjacent=one_within(1))
def noisy_hist_2(q: Private, eps: Epsilon):
    """NoisyHist2 of DP-Sniper: scale eps in place of 1/eps.

    truth: broken (1/eps, more than eps where eps is below 1)
    witness: [0] [1] eps=1/2 step=1/4
    """
    noise = [Lap(eps) for x in q]
    return [q[i] + noise[i] for i in range(len(q))]


@sketch(adjacent=each_within(1))
def report_noisy_max_1(q: Private, eps: Epsilon):
    """ReportNoisyMax1 of DP-Sniper: noise in one list, noisy answers in another, then the place of the largest.

    truth: private (the winner's noise moves by 2 at scale 2/eps)
    """
    v = [Lap(2 / eps) for x in q]
    m = [q[i] + v[i] for i in range(len(q))]
    best = None
    for i in range(len(m)):
        if best is None or m[i] > m[best]:
            best = i
    return best


@sketch(adjacent=each_within(1))
def report_noisy_max_2(q: Private, eps: Epsilon):
    """ReportNoisyMax2 of DP-Sniper: one-sided noise.

    truth: private (the winner's noise moves up by at most 2)
    """
    v = [Exp(2 / eps) for x in q]
    m = [q[i] + v[i] for i in range(len(q))]
    best = None
    for i in range(len(m)):
        if best is None or m[i] > m[best]:
            best = i
    return best


@sketch(adjacent=each_within(1))
def report_noisy_max_3(q: Private, eps: Epsilon):
    """ReportNoisyMax3 of DP-Sniper: the largest noisy answer itself.

    truth: broken (n/2 eps: three answers that move up by 1, and a low value)
    """
    v = [Lap(2 / eps) for x in q]
    m = [q[i] + v[i] for i in range(len(q))]
    largest = None
    for x in m:
        if largest is None or x > largest:
            largest = x
    return largest


@sketch(adjacent=each_within(1))
def report_noisy_max_4(q: Private, eps: Epsilon):
    """ReportNoisyMax4 of DP-Sniper: the same with one-sided noise.

    truth: broken (a value below 1 is possible on [0] and not on [1])
    witness: [0] [1]
    """
    v = [Exp(2 / eps) for x in q]
    m = [q[i] + v[i] for i in range(len(q))]
    largest = None
    for x in m:
        if largest is None or x > largest:
            largest = x
    return largest


@sketch(adjacent=each_within(1))
def svt_1(q: Private, eps: Epsilon, c: int = 1, t: float = 0):
    """SVT1 of DP-Sniper (Algorithm 1 of Lyu, Su and Li): all is compared, then what follows the c-th above is -1.

    truth: private (1/2 + 2c/(4c); what follows is not told)
    """
    eps1 = eps / 2
    eps2 = eps / 2
    rho = Lap(1 / eps1)
    nu = [Lap(2 * c / eps2) for x in q]
    m = [q[i] + nu[i] for i in range(len(q))]
    cmp = [x >= rho + t for x in m]
    res = []
    count = 0
    aborted = False
    for above in cmp:
        if aborted:
            res.append(-1)
        elif above:
            res.append(1)
        else:
            res.append(0)
        if above:
            count += 1
        if count == c:
            aborted = True
    return res


@sketch(adjacent=each_within(1))
def svt_1_guard(q: Private, eps: Epsilon, c: int = 1, t: float = 0):
    """SVT1 of DP-Sniper in one loop: a guard `count < c` in place of a break.

    truth: private (1/2 + 2c/(4c))
    """
    rho = Lap(2 / eps)
    res = []
    count = 0
    for x in q:
        nu = Lap(4 * c / eps)
        if count < c:
            if x + nu >= t + rho:
                res.append(1)
                count += 1
            else:
                res.append(0)
        else:
            res.append(-1)
    return res


@sketch(adjacent=each_within(1))
def svt_2(q: Private, eps: Epsilon, c: int = 1, t: float = 0):
    """SVT2 of DP-Sniper (Algorithm 2 of Lyu, Su and Li): a new threshold is drawn in every turn, and used after an answer above.

    truth: private (each of c thresholds 1/(2c), each of c answers 2/(4c))
    """
    rho = Lap(2 * c / eps)
    res = []
    count = 0
    aborted = False
    for x in q:
        nu = Lap(4 * c / eps)
        above = x + nu >= rho + t
        if aborted:
            res.append(-1)
        elif above:
            res.append(1)
        else:
            res.append(0)
        new_rho = Lap(2 * c / eps)
        if above:
            count += 1
            rho = new_rho
        if count == c:
            aborted = True
    return res


@sketch(adjacent=each_within(1))
def svt_3(q: Private, eps: Epsilon, c: int = 1, t: float = 0):
    """SVT3 of DP-Sniper (Algorithm 3 of Lyu, Su and Li): the compared answer is told, -1000 for below, -2000 for aborted.

    truth: broken (a very low answer above bounds the threshold: n/2 eps)
    """
    rho = Lap(2 / eps)
    res = []
    count = 0
    aborted = False
    for x in q:
        m = x + Lap(2 * c / eps)
        if aborted:
            res.append(-2000)
        elif m >= rho + t:
            res.append(m)
            count += 1
            aborted = count == c
        else:
            res.append(-1000)
    return res


@sketch(adjacent=each_within(1))
def svt_4(q: Private, eps: Epsilon, c: int = 1, t: float = 0):
    """SVT4 of DP-Sniper (Algorithm 4 of Lyu, Su and Li): a quarter of the budget for the threshold, no factor c.

    truth: broken ((1 + 6c)/4 eps: 1.75 eps at c = 1)
    """
    eps1 = eps / 4
    eps2 = 3 * eps / 4
    rho = Lap(1 / eps1)
    nu = [Lap(1 / eps2) for x in q]
    res = []
    count = 0
    for i in range(len(q)):
        if count >= c:
            res.append(-1)
        elif q[i] + nu[i] >= rho + t:
            res.append(1)
            count += 1
        else:
            res.append(0)
    return res


@sketch(adjacent=each_within(1))
def svt_5(q: Private, eps: Epsilon, t: float = 0):
    """SVT5 of DP-Sniper (Algorithm 5 of Lyu, Su and Li): answers without noise.

    truth: broken ([1, 0] can be above and below, [0, 1] cannot)
    witness: [1,0] [0,1] t=0
    """
    rho = Lap(2 / eps)
    return [x >= rho + t for x in q]


@sketch(adjacent=each_within(1))
def svt_6(q: Private, eps: Epsilon, t: float = 0):
    """SVT6 of DP-Sniper (Algorithm 6 of Lyu, Su and Li): no cut-off.

    truth: broken (n/2 eps in the limit, half of the answers above and half below)
    """
    rho = Lap(2 / eps)
    nu = [Lap(2 / eps) for x in q]
    return [q[i] + nu[i] >= rho + t for i in range(len(q))]


@sketch(adjacent=each_within(1))
def numerical_svt(q: Private, eps: Epsilon, c: int = 1, t: float = 0):
    """NumericalSVT of DP-Sniper: three lists of noise, 0 for below, -1000 for aborted.

    truth: private (1/3 + 2c/(6c) + c/(3c))
    """
    rho1 = Lap(3 / eps)
    rho2 = [Lap(6 * c / eps) for x in q]
    rho3 = [Lap(3 * c / eps) for x in q]
    res = []
    count = 0
    aborted = False
    for i in range(len(q)):
        above = q[i] + rho2[i] >= t + rho1
        z = q[i] + rho3[i]
        if aborted:
            res.append(-1000)
        elif above:
            res.append(z)
        else:
            res.append(0)
        if above:
            count += 1
        if count == c:
            aborted = True
    return res


@sketch(adjacent=each_within(1))
def prefix_sum(q: Private, eps: Epsilon):
    """PrefixSum of DP-Sniper: running sums of noisy answers, all of which may move.

    truth: broken (n eps: both items of [0, 0] and [1, 1])
    witness: [0,0] [1,1] eps=2 cut=1e-4
    """
    noisy = [x + Lap(1 / eps) for x in q]
    out = []
    s = 0
    for x in noisy:
        s = s + x
        out.append(s)
    return out


@sketch(adjacent=one_within(1))
def prefix_sum_one_moves(q: Private, eps: Epsilon):
    """PrefixSum of DP-Sniper where one answer moves: a noisy list, and running sums of it.

    truth: private (post-processing of a noisy list)
    """
    noisy = [x + Lap(1 / eps) for x in q]
    out = []
    s = 0
    for x in noisy:
        s = s + x
        out.append(s)
    return out


@sketch(adjacent=each_within(1))
def svt_34_parallel(q: Private, eps: Epsilon, c: int = 2, t: float = 0):
    """SVT34Parallel of DP-Sniper: SVT3 and then SVT4 on the same answers.

    truth: broken (each of the two is)
    """
    out = []
    rho = Lap(2 / eps)
    count = 0
    for x in q:
        if count < c:
            m = x + Lap(2 * c / eps)
            if m >= rho + t:
                out.append(m)
                count += 1
            else:
                out.append(None)
    rho = Lap(4 / eps)
    count = 0
    for x in q:
        if count < c:
            if x + Lap(4 / (3 * eps)) >= rho + t:
                out.append(True)
                count += 1
            else:
                out.append(False)
    return out
