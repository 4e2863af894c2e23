"""Lists of noise that are drawn at once, in rehearsals. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from kolahal.logic.compiled import compile_sum
from kolahal.logic.terms import Symbol
from kolahal.proof.find.compiled_paths import ConcreteState, Trace, Use, evaluator
from kolahal.proof.find.scenarios import Scenario
from kolahal.proof.trusted.lists import ANSWER, WHOLE_ANSWER
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.noisy_lists import WinnersMove, find_noisy_lists
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import Alignment
from kolahal.proof.trusted.symbols import ghost_value
from kolahal.proof.trusted.values import Goto, NoisyItem, SegmentPath

Winners = list[set[int | None]]  # by ghost


class RehearsedLists:
    """The lists of a product, on concrete numbers."""

    def __init__(self, product: Product, neighbours: Neighbours):
        self.product, self.neighbours = product, neighbours
        self.items = product.first.noisy_items
        self.rests = {item.site: compile_sum(item.rest) for item in self.items}
        self.unit = compile_sum(neighbours.unit)
        self.winners: Winners = []
        self.known: dict[Alignment, dict[int, WinnersMove]] = {}

    def uses(self) -> list[Use]:
        return [(item.site, ()) for item in self.items]

    def sensitivities(self) -> set[Fraction]:
        return {abs(item.slope) for item in self.items}

    def rules(self, alignment: Alignment) -> dict[int, WinnersMove]:
        """The rules of an alignment; raises Unsupported where it says what cannot be."""
        if alignment not in self.known:
            runs = self.product.first, self.product.second
            found = find_noisy_lists(alignment, *runs, self.neighbours, self.product.sketch)
            self.known = {alignment: dict(found.rules) if found else {}}
        return self.known[alignment]

    def begin(self, actual: list[list[int | None]], ghost: int | None) -> None:
        """The places that win in a rehearsal, or the one that is to win."""
        if self.items:
            self.winners = [{ghost} if ghost is not None else set(values) for values in actual]

    def first(self, item: NoisyItem, at: int, scenario: Scenario) -> Any:
        """What the first run finds at a place."""
        if not 0 <= at < len(scenario.answers):
            return 0
        answer = scenario.answers[at]
        noise = scenario.noise[item.site, at]
        return self.rests[item.site]({**scenario.public, ANSWER: answer, WHOLE_ANSWER: answer}) + _times(noise, item.factor)

    def second(self, item: NoisyItem, at: int, scenario: Scenario, alignment: Alignment, state: ConcreteState) -> Any:
        """What the second run finds there."""
        value = self.first(item, at, scenario)
        if not 0 <= at < len(scenario.answers):
            return value
        value += _times(scenario.moves[at], item.slope)
        rule = self.rules(alignment).get(item.site)
        if rule is not None and at in self.winners[rule.which]:
            value += _times(self.shift(rule, item, at, scenario, state), item.factor)
        return value

    def shift(self, rule: WinnersMove, item: NoisyItem, at: int, scenario: Scenario, state: ConcreteState) -> Any:
        shift = _times(self.unit(state), rule.form.units)
        return shift - _times(scenario.moves[at], item.slope / item.factor) if rule.form.cancel else shift

    def pay(
        self,
        path: SegmentPath,
        alignment: Alignment,
        scenario: Scenario,
        state: ConcreteState,
        price: Mapping[int, tuple[Any, Fraction]],
        spent: Mapping[Any, Symbol],
        trace: Trace | None,
    ) -> bool:
        """Pay for the winner that a turn has found where a path of the first run ends; False if its shift cannot be."""
        for item in self.items:
            rule = self.rules(alignment).get(item.site)
            if rule is None or path.end != Goto(rule.loop) or rule.ghost not in path.names:
                continue
            place, found = state[ghost_value(rule.which)], evaluator(path.names[rule.ghost])(state)
            if found is None or not 0 <= place < len(scenario.answers):
                continue
            if trace is not None:
                trace.payers.add((item.site, ()))
            shift = self.shift(rule, item, place, scenario, state)
            if item.noise.one_sided and shift < 0:
                return False
            powers, coefficient = price[item.site]
            state[spent[powers]] += abs(shift) / coefficient if shift else 0
        return True


def _times(value: Any, factor: Fraction) -> Any:
    return value * (factor.numerator if Fraction(factor).denominator == 1 else factor)
