"""Exotic relations: noise scaled for less than the neighbours may move."""

from kolahal import DiscreteLap, Epsilon, Lap, Private, each_within, monotone, one_within, sketch, sum_within


@sketch(adjacent=sum_within(3))
def sum_of_three(q: Private, eps: Epsilon):
    """All answers, with noise for a total move of 2.

    Truth: not private. One answer may move by 3 and costs 3*eps/2.
    Witness: [0] [3] eps=2 step=1
    """
    return [x + Lap(2 / eps) for x in q]


@sketch(adjacent=sum_within(3))
def sum_of_three_twin(q: Private, eps: Epsilon):
    """All answers, with noise for a total move of 3.

    Truth: private. The costs add up to the total move times eps/3.
    Search: sizes=1,2 values=0 eps=6 step=3
    """
    return [x + Lap(3 / eps) for x in q]


@sketch(adjacent=monotone(1))
def sum_of_monotone(q: Private, eps: Epsilon):
    """The sum of two answers that move the same way, with noise for one.

    Truth: not private. The sum moves by 2 and costs 2*eps.
    Witness: [0, 0] [1, 1]
    """
    return q[0] + q[1] + Lap(1 / eps)


@sketch(adjacent=monotone(1))
def sum_of_monotone_twin(q: Private, eps: Epsilon):
    """The difference of two answers that move the same way, with noise for one.

    Truth: private. The difference moves by at most 1.
    Search: sizes=2
    """
    return q[0] - q[1] + Lap(1 / eps)


@sketch(adjacent=each_within(0.5))
def half_moves(q: Private, eps: Epsilon):
    """Three answers that move by 1/2 each, with noise for a total move of 1.

    Truth: not private. The sum moves by 3/2 and costs 3*eps/2.
    Witness: [0, 0, 0] [1/2, 1/2, 1/2] step=1/2
    """
    return q[0] + q[1] + q[2] + Lap(1 / eps)


@sketch(adjacent=each_within(0.5))
def half_moves_twin(q: Private, eps: Epsilon):
    """Two answers that move by 1/2 each, with noise for a total move of 1.

    Truth: private. The sum moves by at most 1.
    Search: sizes=2 step=1/2
    """
    return q[0] + q[1] + Lap(1 / eps)


@sketch(adjacent=one_within(1 / 3))
def third_moves(q: Private, eps: Epsilon):
    """A move by a third, with noise for a quarter.

    Truth: not private. The loss is 4/3 * eps.
    Witness: [0] [1/3] step=1/3
    """
    return q[0] + Lap(1 / (4 * eps))


@sketch(adjacent=one_within(1 / 3))
def third_moves_twin(q: Private, eps: Epsilon):
    """A move by a third, with noise for a third.

    Truth: private. The loss is eps.
    Search: step=1/3
    """
    return q[0] + Lap(1 / (3 * eps))


@sketch(adjacent=one_within(2))
def move_by_two(q: Private[int], eps: Epsilon):
    """Whole answers that move by 2, with noise for 1.

    Truth: not private. The loss is 2*eps.
    Witness: [0] [2]
    """
    return q[0] + DiscreteLap(1 / eps)


@sketch(adjacent=one_within(2))
def move_by_two_twin(q: Private[int], eps: Epsilon):
    """Whole answers that move by 2, with noise for 2.

    Truth: private. The loss is eps.
    """
    return q[0] + DiscreteLap(2 / eps)


@sketch(adjacent=each_within(1))
def opposite_ways(q: Private, eps: Epsilon):
    """The larger of two noisy answers, by place, with noise for answers that move the same way.

    Truth: not private. [0, 3] to [1, 2]: the first is ahead with about e^(-3*eps), then e^(-eps).
    Witness: [0, 4] [1, 3] eps=2 cut=1e-10
    """
    if q[0] + Lap(1 / eps) > q[1] + Lap(1 / eps):
        return 0
    return 1


@sketch(adjacent=monotone(1))
def opposite_ways_twin(q: Private, eps: Epsilon):
    """The same, where answers do move the same way.

    Truth: private. The difference of the answers moves by at most 1, and one of the two noises hides it.
    Search: sizes=2 eps=2
    """
    if q[0] + Lap(1 / eps) > q[1] + Lap(1 / eps):
        return 0
    return 1


@sketch(adjacent=sum_within(1))
def sum_twice(q: Private, eps: Epsilon):
    """The total of all answers and the first of them, each with noise for the whole budget.

    Truth: not private. A move of the first answer is seen twice.
    Witness: [0] [1] eps=2
    """
    total = 0
    for x in q:
        total = total + x
    return total + Lap(1 / eps), q[0] + Lap(1 / eps)


@sketch(adjacent=sum_within(1))
def sum_twice_twin(q: Private, eps: Epsilon):
    """The total of all answers and the first of them, each with noise for half of the budget.

    Truth: private. A move of the first answer is seen twice, at eps/2 each.
    Search: sizes=1,2 values=0 eps=3
    """
    total = 0
    for x in q:
        total = total + x
    return total + Lap(2 / eps), q[0] + Lap(2 / eps)


@sketch(adjacent=one_within(1))
def one_moves_twice(q: Private, eps: Epsilon):
    """Neighbouring sums share an answer.

    Truth: not private. The second answer is in both sums, so its move costs 2*eps.
    Witness: [0, 0, 0] [0, 1, 0] eps=2
    """
    return q[0] + q[1] + Lap(1 / eps), q[1] + q[2] + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def one_moves_twice_twin(q: Private, eps: Epsilon):
    """Neighbouring sums share no answer.

    Truth: private. Each answer is in one sum.
    Search: sizes=4 values=0 eps=3
    """
    return q[0] + q[1] + Lap(1 / eps), q[2] + q[3] + Lap(1 / eps)


@sketch(adjacent=monotone(2))
def monotone_down(q: Private, eps: Epsilon):
    """The clipped answer: clipping hides moves up, not moves down.

    Truth: not private. From 1 to -1 the clipped answer moves by 2, and the noise hides 1.
    Witness: [1] [-1] eps=2 step=1
    """
    return min(q[0], 1) + Lap(1 / eps)


@sketch(adjacent=monotone(2))
def monotone_down_twin(q: Private, eps: Epsilon):
    """The answer clipped on both sides.

    Truth: private. It stays between 0 and 1, so it moves by at most 1.
    Search: step=1 values=0,1
    """
    return max(min(q[0], 1), 0) + Lap(1 / eps)


@sketch(adjacent=sum_within(2))
def place_and_value(q: Private, eps: Epsilon):
    """An answer times 2, with noise for the move of the answer.

    Truth: not private. 2*q[0] moves by 4.
    Witness: [0] [2] step=2
    """
    return 2 * q[0] + Lap(2 / eps)


@sketch(adjacent=sum_within(2))
def place_and_value_twin(q: Private, eps: Epsilon):
    """Half an answer, with noise for half of its move.

    Truth: private. q[0]/2 moves by at most 1.
    Search: step=1
    """
    return q[0] / 2 + Lap(1 / eps)
