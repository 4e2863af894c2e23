"""Lists of noise that are drawn at once, in rehearsals. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

from kolahal.logic.compiled import compile_sum
from kolahal.logic.linear import plain
from kolahal.logic.terms import Symbol
from kolahal.proof.find.compiled_paths import CompiledPath, ConcreteState, Trace, Use, evaluator
from kolahal.proof.find.scenarios import Scenario, contents
from kolahal.proof.trusted.lists import ANSWER, WHOLE_ANSWER
from kolahal.proof.trusted.named_items import FoundInTurns, NamedItems, place_of_first, spares
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.noisy_lists import NoisyLists, WinnersMove, find_noisy_lists
from kolahal.proof.trusted.others import MOVE, NONE, first, winner
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import Alignment, Form
from kolahal.proof.trusted.symbols import ghost_value
from kolahal.proof.trusted.values import Built, Goto, NoisyItem, Returned, SegmentPath

Winners = list[set[int | None]]  # by ghost


class RehearsedLists:
    """The lists of a product, on concrete numbers."""

    def __init__(self, product: Product, neighbours: Neighbours):
        self.product, self.neighbours = product, neighbours
        self.items = product.first.noisy_items
        self.rests = {item.site: compile_sum(item.rest) for item in self.items}
        self.unit = compile_sum(neighbours.unit)
        self.winners: Winners = []
        self.known: dict[Alignment, NoisyLists | None] = {}

    def uses(self) -> list[Use]:
        return [(item.site, ()) for item in self.items]

    def sensitivities(self) -> set[Fraction]:
        return {abs(item.slope) for item in self.items}

    def rules(self, alignment: Alignment) -> Mapping[int, WinnersMove]:
        """The rules of an alignment; raises Unsupported where it says what cannot be."""
        found = self.moves(alignment)
        return found.rules if found else {}

    def named(self, alignment: Alignment) -> NamedItems | None:
        """The list whose winners are known for the whole run."""
        found = self.moves(alignment)
        return found.named if found else None

    def moves(self, alignment: Alignment) -> NoisyLists | None:
        if alignment not in self.known:
            runs = self.product.first, self.product.second
            self.known = {alignment: find_noisy_lists(alignment, *runs, self.neighbours, self.product.sketch)}
        return self.known[alignment]

    def turns(self, alignment: Alignment) -> FoundInTurns | None:
        """The list whose winners are found in turns, and may follow the first of the others."""
        found = self.moves(alignment)
        return found.turns if found else None

    def begin(self, alignment: Alignment, actual: list[list[int | None]], ghost: int | None, first_run: Iterable[tuple[CompiledPath, ConcreteState]]) -> None:
        """The places that win in a rehearsal, or the one that is to win; where the others are followed, only those where a turn ends."""
        if not self.items:
            return
        self.winners = [{ghost} if ghost is not None else set(values) for values in actual]
        if (turns := self.turns(alignment)) and (found := self.moves(alignment)) and ghost is None:
            rule, start = found.rules[turns.item.site], None
            self.winners = [set()]
            for path, local in first_run:
                if found.ends_turn(start, path.path, rule) and rule.ghost in path.names:
                    self.winners[0].add(evaluator(path.names[rule.ghost])(local))
                start = path.path.end.loop if isinstance(path.path.end, Goto) else None

    def begin_named(self, named: NamedItems, scenario: Scenario, state: ConcreteState) -> bool:
        """Note the values of the winners and of the first of the others; whether noise ties there."""
        item, places = named.item, range(len(scenario.answers))
        winners = [state[ghost_value(which)] for which in range(len(named.names))]
        ones, moves, tied = self.look_ahead(item, named.least, winners, scenario, state)
        for which, won in enumerate(winners):
            here = won in places
            shift = self.shift(named.form, item, won, scenario, state) if here else 0
            state[winner(which, 1)] = one = ones[won] if here else 0
            state[winner(which, 2)] = one + moves[won] + _times(shift, item.factor) if here else 0
        return tied

    def begin_turns(self, turns: FoundInTurns, scenario: Scenario, state: ConcreteState) -> bool:
        """The same where turns find the winners."""
        return self.look_ahead(turns.item, turns.least, self.winners[turns.which], scenario, state)[2]

    def look_ahead(
        self, item: NoisyItem, least: bool, winners: Collection[int | None], scenario: Scenario, state: ConcreteState
    ) -> tuple[list[Any], list[Any], bool]:
        """Note the first of the others; what the first run finds at all places, how far that moves, and whether noise ties."""
        places = range(len(scenario.answers))
        moves = [_times(scenario.moves[at], item.slope) for at in places]
        ones = [self.first(item, at, scenario) for at in places]
        rest = [at for at in places if at not in winners]
        best = min if least else max
        tied = any(ones[at] == ones[won] for won in places if won in winners for at in places if at != won)
        state |= {NONE: not rest, MOVE: 0, first(1): 0, first(2): 0, place_of_first(1): -1, place_of_first(2): -1}
        if rest:
            for run, values in ((1, ones), (2, [one + move for one, move in zip(ones, moves, strict=True)])):
                state[first(run)] = best(values[at] for at in rest)
                state[place_of_first(run)] = next(at for at in rest if values[at] == state[first(run)])
            if item.slope:  # else no item moves but those of winners
                state[MOVE] = plain(Fraction(state[first(2)] - state[first(1)]) / item.slope)
        return ones, moves, tied

    def note(self, turns: FoundInTurns, loop: int, state: ConcreteState) -> None:
        """Which lists spare the first of the others, at a loop head."""
        for run in (self.product.first, self.product.second):
            for name, value in run.place(loop).names:
                if isinstance(value, Built):
                    kept = state[contents(name, run.which)]
                    state[spares(name, run.which)] = all(item != state[place_of_first(run.which)] for item in kept)

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
        if (named := self.named(alignment)) is not None:
            won = (which for which in range(len(named.names)) if state[ghost_value(which)] == at)
            return next((state[winner(which, 2)] for which in won), value)
        rule = self.rules(alignment).get(item.site)
        if rule is not None and at in self.winners[rule.which]:
            value += _times(self.shift(rule.form, item, at, scenario, state), item.factor)
        return value

    def shift(self, form: Form, item: NoisyItem, at: int, scenario: Scenario, state: ConcreteState) -> Any:
        shift = _times(self.unit(state), form.units)
        shift = shift - _times(scenario.moves[at], item.slope / item.factor) if form.cancel else shift
        return shift + _times(state[MOVE], item.slope / item.factor) if form.lead else shift

    def pay(
        self,
        start: int | None,
        path: SegmentPath,
        alignment: Alignment,
        scenario: Scenario,
        state: ConcreteState,
        price: Mapping[int, tuple[Any, Fraction]],
        spent: Mapping[Any, Symbol],
        trace: Trace | None,
    ) -> bool:
        """Pay for the winners that are found where a path of the first run ends; False if a shift cannot be."""
        named = self.named(alignment) if isinstance(path.end, Returned) else None
        if trace is not None and named is not None:
            trace.payers.add((named.item.site, ()))
        for item, form, which, name in self.found(start, path, alignment, named):
            place = state[ghost_value(which)]
            if name not in path.names or evaluator(path.names[name])(state) is None or not 0 <= place < len(scenario.answers):
                continue
            if trace is not None:
                trace.payers.add((item.site, ()))
            shift = self.shift(form, item, place, scenario, state)
            if item.noise.one_sided and shift < 0:
                return False
            powers, coefficient = price[item.site]
            state[spent[powers]] += abs(shift) / coefficient if shift else 0
        return True

    def found(self, start: int | None, path: SegmentPath, alignment: Alignment, named: NamedItems | None) -> list[tuple[NoisyItem, Form, int, str]]:
        """The winners that are paid for where a path ends: lists with the form of their shifts, ghosts, and their names."""
        if named is not None:  # known for the whole run
            return [(named.item, named.form, which, name) for which, name in enumerate(named.names)]
        lists = self.moves(alignment)
        ruled = [(item, rule) for item in self.items if lists is not None and (rule := lists.rules.get(item.site)) is not None]
        return [(item, rule.form, rule.which, rule.ghost) for item, rule in ruled if lists is not None and lists.ends_turn(start, path, rule)]


def _times(value: Any, factor: Fraction) -> Any:
    return value * (factor.numerator if Fraction(factor).denominator == 1 else factor)
