"""Event probabilities as intervals that hold for certain, in ball arithmetic (python-flint's Arb).

Between kinks every function here is a sum of c·x^k·exp(r·x) with an exact rational rate r, and so are products, shifts, integrals from either
side, and convolutions with exponential noise: a whole tree is integrated in closed form, and only roundings err, which the balls carry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from types import NoneType
from typing import Any

from kolahal.engine.noise import FAMILIES
from kolahal.exact.balls import Interval, ball, narrowed
from kolahal.exact.counted import counted_probability, listed
from kolahal.exact.polyhedra import AffineBound, Bounds, Density, Polyhedron, Potential, build_polyhedra, finite_ball
from kolahal.lang.ir import Hole
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import Number
from kolahal.model import Arguments, Database, Event
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.joined import find_outcomes
from kolahal.paths.quotients import linear_event
from kolahal.paths.unknowns import AnswerAt, Indeterminate

Terms = dict[tuple[Fraction, int], Any]  # (rate r, power k) → coefficient of x^k·exp(r·x)
HALF = Fraction(1, 2)


def rigorous_probability(
    sketch: Sketch,
    database: Database,
    arguments: Arguments,
    scales: Sequence[Fraction],
    event: Event,
    bits: int = 128,
) -> Interval | CannotIntegrate:
    """P(event) for exact scales, one a hole; more bits are taken until the interval is narrow."""
    sketch, event = linear_event(sketch, event)
    sites = site_scales(sketch, arguments, scales)
    if listed(sketch):
        counted = narrowed(lambda flint: counted_probability(sketch, database, arguments, sites, event, lambda x: ball(flint, x).exp()), NoneType, bits)
        if counted is not None:
            return counted
    silent = frozenset(site for site, scale in enumerate(sites) if not scale)
    environment = arguments.environment(sketch)
    outcomes = find_outcomes(sketch, arguments.size, environment, silent, event=event)
    if isinstance(outcomes, CannotIntegrate):
        outcomes = find_outcomes(sketch, arguments.size, environment, silent, database, event)
    if isinstance(outcomes, CannotIntegrate):
        return outcomes
    return probability_of(build_polyhedra(outcomes.paths, event, outcomes.noises), database, sites, outcomes.noises, bits)


def probability_of(
    polyhedra: Sequence[Polyhedron] | CannotIntegrate,
    database: Database,
    sites: Sequence[Fraction],
    noises: Sequence[Noise],
    bits: int = 128,
) -> Interval | CannotIntegrate:
    """The probability of the polyhedra of an event for the scales of all sites."""
    if isinstance(polyhedra, CannotIntegrate):
        return polyhedra
    values: dict[Indeterminate, Number] = {AnswerAt(i): answer for i, answer in enumerate(database)}
    held = [p for p in polyhedra if all(fact.holds(values) for fact in p.facts)]

    def total(flint: Any) -> Any | CannotIntegrate:
        found = flint.arb(0)
        for polyhedron in held:
            product = finite_ball(polyhedron, values, lambda site, gap: ball(flint, gap / sites[site]).exp())
            for tree in polyhedron.trees:
                integral = _Integral(flint, values, sites, noises, tree).value()
                if isinstance(integral, CannotIntegrate):
                    return integral
                product *= integral
            found += polyhedron.sign * product
        return found

    return narrowed(total, CannotIntegrate, bits)


def site_scales(sketch: Sketch, arguments: Arguments, scales: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The exact scale of every draw, by site."""
    names = arguments.quantities(sketch)
    return tuple(
        Fraction(scales[draw.scale.index]) if isinstance(draw.scale, Hole) else draw.scale.at(names)
        for draw in sketch.draws
    )


# ---------------------------------------------------------------- functions of one variable


@dataclass(frozen=True, slots=True)
class Pieces:
    """A function: `terms[i]` between cut i − 1 and cut i. On the whole numbers, cuts are half-integers."""

    cuts: tuple[Fraction, ...]
    terms: tuple[Terms, ...]  # one more than cuts


