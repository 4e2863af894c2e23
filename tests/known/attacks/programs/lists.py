"""Lists and names: which list a name stands for depends on private data."""

from kolahal import Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def swapped(q: Private, eps: Epsilon):
    """Two lists are swapped by the sign of an answer.

    Truth: not private. On [0] the answer is 0 with certainty, on [1] it is 1.
    Witness: [0] [1]
    """
    a, b = [0], [1]
    if q[0] > 0:
        a, b = b, a
    return a[0]


@sketch(adjacent=each_within(1))
def swapped_twin(q: Private, eps: Epsilon):
    """The same swap, by the sign of a noisy answer.

    Truth: private. The answer is a function of q[0] + Lap(1/eps), which moves by at most 1.
    """
    a, b = [0], [1]
    if q[0] + Lap(1 / eps) > 0:
        a, b = b, a
    return a[0]


@sketch(adjacent=each_within(1))
def chosen(q: Private, eps: Epsilon):
    """A third name is given to one of two lists by private data.

    Truth: not private. On [0] the answer is 0, on [1] it is 1.
    Witness: [0] [1]
    """
    a, b = [0], [1]
    c = a
    if q[0] > 0:
        c = b
    return c[0]


@sketch(adjacent=each_within(1))
def chosen_twin(q: Private, eps: Epsilon):
    """The same choice, between two lists that hold the same.

    Truth: private. Both lists are [1], so the answer is 1 whatever q is.
    """
    a, b = [1], [1]
    c = a
    if q[0] > 0:
        c = b
    return c[0]


@sketch(adjacent=each_within(1))
def old_list(q: Private, eps: Epsilon):
    """A name is given to the old list, and the old name to a new one; private data says which is returned.

    Truth: not private. On [0] the answer is [0], on [1] it is [1].
    Witness: [0] [1]
    """
    a = [0]
    b = a
    a = [1]
    if q[0] > 0:
        return a
    return b


@sketch(adjacent=each_within(1))
def old_list_twin(q: Private, eps: Epsilon):
    """The same, where the old list is returned either way.

    Truth: private. The answer is [0] whatever q is.
    """
    a = [0]
    b = a
    a = [1]
    c = b
    if q[0] > 0:
        return c
    return b


@sketch(adjacent=each_within(1))
def within_one_run(q: Private, eps: Epsilon):
    """One name stands for two lists in one run, and the two reads are compared.

    Truth: not private. x is 0 and y is 1 in every run, so the raw answer is returned.
    Witness: [0] [1]
    """
    a, b = [0], [1]
    c = a
    x = c[0]
    c = b
    y = c[0]
    if x == y:
        return 0
    return q[0]


@sketch(adjacent=each_within(1))
def within_one_run_twin(q: Private, eps: Epsilon):
    """The same comparison the other way round.

    Truth: private. x is 0 and y is 1 in every run, so the answer is always 0.
    """
    a, b = [0], [1]
    c = a
    x = c[0]
    c = b
    y = c[0]
    if x == y:
        return q[0]
    return 0


@sketch(adjacent=each_within(1))
def swapped_in_loop(q: Private, eps: Epsilon):
    """Two lists are swapped once for every positive answer.

    Truth: not private. On [0] nothing is swapped and the answer is 0; on [1] there is one swap and it is 5.
    Witness: [0] [1]
    """
    a, b = [0], [5]
    for x in q:
        if x > 0:
            a, b = b, a
    return a[0]


@sketch(adjacent=each_within(1))
def swapped_in_loop_twin(q: Private, eps: Epsilon):
    """Two lists are swapped once for every answer.

    Truth: private. How many swaps there are depends on the number of answers alone.
    """
    a, b = [0], [5]
    for x in q:
        a, b = b, a
    return a[0]


@sketch(adjacent=each_within(1))
def loop_over_exchanged(q: Private, eps: Epsilon):
    """A loop runs over a list that was exchanged by private data.

    Truth: not private. On [0] the sum is 3, on [1] it is 30.
    Witness: [0] [1]
    """
    small, large = [1, 2], [10, 20]
    over = small
    if q[0] > 0:
        over = large
    total = 0
    for x in over:
        total = total + x
    return total


@sketch(adjacent=each_within(1))
def loop_over_exchanged_twin(q: Private, eps: Epsilon):
    """The same loop, over a list that was exchanged by the budget, which is public.

    Truth: private. The answer depends on eps alone.
    """
    small, large = [1, 2], [10, 20]
    over = small
    if eps > 1:
        over = large
    total = 0
    for x in over:
        total = total + x
    return total


@sketch(adjacent=each_within(1))
def number_of_items(q: Private, eps: Epsilon):
    """The exchanged lists differ in length only.

    Truth: not private. On [0] the answer is 1, on [1] it is 2.
    Witness: [0] [1]
    """
    a, b = [7], [7, 7]
    if q[0] > 0:
        a = b
    return len(a)


