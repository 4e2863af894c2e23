"""The paths of a run as functions on concrete numbers, and which rules a second run depends on. Nothing here is trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from kolahal.logic.compiled import compile_formula, compile_sum
from kolahal.logic.linear import LinearForm, plain
from kolahal.logic.terms import BOOL, Symbol, symbols_of
from kolahal.nouns import dataclass
from kolahal.proof.find.scenarios import contents
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import Asked, Form
from kolahal.proof.trusted.states import updates_of
from kolahal.proof.trusted.symbols import Own
from kolahal.proof.trusted.values import (
    Built,
    Computation,
    Drawn,
    Goto,
    Logical,
    Maybe,
    NoScores,
    Numeric,
    Returned,
    Run,
    SegmentPath,
    Several,
    SymbolicValue,
)

MOST_LANDMARKS = 4  # of a program
LARGEST = 1 << 256  # numerator or denominator of a result in a rehearsal; squares of squares outgrow all bounds
MOST_PATTERNS = 16  # outcomes of conditions that the shift of one draw may depend on

ConcreteState = dict[Symbol, Any]
# A draw by its site, and the outcomes of the conditions that its shift may depend on.
Use = tuple[int, tuple[bool, ...]]


def evaluator(value: SymbolicValue | Several | NoScores) -> Callable[[ConcreteState], Any]:
    match value:
        case Numeric(term):
            return compile_sum(term)
        case Logical(formula):
            return compile_formula(formula)
        case Maybe(none, inner):
            test, then = compile_formula(none), evaluator(inner)
            return lambda state: None if test(state) else then(state)
        case Several(items):
            parts = [evaluator(item) for item in items]
            return lambda state: tuple(part(state) for part in parts)
        case Built(base, _, front, back):
            ends = [[evaluator(item) for item in items] for items in (front, back)]
            return lambda state: (base, *([part(state) for part in items] for items in ends))
        case _:
            return lambda state: "list"


def _gathered(value: SymbolicValue, run: int) -> Callable[[ConcreteState], Any]:
    """All items of a list, where a segment ends."""
    if not isinstance(value, Built):
        return lambda state: ()  # no list on this way: there is no proof
    base, ends = value.base, [[evaluator(item) for item in items] for items in (value.front, value.back)]

    def gather(state: ConcreteState) -> tuple[Any, ...]:
        front, back = ([item(state) for item in items] for items in ends)
        return (*front, *(() if base is None else state[contents(base, run)]), *back)

    return gather


def _told(drawn: Drawn) -> Callable[[ConcreteState], Any]:
    """What a shift of a draw has to do with: the rest of its sum or truth value, or how far a rival is ahead."""
    if drawn.rival is not None:
        return compile_sum(drawn.rival.gap)
    return compile_formula(drawn.side) if drawn.noise.finite else compile_sum(drawn.rest)


def symbols_within(value: SymbolicValue | Several | NoScores) -> frozenset[Symbol]:
    match value:
        case Numeric(term):
            return symbols_of(term)
        case Logical(formula):
            return symbols_of(formula)
        case Maybe(none, inner):
            return symbols_of(none) | symbols_within(inner)
        case Several(items):
            return frozenset().union(*map(symbols_within, items))
        case Built(_, length, front, back):
            return symbols_of(length).union(*map(symbols_within, (*front, *back)))
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
    while len({pattern_of(path, ordered) for path in drawn_on}) > MOST_PATTERNS:
        ordered.pop()
    return tuple(ordered)


def _draws(path: SegmentPath, site: int) -> bool:
    return any(drawn.site == site for drawn in path.draws)


def pattern_of(path: SegmentPath, asked: Sequence[Asked]) -> tuple[bool, ...]:
    return tuple(bool(path.decisions.get(branch)) for branch in asked)


class CompiledPath:
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
                _told(drawn),
                {n: evaluator(v) for n, v in drawn.names.items() if isinstance(v, Numeric | Logical)},
            )
            for drawn in path.draws
        ]
        self.computed = [(c.symbol, c.op, compile_sum(c.left), compile_sum(c.right)) for c in path.computed]
        self.inverses = [plain(1 / Fraction(drawn.factor)) if drawn.factor else None for drawn in path.draws]  # of what draws are multiplied by
        self.lengths = {d.symbol: compile_sum(d.rival.length) for d in path.draws if d.rival is not None}
        self.turns = [compile_sum(drawn.turn) for drawn in path.draws]
        self.draw_laws = [drawn.law for drawn in path.draws]
        self.uses: list[Use] = []
        self.partners: list[CompiledPath] = []  # of a first run: the second run's paths that may go along
        self.answer = evaluator(path.end.value) if isinstance(path.end, Returned) else None
        self.names = path.names
        self.updates: list[tuple[Symbol, Callable[[ConcreteState], Any]]] = []
        self.lists: list[Callable[[ConcreteState], Any]] = []
        self.grown: list[SymbolicValue] = []
        self.depends: list[tuple[Symbol, frozenset[Symbol]]] = []
        self.answered = symbols_within(path.end.value) if isinstance(path.end, Returned) else frozenset()
        if isinstance(path.end, Goto):
            place = run.place(path.end.loop)
            self.grown = [path.names[name] for name, value in place.names if isinstance(value, Built)]
            self.lists = [evaluator(value) for value in self.grown]
            if run.noisy_items:
                self.updates = [(contents(name, run.which), _gathered(path.names[name], run.which)) for name, value in place.names if isinstance(value, Built)]
            for name, symbols in place.names:
                for symbol, term in updates_of(symbols, path.names[name], {}):
                    self.depends.append((symbol, symbols_of(term)))
                    self.updates.append(
                        (symbol, compile_sum(term) if isinstance(term, LinearForm) else compile_formula(term))
                    )
            for ghost, symbol in place.ghosts:
                self.updates.append((symbol, compile_sum(path.ghosts[ghost])))

        # What must be as in the other run: lists, and that there is no fault.
        self.told = frozenset().union(*map(symbols_within, self.grown), *map(symbols_of, path.faults))

    def compute(self, state: ConcreteState, made: int) -> None:
        """The products and quotients that depend on no draw but the first `made`."""
        for symbol, op, left, right in self.computed:
            if symbol.before <= made and symbol not in state:
                a, b = left(state), right(state)
                value = a * b if op == "*" else Fraction(a) / b if b else 0
                state[symbol] = value if max(abs(value.numerator), value.denominator) < LARGEST else 0

    def fits(self, state: ConcreteState) -> bool:
        """Whether the run takes this path, with all results."""
        if self.computed:
            self.compute(state, len(self.draws))
        for condition in self.conditions:  # noqa: SIM110  (a generator for every turn of every rehearsal takes longer)
            if not condition(state):
                return False
        return True


class SecondRun(NamedTuple):  # made for every turn of every rehearsal
    """The second run on one path of a segment: its values, what its shifts cost, and whether it is a path that the run
    takes there (`fits`) and that goes along with the first run."""

    path: CompiledPath
    state: ConcreteState
    costs: Mapping[Any, Any]
    forms: tuple[Form, ...]
    shifts: tuple[Any, ...]
    refused: bool  # a shift that cannot be
    fits: bool = False
    goes_along: bool = False


class Trace:
    """Which uses the second run's values depend on, along a rehearsal that fails.

    The nearer to the cause, the more other alignments fail for the same reason.
    """

    def __init__(self) -> None:
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

    def follow(self, one: CompiledPath, ways: Sequence[SecondRun], match: SecondRun | None) -> None:
        """One segment further; `last` is then what its failure, or an answer that differs, is to be blamed on."""
        before = after = self.known
        self.last = set()
        for way in ways:
            self.known = dict(before)
            payers = self.draw(one, way)
            if way is match:
                self.payers |= payers
                if len(ways) > 1:
                    self.always |= self.of(symbol for symbols in way.path.asked for symbol in symbols)
                self.last = self.of(way.path.answered)
                after = {symbol: frozenset(self.of(symbols)) for symbol, symbols in way.path.depends}
            elif match is None:
                self.last |= self.reason(one, way)
        self.known = after

    def draw(self, one: CompiledPath, way: SecondRun) -> set[Use]:
        """The noise of the second run on this way; who pays for it."""
        payers: set[Use] = set()
        for read, _ in way.path.reads:
            drawn_for: set[Use] = set() if read.noisy is None else {(read.noisy.site, ())}
            self.known[read.symbol] = frozenset(self.of(symbols_of(read.place)) | drawn_for)
        computed = list(way.path.path.computed)
        for index, form in enumerate(way.forms):
            drawn, uses = way.path.path.draws[index], {one.uses[index]}
            while computed and computed[0].symbol.before <= index:
                self.compute(computed.pop(0))
            if form.cancel:
                uses |= self.of(symbols_of(drawn.side if drawn.noise.finite else drawn.rest))
            if form.follow is not None and isinstance(value := drawn.names.get(form.follow), Numeric | Logical):
                uses |= self.of(symbols_of(value.value))
            self.known[drawn.symbol] = frozenset(uses)
            if index < len(way.shifts) and way.shifts[index]:
                payers |= uses
        for computation in computed:
            self.compute(computation)
        return payers

    def compute(self, computation: Computation) -> None:
        self.known[computation.symbol] = frozenset(self.of(symbols_of(computation.left) | symbols_of(computation.right)))

    def reason(self, one: CompiledPath, way: SecondRun) -> set[Use]:
        """Why the second run does not go along on this way."""
        if way.refused:
            return set(self.known[way.path.path.draws[len(way.forms) - 1].symbol])
        if not way.fits:
            asked = zip(way.path.conditions, way.path.asked, strict=True)
            failing = [self.of(symbols) for condition, symbols in asked if not condition(way.state)]
            return min(failing, key=len)
        told = self.of(way.path.told)
        return told | set(one.uses) | set(way.path.uses)


def landmarks(played: Iterable[tuple[CompiledPath, ConcreteState]], known: Sequence[Any]) -> list[Any]:
    """Values of variables that answers are compared with, without noise, and what is next to them; the commonest more often."""
    seen: Counter[Any] = Counter()
    for path, state in played:
        for asked in path.asked:
            own = [(symbol, symbol.stem.partition(".")[0]) for symbol in asked if isinstance(symbol, Own) and symbol.sort != BOOL]
            kinds = {kind for _, kind in own}
            if "read" in kinds and "noise" not in kinds:
                seen.update(state[symbol] for symbol, kind in own if kind != "read")
    found = [value for value, _ in seen.most_common() if value not in known][:MOST_LANDMARKS]
    weighed = [value for rank, value in enumerate(found) for _ in range(MOST_LANDMARKS - rank)]
    return [value + near for value in weighed for near in (-1, 0, 1)]


@dataclass(frozen=True, slots=True)
class ObservedStates:
    """States at loop heads and at the end, and what single segments cost, for each kind of scale."""

    states: tuple[tuple[int, ConcreteState], ...]
    prices: Mapping[Symbol, tuple[Fraction, ...]]
    rounds: Mapping[Symbol, tuple[Fraction, ...]]  # of two segments too, such as a new threshold and a hit
