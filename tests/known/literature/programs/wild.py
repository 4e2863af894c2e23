"""Mistakes of the wild, and what would have been right: hand-rolled mechanisms from public issue trackers.

The programs are our own; the threads are named in each. Private ones are the repairs.
"""

from kolahal import DiscreteLap, Epsilon, Lap, Private, each_within, one_within, sketch, sum_within


@sketch(adjacent=each_within(1))
def released_weights(q: Private, eps: Epsilon, T: float = 0):
    """NVIDIA/NVFlare#343: sparse vector picks a weight, and the weight itself is told.

    truth: broken (the raw answer is told: 0 is impossible on [1])
    witness: [0] [1] T=0
    """
    t = T + Lap(2 / eps)
    for x in q:
        if x + Lap(4 / eps) >= t:
            return x
    return None


@sketch(adjacent=each_within(1))
def released_weights_repaired(q: Private, eps: Epsilon, T: float = 0):
    """NVIDIA/NVFlare#343, repaired: the weight with noise of its own.

    truth: private (1/3 + 2/6 + 1/3)
    """
    t = T + Lap(3 / eps)
    for x in q:
        if x + Lap(6 / eps) >= t:
            return x + Lap(3 / eps)
    return None


@sketch(adjacent=sum_within(1))
def inverted_scale(q: Private, eps: Epsilon):
    """WICG/attribution-reporting-api#1329: Laplace(eps / L1) in the text.

    truth: broken (1/eps, more than eps where eps is below 1)
    witness: [0] [1] eps=1/2 step=1/4
    """
    out = []
    for x in q:
        out.append(x + Lap(eps))
    return out


@sketch(adjacent=sum_within(2))
def one_sided_sensitivity(q: Private, eps: Epsilon):
    """w3c/attribution#212: noise for what one record contributes, where neighbours move by twice that.

    truth: broken (2 eps on [0, 1] and [1, 0])
    witness: [0,1] [1,0] eps=1 cut=1e-5
    """
    out = []
    for x in q:
        out.append(x + Lap(1 / eps))
    return out


@sketch(adjacent=one_within(1000000))
def clipped_and_forgotten(q: Private, eps: Epsilon):
    """smartnoise-sdk#622: values are clipped, and then the unclipped ones are summed.

    truth: broken (a value moves by far more than 100)
    witness: [0] [1000000] eps=1/100000 step=100000
    """
    total = 0
    for x in q:
        clipped = min(max(x, 0), 100)
        total += x
    return total + Lap(100 / eps)


@sketch(adjacent=one_within(1000000))
def clipped_and_used(q: Private, eps: Epsilon):
    """smartnoise-sdk#622, repaired: the clipped values are summed.

    truth: private (100/100)
    """
    total = 0
    for x in q:
        clipped = x
        if clipped < 0:
            clipped = 0
        if clipped > 100:
            clipped = 100
        total += clipped
    return total + Lap(100 / eps)


@sketch(adjacent=one_within(1))
def centred(q: Private, eps: Epsilon):
    """IBM/differential-privacy-library#104: the budget of centring is not composed with the rest.

    truth: broken (the centre and the sum cost eps each)
    witness: [0] [1] eps=1 cut=1e-5
    """
    total = 0
    for x in q:
        total += x
    centre = total + Lap(1 / eps)
    deviation = 0
    for x in q:
        deviation += x - centre
    return centre, deviation + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def centred_repaired(q: Private, eps: Epsilon):
    """IBM/differential-privacy-library#104, repaired: half of the budget each, the centre counted once.

    truth: private (1/2 + 1/2)
    """
    total = 0
    for x in q:
        total += x
    centre = total + Lap(2 / eps)
    rest = total - centre + Lap(2 / eps)
    return centre, rest


@sketch(adjacent=one_within(1))
def truncated_noise(q: Private[1], eps: Epsilon):
    """cross-media-measurement#4333: the noise itself is cut off at 8.

    truth: broken (9 is possible on [1] and not on [0])
    witness: [0] [1] eps=1 cut=1e-6
    """
    noise = Lap(1 / eps)
    if noise > 8:
        noise = 8
    if noise < -8:
        noise = -8
    return q[0] + noise


