"""Mechanisms beyond the gallery with the truth about them, for proofs of every length."""

from __future__ import annotations

from kolahal.lang.read.parse import parse_source
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source


def load(text: str) -> Sketch:
    return parse_source(Source("mechanism", text))[0]


PRIVATE = {
    "named_noise": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    for x in q:
        e = Lap(1/eps)
        out.append(x + e)
        out.append(x + e)
    return out
""",
    "largest_of_list": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    noisy = [x + Lap(2/eps) for x in q]
    best = 0
    for i in range(len(q)):
        if noisy[i] > noisy[best]:
            best = i
    return best
""",
    "above_for": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    for i in range(len(q)):
        if q[i] + Lap(4/eps) > t:
            return i + 1
    return 0
""",
    "above_for_minus1": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    for i in range(len(q)):
        if q[i] + Lap(4/eps) >= t:
            return i
    return -1
""",
    "partial_sum": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(1/eps)
""",
    "partial_sum_each": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(len(q)/eps)
""",
    "prefix_sum": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    s = 0
    for x in q:
        s = s + x + Lap(1/eps)
        out.append(s)
    return out
""",
    "hist_each": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    return [x + Lap(len(q)/eps) for x in q]
""",
    "hist_sum": """
@sketch(adjacent=sum_within(2))
def f(q: Private, eps: Epsilon):
    return [x + Lap(2/eps) for x in q]
""",
    "num_svt": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(3/eps)
    i = 0
    while i < len(q) and count < N:
        if q[i] + Lap(6*N/eps) >= t:
            out.append(q[i] + Lap(3*N/eps))
            count = count + 1
        else:
            out.append(False)
        i = i + 1
    return out
""",
    "num_svt2": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(4/eps)
    for x in q:
        if x + Lap(4*N/eps) >= t:
            out.append(x + Lap(4*N/eps))
            count = count + 1
            if count >= N:
                break
        else:
            out.append(None)
    return out
""",
    "gap_svt": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2/eps)
    i = 0
    while i < len(q) and count < N:
        x = q[i] + Lap(4*N/eps)
        if x >= t:
            out.append(x - t)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out
""",
    "noisy_min": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(2/eps)
        if v is None or b < v:
            m, v = i, b
    return m
""",
    "noisy_max_comp": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = [x + Lap(2/eps) for x in q]
    m, v = 0, None
    for i in range(len(q)):
        if v is None or a[i] > v:
            m, v = i, a[i]
    return m
