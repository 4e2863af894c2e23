"""Which holes to switch on: the smallest sets of holes with which a sketch has a law, all other holes without noise.

A sketch of a plain program has a hole at every place that private data reaches, and most of them must stay without
noise. Noise at a place that needs none can even hide the best law, so each choice of holes is looked at on its own, as
the program that has no other holes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.inputs.arguments import whole_settings, with_flags
from kolahal.lang.ir import Hole
from kolahal.lang.places import answers_needed, fixed_places, reads_fixed_places_alone
from kolahal.lang.polynomial import Polynomial, is_at_most_one
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import NO_NOISE, Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.law.cost import build_case, find_actives, find_plan
from kolahal.law.law import Laws, find_laws, print_rule, with_counts
from kolahal.law.pricing import tight_completions
from kolahal.nouns import dataclass
from kolahal.results import Law, LawInequality, Rule
from kolahal.settings import ProofSettings
from kolahal.verdicts import Unknown

ALL_CHOICES = 6  # holes up to which every choice is looked at; beyond, only those with every hole that nothing replaces
MOST_CHOICES = 400  # of which the quick test is asked
MOST_PARTS = 60  # of a budget that is shared by the roots of the weights
NEAR = 1.01  # how far the scales of such shares may add up to more than is needed
TYPICAL_SIZE = 2  # answers at which it is: enough for a leak between two of them

ON = Scale(Fraction(1))
Holes: TypeAlias = tuple[int, ...]  # by index, ascending


@dataclass(frozen=True, slots=True)
class HoleChoice:
    """Holes with noise, all others being without, and the laws that then hold, in the sites of the whole sketch."""

    holes: Holes
    laws: Laws

    def spread(self, scales: Iterable[Scale], count: int) -> Completion:
        """A completion of all `count` holes with these scales at the chosen ones."""
        given = dict(zip(self.holes, scales, strict=True))
        return tuple(given.get(hole, NO_NOISE) for hole in range(count))


def find_choices(sketch: Sketch, settings: ProofSettings) -> tuple[HoleChoice, ...] | Unknown:
    """The choices of holes that have a law, the fewest holes first; more holes than a steady law needs are left out."""
    found: list[HoleChoice] = []
    steady: list[frozenset[int]] = []
    reason = ""
    for holes in itertools.islice(_choices(sketch, settings), MOST_CHOICES):
        if any(enough <= frozenset(holes) for enough in steady):
            continue
        part = restrict(sketch, holes)
        if len(sketch.holes) > ALL_CHOICES and not _has_cost(part, settings):
            continue
        laws = find_laws(part, settings)
        if isinstance(laws, Unknown):
            reason = laws.reason  # that of the largest choice is the one that counts
            continue
        whole = in_sites_of(sketch, holes, laws)
        wanted = {draw.site for draw in sketch.draws if isinstance(draw.scale, Hole) and draw.scale.index in holes}
        rules = tuple(rule for rule in whole.rules if wanted <= rule.sites | whole.needed and _is_sensible(rule))
        if rules:
            found.append(HoleChoice(holes, replace(whole, rules=rules)))
        if any(_is_steady(rule, sketch) for rule in rules):
            steady.append(frozenset(holes))
    numbered = tuple(replace(choice, laws=with_counts(sketch, choice.laws)) for choice in found)
    return numbered or Unknown(_why_not(sketch, settings) or reason or "no choice of holes has a law")


def restrict(sketch: Sketch, holes: Iterable[int]) -> Sketch:
    """The program with these holes only."""
    chosen = set(holes)
    return Mechanism(sketch, tuple(ON if i in chosen else NO_NOISE for i in range(len(sketch.holes)))).reduced().sketch


def find_all_laws(
    sketch: Sketch, completions: Sequence[Completion], settings: ProofSettings, executor: Executor | None = None
) -> dict[Holes, Laws | Unknown]:
    """The laws of all holes together, and of those with noise in each completion alone, which are in its own sites."""
    choices = dict.fromkeys([tuple(range(len(sketch.holes))), *map(noisy_holes, completions)])
    parts = [restrict(sketch, holes) for holes in choices]
    found = (executor.map if executor else map)(find_laws, parts, [settings] * len(parts))
    numbered = (laws if isinstance(laws, Unknown) else with_counts(sketch, laws) for laws in found)
    return dict(zip(choices, numbered, strict=True))


def noisy_holes(completion: Completion) -> Holes:
    return tuple(hole for hole, scale in enumerate(completion) if scale)


def law_for(sketch: Sketch, completion: Completion | None, known: Mapping[Holes, Laws | Unknown]) -> Law | None:
    """The law of all holes; where that is too dear for a completion that uses some of them, the law of those alone."""
    laws = known[tuple(range(len(sketch.holes)))]
    if completion is not None and not _allows(sketch, laws, completion):
        holes = noisy_holes(completion)
        own = known[holes]
        own = own if isinstance(own, Unknown) else in_sites_of(sketch, holes, own)
        laws = own if _allows(sketch, own, completion) else laws
    return None if isinstance(laws, Unknown) else laws.law(sketch)


def law_of_choices(sketch: Sketch, choices: Sequence[HoleChoice], completion: Completion | None) -> Law | None:
    """The law of the holes that a completion uses, and those of other choices as alternatives."""
    best = noisy_holes(completion or ())
    ordered = sorted(choices, key=lambda choice: choice.holes != best)
    rules: dict[str, Rule] = {}
    for rule in (rule for choice in ordered for rule in choice.laws.rules):
        rules.setdefault(print_rule(sketch, rule), rule)
    text, *others = rules or [""]
    return Law(text, ordered[0].laws.sizes, tuple(others), tuple(rules.values())) if rules else None


def _allows(sketch: Sketch, laws: Laws | Unknown, completion: Completion) -> bool:
    return not isinstance(laws, Unknown) and bool(tight_completions(sketch, laws, (completion,)))


def _choices(sketch: Sketch, settings: ProofSettings) -> Iterator[Holes]:
    """Choices of holes, small ones first."""
    every = range(len(sketch.holes))
    fixed: set[int] = set()
    if len(every) > ALL_CHOICES:
        fixed = {hole for hole in every if hole in sketch.selecting or not _has_cost(restrict(sketch, set(every) - {hole}), settings)}
    others = [hole for hole in every if hole not in fixed]
    has_noise = any(not isinstance(draw.scale, Hole) for draw in sketch.draws)  # that the user put in
    for more in range(len(others) + 1):
        for chosen in itertools.combinations(others, more):
            if (fixed or chosen or has_noise) and sketch.selecting <= {*fixed, *chosen}:
                yield tuple(sorted({*fixed, *chosen}))


def _has_cost(sketch: Sketch, settings: ProofSettings) -> bool:
    """Whether some shift of the noise hides every move at a small size, or a limit of ours leaves that open."""
    case = build_case(sketch, _size_of(sketch, TYPICAL_SIZE), _typical_arguments(sketch), settings)
    if isinstance(case, Unknown):
        return True
    plans = (find_plan(case, active, settings) for active in find_actives(case))
    return any(not plan.reason or plan.too_large for plan in plans)


def _why_not(sketch: Sketch, settings: ProofSettings) -> str:
    """Why the runs of a sketch cannot be followed at all, or nothing."""
    case = build_case(sketch, _size_of(sketch, max(settings.sizes)), _typical_arguments(sketch), settings)
    return case.reason if isinstance(case, Unknown) else ""


def _size_of(sketch: Sketch, usual: int) -> int:
    """The usual size, or all aggregates of records where there are fewer, or where the program names them."""
    if not isinstance(sketch.adjacency, RecordRelation):
        return max(usual, answers_needed(sketch)) if reads_fixed_places_alone(sketch) else usual
    every = sketch.private.count or usual
    return every if fixed_places(sketch) else min(usual, every)


def _typical_arguments(sketch: Sketch) -> dict[str, Fraction | bool]:
    return with_flags(sketch, whole_settings(sketch)[-1])[0]


def in_sites_of(sketch: Sketch, holes: Holes, laws: Laws) -> Laws:
    """The laws of a restricted sketch, about the sketch itself."""
    kept = [d.site for d in sketch.draws if not isinstance(d.scale, Hole) or d.scale.index in holes]
    rules = tuple(
        Rule(tuple(LawInequality(tuple((kept[site], p) for site, p in i.coefficients)) for i in rule.inequalities))
        for rule in laws.rules
    )
    return Laws(rules, laws.sizes, frozenset(kept[site] for site in laws.needed))


def _is_sensible(rule: Rule) -> bool:
    """Whether no weight is ever below 0, as one that was fitted to few sizes may be."""
    one = Polynomial.constant(Fraction(1))
    weights = [p for i in rule.inequalities for _, p in i.coefficients]
    return all(is_at_most_one(one + weight.times(Fraction(-1))) for weight in weights)


def _is_steady(rule: Rule, sketch: Sketch) -> bool:
    """Whether the noise of a rule grows with nothing but public units."""
    return all(name in sketch.units or power < 0 for name, power in rule.powers())


# ---------------------------------------------------------------- scales that a law itself gives


def shares_of(sketch: Sketch, choice: HoleChoice) -> Iterator[Completion]:
    """Completions that divide ε among the places of a rule: evenly, with two parts for one of the places, and by roots.

    They stand where a grammar of small coefficients has nothing: neighbours far apart, or many places.
    """
    holes = {draw.site: draw.scale.index for draw in sketch.draws if isinstance(draw.scale, Hole)}
    for rule in choice.laws.rules:
        needs = {s: cover(p for i in rule.inequalities for site, p in i.coefficients if site == s) for s in rule.sites}
        # Sums and counts of records go together afterwards, as in a mean, so that the least sum of scales says little.
        rooted = () if sketch.private.table is not None else _root_splits(rule, needs)
        for split in (*splits(rule), *rooted):
            scales = {
                holes[s]: Scale(needs[s].coefficient / split[s], (*needs[s].powers, (sketch.epsilon.name, -1)))
                for s in sorted(rule.sites & holes.keys())
            }
            if set(scales) == set(choice.holes):
                yield choice.spread((scales[hole] for hole in choice.holes), len(sketch.holes))


def is_uneven(choice: HoleChoice, most: Fraction) -> bool:
    """Whether places of one rule cost so many times as much as others that whole coefficients up to `most` share badly."""
    for inequality in (i for rule in choice.laws.rules for i in rule.inequalities):
        needs = [cover([weight]).coefficient for _, weight in inequality.coefficients]
        if max(needs, default=Fraction(0)) > most * min(needs, default=Fraction(1)):
            return True
    return False


def splits(rule: Rule) -> Iterator[dict[int, Fraction]]:
    """What each site may take of the budget."""
    together = {s: max(len(i.coefficients) for i in rule.inequalities if s in dict(i.coefficients)) for s in rule.sites}
    yield {site: Fraction(1, count) for site, count in together.items()}
    if len(rule.inequalities) == 1 and len(together) > 1:
        for favoured in sorted(together):
            yield {s: Fraction(2 if s == favoured else 1, count + 1) for s, count in together.items()}


def _root_splits(rule: Rule, needs: Mapping[int, Scale]) -> Iterator[dict[int, Fraction]]:
    """Shares as the roots of the weights are, in few parts: they make the sum of all scales least, within 1 %."""
    alike = len({need.powers for need in needs.values()}) == 1
    if len(rule.inequalities) > 1 or not alike or len({need.coefficient for need in needs.values()}) < 2:
        return
    roots = {site: math.sqrt(need.coefficient) for site, need in needs.items()}
    total = sum(roots.values())
    for parts in range(len(roots), MOST_PARTS + 1):
        split = {site: max(1, round(parts * root / total)) for site, root in roots.items()}
        least = sum(roots[site] ** 2 * parts / share for site, share in split.items()) <= NEAR * total**2
        if sum(split.values()) == parts and least:
            yield {site: Fraction(share, parts) for site, share in split.items()}
            return


def cover(polynomials: Iterable[Polynomial]) -> Scale:
    """A scale that is nowhere below any of some sums, where every name is at least 1; a product itself, if there is one sum."""
    sums = list(dict.fromkeys(polynomials))
    if len(sums) == 1 and (product := sums[0].as_product()) is not None and len(product.powers) > 1:
        return product
    positive = [[term for term in p.terms if term[1] > 0] for p in sums]
    monomials = [dict(term) for terms in positive for term, _ in terms]
    names = dict.fromkeys(name for powers in monomials for name in powers)
    highest = ((name, max(powers.get(name, 0) for powers in monomials)) for name in names)
    largest = max(sum((c for _, c in terms), Fraction(0)) for terms in positive)
    return Scale(largest, tuple((name, power) for name, power in highest if power))
