"""Stars in closed form: one shared draw, and others that are each compared with it; many at once, in doubles.

Given the shared draw y, the others are independent, and each one's probability is, between kinks,
A + B·exp(y/s) + C·exp(−y/s). The product over the others is a polynomial in these exponentials, and its integral
against the density of y is elementary. Exponentials are taken from the ends of each piece, so that all of them are at
most 1, and tails are never found as 1 minus something: a probability of 1e-200 has as many good digits as one of 0.2.

Noise on the whole numbers has the same form: sums over whole y are integrals over half-integer pieces times
(ρ/2)/sinh(ρ/2), where ρ is the rate of the exponential.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kolahal.engine.noise import FAMILIES, Array
from kolahal.lang.noise import Noise
from kolahal.nouns import dataclass

MOST_LEAVES = 12  # the polynomial of m leaves loses a factor of 3^m of precision: nine good digits are left


@dataclass(frozen=True, slots=True)
class Stars:
    """Stars of one kind, along axis 0; candidates for their scales along axis 1.

    A leaf is X in [max(low, slope·y + moving_low), min(high, slope·y + moving_high)], where y is the centre. Infinite
    bounds are none. With whole noise, bounds are whole.
    """

    noise: Noise  # of the centre
    leaf_noise: Noise
    low: Array  # (stars,), of the centre
    high: Array
    leaf_low: Array  # (stars, leaves)
    leaf_high: Array
    moving_low: Array
    moving_high: Array
    slope: Array  # 1 or −1


def integrate(stars: Stars, scale: Array, leaf_scale: Array) -> Array:
    """The probability of each star, of shape (stars, candidates), for scales of that shape."""
    whole = FAMILIES[stars.noise].whole
    half = 0.5 if whole else 0.0
    low, high = stars.low - half, stars.high + half
    const = (stars.leaf_low - half, stars.leaf_high + half)
    moving = (stars.moving_low - half, stars.moving_high + half)
    left, right = _pieces(_edges(stars, low, high, const, moving, half))
    width = right - left
    live = width > 0
    first, last = np.isinf(left), np.isinf(right)
    middle = np.where(first, right - 1.0, np.where(last, left + 1.0, 0.5 * (left + right)))
    # Where a tail begins; what would grow towards infinity has coefficient 0 there.
    start, end = np.where(first, right, left), np.where(last, left, right)
    shape = (*scale.shape, left.shape[1])  # stars, candidates, pieces
    rate = (1.0 / leaf_scale)[:, :, None]
    with np.errstate(over="ignore", invalid="ignore"):
        shrink = np.exp(-np.where(live, width, 0.0)[:, None, :] * rate)
        a, b, c = _leaves(stars, const, moving, middle, start, end, rate, whole)
        terms = _product(a, b, c, shrink, shape)
        found = _against_density(stars, terms, shrink, rate, scale, (start, end, width, middle), whole)
    result: Array = np.where(live[:, None, :], found, 0.0).sum(axis=2)
    return np.maximum(result, 0.0)


def _edges(stars: Stars, low: Array, high: Array, const: Any, moving: Any, half: float) -> Array:
    """The ends of the pieces between kinks, ascending, (stars, pieces + 1); pieces may be empty."""
    origin = np.full((len(low), 1), -half)
    lower = low[:, None] if FAMILIES[stars.noise].two_sided else np.maximum(low[:, None], origin)
    upper = np.maximum(high[:, None], lower)
    kinks = [origin]
    for bound in moving:
        if np.isfinite(bound).any():
            kinks.append(-stars.slope * bound)
    for still in const:
        for bound in moving:
            if np.isfinite(still).any() and np.isfinite(bound).any():
                with np.errstate(invalid="ignore"):
                    kinks.append(stars.slope * (still - bound) + half)
    inner = np.concatenate(kinks, axis=1)
    inner = np.where(np.isfinite(inner), inner, -half)
    inner = np.sort(np.clip(inner, lower, upper), axis=1)
    return np.concatenate([lower, inner, upper], axis=1)


def _pieces(edges: Array) -> tuple[Array, Array]:
    """Left and right ends of the pieces, (stars, pieces), without columns in which all are empty."""
    left, right = edges[:, :-1], edges[:, 1:]
    empty = ~(right > left)
    order = np.argsort(empty, axis=1, kind="stable")[:, : max(1, int((~empty).sum(axis=1).max(initial=0)))]
    return np.take_along_axis(left, order, axis=1), np.take_along_axis(right, order, axis=1)


def _leaves(
    stars: Stars, const: Any, moving: Any, middle: Array, start: Array, end: Array, rate: Array, whole: bool
) -> tuple[Any, Any, Any]:
    """A, B and C of every leaf on every piece: A + B·exp((y − end)/s) + C·exp((start − y)/s)."""
    family = FAMILIES[stars.leaf_noise]
    slope = stars.slope[:, :, None]  # stars, leaves, pieces
    y = middle[:, None, :]
    ends = []
    for still, bound, pick in ((const[0], moving[0], np.maximum), (const[1], moving[1], np.minimum)):
        goes = bound[:, :, None] + slope * y
        stays = np.broadcast_to(still[:, :, None], goes.shape)
        ends.append((pick(goes, stays), goes == pick(goes, stays), still[:, :, None], bound[:, :, None]))
    if family.two_sided:
        factor = 0.5 / np.cosh(0.5 * rate) if whole else 0.5
    else:
        factor = np.exp(-0.5 * rate) if whole else 1.0
    (at_low, *_), (at_high, *_) = ends
    real = at_low < at_high
    a = np.where(real, (at_low < 0.0) * 1.0 - (at_high < 0.0), 0.0)[:, :, None, :]
    b: Any = 0.0
    c: Any = 0.0
    pace = rate[:, None, :, :]  # stars, leaves, candidates, pieces
    factor = factor if isinstance(factor, float) else factor[:, None, :, :]
    for sign, (at, moves, still, bound) in zip((1.0, -1.0), ends, strict=True):
        if not np.isfinite(at).any():
            continue
        side = np.where(at >= 0.0, 1.0, -1.0 if family.two_sided else 0.0)
        weight = np.where(real & np.isfinite(at), sign * side, 0.0)
        falling = side * slope > 0
        anchor = np.where(moves, bound + slope * np.where(falling, start[:, None, :], end[:, None, :]), still)
        far = np.where(weight != 0.0, np.maximum(side * anchor, -1.0), 0.0)
        part = weight[:, :, None, :] * factor * np.exp(-far[:, :, None, :] * pace)
        moves, falling = moves[:, :, None, :], falling[:, :, None, :]
        c = c + np.where(moves & falling, part, 0.0)
        b = b + np.where(moves & ~falling, part, 0.0)
        if not moves.all():
            a = a + np.where(moves, 0.0, part)
    return a, b, c


def _product(a: Any, b: Any, c: Any, shrink: Array, shape: tuple[int, ...]) -> Array:
    """The coefficients of exp(−m(y − start)/s), …, 1, …, exp(m(y − end)/s), along axis 0."""
    leaves = a.shape[1]
    terms = np.zeros((2 * leaves + 1, *shape))
    terms[leaves] = 1.0
    for leaf in range(leaves):
        low, high = leaves - leaf, leaves + leaf + 1
        old = terms[low:high].copy()
        terms[low:high] *= a[:, leaf]
        if not np.isscalar(b):
            up = old * b[:, leaf]
            up[:leaf] *= shrink  # rising times falling is a constant
            terms[low + 1 : high + 1] += up
        if not np.isscalar(c):
            down = old * c[:, leaf]
            down[leaf + 1 :] *= shrink
            terms[low - 1 : high - 1] += down
    return terms


def _against_density(
    stars: Stars, terms: Array, shrink: Array, rate: Array, scale: Array, pieces: tuple[Array, ...], whole: bool
) -> Array:
    """The integral of the polynomial against the density of the centre, on each piece."""
    start, end, width, middle = (piece[:, None, :] for piece in pieces)
    family = FAMILIES[stars.noise]
    own = (1.0 / scale)[:, :, None]
    rises = (middle < 0.0) & family.two_sided
    norm = np.exp(-family.log_norm(scale))[:, :, None]
    span = np.where(np.isfinite(width), width, 0.0)
    # Density at the end where it is larger, and how much smaller it is at the other one.
    peak = norm * np.exp(np.where(rises, end, -start) * own)
    fall = np.exp(-span * own)
    at_start, at_end = np.where(rises, peak * fall, peak), np.where(rises, peak, peak * fall)
    leaves = (len(terms) - 1) // 2
    total = np.zeros(terms.shape[1:])
    powers = [np.ones_like(shrink)]
    for _ in range(leaves):
        powers.append(powers[-1] * shrink)
    turn = np.where(rises, own, -own)
    for place in range(len(terms)):
        power = place - leaves
        slope = power * rate + turn
        size = np.abs(slope)
        top = np.where(slope > 0, at_end * powers[max(0, -power)], at_start * powers[max(0, power)])
        reach = size * span
        area = np.where(reach > 0, -np.expm1(-reach) / np.where(reach > 0, reach, 1.0), 1.0) * span
        area = np.where(np.isfinite(width), area, 1.0 / np.where(size > 0, size, 1.0))
        if whole:
            area = area * np.where(
                size > 0, 0.5 * size / np.sinh(np.minimum(0.5 * np.where(size > 0, size, 1.0), 300.0)), 1.0
            )
        total += terms[place] * top * area
    return total