""",
    "noisy_max_first": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    best = 0
    v = q[0] + Lap(2/eps)
    for i in range(1, len(q)):
        b = q[i] + Lap(2/eps)
        if b > v:
            best = i
            v = b
    return best
""",
    "noisy_max_one": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(1/eps)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "noisy_max_mono": """
@sketch(adjacent=monotone(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(1/eps)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "exp_max_mono": """
@sketch(adjacent=monotone(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Exp(1/eps)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "svt_mono": """
@sketch(adjacent=monotone(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2/eps)
    for x in q:
        if x + Lap(2*N/eps) >= t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out
""",
    "svt_redraw": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2*N/eps)
    for x in q:
        if x + Lap(4*N/eps) >= t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
            t = T + Lap(2*N/eps)
        else:
            out.append(False)
    return out
""",
    "two_loops": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    total = s + Lap(2/eps)
    out = [total]
    for x in q:
        out.append(x + Lap(2/eps))
    return out
""",
    "two_loops_max": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(4/eps)
    first = 0
    for i in range(len(q)):
        if q[i] + Lap(8/eps) > t:
            first = i + 1
            break
    m, v = 0, None
    for i in range(len(q)):
        b = q[i] + Lap(4/eps)
        if v is None or b > v:
            m, v = i, b
    return first, m
""",
    "adaptive_svt": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, S: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2/eps)
    i = 0
    while i < len(q) and count < N:
        if q[i] + Lap(8*N/eps) >= t + S:
            out.append(2)
            count = count + 1
        elif q[i] + Lap(8*N/eps) >= t:
            out.append(1)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out
""",
    "post_sum": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    a = [x + Lap(1/eps) for x in q]
    s = 0
    for x in a:
        s = s + x
    m = 0
    for x in a:
        m = max(m, x)
    return s, m
""",
    "noisy_max_post_noise": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = 0, None
    for i in range(len(q)):
        b = q[i] + Lap(2/eps)
        if v is None or b > v:
            m, v = i + 1, b
    ans = m + Lap(1/eps)
    return ans
""",
    "above_post_noise": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    i = 1
    done = False
    t = T + Lap(2/eps)
    a = [x + Lap(4/eps) for x in q]
    while i <= len(q) and not done:
        if a[i - 1] > t:
            done = True
        i = i + 1
    if done:
        ans = i - 1
    else:
        ans = 0
    out = ans + Lap(1/eps)
    return out
""",
    "count_above": """
@sketch(adjacent=one_within(1))
def f(q: Private, T: float, eps: Epsilon):
    c = 0
    for x in q:
        if x > T:
            c = c + 1
    return c + Lap(1/eps)
""",
    "mean": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s / 4 + Lap(0.25/eps)
""",
    "every_other": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    for i in range(len(q)):
        if i % 2 == 0:
            out.append(q[i] + Lap(1/eps))
    return out
""",
    "discrete_above": """
@sketch(adjacent=each_within(1))
def f(q: Private[int], T: float, eps: Epsilon):
    t = T + DiscreteLap(2/eps)
    for i in range(len(q)):
        if q[i] + DiscreteLap(4/eps) > t:
            return i + 1
    return 0
""",
    "discrete_sum": """
@sketch(adjacent=one_within(1))
def f(q: Private[int], eps: Epsilon):
    s = 0
    for x in q:
        s = s + x + DiscreteLap(1/eps)
    return s
""",
    "below_threshold": """
@sketch(adjacent=each_within(2))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(4/eps)
    for i in range(len(q)):
        if q[i] + Lap(8/eps) < t:
            return i
    return len(q)
""",
    "svt_len": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    out = []
    t = T + Lap(2/eps)
    for x in q:
        if x + Lap(4*len(q)/eps) >= t:
            out.append(True)
        else:
            out.append(False)
    return out
""",
    "svt_count_false": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    count = 0
    misses = 0
    t = T + Lap(2/eps)
    i = 0
    while i < len(q) and count < N:
        if q[i] + Lap(4*N/eps) >= t:
            count = count + 1
        else:
            misses = misses + 1
        i = i + 1
    return misses
""",
    "max_reversed": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q) - 1, -1, -1):
        b = q[i] + Lap(2/eps)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "sum_reversed": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for i in range(len(q) - 1, -1, -1):
        s = s + q[i]
    return s + Lap(1/eps)
""",
    "clipped_sum": """
@sketch(adjacent=one_within(1))
def f(q: Private, B: float, eps: Epsilon):
    s = 0
    for x in q:
        s = s + max(0, min(x, B))
    return s + Lap(1/eps)
""",
    "double_above": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(4/eps)
    for i in range(len(q)):
        if 2 * q[i] + Lap(8/eps) > t:
            return i
    return -1
""",
    "hist_threshold": """
@sketch(adjacent=one_within(1))
def f(q: Private, T: float, eps: Epsilon):
    out = []
    for x in q:
        y = x + Lap(1/eps)
        if y > T:
            out.append(y)
        else:
            out.append(0)
    return out
""",
    "repeat_release": """
@sketch(adjacent=one_within(1))
def f(q: Private, N: int, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    out = []
    for j in range(N):
        out.append(s + Lap(N/eps))
    return out
""",
    "max_index_noise": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = 0, None
    for i in range(len(q)):
        b = q[i]
        if v is None or b > v:
            m, v = i + 1, b
    ans = m + Lap(len(q)/eps)
    return ans
""",
    "smart_checkdp": """
@sketch(adjacent=one_within(1))
def f(q: Private, M: int, eps: Epsilon):
    next = 0
    sum = 0
    i = 0
    r = []
    while i < len(q):
        sum = sum + q[i]
        if (i + 1) % M == 0:
            next = sum + Lap(2/eps)
            sum = 0
        else:
            next = next + q[i] + Lap(2/eps)
        r.append(next)
        i = i + 1
    return r
""",
    "smart_shadowdp": """
@sketch(adjacent=one_within(1))
def f(q: Private, M: int, eps: Epsilon):
    next = 0
    n = 0
    sum = 0
    i = 0
    r = []
    while i < len(q):
        if (i + 1) % M == 0:
            n = n + sum + q[i] + Lap(2/eps)
            next = n
            sum = 0
            r.append(next)
        else:
            next = next + q[i] + Lap(2/eps)
            sum = sum + q[i]
            r.append(next)
        i = i + 1
    return r
""",
    "half_dist": """
@sketch(adjacent=each_within(0.5))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(1/eps)
    for i in range(len(q)):
        if q[i] + Lap(2/eps) > t:
            return i
    return -1
""",
    "two_noises": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    for x in q:
        out.append(x + Lap(5/eps) + Lap(1/eps))
    return out
""",
    "guard_len": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    if len(q) == 0:
        return 0
    t = T + Lap(2/eps)
    i = 0
    while True:
        if i >= len(q):
            break
        if q[i] + Lap(4/eps) > t:
            return i
        i = i + 1
    return -1
""",
    "while_draw": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    a = [x + Lap(4/eps) for x in q]
    i = 0
    while i < len(q) and a[i] <= t:
        i = i + 1
    return i
""",
    "gap_const": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    for i in range(len(q)):
        x = q[i] + Lap(4/eps)
        if x > t:
            return i, x - t
    return -1, 0
""",
    "exp_hist_none": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, eps: Epsilon):
    out = []
    for i in range(N):
        out.append(Lap(1/eps))
    return out
""",
    "eps2_post": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = 0, None
    for i in range(len(q)):
        b = q[i] + Lap(2/eps)
        if v is None or b > v:
            m, v = i + 1, b
    ans = m + Lap(1/eps**2)
    return ans
""",
    "flagged": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, loud: bool, eps: Epsilon):
    t = T + Lap(2/eps)
    found = False
    for x in q:
        if not found and x + Lap(4/eps) > t:
            found = True
    if loud:
        return found
    return not found
