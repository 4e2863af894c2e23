"""The two runs on concrete numbers: which alignments are worth a proof, and which states the runs can be in.

Nothing here is trusted. A rehearsal that fails saves a query, one that succeeds proves nothing.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kolahal.lang.ir import Const, walk
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Role, Type
from kolahal.logic.compiled import compile_formula, compile_sum
from kolahal.logic.linear import LinearForm
from kolahal.logic.terms import BOOL, FALSE, INT, Symbol, symbols_of
from kolahal.proof.trusted.budget import powers_of
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.product import END, Product, updates_of
from kolahal.proof.trusted.shifts import Alignment, Always, Asked, AtGhost, AtValue, ByBranch, Form, Rule
from kolahal.proof.trusted.symbols import LENGTH, MOVED_AT, ghost_value, moved_by, moved_size
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
    same,
)

LESSONS = 3  # failed rehearsals of one alignment that are looked into
MORE = 400  # rehearsals after a failed attempt at a proof
LONGEST = 40  # answers of one rehearsal
MOST_PATTERNS = 16  # outcomes of conditions that the shift of one draw may depend on

ConcreteState = dict[Symbol, Any]
Use = tuple[
    int, tuple[bool, ...]
]  # a draw by its site, and the outcomes of the conditions that its shift may depend on


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
    blame: frozenset[Use] = frozenset()  # whose shifts made it fail


@dataclass(slots=True)
class Effort:
    """How much of the search for one proof is done, counted in rehearsals."""

    most: int
    spent: int = 0

    @property
    def is_over(self) -> bool:
        return self.spent >= self.most


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


def _symbols_in(value: SymbolicValue | Several) -> frozenset[Symbol]:
    match value:
        case Numeric(term):
            return symbols_of(term)
        case Logical(formula):
            return symbols_of(formula)
        case Maybe(none, inner):
            return symbols_of(none) | _symbols_in(inner)
        case Several(items):
            return frozenset().union(*map(_symbols_in, items))
        case Built(_, length, front, back):
            return symbols_of(length).union(*map(_symbols_in, (*front, *back)))
        case _:
            return frozenset()


def conditions_asked(product: Product, site: int) -> tuple[Asked, ...]:
    """The conditions of the turns of a draw that may be decided both ways, those that look at the draw first."""
    outcomes: dict[Asked, set[bool]] = {}
    fed: set[Asked] = set()
    drawn_on = [path for paths in product.first.paths.values() for path in paths if _draws(path, site)]
    for path in drawn_on:
        for branch in path.tests:
            outcomes.setdefault(branch, set()).add(bool(path.decisions.get(branch)))
        symbols = {drawn.symbol for drawn in path.draws if drawn.site == site}
        fed |= {branch for branch, test in path.tests.items() if symbols & symbols_of(test)}
    for branch, seen in outcomes.items():
        seen |= {False for path in drawn_on if branch not in path.decisions}
    both = [branch for branch, seen in outcomes.items() if len(seen) == 2]
    ordered = sorted(
        both, key=lambda branch: (branch not in fed, branch if isinstance(branch, tuple) else (branch, -1))
    )
    while len({_pattern(path, ordered) for path in drawn_on}) > MOST_PATTERNS:
        ordered.pop()
    return tuple(ordered)


def _draws(path: SegmentPath, site: int) -> bool:
    return any(drawn.site == site for drawn in path.draws)


def _pattern(path: SegmentPath, asked: Sequence[Asked]) -> tuple[bool, ...]:
    return tuple(bool(path.decisions.get(branch)) for branch in asked)


class _Compiled:
    """A path with its terms as functions."""

    def __init__(self, path: SegmentPath, run: Run):
        self.path = path
        self.conditions = [compile_formula(c) for c in path.conditions]
        self.asked = [symbols_of(c) for c in path.conditions]
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
        self.uses: list[Use] = []
        self.answer = _evaluator(path.end.value) if isinstance(path.end, Returned) else None
        self.names = path.names
        self.ghosts: dict[str, Callable[[ConcreteState], Any]] = {}
        self.updates: list[tuple[Symbol, Callable[[ConcreteState], Any]]] = []
        self.lists: list[Callable[[ConcreteState], Any]] = []
        self.grown: list[SymbolicValue] = []
        self.depends: list[tuple[Symbol, frozenset[Symbol]]] = []
        self.answered = _symbols_in(path.end.value) if isinstance(path.end, Returned) else frozenset()
        if isinstance(path.end, Goto):
            place = run.place(path.end.loop)
            self.grown = [path.names[name] for name, value in place.names if isinstance(value, Built)]
            self.lists = [_evaluator(value) for value in self.grown]
            for name, symbols in place.names:
                for symbol, term in updates_of(symbols, path.names[name], {}):
                    self.depends.append((symbol, symbols_of(term)))
                    self.updates.append(
                        (symbol, compile_sum(term) if isinstance(term, LinearForm) else compile_formula(term))
                    )
            for ghost, symbol in place.ghosts:
                self.updates.append((symbol, compile_sum(path.ghosts[ghost])))

        # What must be as in the other run: lists, and that there is no fault.
        self.told = frozenset().union(*map(_symbols_in, self.grown), *map(symbols_of, path.faults))

    def fits(self, state: ConcreteState) -> bool:
        return all(condition(state) for condition in self.conditions)


@dataclass(frozen=True, slots=True)
class _Way:
    """The second run on one path of a segment: its values, what its shifts cost, and whether it is a path that the run
    takes there (`fits`) and that goes along with the first run."""

    path: _Compiled
    state: ConcreteState
    costs: Mapping[Any, Any]
    forms: tuple[Form, ...]
    shifts: tuple[Any, ...]
    refused: bool  # a shift that cannot be
    fits: bool = False
    goes_along: bool = False


class _Trace:
    """Which uses the second run's values depend on, along a rehearsal that fails.

    The nearer to the cause, the more other alignments fail for the same reason.
    """

    def __init__(self, product: Product):
        self.product = product
        self.known: dict[Symbol, frozenset[Use]] = {}
        self.always: set[Use] = set()  # what decided which of several paths the second run took
        self.payers: set[Use] = set()
        self.last: set[Use] = set()

    def of(self, symbols: Iterable[Symbol]) -> set[Use]:
        return set().union(*(self.known.get(symbol, frozenset()) for symbol in symbols))

    def blame(self) -> frozenset[Use]:
        return frozenset(self.always | self.last)

    def paid(self) -> frozenset[Use]:
        return frozenset(self.always | self.payers)

    def follow(self, one: _Compiled, ways: Sequence[_Way], match: _Way | None) -> None:
        """One segment further; `last` is then what its failure, or an answer that differs, is to be blamed on."""
        before = self.known
        self.last = set()
        for way in ways:
            self.known = dict(before)
            payers = self.draw(one, way)
            if way is match:
                after, self.payers = self.known, self.payers | payers
                if len(ways) > 1:
                    self.always |= self.of(symbol for symbols in way.path.asked for symbol in symbols)
                self.last = self.of(way.path.answered)
            elif match is None:
                self.last |= self.reason(one, way)
        if match is not None:
            self.known = {symbol: frozenset(self._within(after, symbols)) for symbol, symbols in match.path.depends}

    def _within(self, known: Mapping[Symbol, frozenset[Use]], symbols: Iterable[Symbol]) -> set[Use]:
        return set().union(*(known.get(symbol, frozenset()) for symbol in symbols))

    def draw(self, one: _Compiled, way: _Way) -> set[Use]:
        """The noise of the second run on this way; who pays for it."""
        payers: set[Use] = set()
        for read, _ in way.path.reads:
            self.known[read.symbol] = frozenset(self.of(symbols_of(read.place)))
        for index, form in enumerate(way.forms):
            drawn, uses = way.path.path.draws[index], {one.uses[index]}
            if form.cancel:
                uses |= self.of(symbols_of(drawn.rest))
            if form.follow is not None and isinstance(value := drawn.names.get(form.follow), Numeric):
                uses |= self.of(symbols_of(value.value))
            self.known[drawn.symbol] = frozenset(uses)
            if index < len(way.shifts) and way.shifts[index]:
                payers |= uses
        return payers

    def reason(self, one: _Compiled, way: _Way) -> set[Use]:
        """Why the second run does not go along on this way."""
        if way.refused:
            return set(self.known[way.path.path.draws[len(way.forms) - 1].symbol])
        if not way.fits:
            asked = zip(way.path.conditions, way.path.asked, strict=True)
            failing = [self.of(symbols) for condition, symbols in asked if not condition(way.state)]
            return min(failing, key=len)
        told = self.of(way.path.told)
        return told | set(one.uses) | set(way.path.uses)


class Stage:
    """A product whose two runs can be played, with a stock of scenarios."""

    def __init__(
        self, product: Product, neighbours: Neighbours, claim: Scale, seed: int, count: int, effort: Effort
    ):
        self.effort = effort
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
        # Long enough that a cost in every turn is more than the claim.
        steps = max((coefficient for _, coefficient in self.price.values()), default=Fraction(1)) * claim.coefficient
        grows = any(power > 0 for powers, _ in self.price.values() for _, power in powers)  # with an argument of up to 3
        self.long = min(max(8, math.ceil((6 if grows else 2) * steps)), LONGEST)
        self.most_segments = 2 * self.long + 8
        self.asked = [conditions_asked(product, draw.site) for draw in product.sketch.draws]
        for compiled in (path for run in self.paths.values() for paths in run.values() for path in paths):
            compiled.uses = self.uses_of(compiled.path)
        self.constants = self.near_constants()
        self.rng = random.Random(seed)
        self.scenarios = [self.draw_scenario(self.rng, index) for index in range(count)]
        self.played: Alignment | None = None
        self.rules: dict[tuple[int, int], Rule] = {}
        self.pairs: dict[tuple[int, int], bool] = {}

    def draw_scenario(self, rng: random.Random, index: int) -> Scenario:
        """Small numbers on the grid of the distance, so that ties and near misses are common."""
        step = self.neighbours.distance
        unit: Any = step.numerator if step.denominator == 1 else step
        size = (1, 2, 3, 4, self.long)[index % 5]
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
        for opaque in self.product.first.opaque:  # in the order in which they were met, so that inner ones come first
            left, right = compile_sum(opaque.left)(public), compile_sum(opaque.right)(public)
            public[opaque.symbol] = left * right if opaque.op == "*" else Fraction(left) / right if right else 0
        spread = rng.choice((1, 3))
        far = rng.choice((0, 0, 8))  # long rows of answers on one side of everything else
        levels = [rng.choice((-far, far)) for _ in range(3)]
        cuts = sorted(rng.randint(0, size) for _ in range(2))
        answers = tuple(
            (levels[sum(i >= cut for cut in cuts)] + rng.randint(-spread, spread)) * unit for i in range(size)
        )
        near = self.constants and rng.random() < 0.3  # answers next to the numbers that the program compares them with
        if near:
            answers = tuple(rng.choice(self.constants) for _ in range(size))
        moves = self.draw_moves(rng, size, unit)
        if near:
            aims = [rng.choice(self.constants) - answer for answer in answers]
            moves = tuple(aim if move * aim > 0 and abs(aim) < abs(move) else move for move, aim in zip(moves, aims))
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
            for segment in range(self.most_segments):
                table[draw.site, segment] = rng.randint(low, wide) * unit
            if rng.random() < 0.5:  # what is drawn first, a threshold, is often far from the answers
                table[draw.site, 0] = rng.choice((low and -8, 8)) * unit + table[draw.site, 0]
        return Scenario(public, quantities, answers, moves, table, rng.randint(-1, size + 1))

    def near_constants(self) -> list[Any]:
        """The numbers of the program, and what is next to them."""
        step = min(self.neighbours.distance, Fraction(1))
        values = {node.value for node in walk(self.product.sketch.body) if isinstance(node, Const)}
        exact = sorted({value for value in values if isinstance(value, Fraction)})[:6]
        near = sorted({value + sign * step for value in exact for sign in (-1, 0, 1)})
        return [value.numerator if value.denominator == 1 else value for value in near if not self.neighbours.whole or value.denominator == 1]

    def draw_moves(self, rng: random.Random, size: int, unit: Any) -> tuple[Any, ...]:
        low = 0 if self.neighbours.kind == "up" else -1
        high = 0 if self.neighbours.kind == "down" else 1
        if self.neighbours.single:
            at, by = rng.randrange(size), rng.choice((-1, 1, 1, -1, 0)) * unit
            return tuple(by if i == at else 0 for i in range(size))
        corners = [c for c in (low, high) if c] if rng.random() < 0.7 else [low, 0, high]
        return tuple(rng.choice(corners) * unit for _ in range(size))

    # ---- playing

    def uses(self) -> list[Use]:
        """All draws with all outcomes of their conditions, in the order of the program's segments."""
        runs = (self.product.first, self.product.second)
        paths = [path for run in runs for paths in run.paths.values() for path in paths]
        return list(dict.fromkeys(use for path in paths for use in self.uses_of(path)))

    def uses_of(self, path: SegmentPath) -> list[Use]:
        return [(drawn.site, _pattern(path, self.asked[drawn.site])) for drawn in path.draws]

    def first_run(self, scenario: Scenario, ghosts: Sequence[str]) -> list[int | None] | None:
        """The values of the ghosts' variables at the end of the first run; None if it does not end."""
        state, loop = dict(scenario.public), None
        for segment in range(self.most_segments):
            found = self.enter(1, loop, state, scenario, segment)
            if found is None:
                return None
            path, local = found
            if path.answer is not None:
                values = [path.names.get(ghost) for ghost in ghosts]
                found_values = [None if value is None else _evaluator(value)(local) for value in values]
                return [value if isinstance(value, int) else None for value in found_values]
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

    def play(
        self, scenario: Scenario, alignment: Alignment, ghost: int | None = None, traced: bool = False
    ) -> Outcome:
        """Both runs, the second with shifted noise; all ghosts are `ghost`, or what they are in the first run."""
        counted = True
        self.effort.spent += 1
        state: ConcreteState = dict(scenario.public)
        if alignment.ghosts:
            actual = self.first_run(scenario, alignment.ghosts) or [None] * len(alignment.ghosts)
            for which, value in enumerate(actual):
                given = ghost if ghost is not None else value if value is not None else 0
                state[ghost_value(which)] = given
                counted = counted and (value is None or value == given)
        for powers in self.product.monomials:
            state[self.product.spent(powers)] = 0
        states: list[tuple[int, ConcreteState]] = []
        loop: int | None = None
        trace = _Trace(self.product) if traced else None
        for segment in range(self.most_segments):
            found = self.enter(1, loop, state, scenario, segment)
            if found is None:
                return Outcome(tuple(states), False)
            one, local = found
            lazy = self.ways(one, local, loop, scenario, segment, alignment)
            ways = list(lazy) if trace is not None else lazy
            match = next((way for way in ways if way.fits), None)
            if match is not None and not match.goes_along:
                match = None
            failed = match is None or any(fault(local) for fault in one.faults)
            if trace is not None:
                trace.follow(one, list(ways), match)
            if failed or match is None:
                return Outcome(tuple(states), True, trace.blame() if trace else frozenset())
            both = match.state
            for powers, cost in match.costs.items():
                both[self.product.spent(powers)] += cost
            if counted and any(match.costs.values()) and self.too_much(both, scenario):
                return Outcome(tuple(states), True, trace.paid() if trace else frozenset())
            if one.answer is not None and match.path.answer is not None:
                failed = counted and one.answer(both) != match.path.answer(both)
                states.append((END, both))
                return Outcome(tuple(states), failed, trace.blame() if trace else frozenset())
            state = {s: v for s, v in both.items() if s in state}
            state = self.move_on(match.path, both, self.move_on(one, both, state))
            assert isinstance(one.path.end, Goto)
            loop = one.path.end.loop
            states.append((loop, state))
        return Outcome(tuple(states), False)

    def ways(
        self,
        one: _Compiled,
        local: ConcreteState,
        loop: int | None,
        scenario: Scenario,
        segment: int,
        alignment: Alignment,
    ) -> Iterator[_Way]:
        """The paths on which the second run could go along with the first run's: at most one of them fits."""
        for two in self.paths[2][loop]:
            if self.may_pair(one, two):
                yield self.way(one, two, local, scenario, segment, alignment)

    def may_pair(self, one: _Compiled, two: _Compiled) -> bool:
        """Whether the two paths draw and end alike, whatever the noise."""
        key = (id(one), id(two))
        if key not in self.pairs:
            self.pairs[key] = (
                one.draw_keys == two.draw_keys
                and type(one.path.end) is type(two.path.end)
                and (self.may_answer(one.path.end, two.path.end) or one.path.end == two.path.end)
                and FALSE not in map(same, one.grown, two.grown)
            )
        return self.pairs[key]

    def may_answer(self, one: Goto | Returned, two: Goto | Returned) -> bool:
        if not isinstance(one, Returned) or not isinstance(two, Returned):
            return False
        return not self.product.settled or one.step == two.step

    def way(
        self,
        one: _Compiled,
        two: _Compiled,
        local: ConcreteState,
        scenario: Scenario,
        segment: int,
        alignment: Alignment,
    ) -> _Way:
        """The second run on one of its paths, with the noise of the first and the alignment's shifts."""
        both = dict(local)
        for read, place in two.reads:
            at = place(both)
            inside = read.private and 0 <= at < len(scenario.answers)
            both[read.symbol] = scenario.answers[at] + scenario.moves[at] if inside else 0
        costs: dict[Any, Any] = {}
        shifts: list[Any] = []
        forms: list[Form] = []
        for index, ((mine, mine_rest, mine_names), (drawn, rest, names)) in enumerate(zip(one.draws, two.draws, strict=True)):
            form = self.form_of(self.rule(alignment, drawn.site, one), one, index, both)
            forms.append(form or Form())
            shift = None if form is None else self.shift(form, both, (mine.factor, mine_rest, mine_names), (rest, names))
            if shift is None or (drawn.noise.one_sided and scenario.noise[drawn.site, segment] + shift < 0):
                return _Way(two, both, costs, tuple(forms), shifts=tuple(shifts), refused=True)
            powers, coefficient = self.price[drawn.site]
            costs[powers] = costs.get(powers, 0) + abs(shift) / coefficient
            shifts.append(shift)
            both[drawn.symbol] = scenario.noise[drawn.site, segment] + shift
        fits = two.fits(both)
        alike = fits and (
            not any(fault(both) for fault in two.faults)
            and all(a(both) == b(both) for a, b in zip(one.lists, two.lists, strict=True))
            and all(self.rule(alignment, d.site, one) == self.rule(alignment, d.site, two) for d in one.path.draws)
        )
        return _Way(two, both, costs, tuple(forms), tuple(shifts), False, fits, alike)

    def rule(self, alignment: Alignment, site: int, path: _Compiled) -> Rule:
        """What an alignment says of a draw on a path; remembered while the same one is played."""
        if self.played is not alignment:
            self.played, self.rules = alignment, {}
        key = (site, id(path))
        if key not in self.rules:
            self.rules[key] = alignment.chosen(site, path.path.decisions)
        return self.rules[key]

    def form_of(self, rule: Rule, one: _Compiled, index: int, state: ConcreteState) -> Form | None:
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

    def failures(self, alignment: Alignment) -> list[frozenset[Use]]:
        """Uses whose rules fail together, one set for each of some rehearsals; their scenarios are asked first next time."""
        failures = (scenario for scenario in self.scenarios if self.play(scenario, alignment).failed)
        failing = list(itertools.islice(failures, LESSONS))
        for scenario in failing:
            self.scenarios.remove(scenario)
        self.scenarios = [*failing, *self.scenarios]
        return [self.play(scenario, alignment, traced=True).blame for scenario in failing]

    def grow(self) -> None:
        """More rehearsals: where an attempt at a proof failed, they were too few."""
        self.scenarios += [self.draw_scenario(self.rng, index) for index in range(MORE)]

    def sensitivities(self) -> list[Fraction]:
        """By how much sums that noise is added to differ between runs without shifts, in units of the distance."""
        still = Alignment(tuple(Always(Form()) for _ in self.product.sketch.draws))
        found: set[Fraction] = set()
        for scenario in self.scenarios[:60]:
            loop: int | None = None
            state: ConcreteState = dict(scenario.public)
            state |= {self.product.spent(powers): 0 for powers in self.product.monomials}
            for segment in range(self.most_segments):
                entered = self.enter(1, loop, state, scenario, segment)
                if entered is None:
                    break
                ways = self.ways(entered[0], entered[1], loop, scenario, segment, still)
                match = next((way for way in ways if way.goes_along), None)
                if match is None or isinstance(entered[0].path.end, Returned):
                    break
                one, two, both = entered[0], match.path, match.state
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
            for ghost in [None, scenario.ghost] if alignment.ghosts else [None]:
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
