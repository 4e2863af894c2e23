"""All runs of a program of fixed size at once: private answers, real arguments and noise are unknowns.

Every value is affine in the unknowns and every branch compares such a value with 0, so a program falls apart into
*paths*: a polyhedron of answers, arguments and noise, and the answer that every run inside it gives. Scales play no
part: a draw is an unknown, whatever its scale.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias, TypeVar

from kolahal.engine.reference import OPERATORS
from kolahal.engine.tape import Turns
from kolahal.lang.ir import (
    Append,
    Assign,
    Binary,
    Block,
    Break,
    Call,
    Comprehension,
    Const,
    Continue,
    Draw,
    Expr,
    For,
    If,
    Index,
    IsNone,
    Length,
    ListOf,
    Negate,
    Node,
    Not,
    Range,
    Return,
    Stmt,
    TupleOf,
    Var,
    While,
)
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch, Type
from kolahal.lang.source import Source, Span
from kolahal.logic.affine import (
    Affine,
    Answer,
    Argument,
    Atom,
    Atoms,
    Drawn,
    Number,
    Public,
    Symbol,
    constant_form,
    plain,
    symbol_form,
    symbols_of,
)
from kolahal.logic.simplex import find_point
from kolahal.model import Unknown

MOST_TURNS = 10_000  # loop turns of one path; proofs are about a handful of answers, so a loop this long has no end
OPEN_TURNS, OPEN_TURNS_A_PLACE = 40, 4  # turns of a `while` that unknown values may keep alive, and more for each answer
MOST_WORK = 200_000  # of one exploration, in statements; comparisons and long lists count as many
MOST_BITS = 1_000  # of a whole number: doubles end there, and larger ones come from squaring or doubling in a loop

CONTINUOUS = frozenset({Noise.LAPLACE, Noise.EXPONENTIAL})
ONE_SIDED = frozenset({Noise.EXPONENTIAL, Noise.GEOMETRIC})

# Why a program is outside the affine core; the place in the source stands before it.
REFUSALS = {
    "product": "two unknown values are multiplied, so the output is not affine in the noise and the private answers",
    "quotient": "this divides by an unknown value, so the output is not affine in the noise and the private answers",
    "floor": "// and % of an unknown value are not affine",
    "place": "a place in a list depends on an unknown value",
    "bound": "the number of turns of a loop depends on an unknown value",
    "open": "whether this loop goes on depends on unknown values in every turn, and nothing else ends it",
    "turns": f"a loop goes on for more than {MOST_TURNS} turns",
    "work": f"following all paths to here takes more than {MOST_WORK} steps",
    "number": f"a number has more than {MOST_BITS} binary digits here",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """That a run stops with a fault, which its caller can see as well as an answer."""

    code: str
    span: Span


Item: TypeAlias = Affine | Number | bool | None
Value: TypeAlias = Item | tuple[Item, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Path:
    """Where `atoms` hold, a run gives `output` after drawing `draws`, in this order."""

    atoms: Atoms
    output: Value | Fault
    draws: tuple[Drawn, ...]
    point: Mapping[Symbol, Number] = field(compare=False, repr=False)  # a place inside


@dataclass(frozen=True, slots=True)
class Paths:
    """Every path of a program with `size` private answers; together they leave out no run, or only runs of probability 0.

    Which of the two, `explore` was asked: ties have probability 0 over the reals, and on a grid they do not.
    """

    sketch: Sketch
    size: int
    paths: tuple[Path, ...]
    noises: tuple[Noise, ...]  # by site
    # Sites whose noise made a left-out run improbable: with those switched off, nothing is known.
    almost: frozenset[int]

    def noise(self, symbol: Symbol) -> Noise | None:
        return self.noises[symbol.site] if isinstance(symbol, Drawn) else None

    def domain(self, symbols: Iterable[Symbol]) -> Atoms:
        """What always holds: one-sided noise is at least 0, and ε is above 0."""
        found = []
        for symbol in sorted(symbols, key=lambda s: (s.kind, str(s))):
            if self.noise(symbol) in ONE_SIDED:
                found.append(Atom(-symbol_form(symbol), strict=False))
            elif symbol == Argument(self.sketch.epsilon.name):
                found.append(Atom(-symbol_form(symbol), strict=True))
        return tuple(found)


def explore(
    sketch: Sketch,
    size: int,
    arguments: Mapping[str, Fraction | bool],
    most: int,
    silent: frozenset[int] = frozenset(),
    database: Sequence[Fraction] | None = None,
    ties: bool = False,
) -> Paths | Unknown:
    """All paths of a program with `size` private answers, or why there is no such list.

    `arguments` fixes the whole-number and boolean arguments, and may fix real ones and ε; `silent` names sites
    whose noise is switched off; `database` fixes the private answers. Runs in which continuous noise hits one value
    exactly are followed with `ties` only.
    """
    names: dict[str, Value] = {}
    for parameter in (*sketch.arguments, sketch.epsilon):
        value = arguments.get(parameter.name)
        if value is None:
            if parameter.type in (Type.INT, Type.BOOL):
                return Unknown(f"the argument {parameter.name} has no value")
            names[parameter.name] = symbol_form(Argument(parameter.name))
        else:
            names[parameter.name] = value if isinstance(value, bool) else plain(Fraction(value))
    places = [symbol_form(Answer(i)) for i in range(size)]
    names[sketch.private.name] = tuple(places) if database is None else tuple(plain(Fraction(a)) for a in database)
    explorer = Explorer(sketch, silent, size, ties)
    found: list[Path] = []
    states: list[State | Path] = [begin(sketch, names)]
    try:
        while states:
            state = states.pop()
            if isinstance(state, Path):
                found.append(state)
                if len(found) > most:
                    return Unknown(f"there are more than {most} paths at {size} answers")
            else:
                states.extend(reversed(explorer.step(state)))
    except Outside as outside:
        return Unknown(outside.reason(sketch))
    return Paths(sketch, size, tuple(found), explorer.noises, frozenset(explorer.almost))


# ---------------------------------------------------------------- the state of one path


@dataclass(frozen=True, slots=True)
class _Block:
    """Go on with `body[at]`."""

    body: Block
    at: int
    turns: Turns


@dataclass(frozen=True, slots=True)
class _Again:
    """Test the condition of a `while` for its next turn."""

    node: While
    turns: Turns
    turn: int


@dataclass(frozen=True, slots=True)
class _Next:
    """Take the next item of a `for`."""

    node: For
    items: tuple[Item, ...]
    turns: Turns
    turn: int


_Todo: TypeAlias = tuple[_Block | _Again | _Next, Any] | None  # the rest of the run, first thing first


@dataclass(frozen=True, slots=True)
class State:
    """Runs that are between the same two statements with the same values; `point` is a place inside."""

    names: dict[str, Value]  # not changed in place, as other paths may share it
    todo: _Todo
    atoms: Atoms = ()
    point: Mapping[Symbol, Number] = field(default_factory=dict)
    draws: tuple[Drawn, ...] = ()
    turns_left: int = MOST_TURNS

    @property
    def at_turn(self) -> bool:
        """Whether a loop comes next: its next turn, or its end."""
        return self.todo is not None and isinstance(self.todo[0], _Again | _Next)

    def place(self) -> Hashable:
        """Equal for states of one program that stand at the same statement in the same turns."""
        key: list[Hashable] = []
        todo = self.todo
        while todo is not None:
            match todo[0]:
                case _Block(body, at, turns):
                    key.append((id(body), at, turns))
                case _Again(node, turns, turn):
                    key.append((id(node), turns, turn))
                case _Next(node, items, turns, turn):
                    key.append((id(node), len(items), turns, turn))
            todo = todo[1]
        return tuple(key)


def begin(sketch: Sketch, names: dict[str, Value]) -> State:
    """The state before the first statement, with the values of all parameters."""
    return State(names, (_Block(sketch.body, 0, ()), None))


class Outside(Exception):
    """The program does something that is not affine."""

    def __init__(self, why: str, node: Node):
        super().__init__(why)
        self.why, self.node = why, node

    def reason(self, sketch: Sketch) -> str:
        source = sketch.source or Source(sketch.name, "")
        place = f"{source.path}:{self.node.span.line}:{self.node.span.column}" if self.node.span.line else source.path
        return f"{place}: {REFUSALS[self.why]}"


class _Stop(Exception):
    """The run stops with a fault."""

    def __init__(self, code: str, node: Node):
        super().__init__(code)
        self.fault = Fault(code, node.span)


class Explorer:
    """The meaning of statements for states; `silent` names sites whose noise is switched off.

    Without `ties`, runs in which continuous noise hits one value exactly are left out, and noted in `almost`.
    """

    def __init__(self, sketch: Sketch, silent: frozenset[int], size: int, ties: bool = False):
        self.silent, self.ties = silent, ties
        self.open_turns = OPEN_TURNS + OPEN_TURNS_A_PLACE * size
        self.noises = tuple(draw.noise for draw in sketch.draws)
        self.epsilon = Argument(sketch.epsilon.name)
        self.almost: set[int] = set()
        self.now: Node = sketch.body[0]  # the statement that is being followed
        self.work = 0
        self.asked = 0  # comparisons of unknown values

    def spend(self, work: int) -> None:
        """Count work, so that a program which explodes is given up at the same place on every machine."""
        self.work += work
        if self.work > MOST_WORK:
            raise Outside("work", self.now)

    def checked(self, value: Affine | Number, node: Node) -> Affine | Number:
        """A value that was computed, unless it has outgrown all bounds."""
        if isinstance(value, Affine):
            self.spend(len(value.terms) // 16)
            largest = max((n for c in (value.constant, *value.terms.values()) for n in _parts(c)), key=abs)
        else:
            largest = max(_parts(value), key=abs)
        if largest.bit_length() > MOST_BITS:
            raise Outside("number", node)
        return value

    # ---- statements

    def step(self, state: State) -> list[State | Path]:
        """What a state can become by its next statement."""
        assert state.todo is not None, "a checked program ends with an answer"
        task, rest = state.todo
        self.spend(1 + (len(state.atoms) + len(state.draws)) // 32)
        match task:
            case _Block(body, at, turns):
                if at == len(body):
                    return [replace(state, todo=rest)]
                self.now = body[at]
                after: _Todo = (_Block(body, at + 1, turns), rest) if at + 1 < len(body) else rest
                return self.statement(body[at], turns, replace(state, todo=after))
            case _Again(loop, turns, turn):
                inner = (*turns, turn)
                again: _Todo = (_Block(loop.body, 0, inner), (_Again(loop, turns, turn + 1), rest))

                def test(goes_on: bool, state: State) -> State:
                    return self.turn(replace(state, todo=again), loop) if goes_on else replace(state, todo=rest)

                asked = self.asked
                found = self.outcomes(state, lambda e: e.truth(loop.test, inner), test)
                unknown = self.asked > asked or len(state.atoms) >= turn or loop.test == Const(True)
                if turn > self.open_turns and unknown:
                    raise Outside("open", loop)
                return found
            case _Next(node, items, turns, turn):
                if turn == len(items):
                    return [replace(state, todo=rest)]
                names = {**state.names, node.name: items[turn]}
                following = (_Block(node.body, 0, (*turns, turn)), (_Next(node, items, turns, turn + 1), rest))
                return [self.turn(replace(state, names=names, todo=following), node)]

    def turn(self, state: State, loop: Stmt) -> State:
        if not state.turns_left:
            raise Outside("turns", loop)
        return replace(state, turns_left=state.turns_left - 1)

    def statement(self, node: Stmt, turns: Turns, state: State) -> list[State | Path]:
        def bind(new: dict[str, Value], state: State) -> State:
            return replace(state, names={**state.names, **new})

        def push(task: _Block | _Again | _Next, state: State) -> State:
            return replace(state, todo=(task, state.todo))

        match node:
            case Assign(targets, values):
                return self.outcomes(
                    state, lambda e: dict(zip(targets, [e.value(v, turns) for v in values], strict=True)), bind
                )
            case Append():
                return self.outcomes(state, lambda e: {node.name: e.grown(node, turns)}, bind)
            case If(test, then, orelse):
                return self.outcomes(
                    state,
                    lambda e: e.truth(test, turns),
                    lambda yes, s: push(_Block(then if yes else orelse, 0, turns), s),
                )
            case While():
                return [push(_Again(node, turns, 0), state)]
            case For(_, over, _):
                return self.outcomes(
                    state, lambda e: e.items(over, turns), lambda items, s: push(_Next(node, items, turns, 0), s)
                )
            case Return(value):
                return self.outcomes(
                    state, lambda e: e.value(value, turns), lambda output, s: Path(s.atoms, output, s.draws, s.point)
                )
            case Break() | Continue():
                todo = state.todo
                while todo is not None and isinstance(todo[0], _Block):
                    todo = todo[1]
                assert todo is not None, "the parser refuses `break` outside a loop"
                return [replace(state, todo=todo[1] if isinstance(node, Break) else todo)]

    def outcomes(
        self, state: State, compute: Callable[[_Evaluation], T], then: Callable[[T, State], State | Path]
    ) -> list[State | Path]:
        """Every way in which a computation can end, and the state after it.

        At a comparison that can go several ways, the others are noted, and the computation is done again for each.
        """
        pending: list[tuple[_Choices, Mapping[Symbol, Number]]] = [((), state.point)]
        found: list[State | Path] = []
        while pending:
            choices, point = pending.pop()
            evaluation = _Evaluation(self, state, choices, point)
            try:
                result = compute(evaluation)
                found.append(then(result, evaluation.after()))
            except _Stop as stop:
                after = evaluation.after()
                found.append(Path(after.atoms, stop.fault, after.draws, after.point))
            except _Impossible:
                pass
            pending.extend(reversed(evaluation.others))
        return found

    # ---- which comparisons can hold

    def find_point(self, before: Atoms, new: Atoms, point: Mapping[Symbol, Number]) -> Mapping[Symbol, Number] | None:
        """A point where `before` and `new` hold, starting from a point where `before` does, or None."""
        inner = [self.interior(atom) for atom in new]
        # Whatever was compared before has a place in the point.
        unseen = {s: self.usual(s) for atom in new for s in atom.form.terms if s not in point}
        point = {**point, **unseen}
        if all(atom.holds(point) for atom in inner):
            return point
        form = inner[0].form
        fresh = next((s for s in form.terms if s in unseen and self.is_free(s)), None)
        if fresh is not None:
            # Nothing was asked of this unknown before, so it alone can make the comparison true; two are an equation.
            margin = 1 if inner[0].strict and len(new) == 1 else 0
            step = (form.at(point) + margin) / Fraction(form.terms[fresh])
            return {**point, fresh: plain(point[fresh] - step)}
        asked = _strongest([*_linked(before, new), *new])
        self.spend(1 + len(asked) ** 2 * len(symbols_of(asked)) // 128)  # what solving takes
        positive = {s for s in symbols_of(asked) if isinstance(s, Drawn) and self.noises[s.site] in ONE_SIDED}
        if self.epsilon in symbols_of(asked):
            asked.append(Atom(-symbol_form(self.epsilon), strict=True))
        moved = find_point([self.interior(atom) for atom in asked], positive)
        if moved is None:
            edges = [atom for atom in asked if not atom.strict and self.continuous_sites(atom.form)]
            tie = find_point(asked, positive) if edges else None
            if tie is None or self.ties:
                return None if tie is None else {**point, **tie}
            self.almost.update(*(self.continuous_sites(atom.form) for atom in edges))
            return None
        return {**point, **moved}

    def interior(self, atom: Atom) -> Atom:
        """The atom without its boundary where continuous noise makes that improbable; a point there says more."""
        return Atom(atom.form, strict=True) if self.continuous_sites(atom.form) else atom

    def continuous_sites(self, form: Affine) -> set[int]:
        return {s.site for s in form.terms if isinstance(s, Drawn) and self.noises[s.site] in CONTINUOUS}

    def is_free(self, symbol: Symbol) -> bool:
        """Whether the unknown takes every real value."""
        if isinstance(symbol, Drawn):
            return self.noises[symbol.site] not in ONE_SIDED
        return symbol != self.epsilon

    def usual(self, symbol: Symbol) -> Number:
        return 0 if self.is_free(symbol) else 1


def _linked(before: Atoms, new: Atoms) -> list[Atom]:
    """The atoms that share unknowns with `new`, directly or through others; the rest cannot contradict it."""
    reached = set(symbols_of(new))
    waiting, linked = list(before), []
    growing = True
    while growing:
        growing = False
        for atom in list(waiting):
            if not reached.isdisjoint(atom.form.terms):
                reached.update(atom.form.terms)
                waiting.remove(atom)
                linked.append(atom)
                growing = True
    return linked


def _strongest(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms without those that another one implies because it bounds the same form more tightly."""
    best: dict[frozenset[tuple[Symbol, Number]], Atom] = {}
    for atom in atoms:
        key = frozenset(atom.form.terms.items())
        known = best.get(key)
        if known is None or (known.form.constant, known.strict) < (atom.form.constant, atom.strict):
            best[key] = atom
    return list(best.values())


