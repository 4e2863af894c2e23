"""Fixed places: a place of the private list that a handful of answers does not have."""

from kolahal import Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def seventh(q: Private, eps: Epsilon):
    """The raw answer at a place that short lists do not have.

    Truth: not private. With seven answers the answer is q[6] itself.
    Witness: [0, 0, 0, 0, 0, 0, 0] [0, 0, 0, 0, 0, 0, 1]
    """
    return q[6]


@sketch(adjacent=each_within(1))
def seventh_twin(q: Private, eps: Epsilon):
    """The noisy answer at that place.

    Truth: private. One answer with noise of scale 1/eps; shorter lists stop with an error whatever they hold.
    """
    return q[6] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def declared_seventh(q: Private[7], eps: Epsilon):
    """The raw answer at the last of seven declared places.

    Truth: not private. The answer is q[6] itself.
    Witness: [0, 0, 0, 0, 0, 0, 0] [0, 0, 0, 0, 0, 0, 1]
    """
    return q[6]


@sketch(adjacent=each_within(1))
def declared_seventh_twin(q: Private[3], eps: Epsilon):
    """The noisy answer at the last of three declared places.

    Truth: private. One answer with noise of scale 1/eps.
    """
    return q[2] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def last(q: Private, eps: Epsilon):
    """The raw answer at the last place.

    Truth: not private. On [0] the answer is 0, on [1] it is 1.
    Witness: [0] [1]
    """
    return q[len(q) - 1]


@sketch(adjacent=each_within(1))
def last_twin(q: Private, eps: Epsilon):
    """The noisy answer at the last place.

    Truth: private. One answer with noise of scale 1/eps.
    """
    return q[len(q) - 1] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def from_the_end(q: Private, eps: Epsilon):
    """A place counted from the end is another place than the one with the noise.

    Truth: not private. With two answers q[-1] is q[1], which has no noise.
    Witness: [0, 0] [0, 1]
    """
    x = q[0] + Lap(1 / eps)
    if len(q) > 1:
        return q[-1]
    return x


@sketch(adjacent=each_within(1))
def from_the_end_twin(q: Private, eps: Epsilon):
    """A place counted from the end, with noise.

    Truth: private. One answer is told, with noise of scale 1/eps.
    """
    x = q[0] + Lap(1 / eps)
    if len(q) > 1:
        return q[-1] + Lap(1 / eps)
    return x


@sketch(adjacent=each_within(1))
def place_of_argument(q: Private, N: int, eps: Epsilon):
    """The raw answer at a public place.

    Truth: not private. With N = 0 the answer is q[0] itself.
    Witness: [0] [1] N=0
    """
    if N >= 0 and N < len(q):
        return q[N]
    return 0


@sketch(adjacent=each_within(1))
def place_of_argument_twin(q: Private, N: int, eps: Epsilon):
    """The noisy answer at a public place.

    Truth: private. One answer with noise of scale 1/eps, or 0 by public numbers.
    """
    if N >= 0 and N < len(q):
        return q[N] + Lap(1 / eps)
    return 0


@sketch(adjacent=one_within(1))
def long_lists_only(q: Private, eps: Epsilon):
    """The raw first answer, in lists of more than eight only.

    Truth: not private. With nine answers the answer is q[0] itself.
    Witness: [0, 0, 0, 0, 0, 0, 0, 0, 0] [1, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    if len(q) > 8:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def long_lists_only_twin(q: Private, eps: Epsilon):
    """Less noise in lists of more than eight, and still enough.

    Truth: private. Noise of scale 1/eps or 2/eps on one answer.
    Search: sizes=1,9 values=0
    """
    if len(q) > 8:
        return q[0] + Lap(1 / eps)
    return q[0] + Lap(2 / eps)


@sketch(adjacent=each_within(1))
def one_place_left_out(q: Private, eps: Epsilon):
    """A loop adds noise to all answers but the sixth.

    Truth: not private. With six answers the last item of the answer is q[5] itself.
    By hand: six answers with noise have too many runs; the sixth item alone tells q[5] with certainty.
    Witness: [0, 0, 0, 0, 0, 0] [0, 0, 0, 0, 0, 1]
    """
    out = []
    for i in range(len(q)):
        if i == 5:
            out.append(q[i])
        else:
            out.append(q[i] + Lap(len(q) / eps))
    return out


@sketch(adjacent=each_within(1))
def one_place_left_out_twin(q: Private, eps: Epsilon):
    """A loop adds noise to all answers, to the sixth twice.

    Truth: private. len(q) answers with noise of scale len(q)/eps or more cost at most eps together.
    Search: sizes=1,2 values=0 eps=4
    """
    out = []
    for i in range(len(q)):
        if i == 5:
            out.append(q[i] + Lap(len(q) / eps) + Lap(len(q) / eps))
        else:
            out.append(q[i] + Lap(len(q) / eps))
    return out


@sketch(adjacent=each_within(1))
def exact_length(q: Private, eps: Epsilon):
    """The raw answer where the list has exactly six answers.

    Truth: not private. With six answers the answer is q[0] itself.
    Witness: [0, 0, 0, 0, 0, 0] [1, 0, 0, 0, 0, 0]
    """
    if len(q) == 6:
        return q[0]
    return 0


@sketch(adjacent=each_within(1))
def exact_length_twin(q: Private[5], eps: Epsilon):
    """The raw answer where the list has six answers, and five are declared.

    Truth: private. A list of six is refused, so the answer is 0.
    Search: values=0
    """
    if len(q) == 6:
        return q[0]
    return 0


@sketch(adjacent=each_within(1))
def beyond_the_end(q: Private, N: int, eps: Epsilon):
    """The raw answer at place len(q) - N, which exists for N from 1 to len(q).

    Truth: not private. With N = 1 the answer is the last one itself.
    Witness: [0] [1] N=1
    """
    return q[len(q) - N]


@sketch(adjacent=each_within(1))
def beyond_the_end_twin(q: Private, N: int, eps: Epsilon):
    """The noisy answer at place len(q) - N; where there is none, the run stops by public numbers.

    Truth: private. One answer with noise of scale 1/eps, or an error that q's values do not decide.
    """
    return q[len(q) - N] + Lap(1 / eps)
