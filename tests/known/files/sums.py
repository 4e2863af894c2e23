"""Counts and sums with noise: histograms, single sums, and all running sums."""

from kolahal import DiscreteLap, Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def laplace(q: Private, eps: Epsilon):
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def discrete_laplace(q: Private[int], eps: Epsilon):
    return q[0] + DiscreteLap(1 / eps)


@sketch(adjacent=each_within(1))
def truncated_geometric(q: Private[int], eps: Epsilon):
    return max(0, min(5, q[0] + DiscreteLap(1 / eps)))


@sketch(adjacent=each_within(1))
def laplace_parallel(q: Private, eps: Epsilon):
    return [q[0] + Lap(20 / eps) for i in range(20)]


@sketch(adjacent=one_within(1))
def histogram(q: Private, eps: Epsilon):
    return [x + Lap(1 / eps) for x in q]


@sketch(adjacent=one_within(1))
def histogram_eps(q: Private, eps: Epsilon):
    return [x + Lap(eps) for x in q]


@sketch(adjacent=one_within(1))
def histogram_half(q: Private, eps: Epsilon):
    return [x + Lap(1 / (2 * eps)) for x in q]


@sketch(adjacent=one_within(1))
def sum_of_noisy(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x + Lap(1 / eps)
    return s


@sketch(adjacent=one_within(1))
def partial_sum(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def bad_partial_sum(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(1 / (2 * eps))


@sketch(adjacent=one_within(1))
def prefix_sum(q: Private, eps: Epsilon):
    s = 0
    r = []
    for x in q:
        s = s + x + Lap(1 / eps)
        r.append(s)
    return r


@sketch(adjacent=each_within(1))
def prefix_sum_all_move(q: Private, eps: Epsilon):
    s = 0
    r = []
    for x in q:
        s = s + x + Lap(1 / eps)
        r.append(s)
    return r


@sketch(adjacent=one_within(1))
def smart_sum(q: Private, eps: Epsilon, M: int = 2):
    done, sum, next = 0, 0, 0
    r = []
    for i in range(len(q)):
        sum = sum + q[i]
        if (i + 1) % M == 0:
            done = done + sum + Lap(2 / eps)
            sum = 0
            next = done
        else:
            next = next + q[i] + Lap(2 / eps)
        r.append(next)
    return r


@sketch(adjacent=one_within(1))
def smart_sum_1_2(q: Private, eps: Epsilon, M: int = 2):
    done, sum, next = 0, 0, 0
    r = []
    for i in range(len(q)):
        sum = sum + q[i]
        if (i + 1) % M == 0:
            done = done + sum + Lap(1 / eps)
            sum = 0
            next = done
        else:
            next = next + q[i] + Lap(2 / eps)
        r.append(next)
    return r


@sketch(adjacent=one_within(1))
def bad_smart_sum(q: Private, eps: Epsilon, M: int = 2):
    done, sum, next = 0, 0, 0
    r = []
    for i in range(len(q)):
        sum = sum + q[i]
        if (i + 1) % M == 0:
            done = done + sum
            sum = 0
            next = done
        else:
            next = next + q[i] + Lap(2 / eps)
        r.append(next)
    return r
