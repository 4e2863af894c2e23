"""The two runs on concrete numbers: which alignments are worth a proof, and which states the runs can be in.

Nothing here is trusted. A rehearsal that fails saves a query, one that succeeds proves nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Role, Type
from kolahal.logic.compiled import compile_formula, compile_sum
from kolahal.logic.linear import LinearForm
from kolahal.logic.terms import BOOL, INT, Symbol, symbols_of
from kolahal.proof.trusted.budget import powers_of
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.product import END, Product, updates_of
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, ByBranch, Form, Shift
from kolahal.proof.trusted.symbols import GHOST, LENGTH, MOVED_AT, moved_by, moved_size
from kolahal.proof.trusted.values import (
    Built,
    Goto,
    Logical,
    Maybe,
    Numeric,
    Returned,
    Run,
    SegmentPath,
    Several,
    SymbolicValue,
)

MOST_SEGMENTS = 24  # segments of one rehearsal

ConcreteState = dict[Symbol, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Concrete inputs and noise; noise is found by site and number of the segment."""

    public: Mapping[Symbol, Any]
    quantities: Mapping[str, int]
    answers: tuple[Any, ...]
    moves: tuple[Any, ...]
    noise: Mapping[tuple[int, int], Any]
    ghost: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened: the states at loop heads, and whether the runs parted, differed or paid too much."""

    states: tuple[tuple[int, ConcreteState], ...]
    failed: bool
    blame: frozenset[int] = frozenset()  # the sites whose shifts made it fail
    at_end: bool = False  # whether it was the answer or the cost, so that the ghost had a part in it


@dataclass(frozen=True, slots=True)
class ObservedStates:
    """States at loop heads and at the end, and what single segments cost, for each kind of scale."""

    states: tuple[tuple[int, ConcreteState], ...]
    prices: Mapping[Symbol, tuple[Fraction, ...]]


def _evaluator(value: SymbolicValue | Several) -> Callable[[ConcreteState], Any]:
    match value:
        case Numeric(term):
            return compile_sum(term)
        case Logical(formula):
            return compile_formula(formula)
        case Maybe(none, inner):
            test, then = compile_formula(none), _evaluator(inner)
            return lambda state: None if test(state) else then(state)
        case Several(items):
            parts = [_evaluator(item) for item in items]
            return lambda state: tuple(part(state) for part in parts)
        case Built(base, _, front, back):
            ends = [[_evaluator(item) for item in items] for items in (front, back)]
            return lambda state: (base, *([part(state) for part in items] for items in ends))
        case _:
            return lambda state: "list"


def branches_fed(product: Product, site: int) -> frozenset[int]:
    """The ifs that look at this draw in the turn in which it is made."""
    found: set[int] = set()
    for paths in product.first.paths.values():
        for path in paths:
            symbols = {drawn.symbol for drawn in path.draws if drawn.site == site}
            found |= {branch for branch, test in path.tests.items() if symbols & symbols_of(test)}
    return frozenset(found)


class _Compiled:
    """A path with its terms as functions."""

    def __init__(self, path: SegmentPath, run: Run):
        self.path = path
        self.conditions = [compile_formula(c) for c in path.conditions]
        self.faults = [compile_formula(f) for f in path.faults]
        self.reads = [(read, compile_sum(read.place)) for read in path.reads]
        self.draws = [
            (
                drawn,
                compile_sum(drawn.rest),
                {n: compile_sum(v.value) for n, v in drawn.names.items() if isinstance(v, Numeric)},
            )
            for drawn in path.draws
        ]
        self.turns = [compile_sum(drawn.turn) for drawn in path.draws]
        self.draw_keys = [(d.site, d.spot) for d in path.draws]
        self.answer = _evaluator(path.end.value) if isinstance(path.end, Returned) else None
        self.names = path.names
        self.ghosts: dict[str, Callable[[ConcreteState], Any]] = {}
        self.updates: list[tuple[Symbol, Callable[[ConcreteState], Any]]] = []
        self.lists: list[Callable[[ConcreteState], Any]] = []
        if isinstance(path.end, Goto):
            place = run.place(path.end.loop)
            self.lists = [_evaluator(path.names[name]) for name, value in place.names if isinstance(value, Built)]
            for name, symbols in place.names:
                for symbol, term in updates_of(symbols, path.names[name], {}):
                    self.updates.append(
                        (symbol, compile_sum(term) if isinstance(term, LinearForm) else compile_formula(term))
                    )
            for ghost, symbol in place.ghosts:
                self.updates.append((symbol, compile_sum(path.ghosts[ghost])))

    def fits(self, state: ConcreteState) -> bool:
        return all(condition(state) for condition in self.conditions)


class Stage:
    """A product whose two runs can be played, with a stock of scenarios."""

    def __init__(self, product: Product, neighbours: Neighbours, claim: Scale, seed: int, count: int):
        self.product = product
        self.neighbours = neighbours
        self.claim = claim
        self.paths = {
            run.which: {loop: [_Compiled(path, run) for path in paths] for loop, paths in run.paths.items()}
            for run in (product.first, product.second)
        }
        self.unit = compile_sum(neighbours.unit)
        self.price = {
            draw.site: (powers_of(draw.scale, product.sketch), draw.scale.coefficient)
            for draw in product.sketch.draws
            if isinstance(draw.scale, Scale)
        }
        rng = random.Random(seed)
        self.scenarios = [self.draw_scenario(rng, index) for index in range(count)]

    def draw_scenario(self, rng: random.Random, index: int) -> Scenario:
        """Small numbers on the grid of the distance, so that ties and near misses are common."""
        step = self.neighbours.distance
        unit: Any = step.numerator if step.denominator == 1 else step
        size = (1, 2, 3, 4, 8)[index % 5]
        sketch = self.product.sketch
        public: dict[Symbol, Any] = {LENGTH: size}
        quantities = {sketch.length_name: size}
        for parameter in sketch.parameters:
            if parameter.role is Role.PRIVATE:
                continue
            if parameter.role is Role.EPSILON:
                public[Symbol(parameter.name, "Real")] = 1
            elif parameter.type is Type.BOOL:
                public[Symbol(parameter.name, BOOL)] = rng.random() < 0.5
            elif parameter.type is Type.INT:
                quantities[parameter.name] = public[Symbol(parameter.name, INT)] = rng.choice((1, 1, 2, 3))
            else:
                public[Symbol(parameter.name, "Real")] = rng.randint(-2, 2) * unit
        spread = rng.choice((1, 3))
        answers = tuple(rng.randint(-spread, spread) * unit for _ in range(size))
        moves = self.draw_moves(rng, size, unit)
        while not sketch.adjacency.allows(moves):  # a relation that these moves go beyond
            moves = self.draw_moves(rng, size, unit)
        if self.neighbours.single:
            at = next((i for i, move in enumerate(moves) if move), rng.randrange(size))
            by = moves[at]
            public[MOVED_AT] = at
            public[moved_by(self.neighbours.sort)] = by
            public[moved_size(self.neighbours.sort)] = abs(by)
        wide = rng.choice((1, 2, 4))
        table = {}
        for draw in sketch.draws:
            low = 0 if draw.noise.one_sided else -wide
            for segment in range(MOST_SEGMENTS):
                table[draw.site, segment] = rng.randint(low, wide) * unit
        return Scenario(public, quantities, answers, moves, table, rng.randint(-1, size + 1))

    def draw_moves(self, rng: random.Random, size: int, unit: Any) -> tuple[Any, ...]:
        low = 0 if self.neighbours.kind == "up" else -1
        high = 0 if self.neighbours.kind == "down" else 1
        if self.neighbours.single:
            at, by = rng.randrange(size), rng.choice((-1, 1, 1, -1, 0)) * unit
            return tuple(by if i == at else 0 for i in range(size))
        corners = [c for c in (low, high) if c] if rng.random() < 0.7 else [low, 0, high]
        return tuple(rng.choice(corners) * unit for _ in range(size))

    # ---- playing

    def first_run(self, scenario: Scenario, ghost: str) -> int | None:
        """The value of the ghost's variable at the end of the first run."""
        state, loop = dict(scenario.public), None
        for segment in range(MOST_SEGMENTS):
            found = self.enter(1, loop, state, scenario, segment)
            if found is None:
                return None
            path, local = found
            if path.answer is not None:
                value = path.names.get(ghost)
                if value is None:
                    return None
                result = _evaluator(value)(local)
                return result if isinstance(result, int) else None
            assert isinstance(path.path.end, Goto)
            state = self.move_on(path, local, state)
            loop = path.path.end.loop
        return None

    def enter(
        self, which: int, loop: int | None, state: ConcreteState, scenario: Scenario, segment: int
    ) -> tuple[_Compiled, ConcreteState] | None:
        for path in self.paths[which][loop]:
            local = dict(state)
            for read, place in path.reads:
                at = place(local)
                local[read.symbol] = scenario.answers[at] if read.private and 0 <= at < len(scenario.answers) else 0
            for drawn, _, _ in path.draws:
                local[drawn.symbol] = scenario.noise[drawn.site, segment]
            if path.fits(local):
                return path, local
        return None

    def move_on(self, path: _Compiled, local: ConcreteState, state: ConcreteState) -> ConcreteState:
        new = dict(state)
        for symbol, evaluate in path.updates:
            new[symbol] = evaluate(local)
        return new

    def play(self, scenario: Scenario, alignment: Alignment, ghost: int | None = None) -> Outcome:
        """Both runs, the second with shifted noise; `ghost` defaults to the answer of the first run."""
        counted = True
        if alignment.ghost is not None:
            actual = self.first_run(scenario, alignment.ghost)
            if ghost is None:
                ghost = actual if actual is not None else 0
            counted = actual is None or actual == ghost
        state: ConcreteState = dict(scenario.public) | {GHOST: ghost or 0}
        for powers in self.product.monomials:
            state[self.product.spent(powers)] = 0
        states: list[tuple[int, ConcreteState]] = []
        used: set[int] = set()
        loop: int | None = None
        for segment in range(MOST_SEGMENTS):
            found = self.enter(1, loop, state, scenario, segment)
            if found is None:
                return Outcome(tuple(states), False)
            one, local = found
            used |= {drawn.site for drawn in one.path.draws}
            if any(fault(local) for fault in one.faults):
                return Outcome(tuple(states), True, frozenset(used))
            match = self.second(one, local, loop, scenario, segment, alignment)
            if isinstance(match, frozenset):
                return Outcome(tuple(states), True, frozenset(used) | match)
            two, both, costs = match
            for powers, cost in costs.items():
                both[self.product.spent(powers)] += cost
            if one.answer is not None and two.answer is not None:
                differs = one.answer(both) != two.answer(both)
                states.append((END, both))
                failed = counted and (differs or self.too_much(both, scenario))
                return Outcome(tuple(states), failed, frozenset(used), True)
            state = {s: v for s, v in both.items() if s in state}
            state = self.move_on(two, both, self.move_on(one, both, state))
            assert isinstance(one.path.end, Goto)
            loop = one.path.end.loop
            states.append((loop, state))
        return Outcome(tuple(states), False)

    def second(
        self,
        one: _Compiled,
        local: ConcreteState,
        loop: int | None,
        scenario: Scenario,
        segment: int,
        alignment: Alignment,
    ) -> tuple[_Compiled, ConcreteState, dict[Any, Any]] | frozenset[int]:
        """The second run's path if it goes along with the first run's; else sites that share the blame because they
        consult a branch on which the runs differ."""
        for two in self.paths[2][loop]:
            both = dict(local)
            for read, place in two.reads:
                at = place(both)
                inside = read.private and 0 <= at < len(scenario.answers)
                both[read.symbol] = scenario.answers[at] + scenario.moves[at] if inside else 0
            costs: dict[Any, Any] = {}
            matched = True
            for index, (drawn, rest, names) in enumerate(two.draws):
                matched = matched and index < len(one.draws) and one.draw_keys[index] == two.draw_keys[index]
                value = scenario.noise[drawn.site, segment]
                if matched:
                    mine, mine_rest, mine_names = one.draws[index]
                    rule = alignment.shifts[drawn.site]
                    form = self.form_of(rule, one, one.turns[index], both)
                    shift = self.shift(form, both, (mine.factor, mine_rest, mine_names), (rest, names))
                    if shift is None:
                        return frozenset()
                    powers, coefficient = self.price[drawn.site]
                    costs[powers] = costs.get(powers, 0) + abs(shift) / coefficient
                    value += shift
                    if drawn.noise.one_sided and value < 0:
                        return frozenset()
                both[drawn.symbol] = value
            if two.fits(both):
                if not self.goes_along(one, two, both):
                    return frozenset()
                for site, rule in enumerate(alignment.shifts):
                    if isinstance(rule, ByBranch) and self.parts(one, two, rule.branch):
                        return frozenset({site})
                return two, both, costs
        return frozenset()

    def parts(self, one: _Compiled, two: _Compiled, branch: int) -> bool:
        return one.path.decisions.get(branch) != two.path.decisions.get(branch)

    def goes_along(self, one: _Compiled, two: _Compiled, both: ConcreteState) -> bool:
        return (
            one.draw_keys == two.draw_keys
            and type(one.path.end) is type(two.path.end)
            and (isinstance(one.path.end, Returned) or one.path.end == two.path.end)
            and not any(fault(both) for fault in two.faults)
            and all(a(both) == b(both) for a, b in zip(one.lists, two.lists))
        )

    def form_of(self, rule: Shift, one: _Compiled, turn: Callable[[ConcreteState], Any], state: ConcreteState) -> Form:
        match rule:
            case Always(form):
                return form
            case ByBranch(branch, then, orelse):
                return then if one.path.decisions.get(branch) else orelse
            case AtGhost(offset, then, orelse):
                return then if turn(state) + offset == state[GHOST] else orelse

    def shift(self, form: Form, state: ConcreteState, mine: Any, other: Any) -> Any:
        size = self.unit(state) if form.units else 0
        result = (form.units.numerator if form.units.denominator == 1 else form.units) * size
        factor, rest, names = mine
        if form.cancel:
            if not factor:
                return None
            difference = other[0](state) - rest(state)
            result -= difference * (factor.numerator if abs(factor) == 1 else 1 / factor)
        if form.follow is not None:
            if form.follow not in names or form.follow not in other[1]:
                return None
            result += other[1][form.follow](state) - names[form.follow](state)
        return result

    def too_much(self, state: ConcreteState, scenario: Scenario) -> bool:
        def size(powers: Any) -> Fraction:
            result = Fraction(1)
            for name, power in powers:
                if name in scenario.quantities:
                    result *= Fraction(scenario.quantities[name]) ** power
            return result

        epsilon = self.product.sketch.epsilon.name
        for powers in self.product.monomials:
            if epsilon in dict(powers) and state[self.product.spent(powers)]:
                return True  # no cost with another power of ε is within a claim for all ε
        total = sum(
            (Fraction(state[self.product.spent(powers)]) / size(powers) for powers in self.product.monomials),
            Fraction(0),
        )
        limit = self.claim.coefficient * size(self.claim.powers)
        if self.neighbours.kind == "sum":
            moved = state[moved_size(self.neighbours.sort)]
            limit *= Fraction(moved) / self.neighbours.distance
        return total > limit

    def failure(self, alignment: Alignment) -> Outcome | None:
        """A rehearsal that fails, or None. Its scenario is asked first next time."""
        for index, scenario in enumerate(self.scenarios):
            outcome = self.play(scenario, alignment)
            if outcome.failed:
                self.scenarios.insert(0, self.scenarios.pop(index))
                return outcome
        return None

    def sensitivities(self) -> list[Fraction]:
        """By how much sums that noise is added to differ between runs without shifts, in units of the distance."""
        still = Alignment(tuple(Always(Form()) for _ in self.product.sketch.draws), None)
        found: set[Fraction] = set()
        for scenario in self.scenarios[:60]:
            loop: int | None = None
            state: ConcreteState = dict(scenario.public) | {GHOST: 0}
            state |= {self.product.spent(powers): 0 for powers in self.product.monomials}
            for segment in range(MOST_SEGMENTS):
                entered = self.enter(1, loop, state, scenario, segment)
                if entered is None:
                    break
                match = self.second(entered[0], entered[1], loop, scenario, segment, still)
                if isinstance(match, frozenset) or isinstance(entered[0].path.end, Returned):
                    break
                one, (two, both, _) = entered[0], match
                unit = self.unit(both)
                for (_, rest, _), (_, other, _) in zip(one.draws, two.draws):
                    if unit:
                        found.add(Fraction(abs(other(both) - rest(both))) / unit)
                state = self.move_on(two, both, self.move_on(one, both, {s: v for s, v in both.items() if s in state}))
                assert isinstance(one.path.end, Goto)
                loop = one.path.end.loop
        return sorted(found - {Fraction(0)})

    def states(self, alignment: Alignment, most: int) -> ObservedStates:
        """States that occur, each once and at most so many a place, and what single turns cost."""
        found: dict[tuple[Any, ...], tuple[int, ConcreteState]] = {}
        counts: dict[int, int] = {}
        prices: dict[Symbol, set[Any]] = {self.product.spent(powers): set() for powers in self.product.monomials}
        for scenario in self.scenarios[:120]:
            for ghost in [None] if alignment.ghost is None else [None, scenario.ghost]:
                before = dict.fromkeys(prices, 0)
                for loop, state in self.play(scenario, alignment, ghost).states:
                    for symbol, seen in prices.items():
                        seen.add(Fraction(state[symbol]) - before[symbol])
                        before[symbol] = state[symbol]
                    if loop == END and ghost is not None:
                        continue
                    key = (
                        loop,
                        *((s, v) for s, v in state.items() if loop != END or s in prices or s in scenario.public),
                    )
                    if key not in found and counts.get(loop, 0) < most:
                        found[key] = (loop, state)
                        counts[loop] = counts.get(loop, 0) + 1
        return ObservedStates(tuple(found.values()), {symbol: tuple(sorted(seen)) for symbol, seen in prices.items()})
