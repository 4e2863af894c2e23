"""Private loop counts: how often a loop turns, or how long a list gets, depends on raw data."""

from kolahal import DiscreteLap, Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def count_up(q: Private, eps: Epsilon):
    """A loop counts up to the raw answer.

    Truth: not private. On [0] the answer is 0, on [1] it is 1.
    Witness: [0] [1]
    """
    n = 0
    while n < q[0]:
        n = n + 1
    return n


@sketch(adjacent=each_within(1))
def count_up_twin(q: Private, eps: Epsilon):
    """A loop counts up to the noisy answer.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    n = 0
    while n < x:
        n = n + 1
    return n


@sketch(adjacent=each_within(1))
def noise_per_turn(q: Private, eps: Epsilon):
    """Noise is drawn in every turn of a loop that the raw answer ends.

    Truth: not private. On [0] no noise is drawn and the answer is 0 with certainty; on [1] it is 0 with a probability below 1/2.
    Witness: [0] [1]
    """
    n = 0
    x = 0
    while n < q[0]:
        x = x + Lap(1 / eps)
        n = n + 1
    return x


@sketch(adjacent=each_within(1))
def noise_per_turn_twin(q: Private, eps: Epsilon):
    """Noise is drawn in every turn of a loop over all answers.

    Truth: private. The answer does not depend on q's values at all.
    Search: sizes=1,2 values=0 eps=3
    """
    x = 0
    for y in q:
        x = x + Lap(1 / eps)
    return x


@sketch(adjacent=each_within(1))
def length_of_output(q: Private, eps: Epsilon):
    """Only positive answers are told, with noise: how many there are is told without.

    Truth: not private. On [0] the answer is [], on [1] it has one item.
    Witness: [0] [1]
    """
    out = []
    for x in q:
        if x > 0:
            out.append(x + Lap(len(q) / eps))
    return out


@sketch(adjacent=each_within(1))
def length_of_output_twin(q: Private, eps: Epsilon):
    """Only answers whose noisy value is positive are told, and they are told as 1.

    Truth: private. Each answer's comparison costs eps/len(q).
    Search: sizes=1,2 values=0 eps=4
    """
    out = []
    for x in q:
        if x + Lap(len(q) / eps) > 0:
            out.append(1)
    return out


@sketch(adjacent=each_within(1))
def turns_of_private_length(q: Private, eps: Epsilon):
    """A loop over a list whose length is private.

    Truth: not private. On [0] the answer is 0, on [1] it is 5.
    Witness: [0] [1]
    """
    out = []
    for x in q:
        if x > 0:
            out.append(5)
    total = 0
    for i in range(len(out)):
        total = total + out[i]
    return total


@sketch(adjacent=each_within(1))
def turns_of_private_length_twin(q: Private, eps: Epsilon):
    """A loop over a list that has one item for each answer.

    Truth: private. The answer is 5 times the number of answers.
    """
    out = []
    for x in q:
        out.append(5)
    total = 0
    for i in range(len(out)):
        total = total + out[i]
    return total


@sketch(adjacent=each_within(1))
def stop_at_first(q: Private, eps: Epsilon):
    """Raw data ends the loop, and the number of turns is told.

    Truth: not private. On [0] the answer is 1, on [1] it is 0.
    Witness: [0] [1]
    """
    n = 0
    for x in q:
        if x > 0:
            break
        n = n + 1
    return n


@sketch(adjacent=each_within(1))
def stop_at_first_twin(q: Private, eps: Epsilon):
    """Noisy data ends the loop, against a noisy threshold, and the number of turns is told.

    Truth: private. Above threshold with 2/eps for the threshold and 4/eps for the answers, a theorem.
    Search: sizes=1,2 values=0 eps=6 cut=1e-5
    """
    t = Lap(2 / eps)
    n = 0
    for x in q:
        if x + Lap(4 / eps) > t:
            break
        n = n + 1
    return n


@sketch(adjacent=each_within(1))
def skipped(q: Private, eps: Epsilon):
    """Raw data skips the rest of a turn.

    Truth: not private. On [0] the answer is 1, on [1] it is 0.
    Witness: [0] [1]
    """
    n = 0
    for x in q:
        if x > 0:
            continue
        n = n + 1
    return n


@sketch(adjacent=each_within(1))
def skipped_twin(q: Private, eps: Epsilon):
    """Raw data skips the rest of a turn, in which nothing happens that is told.

    Truth: private. The answer is the number of answers.
    """
    n = 0
    m = 0
    for x in q:
        n = n + 1
        if x > 0:
            continue
        m = m + 1
    return n


@sketch(adjacent=each_within(1))
def endless(q: Private, eps: Epsilon):
    """A loop ends only if the raw answer lets it.

    Truth: not private. On [0] the answer is 1, on [1] the run never ends.
    Witness: [0] [1]
    """
    n = 0
    while q[0] > 0:
        n = n + 1
    return 1


@sketch(adjacent=each_within(1))
def endless_twin(q: Private, eps: Epsilon):
    """A loop that the raw answer may enter ends at once.

    Truth: private. The answer is 1 after at most one turn.
    """
    n = 0
    while q[0] > 0:
        n = n + 1
        break
    return 1


@sketch(adjacent=one_within(1))
def halving(q: Private, eps: Epsilon):
    """The number of halvings until an answer is below 1.

    Truth: not private. On [1] the answer is 1, on [0] it is 0.
    Witness: [0] [1]
    """
    x = q[0]
    n = 0
    while x >= 1:
        x = x / 2
        n = n + 1
    return n


@sketch(adjacent=one_within(1))
def halving_twin(q: Private, eps: Epsilon):
    """The number of halvings until a noisy answer is below 1.

    Truth: private. The answer is a function of one noisy answer.
    """
    x = q[0] + Lap(1 / eps)
    n = 0
    while x >= 1:
        x = x / 2
        n = n + 1
    return n


@sketch(adjacent=each_within(1))
def noise_or_not(q: Private[int], eps: Epsilon):
    """Whether noise is drawn depends on raw data.

    Truth: not private. On [0] the answer is 0 with certainty, on [1] it is 1 plus noise.
    Witness: [0] [1]
    """
    x = q[0]
    if x > 0:
        x = x + DiscreteLap(1 / eps)
    return x


@sketch(adjacent=each_within(1))
def noise_or_not_twin(q: Private[int], eps: Epsilon):
    """Which of two equal noises is drawn depends on raw data.

    Truth: private. Either way it is the answer plus discrete Laplace noise of scale 1/eps.
    """
    x = q[0]
    if x > 0:
        x = x + DiscreteLap(1 / eps)
    else:
        x = x + DiscreteLap(1 / eps)
    return x


@sketch(adjacent=each_within(1))
def until_tired(q: Private, eps: Epsilon):
    """Noise is drawn again until it is above the raw answer.

    Truth: not private. The answer is above q[0] with certainty: 1 is possible on [0] and not on [1].
    By hand: there is no bound on the number of draws; that the answer is above q[0] is read off the loop.
    Witness: [0] [1]
    """
    x = Lap(1 / eps)
    while x <= q[0]:
        x = Lap(1 / eps)
    return x


@sketch(adjacent=each_within(1))
def until_tired_twin(q: Private, eps: Epsilon):
    """Noise is drawn again until it is above 0.

    Truth: private. The answer is 1 in every run, and q is never looked at.
    By hand: there is no bound on the number of draws.
    """
    x = Lap(1 / eps)
    while x <= 0:
        x = Lap(1 / eps)
    return 1


@sketch(adjacent=each_within(1))
def answered_before(q: Private, eps: Epsilon):
    """A loop answers in its first turn, in front of the statement that fills a noisy list.

    Truth: not private. On [0] the answer is 0, on [1] it is 1.
    Witness: [0] [1]
    """
    noisy = []
    for x in q:
        return x
        noisy.append(x + Lap(2 / eps))
    best = noisy[0]
    place = 0
    for i in range(1, len(noisy)):
        if noisy[i] > best:
            best, place = noisy[i], i
    return place


@sketch(adjacent=each_within(1))
def answered_before_twin(q: Private, eps: Epsilon):
    """The loop fills the list, and only then is there an answer.

    Truth: private. Report noisy max, whose scale is 2/ε.
    Search: sizes=1,2 values=0,1 eps=2
    """
    noisy = []
    for x in q:
        noisy.append(x + Lap(2 / eps))
    best = noisy[0]
    place = 0
    for i in range(1, len(noisy)):
        if noisy[i] > best:
            best, place = noisy[i], i
    return place
