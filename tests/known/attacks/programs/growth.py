"""Loss that grows with the number of answers, or of rounds, and passes the claim."""

from kolahal import DiscreteLap, Epsilon, Exp, Lap, Private, each_within, monotone, one_within, sum_within, sketch


@sketch(adjacent=each_within(1))
def third_answer(q: Private, eps: Epsilon):
    """Every answer is told with noise for two.

    Truth: not private. Each answer costs eps/2, so three cost 3*eps/2: the event that all items are at most 0 has exactly that loss.
    Witness: [0, 0, 0] [1, 1, 1] eps=4
    """
    return [x + Lap(2 / eps) for x in q]


@sketch(adjacent=each_within(1))
def third_answer_twin(q: Private, eps: Epsilon):
    """Every answer is told with noise for all of them.

    Truth: private. len(q) answers cost eps/len(q) each.
    Search: sizes=1,2 values=0 eps=4
    """
    return [x + Lap(len(q) / eps) for x in q]


@sketch(adjacent=each_within(1))
def fifth_answer(q: Private, eps: Epsilon):
    """Every answer is told with noise for four.

    Truth: not private. Five answers cost eps/4 each, and all at most 0 is an event with loss 5*eps/4.
    By hand: five draws have too many runs; the draws are independent, so losses add up.
    Witness: [0, 0, 0, 0, 0] [1, 1, 1, 1, 1]
    """
    return [x + Lap(4 / eps) for x in q]


@sketch(adjacent=each_within(1))
def fifth_answer_twin(q: Private[4], eps: Epsilon):
    """Every answer is told with noise for four, and there are four.

    Truth: private. Four answers cost eps/4 each.
    By hand: four draws of such a scale have too many runs; the costs add up to eps.
    """
    return [x + Lap(4 / eps) for x in q]


@sketch(adjacent=each_within(1))
def ninth_answer(q: Private, eps: Epsilon):
    """Every answer is told with noise for eight.

    Truth: not private. Nine answers cost eps/8 each, and all at most 0 is an event with loss 9*eps/8.
    By hand: nine draws have too many runs; the draws are independent, so losses add up.
    Witness: [0, 0, 0, 0, 0, 0, 0, 0, 0] [1, 1, 1, 1, 1, 1, 1, 1, 1]
    """
    out = []
    for x in q:
        out.append(x + Lap(8 / eps))
    return out


@sketch(adjacent=one_within(1))
def ninth_answer_twin(q: Private, eps: Epsilon):
    """Every answer is told with noise for eight, and one answer moves.

    Truth: private. One answer costs eps/8.
    Search: sizes=1 values=0 eps=4
    """
    out = []
    for x in q:
        out.append(x + Lap(8 / eps))
    return out


@sketch(adjacent=each_within(1))
def sum_of_all(q: Private, eps: Epsilon):
    """The sum of all answers with noise for three.

    Truth: not private. With four answers the sum moves by 4 and the noise hides 3.
    Witness: [0, 0, 0, 0] [1, 1, 1, 1]
    """
    total = 0
    for x in q:
        total = total + x
    return total + Lap(3 / eps)


@sketch(adjacent=each_within(1))
def sum_of_all_twin(q: Private, eps: Epsilon):
    """The sum of all answers with noise for all.

    Truth: private. The sum moves by at most len(q).
    """
    total = 0
    for x in q:
        total = total + x
    return total + Lap(len(q) / eps)


@sketch(adjacent=each_within(1))
def every_second(q: Private, eps: Epsilon):
    """Every second answer is told with noise for two of them.

    Truth: not private. With five answers, three are told at eps/2 each.
    Witness: [0, 0, 0, 0, 0] [1, 0, 1, 0, 1] eps=4
    """
    out = []
    for i in range(0, len(q), 2):
        out.append(q[i] + Lap(2 / eps))
    return out


@sketch(adjacent=each_within(1))
def every_second_twin(q: Private, eps: Epsilon):
    """Every second answer is told with noise for all.

    Truth: private. At most len(q) answers are told, at eps/len(q) each.
    Search: sizes=1,2 values=0 eps=3
    """
    out = []
    for i in range(0, len(q), 2):
        out.append(q[i] + Lap(len(q) / eps))
    return out


@sketch(adjacent=one_within(1))
def rounds(q: Private, N: int, eps: Epsilon):
    """One answer is told in each of N rounds, with noise for two.

    Truth: not private. Three rounds cost 3*eps/2.
    Witness: [0] [1] N=3 eps=4
    """
    out = []
    for i in range(N):
        out.append(q[0] + Lap(2 / eps))
    return out


@sketch(adjacent=one_within(1))
def rounds_twin(q: Private, N: int, eps: Epsilon):
    """One answer is told in each of N rounds, with noise for N.

    Truth: private. N rounds cost eps/N each.
    Search: sizes=1 values=0 eps=4
    """
    out = []
    for i in range(N):
        out.append(q[0] + Lap(N / eps))
    return out


@sketch(adjacent=each_within(1))
def partial_sums(q: Private, eps: Epsilon):
    """All partial sums, the noise of each carried on to the next.

    Truth: not private. The differences of the answer are single noisy answers, each of which costs eps: two cost 2*eps.
    Witness: [0, 0] [1, 1] eps=2
    """
    s = 0
    out = []
    for x in q:
        s = s + x + Lap(1 / eps)
        out.append(s)
    return out


