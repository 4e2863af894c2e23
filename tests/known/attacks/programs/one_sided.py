"""One-sided noise: where it ends, it tells what it was added to."""

from kolahal import DiscreteExp, Epsilon, Exp, Lap, Private, each_within, monotone, one_within, sketch


@sketch(adjacent=each_within(1))
def lower_end(q: Private, eps: Epsilon):
    """An answer with exponential noise.

    Truth: not private. On [1] the answer is at least 1, on [0] it is below 1 with probability 1 - e^(-eps).
    Witness: [0] [1]
    """
    return q[0] + Exp(1 / eps)


@sketch(adjacent=each_within(1))
def lower_end_twin(q: Private, eps: Epsilon):
    """An answer with the difference of two exponential noises.

    Truth: private. The difference of two equal exponentials is Laplace noise.
    Search: sizes=1 eps=2
    """
    return q[0] + Exp(1 / eps) - Exp(1 / eps)


@sketch(adjacent=each_within(1))
def whole_lower_end(q: Private[int], eps: Epsilon):
    """A whole answer with geometric noise.

    Truth: not private. The answer 0 is possible on [0] and not on [1].
    Witness: [0] [1]
    """
    return q[0] + DiscreteExp(1 / eps)


@sketch(adjacent=each_within(1))
def whole_lower_end_twin(q: Private[int], eps: Epsilon):
    """Geometric noise alone.

    Truth: private. The answer does not depend on q's values.
    """
    return len(q) + DiscreteExp(1 / eps)


@sketch(adjacent=monotone(1))
def only_up(q: Private, eps: Epsilon):
    """All answers move the same way, but that may be down.

    Truth: not private. From [1] to [0] answers below 1 become possible.
    Witness: [1] [0]
    """
    return q[0] + Exp(1 / eps)


@sketch(adjacent=monotone(1))
def only_up_twin(q: Private, eps: Epsilon):
    """All answers move the same way, with noise on both sides.

    Truth: private. The Laplace mechanism.
    """
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def above_impossible(q: Private, eps: Epsilon):
    """A threshold that one-sided noise passes with certainty on one side only.

    Truth: not private. On [1] the comparison holds with certainty, so `no` is impossible there; on [0] it is possible.
    Witness: [0] [1]
    """
    if q[0] + Exp(1 / eps) >= 1:
        return 1
    return 0


@sketch(adjacent=each_within(1))
def above_impossible_twin(q: Private, eps: Epsilon):
    """A threshold that two-sided noise passes.

    Truth: private. One comparison with noise of scale 1/eps.
    """
    if q[0] + Lap(1 / eps) >= 1:
        return 1
    return 0


@sketch(adjacent=each_within(1))
def wrong_direction(q: Private, eps: Epsilon):
    """Exponential noise is subtracted from a threshold.

    Truth: not private. The threshold is at most 1, so an answer of 2 is always above it; 1 is not.
    Witness: [1] [2]
    """
    t = 1 - Exp(1 / eps)
    if q[0] > t:
        return 1
    return 0


@sketch(adjacent=each_within(1))
def wrong_direction_twin(q: Private, eps: Epsilon):
    """Exponential noise is subtracted from a threshold that is then not used.

    Truth: private. One comparison with Laplace noise of scale 1/eps.
    Search: sizes=1 eps=2
    """
    t = 1 - Exp(1 / eps)
    if q[0] + Lap(1 / eps) > 1:
        return 1
    return 0


@sketch(adjacent=each_within(1))
def winner_and_value(q: Private, eps: Epsilon):
    """The largest noisy answer itself, with exponential noise.

    Truth: not private. It is at least the largest raw answer: 0 is possible on [0] and not on [1].
    Witness: [0] [1]
    """
    top = q[0] + Exp(2 / eps)
    for x in q:
        y = x + Exp(2 / eps)
        if y > top:
            top = y
    return top


@sketch(adjacent=each_within(1))
def winner_and_value_twin(q: Private, eps: Epsilon):
    """The place of the larger of two answers, with exponential noise for a move of 2.

    Truth: private. Report noisy maximum with Exp(2/eps).
    Search: sizes=2 eps=3
    """
    if q[0] + Exp(2 / eps) > q[1] + Exp(2 / eps):
        return 0
    return 1


@sketch(adjacent=one_within(1))
def clipped_from_below(q: Private, eps: Epsilon):
    """One-sided noise, and a clip at 0 that does not reach its end.

    Truth: not private. On [3] the answer is at least 3, on [2] it is 2 with probability 1 - e^(-eps) on the whole grid.
    Witness: [2] [3]
    """
    return max(0, q[0] + Exp(1 / eps))


@sketch(adjacent=one_within(1))
def clipped_from_below_twin(q: Private, eps: Epsilon):
    """Two-sided noise and a clip at 0.

    Truth: private. Clipping is post-processing.
    """
    return max(0, q[0] + Lap(1 / eps))


@sketch(adjacent=each_within(1))
def one_sided_above_threshold(q: Private, eps: Epsilon):
    """Above threshold with exponential noise on the threshold, which must move up as far as it likes.

    Truth: not private. With no noise on the answers, [0, 0] never gives `second`, and [0, 1] does.
    Witness: [0, 0] [0, 1] eps=2
    """
    t = Exp(1 / eps)
    for i in range(len(q)):
        if q[i] > t:
            return i + 1
    return 0


@sketch(adjacent=each_within(1))
def one_sided_above_threshold_twin(q: Private, eps: Epsilon):
    """Above threshold with exponential noise on threshold and answers.

    Truth: private. The threshold moves up by 1 at eps/2, and the answer that is reported by 2 at eps/2.
    Search: sizes=1,2 values=0 eps=4
    """
    t = Exp(2 / eps)
    for i in range(len(q)):
        if q[i] + Exp(4 / eps) > t:
            return i + 1
    return 0


@sketch(adjacent=one_within(1))
def noise_of_two_sides(q: Private[int], eps: Epsilon):
    """Geometric noise up or down, by the sign of the raw answer.

    Truth: not private. On [0] the answer is at most 0, on [1] at least 1.
    Witness: [0] [1]
    """
    if q[0] > 0:
        return q[0] + DiscreteExp(1 / eps)
    return q[0] - DiscreteExp(1 / eps)


@sketch(adjacent=one_within(1))
def noise_of_two_sides_twin(q: Private[int], eps: Epsilon):
    """Geometric noise up and down.

    Truth: private. The difference of two equal geometric noises is discrete Laplace noise.
    """
    return q[0] + DiscreteExp(1 / eps) - DiscreteExp(1 / eps)