@sketch(adjacent=one_within(1))
def truncated_answer(q: Private[1], eps: Epsilon):
    """cross-media-measurement#4333, repaired: the answer is cut off, which costs nothing.

    truth: private (post-processing)
    """
    noisy = q[0] + Lap(1 / eps)
    if noisy > 8:
        noisy = 8
    if noisy < -8:
        noisy = -8
    return noisy


@sketch(adjacent=each_within(1))
def budget_a_session(q: Private[1], eps: Epsilon, sessions: int = 2):
    """teachLink_mobile#548 and the like: every session has the whole budget again.

    truth: broken (2 eps at two sessions)
    witness: [0] [1] sessions=2 eps=1 cut=1e-5
    """
    out = []
    for s in range(sessions):
        out.append(q[0] + Lap(1 / eps))
    return out


@sketch(adjacent=each_within(1))
def budget_for_all_sessions(q: Private[1], eps: Epsilon, sessions: int = 2):
    """teachLink_mobile#548 and the like, repaired: the sessions share one budget.

    truth: private (k releases at scale k/eps)
    """
    out = []
    for s in range(sessions):
        out.append(q[0] + Lap(sessions / eps))
    return out


@sketch(adjacent=one_within(1))
def suppressed_by_the_truth(q: Private, eps: Epsilon):
    """Small cells are suppressed by their raw counts.

    truth: broken (whether a cell of 5 or 6 is told is certain)
    witness: [5] [6]
    """
    out = []
    for x in q:
        if x > 5:
            out.append(x + Lap(1 / eps))
        else:
            out.append(None)
    return out


@sketch(adjacent=one_within(1))
def suppressed_by_the_noise(q: Private, eps: Epsilon):
    """Small cells are suppressed by their noisy counts.

    truth: private (post-processing)
    """
    out = []
    for x in q:
        noisy = x + Lap(1 / eps)
        if noisy > 5:
            out.append(noisy)
        else:
            out.append(None)
    return out


@sketch(adjacent=one_within(1))
def one_draw_for_all(q: Private, eps: Epsilon):
    """The noise is drawn once, before the loop.

    truth: broken (differences are told without noise)
    witness: [0,0] [1,0]
    """
    eta = Lap(1 / eps)
    out = []
    for x in q:
        out.append(x + eta)
    return out


@sketch(adjacent=each_within(1))
def raw_winner(q: Private, eps: Epsilon):
    """The winner is found without noise, and its answer is told with noise.

    truth: broken (which of [1, 0] and [0, 1] wins is certain)
    witness: [1,0] [0,1] eps=1
    """
    best = 0
    for i in range(len(q)):
        if q[i] > q[best]:
            best = i
    return best, q[best] + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def drawn_until_positive(q: Private[int, 1], eps: Epsilon):
    """Noise is drawn again until the answer is not below 0.

    truth: broken (at eps = 1 the answer 0 is 3.35 times as likely on [0] as on [1]: what is left is scaled up)
    """
    noisy = q[0] + DiscreteLap(1 / eps)
    while noisy < 0:
        noisy = q[0] + DiscreteLap(1 / eps)
    return noisy


@sketch(adjacent=one_within(1))
def mean_by_its_own_count(q: Private, eps: Epsilon):
    """smartnoise-core#356: sum and count of positive records, each with the whole budget.

    truth: broken (a record that becomes positive moves both: 2 eps)
    witness: [0] [1] eps=1 cut=1e-5
    """
    total, count = 0, 0
    for x in q:
        if x > 0:
            total += x
            count += 1
    return total + Lap(1 / eps), count + Lap(1 / eps)


@sketch(adjacent=one_within(1000000))
def mean_by_its_own_count_repaired(q: Private, eps: Epsilon):
    """smartnoise-core#356, repaired: clipped sum and count with half of the budget each.

    truth: private (10/20 + 1/2)
    """
    total, count = 0, 0
    for x in q:
        if x > 0:
            total += min(x, 10)
            count += 1
    return total + Lap(20 / eps), count + Lap(2 / eps)


@sketch(adjacent=each_within(1))
def noisy_once_compared_twice(q: Private, eps: Epsilon, T: float = 0):
    """Sparse vector that goes on after an answer above, with one noisy threshold and no count.

    truth: broken (n/4 eps in the limit, half of the answers above and half below)
    """
    t = T + Lap(2 / eps)
    above = []
    for i in range(len(q)):
        if q[i] + Lap(4 / eps) >= t:
            above.append(i)
    return above
