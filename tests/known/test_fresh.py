"""Sketches that were written before they were tried, with the least noise that is known to be enough, and where that is known from.

No setting and no rule was chosen with these in view. What is recommended must be proved, and be one of the completions that are known
to be tight.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from kolahal.lang.read.parse import parse
from kolahal.roads.methods import synthesize
from kolahal.verdicts import Proved

RECORDS = """
class Visit(NamedTuple):
    age: float
    day: Between(0, 6, whole=True)
    kind: Literal["new", "old", "staff"]
"""


class Fresh(NamedTuple):
    source: str
    text: str
    tight: tuple[str, ...]  # scales that are tight, any of which may be recommended


FRESH = {
    "clip_B": Fresh(
        "Laplace mechanism (Dwork and others 2006): an answer times N moves by N",
        """
@sketch(adjacent=one_within(1))
def clip_B(q: Private, N: int, eps: Epsilon):
    s = 0
    for x in q:
        s = s + N * x
    return s + Lap(hole)
""",
        ("N/eps",),
    ),
    "total_and_items": Fresh(
        "basic composition: an item stands in two releases",
        """
@sketch(adjacent=one_within(1))
def total_and_items(q: Private, eps: Epsilon):
    out = []
    t = 0
    for x in q:
        out.append(x + Lap(hole))
        t += x
    out.append(t + Lap(hole))
    return out
""",
        ("2/eps 2/eps",),
    ),
    "rounds": Fresh(
        "basic composition: R releases of one answer",
        """
@sketch(adjacent=each_within(1))
def rounds(q: Private, R: int, eps: Epsilon):
    out = []
    for r in range(R):
        out.append(q[0] + Lap(hole))
    return out
""",
        ("R/eps",),
    ),
    "average_of_rounds": Fresh(
        "R copies of one answer under their sum: no better than R releases",
        """
@sketch(adjacent=each_within(1))
def average_of_rounds(q: Private, R: int, eps: Epsilon):
    s = 0
    for r in range(R):
        s = s + q[0] + Lap(hole)
    return s / R
""",
        ("R/eps",),
    ),
    "hist_sum_within": Fresh(
        "Laplace mechanism for a vector of L1 sensitivity 1",
        """
@sketch(adjacent=sum_within(1))
def hist_sum_within(q: Private, eps: Epsilon):
    return [x + Lap(hole) for x in q]
""",
        ("1/eps",),
    ),
    "blocks3": Fresh(
        "parallel composition: blocks that have no item in common",
        """
@sketch(adjacent=one_within(1))
def blocks3(q: Private, eps: Epsilon):
    out = []
    s = 0
    k = 0
    for x in q:
        s = s + x
        k = k + 1
        if k == 3:
            out.append(s + Lap(hole))
            s = 0
            k = 0
    return out
""",
        ("1/eps",),
    ),
    "differences": Fresh(
        "an item stands in two differences",
        """
@sketch(adjacent=one_within(1))
def differences(q: Private, eps: Epsilon):
    out = []
    last = 0
    for x in q:
        out.append(x - last + Lap(hole))
        last = x
    return out
""",
        ("2/eps",),
    ),
    "window3": Fresh(
        "an item stands in three windows",
        """
@sketch(adjacent=one_within(1))
def window3(q: Private, eps: Epsilon):
    return [q[i] + q[i + 1] + q[i + 2] + Lap(hole) for i in range(len(q) - 2)]
""",
        ("3/eps",),
    ),
    "tree_of_four": Fresh(
        "binary tree mechanism (Chan, Shi, Song 2010): an item stands in one node of each of three levels",
        """
@sketch(adjacent=one_within(1))
def tree_of_four(q: Private[4], eps: Epsilon):
    a = q[0] + q[1]
    b = q[2] + q[3]
    return [a + b + Lap(hole), a + Lap(hole), b + Lap(hole), q[0] + Lap(hole), q[1] + Lap(hole), q[2] + Lap(hole), q[3] + Lap(hole)]
