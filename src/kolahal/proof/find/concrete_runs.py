"""The two runs on concrete numbers: which alignments are worth a proof, and which states the runs can be in.

Nothing here is trusted. A rehearsal that fails saves a query, one that succeeds proves nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from fractions import Fraction
from typing import Any

from kolahal.lang.scale import Scale, base_of, value_of
from kolahal.logic.compiled import compile_sum
from kolahal.logic.linear import Number, plain
from kolahal.logic.terms import FALSE, INT, Symbol
from kolahal.nouns import dataclass
from kolahal.proof.find import led_runs
from kolahal.proof.find.compiled_paths import (
    CompiledPath,
    ConcreteState,
    SecondRun,
    Trace,
    Use,
    conditions_asked,
    evaluator,
    landmarks,
    pattern_of,
)
from kolahal.proof.find.effort import Effort
from kolahal.proof.find.followed_rules import FollowedRules
from kolahal.proof.find.noisy_runs import RehearsedLists
from kolahal.proof.find.scenarios import Scenario, ScenarioSource, item_of
from kolahal.proof.trusted.budget import powers_of
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.others import MOVE, Others, find_others
from kolahal.proof.trusted.product import END, Product
from kolahal.proof.trusted.shifts import Alignment, AtGhost, AtValue, ByBranch, FollowedSums, Form, ShiftRule
from kolahal.proof.trusted.symbols import MOVED_AT, ghost_value, moved_size
from kolahal.proof.trusted.values import Goto, Returned, SegmentPath, same

LESSONS = 3  # failed rehearsals of one alignment that are looked into
REMEMBERED = 6  # alignments
MORE = 400  # rehearsals after a failed attempt at a proof


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened: the states at loop heads, and whether the runs parted, differed or paid too much."""

    states: tuple[tuple[int, ConcreteState], ...]
    failed: bool
    blame: frozenset[Use] = frozenset()  # whose shifts made it fail


@dataclass(slots=True)
class _FirstRun:
    """The first run of a scenario, as far as it was looked at: the path of each segment, and all values there."""

    state: ConcreteState
    loop: int | None = None
    segments: list[tuple[CompiledPath, ConcreteState]] = field(default_factory=list)
    is_over: bool = False


