"""The cost of a sketch as a formula: `1/eta1 + 2*N/eta2 <= eps`, fitted to the exact costs at several sizes.

A law is what the costs at small sizes say about all sizes; it chooses candidates and is shown to the user. Only a
proof makes a completion *Proved*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from kolahal.inputs.arguments import whole_settings
from kolahal.lang.ir import Hole
from kolahal.lang.places import length_varies
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.sketch import Sketch
from kolahal.law.fitting import collect_samples, fit_ladder, fit_rules, fit_shrinking, ladder_settings
from kolahal.law.site_units import find_site_units
from kolahal.nouns import dataclass
from kolahal.proof.trusted.restated.permuted import without_permutation
from kolahal.results import Law, LawInequality, Rule
from kolahal.settings import ProofSettings
from kolahal.verdicts import Unknown


@dataclass(frozen=True, slots=True)
class Laws:
    """The rules of a sketch, best first: noise that does not grow with the input, at few places."""

    rules: tuple[Rule, ...]
    sizes: tuple[int, ...]
    needed: frozenset[int]  # sites of which nothing is known while they are switched off

    def law(self, sketch: Sketch) -> Law:
        """The rules in the words of a sketch, whose sites they are about."""
        first, *others = (print_rule(sketch, rule) for rule in self.rules)
        return Law(first, self.sizes, tuple(others), self.rules)


def find_laws(sketch: Sketch, settings: ProofSettings) -> Laws | Unknown:
    """All rules that fit the exact costs at several sizes and whole arguments."""
    sketch = without_permutation(sketch)  # whose coins have costs only together
    samples = collect_samples(sketch, settings, whole_settings(sketch))
    if isinstance(samples, Unknown):
        return samples
    units = find_site_units(sketch, settings) if sketch.moved_in else {}
    if isinstance(units, Unknown):
        return units
    fitted = [rule for sample in samples for rule in fit_rules(sketch, sample)]
    fitted = fitted or [rule for sample in samples for rule in fit_shrinking(sketch, sample)]
    if not fitted and (ladder := ladder_settings(sketch)):
        samples = collect_samples(sketch, settings, ladder)
        if isinstance(samples, Unknown):
            return samples
        fitted = [rule for sample in samples for rule in fit_ladder(sketch, sample)]
    rules = [_in_units(rule, units) for rule in fitted]
    if sketch.private.count is not None and sketch.length_name not in sketch.quantities():
        rules = [_at_length(rule, sketch.length_name, sketch.private.count) for rule in rules]
    if not rules:
        return Unknown("the costs at small sizes follow no simple formula")
    name = sketch.length_name
    ranked = sorted(dict.fromkeys(rules), key=lambda rule: (rule.grows(name), len(rule.sites), sorted(rule.sites)))
    kept = [r for i, r in enumerate(ranked) if not any(_is_implied(r, better, name) for better in ranked[:i])]
    sizes = sorted({size for sample in samples for _, size in sample.fronts})
    return Laws(tuple(kept), tuple(sizes), frozenset().union(*(sample.needed for sample in samples)))


def _in_units(rule: Rule, units: Mapping[int, str]) -> Rule:
    """A rule whose weights are multiples of the units of the noise that they belong to."""

    def weigh(site: int, weight: Polynomial) -> Polynomial:
        return weight * Polynomial.name(units[site]) if units.get(site) else weight

    return Rule(tuple(LawInequality(tuple((s, weigh(s, w)) for s, w in i.coefficients)) for i in rule.inequalities))


def _at_length(rule: Rule, name: str, count: int) -> Rule:
    """A rule with the number of answers that is declared in place of their length."""
    number = {name: Polynomial.constant(Fraction(count))}
    return Rule(tuple(LawInequality(tuple((s, w.put(number)) for s, w in i.coefficients)) for i in rule.inequalities))


def with_counts(sketch: Sketch, laws: Laws) -> Laws:
    """The laws as they are shown and priced: so many aggregates are a number. What grows with them is told before that."""
    if sketch.private.count is None or length_varies(sketch):
        return laws
    return replace(laws, rules=tuple(_at_length(rule, sketch.length_name, sketch.private.count) for rule in laws.rules))


def _is_implied(rule: Rule, better: Rule, length: str) -> bool:
    """Whether a rule says nothing that a better one does not: it needs the same noise or more, and grows."""
    return better.sites <= rule.sites and rule.grows(length) and not better.grows(length)


# ---------------------------------------------------------------- printing


def print_rule(sketch: Sketch, rule: Rule) -> str:
    """`1/eta1 + 2*N/eta2 <= eps`; several inequalities are joined by `and`."""
    shown = [f"{_print_sum(sketch, inequality)} <= {sketch.epsilon.name}" for inequality in rule.inequalities]
    return " and ".join(shown)


def _print_sum(sketch: Sketch, inequality: LawInequality) -> str:
    draws = sketch.draws
    parts = []
    for site, polynomial in inequality.coefficients:
        scale = draws[site].scale
        parts.append(polynomial.over(scale.label if isinstance(scale, Hole) else scale))
    return " + ".join(parts) or "0"