""",
        ("3/eps 3/eps 3/eps 3/eps 3/eps 3/eps 3/eps",),
    ),
    "running_total": Fresh(
        "partial sums of noisy items (Chan, Shi, Song 2010): post-processing of a histogram",
        """
@sketch(adjacent=one_within(1))
def running_total(q: Private, eps: Epsilon):
    noisy = [x + Lap(hole) for x in q]
    out = []
    for i in range(len(q)):
        out.append(sum(noisy[:i + 1]))
    return out
""",
        ("1/eps",),
    ),
    "range_value": Fresh(
        "Laplace mechanism: max and min move against each other",
        """
@sketch(adjacent=each_within(1))
def range_value(q: Private, eps: Epsilon):
    return max(q) - min(q) + Lap(hole)
""",
        ("2/eps",),
    ),
    "first_beats_second": Fresh(
        "noisy max of two answers, which needs noise at one of them",
        """
@sketch(adjacent=each_within(1))
def first_beats_second(q: Private[2], eps: Epsilon):
    return q[0] + Lap(hole) > q[1] + Lap(hole)
""",
        ("2/eps None", "None 2/eps"),
    ),
    "choose_then_value": Fresh(
        "exponential mechanism (McSherry, Talwar 2007), 2/η, and then a release, 1/η",
        """
@sketch(adjacent=each_within(1))
def choose_then_value(q: Private, eps: Epsilon):
    i = choose(q, hole)
    return i, q[i] + Lap(hole)
""",
        ("4/eps 2/eps", "3/eps 3/eps"),
    ),
    "above_mono": Fresh(
        "above threshold of monotone answers (Lyu, Su, Li 2017), moves of 2",
        """
