"""Ties: events that have probability 0 on the real numbers, and more than that on a grid or on the whole numbers."""

from kolahal import DiscreteLap, Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def equal_to_zero(q: Private, eps: Epsilon):
    """The raw answer where the noisy one is exactly 0.

    Truth: not private wherever 0 has any mass, as on every grid: then the answer 1000001 is possible on [1] and not on [0].
    Witness: [0] [1]
    """
    x = q[0] + Lap(1 / eps)
    if x == 0:
        return q[0] + 1000000
    return x


@sketch(adjacent=each_within(1))
def equal_to_zero_twin(q: Private, eps: Epsilon):
    """A constant where the noisy answer is exactly 0.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    if x == 0:
        return 1000000
    return x


@sketch(adjacent=each_within(1))
def above_then_at_least(q: Private, eps: Epsilon):
    """`>=` after `>` leaves the tie, and the tie gets the raw answer.

    Truth: not private wherever 0 has any mass: the answer 7 on [7] is impossible on [6].
    Witness: [7] [6]
    """
    x = q[0] + Lap(1 / eps)
    if x > 0:
        return 1
    elif x >= 0:
        return q[0]
    return 0


@sketch(adjacent=each_within(1))
def above_then_at_least_twin(q: Private, eps: Epsilon):
    """`>=` after `>` with a constant for the tie.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    if x > 0:
        return 1
    elif x >= 0:
        return 2
    return 0


@sketch(adjacent=each_within(1))
def unequal(q: Private, eps: Epsilon):
    """Everything but the tie is hidden.

    Truth: not private wherever 0 has any mass: on [1] the answer 1 is possible, on [0] it is not.
    Witness: [0] [1]
    """
    x = q[0] + Lap(1 / eps)
    if x != 0:
        return 0
    return q[0]


@sketch(adjacent=each_within(1))
def unequal_twin(q: Private, eps: Epsilon):
    """Everything is hidden but whether there was a tie.

    Truth: private. Whether one noisy answer is 0.
    """
    x = q[0] + Lap(1 / eps)
    if x != 0:
        return 0
    return 1


@sketch(adjacent=each_within(1))
def two_draws_tie(q: Private, eps: Epsilon):
    """Two draws agree, and the raw answer is told.

    Truth: not private wherever draws can agree: the answer 1 is possible on [1] and not on [0].
    Witness: [0] [1]
    """
    x = Lap(1 / eps)
    y = Lap(1 / eps)
    if x == y:
        return q[0]
    return -5


@sketch(adjacent=each_within(1))
def two_draws_tie_twin(q: Private, eps: Epsilon):
    """Two draws agree, and a noisy answer is told.

    Truth: private. One answer with noise of scale 1/eps, told or not by a coin that knows nothing of q.
    """
    x = Lap(1 / eps)
    y = Lap(1 / eps)
    if x == y:
        return q[0] + Lap(1 / eps)
    return -5


@sketch(adjacent=each_within(1))
def whole_tie(q: Private[int], eps: Epsilon):
    """A tie of noise on the whole numbers, which has a probability above 0.

    Truth: not private. On [1] the answer 101 has the probability that the noise is -1; on [0] it is impossible.
    Witness: [0] [1]
    """
    x = q[0] + DiscreteLap(1 / eps)
    if x == 0:
        return q[0] + 100
    return x


@sketch(adjacent=each_within(1))
def whole_tie_twin(q: Private[int], eps: Epsilon):
    """A tie of noise on the whole numbers, with a constant for it.

    Truth: private. The answer is a function of one noisy answer, and whole answers move by 1.
    """
    x = q[0] + DiscreteLap(1 / eps)
    if x == 0:
        return 100
    return x


@sketch(adjacent=each_within(1))
def whole_tie_between(q: Private[int], eps: Epsilon):
    """`<=` and `>=` both hold only in a tie, which whole noise reaches.

    Truth: not private. The answer 1 is possible on [1] (the noise is 3) and not on [0].
    Witness: [0] [1]
    """
    n = DiscreteLap(1 / eps)
    if n >= 3 and n <= 3:
        return q[0]
    return -1


@sketch(adjacent=each_within(1))
def whole_tie_between_twin(q: Private[int], eps: Epsilon):
    """`<` and `>` around a gap that whole noise never hits.

    Truth: private. No whole number lies strictly between 3 and 4, so the answer is always -1.
    """
    n = DiscreteLap(1 / eps)
    if n > 3 and n < 4:
        return q[0]
    return -1


@sketch(adjacent=each_within(1))
def threshold_tie(q: Private, T: float, eps: Epsilon):
    """The noisy answer meets the threshold exactly.

    Truth: not private wherever that has any mass: the answer 1 on [1] is impossible on [0].
    Witness: [0] [1] T=2
    """
    x = q[0] + Lap(1 / eps)
    if x < T:
        return -1
    if x <= T:
        return q[0]
    return -2


@sketch(adjacent=each_within(1))
def threshold_tie_twin(q: Private, T: float, eps: Epsilon):
    """The noisy answer meets the threshold exactly, and the threshold is told.

    Truth: private. The answer is a function of one noisy answer and of public T.
    """
    x = q[0] + Lap(1 / eps)
    if x < T:
        return -1
    if x <= T:
        return T
    return -2


@sketch(adjacent=one_within(1))
def largest_with_ties(q: Private, eps: Epsilon):
    """The larger of two noisy answers, and in a tie the raw one.

    Truth: not private wherever ties have any mass: with both noises 0, [5, 5] answers 105 and [5, 6] never does; 106 there.
    Witness: [5, 5] [6, 5] eps=2
    """
    a = q[0] + Lap(1 / eps)
    b = q[1] + Lap(1 / eps)
    if a > b:
        return a
    if b > a:
        return b
    return q[0] + 100


@sketch(adjacent=one_within(1))
def largest_with_ties_twin(q: Private, eps: Epsilon):
    """The larger of two noisy answers, and in a tie a constant.

    Truth: private. One answer moves, and each has noise of scale 1/eps.
    Search: sizes=2 eps=2
    """
    a = q[0] + Lap(1 / eps)
    b = q[1] + Lap(1 / eps)
    if a > b:
        return a
    if b > a:
        return b
    return 100


@sketch(adjacent=each_within(1))
def distance_zero(q: Private, eps: Epsilon):
    """abs(x) <= 0 is a tie in disguise.

    Truth: not private wherever 0 has any mass: the answer 1 on [1] is impossible on [0].
    Witness: [0] [1]
    """
    x = Lap(1 / eps)
    if abs(x) <= 0:
        return q[0]
    return -1


@sketch(adjacent=each_within(1))
def distance_zero_twin(q: Private, eps: Epsilon):
    """abs(x) < 0 never holds.

    Truth: private. The answer is always -1.
    """
    x = Lap(1 / eps)
    if abs(x) < 0:
        return q[0]
    return -1


@sketch(adjacent=each_within(1))
def max_is_itself(q: Private, eps: Epsilon):
    """max(x, 3) == x and x == 3 together are a tie.

    Truth: not private wherever 3 has any mass: the answer 1 on [1] is impossible on [0].
    Witness: [0] [1]
    """
    x = q[0] + Lap(1 / eps)
    if max(x, 3) == min(x, 3):
        return q[0]
    return -1


@sketch(adjacent=each_within(1))
def max_is_itself_twin(q: Private, eps: Epsilon):
    """The same tie with a constant for it.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    if max(x, 3) == min(x, 3):
        return 4
    return -1