@sketch(adjacent=each_within(1))
def number_of_items_twin(q: Private, eps: Epsilon):
    """The exchanged lists are equally long, and only the length is told.

    Truth: private. The answer is 1 whatever q is.
    """
    a, b = [7], [8]
    if q[0] > 0:
        a = b
    return len(a)


@sketch(adjacent=each_within(1))
def two_names_returned(q: Private, eps: Epsilon):
    """A list is returned under one of two names; the other name has moved on.

    Truth: not private. On [0] the answer is [0, 1] (a), on [1] it is [0] (b).
    Witness: [0] [1]
    """
    b = [0]
    a = [0, 1]
    c = a
    if q[0] > 0:
        c = b
    return c


@sketch(adjacent=each_within(1))
def two_names_returned_twin(q: Private, eps: Epsilon):
    """A list is returned under one of two names that stand for it.

    Truth: private. a and b are the same list [0, 1].
    """
    a = [0, 1]
    b = a
    c = a
    if q[0] > 0:
        c = b
    return c


@sketch(adjacent=each_within(1))
def tuple_assignment(q: Private, eps: Epsilon):
    """Three lists change places in one tuple assignment.

    Truth: not private. On [0] the answer is 1, on [1] it is 2.
    Witness: [0] [1]
    """
    a, b, c = [1], [2], [3]
    if q[0] > 0:
        a, b, c = b, c, a
    return a[0]


@sketch(adjacent=each_within(1))
def tuple_assignment_twin(q: Private, eps: Epsilon):
    """Three lists change places and back again.

    Truth: private. After three rounds every name has its own list again, so the answer is 1.
    """
    a, b, c = [1], [2], [3]
    if q[0] > 0:
        a, b, c = b, c, a
        a, b, c = b, c, a
        a, b, c = b, c, a
    return a[0]


@sketch(adjacent=each_within(1))
def begun_anew(q: Private, eps: Epsilon):
    """A list is begun anew with another item by private data.

    Truth: not private. On [0] the answer is [0], on [1] it is [1].
    Witness: [0] [1]
    """
    out = [0]
    if q[0] > 0:
        out = [1]
    return out


@sketch(adjacent=each_within(1))
def begun_anew_twin(q: Private, eps: Epsilon):
    """A list is begun anew with the same item by private data.

    Truth: private. The answer is [0] either way.
    """
    out = [0]
    if q[0] > 0:
        out = [0]
    return out


@sketch(adjacent=one_within(1))
def copy_before_noise(q: Private, eps: Epsilon):
    """The private list is kept under another name before it is replaced by a noisy one.

    Truth: not private. The answer is q[0] itself.
    Witness: [0] [1]
    """
    raw = q
    q = [x + Lap(1 / eps) for x in q]
    return raw[0]


@sketch(adjacent=one_within(1))
def copy_before_noise_twin(q: Private, eps: Epsilon):
    """The noisy list is read.

    Truth: private. One answer with noise of scale 1/eps.
    """
    raw = q
    q = [x + Lap(1 / eps) for x in q]
    return q[0]


@sketch(adjacent=one_within(1))
def view_or_raw(q: Private, eps: Epsilon):
    """A name stands for the noisy list or the raw one, by private data.

    Truth: not private. On [1] the answer is 1 with certainty; on [0] it is a noisy 0, which is 1 with a probability below 1/2.
    Witness: [0] [1]
    """
    noisy = [x + Lap(1 / eps) for x in q]
    v = noisy
    if q[0] > 0:
        v = q
    return v[0]


@sketch(adjacent=one_within(1))
def view_or_raw_twin(q: Private, eps: Epsilon):
    """A name stands for one of two names of the noisy list.

    Truth: private. The answer is the first item of one noisy list either way.
    """
    noisy = [x + Lap(1 / eps) for x in q]
    same = noisy
    v = noisy
    if q[0] > 0:
        v = same
    return v[0]


@sketch(adjacent=each_within(1))
def last_turn_wins(q: Private, eps: Epsilon):
    """Which list a name stands for is decided anew in every turn, by that turn's answer.

    Truth: not private. On [0, 0] the answer is 0, on [0, 1] it is 1.
    Witness: [0, 0] [0, 1]
    """
    a, b = [0], [1]
    c = a
    for x in q:
        if x > 0:
            c = b
        else:
            c = a
    return c[0]


@sketch(adjacent=each_within(1))
def last_turn_wins_twin(q: Private, eps: Epsilon):
    """Which list a name stands for is decided anew in every turn, by that turn's noisy answer; one answer only counts.

    Truth: private. Only the last turn's choice is seen: a function of the last answer with noise of scale 1/eps.
    """
    a, b = [0], [1]
    c = a
    for x in q:
        if x + Lap(1 / eps) > 0:
            c = b
        else:
            c = a
    return c[0]