class _Impossible(Exception):
    """No choice is left: the runs that came here have probability 0."""


_Choices: TypeAlias = tuple[tuple[int, bool], ...]  # which option each comparison took, and whether it had others


# ---------------------------------------------------------------- expressions


class _Evaluation:
    """One computation on a state; `choices` says which way the first comparisons go."""

    def __init__(self, explorer: Explorer, state: State, choices: _Choices, point: Mapping[Symbol, Number]):
        self.explorer, self.state = explorer, state
        self.names = state.names
        self.choices, self.made = choices, 0
        self.atoms, self.draws, self.point = state.atoms, state.draws, point
        self.others: list[tuple[_Choices, Mapping[Symbol, Number]]] = []

    def after(self) -> State:
        return replace(self.state, atoms=self.atoms, draws=self.draws, point=self.point)

    def decide(self, *options: Atoms) -> int:
        """Which of the options, of which always exactly one holds, holds on this path."""
        self.explorer.asked += 1
        if self.made == len(self.choices):
            points = [self.explorer.find_point(self.atoms, option, self.point) for option in options]
            possible = [(i, p) for i, p in enumerate(points) if p is not None]
            if not possible:
                raise _Impossible
            (first, self.point), *others = possible
            self.others += [((*self.choices, (i, True)), p) for i, p in others]
            self.choices = (*self.choices, (first, bool(others)))
        choice, is_new = self.choices[self.made]
        self.made += 1
        new = options[choice]
        # One comparison that could go both ways is none of those before; only other ones have to be looked for.
        self.atoms += new if is_new and len(new) == 1 else tuple(a for a in new if a not in self.atoms)
        return choice

    def less(self, left: Affine | Number, right: Affine | Number, strict: bool) -> bool:
        form = _form(left) - _form(right)
        if not form.terms:
            return form.constant < 0 if strict else form.constant <= 0
        atom = Atom(form, strict)
        return self.decide((atom,), (atom.negated(),)) == 0

    def equal(self, left: Value, right: Value) -> bool:
        if not isinstance(left, Affine) and not isinstance(right, Affine):
            return left == right
        if left is None or right is None or isinstance(left, tuple) or isinstance(right, tuple):
            return False
        form = _form(left) - _form(right)
        if not form.terms:
            return form.constant == 0
        sites = self.explorer.continuous_sites(form)
        if sites and not self.explorer.ties:
            # Continuous noise hits one value with probability 0.
            self.explorer.almost |= sites
            return False
        same = (Atom(form, strict=False), Atom(-form, strict=False))
        return self.decide(same, (Atom(form, strict=True),), (Atom(-form, strict=True),)) == 0

    def numeric(self, expr: Expr, turns: Turns) -> Affine | Number:
        value = self.value(expr, turns)
        if value is None or isinstance(value, bool | tuple):
            raise _Stop("K403", expr)
        return value

    def truth(self, expr: Expr, turns: Turns) -> bool:
        value = self.value(expr, turns)
        if not isinstance(value, bool):
            raise _Stop("K406", expr)
        return value

    def known(self, expr: Expr, turns: Turns, why: str) -> int:
        value = self.numeric(expr, turns)
        if isinstance(value, Affine):
            raise Outside(why, expr)
        return int(value)

    def listed(self, of: Var, turns: Turns) -> tuple[Item, ...]:
        items = self.value(of, turns)
        assert isinstance(items, tuple), "the checker refuses what is not a list here"
        return items

    def items(self, over: Var | Range, turns: Turns) -> tuple[Item, ...]:
        if isinstance(over, Var):
            return self.listed(over, turns)
        start, stop, step = (self.known(part, turns, "bound") for part in (over.start, over.stop, over.step))
        if step == 0:
            raise _Stop("K402", over)
        turns_of_range = range(start, stop, step)
        if len(turns_of_range) > MOST_TURNS:
            raise Outside("turns", over)
        return tuple(turns_of_range)

    def grown(self, node: Append, turns: Turns) -> Value:
        item, items = self.value(node.value, turns), self.listed(Var(node.name, span=node.span), turns)
        assert not isinstance(item, tuple), "the checker refuses lists of lists"
        self.explorer.spend(len(items) // 32)
        return (item, *items) if node.front else (*items, item)

    def value(self, expr: Expr, turns: Turns) -> Value:
        match expr:
            case Const(value):
                return value if value is None or isinstance(value, bool) else plain(value)
            case Var(name):
                if name not in self.names:
                    raise _Stop("K405", expr)
                return self.names[name]
            case Length(of):
                return len(self.listed(of, turns))
            case Index(of, at):
                items, place = self.listed(of, turns), self.known(at, turns, "place")
                if not -len(items) <= place < len(items):
                    raise _Stop("K401", expr)
                return items[place]
            case Not(of):
                return not self.truth(of, turns)
            case Negate(of):
                return -self.numeric(of, turns)
            case IsNone(of):
                return self.value(of, turns) is None
            case Binary("and", left, right):
                return self.truth(left, turns) and self.truth(right, turns)
            case Binary("or", left, right):
                return self.truth(left, turns) or self.truth(right, turns)
            case Binary("==" | "!=" as op, left, right):
                return self.equal(self.value(left, turns), self.value(right, turns)) == (op == "==")
            case Binary(_, left, right):
                return self.binary(expr, self.numeric(left, turns), self.numeric(right, turns))
            case Call(function, arguments):
                return self.call(function, [self.numeric(a, turns) for a in arguments])
            case Draw(_, _, site):
                if site in self.explorer.silent:
                    return 0
                drawn = Drawn(site, turns)
                self.draws += (drawn,)
                return symbol_form(drawn)
            case ListOf(items) | TupleOf(items):
                return tuple(self.item(item, turns) for item in items)
            case Comprehension(item, name, over):
                return self.comprehension(item, name, over, turns)

    def item(self, expr: Expr, turns: Turns) -> Item:
        value = self.value(expr, turns)
        assert not isinstance(value, tuple), "the checker refuses lists of lists"
        return value

    def comprehension(self, item: Expr, name: str, over: Var | Range, turns: Turns) -> tuple[Item, ...]:
        outer, result = self.names, []
        for turn, value in enumerate(self.items(over, turns)):
            self.explorer.spend(1)
            self.names = {**outer, name: value}
            result.append(self.item(item, (*turns, turn)))
        self.names = outer
        return tuple(result)

    def call(self, function: str, values: list[Affine | Number]) -> Affine | Number:
        match function:
            case "abs":
                (value,) = values
                return _number(-_form(value)) if self.less(value, 0, strict=True) else value
            case "max":
                return reduce(lambda best, v: v if self.less(best, v, strict=True) else best, values)
            case _:
                return reduce(lambda best, v: v if self.less(v, best, strict=True) else best, values)

    def binary(self, expr: Binary, left: Affine | Number, right: Affine | Number) -> Value:
        op = expr.op
        if op in ("/", "//", "%") and right == 0:
            raise _Stop("K402", expr)
        match op:
            case "<" | "<=":
                return self.less(left, right, strict=op == "<")
            case ">" | ">=":
                return self.less(right, left, strict=op == ">")
        if not isinstance(left, Affine) and not isinstance(right, Affine):
            result = Fraction(left) / right if op == "/" else OPERATORS[op](left, right)
            return self.explorer.checked(plain(result), expr)
        match op:
            case "+":
                return self.explorer.checked(_number(_form(left) + _form(right)), expr)
            case "-":
                return self.explorer.checked(_number(_form(left) - _form(right)), expr)
            case "*":
                if not isinstance(right, Affine):
                    return self.explorer.checked(_number(_form(left).times(right)), expr)
                if not isinstance(left, Affine):
                    return self.explorer.checked(_number(right.times(left)), expr)
                if _is_public(left) and _is_public(right):
                    return symbol_form(Public("*", left, right))
                raise Outside("product", expr)
            case "/":
                if not isinstance(right, Affine):
                    return _number(_form(left).times(1 / Fraction(right)))
                only_epsilon = not right.constant and set(right.terms) == {self.explorer.epsilon}
                if only_epsilon and _is_public(_form(left)):
                    return symbol_form(Public("/", _form(left), right))
                raise Outside("quotient", expr)
            case _:
                raise Outside("floor", expr)


def _form(value: Affine | Number) -> Affine:
    return value if isinstance(value, Affine) else constant_form(value)


def _number(form: Affine) -> Affine | Number:
    """The form, or its constant if nothing else is left of it."""
    return form if form.terms else form.constant


def _parts(number: Number) -> tuple[int, int]:
    return number.numerator, number.denominator


def _is_public(form: Affine) -> bool:
    return all(isinstance(symbol, Argument | Public) for symbol in form.terms)


# ---------------------------------------------------------------- reading paths


def affine_parts(output: Value | Fault) -> tuple[Affine, ...]:
    """The parts of an answer that depend on unknowns, in order."""
    items = output if isinstance(output, tuple) else (output,)
    return tuple(item for item in items if isinstance(item, Affine))


def discrete_part(output: Value | Fault) -> tuple[object, ...]:
    """What is known of an answer: equal for two answers that differ at most in the values of their affine parts."""
    if isinstance(output, Fault):
        return ("fault", output.code, output.span)
    items = output if isinstance(output, tuple) else (output,)
    return ("list" if isinstance(output, tuple) else "value", *map(_kind, items))


def _kind(item: Item) -> tuple[str, object]:
    if isinstance(item, Affine):
        return ("number", None)
    if item is None or isinstance(item, bool):  # True is not 1 as an answer
        return ("constant", str(item))
    return ("constant", item)


def values_of(
    symbols: Iterable[Symbol],
    database: Sequence[Number],
    arguments: Mapping[str, Number | bool],
    draws: Callable[[Drawn], Number],
) -> dict[Symbol, Number]:
    """The values of unknowns in one concrete run."""

    def value(symbol: Symbol) -> Number:
        match symbol:
            case Answer(place):
                return database[place]
            case Argument(name):
                return arguments[name]
            case Drawn():
                return draws(symbol)
            case Public(op, left, right):
                a, b = (form.at({s: value(s) for s in form.terms}) for form in (left, right))
                return a * b if op == "*" else Fraction(a) / b
            case _:
                raise AssertionError(f"{symbol} has no value in one run")

    return {symbol: value(symbol) for symbol in symbols}


def output_at(output: Value | Fault, values: Mapping[Symbol, Number]) -> Any:
    """The concrete answer of a run."""
    if isinstance(output, tuple):
        return tuple(output_at(item, values) for item in output)
    return output.at(values) if isinstance(output, Affine) else output


def symbols_in(paths: Iterable[Path]) -> frozenset[Symbol]:
    """Every unknown of some paths, in their atoms, answers and draws."""

    def each() -> Iterator[Symbol]:
        for path in paths:
            yield from path.draws
            for form in (*(atom.form for atom in path.atoms), *affine_parts(path.output)):
                yield from form.terms

    return frozenset(each())
