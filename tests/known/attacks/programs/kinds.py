"""Kinds of answers: one text on paper, two answers in Python."""

from kolahal import Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def tuple_or_list(q: Private, eps: Epsilon):
    """A tuple or a list of the same numbers, by private data.

    Truth: not private. On [0] the answer is the list [1, 2], on [1] the tuple (1, 2), and Python tells them apart.
    Witness: [0] [1]
    """
    if q[0] > 0:
        return 1, 2
    return [1, 2]


@sketch(adjacent=each_within(1))
def tuple_or_list_twin(q: Private, eps: Epsilon):
    """A list either way.

    Truth: private. The answer is [1, 2].
    """
    if q[0] > 0:
        return [1, 2]
    return [1, 2]


@sketch(adjacent=each_within(1))
def noisy_tuple_or_list(q: Private, eps: Epsilon):
    """A tuple or a list around the same noisy answer, by raw data.

    Truth: not private. On [0] the answer is a list, on [1] a tuple.
    Witness: [0] [1]
    """
    x = q[0] + Lap(1 / eps)
    if q[0] > 0:
        return x, 1
    return [x, 1]


@sketch(adjacent=each_within(1))
def noisy_tuple_or_list_twin(q: Private, eps: Epsilon):
    """A list around the same noisy answer, in one of two ways by that noisy answer.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    if x > 0:
        return [x, 1]
    return [x, 1]


@sketch(adjacent=each_within(1))
def truth_or_one(q: Private, eps: Epsilon):
    """True or 1, by private data.

    Truth: not private. Python prints True on [0] and 1 on [1].
    Witness: [0] [1]
    """
    if q[0] > 0:
        return 1
    return True


@sketch(adjacent=each_within(1))
def truth_or_one_twin(q: Private, eps: Epsilon):
    """True either way, once written as a comparison.

    Truth: private. The answer is True.
    """
    if q[0] > 0:
        return len(q) > 0
    return True


@sketch(adjacent=each_within(1))
def none_or_zero(q: Private, eps: Epsilon):
    """None or 0, by private data.

    Truth: not private. The answer is None on [0] and 0 on [1].
    Witness: [0] [1]
    """
    m = None
    if q[0] > 0:
        m = 0
    return m


@sketch(adjacent=each_within(1))
def none_or_zero_twin(q: Private, eps: Epsilon):
    """None or 0, by a noisy answer.

    Truth: private. The answer is a function of one noisy answer.
    """
    m = None
    if q[0] + Lap(1 / eps) > 0:
        m = 0
    return m


@sketch(adjacent=each_within(1))
def longer_list(q: Private, eps: Epsilon):
    """A list of one or two equal items, by private data.

    Truth: not private. [0] on [0] and [0, 0] on [1].
    Witness: [0] [1]
    """
    out = [0]
    if q[0] > 0:
        out.append(0)
    return out


@sketch(adjacent=each_within(1))
def longer_list_twin(q: Private, eps: Epsilon):
    """One item more either way, at the end or at the front.

    Truth: private. The answer is [0, 0].
    """
    out = [0]
    if q[0] > 0:
        out.append(0)
    else:
        out.insert(0, 0)
    return out


@sketch(adjacent=each_within(1))
def order_of_items(q: Private, eps: Epsilon):
    """The same items in another order, by private data.

    Truth: not private. [1, 2] on [0] and [2, 1] on [1].
    Witness: [0] [1]
    """
    out = [1]
    if q[0] > 0:
        out.insert(0, 2)
    else:
        out.append(2)
    return out


@sketch(adjacent=each_within(1))
def order_of_items_twin(q: Private, eps: Epsilon):
    """The same items in another order, and only one place is told.

    Truth: private. Both orders have length 2.
    """
    out = [1]
    if q[0] > 0:
        out.insert(0, 2)
    else:
        out.append(2)
    return len(out)


@sketch(adjacent=each_within(1))
def value_or_list(q: Private, eps: Epsilon):
    """A number, or the list of that number, by private data.

    Truth: not private. 1 on [0] and [1] on [1].
    Witness: [0] [1]
    """
    if q[0] > 0:
        return [1]
    return 1


@sketch(adjacent=each_within(1))
def value_or_list_twin(q: Private, N: int, eps: Epsilon):
    """A number, or the list of that number, by a public argument.

    Truth: private. The answer depends on N alone.
    """
    if N > 0:
        return [1]
    return 1


@sketch(adjacent=each_within(1))
def truth_in_list(q: Private, eps: Epsilon):
    """A list of a truth value, which raw data decides.

    Truth: not private. [False] on [0], [True] on [1].
    Witness: [0] [1]
    """
    return [x > 0 for x in q]


@sketch(adjacent=one_within(1))
def truth_in_list_twin(q: Private, eps: Epsilon):
    """A list of truth values, which noisy data decides.

    Truth: private. One answer moves, and each has noise of scale 1/eps.
    Search: sizes=1,2 values=0 eps=3
    """
    return [x + Lap(1 / eps) > 0 for x in q]


@sketch(adjacent=each_within(1))
def none_in_list(q: Private, eps: Epsilon):
    """A list whose item is None or 0.

    Truth: not private. [None] on [0], [0] on [1].
    Witness: [0] [1]
    """
    m = None
    if q[0] > 0:
        m = 0
    return [m]


@sketch(adjacent=each_within(1))
def none_in_list_twin(q: Private, eps: Epsilon):
    """A list whose item tells nothing.

    Truth: private. Whether m is None, or not None: one of the two always holds.
    """
    m = None
    if q[0] > 0:
        m = 0
    return [m is None or m is not None]


@sketch(adjacent=each_within(1))
def begun_list_or_written(q: Private, eps: Epsilon):
    """A list by name, or a tuple with the same items.

    Truth: not private. The list [5, 5] on [0], the tuple (5, 5) on [1].
    Witness: [0] [1]
    """
    out = [5, 5]
    if q[0] > 0:
        return 5, 5
    return out


@sketch(adjacent=each_within(1))
def begun_list_or_written_twin(q: Private, eps: Epsilon):
    """A list by name, or the same list written out.

    Truth: private. [5, 5] either way.
    """
    out = [5, 5]
    if q[0] > 0:
        return [5, 5]
    return out
