"""Textbooks and surveys: Dwork and Roth (2014), Lyu, Su and Li (VLDB 2017), Chan, Shi and Song (2011), Hay and others (2010),
Near and Abuah's "Programming Differential Privacy", Vadhan (2017); and the usual ways to write what they say.
"""

from kolahal import DiscreteLap, Epsilon, Exp, Lap, Private, each_within, monotone, one_within, sketch, sum_within


# ---------------------------------------------------------------- one number, many numbers


@sketch(adjacent=one_within(1))
def histogram_named_noise(q: Private, eps: Epsilon):
    """Dwork and Roth, example 3.2: a histogram, every draw with a name before it is added.

    truth: private (one cell moves by 1)
    """
    out = []
    for i in range(len(q)):
        eta = Lap(1 / eps)
        out.append(q[i] + eta)
    return out


@sketch(adjacent=each_within(1))
def many_counting_queries(q: Private, eps: Epsilon):
    """Dwork and Roth, section 3.3: k counting queries with noise k/eps each.

    truth: private (n moves of 1 at scale n/eps)
    """
    out = []
    for x in q:
        out.append(x + Lap(len(q) / eps))
    return out


@sketch(adjacent=sum_within(2))
def histogram_replace(q: Private, eps: Epsilon):
    """A histogram where one record is replaced: one cell goes up, another down.

    truth: private (moves of 2 in all at scale 2/eps)
    """
    noisy = []
    for i in range(len(q)):
        noisy.append(q[i] + Lap(2 / eps))
    return noisy


@sketch(adjacent=one_within(1))
def mean_of_known_size(q: Private, eps: Epsilon):
    """Near and Abuah: a mean as a noisy sum over a public count.

    truth: private (post-processing of a noisy sum)
    """
    total = 0
    for x in q:
        total += x
    if len(q) == 0:
        return 0
    return (total + Lap(1 / eps)) / len(q)


@sketch(adjacent=one_within(1))
def mean_with_small_noise(q: Private, eps: Epsilon):
    """Vadhan: a mean of n numbers has sensitivity 1/n, and so has its noise.

    truth: private (1/n at scale 1/(n eps))
    """
    n = len(q)
    total = 0
    for x in q:
        total = total + x / n
    return total + Lap(1 / (len(q) * eps))


@sketch(adjacent=one_within(1000000))
def clipped_sum(q: Private, eps: Epsilon):
    """Near and Abuah, chapter on clipping: values are cut to [0, 100] before they are summed.

    truth: private (a clipped value moves by at most 100)
    """
    total = 0
    for x in q:
        total += min(max(x, 0), 100)
    return total + Lap(100 / eps)


@sketch(adjacent=one_within(1000))
def counting_query(q: Private, eps: Epsilon, T: float = 0):
    """Dwork and Roth, example 3.1: how many records satisfy a predicate.

    truth: private (the count moves by at most 1, however far a record moves)
    """
    count = 0
    for x in q:
        if x > T:
            count += 1
    return count + Lap(1 / eps)


@sketch(adjacent=one_within(1000))
def three_bins(q: Private, eps: Epsilon):
    """Near and Abuah, histograms: records are sorted into three bins, one record may change its bin.

    truth: private (two bins move by 1 at scale 2/eps)
    """
    young, middle, old = 0, 0, 0
    for age in q:
        if age < 30:
            young += 1
        elif age < 60:
            middle += 1
        else:
            old += 1
    return young + Lap(2 / eps), middle + Lap(2 / eps), old + Lap(2 / eps)


@sketch(adjacent=one_within(1))
def two_releases(q: Private, eps: Epsilon):
    """Dwork and Roth, theorem 3.14: a sum told twice, with half of the budget each time.

    truth: private (composition: 1/2 + 1/2)
    """
    total = 0
    for x in q:
        total += x
    first = total + Lap(2 / eps)
    second = total + Lap(2 / eps)
    return first, second


@sketch(adjacent=one_within(1))
def parallel_composition(q: Private, eps: Epsilon):
    """McSherry: disjoint parts of the data, each with the whole budget.

    truth: private (one record is in one part)
    """
    even, odd = 0, 0
    for i in range(len(q)):
        if i % 2 == 0:
            even += q[i]
        else:
            odd += q[i]
    return even + Lap(1 / eps), odd + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def local_noise(q: Private, eps: Epsilon):
    """Local model (Vadhan, section 9): each person tells one bit of a noisy number; the analyst counts.

    truth: private (post-processing of a noisy list)
    """
    bits = [x + Lap(1 / eps) > 0.5 for x in q]
    yes = 0
    for bit in bits:
        if bit:
            yes += 1
    return yes


