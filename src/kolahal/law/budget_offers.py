"""Scales for a sketch with a budget other than ε, by laws with quadratic prices, and by pure laws and a conversion."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from kolahal.lang.canonical import TWO, twin
from kolahal.lang.ir import Hole
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import Scale, gdp_name
from kolahal.lang.sketch import Completion, Sketch, Variant
from kolahal.law.hole_choices import Holes, cover, find_choices, in_sites_of, restrict, splits
from kolahal.law.shares import SharePlan, build_plan
from kolahal.law.squares import find_square_laws
from kolahal.nouns import dataclass
from kolahal.results import Rule
from kolahal.settings import ProofSettings
from kolahal.verdicts import Unknown

MOST_HOLES = 4  # up to which every choice of holes is looked at


@dataclass(frozen=True, slots=True)
class Offer:
    """A completion, and the law by which it keeps to the budget."""

    completion: Completion
    law: str
    sizes: tuple[int, ...]


def find_offers(sketch: Sketch, settings: ProofSettings) -> tuple[Offer, ...] | Unknown:
    """Completions that some law prices within the budget, each once: even shares of it, and two parts for one of the places."""
    plans = find_budget_plans(sketch, settings)
    if isinstance(plans, Unknown):
        return plans
    found: dict[Completion, Offer] = {}
    for plan, rule in plans:
        for split in splits(rule):
            completion = plan.completion([split[hole] for hole in plan.holes], len(sketch.holes))
            found.setdefault(completion, Offer(completion, plan.law, plan.sizes))
    return tuple(found.values())


def find_budget_plans(sketch: Sketch, settings: ProofSettings) -> tuple[tuple[SharePlan, Rule], ...] | Unknown:
    """Ways to share the budget, each with the rule that it keeps to."""
    if any(not isinstance(draw.scale, Hole) for draw in sketch.draws):
        return Unknown("some scales are given and others are holes: leave all of them open, or give all of them")
    found: list[tuple[SharePlan, Rule]] = []
    reasons: dict[str, None] = {}
    for plan in itertools.chain(_by_squares(sketch, settings), _by_pure_laws(sketch, settings)):
        if isinstance(plan, str):
            reasons[plan] = None
        else:
            found.append(plan)
    return tuple(found) or Unknown("; ".join(reasons) or "no choice of holes has a law")


def _by_squares(sketch: Sketch, settings: ProofSettings) -> Iterator[tuple[SharePlan, Rule] | str]:
    """By the quadratic law of each choice of holes."""
    enough: list[set[int]] = []
    smaller: list[set[int]] = []  # choices that have a law already
    for holes in _choices(sketch):
        if any(known <= set(holes) for known in enough):
            continue
        part = twin(restrict(sketch, holes))
        laws = find_square_laws(part, settings)
        if isinstance(laws, Unknown):
            yield laws.reason
            continue
        whole = in_sites_of(sketch, holes, laws)
        for rule in whole.rules:
            if rule.sites != set(holes) or (not _can_be_square(sketch, rule)):
                yield "noise is shifted that has no quadratic price"
                continue
            if rule.grows(sketch.length_name) and any(known < set(holes) for known in smaller):
                continue  # more places, and still it grows
            smaller.append(set(holes))
            if not rule.grows(sketch.length_name):
                enough.append(set(holes))
            scales = {site: _square_scale(sketch, rule, site) for site in rule.sites}
            plan = build_plan(sketch, rule, scales, rule.sites, print_squares(sketch, rule), laws.sizes)
            if plan is not None:
                yield plan, rule


def _choices(sketch: Sketch) -> Iterator[Holes]:
    every = range(len(sketch.holes))
    for many in range(1, len(every) + 1) if len(every) <= MOST_HOLES else (len(every),):
        # A place that is chosen needs a scale.
        yield from (holes for holes in itertools.combinations(every, many) if set(sketch.selecting) <= set(holes))


def _can_be_square(sketch: Sketch, rule: Rule) -> bool:
    noises = [sketch.draws[site].noise for site in rule.sites]
    if sketch.variant is Variant.ZCDP:
        return not any(noise.one_sided and not noise.selects for noise in noises)
    return all(noise.bell and not noise.whole for noise in noises)


def _weights(rule: Rule, site: int) -> list[Polynomial]:
    return [p for i in rule.inequalities for s, p in i.coefficients if s == site]


def _square_scale(sketch: Sketch, rule: Rule, site: int) -> Scale:
    """σ with w/(2σ²) = ρ, or w/σ² = μ²; of a chosen place half of it."""
    need = cover(_weights(rule, site))
    if sketch.draws[site].noise.selects:
        need = need / Scale(Fraction(4))
    budget = quadratic_budget(sketch)
    return (need / budget).rooted() if sketch.variant is not Variant.ZCDP else (need / (TWO * budget)).rooted()


def quadratic_budget(sketch: Sketch) -> Scale:
    """What squares add up to: ρ, μ² or gdp(ε, δ)²."""
    if sketch.variant is Variant.ZCDP:
        return Scale(Fraction(1), ((sketch.budget.name, 1),))
    name = sketch.budget.name if sketch.delta is None else gdp_name(sketch.budget.name, sketch.delta.name)
    return Scale(Fraction(1), ((name, 2),))


def print_squares(sketch: Sketch, rule: Rule) -> str:
    """`1/(2*eta1**2) + len(q)/(2*eta2**2) <= rho`."""
    half = Fraction(1, 2) if sketch.variant is Variant.ZCDP else Fraction(1)
    shown = []
    for inequality in rule.inequalities:
        parts = [
            p.times(half / 4 if sketch.draws[site].noise.selects else half).over(
                Scale(Fraction(1), ((sketch.holes[site].label, 2),))
            )
            for site, p in inequality.coefficients
        ]
        shown.append(f"{' + '.join(parts)} <= {quadratic_budget(sketch)}")
    return " and ".join(shown)


def _by_pure_laws(sketch: Sketch, settings: ProofSettings) -> Iterator[tuple[SharePlan, Rule] | str]:
    """By the pure law of the same program: with a pure budget and a conversion, or with Gaussian noise that moves once
    beside noise that looks ahead (Theorem D)."""
    bells = frozenset(draw.site for draw in sketch.draws if draw.noise.bell)
    if sketch.variant is Variant.GDP or (bells and (sketch.variant is not Variant.ZCDP or len(bells) == len(sketch.draws))):
        return
    pure = twin(sketch)
    choices = find_choices(pure, settings)
    if isinstance(choices, Unknown):
        yield choices.reason
        return
    limit = sketch.budget.name if bells or sketch.delta is not None else f"sqrt(2*{sketch.budget.name})"
    for choice in choices:
        for rule in choice.laws.rules:
            if rule.sites != set(choice.holes):
                continue
            scales = {site: _pure_scale(sketch, rule, site, bells) for site in rule.sites}
            texts = [_print_pure(sketch, rule, site, bells) for site in sorted(rule.sites)]
            plan = build_plan(sketch, rule, scales, bells, f"{' + '.join(texts)} <= {limit}", choice.laws.sizes)
            if plan is not None:
                yield plan, rule


def _pure_scale(sketch: Sketch, rule: Rule, site: int, bells: frozenset[int]) -> Scale:
    need, budget = cover(_weights(rule, site)), Scale(Fraction(1), ((sketch.budget.name, 1),))
    if site in bells:
        return (need.squared / (TWO * budget)).rooted()
    if bells or sketch.delta is not None:
        return need / budget
    return need / (TWO * budget).rooted()


def _print_pure(sketch: Sketch, rule: Rule, site: int, bells: frozenset[int]) -> str:
    label = sketch.holes[site].label
    if site in bells:
        square = cover(_weights(rule, site)).squared / (TWO * Scale(Fraction(1), ((label, 2),)))
        return str(square)
    (weight, *_) = _weights(rule, site)
    return weight.over(label)

