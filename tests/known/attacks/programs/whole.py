"""Noise on the whole numbers: answers that are not whole leave it, and give themselves away."""

from kolahal import DiscreteExp, DiscreteLap, Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def real_answer(q: Private, eps: Epsilon):
    """A real answer with whole noise.

    Truth: not private. On [0] the answer is whole, on [1/2] it never is.
    Witness: [0] [1/2]
    """
    return q[0] + DiscreteLap(1 / eps)


@sketch(adjacent=each_within(1))
def real_answer_twin(q: Private[int], eps: Epsilon):
    """A whole answer with whole noise.

    Truth: private. The geometric mechanism (Ghosh, Roughgarden, Sundararajan 2009).
    """
    return q[0] + DiscreteLap(1 / eps)


@sketch(adjacent=one_within(1))
def real_histogram(q: Private, eps: Epsilon):
    """A histogram of real numbers with whole noise.

    Truth: not private. On [0, 0] both items are whole, on [1/2, 0] one is not.
    Witness: [0] [1/2]
    """
    return [x + DiscreteLap(1 / eps) for x in q]


@sketch(adjacent=one_within(1))
def real_histogram_twin(q: Private[int], eps: Epsilon):
    """A histogram of whole numbers with whole noise.

    Truth: private. One count moves by 1.
    Search: sizes=1,2 values=0 eps=3
    """
    return [x + DiscreteLap(1 / eps) for x in q]


@sketch(adjacent=one_within(1))
def half_of_whole(q: Private[int], eps: Epsilon):
    """Half of a whole answer with whole noise.

    Truth: not private. On [0] the answer is whole, on [1] it is not.
    Witness: [0] [1]
    """
    return q[0] / 2 + DiscreteLap(1 / eps)


@sketch(adjacent=one_within(1))
def half_of_whole_twin(q: Private[int], eps: Epsilon):
    """Twice a whole answer with whole noise for twice.

    Truth: private. 2*q[0] moves by 2.
    """
    return 2 * q[0] + DiscreteLap(2 / eps)


@sketch(adjacent=one_within(0.5))
def half_distance(q: Private, eps: Epsilon):
    """Moves by a half with whole noise for a half.

    Truth: not private. On [0] the answer is whole, on [1/2] it is not.
    Witness: [0] [1/2]
    """
    return q[0] + DiscreteLap(1 / (2 * eps))


@sketch(adjacent=one_within(0.5))
def half_distance_twin(q: Private, eps: Epsilon):
    """Moves by a half with real noise for a half.

    Truth: private. The Laplace mechanism for a move of 1/2.
    Search: step=1/2
    """
    return q[0] + Lap(1 / (2 * eps))


@sketch(adjacent=each_within(1))
def fractional_threshold(q: Private, eps: Epsilon):
    """Whether a real answer with whole noise is strictly between 0 and 1.

    Truth: not private. On [0] it never is, on [1/2] it is if the noise is 0.
    Witness: [0] [1/2]
    """
    z = DiscreteLap(1 / eps)
    if q[0] + z > 0 and q[0] + z < 1:
        return 1
    return 0


@sketch(adjacent=each_within(1))
def fractional_threshold_twin(q: Private[int], eps: Epsilon):
    """The same comparisons of a whole answer.

    Truth: private. No whole number lies strictly between 0 and 1, so the answer is 0.
    """
    z = DiscreteLap(1 / eps)
    if q[0] + z > 0 and q[0] + z < 1:
        return 1
    return 0


@sketch(adjacent=one_within(1))
def real_one_sided(q: Private, eps: Epsilon):
    """A real answer decides by whole one-sided noise, and is told with whole noise.

    Truth: not private. On [0] the answer is whole, on [1/2] it never is.
    Witness: [0] [1/2] eps=4
    """
    if q[0] + DiscreteExp(4 / eps) > 0:
        return 4 - q[0] - DiscreteLap(8 / eps)
    return q[0] + DiscreteLap(8 / eps)


@sketch(adjacent=one_within(1))
def real_one_sided_twin(q: Private[int], eps: Epsilon):
    """The same of whole answers.

    Truth: private. Where neighbours choose alike, the answer costs eps/8; where they do not, the smaller one is 0 or -1 and the
    brute force bounds the loss by eps.
    Search: sizes=1 values=-2,-1,0,1 eps=4
    """
    if q[0] + DiscreteExp(4 / eps) > 0:
        return 4 - q[0] - DiscreteLap(8 / eps)
    return q[0] + DiscreteLap(8 / eps)


@sketch(adjacent=one_within(1))
def fraction_of_constant(q: Private[int], eps: Epsilon):
    """A fraction is added where a raw answer is positive.

    Truth: not private. On [0] the answer is whole, on [1] it never is.
    Witness: [0] [1]
    """
    x = q[0] + DiscreteLap(1 / eps)
    if q[0] > 0:
        x = x + 0.5
    return x


@sketch(adjacent=one_within(1))
def fraction_of_constant_twin(q: Private[int], eps: Epsilon):
    """A fraction is added where a noisy answer is positive.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + DiscreteLap(1 / eps)
    if x > 0:
        x = x + 0.5
    return x


@sketch(adjacent=each_within(1))
def fractional_argument(q: Private, T: float, eps: Epsilon):
    """A real threshold is added to a real answer with whole noise.

    Truth: not private. The fraction of the answer is that of q[0] + T.
    Witness: [0] [1/2] T=1/4
    """
    return q[0] + T + DiscreteLap(1 / eps)


@sketch(adjacent=each_within(1))
def fractional_argument_twin(q: Private[int], T: float, eps: Epsilon):
    """A real threshold is added to a whole answer with whole noise.

    Truth: private. T is public, and the rest is the geometric mechanism.
    """
    return q[0] + T + DiscreteLap(1 / eps)


@sketch(adjacent=each_within(2))
def odd_moves(q: Private[int], eps: Epsilon):
    """Whole noise that is doubled hides even moves only.

    Truth: not private. On [0] the answer is even, on [1] it is odd.
    Witness: [0] [1]
    """
    return q[0] + 2 * DiscreteLap(1 / eps)


@sketch(adjacent=each_within(2))
def odd_moves_twin(q: Private[int], eps: Epsilon):
    """Whole noise that is doubled, on a doubled answer.

    Truth: private. 2*(q[0] + noise), where q[0] moves by 2 and the noise has scale 2/eps.
    Search: sizes=1
    """
    return 2 * q[0] + 2 * DiscreteLap(2 / eps)
