"""Faults that depend on private data: that a run stops with an error can be seen."""

from kolahal import DiscreteLap, Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def divide_by_answer(q: Private, eps: Epsilon):
    """A division by the raw answer, whose result is lost.

    Truth: not private. On [0] the run stops, on [1] it answers.
    Witness: [0] [1]
    """
    x = 1 / q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def divide_by_answer_twin(q: Private, eps: Epsilon):
    """A division by a number that is never 0.

    Truth: private. One answer with noise of scale 1/eps.
    """
    x = q[0] / 2
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def divide_in_comprehension(q: Private, eps: Epsilon):
    """A division by every raw answer, in a list that nobody reads.

    Truth: not private. On [0] the run stops, on [1] it answers.
    Witness: [0] [1]
    """
    a = [1 / x for x in q]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def divide_in_comprehension_twin(q: Private, eps: Epsilon):
    """Halves of every raw answer, in a list that nobody reads.

    Truth: private. One answer with noise of scale 1/eps.
    """
    a = [x / 2 for x in q]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def length_of_quotients(q: Private, eps: Epsilon):
    """Only the length of a list of quotients is told.

    Truth: not private. On [0] the run stops, on [1] the answer is 1.
    Witness: [0] [1]
    """
    a = [1 / x for x in q]
    return len(a)


@sketch(adjacent=each_within(1))
def length_of_quotients_twin(q: Private, eps: Epsilon):
    """Only the length of a list of sums is told.

    Truth: private. The answer is the number of answers.
    """
    a = [1 + x for x in q]
    return len(a)


@sketch(adjacent=each_within(1))
def outside_the_list(q: Private, eps: Epsilon):
    """A place outside the list is read if the raw answer is positive.

    Truth: not private. On [0] the answer is 0, on [1] the run stops.
    Witness: [0] [1]
    """
    x = 0
    if q[0] > 0:
        x = q[len(q)]
    return 0


@sketch(adjacent=each_within(1))
def outside_the_list_twin(q: Private, eps: Epsilon):
    """A place inside the list is read if the raw answer is positive.

    Truth: private. The answer is 0.
    """
    x = 0
    if q[0] > 0:
        x = q[len(q) - 1]
    return 0


@sketch(adjacent=each_within(1))
def place_counted_by_data(q: Private, eps: Epsilon):
    """A place is counted by raw data, and is outside the list for a positive answer.

    Truth: not private. On [0] the answer is 7, on [1] the run stops.
    Witness: [0] [1]
    """
    out = [7]
    n = 0
    for x in q:
        if x > 0:
            n = n + 1
    return out[n]


@sketch(adjacent=each_within(1))
def place_counted_by_data_twin(q: Private, eps: Epsilon):
    """A place is counted by raw data, and what is there is not told.

    Truth: private. One of two equal items is told, with one answer.
    Search: sizes=1 values=0,1
    """
    out = [7, 7]
    n = 0
    if q[0] > 0:
        n = n + 1
    return out[n]


@sketch(adjacent=each_within(1))
def none_used(q: Private, eps: Epsilon):
    """A name without a number is used unless the raw answer is positive.

    Truth: not private. On [0] the run stops, on [1] the answer is 0.
    Witness: [0] [1]
    """
    m = None
    if q[0] > 0:
        m = 1
    x = m + 1
    return 0


@sketch(adjacent=each_within(1))
def none_used_twin(q: Private, eps: Epsilon):
    """A name without a number is asked for before it is used.

    Truth: private. The answer is 0.
    """
    m = None
    if q[0] > 0:
        m = 1
    if m is not None:
        x = m + 1
    return 0


@sketch(adjacent=each_within(1))
def no_value_yet(q: Private, eps: Epsilon):
    """A name has no value unless a raw answer is positive.

    Truth: not private. On [0] the run stops, on [1] the answer is 0.
    Witness: [0] [1]
    """
    for x in q:
        if x > 0:
            y = 1
    z = y
    return 0


@sketch(adjacent=each_within(1))
def no_value_yet_twin(q: Private, eps: Epsilon):
    """A name has a value whatever the raw answers are.

    Truth: private. The answer is 0.
    """
    y = 0
    for x in q:
        if x > 0:
            y = 1
    z = y
    return 0


@sketch(adjacent=each_within(1))
def remainder_by_zero(q: Private, N: int, eps: Epsilon):
    """A whole number that raw data makes 0 is a divisor.

    Truth: not private. On [0] the run stops, on [1] the answer is 0.
    Witness: [0] [1] N=5
    """
    d = 0
    if q[0] > 0:
        d = 3
    x = N // d
    return 0


@sketch(adjacent=each_within(1))
def remainder_by_zero_twin(q: Private, N: int, eps: Epsilon):
    """A whole number that raw data makes 2 or 3 is a divisor.

    Truth: private. Neither is 0, and the quotient is not told.
    """
    d = 2
    if q[0] > 0:
        d = 3
    x = N // d
    return 0


@sketch(adjacent=each_within(1))
def short_circuit(q: Private, eps: Epsilon):
    """The right side of `and` is reached by raw data, and stops the run.

    Truth: not private. On [1] the right side reads outside the list; on [0] it is not reached.
    Witness: [0] [1]
    """
    if q[0] > 0 and q[len(q)] > 0:
        return 0
    return 0


@sketch(adjacent=each_within(1))
def short_circuit_twin(q: Private, eps: Epsilon):
    """The right side of `and` reads inside the list.

    Truth: private. The answer is 0.
    """
    if q[0] > 0 and q[len(q) - 1] > 0:
        return 0
    return 0


@sketch(adjacent=one_within(1))
def noise_hits_zero(q: Private[int], eps: Epsilon):
    """A division by a whole noisy number stops the run where it is 0, and by the raw answer elsewhere.

    Truth: not private. On [0] the run stops with certainty, on [1] only if the noise is -1.
    Witness: [0] [1]
    """
    x = q[0] + DiscreteLap(1 / eps)
    y = 1 / (x * q[0])
    return 0


@sketch(adjacent=one_within(1))
def noise_hits_zero_twin(q: Private[int], eps: Epsilon):
    """A division by a whole noisy number stops the run where it is 0.

    Truth: private. Whether it stops is a function of one noisy answer.
    """
    x = q[0] + DiscreteLap(1 / eps)
    y = 1 / x
    return 0


@sketch(adjacent=each_within(1))
def faults_apart(q: Private, eps: Epsilon):
    """Every run stops, with one error or another by raw data.

    Truth: not private. On [0] it is a place outside the list, on [1] a division by zero; the caller sees which.
    Witness: [0] [1]
    """
    zero = 0
    if q[0] > 0:
        return 1 / zero
    return q[len(q)]


@sketch(adjacent=each_within(1))
def faults_apart_twin(q: Private, eps: Epsilon):
    """Every run stops, with one error or another by the number of answers.

    Truth: private. The error depends on public numbers alone.
    """
    zero = 0
    if len(q) > 1:
        return 1 / zero
    return q[len(q)]
