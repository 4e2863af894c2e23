"""Small programs with known privacy costs, as a user would write them."""

from __future__ import annotations

from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch

_HEAD = "from kolahal import DiscreteExp, DiscreteLap, Epsilon, Exp, Lap, Private, each_within, hole, monotone, one_within, sketch, sum_within\n"

TEXTS = {
    "gap_svt": """
@sketch(adjacent=each_within(1))
def gap_svt(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(hole)
    for x in q:
        gap = x + Lap(hole) - t
        if gap > 0:
            out.append(gap)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out
""",
    "numeric_svt": """
@sketch(adjacent=each_within(1))
def numeric_svt(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(hole)
    for x in q:
        if x + Lap(hole) > t:
            out.append(x + Lap(hole))
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out
""",
    "svt_monotone": """
@sketch(adjacent=monotone(1))
def svt_monotone(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(hole)
    for x in q:
        if x + Lap(hole) > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out
""",
    "svt_redraws": """
@sketch(adjacent=each_within(1))
def svt_redraws(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(hole)
    for x in q:
        if x + Lap(hole) > t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
            t = T + Lap(hole)
        else:
            out.append(False)
    return out
""",
    "svt_releases_value": """
@sketch(adjacent=each_within(1))
def svt_releases_value(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(hole)
    for x in q:
        b = x + Lap(hole)
        if b > t:
            out.append(b)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out
""",
    "svt_without_query_noise": """
@sketch(adjacent=each_within(1))
def svt_without_query_noise(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    out = []
    for x in q:
        out.append(x > t)
    return out
""",
    "svt_without_limit": """
@sketch(adjacent=each_within(1))
def svt_without_limit(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    out = []
    for x in q:
        out.append(x + Lap(hole) > t)
    return out
""",
    "between": """
@sketch(adjacent=each_within(1))
def between(q: Private, low: float, high: float, eps: Epsilon):
    a = low + Lap(hole)
    b = high + Lap(hole)
    for i in range(len(q)):
        x = q[i] + Lap(hole)
        if a < x and x < b:
            return i
    return -1
""",
    "noisy_min": """
@sketch(adjacent=each_within(1))
def noisy_min(q: Private, eps: Epsilon):
    m = 0
    v = q[0] + Lap(hole)
    for i in range(1, len(q)):
        b = q[i] + Lap(hole)
        if b < v:
            m, v = i, b
    return m
""",
    "noisy_max_one": """
@sketch(adjacent=one_within(1))
def noisy_max_one(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(hole)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "noisy_max_monotone": """
@sketch(adjacent=monotone(1))
def noisy_max_monotone(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(hole)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "noisy_max_value": """
@sketch(adjacent=each_within(1))
def noisy_max_value(q: Private, eps: Epsilon):
    v = None
    for x in q:
        b = x + Lap(hole)
        if v is None or b > v:
            v = b
    return v
""",
    "exp_noisy_max_value": """
@sketch(adjacent=each_within(1))
def exp_noisy_max_value(q: Private, eps: Epsilon):
    v = None
    for x in q:
        b = x + Exp(hole)
        if v is None or b > v:
            v = b
    return v
""",
    "largest_of_two": """
@sketch(adjacent=each_within(1))
def largest_of_two(q: Private, eps: Epsilon):
    return max(q[0] + Lap(hole), q[1] + Lap(hole))
""",
    "partial_sum": """
@sketch(adjacent=one_within(1))
def partial_sum(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(hole)
""",
    "partial_sum_each": """
@sketch(adjacent=each_within(1))
def partial_sum_each(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(hole)
""",
    "prefix_sum": """
@sketch(adjacent=one_within(1))
def prefix_sum(q: Private, eps: Epsilon):
    s = 0
    out = []
    for x in q:
        s = s + x + Lap(hole)
        out.append(s)
    return out
""",
    "weighted_sum": """
@sketch(adjacent=one_within(1))
def weighted_sum(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + 2 * x
    return s / 3 + Lap(hole)
""",
    "histogram_each": """
@sketch(adjacent=each_within(1))
def histogram_each(q: Private, eps: Epsilon):
    return [x + Lap(hole) for x in q]
""",
    "histogram_sum": """
@sketch(adjacent=sum_within(2))
def histogram_sum(q: Private, eps: Epsilon):
    return [x + Lap(hole) for x in q]
""",
    "two_noises": """
@sketch(adjacent=one_within(1))
def two_noises(q: Private, eps: Epsilon):
    return q[0] + Lap(hole) + Lap(hole)
""",
    "clipped_sum": """
@sketch(adjacent=one_within(5))
def clipped_sum(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + max(0, min(1, x))
    return s + Lap(hole)
""",
    "clipped_threshold": """
@sketch(adjacent=each_within(5))
def clipped_threshold(q: Private, T: float, eps: Epsilon):
    t = T + Lap(hole)
    for i in range(len(q)):
        if max(0, min(1, q[i])) + Lap(hole) > t:
            return i
    return -1
""",
    "leaks_sign": """
@sketch(adjacent=each_within(1))
def leaks_sign(q: Private, eps: Epsilon):
    if q[0] > 0:
        return 1 + Lap(hole)
    return -1 + Lap(hole)
""",
    "leaks_noisy_sign": """
@sketch(adjacent=each_within(1))
def leaks_noisy_sign(q: Private, eps: Epsilon):
    x = -1
    if q[0] > 0:
        x = 1
    return x + Lap(hole)
""",
    "leaks_all": """
@sketch(adjacent=each_within(1))
def leaks_all(q: Private, eps: Epsilon):
    if q[0] > 0:
        return 1
    return 0
""",
    "equals_zero": """
@sketch(adjacent=each_within(1))
def equals_zero(q: Private[int], eps: Epsilon):
    if q[0] + DiscreteLap(hole) == 0:
        return True
    return False
""",
    "uses_epsilon": """
@sketch(adjacent=each_within(1))
def uses_epsilon(q: Private, T: float, eps: Epsilon):
    t = T + 4 / eps + Lap(hole)
    for i in range(len(q)):
        if q[i] + Lap(hole) > t and eps > 0:
            return i
    return -1
""",
    "skips_query": """
@sketch(adjacent=each_within(1))
def skips_query(q: Private, strict: bool, T: float, eps: Epsilon):
    t = T + Lap(hole)
    for i in range(len(q)):
        x = q[i] + Lap(hole)
        if (strict and x > t) or (not strict and x >= t):
            return i
    return -1
""",
}


def read(text: str, path: str = "program.py") -> Sketch:
    """The sketch of a text without its imports."""
    return parse(_HEAD + text, path)


def load(name: str) -> Sketch:
    return read(TEXTS[name], f"{name}.py")
