"""Above threshold with a Gaussian threshold and Laplace noise on the answers, under ρ-zCDP.

The threshold looks back alone, the answers look ahead: 1/(2σ²) + 2/b ≤ ρ (Zhu and Wang 2020 have the same split).
"""

from kolahal import Gauss, Lap, Private, Rho, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def gaussian_threshold(q: Private, T: float, rho: Rho):
    t = T + Gauss(hole)
    for i in range(len(q)):
        if q[i] + Lap(hole) > t:
            return i + 1
    return 0
