"""A histogram with Gaussian noise under ρ-zCDP: one person may move every bin by 1.

The textbook's scale is sqrt(len(q)/(2*rho)): squares of moves add up (Bun and Steinke 2016).
"""

from kolahal import Gauss, Private, Rho, each_within, hole, sketch


@sketch(adjacent=each_within(1))
def gaussian_histogram(q: Private, rho: Rho):
    return [x + Gauss(hole) for x in q]
