"""Post-processing that is none: what was released is compared with raw data later."""

from kolahal import DiscreteLap, Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def difference(q: Private, eps: Epsilon):
    """A noisy answer, and then how far it is off.

    Truth: not private. The second item less the first is the raw answer.
    Witness: [0] [1]
    """
    x = q[0] + Lap(1 / eps)
    return x, x - q[0]


@sketch(adjacent=each_within(1))
def difference_twin(q: Private, eps: Epsilon):
    """A noisy answer, and then how far it is from a public number.

    Truth: private. Both items are functions of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    return x, x - len(q)


@sketch(adjacent=each_within(1))
def too_high(q: Private, eps: Epsilon):
    """A noisy answer, and whether it is too high.

    Truth: not private. (1, True) is possible on [0] and not on [1].
    Witness: [0] [1]
    """
    x = q[0] + Lap(1 / eps)
    return x, x > q[0]


@sketch(adjacent=each_within(1))
def too_high_twin(q: Private, eps: Epsilon):
    """A noisy answer, and whether it is high.

    Truth: private. Both items are functions of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    return x, x > 3


@sketch(adjacent=each_within(1))
def better_of_two(q: Private, eps: Epsilon):
    """Of two noisy answers the one that is nearer to the truth.

    Truth: not private. The noise is the smaller of two, and the second release is paid by nobody: at 0 the density is more than
    e^eps times as high on [0] as on [2] after two steps, so for one step of 1 too at scale 1/eps.
    Witness: [0] [1] eps=1
    """
    x = q[0] + Lap(1 / eps)
    y = q[0] + Lap(1 / eps)
    if abs(x - q[0]) < abs(y - q[0]):
        return x
    return y


@sketch(adjacent=each_within(1))
def better_of_two_twin(q: Private, eps: Epsilon):
    """Of two noisy answers the one that is nearer to 0, each with noise for half of the budget.

    Truth: private. The answer is a function of two noisy answers at eps/2 each.
    Search: sizes=1 eps=3
    """
    x = q[0] + Lap(2 / eps)
    y = q[0] + Lap(2 / eps)
    if abs(x) < abs(y):
        return x
    return y


@sketch(adjacent=one_within(1))
def corrected(q: Private, eps: Epsilon):
    """A noisy answer is put right where it is far off.

    Truth: not private. An answer more than 3 away from q[0] never comes: 4 is impossible on [0] and possible on [1].
    Witness: [0] [1] eps=1
    """
    x = q[0] + Lap(1 / eps)
    if abs(x - q[0]) > 3:
        x = q[0]
    return x


@sketch(adjacent=one_within(1))
def corrected_twin(q: Private, eps: Epsilon):
    """A noisy answer is put right where it is far from a public number.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    if abs(x - 1) > 3:
        x = 1
    return x


@sketch(adjacent=one_within(1))
def checked_again(q: Private, eps: Epsilon):
    """The noisy winner is checked against raw data before it is told.

    Truth: not private. [0, 0]: the winner is told only if its raw answer is above 0; on [1, 0] it may be, on [0, 0] never.
    Witness: [0, 0] [1, 0] eps=2
    """
    best = 0
    if q[1] + Lap(2 / eps) > q[0] + Lap(2 / eps):
        best = 1
    if q[best] > 0:
        return best
    return -1


@sketch(adjacent=one_within(1))
def checked_again_twin(q: Private, eps: Epsilon):
    """The noisy winner is told.

    Truth: private. One of the two noisy answers moves by 1, with noise of scale 2/eps.
    Search: sizes=2 eps=3
    """
    best = 0
    if q[1] + Lap(2 / eps) > q[0] + Lap(2 / eps):
        best = 1
    return best


@sketch(adjacent=each_within(1))
def rounded_towards(q: Private[int], eps: Epsilon):
    """A noisy answer moves by one towards the raw one.

    Truth: not private. On [0] the answers 0 from -1, 0 and 1 come together; the loss of 0 against [1] is above eps.
    Witness: [0] [1] eps=2
    """
    x = q[0] + DiscreteLap(1 / eps)
    if x > q[0]:
        return x - 1
    if x < q[0]:
        return x + 1
    return x


@sketch(adjacent=each_within(1))
def rounded_towards_twin(q: Private[int], eps: Epsilon):
    """A noisy answer moves by one towards a public number.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + DiscreteLap(1 / eps)
    if x > 5:
        return x - 1
    if x < 5:
        return x + 1
    return x


@sketch(adjacent=each_within(1))
def same_noise(q: Private, eps: Epsilon):
    """Two answers with the same noise.

    Truth: not private. The difference of the items is that of the raw answers.
    Witness: [0, 0] [1, 0]
    """
    n = Lap(2 / eps)
    return q[0] + n, q[1] + n


@sketch(adjacent=each_within(1))
def same_noise_twin(q: Private, eps: Epsilon):
    """Two answers with noise of their own.

    Truth: private. Two answers at eps/2 each.
    Search: sizes=2 values=0 eps=4
    """
    return q[0] + Lap(2 / eps), q[1] + Lap(2 / eps)


@sketch(adjacent=each_within(1))
def two_names_for_noise(q: Private, eps: Epsilon):
    """One noise under two names; one hides, the other is told.

    Truth: not private. The difference of the items is the raw answer.
    Witness: [0] [1]
    """
    a = b = Lap(1 / eps)
    return q[0] + a, b


@sketch(adjacent=each_within(1))
def two_names_for_noise_twin(q: Private, eps: Epsilon):
    """Two noises; one hides, the other is told.

    Truth: private. The second item knows nothing of q.
    Search: sizes=1 eps=2
    """
    a, b = Lap(1 / eps), Lap(1 / eps)
    return q[0] + a, b


@sketch(adjacent=one_within(1))
def told_later(q: Private, eps: Epsilon):
    """A list of noisy answers, and at its end the number of those that were too high.

    Truth: not private. [1, 1] (noisy 1, and one too high) is possible on [0] and not on [1].
    Witness: [0] [1]
    """
    out = []
    high = 0
    for x in q:
        y = x + Lap(1 / eps)
        out.append(y)
        if y > x:
            high = high + 1
    out.append(high)
    return out


@sketch(adjacent=one_within(1))
def told_later_twin(q: Private, eps: Epsilon):
    """A list of noisy answers, and at its end the number of those above 3.

    Truth: private. All items are functions of the noisy answers.
    Search: sizes=1,2 values=0 eps=3
    """
    out = []
    high = 0
    for x in q:
        y = x + Lap(1 / eps)
        out.append(y)
        if y > 3:
            high = high + 1
    out.append(high)
    return out


@sketch(adjacent=one_within(1))
def noisy_list_again(q: Private, eps: Epsilon):
    """The noise of a list is recovered from its items.

    Truth: not private. The sum of the noisy list less the noise that was added is the raw sum.
    Witness: [0] [1]
    """
    noisy = 0
    noise = 0
    for x in q:
        n = Lap(1 / eps)
        noisy = noisy + x + n
        noise = noise + n
    return noisy, noise


@sketch(adjacent=one_within(1))
def noisy_list_again_twin(q: Private, eps: Epsilon):
    """The sum of a noisy list, and other noise.

    Truth: private. The second item knows nothing of q.
    Search: sizes=1 eps=3
    """
    noisy = 0
    noise = 0
    for x in q:
        n = Lap(1 / eps)
        noisy = noisy + x + n
        noise = noise + Lap(1 / eps)
    return noisy, noise