@sketch(adjacent=one_within(1))
def thresholded_histogram(q: Private, eps: Epsilon):
    """Korolova and others, with known keys: small noisy counts are told as 0.

    truth: private (post-processing of a noisy histogram)
    """
    out = []
    for x in q:
        noisy = x + Lap(1 / eps)
        if noisy > 10:
            out.append(noisy)
        else:
            out.append(0)
    return out


@sketch(adjacent=one_within(1))
def total_of_released(q: Private, eps: Epsilon):
    """Post-processing: noisy counts are told, and then their total and the place of the largest.

    truth: private (a function of a noisy histogram)
    """
    noisy = [x + Lap(1 / eps) for x in q]
    total = 0
    best = 0
    for i in range(len(noisy)):
        total += noisy[i]
        if noisy[i] > noisy[best]:
            best = i
    noisy.append(total)
    noisy.append(best)
    return noisy


@sketch(adjacent=one_within(1))
def geometric_counts(q: Private[int], eps: Epsilon):
    """Ghosh, Roughgarden and Sundararajan: whole noise on whole counts, no count below 0.

    truth: private (post-processing of noisy counts)
    """
    out = []
    for x in q:
        out.append(max(0, x + DiscreteLap(1 / eps)))
    return out


# ---------------------------------------------------------------- sums over time


@sketch(adjacent=one_within(1))
def simple_counting(q: Private, eps: Epsilon):
    """Chan, Shi and Song, simple counting mechanism I: every running sum with noise n/eps.

    truth: private (n sums move by 1 at scale n/eps)
    """
    out = []
    s = 0
    for x in q:
        s = s + x
        out.append(s + Lap(len(q) / eps))
    return out


@sketch(adjacent=one_within(1))
def block_counting(q: Private, eps: Epsilon, B: int = 3):
    """Chan, Shi and Song, two-level counting mechanism: blocks of B, noise on items and on blocks.

    truth: private (1/2 for the item, 1/2 for its block)
    """
    out = []
    alpha, beta, done = 0, 0, 0
    for t in range(len(q)):
        alpha = alpha + q[t]
        noisy = q[t] + Lap(2 / eps)
        if (t + 1) % B == 0:
            done = done + alpha + Lap(2 / eps)
            alpha = 0
            beta = 0
        else:
            beta = beta + noisy
        out.append(done + beta)
    return out


@sketch(adjacent=one_within(1))
def binary_counting_four(q: Private[4], eps: Epsilon):
    """Chan, Shi and Song, binary mechanism over four steps: each item is in at most three sums.

    truth: private (3/3)
    """
    one = q[0] + Lap(3 / eps)
    two = q[0] + q[1] + Lap(3 / eps)
    three = q[2] + Lap(3 / eps)
    four = q[0] + q[1] + q[2] + q[3] + Lap(3 / eps)
    return [one, two, two + three, four]


@sketch(adjacent=one_within(1))
def tree_of_four(q: Private[4], eps: Epsilon):
    """Hay and others: a tree of counts over four cells, all seven told.

    truth: private (each cell is in three counts: 3/3)
    """
    left = q[0] + q[1]
    right = q[2] + q[3]
    out = [x + Lap(3 / eps) for x in q]
    out.append(left + Lap(3 / eps))
    out.append(right + Lap(3 / eps))
    out.append(left + right + Lap(3 / eps))
    return out


@sketch(adjacent=one_within(1))
def cells_and_total(q: Private, eps: Epsilon):
    """Hay and others, a tree of one level: all cells, and their total.

    truth: private (1/2 + 1/2)
    """
    total = 0
    out = []
    for x in q:
        total += x
        out.append(x + Lap(2 / eps))
    out.append(total + Lap(2 / eps))
    return out


@sketch(adjacent=one_within(1000))
def median_by_bisection(q: Private, eps: Epsilon, k: int = 3, low: float = 0, high: float = 100):
    """A median by binary search: k noisy counts, each with a k-th of the budget.

    truth: private (k counts that move by 1 at scale k/eps)
    """
    lower, upper = low, high
    for step in range(k):
        middle = (lower + upper) / 2
        count = 0
        for x in q:
            if x <= middle:
                count += 1
        if count + Lap(k / eps) < len(q) / 2:
            lower = middle
        else:
            upper = middle
    return lower, upper