@dataclass(slots=True)
class _Integral:
    flint: Any
    values: Mapping[Indeterminate, Number]
    scales: Sequence[Fraction]
    noises: Sequence[Noise]
    tree: Potential
    whole: bool = field(init=False)
    exponentials: dict[Fraction, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.whole = any(FAMILIES[self.noises[draw.site]].whole for draw in self.tree.draws)

    def value(self) -> Any | CannotIntegrate:
        for node in self.tree.walk():
            for density in (node.density, node.link_density):
                if density is not None and self.whole:
                    if not FAMILIES[self.noises[density.draw.site]].whole:
                        return CannotIntegrate("noise on the whole numbers is compared with real noise")
                    if abs(density.weight) != 1:
                        return CannotIntegrate("noise on the whole numbers is multiplied")
        return self.total(self.function(self.tree))

    def function(self, node: Potential) -> Pieces:
        """The node's density times what its children give, as a function of the node."""
        result = self.inside(*self.ends(node.bounds))
        if node.density is not None:
            result = self.times(result, self.density(node.density))
        for child in node.children:
            result = self.times(result, self.message(child))
        return result

    def message(self, node: Potential) -> Pieces:
        """What is left of a subtree as a function of its parent."""
        function = self.function(node)
        low, high = self.ends(node.link_bounds)
        if low is not None and high is not None and low > high:
            return Pieces((), ({},))  # two limits exclude each other here, or there is no whole number between them
        if node.link_density is None:
            return self.between(function, low, high)
        # The node is its parent plus draw/weight; on each side of the parent the density is one exponential.
        density = self.density(node.link_density)
        (cut,) = density.cuts
        half = HALF if self.whole else Fraction(0)
        split = (None, cut - half), (cut + half, None)
        result: Pieces | None = None
        for terms, (first, last) in zip(density.terms, split, strict=True):
            for (rate, _), coefficient in terms.items():
                start = low if first is None else (first if low is None else max(low, first))
                end = high if last is None else (last if high is None else min(high, last))
                if start is not None and end is not None and start > end:
                    continue
                part = self.between(self.tilted(function, rate), start, end)
                part = self.scaled(self.tilted(part, -rate), coefficient)
                result = part if result is None else self.plus(result, part)
        return result if result is not None else Pieces((), ({},))

    # ---- limits

    def ends(self, bounds: Bounds) -> tuple[Fraction | None, Fraction | None]:
        low = max((self.limit(m, 1) for m in bounds.low), default=None)
        high = min((self.limit(m, -1) for m in bounds.high), default=None)
        return low, high

    def limit(self, limit: AffineBound, way: int) -> Fraction:
        """The value of a limit; with whole noise the first whole number that it admits."""
        value = Fraction(limit.form.at(self.values))
        if not self.whole:
            return value
        inner = Fraction(math.ceil(value) if way > 0 else math.floor(value))
        return inner + way if limit.strict and inner == value else inner

    # ---- building blocks

    def exp(self, exponent: Fraction) -> Any:
        if exponent not in self.exponentials:
            self.exponentials[exponent] = ball(self.flint, exponent).exp()
        return self.exponentials[exponent]

    def inside(self, low: Fraction | None, high: Fraction | None) -> Pieces:
        """1 between the bounds, both included, and 0 outside."""
        half = HALF if self.whole else Fraction(0)
        one: Terms = {(Fraction(0), 0): self.flint.arb(1)}
        if low is not None and high is not None and (low > high or (low == high and not self.whole)):
            return Pieces((), ({},))
        cuts: list[Fraction] = []
        terms: list[Terms] = []
        if low is not None:
            cuts.append(low - half)
            terms.append({})
        terms.append(one)
        if high is not None:
            cuts.append(high + half)
            terms.append({})
        return Pieces(tuple(cuts), tuple(terms))

    def density(self, density: Density) -> Pieces:
        """The density of draw/weight, or its mass on the whole numbers; always with one cut."""
        site = density.draw.site
        family = FAMILIES[self.noises[site]]
        scale = self.scales[site] / abs(density.weight)
        rate = 1 / scale
        if self.whole:
            shrink = self.exp(-rate)
            norm = (1 - shrink) / (1 + shrink) if family.two_sided else 1 - shrink
            # The mass at 0 belongs to the right side, or to the only side there is.
            cut = HALF if not family.two_sided and density.weight < 0 else -HALF
        else:
            norm = ball(self.flint, rate / 2 if family.two_sided else rate)
            cut = Fraction(0)
        rising: Terms = {(rate, 0): norm}
        falling: Terms = {(-rate, 0): norm}
        if family.two_sided:
            return Pieces((cut,), (rising, falling))
        return Pieces((cut,), ({}, falling) if density.weight > 0 else (rising, {}))

    def times(self, first: Pieces, second: Pieces) -> Pieces:
        return self.merge(first, second, _multiply)

    def plus(self, first: Pieces, second: Pieces) -> Pieces:
        return self.merge(first, second, _add)

    def merge(self, first: Pieces, second: Pieces, join: Callable[[Terms, Terms], Terms]) -> Pieces:
        cuts = tuple(sorted({*first.cuts, *second.cuts}))
        terms: list[Terms] = []
        i = j = 0
        for place in range(len(cuts) + 1):
            terms.append(join(first.terms[i], second.terms[j]))
            if place < len(cuts):
                i += i < len(first.cuts) and first.cuts[i] == cuts[place]
                j += j < len(second.cuts) and second.cuts[j] == cuts[place]
        return Pieces(cuts, tuple(terms))

    def tilted(self, function: Pieces, rate: Fraction) -> Pieces:
        """The function times exp(rate·x)."""
        return Pieces(
            function.cuts, tuple({(r + rate, k): c for (r, k), c in terms.items()} for terms in function.terms)
        )

    def scaled(self, function: Pieces, factor: Any) -> Pieces:
        return Pieces(function.cuts, tuple({key: c * factor for key, c in terms.items()} for terms in function.terms))

    def shifted(self, function: Pieces, shift: Fraction) -> Pieces:
        """x ↦ function(x + shift)."""
        if not shift:
            return function
        return Pieces(
            tuple(cut - shift for cut in function.cuts),
            tuple(self.shift_terms(terms, shift) for terms in function.terms),
        )

    def shift_terms(self, terms: Terms, shift: Fraction) -> Terms:
        result: Terms = {}
        for (rate, power), coefficient in terms.items():
            base = coefficient * self.exp(rate * shift)
            for k in range(power + 1):
                part = base * ball(self.flint, math.comb(power, k) * shift ** (power - k))
                _accumulate(result, (rate, k), part)
        return result

    # ---- integrals

    def between(self, function: Pieces, low: Fraction | None, high: Fraction | None) -> Pieces:
        """y ↦ the integral of the function from y + low to y + high, or the sum over whole numbers."""
        if low is None and high is None:
            return Pieces((), ({(Fraction(0), 0): self.total(function)},))
        if high is None:
            assert low is not None
            return self.shifted(self.from_right(function), low)
        if low is None:
            return self.shifted(self.from_left(function), high)
        return self.window(function, low, high)

    def window(self, function: Pieces, low: Fraction, high: Fraction) -> Pieces:
        """y ↦ the integral from y + low to y + high, from the antiderivatives of the pieces in which the two ends lie.

        Where both ends lie in one piece no constants appear, so that far out nothing has to cancel.
        """
        step = Fraction(1) if self.whole else Fraction(0)
        half = HALF if self.whole else Fraction(0)
        integrals = [self.integral(terms) for terms in function.terms]
        # What lies between one cut and the next.
        amounts = [
            self.at(integrals[i], function.cuts[i] - half) - self.at(integrals[i], function.cuts[i - 1] - half)
            for i in range(1, len(function.cuts))
        ]
        entering, leaving = [cut - high for cut in function.cuts], [cut - low for cut in function.cuts]
        cuts = tuple(sorted({*entering, *leaving}))
        terms: list[Terms] = []
        last = first = 0  # the pieces of y + high and of y + low
        for place in range(len(cuts) + 1):
            piece = self.shift_terms(integrals[last], high)
            start = {key: -c for key, c in self.shift_terms(integrals[first], low - step).items()}
            piece = _add(piece, start)
            if first < last:
                between = sum(amounts[first : last - 1], self.flint.arb(0))
                between += self.at(integrals[first], function.cuts[first] - half)
                between -= self.at(integrals[last], function.cuts[last - 1] - half)
                _accumulate(piece, (Fraction(0), 0), between)
            terms.append(piece)
            if place < len(cuts):
                last += last < len(entering) and entering[last] == cuts[place]
                first += first < len(leaving) and leaving[first] == cuts[place]
        return Pieces(cuts, tuple(terms))

    def from_left(self, function: Pieces) -> Pieces:
        """x ↦ the integral of the function up to x."""
        assert all(rate > 0 for rate, _ in function.terms[0]), "nothing is left at minus infinity"
        before: Any = self.flint.arb(0)
        result: list[Terms] = []
        half = HALF if self.whole else Fraction(0)
        for place, terms in enumerate(function.terms):
            integral = self.integral(terms)
            if place > 0:
                start = self.at(integral, function.cuts[place - 1] - half)
                _accumulate(integral, (Fraction(0), 0), before - start)
            result.append(integral)
            if place < len(function.cuts):
                before = self.at(integral, function.cuts[place] - half)
        return Pieces(function.cuts, tuple(result))

    def from_right(self, function: Pieces) -> Pieces:
        """x ↦ the integral of the function from x on."""
        turned = self.turned(function)
        return self.turned(self.from_left(turned))

    def turned(self, function: Pieces) -> Pieces:
        """x ↦ function(−x)."""
        return Pieces(
            tuple(-cut for cut in reversed(function.cuts)),
            tuple(
                {(-rate, power): -c if power % 2 else c for (rate, power), c in terms.items()}
                for terms in reversed(function.terms)
            ),
        )

    def total(self, function: Pieces) -> Any:
        """The integral over everything, from both ends towards the first cut, where nothing large cancels."""
        if not function.cuts:
            assert not function.terms[0], "a density has an end"
            return self.flint.arb(0)
        left = self.from_left(Pieces(function.cuts[:1], (function.terms[0], {})))
        right = self.from_right(Pieces(function.cuts, ({}, *function.terms[1:])))
        cut = function.cuts[0]
        return self.at(left.terms[0], cut - HALF if self.whole else cut) + self.at(
            right.terms[1], cut + HALF if self.whole else cut
        )

    def integral(self, terms: Terms) -> Terms:
        """An antiderivative; on the whole numbers F with F(x) − F(x − 1) = the terms at x."""
        result: Terms = {}
        for (rate, power), coefficient in terms.items():
            for k, part in enumerate(self.antiderivative(rate, power)):
                _accumulate(result, (rate, k), coefficient * part)
        return result

    def antiderivative(self, rate: Fraction, power: int) -> list[Any]:
        """Coefficients of the polynomial before exp(rate·x) in an antiderivative of x^power·exp(rate·x)."""
        arb = self.flint.arb
        if self.whole:
            return self.sum_polynomial(rate, power)
        if not rate:
            return [arb(0)] * (power + 1) + [1 / arb(power + 1)]
        inverse = ball(self.flint, 1 / rate)
        result = [arb(0)] * (power + 1)
        factor = inverse
        for j in range(power + 1):
            result[power - j] = factor
            factor = factor * -(power - j) * inverse
        return result

    def sum_polynomial(self, rate: Fraction, power: int) -> list[Any]:
        """Q with Q(x) − exp(−rate)·Q(x − 1) = x^power; one degree higher if the rate is 0."""
        arb = self.flint.arb
        if not rate:
            return [ball(self.flint, c) for c in _power_sum(power)]
        shrink = self.exp(-rate)
        result = [arb(0)] * (power + 1)
        for k in range(power, -1, -1):
            # x^k: Q_k − shrink·Σ_{j ≥ k} Q_j·binom(j, k)·(−1)^(j − k) = [k = power]
            rest = arb(1 if k == power else 0)
            for j in range(k + 1, power + 1):
                rest += shrink * result[j] * (math.comb(j, k) * (-1) ** (j - k))
            result[k] = rest / (1 - shrink)
        return result

    def at(self, terms: Terms, x: Fraction) -> Any:
        value = self.flint.arb(0)
        for (rate, power), coefficient in terms.items():
            value += coefficient * ball(self.flint, x**power) * self.exp(rate * x)
        return value


def _power_sum(power: int) -> list[Fraction]:
    """Faulhaber's polynomial: S with S(x) − S(x − 1) = x^power and S(0) = 0, lowest coefficient first."""
    size = power + 2
    result = [Fraction(0)] * size
    for degree in range(size - 1, 0, -1):
        target = Fraction(1 if degree - 1 == power else 0)
        # x^(degree − 1) in S(x) − S(x − 1): Σ_{j ≥ degree} −S_j·binom(j, degree − 1)·(−1)^(j − degree + 1)
        for j in range(degree + 1, size):
            target += result[j] * math.comb(j, degree - 1) * (-1) ** (j - degree + 1)
        result[degree] = target / degree
    return result


def _accumulate(terms: Terms, key: tuple[Fraction, int], part: Any) -> None:
    terms[key] = terms[key] + part if key in terms else part


def _add(first: Terms, second: Terms) -> Terms:
    result = dict(first)
    for key, coefficient in second.items():
        _accumulate(result, key, coefficient)
    return result


def _multiply(first: Terms, second: Terms) -> Terms:
    result: Terms = {}
    for (rate, power), a in first.items():
        for (other, more), b in second.items():
            _accumulate(result, (rate + other, power + more), a * b)
    return result
