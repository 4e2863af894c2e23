"""DiPAut (Chadha, Sistla, Viswanathan, Bhusal; LICS 2021 and CCS 2023): online programs as small state machines.

A state is a number or a flag, inputs are read one by one, and each gives an output. Private ones have no leaking cycle, no
leaking pair, no disclosing cycle and no privacy violating path; broken ones have one of them.
"""

from kolahal import Epsilon, Lap, Private, each_within, sketch


@sketch(adjacent=each_within(1))
def svt_states(q: Private, eps: Epsilon, T: float = 0):
    """SVT of DiPAut as a machine with two states: looking, done.

    truth: private (1/2 + 2/4)
    """
    x = T + Lap(2 / eps)
    state = 1
    out = []
    for a in q:
        if state == 1:
            insample = a + Lap(4 / eps)
            if insample < x:
                out.append(0)
            else:
                out.append(1)
                state = 2
    return out


@sketch(adjacent=each_within(1))
def svt_first_input(q: Private, eps: Epsilon):
    """SVT of DiPAut whose threshold is the first input.

    truth: private (the threshold's noise moves by at most 2 of 4, the answer's by at most 2 of 4)
    """
    state = 0
    x = 0
    out = []
    for a in q:
        insample = a + Lap(4 / eps)
        if state == 0:
            x = insample
            state = 1
        elif state == 1:
            if insample < x:
                out.append(0)
            else:
                out.append(1)
                state = 2
    return out


@sketch(adjacent=each_within(1))
def numeric_sparse(q: Private, eps: Epsilon, T: float = 0):
    """Numeric sparse of DiPAut: the last output is a second sample of the same input.

    truth: private (1/4 + 2/4 + 1/4)
    """
    x = T + Lap(4 / eps)
    done = False
    out = []
    for a in q:
        insample = a + Lap(4 / eps)
        second = a + Lap(4 / eps)
        if not done:
            if insample < x:
                out.append(None)
            else:
                out.append(second)
                done = True
    return out


@sketch(adjacent=each_within(1))
def svt_three_times(q: Private, eps: Epsilon, T: float = 0):
    """SVT of DiPAut run three times in a row: a chain of states, one threshold.

    truth: private (1/4 + 3 * 2/8)
    """
    x = T + Lap(4 / eps)
    state = 1
    out = []
    for a in q:
        insample = a + Lap(8 / eps)
        if state == 1:
            if insample >= x:
                out.append(1)
                state = 2
            else:
                out.append(0)
        elif state == 2:
            if insample >= x:
                out.append(1)
                state = 3
            else:
                out.append(0)
        elif state == 3:
            if insample >= x:
                out.append(1)
                state = 4
            else:
                out.append(0)
    return out


@sketch(adjacent=each_within(1))
def range_monitor(q: Private, eps: Epsilon, low: float = 0, high: float = 1):
    """Range of DiPAut: inputs are inside two noisy ends until one is not.

    truth: private (1/4 + 1/4 + 2/4)
    """
    x = low + Lap(4 / eps)
    y = high + Lap(4 / eps)
    out = []
    for a in q:
        insample = a + Lap(4 / eps)
        if insample >= x and insample < y:
            out.append(0)
        else:
            out.append(1)
            break
    return out


@sketch(adjacent=each_within(1))
def range_chain(q: Private, eps: Epsilon, low: float = 0, high: float = 1):
    """Range of DiPAut with the test turned around: outside on either side ends the run, at once.

    truth: private (1/4 + 1/4 + 2/4)
    """
    noisy_low = low + Lap(4 / eps)
    noisy_high = high + Lap(4 / eps)
    i = 0
    while i < len(q):
        r = q[i] + Lap(4 / eps)
        if r < noisy_low:
            return -i - 1
        if r >= noisy_high:
            return i + 1
        i += 1
    return 0


@sketch(adjacent=each_within(1))
def two_range(q: Private, eps: Epsilon, low: float = 0, high: float = 1):
    """m-Range of DiPAut with m = 2: points of two coordinates, one after the other, in a rectangle of four noisy ends.

    truth: private (4/8 + 2/4)
    """
    l1 = low + Lap(8 / eps)
    h1 = high + Lap(8 / eps)
    l2 = low + Lap(8 / eps)
    h2 = high + Lap(8 / eps)
    first = True
    out = []
    for a in q:
        insample = a + Lap(4 / eps)
        if first:
            inside = l1 <= insample and insample < h1
        else:
            inside = l2 <= insample and insample < h2
        first = not first
        if inside:
            out.append(0)
        else:
            out.append(1)
            break
    return out


@sketch(adjacent=each_within(1))
def min_max(q: Private, eps: Epsilon, k: int = 2):
    """k-Min-Max of DiPAut: the least and the largest of the first k, and then whether inputs are between them.

    truth: private (2/8 + 2/8 + 2/4)
    """
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + Lap(8 / eps)
            most = least
        elif i < k:
            r = q[i] + Lap(8 / eps)
            if r > most:
                most = r
            elif r < least:
                least = r
        else:
            r = q[i] + Lap(4 / eps)
            if r >= least and r < most:
                out.append(0)
            else:
                out.append(1)
                break
    return out


