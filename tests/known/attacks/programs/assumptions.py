"""Assumptions: what happens for arguments that a proof may have left out."""

from kolahal import Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def below_one(q: Private, N: int, eps: Epsilon):
    """The raw answer for N < 1, where no scale uses N.

    Truth: not private. With N = 0 the answer is q[0] itself.
    Witness: [0] [1] N=0
    """
    if N < 1:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def below_one_twin(q: Private, N: int, eps: Epsilon):
    """The raw answer for N < 1, where a scale uses N: such a call is refused.

    Truth: private. N >= 1 is required of whoever calls, and then the noise has scale N/eps >= 1/eps.
    """
    if N < 1:
        return q[0]
    return q[0] + Lap(N / eps)


@sketch(adjacent=each_within(1))
def far_below_zero(q: Private, N: int, eps: Epsilon):
    """The raw answer for N < -2.

    Truth: not private. With N = -3 the answer is q[0] itself.
    Witness: [0] [1] N=-3
    """
    if N < -2:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def far_below_zero_twin(q: Private, N: int, eps: Epsilon):
    """Another constant for N < -2.

    Truth: private. The answer is public for N < -2, and noisy otherwise.
    """
    if N < -2:
        return 77
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def noise_in_first_round(q: Private, N: int, eps: Epsilon):
    """The noise is drawn in the first of N rounds.

    Truth: not private. With N = 0 there is no round, and the answer is q[0] itself.
    Witness: [0] [1] N=0
    """
    x = q[0]
    for i in range(N):
        if i == 0:
            x = x + Lap(1 / eps)
    return x


@sketch(adjacent=each_within(1))
def noise_in_first_round_twin(q: Private, N: int, eps: Epsilon):
    """The noise is drawn in the first of N rounds, and before them there is nothing to tell.

    Truth: private. Without a round the answer is 0.
    """
    x = 0
    for i in range(N):
        if i == 0:
            x = q[0] + Lap(1 / eps)
    return x


@sketch(adjacent=each_within(1))
def empty_loop(q: Private, N: int, eps: Epsilon):
    """A loop of N rounds replaces the raw answer.

    Truth: not private. With N = 0 the loop is empty.
    Witness: [0] [1] N=0
    """
    x = q[0]
    for i in range(N):
        x = 3
    return x


@sketch(adjacent=each_within(1))
def empty_loop_twin(q: Private, N: int, eps: Epsilon):
    """A loop of one round replaces the raw answer.

    Truth: private. The answer is always 3.
    """
    x = q[0]
    for i in range(1):
        x = 3
    return x


@sketch(adjacent=each_within(1))
def negative_rounds(q: Private, N: int, eps: Epsilon):
    """While a public counter is above 0 the answer is hidden.

    Truth: not private. With N = -1 the loop is never entered.
    Witness: [0] [1] N=-1
    """
    hidden = False
    n = N
    while n > 0:
        hidden = True
        n = n - 1
    if hidden:
        return 0
    return q[0]


@sketch(adjacent=each_within(1))
def negative_rounds_twin(q: Private, N: int, eps: Epsilon):
    """The same loop, and noise where it was never entered.

    Truth: private. 0, or one answer with noise of scale 1/eps, by public N.
    """
    hidden = False
    n = N
    while n > 0:
        hidden = True
        n = n - 1
    if hidden:
        return 0
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def divisor(q: Private, M: int, eps: Epsilon):
    """Every Mth round tells the raw answer, and M = 1 makes every round such a round.

    Truth: not private. With M = 1 the first round tells q[0].
    Witness: [0] [1] M=1
    """
    for i in range(len(q)):
        if i % M == M - 1:
            return q[i]
    return 0


@sketch(adjacent=each_within(1))
def divisor_twin(q: Private, M: int, eps: Epsilon):
    """A remainder never reaches its divisor.

    Truth: private. i % M is below M for every M >= 1, and others are refused; the answer is 0.
    """
    for i in range(len(q)):
        if i % M == M:
            return q[i]
    return 0


@sketch(adjacent=each_within(1))
def flag(q: Private, exact: bool, eps: Epsilon):
    """A flag switches the noise off.

    Truth: not private. With exact = True the answer is q[0] itself.
    Witness: [0] [1] exact=True
    """
    if exact:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def flag_twin(q: Private, exact: bool, eps: Epsilon):
    """A flag switches between two amounts of noise.

    Truth: private. The scale is 1/eps or 3/eps.
    """
    if exact:
        return q[0] + Lap(1 / eps)
    return q[0] + Lap(3 / eps)


@sketch(adjacent=each_within(1))
def special_threshold(q: Private, T: float, eps: Epsilon):
    """A special value of a real argument.

    Truth: not private. With T = 12345 the answer is q[0] itself.
    Witness: [0] [1] T=12345
    """
    if T == 12345:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def special_threshold_twin(q: Private, T: float, eps: Epsilon):
    """A special value of a real argument, which is told.

    Truth: private. With T = 12345 the answer is public.
    Search: T=0,12345
    """
    if T == 12345:
        return T
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def half_value(q: Private, T: float, eps: Epsilon):
    """A real argument between two whole numbers.

    Truth: not private. With T = 1/2 both comparisons hold and the answer is q[0] itself.
    Witness: [0] [1] T=1/2
    """
    if T > 0 and T < 1:
        return q[0]
    return 0


@sketch(adjacent=each_within(1))
def half_value_twin(q: Private, N: int, eps: Epsilon):
    """A whole argument between two whole numbers.

    Truth: private. No whole number lies strictly between 0 and 1.
    """
    if N > 0 and N < 1:
        return q[0]
    return 0


@sketch(adjacent=one_within(1))
def beyond_three(q: Private, N: int, eps: Epsilon):
    """A whole argument beyond the handful that a bounded search tries.

    Truth: not private. With N = 40 the answer is q[0] itself.
    Witness: [0] [1] N=40
    """
    if N > 39:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def beyond_three_twin(q: Private, N: int, eps: Epsilon):
    """More noise for a whole argument beyond the handful.

    Truth: private. The scale is 1/eps or 2/eps.
    Search: N=1,40
    """
    if N > 39:
        return q[0] + Lap(2 / eps)
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def sum_of_arguments(q: Private, N: int, M: int, eps: Epsilon):
    """Two whole arguments that cancel.

    Truth: not private. With N = 2 and M = -2 the answer is q[0] itself.
    Witness: [0] [1] N=2 M=-2
    """
    if N + M == 0:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def sum_of_arguments_twin(q: Private, N: int, M: int, eps: Epsilon):
    """Two whole arguments that cannot cancel: scales use both.

    Truth: private. N >= 1 and M >= 1 are required, so the sum is never 0.
    Search: sizes=1 eps=1
    """
    if N + M == 0:
        return q[0]
    return q[0] + Lap(N * M / eps)


@sketch(adjacent=each_within(1))
def while_below(q: Private, N: int, eps: Epsilon):
    """Noise is added in a loop that counts up to N.

    Truth: not private. With N = 0 the loop is never entered.
    Witness: [0] [1] N=0
    """
    x = q[0]
    i = 0
    while i < N:
        x = x + Lap(1 / eps)
        i = i + 1
    return x


@sketch(adjacent=each_within(1))
def while_below_twin(q: Private, N: int, eps: Epsilon):
    """Noise is added before the loop.

    Truth: private. More noise on a noisy answer is post-processing.
    Search: sizes=1 N=0,1 eps=2
    """
    x = q[0] + Lap(1 / eps)
    i = 0
    while i < N:
        x = x + Lap(1 / eps)
        i = i + 1
    return x
