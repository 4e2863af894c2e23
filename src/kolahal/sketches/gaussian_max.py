"""The place of the largest answer under (ε, δ)-DP, with Gaussian noise: one person moves one answer.

The analytic Gaussian mechanism on the answers, and a function of what it gives (Balle and Wang 2018).
"""

from kolahal import Delta, Epsilon, Gauss, Private, hole, one_within, sketch


@sketch(adjacent=one_within(1))
def gaussian_max(q: Private, eps: Epsilon, delta: Delta):
    best = None
    at = 0
    for i in range(len(q)):
        noisy = q[i] + Gauss(hole)
        if best is None or noisy > best:
            best = noisy
            at = i
    return at