@sketch(adjacent=each_within(1))
def up_then_down(q: Private, eps: Epsilon, high: float = 1, low: float = 0):
    """A machine of DiPAut's class: wait for an input above, then for one below, with a threshold for each.

    truth: private (1/4 + 2/8 for each of two phases)
    """
    up = high + Lap(4 / eps)
    down = low + Lap(4 / eps)
    phase = 0
    out = []
    for a in q:
        insample = a + Lap(8 / eps)
        if phase == 0:
            out.append(0)
            if insample >= up:
                phase = 1
        elif phase == 1:
            out.append(1)
            if insample < down:
                phase = 2
        else:
            out.append(2)
    return out


@sketch(adjacent=each_within(1))
def even_and_odd(q: Private, eps: Epsilon, T: float = 0):
    """A machine of DiPAut's class: two states take turns, each with a threshold of its own.

    truth: private (1/4 + 1/4 + 2/4)
    """
    x = T + Lap(4 / eps)
    y = T + Lap(4 / eps)
    odd = False
    count = 0
    for a in q:
        insample = a + Lap(4 / eps)
        if odd:
            if insample >= y:
                return count
        else:
            if insample >= x:
                return count
        odd = not odd
        count += 1
    return -1


@sketch(adjacent=each_within(1))
def two_alarms(q: Private, eps: Epsilon, high: float = 2, low: float = 0):
    """A machine of DiPAut's class: one warning above a low threshold, then an alarm above a high one.

    truth: private (1/4 + 2/8 for each of two alarms)
    """
    x = low + Lap(4 / eps)
    y = high + Lap(4 / eps)
    warned = False
    out = []
    for a in q:
        insample = a + Lap(8 / eps)
        if not warned:
            if insample >= x:
                warned = True
                out.append(True)
            else:
                out.append(False)
        elif insample >= y:
            out.append(True)
            return out
        else:
            out.append(False)
    return out


@sketch(adjacent=each_within(1))
def resampled_threshold(q: Private, eps: Epsilon, T: float = 0):
    """A machine of DiPAut's class: after an input above the threshold is drawn again, twice in all.

    truth: private (1/4 + 2/8 for each of two thresholds)
    """
    x = T + Lap(4 / eps)
    found = 0
    out = []
    for a in q:
        if found == 2:
            break
        insample = a + Lap(8 / eps)
        if insample >= x:
            out.append(1)
            found += 1
            x = T + Lap(4 / eps)
        else:
            out.append(0)
    return out


@sketch(adjacent=each_within(1))
def leaking_pair(q: Private, eps: Epsilon, T: float = 0):
    """A leaking pair of DiPAut: inputs below, then inputs above the same threshold, without end.

    truth: broken (below and above pull the threshold both ways: n/4 eps in the limit)
    """
    x = T + Lap(2 / eps)
    phase = 0
    out = []
    for a in q:
        insample = a + Lap(4 / eps)
        if phase == 0:
            if insample < x:
                out.append(0)
            else:
                out.append(1)
                phase = 1
        elif insample >= x:
            out.append(1)
        else:
            out.append(0)
            break
    return out


@sketch(adjacent=each_within(1))
def leaking_cycle(q: Private, eps: Epsilon):
    """A leaking cycle of DiPAut: the threshold is replaced by each input that passes it (a running record).

    truth: broken (a row of four records where inputs fall steeply, the high two move up, the low two down: 2 eps in the limit)
    """
    x = None
    out = []
    for a in q:
        insample = a + Lap(2 / eps)
        if x is None or insample >= x:
            x = insample
            out.append(1)
        else:
            out.append(0)
    return out


@sketch(adjacent=each_within(1))
def disclosing_cycle(q: Private, eps: Epsilon, T: float = 0):
    """A disclosing cycle of DiPAut: every input below is told with noise.

    truth: broken (each costs 1/4 eps, and there is no end)
    """
    x = T + Lap(2 / eps)
    out = []
    for a in q:
        insample = a + Lap(4 / eps)
        second = a + Lap(4 / eps)
        if insample < x:
            out.append(second)
        else:
            break
    return out


@sketch(adjacent=each_within(1))
def violating_path(q: Private, eps: Epsilon, T: float = 0):
    """A privacy violating path of DiPAut: the sample that was compared is the output.

    truth: broken (a very low output bounds the threshold: n/4 eps)
    """
    x = T + Lap(2 / eps)
    done = False
    out = []
    for a in q:
        insample = a + Lap(4 / eps)
        if not done:
            if insample < x:
                out.append(None)
            else:
                out.append(insample)
                done = True
    return out


@sketch(adjacent=each_within(1))
def band(q: Private, eps: Epsilon, T: float = 0):
    """Range of DiPAut with one noisy number for both ends.

    truth: broken (inputs near the upper and the lower end pull it both ways: n/4 eps in the limit)
    """
    x = T + Lap(2 / eps)
    out = []
    for a in q:
        insample = a + Lap(4 / eps)
        if insample >= x and insample < x + 10:
            out.append(0)
        else:
            out.append(1)
            break
    return out


@sketch(adjacent=each_within(1))
def min_max_unsplit(q: Private, eps: Epsilon, k: int = 2):
    """k-Min-Max of DiPAut with 4/eps everywhere, as if its ends were public before the noise.

    truth: broken (2/4 + 2/4 + 2/4 in the limit; 1.34 eps at seven inputs)
    """
    least, most = 0, 0
    out = []
    for i in range(len(q)):
        if i == 0:
            least = q[i] + Lap(4 / eps)
            most = least
        elif i < k:
            r = q[i] + Lap(4 / eps)
            if r > most:
                most = r
            elif r < least:
                least = r
        else:
            r = q[i] + Lap(4 / eps)
            if r >= least and r < most:
                out.append(0)
            else:
                out.append(1)
                break
    return out
