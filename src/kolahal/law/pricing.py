"""What completions cost by a law, and which of them cannot be lowered."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial

from kolahal.lang.ir import Hole
from kolahal.lang.polynomial import Polynomial, is_at_most_one
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Completion, Sketch, Type
from kolahal.law.law import Laws
from kolahal.results import LawInequality, Priced, Rule


def tight_completions(sketch: Sketch, laws: Laws, completions: Iterable[Completion]) -> tuple[Priced, ...]:
    """The completions whose cost is at most ε by some rule, for all sizes, whole arguments ≥ 1 and all ε > 0."""
    shares = _Shares(sketch)
    needed = [d.scale.index for d in sketch.draws if d.site in laws.needed and isinstance(d.scale, Hole)]
    within: dict[Completion, Rule] = {}
    for completion in completions:
        rule = next((rule for rule in laws.rules if shares.is_within(completion, rule)), None)
        if rule is not None and all(completion[hole] for hole in needed):
            within[completion] = rule
    lower = [_lower_scales({completion[i] for completion in within}, sketch) for i in range(len(sketch.holes))]
    found = []
    for completion, rule in within.items():
        # Less noise never costs less, so lowering one scale by one step finds out whether any can be lowered.
        minimal = not any(
            (*completion[:i], scale, *completion[i + 1 :]) in within
            for i in range(len(completion))
            for scale in lower[i][completion[i]]
        )
        costs = tuple((size, shares.cost(completion, rule, size)) for size in laws.sizes)
        found.append(Priced(completion, rule, costs, minimal))
    return tuple(found)


def price_proved(sketch: Sketch, laws: Laws, completion: Completion) -> Priced:
    """A completion that is proved, whatever its law says: one that is fitted to a few sizes may ask for more at some."""
    shares, rule = _Shares(sketch), laws.rules[0]
    return Priced(completion, rule, tuple((size, shares.cost(completion, rule, size)) for size in laws.sizes), True)


def least_completions(sketch: Sketch, laws: Laws, choices: Sequence[Sequence[Scale]]) -> Iterator[Completion]:
    """Of all vectors with a scale of `choices` at each hole, those within the budget whose last scale cannot be lowered.

    More noise never costs more, so the least coefficient is found by halving. Every vector of which no scale can be
    lowered is among them, and so is every vector that shows of one of them that another scale can.
    """
    shares, below = _Shares(sketch), lru_cache(maxsize=None)(partial(_is_lower, sketch=sketch))
    last = max((hole for hole, scales in enumerate(choices) if len(scales) > 1), default=0)
    kinds: dict[object, list[Scale]] = {}
    for scale in sorted(choices[last], key=lambda scale: scale.coefficient):
        kinds.setdefault(scale.powers, []).append(scale)
    for before in itertools.product(*choices[:last]):
        for after in itertools.product(*choices[last + 1 :]):
            found = []
            for chain in kinds.values():
                least = bisect_left(chain, True, key=lambda scale: shares.is_lawful((*before, scale, *after), laws))
                found += chain[least : least + 1]
            for scale in found:
                if not any(below(other, scale) for other in found):
                    yield (*before, scale, *after)


def cost_of(sketch: Sketch, laws: Laws) -> Fraction | None:
    """The cost of a program without holes in units of ε, by its cheapest rule whose cost is the same for all inputs."""
    shares = _Shares(sketch)
    found = []
    for rule in laws.rules:
        totals = [shares.total((), inequality) for inequality in rule.inequalities]
        if all(total is not None and all(not powers for powers, _ in total.terms) for total in totals):
            found.append(max((total.at({}) for total in totals if total is not None), default=Fraction(0)))
    return min(found, default=None)


def _lower_scales(scales: set[Scale], sketch: Sketch) -> dict[Scale, list[Scale]]:
    """For each scale, the largest of those that are never above it."""
    ordered = sorted(scales, key=str)
    lower = {scale: [s for s in ordered if _is_lower(s, scale, sketch)] for scale in ordered}
    return {scale: [s for s in below if not any(s in lower[t] for t in below)] for scale, below in lower.items()}


def _is_lower(scale: Scale, other: Scale, sketch: Sketch) -> bool:
    return scale.compare(other, sketch.epsilon.name) == -1


class _Shares:
    """What scales take of the budget; completions share most of their scales, so each sum is computed once."""

    def __init__(self, sketch: Sketch):
        self.sketch = sketch
        self.draws = sketch.draws
        self.names = {p.name for p in sketch.arguments if p.type is Type.INT} | {sketch.length_name, *sketch.units}
        self.shares: dict[tuple[Polynomial, Scale], Polynomial | None] = {}
        self.totals: dict[tuple[LawInequality, Completion], Polynomial | None] = {}
        self.costs: dict[tuple[Polynomial, int], Fraction] = {}

    def share(self, coefficient: Polynomial, scale: Scale) -> Polynomial | None:
        """coefficient/scale in units of ε; None if that is not bounded for all ε and all arguments."""
        if (coefficient, scale) not in self.shares:
            self.shares[coefficient, scale] = self._share(coefficient, scale)
        return self.shares[coefficient, scale]

    def _share(self, coefficient: Polynomial, scale: Scale) -> Polynomial | None:
        powers = dict(scale.powers)
        if not scale or powers.pop(self.sketch.epsilon.name, 0) != -1 or not scale.names <= self.names | {self.sketch.epsilon.name}:
            return None
        share = coefficient.divided(Scale(scale.coefficient, tuple(powers.items())))
        # A unit may be below 1 or above it, so that it has to go away.
        return None if any(share.depends_on(unit) for unit in self.sketch.units) else share

    def total(self, completion: Completion, inequality: LawInequality) -> Polynomial | None:
        scales = []
        for site, _ in inequality.coefficients:
            scale = self.draws[site].scale
            scales.append(completion[scale.index] if isinstance(scale, Hole) else scale)
        key = inequality, tuple(scales)
        if key not in self.totals:
            shares = [self.share(c, scale) for (_, c), scale in zip(inequality.coefficients, scales, strict=True)]
            known = [share for share in shares if share is not None]
            none = Polynomial.constant(Fraction(0))
            self.totals[key] = sum(known, none) if len(known) == len(shares) else None
        return self.totals[key]

    def is_lawful(self, completion: Completion, laws: Laws) -> bool:
        return any(self.is_within(completion, rule) for rule in laws.rules)

    def is_within(self, completion: Completion, rule: Rule) -> bool:
        totals = [self.total(completion, inequality) for inequality in rule.inequalities]
        return all(total is not None and is_at_most_one(total) for total in totals)

    def cost(self, completion: Completion, rule: Rule, size: int) -> Fraction:
        totals = [self.total(completion, inequality) for inequality in rule.inequalities]
        return max((self.value(total, size) for total in totals if total is not None), default=Fraction(0))

    def value(self, total: Polynomial, size: int) -> Fraction:
        if (total, size) not in self.costs:
            values = dict.fromkeys(self.names, Fraction(1)) | {self.sketch.length_name: Fraction(size)}
            self.costs[total, size] = total.at(values)
        return self.costs[total, size]