# ---------------------------------------------------------------- selection


@sketch(adjacent=monotone(1))
def report_noisy_max(q: Private, eps: Epsilon):
    """Dwork and Roth, claim 3.9: report noisy max for counting queries.

    truth: private (the winner's noise moves by 1 at scale 1/eps)
    """
    winner = None
    largest = None
    for i in range(len(q)):
        noisy = q[i] + Lap(1 / eps)
        if largest is None or noisy > largest:
            largest = noisy
            winner = i
    return winner


@sketch(adjacent=each_within(1))
def last_of_the_largest(q: Private, eps: Epsilon):
    """Report noisy max with ties to the last.

    truth: private (2/2)
    """
    winner = -1
    largest = 0
    for i in range(len(q)):
        noisy = q[i] + Lap(2 / eps)
        if winner == -1 or not noisy < largest:
            largest = noisy
            winner = i
    return winner


@sketch(adjacent=each_within(1))
def noisy_min_exponential(q: Private, eps: Epsilon):
    """The least answer with one-sided noise, which is taken off.

    truth: private (2/2)
    """
    winner = 0
    least = 0
    for i in range(len(q)):
        noisy = q[i] - Exp(2 / eps)
        if i == 0 or noisy < least:
            least = noisy
            winner = i
    return winner


@sketch(adjacent=each_within(1))
def max_of_differences(q: Private, eps: Epsilon):
    """Report noisy max with the running best as a difference: `q[i] + eta - best > 0`.

    truth: private (2/2)
    """
    winner = 0
    best = None
    i = 0
    while i < len(q):
        eta = Lap(2 / eps)
        if best is None:
            best = q[i] + eta
        elif q[i] + eta - best > 0:
            best = q[i] + eta
            winner = i
        i += 1
    return winner


@sketch(adjacent=each_within(1))
def backward_max(q: Private, eps: Epsilon):
    """Report noisy max that reads the answers from the end.

    truth: private (2/2)
    """
    noisy = [x + Lap(2 / eps) for x in q]
    best = len(q) - 1
    for i in range(len(q) - 1, -1, -1):
        if noisy[i] > noisy[best]:
            best = i
    return best


@sketch(adjacent=each_within(1))
def peeling_two(q: Private, eps: Epsilon):
    """Top two by peeling: report noisy max, and again without the winner, with half of the budget each.

    truth: private (2/4 + 2/4)
    """
    first, second = None, None
    largest = 0
    for i in range(len(q)):
        noisy = q[i] + Lap(4 / eps)
        if first is None or noisy > largest:
            first = i
            largest = noisy
    for i in range(len(q)):
        if i != first:
            noisy = q[i] + Lap(4 / eps)
            if second is None or noisy > largest:
                second = i
                largest = noisy
    return first, second


# ---------------------------------------------------------------- sparse vector


@sketch(adjacent=each_within(1))
def above_threshold(q: Private, eps: Epsilon, T: float = 0):
    """Dwork and Roth, algorithm 1: AboveThreshold, bottoms and one top.

    truth: private (1/2 + 2/4)
    """
    T_hat = T + Lap(2 / eps)
    a = []
    for f in q:
        nu = Lap(4 / eps)
        if f + nu >= T_hat:
            a.append(True)
            return a
        a.append(False)
    return a


@sketch(adjacent=each_within(1))
def above_threshold_flag(q: Private, eps: Epsilon, T: float = 0):
    """AboveThreshold with a flag in the loop's condition and the place in a variable.

    truth: private (1/2 + 2/4)
    """
    threshold = T + Lap(2 / eps)
    found = False
    place = -1
    i = 0
    while i < len(q) and not found:
        found = q[i] + Lap(4 / eps) >= threshold
        if found:
            place = i
        i += 1
    return place


@sketch(adjacent=each_within(1))
def above_threshold_no_break(q: Private, eps: Epsilon, T: float = 0):
    """AboveThreshold that reads on after it has found one, and keeps the first place.

    truth: private (1/2 + 2/4)
    """
    threshold = T + Lap(2 / eps)
    first = None
    for i in range(len(q)):
        noisy = q[i] + Lap(4 / eps)
        if first is None and noisy >= threshold:
            first = i
    return first


