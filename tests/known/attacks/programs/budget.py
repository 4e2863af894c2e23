"""The budget in conditions, and arguments far away: places where no test looks."""

from kolahal import Epsilon, Exp, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def large_budget(q: Private, eps: Epsilon):
    """No noise for a large budget.

    Truth: not private. At eps = 6 the answer is q[0] itself.
    Witness: [0] [1] eps=6
    """
    if eps > 5:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def large_budget_twin(q: Private, eps: Epsilon):
    """More noise for a large budget.

    Truth: private. The scale is 1/eps or 2/eps.
    Search: eps=1,6
    """
    if eps > 5:
        return q[0] + Lap(2 / eps)
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def small_budget(q: Private, eps: Epsilon):
    """No noise for a small budget.

    Truth: not private. At eps = 1/200 the answer is q[0] itself.
    Witness: [0] [1] eps=1/200
    """
    if eps < 0.01:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def small_budget_twin(q: Private, eps: Epsilon):
    """Nothing for a small budget.

    Truth: private. Below 0.01 the answer is 0.
    Search: eps=1/200,1
    """
    if eps < 0.01:
        return 0
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def one_budget(q: Private, eps: Epsilon):
    """No noise at one budget.

    Truth: not private. At eps = 3/7 the answer is q[0] itself.
    Witness: [0] [1] eps=3/7
    """
    if 7 * eps == 3:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def one_budget_twin(q: Private, eps: Epsilon):
    """No noise at a budget that does not exist.

    Truth: private. eps is above 0, so eps = -3/7 is refused.
    """
    if 7 * eps == -3:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def far_threshold(q: Private, T: float, eps: Epsilon):
    """No noise for a far threshold.

    Truth: not private. With T = 1001 the answer is q[0] itself.
    Witness: [0] [1] T=1001
    """
    if T > 1000:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def far_threshold_twin(q: Private, T: float, eps: Epsilon):
    """Nothing for a far threshold.

    Truth: private. With T > 1000 the answer is 0.
    Search: T=0,1001
    """
    if T > 1000:
        return 0
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def square_of_budget(q: Private, eps: Epsilon):
    """Noise of scale 1/eps**2, which is enough for eps <= 1 only.

    Truth: not private. At eps = 2 the scale is 1/4, and the loss of a move by 1 is 4.
    Witness: [0] [1] eps=2
    """
    return q[0] + Lap(1 / eps**2)


@sketch(adjacent=each_within(1))
def square_of_budget_twin(q: Private, eps: Epsilon):
    """Noise of scale 1/eps.

    Truth: private. The Laplace mechanism.
    Search: eps=1/2,2
    """
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def fixed_scale(q: Private, eps: Epsilon):
    """Noise whose scale does not know the budget.

    Truth: not private. At eps = 1/2 the loss of a move by 1 is 1.
    Witness: [0] [1] eps=1/2
    """
    return q[0] + Lap(1)


@sketch(adjacent=each_within(1))
def fixed_scale_twin(q: Private, eps: Epsilon):
    """Noise whose scale does not know the budget, on nothing private.

    Truth: private. The answer does not depend on q's values.
    """
    return len(q) + Lap(1)


@sketch(adjacent=each_within(1))
def both_switches(q: Private, T: float, eps: Epsilon):
    """Half of the noise is lost where budget and threshold conspire.

    Truth: not private. At eps = 3 and T = 2 the scale is 1/2 of what is needed.
    Witness: [0] [1] T=2 eps=3
    """
    if eps > T and T > 1:
        return q[0] + Lap(1 / (2 * eps))
    return q[0] + Lap(1 / eps)


@sketch(adjacent=each_within(1))
def both_switches_twin(q: Private, T: float, eps: Epsilon):
    """Half of the noise is lost where budget and threshold cannot conspire.

    Truth: private. eps > 0 rules out eps < T < 0.
    Search: T=-1,0,1
    """
    if eps < T and T < 0:
        return q[0] + Lap(1 / (2 * eps))
    return q[0] + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def far_event(q: Private, eps: Epsilon):
    """The raw answer where the noisy one is very large.

    Truth: not private. On [10] noise of 10 or more has probability e^(-10)/2 at eps = 1, and then the answer is 10; never on [9].
    Witness: [10] [9] eps=1 cut=1e-9
    """
    x = q[0] + Lap(1 / eps)
    if x > 20:
        return q[0]
    return 0


@sketch(adjacent=one_within(1))
def far_event_twin(q: Private, eps: Epsilon):
    """The noisy answer where it is very large.

    Truth: private. The answer is a function of one noisy answer.
    Search: sizes=1 values=10 cut=1e-9
    """
    x = q[0] + Lap(1 / eps)
    if x > 20:
        return x
    return 0


@sketch(adjacent=one_within(1))
def far_answer(q: Private, eps: Epsilon):
    """The raw answer where it is far from 0.

    Truth: not private. On [1000001] the answer is that number, on [1000002] another one.
    Witness: [1000001] [1000002]
    """
    if q[0] > 1000000:
        return q[0]
    return q[0] + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def far_answer_twin(q: Private, eps: Epsilon):
    """The noisy answer wherever it is, by one of two equal ways.

    Truth: private. Either way it is the answer plus Laplace noise of scale 1/eps.
    Search: sizes=1 values=0,1000000
    """
    if q[0] > 1000000:
        return q[0] + Lap(1 / eps)
    return q[0] + Lap(1 / eps)


@sketch(adjacent=one_within(1))
def rare_and_raw(q: Private, eps: Epsilon):
    """Two rare noises together open the raw answer.

    Truth: not private. On [1] the answer 1 has probability e^(-12)/4 at eps = 1, on [0] it is impossible.
    Witness: [0] [1] eps=1 cut=1e-9
    """
    x = Lap(1 / eps)
    y = Exp(1 / eps)
    if x > 6 and y > 6:
        return q[0]
    return -1


@sketch(adjacent=one_within(1))
def rare_and_raw_twin(q: Private, eps: Epsilon):
    """An impossible noise opens the raw answer.

    Truth: private. Exponential noise is never below 0.
    """
    x = Lap(1 / eps)
    y = Exp(1 / eps)
    if x > 6 and y < 0:
        return q[0]
    return -1