""",
}

BROKEN = {
    "above_2_3": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    for i in range(len(q)):
        if q[i] + Lap(3/eps) > t:
            return i + 1
    return 0
""",
    "above_3_2": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(3/eps)
    for i in range(len(q)):
        if q[i] + Lap(2/eps) > t:
            return i + 1
    return 0
""",
    "above_1_4": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(1/eps)
    for i in range(len(q)):
        if q[i] + Lap(4/eps) > t:
            return i + 1
    return 0
""",
    "above_2_2": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    for i in range(len(q)):
        if q[i] + Lap(2/eps) > t:
            return i + 1
    return 0
""",
    "noisy_min_1": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(1/eps)
        if v is None or b < v:
            m, v = i, b
    return m
""",
    "noisy_max_comp_1": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a = [x + Lap(1/eps) for x in q]
    m, v = 0, None
    for i in range(len(q)):
        if v is None or a[i] > v:
            m, v = i, a[i]
    return m
""",
    "noisy_max_first_1": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    best = 0
    v = q[0] + Lap(1/eps)
    for i in range(1, len(q)):
        b = q[i] + Lap(1/eps)
        if b > v:
            best = i
            v = b
    return best
""",
    "noisy_max_one_half": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(0.9/eps)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "noisy_max_mono_half": """
@sketch(adjacent=monotone(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(0.9/eps)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "svt_mono_bad": """
@sketch(adjacent=monotone(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2/eps)
    for x in q:
        if x + Lap(1.9*N/eps) >= t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out
""",
    "svt_mono_each": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2/eps)
    for x in q:
        if x + Lap(2*N/eps) >= t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out
""",
    "hist_each_1": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    return [x + Lap(1/eps) for x in q]
""",
    "hist_sum_bad": """
@sketch(adjacent=sum_within(2))
def f(q: Private, eps: Epsilon):
    return [x + Lap(1/eps) for x in q]
""",
    "num_svt_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(3/eps)
    i = 0
    while i < len(q) and count < N:
        if q[i] + Lap(6*N/eps) >= t:
            out.append(q[i] + Lap(2*N/eps))
            count = count + 1
        else:
            out.append(False)
        i = i + 1
    return out
""",
    "num_svt_same": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(3/eps)
    i = 0
    while i < len(q) and count < N:
        if q[i] + Lap(6*N/eps) >= t:
            out.append(q[i])
            count = count + 1
        else:
            out.append(False)
        i = i + 1
    return out
""",
    "gap_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2/eps)
    i = 0
    while i < len(q) and count < N:
        x = q[i] + Lap(4*N/eps)
        if x >= t:
            out.append(x)
            count = count + 1
        else:
            out.append(0)
        i = i + 1
    return out
""",
    "redraw_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2*N/eps)
    for x in q:
        if x + Lap(3*N/eps) >= t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
            t = T + Lap(2*N/eps)
        else:
            out.append(False)
    return out
""",
    "two_loops_bad": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    total = s + Lap(1/eps)
    out = [total]
    for x in q:
        out.append(x + Lap(1/eps))
    return out
""",
    "partial_bad": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(0.5/eps)
""",
    "partial_each_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(4/eps)
""",
    "prefix_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    s = 0
    for x in q:
        s = s + x + Lap(1/eps)
        out.append(s)
    return out
""",
    "count_each": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    c = 0
    for x in q:
        if x > T:
            c = c + 1
    return c + Lap(1/eps)
""",
    "mean_bad": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s / 4 + Lap(0.2/eps)
""",
    "isvt2": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    out = []
    t = T + Lap(2/eps)
    for x in q:
        if x + Lap(4/eps) >= t:
            out.append(True)
        else:
            out.append(False)
    return out
""",
    "isvt1": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    out = []
    t = T + Lap(2/eps)
    for x in q:
        if x >= t:
            out.append(True)
        else:
            out.append(False)
    return out
""",
    "disc_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private[int], T: float, eps: Epsilon):
    t = T + DiscreteLap(2/eps)
    for i in range(len(q)):
        if q[i] + DiscreteLap(3/eps) > t:
            return i + 1
    return 0
""",
    "isvt3": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(4/eps)
    i = 0
    while i < len(q) and count < N:
        if q[i] + Lap(4/(3*eps)) >= t:
            out.append(True)
            count = count + 1
        else:
            out.append(False)
        i = i + 1
    return out
""",
    "isvt4": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2/eps)
    i = 0
    while i < len(q) and count < N:
        x = q[i] + Lap(2*N/eps)
        if x >= t:
            out.append(x)
            count = count + 1
        else:
            out.append(False)
        i = i + 1
    return out
""",
    "max_value": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Lap(2/eps)
        if v is None or b > v:
            m, v = i, b
    return v
""",
    "exp_max_value": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q)):
        b = q[i] + Exp(2/eps)
        if v is None or b > v:
            m, v = i, b
    return v
""",
    "exp_hist": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    return [x + Exp(9/eps) for x in q]
""",
    "eps2": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    return [x + Lap(4/eps**2) for x in q]
""",
    "eps0": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    return [x + Lap(4) for x in q]
""",
    "hist_eps": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    return [x + Lap(eps) for x in q]
""",
    "reread": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    for i in range(len(q)):
        out.append(q[0] + Lap(1/eps))
    return out
""",
    "pair": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    for i in range(1, len(q)):
        out.append(q[i] - q[i - 1] + Lap(1/eps))
    return out
""",
    "leak_len_branch": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    for i in range(len(q)):
        if q[i] > T:
            return i
    return 0
""",
    "raw": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    return q
""",
    "raw0": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s
""",
    "bad_smart": """
@sketch(adjacent=one_within(1))
def f(q: Private, M: int, eps: Epsilon):
    n = 0
    i = 1
    next = 0
    sum = 0
    r = []
    while i <= len(q):
        sum = sum + q[i - 1]
        if i % M == 0:
            n = n + sum
            sum = 0
            next = n
        else:
            next = next + q[i - 1] + Lap(2/eps)
        r.append(next)
        i = i + 1
    return r
""",
    "reuse_noise": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    e = Lap(1/eps)
    out = []
    for x in q:
        out.append(x + e)
    return out
""",
    "reuse_comp": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    a = [x + Lap(4/eps) for x in q]
    t = T + Lap(2/eps)
    first = 0
    for i in range(len(q)):
        if a[i] > t:
            first = i + 1
            break
    t2 = T + Lap(2/eps)
    second = 0
    for i in range(len(q)):
        if a[i] > t2:
            second = i + 1
            break
    return first, second
""",
    "svt_4_const": """
@sketch(adjacent=each_within(1))
def f(q: Private, N: int, T: float, eps: Epsilon):
    out = []
    count = 0
    t = T + Lap(2/eps)
    for x in q:
        if x + Lap(4/eps) >= t:
            out.append(True)
            count = count + 1
            if count >= N:
                break
        else:
            out.append(False)
    return out
""",
    "max_reversed_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = None, None
    for i in range(len(q) - 1, -1, -1):
        b = q[i] + Lap(1.9/eps)
        if v is None or b > v:
            m, v = i, b
    return m
""",
    "clipped_bad": """
@sketch(adjacent=one_within(1))
def f(q: Private, B: float, eps: Epsilon):
    s = 0
    for x in q:
        s = s + max(0, min(x, B))
    return s + Lap(0.9/eps)
""",
    "double_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(4/eps)
    for i in range(len(q)):
        if 2 * q[i] + Lap(7/eps) > t:
            return i
    return -1
""",
    "repeat_bad": """
@sketch(adjacent=one_within(1))
def f(q: Private, N: int, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    out = []
    for j in range(N):
        out.append(s + Lap(1/eps))
    return out
""",
    "max_index_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    m, v = 0, None
    for i in range(len(q)):
        b = q[i]
        if v is None or b > v:
            m, v = i + 1, b
    ans = m + Lap(5/eps)
    return ans
""",
    "smart_checkdp_bad": """
@sketch(adjacent=one_within(1))
def f(q: Private, M: int, eps: Epsilon):
    next = 0
    sum = 0
    i = 0
    r = []
    while i < len(q):
        sum = sum + q[i]
        if (i + 1) % M == 0:
            next = sum + Lap(1/eps)
            sum = 0
        else:
            next = next + q[i] + Lap(2/eps)
        r.append(next)
        i = i + 1
    return r
""",
    "half_bad": """
@sketch(adjacent=each_within(0.6))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(1/eps)
    for i in range(len(q)):
        if q[i] + Lap(2/eps) > t:
            return i
    return -1
""",
    "two_noises_bad": """
@sketch(adjacent=one_within(1))
def f(q: Private, eps: Epsilon):
    out = []
    for x in q:
        out.append(x + Lap(0.9/eps) + Lap(0.9/eps))
    return out
""",
    "gap_const_bad": """
@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
    t = T + Lap(2/eps)
    for i in range(len(q)):
        x = q[i] + Lap(4/eps)
        if x > t:
            return i, x
    return -1, 0
""",
}
