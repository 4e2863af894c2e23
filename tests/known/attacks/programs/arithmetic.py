"""Arithmetic that leaks: products, floors, remainders, and largest and smallest values."""

from kolahal import DiscreteLap, Epsilon, Lap, Private, each_within, monotone, one_within, sketch


@sketch(adjacent=each_within(1))
def product(q: Private, eps: Epsilon):
    """A product of two answers, with noise for a move of 1.

    Truth: not private. From [10, 10] to [11, 11] the product moves by 21.
    Witness: [10, 10] [11, 11]
    """
    return q[0] * q[1] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def product_twin(q: Private, eps: Epsilon):
    """A product of two noisy answers.

    Truth: private. Two noisy answers at eps/2 each, and then post-processing.
    Search: sizes=2 values=0 eps=4
    """
    return (q[0] + Lap(2 / eps)) * (q[1] + Lap(2 / eps))


@sketch(adjacent=each_within(1))
def rounded_down(q: Private, eps: Epsilon):
    """The whole part of an answer, with noise for a move of less than 1.

    Truth: not private. From 0.9 to 1.9 the whole part moves by 1, and from 0.9 to 1 too; noise of scale 1/2 hides 1/2.
    Witness: [0] [1]
    """
    return q[0] // 1 + Lap(1 / (2 * eps))


@sketch(adjacent=each_within(1))
def rounded_down_twin(q: Private, eps: Epsilon):
    """The whole part of a noisy answer.

    Truth: private. Rounding is post-processing.
    """
    return (q[0] + Lap(1 / eps)) // 1


@sketch(adjacent=one_within(0.5))
def jump(q: Private, eps: Epsilon):
    """The whole part jumps by more than the answer moves.

    Truth: not private. From 1/2 to 1 the whole part moves by 1, and the noise hides 1/2.
    Witness: [1/2] [1] step=1/2
    """
    return q[0] // 1 + Lap(1 / (2 * eps))


@sketch(adjacent=one_within(0.5))
def jump_twin(q: Private, eps: Epsilon):
    """The answer moves by a half, and the noise hides that.

    Truth: private. The Laplace mechanism for a move of 1/2.
    Search: step=1/2
    """
    return q[0] + Lap(1 / (2 * eps))


@sketch(adjacent=one_within(1))
def even_or_odd(q: Private[int], eps: Epsilon):
    """Whether an answer is odd.

    Truth: not private. 0 on [0], 1 on [1].
    Witness: [0] [1]
    """
    return q[0] % 2


@sketch(adjacent=one_within(1))
def even_or_odd_twin(q: Private[int], eps: Epsilon):
    """Whether a noisy answer is odd.

    Truth: private. A function of one noisy answer.
    """
    return (q[0] + DiscreteLap(1 / eps)) % 2


@sketch(adjacent=each_within(1))
def magnitude(q: Private, eps: Epsilon):
    """How far an answer is from 0.

    Truth: not private. 0 on [0], 1 on [1].
    Witness: [0] [1]
    """
    return abs(q[0])


@sketch(adjacent=each_within(1))
def magnitude_twin(q: Private, eps: Epsilon):
    """How far an answer is from 0, with noise.

    Truth: private. The absolute value moves by no more than the answer.
    """
    return abs(q[0]) + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def doubled_magnitude(q: Private, eps: Epsilon):
    """The sum of an answer and its absolute value, with noise for a move of 1.

    Truth: not private. From 0 to 1 it moves by 2.
    Witness: [0] [1]
    """
    return q[0] + abs(q[0]) + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def doubled_magnitude_twin(q: Private, eps: Epsilon):
    """The sum of an answer and its absolute value, with noise for a move of 2.

    Truth: private. It moves by at most 2.
    """
    return q[0] + abs(q[0]) + Lap(2 / eps)


