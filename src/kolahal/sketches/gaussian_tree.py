"""Sums over a binary tree of 8 steps with Gaussian noise, from which every running sum is made of at most 3 nodes.

One answer is in 4 nodes, one a level, so 4/(2σ²) ≤ ρ (Chan, Shi and Song 2011; Dwork, Naor, Pitassi and Rothblum 2010).
"""

from kolahal import Gauss, Private, Rho, hole, one_within, sketch


@sketch(adjacent=one_within(1))
def gaussian_tree(q: Private[8], rho: Rho):
    nodes = []
    for i in range(8):
        nodes.append(q[i] + Gauss(hole))
    for i in range(4):
        nodes.append(q[2 * i] + q[2 * i + 1] + Gauss(hole))
    for i in range(2):
        nodes.append(q[4 * i] + q[4 * i + 1] + q[4 * i + 2] + q[4 * i + 3] + Gauss(hole))
    nodes.append(sum(q) + Gauss(hole))
    return nodes