class Stage:
    """A product whose two runs can be played, with a stock of scenarios."""

    def __init__(self, product: Product, neighbours: Neighbours, claim: Scale, seed: int, count: int, effort: Effort):
        self.effort = effort
        self.product = product
        self.neighbours = neighbours
        self.claim = claim
        self.paths = {
            run.which: {loop: [CompiledPath(path, run) for path in paths] for loop, paths in run.paths.items()}
            for run in (product.first, product.second)
        }
        self.unit = compile_sum(neighbours.unit)
        self.spent = {powers: product.spent(powers) for powers in product.monomials}
        self.beyond = {powers for powers in self.spent if product.sketch.epsilon.name in dict(powers)}
        self.limit = plain(claim.coefficient)
        self.sizes: dict[tuple[int, Any], Number] = {}  # of powers in a scenario; scenarios stay as long as the stage does
        self.price = {
            draw.site: (powers_of(draw.scale, product.sketch), draw.scale.coefficient)
            for draw in product.sketch.draws
            if isinstance(draw.scale, Scale)
        }
        self.asked = [conditions_asked(product, draw.site) for draw in product.sketch.draws]
        for compiled in (path for run in self.paths.values() for paths in run.values() for path in paths):
            compiled.uses = self.uses_of(compiled.path)
        for loop, paths in self.paths[1].items():
            for one in paths:
                one.partners = [two for two in self.paths[2][loop] if self.may_pair(one, two)]
        self.lists = RehearsedLists(product, neighbours)
        self.source = ScenarioSource(product, neighbours, claim, seed)
        self.firsts: dict[int, _FirstRun] = {}  # by scenario
        self.scenarios = self.source.draw(count)
        if more := landmarks((found for s in self.scenarios[:40] for found in self.segments(s)), self.source.constants):
            self.source.constants += more
            self.scenarios[:0] = self.source.draw(count)
        self.led: dict[tuple[FollowedSums | None, tuple[str, ...]], Others | None] = {}
        self.slope = Fraction(1)  # of the answers in the sums that shifts follow
        self.followed: dict[Alignment, tuple[FollowedRules, dict[tuple[int, int | None], Outcome]]] = {}
        self.played: Alignment | None = None  # the last one, and what is known of it
        self.rules_played: FollowedRules
        self.outcomes: dict[tuple[int, int | None], Outcome]  # by scenario and ghost
        self.costs: dict[tuple[int, Any], Number] = {}  # of a shift, by site

    # ---- playing

    def uses(self) -> list[Use]:
        """All draws with all outcomes of their conditions, in the order of the program's segments."""
        paths = [path for run in (self.product.first, self.product.second) for paths in run.paths.values() for path in paths]
        return list(dict.fromkeys([*(use for path in paths for use in self.uses_of(path)), *self.lists.uses()]))

    def uses_of(self, path: SegmentPath) -> list[Use]:
        return [(drawn.site, pattern_of(path, self.asked[drawn.site])) for drawn in path.draws]

    def ghost_values(self, scenario: Scenario, alignment: Alignment) -> list[list[int | None]]:
        """For each ghost the values of its variable: where it is renewed, and at the end of the first run, if it ends."""
        values: list[list[int | None]] = [[] for _ in alignment.ghosts]
        for path, local in self.segments(scenario):
            end = path.path.end
            for which, ghost in enumerate(alignment.ghosts):
                if isinstance(end, Returned) or end.loop == alignment.renewal(which):
                    shown = path.names.get(ghost)
                    value = None if shown is None else evaluator(shown)(local)
                    values[which].append(value if isinstance(value, int) else None)
        return values

    def segments(self, scenario: Scenario) -> Iterator[tuple[CompiledPath, ConcreteState]]:
        """The paths that the first run takes, each with its values."""
        for segment in range(self.source.most_segments):
            found = self.first_run(scenario, segment)
            if found is None:
                return
            yield found

    def first_run(self, scenario: Scenario, segment: int) -> tuple[CompiledPath, ConcreteState] | None:
        """The path of the first run in a segment and all values there, if it comes so far; no alignment changes them."""
        if (run := self.firsts.get(id(scenario))) is None:
            run = self.firsts[id(scenario)] = _FirstRun(dict(scenario.public))
        while len(run.segments) <= segment and not run.is_over:
            found = self.enter(1, run.loop, run.state, scenario, len(run.segments))
            if found is None:
                run.is_over = True
                break
            run.segments.append(found)
            path, local = found
            if isinstance(path.path.end, Returned):
                run.is_over = True
            else:
                run.state, run.loop = self.move_on(path, local, run.state), path.path.end.loop
        return run.segments[segment] if segment < len(run.segments) else None

    def others(self, alignment: Alignment) -> Others | None:
        """The sums that an alignment follows, if it does; raises Unsupported where it cannot."""
        if (key := (alignment.lead, alignment.ghosts)) not in self.led:
            self.led[key] = found = find_others(alignment, self.product.first, self.product.second, self.product.sketch)
            self.slope = found.slope if found else self.slope
        return self.led[key]

    def look_ahead(self, scenario: Scenario, others: Others, winners: Iterable[int | None]) -> tuple[Any, bool]:
        """How far the first of the others moves in a rehearsal, and whether noise ties there."""
        sums = [pair for path, local in self.segments(scenario) for pair in led_runs.sums_of(path, local, others)]
        return led_runs.look_ahead(sums, scenario.moves, list(winners), others)

    def enter(
        self, which: int, loop: int | None, state: ConcreteState, scenario: Scenario, segment: int
    ) -> tuple[CompiledPath, ConcreteState] | None:
        for path in self.paths[which][loop]:
            local = dict(state)
            self.choose_places(path, local, scenario, segment)
            for read, place in path.reads:
                at = place(local)
                inside = read.private and 0 <= at < len(scenario.answers)
                found = scenario.answers[at] if inside else item_of(read, at, scenario, local)
                local[read.symbol] = found if read.noisy is None else self.lists.first(read.noisy, at, scenario)
            for drawn, _, _ in path.draws:
                if drawn.rival is None:
                    local[drawn.symbol] = scenario.noise[drawn.site, segment]
            if path.fits(local):
                return path, local
        return None

    def choose_places(self, path: CompiledPath, state: ConcreteState, scenario: Scenario, segment: int) -> None:
        """The places that a run chooses, and rivals of theirs."""
        for drawn, _, _ in path.draws if path.lengths else ():
            if drawn.rival is not None:
                length = max(1, path.lengths[drawn.symbol](state))
                chosen, rival = scenario.noise[drawn.site, segment]
                state[drawn.symbol], state[drawn.rival.symbol] = chosen % length, rival % length

    def move_on(self, path: CompiledPath, local: ConcreteState, state: ConcreteState) -> ConcreteState:
        new = dict(state)
        for symbol, evaluate in path.updates:
            new[symbol] = evaluate(local)
        return new

    def behind(self, one: CompiledPath, two: CompiledPath, both: ConcreteState, state: ConcreteState) -> ConcreteState:
        """The state behind a segment, from that at its head: with what was spent, without what was read and drawn."""
        new = dict(state)
        for symbol in self.spent.values():
            new[symbol] = both[symbol]
        for path in (one, two):
            for symbol, evaluate in path.updates:
                new[symbol] = evaluate(both)
        return new

    def rules(self, alignment: Alignment) -> FollowedRules:
        """What an alignment says on each path, remembered for the last few."""
        if alignment is not self.played:
            if alignment not in self.followed:
                if len(self.followed) >= REMEMBERED:
                    self.followed.clear()
                self.followed[alignment] = FollowedRules(alignment, self.product), {}
            self.played, (self.rules_played, self.outcomes) = alignment, self.followed[alignment]
        return self.rules_played

    def outcome(self, scenario: Scenario, alignment: Alignment, ghost: int | None = None) -> Outcome:
        """What comes of a rehearsal, which is played once while its alignment is remembered."""
        self.rules(alignment)
        key = (id(scenario), ghost)
        if key in self.outcomes:
            self.effort.spent += 1  # as much as if it had been played: what is found does not depend on what is remembered
        else:
            self.outcomes[key] = self.play(scenario, alignment, ghost)
        return self.outcomes[key]

    def play(self, scenario: Scenario, alignment: Alignment, ghost: int | None = None, traced: bool = False) -> Outcome:
        """Both runs, the second with shifted noise; all ghosts are `ghost`, or what they are in the first run."""
        self.effort.spent += 1
        actual = self.ghost_values(scenario, alignment) if alignment.ghosts else []
        begun = self.begin(scenario, alignment, actual, ghost)
        if begun is None:
            return Outcome((), False)
        state, others, counted = begun
        states: list[tuple[int, ConcreteState]] = []
        trace = Trace() if traced else None
        start: int | None = None
        for segment in range(self.source.most_segments):
            found = self.first_run(scenario, segment)
            if found is None:
                return Outcome(tuple(states), False)
            one, local = found[0], state | found[1]
            ways: Iterable[SecondRun] = self.ways(one, local, scenario, segment, alignment)
            if trace is not None:
                ways = list(ways)  # why none of them goes along is asked of all
            for match in ways:
                if match.fits:
                    break
            else:
                match = None
            match = match if match is not None and match.goes_along else None
            if trace is not None:
                trace.follow(one, list(ways), match)
            if match is None or (one.faults and any(fault(local) for fault in one.faults)):
                return Outcome(tuple(states), True, trace.blame() if trace else frozenset())
            both = match.state
            for powers, cost in match.costs.items():
                if cost:
                    both[self.spent[powers]] += cost
            items = self.lists.items
            possible = not items or self.lists.pay(start, one.path, alignment, scenario, both, self.price, self.spent, trace)
            if not possible or (counted and (items or any(match.costs.values())) and self.too_much(both, scenario)):
                return Outcome(tuple(states), True, trace.paid() if trace else frozenset())
            if one.answer is not None and match.path.answer is not None:
                failed = counted and one.answer(both) != match.path.answer(both)
                states.append((END, both))
                return Outcome(tuple(states), failed, trace.blame() if trace else frozenset())
            state = self.behind(one, match.path, both, state)
            if others is not None:
                ones, twos = (led_runs.sums_of(path, both, others, one) for path in (one, match.path))
                led_runs.pass_by(state, ones, twos, others)
            assert isinstance(one.path.end, Goto)
            start = loop = one.path.end.loop
            if (turns := self.lists.turns(alignment)) is not None:
                self.lists.note(turns, loop, state)
                shown = one.names.get(alignment.ghosts[turns.which])
                if ghost is not None and loop == alignment.renewal(turns.which) and shown is not None and evaluator(shown)(both) not in (None, ghost):
                    return Outcome(tuple(states), False)  # outside of the ghost's cell
            for which, values in enumerate(actual):
                if loop == alignment.renewal(which):
                    if not values:
                        return Outcome(tuple(states), False)  # where this turn leads was not looked at
                    state[ghost_value(which)] = _next_value(values, ghost)
            states.append((loop, state))
        return Outcome(tuple(states), False)

    def begin(
        self, scenario: Scenario, alignment: Alignment, actual: list[list[int | None]], ghost: int | None
    ) -> tuple[ConcreteState, Others | None, bool] | None:
        """What is known where both runs begin, and whether this run is counted; None where noise ties."""
        counted = True
        state: ConcreteState = dict(scenario.public)
        self.lists.begin(alignment, actual, ghost, self.segments(scenario))
        for which, values in enumerate(actual):
            counted &= ghost is None or all(value in (None, ghost) for value in values)
            state[ghost_value(which)] = _next_value(values, ghost)
        if (named := self.lists.named(alignment)) and self.lists.begin_named(named, scenario, state):
            return None
        if (turns := self.lists.turns(alignment)) and self.lists.begin_turns(turns, scenario, state):
            return None
        if (others := None if named or turns else self.others(alignment)) is not None:
            move, tied = self.look_ahead(scenario, others, [state[ghost_value(w)] for w in range(others.ghosts)])
            state |= led_runs.begin(others, move)
            counted = counted and not tied
        return state | dict.fromkeys(self.spent.values(), 0), others, counted

    def ways(
        self,
        one: CompiledPath,
        local: ConcreteState,
        scenario: Scenario,
        segment: int,
        alignment: Alignment,
    ) -> Iterator[SecondRun]:
        """The second run on each path that may go along with the first run's: at most one of them fits."""
        for two in one.partners:
            yield self.way(one, two, local, scenario, segment, alignment)

    def may_pair(self, one: CompiledPath, two: CompiledPath) -> bool:
        """Whether the two paths draw and end alike, whatever the noise."""
        return (
            one.draw_laws == two.draw_laws
            and (self.may_answer(one.path.end, two.path.end) or one.path.end == two.path.end)
            and FALSE not in map(same, one.grown, two.grown)
        )

    def may_answer(self, one: Goto | Returned, two: Goto | Returned) -> bool:
        if not isinstance(one, Returned) or not isinstance(two, Returned):
            return False
        return not self.product.settled or one.step == two.step

    def way(
        self,
        one: CompiledPath,
        two: CompiledPath,
        local: ConcreteState,
        scenario: Scenario,
        segment: int,
        alignment: Alignment,
    ) -> SecondRun:
        """The second run on one of its paths, with the noise of the first and the alignment's shifts."""
        both = dict(local)
        self.choose_places(two, both, scenario, segment)
        for read, place in two.reads:
            at = place(both)
            inside = read.private and 0 <= at < len(scenario.answers)
            found = scenario.answers[at] + scenario.moves[at] if inside else item_of(read, at, scenario, both)
            both[read.symbol] = found if read.noisy is None else self.lists.second(read.noisy, at, scenario, alignment, both)
        rules = self.rules(alignment)
        costs: dict[Any, Any] = {}
        shifts: list[Any] = []
        forms: list[Form] = []
        for index, ((mine, mine_rest, mine_names), (drawn, rest, names)) in enumerate(zip(one.draws, two.draws, strict=True)):
            if two.computed:
                two.compute(both, index + (mine.rival is not None))  # scores are computed once a place is chosen
            form = self.form_of(rules.of(mine.site, one), one, index, both)
            forms.append(form or Form())
            noise = scenario.noise[mine.site, segment]
            shifted = self.turn(noise, one.turns[index]) if mine.noise.finite else self.shift
            shift = None if form is None else shifted(form, both, (one.inverses[index], mine_rest, mine_names), (rest, names))
            if mine.rival is not None and shift is not None:
                refused = shift < max(0, rest(both) - mine_rest(both))
            else:
                refused = shift is None or (mine.noise.one_sided and noise + shift < 0)
            far = shift is not None and rules.reach and rules.beyond(mine.site, shift, len(scenario.answers), self.unit(both))
            if shift is None or refused or far:
                return SecondRun(two, both, costs, tuple(forms), shifts=tuple(shifts), refused=True)
            powers = self.price[mine.site][0]
            costs[powers] = costs.get(powers, 0) + (self.cost(mine.site, shift) if shift else 0)
            shifts.append(shift)
            if mine.rival is None:
                both[drawn.symbol] = noise + shift
        fits = two.fits(both)
        alike = fits and (
            not (two.faults and any(fault(both) for fault in two.faults))
            and not (one.lists and any(a(both) != b(both) for a, b in zip(one.lists, two.lists, strict=True)))
            and rules.agree(one, two)
        )
        return SecondRun(two, both, costs, tuple(forms), tuple(shifts), False, fits, alike)

    def cost(self, site: int, shift: Any) -> Number:
        """What a shift costs, in a unit of its kind of scale."""
        found = self.costs.get((site, shift))
        if found is None:
            found = self.costs[site, shift] = abs(shift) / self.price[site][1]
        return found

    def form_of(self, rule: ShiftRule, one: CompiledPath, index: int, state: ConcreteState) -> Form | None:
        """The form of a rule for one draw; None where it asks for a variable that is not there."""
        while not isinstance(rule, Form):
            match rule:
                case AtGhost(offset, then, orelse, which):
                    holds = one.turns[index](state) + offset == state[ghost_value(which)]
                case AtValue(name, of, plus, then, orelse):
                    if name not in one.draws[index][2]:
                        return None
                    value = one.draws[index][2][name](state)
                    holds = value == (0 if of is None else state[Symbol(of, INT)]) + plus
                case ByBranch():
                    raise AssertionError("conditions are decided on a path")
            rule = then if holds else orelse
        return rule

    def shift(self, form: Form, state: ConcreteState, mine: Any, other: Any) -> Any:
        size = self.unit(state) if form.units else 0
        result = plain(form.units) * size
        inverse, rest, names = mine  # of the noise's factor; None where it is multiplied by 0
        if form.cancel:
            if inverse is None:
                return None
            result -= (other[0](state) - rest(state)) * inverse
        if form.follow is not None:
            if form.follow not in names or form.follow not in other[1]:
                return None
            result += other[1][form.follow](state) - names[form.follow](state)
        if form.lead:
            result += 0 if inverse is None else state[MOVE] * (self.slope * inverse)
        return result

    def turn(self, fell: int, place: Callable[[ConcreteState], Any]) -> Callable[[Form, ConcreteState, Any, Any], Any]:
        """The shift of a coin that fell so, in the turn of a place."""

        def shift(form: Form, state: ConcreteState, mine: Any, other: Any) -> Any:
            inverse, side, names = mine
            turned = bool(form.units)
            if form.units not in (0, 1) or (form.cancel and inverse is None):
                return None
            if form.cancel:
                turned ^= other[0](state) != side(state)
            if form.follow == self.product.sketch.private.name and self.neighbours.single:
                turned ^= place(state) == state[MOVED_AT] and state[moved_size(self.neighbours.sort)] != 0
            elif form.follow is not None:
                if form.follow not in names or form.follow not in other[1]:
                    return None
                turned ^= other[1][form.follow](state) != names[form.follow](state)
            return 1 - 2 * fell if turned else 0

        return shift

    def size(self, powers: Any, scenario: Scenario) -> Number:
        """The value of powers of a scenario's quantities."""
        key = (id(scenario), powers)
        if key not in self.sizes:
            known = [(name, power) for name, power in powers if base_of(name) in scenario.quantities]
            self.sizes[key] = plain(math.prod((value_of(name, scenario.quantities) ** power for name, power in known), start=Fraction(1)))
        return self.sizes[key]

    def too_much(self, state: ConcreteState, scenario: Scenario) -> bool:
        """Whether more was spent than is claimed."""
        total: Number = 0
        for powers, symbol in self.spent.items():
            if cost := state[symbol]:
                if powers in self.beyond:
                    return True  # no cost with another power of ε is within a claim for all ε
                size = self.size(powers, scenario)
                total += cost if size == 1 else Fraction(cost) / size
        limit = self.limit * self.size(self.claim.powers, scenario)
        if self.neighbours.in_proportion:
            moved = state[moved_size(self.neighbours.sort)]
            limit *= Fraction(moved) / self.neighbours.distance
        return total > limit

    def failures(self, alignment: Alignment) -> list[frozenset[Use]]:
        """Uses whose rules fail together, one set for each of some rehearsals."""
        return [self.play(scenario, alignment, traced=True).blame for scenario in self.failing(alignment, LESSONS)]

    def passes(self, alignment: Alignment, among: int | None = None) -> bool:
        return not self.failing(alignment, 1, among)

    def failing(self, alignment: Alignment, most: int, among: int | None = None) -> list[Scenario]:
        """The first scenarios (`among` so many) in which an alignment fails; they are asked first next time."""
        fails = (i for i, scenario in enumerate(self.scenarios[:among]) if self.outcome(scenario, alignment).failed)
        found = list(itertools.islice(fails, most))
        failing = [self.scenarios.pop(i) for i in reversed(found)]
        self.scenarios = [*reversed(failing), *self.scenarios]
        return self.scenarios[: len(found)]

    def grow(self) -> None:
        """More rehearsals: where an attempt at a proof failed, they were too few."""
        self.scenarios += self.source.draw(MORE)


def _next_value(values: list[int | None], given: int | None) -> int:
    """The next of a ghost's values, which it takes away, unless another one is given for all."""
    value = values.pop(0) if values else None
    return given if given is not None else value if value is not None else 0
