"""From exact costs at several sizes to formulas that fit them all."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.inputs.arguments import WHOLE, Setting, with_flags
from kolahal.lang.ir import Const, Range, walk
from kolahal.lang.places import answers_needed, fixed_places, reads_fixed_places_alone
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.law.cost import build_case, find_actives, find_plan
from kolahal.law.linear_program import Front, Weights, is_below
from kolahal.nouns import dataclass
from kolahal.proof.trusted.passages import Active, SizedProgram, is_private_fact
from kolahal.results import LawInequality, Rule
from kolahal.settings import ProofSettings
from kolahal.verdicts import Unknown

MOST_PATHS = 100  # beyond, a larger size costs more time than it tells
Bound: TypeAlias = tuple[Weights, ...]  # Σ weight/scale ≤ budget for each of these, in a fixed order
FitPoint: TypeAlias = tuple[Setting, int]  # whole arguments and number of answers


@dataclass(frozen=True, slots=True)
class SizedFronts:
    """The fronts of one plan at several places."""

    active: Active
    fronts: Mapping[FitPoint, tuple[Front, ...]]
    needed: Active = frozenset()

    def bounds(self, place: FitPoint) -> list[Bound]:
        """Every system of inequalities that is sufficient at a place: one weight of each front, the weaker left out."""
        found: dict[Bound, None] = {}
        for chosen in itertools.islice(itertools.product(*self.fronts[place]), 256):
            kept = [w for w in dict.fromkeys(chosen) if not any(v != w and is_below(w, v) for v in chosen)]
            found[tuple(sorted(kept))] = None
        return [b for b in found if not any(o != b and _is_sharper(o, b) for o in found)]

    def is_sufficient(self, place: FitPoint, bound: Bound) -> bool:
        """Whether the cost at a place is never above the largest of the bound's sums."""
        return all(any(is_below(w, v) for w in front for v in bound) for front in self.fronts[place])


def _is_sharper(bound: Bound, other: Bound) -> bool:
    return all(any(is_below(w, v) for v in other) for w in bound)


def collect_samples(
    sketch: Sketch, settings: ProofSettings, several: Sequence[Setting]
) -> list[SizedFronts] | Unknown:
    """The fronts of every plan at some whole arguments and growing sizes; plans without a finite cost are left out."""
    collected: dict[Active, dict[FitPoint, tuple[Front, ...]]] = {}
    hopeless: dict[Active, str] = {}
    needed: set[int] = set()
    sizes = _sizes(sketch, settings)
    for setting in several:
        for size in sizes:
            cases = _cases(sketch, setting, size, settings)
            if isinstance(cases, Unknown):
                if size == sizes[0]:
                    return cases
                break
            every = cases[0].sites
            needed.update(*(case.paths.almost for case in cases))
            for active in find_actives(cases[0]):
                # Facts about the database need the solver; small sizes say enough about plans with those.
                if active in hopeless or (size > max(settings.sizes) and (active != every or _has_facts(cases, every))):
                    continue
                plans = [find_plan(case, active, settings) for case in cases]
                reason = next((plan.reason for plan in plans if plan.reason), "")
                if not reason:
                    fronts = tuple(dict.fromkeys(front for plan in plans for front in plan.fronts))
                    collected.setdefault(active, {})[setting, size] = fronts
                elif not any(plan.too_large for plan in plans) or active not in collected:
                    hopeless[active] = reason
                    collected.pop(active, None)
            if _is_enough(SizedFronts(every, collected.get(every, {})), (setting, size), cases, settings):
                break
    if not collected:
        return Unknown(next(iter(hopeless.values()), "the sketch has no noise"))
    return [SizedFronts(active, fronts, frozenset(needed)) for active, fronts in collected.items()]