@sketch(adjacent=one_within(1))
def partial_sums_twin(q: Private, eps: Epsilon):
    """All partial sums, where one answer moves.

    Truth: private. One difference moves by at most 1, with noise of scale 1/eps.
    Search: sizes=1,2 values=0 eps=3
    """
    s = 0
    out = []
    for x in q:
        s = s + x + Lap(1 / eps)
        out.append(s)
    return out


@sketch(adjacent=each_within(1))
def all_above(q: Private, eps: Epsilon):
    """Which answers are above 0, with noise for two of them.

    Truth: not private. On 3 answers of -1 each item is True with 1/2 * e^(-eps/2), on 0 with 1/2: three of them have loss 3*eps/2.
    Witness: [0, 0, 0] [-1, -1, -1] eps=4 step=1/2
    """
    return [x + Lap(2 / eps) > 0 for x in q]


@sketch(adjacent=each_within(1))
def all_above_twin(q: Private, eps: Epsilon):
    """Which answers are above 0, with noise for all.

    Truth: private. len(q) comparisons cost eps/len(q) each.
    Search: sizes=1,2 values=0 eps=4
    """
    return [x + Lap(len(q) / eps) > 0 for x in q]


@sketch(adjacent=monotone(1))
def together_up(q: Private[int], eps: Epsilon):
    """All answers move the same way, with whole noise for two.

    Truth: not private. Three answers that all move up cost eps/2 each.
    Witness: [0, 0, 0] [1, 1, 1] eps=4
    """
    return [x + DiscreteLap(2 / eps) for x in q]


@sketch(adjacent=monotone(1))
def together_up_twin(q: Private[int], eps: Epsilon):
    """The difference of two answers, which both move the same way.

    Truth: private. q[1] - q[0] moves by at most 1.
    Search: sizes=2 values=0,1 eps=2
    """
    return q[1] - q[0] + DiscreteLap(1 / eps)


@sketch(adjacent=each_within(1))
def longest_loss(q: Private, eps: Epsilon):
    """Every answer is compared with one noisy threshold, and has no noise of its own.

    Truth: not private. On [0, 0] both items are equal, so [True, False] is impossible; on [1, 0] it is not.
    Witness: [0, 0] [1, 0]
    """
    t = Lap(3 / eps)
    return [x > t for x in q]


@sketch(adjacent=each_within(1))
def longest_loss_twin(q: Private, eps: Epsilon):
    """One comparison with one noisy threshold.

    Truth: private. Whether the first answer is above the threshold: noise of scale 3/eps against a move of 1.
    """
    t = Lap(3 / eps)
    return q[0] > t


@sketch(adjacent=sum_within(1))
def weights_grow(q: Private, eps: Epsilon):
    """The weighted sum, in which the weight of an answer is its place.

    Truth: not private. The fourth answer has weight 4, and the noise hides 3.
    Witness: [0, 0, 0, 0] [0, 0, 0, 1]
    """
    total = 0
    w = 0
    for x in q:
        w = w + 1
        for j in range(len(q)):
            if j < w:
                total = total + x
    return total + Lap(3 / eps)


@sketch(adjacent=sum_within(1))
def weights_grow_twin(q: Private, eps: Epsilon):
    """The plain sum.

    Truth: private. It moves by at most 1.
    """
    total = 0
    for x in q:
        total = total + x
    return total + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def one_sided_growth(q: Private, eps: Epsilon):
    """Noisy maximum with exponential noise for a move of 1 each.

    Truth: not private. The first answer wins from behind with e^(-eps * distance), and the distance moves by 2: a loss near 2*eps.
    Witness: [0, 3, 3] [1, 2, 2] eps=2 cut=1e-12
    """
    best = 0
    top = q[0] + Exp(1 / eps)
    for i in range(len(q)):
        if i > 0:
            x = q[i] + Exp(1 / eps)
            if x > top:
                top = x
                best = i
    return best


@sketch(adjacent=each_within(1))
def one_sided_growth_twin(q: Private, eps: Epsilon):
    """Noisy maximum with exponential noise for a move of 2.

    Truth: private. Report noisy maximum with Exp(2/eps), a theorem (McKenna and Sheldon 2020).
    Search: sizes=1,2 values=0,1 eps=3
    """
    best = 0
    top = q[0] + Exp(2 / eps)
    for i in range(len(q)):
        if i > 0:
            x = q[i] + Exp(2 / eps)
            if x > top:
                top = x
                best = i
    return best


@sketch(adjacent=each_within(1))
def threshold_and_value(q: Private, T: float, eps: Epsilon):
    """Above threshold that tells the noisy answer itself, without fresh noise.

    Truth: not private. With m answers, the event that the last one is told and is near T costs m*eps/4: below T every earlier comparison
    loses e^(eps/4), and the density of the last answer too (Lyu, Su and Li 2017, algorithm 3). It passes eps at the fifth answer.
    By hand: six draws have too many runs.
    Witness: [0, 0, 0, 0, 0] [1, 1, 1, 1, -1] T=0
    """
    t = T + Lap(2 / eps)
    for i in range(len(q)):
        x = q[i] + Lap(4 / eps)
        if x > t:
            return i, x
    return -1, 0


@sketch(adjacent=each_within(1))
def threshold_and_value_twin(q: Private, T: float, eps: Epsilon):
    """Above threshold that tells the answer with fresh noise.

    Truth: private. The threshold costs eps/4, the comparison 2*eps/8, and the fresh noise eps/2.
    Search: sizes=1 values=0 T=0 eps=8 cut=1e-5
    """
    t = T + Lap(4 / eps)
    for i in range(len(q)):
        x = q[i] + Lap(8 / eps)
        if x > t:
            return i, q[i] + Lap(2 / eps)
    return -1, 0