@sketch(adjacent=each_within(1))
def above_threshold_difference(q: Private, eps: Epsilon, T: float = 0):
    """AboveThreshold with the threshold taken off each answer, and its noise too.

    truth: private (1/2 + 2/4)
    """
    rho = Lap(2 / eps)
    for i in range(len(q)):
        distance = q[i] - T
        if distance + Lap(4 / eps) - rho >= 0:
            return i
    return None


@sketch(adjacent=each_within(1))
def above_threshold_list_first(q: Private, eps: Epsilon, T: float = 0):
    """Near and Abuah: all answers get their noise first, then the first above is looked for.

    truth: private (1/2 + 2/4)
    """
    T_hat = T + Lap(2 / eps)
    noisy = [x + Lap(4 / eps) for x in q]
    for i in range(len(noisy)):
        if noisy[i] >= T_hat:
            return i
    return -1


@sketch(adjacent=each_within(1))
def last_above_threshold(q: Private, eps: Epsilon, T: float = 0):
    """AboveThreshold from the end of the list.

    truth: private (1/2 + 2/4)
    """
    threshold = T + Lap(2 / eps)
    for i in range(len(q) - 1, -1, -1):
        if q[i] + Lap(4 / eps) > threshold:
            return i
    return -1


@sketch(adjacent=each_within(1))
def above_threshold_one_sided(q: Private, eps: Epsilon, T: float = 0):
    """AboveThreshold with one-sided noise on answers.

    truth: private (the noise of the answer above moves up by at most 2)
    """
    threshold = T + Lap(2 / eps)
    for i in range(len(q)):
        if q[i] + Exp(4 / eps) >= threshold:
            return i
    return -1


@sketch(adjacent=each_within(1))
def below_threshold(q: Private, eps: Epsilon, T: float = 0):
    """The first answer below a threshold.

    truth: private (1/2 + 2/4)
    """
    threshold = T + Lap(2 / eps)
    i = 0
    for x in q:
        if not x + Lap(4 / eps) >= threshold:
            return i
        i += 1
    return -1


@sketch(adjacent=each_within(1))
def sparse(q: Private, eps: Epsilon, c: int = 1, T: float = 0):
    """Dwork and Roth, algorithm 2: Sparse, with a fresh threshold after each top.

    truth: private (c times 1/(2c) + 2/(4c))
    """
    sigma = 2 * c / eps
    T_hat = T + Lap(sigma)
    count = 0
    a = []
    for f in q:
        nu = Lap(2 * sigma)
        if f + nu >= T_hat:
            a.append(True)
            count += 1
            T_hat = T + Lap(sigma)
        else:
            a.append(False)
        if count >= c:
            break
    return a


@sketch(adjacent=each_within(1))
def numeric_sparse(q: Private, eps: Epsilon, c: int = 1, T: float = 0):
    """Dwork and Roth, algorithm 3: NumericSparse, eight ninths of the budget to find and the rest to tell.

    truth: private (eps1/2 + eps1/2 + eps2/2 with eps1 = 8/9 eps and eps2 = 2/9 eps)
    """
    eps1 = 8 * eps / 9
    eps2 = 2 * eps / 9
    T_hat = T + Lap(2 * c / eps1)
    count = 0
    a = []
    for f in q:
        nu = Lap(4 * c / eps1)
        if f + nu >= T_hat:
            v = Lap(2 * c / eps2)
            a.append(f + v)
            count += 1
            T_hat = T + Lap(2 * c / eps1)
        else:
            a.append(None)
        if count >= c:
            break
    return a


@sketch(adjacent=each_within(1))
def standard_svt(q: Private, eps: Epsilon, c: int = 1, T: float = 0):
    """Lyu, Su and Li, algorithm 7: three budgets, here a quarter, a half and a quarter.

    truth: private (1/4 + 1/2 + 1/4)
    """
    eps1 = eps / 4
    eps2 = eps / 2
    eps3 = eps / 4
    rho = Lap(1 / eps1)
    count = 0
    a = []
    for x in q:
        nu = Lap(2 * c / eps2)
        if x + nu >= T + rho:
            a.append(x + Lap(c / eps3))
            count = count + 1
            if count >= c:
                break
        else:
            a.append(None)
    return a