def _sizes(sketch: Sketch, settings: ProofSettings) -> Sequence[int]:
    """The numbers of answers at which costs are computed; a declared one alone where the program names its places."""
    least = answers_needed(sketch) if reads_fixed_places_alone(sketch) else 1  # with fewer it stops, which tells nothing
    usual = range(least, least + 2 * max(settings.sizes))
    if isinstance(sketch.adjacency, RecordRelation) and sketch.private.count is not None:
        # The first aggregates tell of all where they are bins of one kind.
        several = [size for size in usual if size <= sketch.private.count]
        named = fixed_places(sketch) or any(isinstance(n, Range) and isinstance(n.stop, Const) for n in walk(sketch.body))
        grown = sketch.private.count >= 3 and sketch.adjacency.alike and not named  # growth shows in three sizes
        return several if grown else sketch.sizes(usual)
    return sketch.sizes(usual) if fixed_places(sketch) else usual


def _has_facts(cases: Sequence[SizedProgram], active: Active) -> bool:
    facets = {facet for case in cases for event in case.events for facet in event.facets}
    return any(is_private_fact(facet, active) for facet in facets)


def _is_enough(sample: SizedFronts, place: FitPoint, cases: Sequence[SizedProgram], settings: ProofSettings) -> bool:
    """Whether a larger size would take too long, or is not expected to say anything new."""
    setting, size = place
    paths = sum(len(case.paths.paths) for case in cases)
    too_large = paths > MOST_PATHS or place not in sample.fronts
    few = size < max(settings.sizes)
    if cases[0].paths.sketch.private.bits:  # their paths grow as powers of 4 and more
        few = size < 2 or (size == 2 and paths < MOST_PATHS // 2)
    return not few and (too_large or bool(stable_bounds(sample, setting)))


def _cases(sketch: Sketch, setting: Setting, size: int, settings: ProofSettings) -> list[SizedProgram] | Unknown:
    """The events at one size and setting, for all values of the boolean arguments."""
    found: list[SizedProgram] = []
    for arguments in with_flags(sketch, setting):
        case = build_case(sketch, size, arguments, settings)
        if isinstance(case, Unknown):
            return case
        found.append(case)
    return found


def stable_bounds(sample: SizedFronts, setting: Setting) -> list[Bound]:
    """The bounds that are the same at the two largest sizes."""
    sizes = sorted(size for where, size in sample.fronts if where == setting)
    if len(sizes) < 2:
        return []
    before = sample.bounds((setting, sizes[-2]))
    return [bound for bound in sample.bounds((setting, sizes[-1])) if bound in before]


def _only_bounds(sample: SizedFronts, setting: Setting) -> list[Bound]:
    (size, *others) = [size for where, size in sample.fronts if where == setting]
    return [] if others else sample.bounds((setting, size))


def fit_rules(sketch: Sketch, sample: SizedFronts) -> Iterator[Rule]:
    """The rules that are sufficient at every place of a sample, and no more than that at the typical ones."""
    settings = list(dict.fromkeys(setting for setting, _ in sample.fronts))
    stable = {setting: stable_bounds(sample, setting) for setting in settings}
    if sketch.private.count is not None:  # where one size is all there is, every bound is stable
        stable = {setting: bounds or _only_bounds(sample, setting) for setting, bounds in stable.items()}
    steady = [setting for setting in settings if stable[setting]]
    if steady:
        anywhere = 0  # what does not grow is the same at every size
        exact = {(s, anywhere): stable[s] for s in _typical(steady)}
        yield from _fit(sketch, sample, exact, grows=False)
    # Growth is believed when it explains three sizes in a row.
    most = min(max(n for where, n in sample.fronts if where == s) for s in settings)
    places = [(s, n) for s in _typical(settings) for n in (most, most - 1, most - 2)]
    if most >= 3 and all(place in sample.fronts for place in places):
        yield from _fit(sketch, sample, {place: sample.bounds(place) for place in places}, grows=True)
    # A square needs one more, because it passes through any three.
    places = [(s, n) for s in _typical(settings) for n in range(most, most - 4, -1)]
    if all(place in sample.fronts for place in places):
        exact = {place: sample.bounds(place) for place in places}
        yield from _fit_square(sketch, sample, exact, sketch.length_name, places[:3])


def fit_shrinking(sketch: Sketch, sample: SizedFronts) -> Iterator[Rule]:
    """The rules whose weights shrink with the number of answers or with whole arguments, as those of a mean do.

    Times what they shrink with, these weights are like others.
    """
    names = [*(p.name for p in sketch.arguments if p.type is Type.INT), sketch.length_name]
    for chosen in (c for many in range(1, len(names) + 1) for c in itertools.combinations(names, many)):
        raised = {}
        for place, fronts in sample.fronts.items():
            values = _values(place, sketch.length_name)
            factor = math.prod((values[name] for name in chosen), start=Fraction(1))
            raised[place] = tuple(tuple(tuple((site, w * factor) for site, w in row) for row in front) for front in fronts)
        rules = list(fit_rules(sketch, replace(sample, fronts=raised)))
        divisor = Scale(Fraction(1), tuple(sorted((name, 1) for name in chosen)))
        for rule in rules:
            rows = (tuple((site, p.divided(divisor)) for site, p in i.coefficients) for i in rule.inequalities)
            yield Rule(tuple(map(LawInequality, rows)))
        if rules:
            return


def ladder_settings(sketch: Sketch) -> list[Setting]:
    """So many values of the only whole argument that a square of it can be told; none where there are more."""
    names = [p.name for p in sketch.arguments if p.type is Type.INT]
    return [((names[0], value),) for value in range(1, 5)] if len(names) == 1 else []


def fit_ladder(sketch: Sketch, sample: SizedFronts) -> Iterator[Rule]:
    """The rules of degree two in the only whole argument, at whatever size: k*(k + 1)/2."""
    settings = ladder_settings(sketch)
    exact = {(s, 0): stable_bounds(sample, s) or _only_bounds(sample, s) for s in settings}
    if all(exact.values()):
        yield from _fit_square(sketch, sample, exact, settings[0][0][0], list(exact)[:0:-1])


def _typical(settings: Sequence[Setting]) -> list[Setting]:
    """The settings without the smallest arguments, if enough are left: a block of one item is no block."""
    larger = [s for s in settings if all(value > WHOLE[0] for _, value in s)]
    names = [name for name, _ in settings[0]]
    spread = all(len({dict(s)[name] for s in larger}) > 1 for name in names)
    return larger if larger and spread else list(settings)


def _fit(sketch: Sketch, sample: SizedFronts, exact: Mapping[FitPoint, list[Bound]], grows: bool) -> Iterator[Rule]:
    """Rules whose value at each place of `exact` is one of its bounds, and sufficient everywhere else."""
    names = [p.name for p in sketch.arguments if p.type is Type.INT] + ([sketch.length_name] if grows else [])
    sites = sorted(sample.active)
    top = max(exact, key=lambda place: (sum(v for _, v in place[0]), place[1]))
    anchors = [top, *(near for name in names if (near := _step_down(top, name, sketch.length_name)) in exact)]
    for chosen in itertools.islice(itertools.product(*(exact[place] for place in anchors)), 512):
        if len({len(bound) for bound in chosen}) != 1:
            continue
        inequalities = [
            _interpolate(sketch, sites, anchors, [bound[i] for bound in chosen]) for i in range(len(chosen[0]))
        ]
        for rule in (Rule(tuple(inequalities)), *_products(sketch, names, top, chosen[0])):
            if _fits(sketch, sample, exact, rule):
                yield rule
                break


def _fit_square(
    sketch: Sketch, sample: SizedFronts, exact: Mapping[FitPoint, list[Bound]], name: str, ladder: Sequence[FitPoint]
) -> Iterator[Rule]:
    """Rules of degree two in the number of answers, or in an argument, whatever the others; `ladder` has three places, down from the top."""
    sites, top = sorted(sample.active), _values(ladder[0], sketch.length_name)[name]
    step = Polynomial.name(name) + Polynomial.constant(-top)  # Newton's form, from the top down
    square = step * (step + Polynomial.constant(Fraction(1)))
    for bounds in itertools.islice(itertools.product(*(exact[place] for place in ladder)), 512):
        if len({len(bound) for bound in bounds}) != 1:
            continue
        inequalities = []
        for rows in zip(*bounds, strict=True):
            coefficients = []
            for site in sites:
                a, b, c = (dict(row).get(site, Fraction(0)) for row in rows)
                polynomial = Polynomial.constant(a) + step.times(a - b) + square.times((a - 2 * b + c) / 2)
                if polynomial:
                    coefficients.append((site, polynomial))
            inequalities.append(LawInequality(tuple(coefficients)))
        rule = Rule(tuple(inequalities))
        if _fits(sketch, sample, exact, rule):
            yield rule


def _step_down(place: FitPoint, name: str, length: str) -> FitPoint:
    setting, size = place
    if name == length:
        return setting, size - 1
    return tuple((n, value - 1 if n == name else value) for n, value in setting), size


def _values(place: FitPoint, length: str) -> dict[str, Fraction]:
    setting, size = place
    return {name: Fraction(value) for name, value in setting} | {length: Fraction(size)}


def _interpolate(
    sketch: Sketch, sites: Sequence[int], anchors: Sequence[FitPoint], weights: Sequence[Weights]
) -> LawInequality:
    """The affine coefficients that take the given weights at the anchors: one top, and one step down for each name."""
    top = _values(anchors[0], sketch.length_name)
    coefficients = []
    for site in sites:
        value = dict(weights[0]).get(site, Fraction(0))
        polynomial = Polynomial.constant(value)
        for anchor, below in zip(anchors[1:], weights[1:], strict=True):
            name = next(n for n, v in _values(anchor, sketch.length_name).items() if v != top[n])
            slope = value - dict(below).get(site, Fraction(0))
            polynomial += (Polynomial.name(name) + Polynomial.constant(-top[name])).times(slope)
        if polynomial:
            coefficients.append((site, polynomial))
    return LawInequality(tuple(coefficients))


def _products(sketch: Sketch, names: Sequence[str], top: FitPoint, bound: Bound) -> Iterator[Rule]:
    """Rules whose coefficients are products of names, such as N*len(q)."""
    values = _values(top, sketch.length_name)
    factors = [c for many in range(len(names) + 1) for c in itertools.combinations(names, many)]

    def monomial(weight: Fraction, chosen: Iterable[str]) -> Polynomial:
        product = Polynomial.constant(weight)
        for name in chosen:
            product = product * Polynomial.name(name).times(1 / values[name])
        return product

    terms = [(i, site, weight) for i, weights in enumerate(bound) for site, weight in weights]
    for chosen in itertools.islice(itertools.product(factors, repeat=len(terms)), 256):
        rows: list[list[tuple[int, Polynomial]]] = [[] for _ in bound]
        for (i, site, weight), names_of_term in zip(terms, chosen, strict=True):
            rows[i].append((site, monomial(weight, names_of_term)))
        yield Rule(tuple(LawInequality(tuple(row)) for row in rows))


def _fits(sketch: Sketch, sample: SizedFronts, exact: Mapping[FitPoint, list[Bound]], rule: Rule) -> bool:
    def value(place: FitPoint) -> Bound:
        names = _values(place, sketch.length_name)
        found = [[(site, p.at(names)) for site, p in i.coefficients] for i in rule.inequalities]
        return tuple(sorted(tuple((site, weight) for site, weight in row if weight) for row in found))

    return all(value(place) in bounds for place, bounds in exact.items()) and all(
        sample.is_sufficient(place, value(place)) for place in sample.fronts
    )
