"""Sums of independent Laplace draws of one scale in closed form: their tails are polynomials times an exponential."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from kolahal.engine.noise import FAMILIES, Array
from kolahal.exact.polyhedra import Density, Potential
from kolahal.lang.noise import Noise


def draws_of_sum(tree: Potential, noise: Noise) -> tuple[Density, ...] | None:
    """The draws of a tree that only bounds their sum, if they are all alike and Laplace; else None.

    Such a tree is a chain from the ground to the one node with bounds; every draw is a step of it.
    """
    nodes = list(tree.walk())
    draws = [d for node in nodes for d in (node.density, node.link_density) if d is not None]
    grounded = [node for node in nodes if node.density is not None]
    bounded = [node for node in nodes if node.bounds]
    is_chain = len(tree.children) <= 2 and all(len(node.children) <= 1 for node in nodes[1:])
    ends = [node for node in nodes if not node.children] + ([tree] if len(tree.children) == 1 else [])
    at_ends = len(grounded) == len(bounded) == 1 and {id(grounded[0]), id(bounded[0])} == {id(end) for end in ends}
    alike = len({(d.draw.site, abs(d.weight)) for d in draws}) == 1
    free = not any(node.link_bounds for node in nodes) and len(draws) == len(nodes)
    real = FAMILIES[noise].two_sided and not FAMILIES[noise].whole
    return tuple(draws) if is_chain and at_ends and alike and free and real and len(nodes) > 1 else None


def sum_probability(count: int, low: Array, high: Array) -> Array:
    """P(low ≤ S ≤ high) for the sum S of `count` Laplace draws of scale 1, from the tails on the side where it lies."""
    near = np.where(low >= 0, low, np.where(high <= 0, -high, 0.0))
    far = np.where(low >= 0, high, np.where(high <= 0, -low, math.inf))
    one_sided = _tail(count, near) - _tail(count, far)
    across = 1.0 - _tail(count, np.maximum(-low, 0.0)) - _tail(count, np.maximum(high, 0.0))
    return np.where(low < high, np.where((low >= 0) | (high <= 0), one_sided, across), 0.0)


def _tail(count: int, x: Array) -> Array:
    """P(S ≥ x) for x ≥ 0."""
    finite = np.where(np.isfinite(x), x, 0.0)
    result = np.zeros_like(finite)
    for coefficient in reversed(_tail_polynomial(count)):
        result = result * finite + coefficient
    return np.where(np.isfinite(x), result * np.exp(-finite), 0.0)


@lru_cache(maxsize=256)
def _tail_polynomial(count: int) -> tuple[float, ...]:
    """The polynomial before exp(−x) in P(S ≥ x), lowest power first; all coefficients are positive.

    The density of S at x ≥ 0 is e^(−x) · Σₖ (n − 1 + k)! / (k! (n − 1 − k)! (n − 1)! 2^(n + k)) · x^(n − 1 − k).
    """
    result = [Fraction(0)] * count
    for k in range(count):
        power = count - 1 - k
        weight = Fraction(
            math.factorial(count - 1 + k),
            math.factorial(k) * math.factorial(power) * math.factorial(count - 1) * 2 ** (count + k),
        )
        for j in range(power + 1):
            result[j] += weight * Fraction(math.factorial(power), math.factorial(j))
    return tuple(float(c) for c in result)
