"""Programs with budgets other than ε, correct and broken, each with the verdict that is known to be true of it.

They are textbook mechanisms and variations on them: releases, sums, trees, SmartSum, noisy max, above threshold, chosen
places, coins, several releases, mixed noise, runs that are steered by what was released, records. *Proved* and *Refuted* must
never be exchanged; where a program has no certain verdict yet, `unknown` says so.
"""

from __future__ import annotations

import pytest

from kolahal.checking import check
from kolahal.lang.read.parse import parse
from kolahal.verdicts import name_verdict, proof_of
from kolahal.verification import verify

PROGRAMS = {
    "g1": ("proved", """
@sketch(adjacent=one_within(1))
def g1(q: Private, rho: Rho):
    return sum(q) + Gauss(1/sqrt(2*rho))
"""),
    "g2": ("refuted", """
@sketch(adjacent=each_within(1))
def g2(q: Private, rho: Rho):
    return sum(q) + Gauss(1/sqrt(2*rho))
"""),
    "g3": ("proved", """
@sketch(adjacent=each_within(1))
def g3(q: Private, rho: Rho):
    return sum(q) + Gauss(len(q)/sqrt(2*rho))
"""),
    "g4": ("proved", """
@sketch(adjacent=sum_within(1))
def g4(q: Private, mu: Mu):
    total = 0
    for x in q:
        total += x
    return total + Gauss(1/mu)
"""),
    "g5": ("proved", """
@sketch(adjacent=one_within(1))
def g5(q: Private, eps: Epsilon, delta: Delta):
    return sum(q) + Gauss(1/gdp(eps, delta))
"""),
    "g6": ("refuted", """
@sketch(adjacent=one_within(1))
def g6(q: Private, eps: Epsilon, delta: Delta):
    return sum(q) + Gauss(0.98/gdp(eps, delta))
"""),
    "mean": ("bounded", """
@sketch(adjacent=each_within(1))
def mean(q: Private, rho: Rho):
    return sum(q)/len(q) + Gauss(1/sqrt(2*rho))
"""),
    "mean2": ("refuted", """
@sketch(adjacent=each_within(1))
def mean2(q: Private, rho: Rho):
    return sum(q)/len(q) + Gauss(0.9/sqrt(2*rho))
"""),
    "mean3": ("proved", """
@sketch(adjacent=one_within(1))
def mean3(q: Private, mu: Mu):
    n = len(q)
    return (sum(q) + Gauss(1/mu))/n
"""),
    "h1": ("proved", """
@sketch(adjacent=one_within(1))
def h1(q: Private, rho: Rho):
    return [x + Gauss(1/sqrt(2*rho)) for x in q]
"""),
    "h2": ("proved", """
@sketch(adjacent=each_within(1))
def h2(q: Private, mu: Mu):
    out = []
    for i in range(len(q)):
        out.append(q[i] + Gauss(sqrt(len(q))/mu))
    return out
"""),
    "h3": ("refuted", """
@sketch(adjacent=each_within(1))
def h3(q: Private, mu: Mu):
    out = []
    for i in range(len(q)):
        out.append(q[i] + Gauss(0.99*sqrt(len(q))/mu))
    return out
"""),
    "h4": ("proved", """
@sketch(adjacent=each_within(1))
def h4(q: Private, eps: Epsilon, delta: Delta):
    return [x + Gauss(sqrt(len(q))/gdp(eps, delta)) for x in q]
"""),
    "h5": ("proved", """
@sketch(adjacent=sum_within(1))
def h5(q: Private, rho: Rho):
    return [x + Gauss(1/sqrt(2*rho)) for x in q]
"""),
    "h6": ("proved", """
@sketch(adjacent=each_within(2))
def h6(q: Private, rho: Rho):
    return [x + Gauss(2*sqrt(len(q)/(2*rho))) for x in q]
"""),
    "h7": ("refuted", """
@sketch(adjacent=each_within(2))
def h7(q: Private, rho: Rho):
    return [x + Gauss(1.9*sqrt(len(q)/(2*rho))) for x in q]
"""),
    "h8": ("proved", """
@sketch(adjacent=monotone(1))
def h8(q: Private, rho: Rho):
    return [x + Gauss(sqrt(len(q)/(2*rho))) for x in q]
"""),
    "hd": ("proved", """
@sketch(adjacent=one_within(1))
def hd(q: Private[int], rho: Rho):
    return [x + DiscreteGauss(1/sqrt(2*rho)) for x in q]
"""),
    "hd2": ("refuted", """
@sketch(adjacent=one_within(1))
def hd2(q: Private[int], rho: Rho):
    return [x + DiscreteGauss(0.9/sqrt(2*rho)) for x in q]
"""),
    "hdr": ("unknown|refuted", """
@sketch(adjacent=one_within(1))
def hdr(q: Private, rho: Rho):
    return [x + DiscreteGauss(1/sqrt(2*rho)) for x in q]
"""),
    "hdm": ("unknown|refuted", """
@sketch(adjacent=one_within(1))
def hdm(q: Private[int], mu: Mu):
    return [x + DiscreteGauss(1/mu) for x in q]
"""),
    "reuse": ("refuted", """
@sketch(adjacent=each_within(1))
def reuse(q: Private, rho: Rho):
    e = Gauss(sqrt(len(q)/(2*rho)))
    return [x + e for x in q]
"""),
    "shared": ("refuted", """
@sketch(adjacent=one_within(1))
def shared(q: Private[2], rho: Rho):
    e = Gauss(1/sqrt(2*rho))
    return q[0] + e, q[1] - e
"""),
    "two": ("proved", """
@sketch(adjacent=one_within(1))
def two(q: Private, rho: Rho):
    s = sum(q) + Gauss(1/sqrt(rho))
    t = sum(q) + Gauss(1/sqrt(rho))
    return s, t
"""),
    "two_bad": ("refuted", """
@sketch(adjacent=one_within(1))
def two_bad(q: Private, rho: Rho):
    s = sum(q) + Gauss(1/sqrt(2*rho))
    t = sum(q) + Gauss(1/sqrt(2*rho))
    return s, t
"""),
    "avg2": ("proved", """
@sketch(adjacent=one_within(1))
def avg2(q: Private, rho: Rho):
    s = sum(q) + Gauss(1/sqrt(rho))
    t = sum(q) + Gauss(1/sqrt(rho))
    return (s + t)/2
"""),
    "two_mu": ("proved", """
@sketch(adjacent=one_within(1))
def two_mu(q: Private, mu: Mu):
    s = sum(q) + Gauss(sqrt(2)/mu)
    t = sum(q) + Gauss(sqrt(2)/mu)
    return s, t
"""),
    "pyth": ("proved", """
@sketch(adjacent=one_within(1))
def pyth(q: Private, mu: Mu):
    s = sum(q) + Gauss(1.25/mu)
    t = sum(q) + Gauss(5/(3*mu))
    return s, t
"""),
    "pyth_bad": ("refuted", """
@sketch(adjacent=one_within(1))
def pyth_bad(q: Private, mu: Mu):
    s = sum(q) + Gauss(1.25/mu)
    t = sum(q) + Gauss(4.9/(3*mu))
    return s, t
"""),
    "mix": ("proved", """
@sketch(adjacent=one_within(1))
def mix(q: Private, rho: Rho):
    s = sum(q) + Gauss(1/sqrt(rho))
    t = sum(q) + Lap(1/sqrt(rho))
    return s, t
"""),
    "mix_sum": ("proved", """
@sketch(adjacent=one_within(1))
def mix_sum(q: Private, rho: Rho):
    return sum(q) + Gauss(1/sqrt(2*rho)) + Lap(1/sqrt(2*rho))
"""),
    "mix_bad": ("refuted", """
@sketch(adjacent=one_within(1))
def mix_bad(q: Private, rho: Rho):
    s = sum(q) + Gauss(1/sqrt(2*rho))
    t = sum(q) + Lap(1/sqrt(2*rho))
    return s, t
"""),
    "lap_rho": ("proved", """
@sketch(adjacent=one_within(1))
def lap_rho(q: Private, rho: Rho):
    return sum(q) + Lap(1/sqrt(2*rho))
"""),
    "lap_rho_bad": ("refuted", """
@sketch(adjacent=one_within(1))
def lap_rho_bad(q: Private, rho: Rho):
    return sum(q) + Lap(0.5/sqrt(2*rho))
"""),
    "lap_ed": ("proved", """
@sketch(adjacent=one_within(1))
def lap_ed(q: Private, eps: Epsilon, delta: Delta):
    return sum(q) + Lap(1/eps)
"""),
    "mix_ed": ("unknown", """
@sketch(adjacent=one_within(1))
def mix_ed(q: Private, eps: Epsilon, delta: Delta):
    return sum(q) + Lap(2/eps), sum(q) + Gauss(2/gdp(eps, delta))
"""),
    "prefix1": ("proved", """
@sketch(adjacent=one_within(1))
def prefix1(q: Private, rho: Rho):
    s = 0
    out = []
    for x in q:
        s = s + x + Gauss(1/sqrt(2*rho))
        out.append(s)
    return out
"""),
    "prefix2": ("proved", """
@sketch(adjacent=one_within(1))
def prefix2(q: Private, rho: Rho):
    s = 0
    out = []
    for x in q:
        s = s + x
        out.append(s + Gauss(sqrt(len(q)/(2*rho))))
    return out
"""),
    "prefix2b": ("refuted", """
@sketch(adjacent=one_within(1))
def prefix2b(q: Private, rho: Rho):
    s = 0
    out = []
    for x in q:
        s = s + x
        out.append(s + Gauss(0.9*sqrt(len(q)/(2*rho))))
    return out
"""),
    "prefix3": ("refuted", """
@sketch(adjacent=one_within(1))
def prefix3(q: Private, rho: Rho):
    s = 0
    out = []
    for x in q:
        s = s + x
        out.append(s + Gauss(1/sqrt(2*rho)))
    return out
"""),
    "tree4": ("proved", """
@sketch(adjacent=one_within(1))
def tree4(q: Private[4], rho: Rho):
    a = [x + Gauss(sqrt(3/(2*rho))) for x in q]
    b = q[0] + q[1] + Gauss(sqrt(3/(2*rho)))
    c = q[2] + q[3] + Gauss(sqrt(3/(2*rho)))
    d = sum(q) + Gauss(sqrt(3/(2*rho)))
    return a[0], a[1], a[2], a[3], b, c, d
"""),
    "tree4b": ("refuted", """
@sketch(adjacent=one_within(1))
def tree4b(q: Private[4], rho: Rho):
    a = [x + Gauss(sqrt(2.9/(2*rho))) for x in q]
    b = q[0] + q[1] + Gauss(sqrt(2.9/(2*rho)))
    c = q[2] + q[3] + Gauss(sqrt(2.9/(2*rho)))
    d = sum(q) + Gauss(sqrt(2.9/(2*rho)))
    return a[0], a[1], a[2], a[3], b, c, d
"""),
    "smart": ("proved", """
@sketch(adjacent=one_within(1))
def smart(q: Private, M: int, rho: Rho):
    next = 0
    n = 0
    s = 0
    out = []
    count = 0
    for x in q:
        s = s + x
        count = count + 1
        if count >= M:
            n = n + s + Gauss(1/sqrt(rho))
            next = n
            s = 0
            count = 0
            out.append(next)
        else:
            next = next + x + Gauss(1/sqrt(rho))
            out.append(next)
    return out
"""),
    "smart_mu": ("proved", """
@sketch(adjacent=one_within(1))
def smart_mu(q: Private, M: int, mu: Mu):
    next = 0
    n = 0
    s = 0
    out = []
    count = 0
    for x in q:
        s = s + x
        count = count + 1
        if count >= M:
            n = n + s + Gauss(sqrt(2)/mu)
            next = n
            s = 0
            count = 0
            out.append(next)
        else:
            next = next + x + Gauss(sqrt(2)/mu)
            out.append(next)
    return out
"""),
    "smart_bad": ("refuted", """
@sketch(adjacent=one_within(1))
def smart_bad(q: Private, M: int, rho: Rho):
    next = 0
    n = 0
    s = 0
    out = []
    count = 0
    for x in q:
        s = s + x
        count = count + 1
        if count >= M:
            n = n + s + Gauss(0.7/sqrt(rho))
            next = n
            s = 0
            count = 0
            out.append(next)
        else:
            next = next + x + Gauss(0.7/sqrt(rho))
            out.append(next)
    return out
"""),
    "steer1": ("proved", """
@sketch(adjacent=one_within(1))
def steer1(q: Private, rho: Rho):
    a = sum(q) + Gauss(1/sqrt(rho))
    if a > 10:
        return a, sum(q) + Gauss(1/sqrt(rho))
    return a, 0
"""),
    "steer2": ("refuted", """
@sketch(adjacent=one_within(1))
def steer2(q: Private, rho: Rho):
    a = sum(q) + Gauss(1/sqrt(rho))
    if a > 10:
        return a, sum(q) + Gauss(0.5/sqrt(rho))
    return a, 0
"""),
    "adapt": ("proved", """
@sketch(adjacent=one_within(1))
def adapt(q: Private, rho: Rho):
    out = []
    c = 0
    for x in q:
        y = x - c + Gauss(1/sqrt(2*rho))
        c = y / 2
        out.append(y)
    return out
"""),
    "walk": ("proved", """
@sketch(adjacent=one_within(1))
def walk(q: Private, mu: Mu):
    pos = 0
    out = []
    for x in q:
        y = x + Gauss(1/mu)
        if y > pos:
            pos = pos + 1
        else:
            pos = pos - 1
        out.append(pos)
    return out
"""),
    "signs": ("proved", """
@sketch(adjacent=one_within(1))
def signs(q: Private, rho: Rho):
    return [x + Gauss(1/sqrt(2*rho)) > 0 for x in q]
"""),
    "clipout": ("proved", """
@sketch(adjacent=one_within(1))
def clipout(q: Private, rho: Rho):
    return [max(0, x + Gauss(1/sqrt(2*rho))) for x in q]
"""),
    "rounded": ("proved", """
@sketch(adjacent=one_within(1))
def rounded(q: Private, mu: Mu):
    s = sum(q) + Gauss(1/mu)
    return min(100, max(0, s))
"""),
    "max1": ("proved", """
@sketch(adjacent=one_within(1))
def max1(q: Private, rho: Rho):
    b = None
    at = 0
    for i in range(len(q)):
        v = q[i] + Gauss(1/sqrt(2*rho))
        if b is None or v > b:
            b = v
            at = i
    return at
"""),
    "max2": ("proved", """
@sketch(adjacent=each_within(1))
def max2(q: Private, rho: Rho):
    b = None
    at = 0
    for i in range(len(q)):
        v = q[i] + Gauss(sqrt(len(q)/(2*rho)))
        if b is None or v > b:
            b = v
            at = i
    return at
"""),
    "max3": ("proved", """
@sketch(adjacent=one_within(1))
def max3(q: Private, eps: Epsilon, delta: Delta):
    b = None
    at = 0
    for i in range(len(q)):
        v = q[i] + Gauss(1/gdp(eps, delta))
        if b is None or v > b:
            b = v
            at = i
    return at
"""),
    "max_bad": ("refuted", """
@sketch(adjacent=one_within(1))
def max_bad(q: Private, rho: Rho):
    b = None
    at = 0
    for i in range(len(q)):
        v = q[i] + Gauss(0.4/sqrt(2*rho))
        if b is None or v > b:
            b = v
            at = i
    return at
"""),
    "max_val": ("proved", """
@sketch(adjacent=one_within(1))
def max_val(q: Private, mu: Mu):
    return max(x + Gauss(1/mu) for x in q)
"""),
    "thr1": ("proved", """
@sketch(adjacent=each_within(1))
def thr1(q: Private, T: float, rho: Rho):
    t = T + Gauss(1/sqrt(rho))
    for i in range(len(q)):
        if q[i] + Lap(4/rho) > t:
            return i
    return -1
"""),
    "thr2": ("proved", """
@sketch(adjacent=one_within(1))
def thr2(q: Private, T: float, rho: Rho):
    for i in range(len(q)):
        if q[i] + Gauss(1/sqrt(2*rho)) > T:
            return i
    return -1
"""),
    "thr3": ("proved", """
@sketch(adjacent=each_within(1))
def thr3(q: Private, T: float, rho: Rho):
    for i in range(len(q)):
        if q[i] + Gauss(sqrt(len(q)/(2*rho))) > T:
            return i
    return -1
"""),
    "thr4": ("bounded", """
@sketch(adjacent=each_within(1))
def thr4(q: Private, T: float, rho: Rho):
    t = T + Gauss(1/sqrt(rho))
    for i in range(len(q)):
        if q[i] + Gauss(2/sqrt(rho)) > t:
            return i
    return -1
"""),
    "thr_nonoise": ("refuted", """
@sketch(adjacent=each_within(1))
def thr_nonoise(q: Private, T: float, rho: Rho):
    t = T + Gauss(1/sqrt(rho))
    for i in range(len(q)):
        if q[i] > t:
            return i
    return -1
"""),
    "count": ("proved", """
@sketch(adjacent=one_within(1))
def count(q: Private, rho: Rho):
    c = 0
    for x in q:
        if x + Gauss(1/sqrt(2*rho)) > 0:
            c = c + 1
    return c
"""),
    "pf": ("refuted", """
@sketch(adjacent=one_within(1))
def pf(q: Private, rho: Rho):
    return q[0] + Exp(1/sqrt(2*rho))
"""),
    "expmax": ("proved", """
@sketch(adjacent=each_within(1))
def expmax(q: Private, rho: Rho):
    b = None
    at = 0
    for i in range(len(q)):
        v = q[i] + Exp(2/sqrt(2*rho))
        if b is None or v > b:
            b = v
            at = i
    return at
"""),
    "ch1": ("proved", """
@sketch(adjacent=each_within(1))
def ch1(q: Private, rho: Rho):
    return choose(q, 2/sqrt(2*rho))
"""),
    "ch2": ("proved", """
@sketch(adjacent=each_within(1))
def ch2(q: Private, rho: Rho):
    return choose(q, 1/sqrt(2*rho))
"""),
    "ch3": ("proved", """
@sketch(adjacent=each_within(1))
def ch3(q: Private, eps: Epsilon, delta: Delta):
    return choose(q, 2/eps)
"""),
    "ch_bad": ("refuted", """
@sketch(adjacent=each_within(1))
def ch_bad(q: Private, rho: Rho):
    return choose(q, 0.2/sqrt(2*rho))
"""),
    "noiseless": ("refuted", """
@sketch(adjacent=one_within(1))
def noiseless(q: Private, rho: Rho):
    return sum(q)
"""),
    "nonoise2": ("refuted", """
@sketch(adjacent=one_within(1))
def nonoise2(q: Private, mu: Mu):
    a = sum(q) + Gauss(1/mu)
    if sum(q) > 3:
        return a
    return 0
"""),
    "fixed": ("refuted", """
@sketch(adjacent=one_within(1))
def fixed(q: Private, eps: Epsilon, delta: Delta):
    return sum(q) + Gauss(5)
"""),
    "wrongunit": ("refuted", """
@sketch(adjacent=one_within(1))
def wrongunit(q: Private, mu: Mu):
    return sum(q) + Gauss(1/(2*mu))
"""),
    "halfspace": ("proved", """
@sketch(adjacent=one_within(1))
def halfspace(q: Private[2], rho: Rho):
    return 3*q[0] - q[1] + Gauss(3/sqrt(2*rho))
"""),
    "halfspace2": ("refuted", """
@sketch(adjacent=each_within(1))
def halfspace2(q: Private[2], rho: Rho):
    return 3*q[0] - q[1] + Gauss(3/sqrt(2*rho))
"""),
    "dense": ("proved", """
@sketch(adjacent=one_within(1))
def dense(q: Private[2], mu: Mu):
    return q[0] + q[1] + Gauss(sqrt(2)/mu), q[0] - q[1] + Gauss(sqrt(2)/mu)
"""),
    "dense_bad": ("refuted", """
@sketch(adjacent=one_within(1))
def dense_bad(q: Private[2], mu: Mu):
    return q[0] + q[1] + Gauss(1.4/mu), q[0] - q[1] + Gauss(1.4/mu)
"""),
    "stop": ("proved", """
@sketch(adjacent=one_within(1))
def stop(q: Private, mu: Mu):
    out = []
    for x in q:
        y = x + Gauss(1/mu)
        out.append(y)
        if y > 100:
            return out
    return out
"""),
    "whilst": ("proved", """
@sketch(adjacent=one_within(1))
def whilst(q: Private, mu: Mu):
    i = 0
    out = []
    while i < len(q):
        out.append(q[i] + Gauss(1/mu))
        i = i + 1
    return out
"""),
    "kreleases": ("proved", """
@sketch(adjacent=one_within(1))
def kreleases(q: Private, k: int, rho: Rho):
    out = []
    for i in range(k):
        out.append(sum(q) + Gauss(sqrt(k/(2*rho))))
    return out
"""),
    "kreleases_mu": ("proved", """
@sketch(adjacent=one_within(1))
def kreleases_mu(q: Private, k: int, mu: Mu):
    s = sum(q)
    return [s + Gauss(sqrt(k)/mu) for i in range(k)]
"""),
    "kbad": ("refuted", """
@sketch(adjacent=one_within(1))
def kbad(q: Private, k: int, mu: Mu):
    s = sum(q)
    return [s + Gauss(1/mu) for i in range(k)]
"""),
    "pairs": ("proved", """
@sketch(adjacent=one_within(1))
def pairs(q: Private, rho: Rho):
    return [q[i] - q[i-1] + Gauss(1/sqrt(rho)) for i in range(1, len(q))]
"""),
    "weights": ("proved", """
@sketch(adjacent=one_within(1))
def weights(q: Private, rho: Rho):
    s = 0
    for i in range(len(q)):
        s = s + q[i]/2
    return s + Gauss(1/(2*sqrt(2*rho)))
"""),
    "ch4": ("proved", """
@sketch(adjacent=monotone(1))
def ch4(q: Private, rho: Rho):
    return choose(q, 1/sqrt(8*rho))
"""),
    "ch5": ("refuted", """
@sketch(adjacent=each_within(1))
def ch5(q: Private, rho: Rho):
    return choose(q, 1/sqrt(8*rho))
"""),
    "ch6": ("proved", """
@sketch(adjacent=each_within(1))
def ch6(q: Private, rho: Rho):
    at = choose(q, 1/sqrt(rho))
    return at, q[at] + Gauss(1/sqrt(rho))
"""),
    "ch7": ("refuted", """
@sketch(adjacent=each_within(1))
def ch7(q: Private, rho: Rho):
    at = choose(q, 0.5/sqrt(rho))
    return at, q[at] + Gauss(1/sqrt(rho))
"""),
    "ch8": ("proved", """
@sketch(adjacent=each_within(1))
def ch8(q: Private, rho: Rho):
    out = []
    for i in range(3):
        out.append(choose(q, sqrt(3/(2*rho))))
    return out
"""),
    "ch9": ("proved", """
@sketch(adjacent=each_within(1))
def ch9(q: Private, rho: Rho):
    at = choose(q, 2/rho)
    return at
"""),
    "chk": ("proved", """
@sketch(adjacent=each_within(1))
def chk(q: Private, k: int, rho: Rho):
    out = []
    for i in range(k):
        out.append(choose(q, sqrt(k/(2*rho))))
    return out
"""),
    "chk_bad": ("refuted", """
@sketch(adjacent=each_within(1))
def chk_bad(q: Private, k: int, rho: Rho):
    out = []
    for i in range(k):
        out.append(choose(q, sqrt(k/(8*rho))))
    return out
"""),
    "chbad0": ("refuted", """
@sketch(adjacent=each_within(1))
def chbad0(q: Private, rho: Rho):
    at = choose(q, 1/sqrt(2*rho))
    if at == 0:
        return q[0]
    return 0
"""),
    "ch_mu": ("bounded", """
@sketch(adjacent=each_within(1))
def ch_mu(q: Private, mu: Mu):
    return choose(q, 2/mu)
"""),
    "pfz": ("refuted", """
@sketch(adjacent=each_within(1))
def pfz(q: Private, rho: Rho):
    b = None
    at = 0
    for i in range(len(q)):
        v = q[i] + Exp(1/sqrt(2*rho))
        if b is None or v > b:
            b = v
            at = i
    return at
"""),
    "flip_ed": ("proved", """
@sketch(adjacent=one_within(1))
def flip_ed(q: Private[bool], eps: Epsilon, delta: Delta):
    return [x != Flip(1/eps) for x in q]
"""),
    "flip_rho": ("proved", """
@sketch(adjacent=one_within(1))
def flip_rho(q: Private[bool], rho: Rho):
    return [x != Flip(1/rho) for x in q]
"""),
    "flip_rho2": ("proved", """
@sketch(adjacent=one_within(1))
def flip_rho2(q: Private[bool], rho: Rho):
    return [x != Flip(1/sqrt(2*rho)) for x in q]
"""),
    "flip_bad": ("refuted", """
@sketch(adjacent=one_within(1))
def flip_bad(q: Private[bool], rho: Rho):
    return [x != Flip(1/(20*rho)) for x in q]
"""),
    "w3": ("proved", """
@sketch(adjacent=one_within(1))
def w3(q: Private, rho: Rho):
    s = 0
    for x in q:
        s = s + 3*x
    return s + Gauss(3/sqrt(2*rho))
"""),
    "w3b": ("refuted", """
@sketch(adjacent=one_within(1))
def w3b(q: Private, rho: Rho):
    s = 0
    for x in q:
        s = s + 3*x
    return s + Gauss(2.9/sqrt(2*rho))
"""),
    "w34": ("proved", """
@sketch(adjacent=one_within(1))
def w34(q: Private, mu: Mu):
    return [3*x/4 + Gauss(0.75/mu) for x in q]
"""),
    "w2": ("proved", """
@sketch(adjacent=one_within(1))
def w2(q: Private, mu: Mu):
    a = sum(q)
    return a/10 + Gauss(0.1*sqrt(2)/mu), 10*a + Gauss(10*sqrt(2)/mu)
"""),
    "threshold_at_5": ("proved", """
@sketch(adjacent=each_within(1))
def a1(q: Private[5], T: float, eps: Epsilon, delta: Delta):
    t = T
    for i in range(len(q)):
        if q[i] + Gauss(sqrt(5)/gdp(eps, delta)) > t:
            return i
    return None
"""),
    "a2": ("proved", """
@sketch(adjacent=each_within(1))
def a2(q: Private[5], T: float, mu: Mu):
    t = T
    for i in range(len(q)):
        if q[i] + Gauss(sqrt(5)/mu) > t:
            return i
    return None
"""),
    "a3": ("unknown", """
@sketch(adjacent=each_within(1))
def a3(q: Private[5], T: float, mu: Mu):
    t = T
    for i in range(len(q)):
        if q[i] + Gauss(sqrt(4.9)/mu) > t:
            return i
    return None
"""),
    "a4": ("proved", """
@sketch(adjacent=each_within(1))
def a4(q: Private[5], T: float, rho: Rho):
    t = T
    for i in range(len(q)):
        if q[i] + Gauss(sqrt(5/(2*rho))) > t:
            return i
    return None
"""),
    "a5": ("proved", """
@sketch(adjacent=each_within(1))
def a5(q: Private[4], rho: Rho):
    b = q[0] + Gauss(sqrt(4/(2*rho)))
    at = 0
    for i in range(1, len(q)):
        v = q[i] + Gauss(sqrt(4/(2*rho)))
        if v > b:
            b = v
            at = i
    return at
"""),
    "a6": ("proved", """
@sketch(adjacent=each_within(1))
def a6(q: Private[4], mu: Mu):
    b = q[0] + Gauss(sqrt(4)/mu)
    at = 0
    for i in range(1, len(q)):
        v = q[i] + Gauss(sqrt(4)/mu)
        if v > b:
            b = v
            at = i
    return at
"""),
    "a7": ("unknown|refuted", """
@sketch(adjacent=each_within(1))
def a7(q: Private[4], mu: Mu):
    b = q[0] + Gauss(1/mu)
    at = 0
    for i in range(1, len(q)):
        v = q[i] + Gauss(1/mu)
        if v > b:
            b = v
            at = i
    return at
"""),
    "a8": ("proved", """
@sketch(adjacent=each_within(1))
def a8(q: Private[6], rho: Rho):
    t = Gauss(1/sqrt(rho))
    for i in range(len(q)):
        if q[i] + Gauss(1.9/sqrt(rho)) > t:
            return i
    return None
"""),
    "a9": ("proved", """
@sketch(adjacent=each_within(1))
def a9(q: Private[6], eps: Epsilon, delta: Delta):
    assert eps >= 0.5 and delta <= 1e-6
    t = Gauss(2.6/gdp(eps, delta))
    for i in range(len(q)):
        if q[i] + Gauss(2.6/gdp(eps, delta)) > t:
            return i
    return None
"""),
    "records_sum": ("proved", """
@sketch(adjacent=add_remove(1))
def f(rows: Records[float], rho: Rho):
    return sum(clip(r, 0, 100) for r in rows) + Gauss(100/sqrt(2*rho))
"""),
    "records_mean": ("proved", """
@sketch(adjacent=add_remove(1))
def f(rows: Records[float], mu: Mu):
    n = len(rows) + Gauss(sqrt(2)/mu)
    s = sum(clip(r, 0, 10) for r in rows) + Gauss(10*sqrt(2)/mu)
    return n, s
"""),
    "records_mean_less": ("refuted", """
@sketch(adjacent=add_remove(1))
def f(rows: Records[float], mu: Mu):
    n = len(rows) + Gauss(sqrt(2)/mu)
    s = sum(clip(r, 0, 10) for r in rows) + Gauss(9.9*sqrt(2)/mu)
    return n, s
"""),
    "records_replaced": ("refuted", """
@sketch(adjacent=replace(1))
def f(rows: Records[float], rho: Rho):
    return sum(clip(r, -1, 1) for r in rows) + Gauss(1/sqrt(2*rho))
"""),
    "records_unclipped": ("refuted", """
@sketch(adjacent=add_remove(1))
def f(rows: Records[float], rho: Rho):
    return len(rows) + Gauss(1/sqrt(rho)), sum(r for r in rows) + Gauss(10/sqrt(rho))
"""),
    "records_gradient_steps": ("proved", """
@sketch(adjacent=add_remove(1))
def f(rows: Records[float], rho: Rho):
    first = sum(clip(r, -1, 1) for r in rows) + Gauss(sqrt(3/(2*rho)))
    second = sum(clip(2 * r, -1, 1) for r in rows) + Gauss(sqrt(3/(2*rho)))
    third = sum(clip(r / 2, -1, 1) for r in rows) + Gauss(sqrt(3/(2*rho)))
    return first, second, third
"""),
    "records_gradient_steps_less": ("refuted", """
@sketch(adjacent=add_remove(1))
def f(rows: Records[float], rho: Rho):
    first = sum(clip(r, -1, 1) for r in rows) + Gauss(sqrt(1/rho))
    second = sum(clip(2 * r, -1, 1) for r in rows) + Gauss(sqrt(1/rho))
    third = sum(clip(3 * r, -1, 1) for r in rows) + Gauss(sqrt(1/rho))
    return first, second, third
"""),
}

QUICK = ("g2", "w3", "ch2", "ch5", "ch6", "ch7", "steer2", "nonoise2", "pf", "a4", "records_mean", "records_mean_less")


def judged(name: str) -> None:
    wanted, text = PROGRAMS[name]
    found = check(parse(text)).verdict
    assert name_verdict(found) in wanted.split("|"), found
    proof = proof_of(found)
    assert proof is None or verify(proof.text) == []


@pytest.mark.parametrize("name", QUICK)
def test_a_few_verdicts(name: str) -> None:
    judged(name)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in QUICK])
def test_all_verdicts(name: str) -> None:
    judged(name)