@sketch(adjacent=each_within(1))
def two_thresholds_in_turn(q: Private, eps: Epsilon, T: float = 0, U: float = 0):
    """Composition of two AboveThresholds, one loop after the other on the same answers.

    truth: private (1/4 + 2/8 twice)
    """
    first, second = -1, -1
    t = T + Lap(4 / eps)
    for i in range(len(q)):
        if first == -1 and q[i] + Lap(8 / eps) >= t:
            first = i
    u = U + Lap(4 / eps)
    for i in range(len(q)):
        if second == -1 and q[i] + Lap(8 / eps) >= u:
            second = i
    return first, second


# ---------------------------------------------------------------- the usual mistakes


@sketch(adjacent=each_within(1))
def report_noisy_max_not_counting(q: Private, eps: Epsilon):
    """Dwork and Roth's report noisy max for queries that move both ways.

    truth: broken (2 eps in the limit: the winner far behind moves down, the others up)
    witness: [1,5] [0,6] eps=1 cut=1e-5
    """
    winner = None
    largest = None
    for i in range(len(q)):
        noisy = q[i] + Lap(1 / eps)
        if largest is None or noisy > largest:
            largest = noisy
            winner = i
    return winner


@sketch(adjacent=sum_within(2))
def histogram_replace_thin(q: Private, eps: Epsilon):
    """A histogram where one record is replaced, with the noise for one that is added.

    truth: broken (two cells move by 1: 2 eps on [0, 1] and [1, 0])
    witness: [0,1] [1,0] eps=1 cut=1e-5
    """
    noisy = []
    for i in range(len(q)):
        noisy.append(q[i] + Lap(1 / eps))
    return noisy


@sketch(adjacent=each_within(1))
def no_noise_on_the_threshold(q: Private, eps: Epsilon, T: float = 0):
    """AboveThreshold with a public threshold.

    truth: broken (two high answers below and a low one above cost 1/2 eps each: 1.5 eps in the limit)
    """
    for i in range(len(q)):
        if q[i] + Lap(2 / eps) >= T:
            return i
    return -1


@sketch(adjacent=each_within(1))
def sparse_without_c(q: Private, eps: Epsilon, c: int = 2, T: float = 0):
    """Sparse vector with c answers and the noise of one.

    truth: broken (1/2 + 2c/4 eps: 1.5 eps at c = 2)
    """
    T_hat = T + Lap(2 / eps)
    count = 0
    a = []
    for f in q:
        if f + Lap(4 / eps) >= T_hat:
            a.append(True)
            count += 1
        else:
            a.append(False)
        if count >= c:
            break
    return a


@sketch(adjacent=each_within(1))
def numeric_sparse_full_price(q: Private, eps: Epsilon, T: float = 0):
    """NumericSparse that charges the answer to nobody.

    truth: broken (1/2 + 2/4 + 1/2 in the limit: many below, and the last, far below the others, told as lower still)
    """
    T_hat = T + Lap(2 / eps)
    for f in q:
        if f + Lap(4 / eps) >= T_hat:
            return f + Lap(2 / eps)
    return None


@sketch(adjacent=one_within(1000))
def three_bins_thin(q: Private, eps: Epsilon):
    """Three bins, with the noise for a record that is added, where a record may change its bin.

    truth: broken (2 eps: a record moves from the first bin to the last)
    witness: [0] [100] eps=1 step=1 cut=1e-4
    """
    young, middle, old = 0, 0, 0
    for age in q:
        if age < 30:
            young += 1
        elif age < 60:
            middle += 1
        else:
            old += 1
    return young + Lap(1 / eps), middle + Lap(1 / eps), old + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def tree_of_four_thin(q: Private[4], eps: Epsilon):
    """A tree of counts over four cells with noise for two levels, though it has three.

    truth: broken (1.5 eps: a cell, its pair and the total)
    """
    left = q[0] + q[1]
    right = q[2] + q[3]
    out = [x + Lap(2 / eps) for x in q]
    out.append(left + Lap(2 / eps))
    out.append(right + Lap(2 / eps))
    out.append(left + right + Lap(2 / eps))
    return out


@sketch(adjacent=one_within(1))
def mean_with_too_small_noise(q: Private, eps: Epsilon):
    """A sum with the noise of a mean.

    truth: broken (n eps: two items are enough)
    witness: [0,0] [1,0] eps=1 step=1/2
    """
    total = 0
    for x in q:
        total += x
    return total + Lap(1 / (len(q) * eps))