@sketch(adjacent=monotone(2))
def above_mono(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    for i in range(len(q)):
        if q[i] + Lap(hole) >= t:
            return i + 1
    return 0
""",
        ("4/eps 4/eps",),
    ),
    "above_sum_within": Fresh(
        "moves of 1 in all: the threshold needs no noise",
        """
@sketch(adjacent=sum_within(1))
def above_sum_within(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    for i in range(len(q)):
        if q[i] + Lap(hole) > t:
            return i + 1
    return 0
""",
        ("None 1/eps",),
    ),
    "last_above": Fresh(
        "above threshold, from the other end",
        """
@sketch(adjacent=each_within(1))
def last_above(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    last = 0
    for i in range(len(q)):
        if q[i] + Lap(hole) > t:
            last = i + 1
    return last
""",
        ("2/eps 4/eps", "3/eps 3/eps"),
    ),
    "threshold_from_data": Fresh(
        "above threshold whose threshold is an answer, so that it moves by 2",
        """
@sketch(adjacent=each_within(1))
def threshold_from_data(q: Private, eps: Epsilon):
    t = q[0] + Lap(hole)
    for i in range(1, len(q)):
        if q[i] + Lap(hole) > t:
            return i
    return 0
""",
        ("4/eps 4/eps", "3/eps 6/eps", "6/eps 3/eps"),
    ),
    "median_search7": Fresh(
        "three comparisons of one answer each, with public numbers",
        """
@sketch(adjacent=each_within(1))
def median_search7(q: Private[7], T: float, eps: Epsilon):
    lo = 0
    hi = 7
    for k in range(3):
        mid = (lo + hi) // 2
        if q[mid] + Lap(hole) < T:
            lo = mid + 1
        else:
            hi = mid
    return lo
""",
        ("3/eps",),
    ),
    "rr_memo": Fresh(
        "permanent and instantaneous randomized response (RAPPOR): the first is enough",
        """
@sketch(adjacent=each_within(1))
def rr_memo(q: Private[bool, 1], eps: Epsilon):
    memo = q[0] != Flip(hole)
    return [memo != Flip(hole) for k in range(3)]
""",
        ("1/eps None",),
    ),
    "gauss_rounds": Fresh(
        "zCDP composition (Bun, Steinke 2016): K/(2σ²) ≤ ρ",
        """
@sketch(adjacent=each_within(1))
def gauss_rounds(q: Private, K: int, rho: Rho):
    out = []
    lo = 0
    for k in range(K):
        if q[0] + Gauss(hole) > lo:
            lo = lo + 1
        else:
            lo = lo - 1
        out.append(lo)
    return out
""",
        ("sqrt(K/(2*rho))",),
    ),
    "rec_busiest": Fresh(
        "noisy max of counts, of which one record moves one, up: 1/η",
        RECORDS
        + """
@sketch(adjacent=add_remove(1))
def rec_busiest(rows: Records[Visit], eps: Epsilon):
    days = [sum(1 for v in rows if v.day == d) + Lap(hole) for d in range(7)]
    return days.index(max(days))
""",
        ("1/eps",),
    ),
    "rec_first_age": Fresh(
        "above threshold of counts that rise with the question: whoever moves one moves all behind it the same way",
        RECORDS
        + """
@sketch(adjacent=add_remove(1))
def rec_first_age(rows: Records[Visit], T: float, eps: Epsilon):
    t = T + Lap(hole)
    for a in range(0, 100, 10):
        if sum(1 for v in rows if v.age <= a) + Lap(hole) >= t:
            return a
    return 100
""",
        ("1/eps 1/eps",),
    ),
    "rec_group_counts_replace": Fresh(
        "a record leaves one group for another",
        RECORDS
        + """
@sketch(adjacent=replace(1))
def rec_group_counts_replace(rows: Records[Visit], eps: Epsilon):
    counts = {"new": 0, "old": 0, "staff": 0}
    for v in rows:
        counts[v.kind] += 1
    return counts["new"] + Lap(hole), counts["old"] + Lap(hole), counts["staff"] + Lap(hole)
""",
        ("2/eps 2/eps 2/eps",),
    ),
    "rec_mean_replace": Fresh(
        "a sum clipped to [18, 90] moves by 72 when a record is replaced",
        RECORDS
        + """
@sketch(adjacent=replace(1))
def rec_mean_replace(rows: Records[Visit], eps: Epsilon):
    return (sum(clip(v.age, 18, 90) for v in rows) + Lap(hole)) / len(rows)
""",
        ("72/eps",),
    ),
    "clip_wide": Fresh(
        "Laplace mechanism: a clipped answer moves by what the clip leaves",
        """
@sketch(adjacent=one_within(10))
def clip_wide(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        y = x
        if y > 3:
            y = 3
        elif y < -2:
            y = -2
        s = s + y
    return s + Lap(hole)
""",
        ("5/eps",),
    ),
    "smart_blocks": Fresh(
        "SmartSum (Chan, Shi, Song 2010), blocks of B",
        """
@sketch(adjacent=one_within(1))
def smart_blocks(q: Private, B: int, eps: Epsilon):
    out = []
    done = 0
    block = 0
    recent = 0
    for i in range(len(q)):
        block = block + q[i]
        recent = recent + q[i] + Lap(hole)
        if (i + 1) % B == 0:
            done = done + block + Lap(hole)
            block = 0
            recent = 0
        out.append(done + recent)
    return out
""",
        ("2/eps 2/eps",),
    ),
    "max_then_value": Fresh(
        "noisy max, 2/η, and then its value, 1/η",
        """
@sketch(adjacent=each_within(1))
def max_then_value(q: Private, eps: Epsilon):
    noisy = [x + Lap(hole) for x in q]
    i = noisy.index(max(noisy))
    return i, q[i] + Lap(hole)
""",
        ("4/eps 2/eps", "3/eps 3/eps"),
    ),
    "svt_below": Fresh(
        "sparse vector (Lyu, Su, Li 2017), from the other side",
        """
@sketch(adjacent=each_within(1))
def svt_below(q: Private, T: float, c: int, eps: Epsilon):
    t = T + Lap(hole)
    left = c
    out = []
    for x in q:
        if left <= 0:
            break
        if x + Lap(hole) < t:
            out.append(True)
            left -= 1
        else:
            out.append(False)
    return out
""",
        ("2/eps 4*c/eps", "3/eps 3*c/eps"),
    ),
    "svt_mono": Fresh(
        "sparse vector of monotone answers (Lyu, Su, Li 2017)",
        """
@sketch(adjacent=monotone(1))
def svt_mono(q: Private, T: float, c: int, eps: Epsilon):
    t = T + Lap(hole)
    out = []
    n = 0
    for x in q:
        above = x + Lap(hole) > t
        out.append(above)
        if above:
            n += 1
            if n == c:
                break
    return out
""",
        ("2/eps 2*c/eps",),
    ),
    "svt_gap": Fresh(
        "sparse vector with gap (Ding and others 2019): the gap is free",
        """
@sketch(adjacent=each_within(1))
def svt_gap(q: Private, T: float, c: int, eps: Epsilon):
    t = T + Lap(hole)
    out = []
    n = 0
    for x in q:
        if n == c:
            break
        y = x + Lap(hole)
        if y > t:
            out.append(y - t)
            n += 1
        else:
            out.append(None)
    return out
""",
        ("2/eps 4*c/eps", "3/eps 3*c/eps"),
    ),
    "above_with_gap": Fresh(
        "above threshold with gap (Ding and others 2019): the gap is free",
        """
@sketch(adjacent=each_within(1))
def above_with_gap(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    for i in range(len(q)):
        y = q[i] + Lap(hole)
        if y > t:
            return i, y - t
    return -1, 0
""",
        ("2/eps 4/eps", "3/eps 3/eps"),
    ),
    "outside_same": Fresh(
        "above threshold, on both sides with one draw for both thresholds",
        """
@sketch(adjacent=each_within(1))
def outside_same(q: Private, a: float, b: float, eps: Epsilon):
    r = Lap(hole)
    for i in range(len(q)):
        y = q[i] + Lap(hole)
        if y > b + r or y < a - r:
            return i
    return -1
""",
        ("2/eps 4/eps", "3/eps 3/eps"),
    ),
    "hysteresis_last": Fresh(
        "one item stands in one comparison",
        """
@sketch(adjacent=one_within(1))
def hysteresis_last(q: Private, lo: float, hi: float, eps: Epsilon):
    state = "off"
    for x in q:
        y = x + Lap(hole)
        if state == "on" and y < lo:
            state = "off"
        elif state == "off" and y > hi:
            state = "on"
    return state
""",
        ("1/eps",),
    ),
    "top_two_mono": Fresh(
        "one-shot top two of monotone answers (Durfee, Rogers 2019): 2/ε",
        """
@sketch(adjacent=monotone(1))
def top_two_mono(q: Private, eps: Epsilon):
    a = -1
    b = -1
    x1 = 0
    x2 = 0
    for i in range(len(q)):
        y = q[i] + Lap(hole)
        if a == -1 or y > x1:
            x2 = x1
            b = a
            x1 = y
            a = i
        elif b == -1 or y > x2:
            x2 = y
            b = i
    return a, b
""",
        ("2/eps",),
    ),
    "gap_max": Fresh(
        "noisy max with gap (Ding and others 2019): the gap is free",
        """
@sketch(adjacent=each_within(1))
def gap_max(q: Private, eps: Epsilon):
    best = 0
    second = 0
    place = 0
    for i in range(len(q)):
        y = q[i] + Lap(hole)
        if i == 0 or y > best:
            second = best
            best = y
            place = i
        elif i == 1 or y > second:
            second = y
    return place, best - second
""",
        ("2/eps",),
    ),
    "loudest_two_kinds": Fresh(
        "noisy max, whose first draw stands apart, of numbers that move by 1 at most",
        """
@sketch(adjacent=each_within(1))
def loudest_two_kinds(q: Private, eps: Epsilon):
    big = abs(q[0]) + Lap(hole)
    place = 0
    for i in range(1, len(q)):
        y = abs(q[i]) + Lap(hole)
        if y > big:
            big = y
            place = i
    return place
""",
        ("2/eps 2/eps",),
    ),
    "svt_adaptive": Fresh(
        "adaptive sparse vector (Ding and others 2019) with one price: two tests of each answer, of which one counts",
        """
@sketch(adjacent=each_within(1))
def svt_adaptive(q: Private, T: float, c: int, eps: Epsilon):
    t = T + Lap(hole)
    out = []
    n = 0
    for x in q:
        if n >= c:
            break
        y = x + Lap(hole)
        if y > t + 10:
            out.append(2)
            n += 1
        else:
            z = x + Lap(hole)
            if z > t:
                out.append(1)
                n += 1
            else:
                out.append(0)
    return out
""",
        ("2/eps 4*c/eps 4*c/eps", "3/eps 3*c/eps 3*c/eps"),
    ),
    "any_above": Fresh(
        "above threshold, of which only the fact is told: noise that grows with the number of answers is as private, and worse",
        """
@sketch(adjacent=each_within(1))
def any_above(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    return any(x + Lap(hole) > t for x in q)
""",
        ("2/eps 4/eps",),
    ),
    "first_below_counted": Fresh(
        "above threshold from below, by a counter of turns",
        """
@sketch(adjacent=each_within(1))
def first_below_counted(q: Private, T: float, eps: Epsilon):
    bar = T + Lap(hole)
    k = 0
    for x in q:
        k += 1
        if x + Lap(hole) < bar:
            return k
    return None
""",
        ("2/eps 4/eps",),
    ),
    "alarm_value": Fresh(
        "above threshold, and then the answer with fresh noise: basic composition",
        """
@sketch(adjacent=each_within(1))
def alarm_value(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    for x in q:
        if x + Lap(hole) > t:
            return x + Lap(hole)
    return None
""",
        ("4/eps 4/eps 4/eps", "3/eps 6/eps 3/eps"),
    ),
    "window4_loop": Fresh(
        "an item stands in four windows",
        """
@sketch(adjacent=one_within(1))
def window4_loop(q: Private, eps: Epsilon):
    out = []
    for i in range(3, len(q)):
        s = 0
        for j in range(i - 3, i + 1):
            s += q[j]
        out.append(s + Lap(hole))
    return out
""",
        ("4/eps",),
    ),
    "window3_slice": Fresh(
        "an item stands in three windows",
        """
@sketch(adjacent=one_within(1))
def window3_slice(q: Private, eps: Epsilon):
    return [sum(q[i:i + 3]) + Lap(hole) for i in range(len(q) - 2)]
""",
        ("3/eps",),
    ),
    "differences_by_zip": Fresh(
        "an item stands in two differences",
        """
@sketch(adjacent=one_within(1))
def differences_by_zip(q: Private, eps: Epsilon):
    return [b - a + Lap(hole) for a, b in zip(q, q[1:])]
""",
        ("2/eps",),
    ),
    "two_levels": Fresh(
        "hierarchical sums: an item stands in itself, in its block and in the total",
        """
@sketch(adjacent=one_within(1))
def two_levels(q: Private, W: int, eps: Epsilon):
    out = []
    s = 0
    t = 0
    n = 0
    for x in q:
        out.append(x + Lap(hole))
        s += x
        t += x
        n += 1
        if n == W:
            out.append(s + Lap(hole))
            s = 0
            n = 0
    out.append(t + Lap(hole))
    return out
""",
        ("3/eps 3/eps 3/eps", "2/eps 4/eps 4/eps"),
    ),
    "rec_steps": Fresh(
        "a record below all five marks stands in five counts",
        RECORDS
        + """
@sketch(adjacent=add_remove(1))
def rec_steps(rows: Records[Visit], eps: Epsilon):
    return [sum(1 for v in rows if v.age <= t) + Lap(hole) for t in (18, 30, 45, 65, 90)]
""",
        ("5/eps",),
    ),
    "rec_quantile": Fresh(
        "noisy search for the ninth decile: whoever comes moves a question by 1/10 or 9/10",
        RECORDS
        + """
@sketch(adjacent=add_remove(1))
def rec_quantile(rows: Records[Visit], K: int, eps: Epsilon):
    lo, hi = 0, 100
    n = len(rows)
    for k in range(K):
        mid = (lo + hi) / 2
        below = sum(1 for v in rows if v.age <= mid)
        if below + Lap(hole) < 0.9 * n:
            lo = mid
        else:
            hi = mid
    return lo
""",
        ("9*K/(10*eps)",),
    ),
    "rec_means_by_day": Fresh(
        "a mean for each group: groups are disjoint, so that a record stands in one sum and one count",
        RECORDS
        + """
@sketch(adjacent=add_remove(1))
def rec_means_by_day(rows: Records[Visit], eps: Epsilon):
    sums = [0] * 7
    counts = [0] * 7
    for v in rows:
        sums[v.day] += clip(v.age, 0, 100)
        counts[v.day] += 1
    return [(sums[d] + Lap(hole)) / max(1, counts[d] + Lap(hole)) for d in range(7)]
""",
        ("200/eps 2/eps", "150/eps 3/eps"),
    ),
    "rec_means_of_lists": Fresh(
        "the same, from two lists that are noisy already",
        RECORDS
        + """
@sketch(adjacent=add_remove(1))
def rec_means_of_lists(rows: Records[Visit], eps: Epsilon):
    sums = [sum(clip(v.age, 0, 100) for v in rows if v.day == d) + Lap(hole) for d in range(7)]
    counts = [sum(1 for v in rows if v.day == d) + Lap(hole) for d in range(7)]
    return [sums[d] / max(1, counts[d]) for d in range(7)]
""",
        ("200/eps 2/eps", "150/eps 3/eps"),
    ),
    "sparse_with_new_thresholds": Fresh(
        "sparse vector, Dwork and Roth 2014, algorithm 2: the threshold is drawn anew after each answer above it, 2*c/eps and 4*c/eps",
        """
@sketch(adjacent=each_within(1))
def sparse_with_new_thresholds(q: Private, T: float, c: int, eps: Epsilon):
    out = []
    n = 0
    i = 0
    t = T + Lap(hole)
    while n < c and i < len(q):
        if q[i] + Lap(hole) >= t:
            out.append(True)
            n += 1
            t = T + Lap(hole)
        else:
            out.append(False)
        i += 1
    return out
""",
        ("2*c/eps 4*c/eps 2*c/eps",),
    ),
    "one_of_five": Fresh(
        "k-ary randomized response (Kairouz and others 2014): the true value e^eps times as likely as each other",
        """
@sketch(adjacent=one_within(4))
def one_of_five(q: Private[int, 1], eps: Epsilon):
    x = max(0, min(4, q[0]))
    return (x + Pick(hole, 5)) % 5
""",
        ("1/eps",),
    ),
    "one_of_five_by_scores": Fresh(
        "the same as a choice from scores of which one is 1",
        """
@sketch(adjacent=one_within(4))
def one_of_five_by_scores(q: Private[int, 1], eps: Epsilon):
    x = max(0, min(4, q[0]))
    return choose([1 if i == x else 0 for i in range(5)], hole)
""",
        ("1/eps",),
    ),
    "parity_of_bits": Fresh(
        "randomized response on the parity of six bits",
        """
@sketch(adjacent=one_within(1))
def parity_of_bits(q: Private[bool, 6], eps: Epsilon):
    odd = False
    for b in q:
        odd = odd != b
    return odd != Flip(hole)
""",
        ("1/eps",),
    ),
    "two_that_cancel": Fresh(
        "monotone answers with opposite signs: half of what each_within asks for",
        """
@sketch(adjacent=monotone(1))
def two_that_cancel(q: Private[4], eps: Epsilon):
    return q[0] - q[1] + q[2] - q[3] + Lap(hole)
""",
        ("2/eps",),
    ),
}


@pytest.mark.parametrize("name", FRESH)
def test_what_is_recommended_is_proved_and_tight(name: str) -> None:
    fresh = FRESH[name]
    best = synthesize(parse(fresh.text)).best
    assert best is not None and isinstance(best.verdict, Proved), name
    assert " ".join(str(scale) for scale in best.ranked.completion).replace("⊥", "None") in fresh.tight