@sketch(adjacent=each_within(1))
def largest(q: Private, eps: Epsilon):
    """The largest of two answers, and the smallest, each with noise for half of the move.

    Truth: not private. Both move by 1, at eps each.
    Witness: [0, 0] [1, 1] eps=2
    """
    return max(q[0], q[1]) + Lap(1 / eps), min(q[0], q[1]) + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def largest_twin(q: Private, eps: Epsilon):
    """The largest of two answers, with noise.

    Truth: private. It moves by no more than the answers.
    Search: sizes=2
    """
    return max(q[0], q[1]) + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def clipped_raw(q: Private, eps: Epsilon):
    """The clipped raw answer where the noisy one is large.

    Truth: not private. 1 is possible on [1] and not on [0].
    Witness: [0] [1]
    """
    x = q[0] + Lap(1 / eps)
    if x > 2:
        return min(q[0], 5)
    return -1


@sketch(adjacent=each_within(1))
def clipped_raw_twin(q: Private, eps: Epsilon):
    """The clipped noisy answer where it is large.

    Truth: private. A function of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    if x > 2:
        return min(x, 5)
    return -1


@sketch(adjacent=each_within(1))
def factor_two(q: Private, eps: Epsilon):
    """Twice an answer, with noise for once.

    Truth: not private. It moves by 2.
    Witness: [0] [1]
    """
    return 2 * q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def factor_two_twin(q: Private, eps: Epsilon):
    """Twice a noisy answer.

    Truth: private. Doubling is post-processing.
    """
    return 2 * (q[0] + Lap(1 / eps))


@sketch(adjacent=each_within(1))
def noise_times_zero(q: Private, N: int, eps: Epsilon):
    """Noise times a public number that may be 0.

    Truth: not private. With N = 0 the answer is q[0] itself.
    Witness: [0] [1] N=0
    """
    return q[0] + N * Lap(1 / eps)


@sketch(adjacent=each_within(1))
def noise_times_zero_twin(q: Private, N: int, eps: Epsilon):
    """A noisy answer times a public number.

    Truth: private. With N = 0 the answer is 0.
    """
    return N * (q[0] + Lap(1 / eps))


@sketch(adjacent=each_within(1))
def noise_halved(q: Private, eps: Epsilon):
    """Half of the noise that is needed.

    Truth: not private. Half of noise of scale 1/eps hides a move of 1/2.
    Witness: [0] [1] step=1/2
    """
    return q[0] + Lap(1 / eps) / 2


@sketch(adjacent=each_within(1))
def noise_halved_twin(q: Private, eps: Epsilon):
    """Half of twice the noise that is needed.

    Truth: private. The noise has scale 1/eps in the end.
    Search: step=1
    """
    return q[0] + Lap(2 / eps) / 2


@sketch(adjacent=one_within(1))
def cancelled_noise(q: Private, eps: Epsilon):
    """Noise is added and taken away again.

    Truth: not private. The answer is q[0] itself.
    Witness: [0] [1]
    """
    n = Lap(1 / eps)
    x = q[0] + n
    return x - n


@sketch(adjacent=one_within(1))
def cancelled_noise_twin(q: Private, eps: Epsilon):
    """Noise is added and other noise is taken away.

    Truth: private. The second noise is post-processing.
    Search: sizes=1 eps=2
    """
    n = Lap(1 / eps)
    x = q[0] + n
    return x - Lap(1 / eps)


@sketch(adjacent=monotone(1))
def mean_by_length(q: Private, eps: Epsilon):
    """The mean of all answers, with noise for a move of 1/len(q).

    Truth: not private. All answers move together, so the mean moves by 1.
    Witness: [0, 0] [1, 1] step=1/2 eps=2
    """
    total = 0
    for x in q:
        total = total + x
    return (total + Lap(1 / eps)) / len(q)


@sketch(adjacent=one_within(1))
def mean_by_length_twin(q: Private, eps: Epsilon):
    """The mean of all answers, of which one moves.

    Truth: private. The total moves by 1.
    """
    total = 0
    for x in q:
        total = total + x
    return (total + Lap(1 / eps)) / len(q)
