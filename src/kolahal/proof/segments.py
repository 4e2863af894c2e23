"""One run, cut at its loop heads: the symbolic paths from each head to the next, or to the answer.

A segment begins at the start of the program or at a loop head and ends at a loop head or with an answer. Inside it
nothing repeats, so it has finitely many paths, and each path is a list of conditions, reads, draws and effects over
the variables' values at its beginning. Private answers are read as a stream: a read is named by its place, and what
is known of its value is left to whoever puts two runs side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.check import BOOLEAN, LIST, NONE, NUMBER, WHOLE, Types, infer
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
    TupleOf,
    Var,
    While,
    assigned_names,
    rebuild,
    walk,
)
from kolahal.lang.noise import Noise
from kolahal.lang.pretty import print_expression
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Role, Sketch, Type
from kolahal.proof.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    ZERO,
    Binding,
    Formula,
    Sum,
    Symbol,
    Truth,
    add,
    at_most,
    below,
    choose,
    equal,
    every,
    magnitude,
    negate,
    number,
    print_term,
    put,
    same_truth,
    scale,
    some,
    subtract,
    symbols_of,
    variable,
)

MOST_PATHS = 200  # of one segment; a program beyond it is left to the bounded proof


class Unsupported(Exception):
    """The program is outside what proofs for every length cover; the text says why."""


# ---------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Numeric:
    value: Sum


@dataclass(frozen=True, slots=True)
class Logical:
    value: Formula


@dataclass(frozen=True, slots=True)
class Maybe:
    """None where `none` holds, `value` elsewhere."""

    none: Formula
    value: Numeric | Logical


@dataclass(frozen=True, slots=True)
class Answers:
    """The private answers."""


@dataclass(frozen=True, slots=True)
class View:
    """`[item for name in over]`, computed item by item where it is read; `cursor` numbers those that draw noise."""

    item: Expr
    name: str
    over: Vector
    cursor: int | None


@dataclass(frozen=True, slots=True)
class Built:
    """A list that the program made. Its items are alike in both runs, because every change to it is compared."""

    name: str
    length: Sum


@dataclass(frozen=True, slots=True)
class Several:
    """`a, b, …` or `[a, b, …]` as an answer."""

    items: tuple[Scalar, ...]


Scalar: TypeAlias = Numeric | Logical | Maybe
Vector: TypeAlias = Answers | View
Value: TypeAlias = Scalar | Vector | Built
Environment: TypeAlias = dict[str, Value]


def same(left: Value | Several, right: Value | Several) -> Formula:
    """Whether two answers of the two runs are equal; kinds that can never be equal give false."""
    match left, right:
        case Numeric(a), Numeric(b):
            return equal(a, b)
        case Logical(a), Logical(b):
            return same_truth(a, b)
        case (Maybe(), Numeric() | Logical() | Maybe()) | (Numeric() | Logical(), Maybe()):
            first, second = _lift(left), _lift(right)
            alike = some([first.none, same(first.value, second.value)])
            return every([same_truth(first.none, second.none), alike])
        case Several(a), Several(b) if len(a) == len(b):
            return every(same(x, y) for x, y in zip(a, b, strict=True))
        case Built(a, _), Built(b, _) if a == b:
            return TRUE
        case _:
            return FALSE


def _lift(value: Value | Several) -> Maybe:
    if isinstance(value, Maybe):
        return value
    assert isinstance(value, Numeric | Logical)
    return Maybe(FALSE, value)


# ---------------------------------------------------------------- the program as numbered steps


@dataclass(frozen=True, slots=True)
class Set:
    targets: tuple[str, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Push:
    name: str
    value: Expr
    front: bool


@dataclass(frozen=True, slots=True)
class Test:
    """`if`: goes on where the condition holds, to `orelse` elsewhere; `branch` numbers the conditions of ifs and
    whiles in source order."""

    branch: int
    test: Expr
    orelse: int


@dataclass(frozen=True, slots=True)
class Enter:
    loop: int


@dataclass(frozen=True, slots=True)
class Head:
    """A loop head, the place where segments begin and end; the condition of a `while` is a branch too."""

    loop: int
    branch: int | None
    node: While | For
    exit: int


@dataclass(frozen=True, slots=True)
class Next:
    """The end of a turn."""

    loop: int
    head: int


@dataclass(frozen=True, slots=True)
class Jump:
    to: int


@dataclass(frozen=True, slots=True)
class Give:
    value: Expr


Step: TypeAlias = Set | Push | Test | Enter | Head | Next | Jump | Give


def compile_steps(body: Block) -> tuple[Step, ...]:
    """The program as a list of steps, with loops and ifs numbered in source order."""
    steps: list[Step | None] = []
    counts = {"loop": 0, "branch": 0}

    def emit(block: Block, leave: list[int], again: int | None) -> None:
        for node in block:
            match node:
                case Assign(targets, values):
                    steps.append(Set(targets, values))
                case Append(name, value, front):
                    steps.append(Push(name, value, front))
                case Return(value):
                    steps.append(Give(value))
                case Break():
                    leave.append(len(steps))
                    steps.append(None)
                case Continue():
                    assert again is not None
                    steps.append(Jump(-1 - again))
                case If(test, then, orelse):
                    branch = counts["branch"]
                    counts["branch"] += 1
                    at = len(steps)
                    steps.append(None)
                    emit(then, leave, again)
                    over = len(steps)
                    steps.append(None)
                    steps[at] = Test(branch, test, len(steps))
                    emit(orelse, leave, again)
                    steps[over] = Jump(len(steps))
                case While() | For():
                    loop, asks = counts["loop"], counts["branch"] if isinstance(node, While) else None
                    counts["loop"] += 1
                    counts["branch"] += asks is not None
                    steps.append(Enter(loop))
                    head = len(steps)
                    steps.append(None)
                    breaks: list[int] = []
                    emit(node.body, breaks, loop)
                    steps.append(Next(loop, head))
                    steps[head] = Head(loop, asks, node, len(steps))
                    for at in breaks:
                        steps[at] = Jump(len(steps))

    emit(body, [], None)
    ends = {step.loop: at for at, step in enumerate(steps) if isinstance(step, Next)}
    done = [Jump(ends[-1 - s.to]) if isinstance(s, Jump) and s.to < 0 else s for s in steps]
    return tuple(step for step in done if step is not None)


def spread_comprehensions(sketch: Sketch, released: frozenset[int]) -> Sketch:
    """The same program with some comprehensions written as loops that append.

    `released` counts comprehensions in source order. A loop that appends has its items compared between the runs one
    by one; that is what an answer needs, and it makes the list known to both runs afterwards.
    """
    seen = 0

    def spread(target: str, node: Comprehension) -> Block:
        turn = f"{node.name}'{target}"  # not a Python name, so it hides nothing

        def rename(inner: Node) -> Node | None:
            return Var(turn, span=inner.span) if inner == Var(node.name) else None

        loop = For(turn, node.over, (Append(target, rebuild(node.item, rename), False),), span=node.span)
        return (Assign((target,), (ListOf(()),), span=node.span), loop)

    def block(body: Block) -> Block:
        nonlocal seen
        result: list[object] = []
        for node in body:
            mine = seen
            inside = sum(isinstance(n, Comprehension) for n in walk(node))
            match node:
                case Assign((target,), (Comprehension() as value,)) if inside == 1 and mine in released:
                    seen += 1
                    if any(inner == Var(target) for inner in walk(value)):
                        result += spread(f"{target}'", value)  # the old list is read while the new one grows
                        result.append(Assign((target,), (Var(f"{target}'"),), span=node.span))
                    else:
                        result += spread(target, value)
                case Return(Comprehension() as value) if inside == 1 and mine in released:
                    seen += 1
                    result += spread("answer'", value)
                    result.append(Return(Var("answer'"), span=node.span))
                case If(_, then, orelse):
                    result.append(replace(node, then=block(then), orelse=block(orelse)))
                case While() | For():
                    result.append(replace(node, body=block(node.body)))
                case _:
                    seen += inside
                    result.append(node)
        return tuple(result)  # type: ignore[arg-type]

    changed = replace(sketch, body=block(sketch.body))
    if seen != sum(isinstance(node, Comprehension) for node in walk(sketch.body)):
        raise Unsupported("a comprehension stands in an unusual place")
    return changed


# ---------------------------------------------------------------- paths


@dataclass(frozen=True, slots=True)
class Read:
    """A place of a list that a path looks at; equal keys in two runs are one place, if their places are equal."""

    key: str
    place: Sum
    symbol: Symbol
    private: bool  # an answer, which may differ between the runs; otherwise an item alike in both


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw: `rest` is the sum it is part of without it and later noise, and `factor` its factor in that sum."""

    site: int
    key: str
    noise: Noise
    scale: Scale
    symbol: Symbol
    place: Sum  # which item of a comprehension it belongs to
    names: Mapping[str, Value]  # the variables at that moment
    turn: Sum  # the place of the answer that was looked at last before it, or the number of the turn
    rest: Sum
    factor: Fraction


@dataclass(frozen=True, slots=True)
class Change:
    """A list of the program begins anew, or gets an item."""

    name: str
    how: str  # new, append, insert
    item: Scalar | None


@dataclass(frozen=True, slots=True)
class Goto:
    loop: int


@dataclass(frozen=True, slots=True)
class Answer:
    value: Value | Several


@dataclass(frozen=True, slots=True)
class Path:
    """One way through a segment: possible where all `conditions` hold, and faulty where one of `faults` does."""

    conditions: tuple[Formula, ...]
    faults: tuple[Formula, ...]
    decisions: Mapping[int, bool]  # by branch
    tests: Mapping[int, Formula]  # what was asked there
    reads: tuple[Read, ...]
    draws: tuple[Drawn, ...]
    changes: tuple[Change, ...]
    end: Goto | Answer
    names: Mapping[str, Value]
    ghosts: Mapping[str, Sum]  # turns, cursors and remainders


@dataclass(frozen=True, slots=True)
class Place:
    """Where segments begin: the start of the program (loop None) or a loop head, with the variables alive there."""

    loop: int | None
    names: tuple[tuple[str, Value], ...]  # with the symbols of the run
    ghosts: tuple[tuple[str, Symbol], ...]


@dataclass(frozen=True, slots=True)
class Run:
    """All segments of one run."""

    which: int
    places: tuple[Place, ...]
    paths: Mapping[int | None, tuple[Path, ...]]

    def place(self, loop: int | None) -> Place:
        return next(place for place in self.places if place.loop == loop)


@dataclass(slots=True)
class _Walk:
    """A path under construction."""

    names: Environment
    ghosts: dict[str, Sum]
    conditions: list[Formula] = field(default_factory=list)
    faults: list[Formula] = field(default_factory=list)
    decisions: dict[int, bool] = field(default_factory=dict)
    tests: dict[int, Formula] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    draws: list[Drawn] = field(default_factory=list)
    items: dict[str, Scalar] = field(default_factory=dict)  # view items already computed in this segment
    changes: list[Change] = field(default_factory=list)

    def fork(self) -> _Walk:
        return _Walk(
            dict(self.names),
            dict(self.ghosts),
            list(self.conditions),
            list(self.faults),
            dict(self.decisions),
            dict(self.tests),
            list(self.reads),
            list(self.draws),
            dict(self.items),
            list(self.changes),
        )

    def path(self, end: Goto | Answer) -> Path:
        return Path(
            tuple(self.conditions),
            tuple(self.faults),
            self.decisions,
            self.tests,
            tuple(self.reads),
            tuple(self.draws),
            tuple(self.changes),
            end,
            self.names,
            self.ghosts,
        )


LENGTH = Symbol("len(q)", INT)


class Machine:
    """Symbolic execution of the segments of one of the two runs (`which` is 1 or 2)."""

    def __init__(self, sketch: Sketch, which: int, whole_answers: bool, grown: frozenset[str]):
        self.sketch = sketch
        self.which = which
        self.here = ZERO  # the number of the turn in which the current segment begins
        self.grown = grown
        self.steps = compile_steps(sketch.body)
        self.types: Types = infer(sketch)
        self.answer_sort = INT if whole_answers else REAL
        self.fixed = {p.name for p in sketch.parameters} - assigned_names(sketch.body)
        self.heads = {step.loop: (at, step) for at, step in enumerate(self.steps) if isinstance(step, Head)}
        self.remainders = sorted({_remainder_key(n) for n in walk(sketch.body) if _is_remainder(n)})
        self.whole = _whole_names(sketch) if whole_answers else frozenset()
        self.views = [n for n in walk(sketch.body) if isinstance(n, Comprehension)]

    # ---- places

    def run(self) -> Run:
        """All places and paths; a variable belongs to a place if it has a value on every way there."""
        start = self.start()
        known: dict[int | None, Place] = {None: start}
        paths: dict[int | None, tuple[Path, ...]] = {}
        todo: list[int | None] = [None]
        while todo:
            loop = todo.pop(0)
            paths[loop] = tuple(self.segment(known[loop]))
            for path in paths[loop]:
                if not isinstance(path.end, Goto):
                    continue
                target = path.end.loop
                place = self.arrive(target, path, known.get(target))
                if place != known.get(target):
                    known[target] = place
                    if target not in todo:
                        todo.append(target)
        places = tuple(known[loop] for loop in sorted(known, key=lambda l: -1 if l is None else l))
        return Run(self.which, places, paths)

    def start(self) -> Place:
        names: list[tuple[str, Value]] = []
        for parameter in self.sketch.parameters:
            name = parameter.name
            if parameter.role is Role.PRIVATE:
                names.append((name, Answers()))
            elif parameter.type is Type.BOOL:
                names.append((name, Logical(Symbol(name, BOOL))))
            else:
                sort = INT if parameter.type is Type.INT else REAL
                names.append((name, Numeric(variable(Symbol(name, sort)))))
        return Place(None, tuple(names), ())

    def arrive(self, loop: int, path: Path, before: Place | None) -> Place:
        """The place that `path` leads to, given what is known of it from other ways."""
        alive = self.read_from(self.heads[loop][0])
        allowed = dict(before.names) if before else None
        names: list[tuple[str, Value]] = []
        for name, value in sorted(path.names.items()):
            if name not in alive or (allowed is not None and name not in allowed):
                continue
            if isinstance(value, Answers | View) or name in self.fixed:
                if allowed is not None and allowed[name] != value:
                    raise Unsupported(f"`{name}` stands for different lists at different times")
                names.append((name, value))
            else:
                names.append((name, self.symbols(name, value)))
        ghosts = sorted(path.ghosts)
        if before is not None:
            ghosts = [ghost for ghost in ghosts if ghost in dict(before.ghosts)]
        return Place(loop, tuple(names), tuple((ghost, self.ghost_symbol(ghost)) for ghost in ghosts))

    def symbols(self, name: str, value: Value) -> Value:
        """The variable `name` at a loop head, as symbols of this run."""
        at = f"{name}@{self.which}"
        if isinstance(value, Built):
            return Built(value.name, variable(Symbol(f"{at}.len", INT)))
        kinds = self.types.names[name]
        if LIST in kinds or (BOOLEAN in kinds and {NUMBER, WHOLE} & kinds):
            raise Unsupported(f"`{name}` holds values of several kinds")
        plain: Numeric | Logical
        if BOOLEAN in kinds:
            plain = Logical(Symbol(at, BOOL))
        else:
            plain = Numeric(variable(Symbol(at, REAL if NUMBER in kinds and name not in self.whole else INT)))
        return Maybe(Symbol(f"{at}.none", BOOL), plain) if NONE in kinds else plain

    def ghost_symbol(self, ghost: str) -> Symbol:
        """Turns and cursors are common to both runs; remainders belong to one."""
        return Symbol(ghost if ghost.startswith(("turn.", "cursor.")) else f"{ghost}@{self.which}", INT)

    def read_from(self, at: int) -> frozenset[str]:
        """The names that some step after `at` may read."""
        seen: set[int] = set()
        todo, names = [at], set()
        while todo:
            here = todo.pop()
            if here in seen or here >= len(self.steps):
                continue
            seen.add(here)
            step = self.steps[here]
            match step:
                case Jump(to):
                    todo.append(to)
                case Next(_, head):
                    todo.append(head)
                case Head(exit=leave):
                    todo += [here + 1, leave]
                case Test(_, _, orelse):
                    todo += [here + 1, orelse]
                case Give():
                    pass
                case _:
                    todo.append(here + 1)
            names |= {n.name for n in walk(_read_by(step)) if isinstance(n, Var)}
            if isinstance(step, Push):
                names.add(step.name)
        # A view reads other lists and arguments whenever it is read itself.
        for view in self.views:
            names |= {n.name for n in walk(view) if isinstance(n, Var)}
        return frozenset(names)

    # ---- statements

    def segment(self, place: Place) -> Iterator[Path]:
        self.here = ZERO if place.loop is None else variable(Symbol(f"turn.{place.loop}", INT))
        walk_ = _Walk(dict(place.names), {ghost: variable(symbol) for ghost, symbol in place.ghosts})
        if place.loop is None:
            for key in self.remainders:
                walk_.ghosts[f"of.{key}"] = walk_.ghosts[f"is.{key}"] = ZERO
        todo = [(walk_, 0 if place.loop is None else self.heads[place.loop][0], True)]
        count = 0
        while todo:
            current, at, begins = todo.pop()
            for result in self.follow(current, at, begins and place.loop is not None):
                if isinstance(result, Path):
                    count += 1
                    if count > MOST_PATHS:
                        raise Unsupported(f"one turn has more than {MOST_PATHS} paths")
                    yield result
                else:
                    todo.append((*result, False))

    def follow(self, state: _Walk, at: int, at_head: bool) -> list[Path | tuple[_Walk, int]]:
        """Run until a fork or the end of the segment."""
        while True:
            step = self.steps[at]
            match step:
                case Set(targets, values):
                    new = [self.assigned(target, value, state) for target, value in zip(targets, values, strict=True)]
                    state.names |= dict(zip(targets, new, strict=True))
                case Push(name, value, front):
                    item = self.scalar(value, state)
                    target = state.names.get(name)
                    if not isinstance(target, Built):
                        raise Unsupported(f"`{name}` may not be a list of the program's own where it grows")
                    state.changes.append(Change(target.name, "insert" if front else "append", item))
                    state.names[name] = replace(target, length=add(target.length, number(1)))
                case Jump(to):
                    at = to
                    continue
                case Enter(loop):
                    state.ghosts[f"turn.{loop}"] = ZERO
                case Next(loop, head):
                    state.ghosts[f"turn.{loop}"] = add(state.ghosts[f"turn.{loop}"], number(1))
                    at = head
                    continue
                case Give(value):
                    return [state.path(Answer(self.answer(value, state)))]
                case Test(branch, test, orelse):
                    assert branch not in state.decisions, "every cycle passes a loop head, where segments end"
                    ways = list(self.outcomes(test, state, branch))
                    for outcome, way in ways:
                        way.decisions[branch] = outcome
                    return [(way, at + 1 if outcome else orelse) for outcome, way in ways]
                case Head(loop, asks, node, leave):
                    if not at_head:
                        return [state.path(Goto(loop))]
                    at_head = False
                    if isinstance(node, While) and asks is not None:
                        goes_on = list(self.outcomes(node.test, state, asks))
                        for outcome, way in goes_on:
                            way.decisions[asks] = outcome
                    else:
                        assert isinstance(node, For)
                        goes_on = list(self.ways(state, self.has_next(node, loop, state)))
                    return [
                        (self.begin_turn(node, loop, way) if outcome else way, at + 1 if outcome else leave)
                        for outcome, way in goes_on
                    ]
            at += 1

    def ways(self, state: _Walk, test: Formula) -> Iterator[tuple[bool, _Walk]]:
        """The outcomes that a condition may have here, each with its own copy of the path."""
        for outcome in (True, False):
            held = test if outcome else negate(test)
            if held == FALSE or negate(held) in state.conditions:
                continue
            way = state.fork()
            if held != TRUE:
                way.conditions.append(held)
            yield outcome, way

    def outcomes(self, test: Expr, state: _Walk, branch: int) -> Iterator[tuple[bool, _Walk]]:
        """The outcomes of a condition. Where its right side draws noise or moves a ghost, whether the right side is
        reached is a fork of its own; elsewhere the condition is one formula."""
        match test:
            case Not(of):
                for outcome, way in self.outcomes(of, state, branch):
                    yield not outcome, way
            case Binary("and" | "or" as op, left, right) if self.has_effects(right, state):
                for outcome, way in self.outcomes(left, state, branch):
                    if outcome == (op == "and"):
                        yield from self.outcomes(right, way, branch)
                    else:
                        yield outcome, way
            case _:
                asked = self.truth(test, state)
                for outcome, way in self.ways(state, asked):
                    way.tests[branch] = every([way.tests.get(branch, TRUE), asked])
                    yield outcome, way

    def has_effects(self, expr: Expr, state: _Walk) -> bool:
        return any(
            isinstance(node, Draw)
            or _is_remainder(node)
            or (isinstance(node, Index) and isinstance(state.names.get(node.of.name), View))
            for node in walk(expr)
        )

    def has_next(self, node: For, loop: int, state: _Walk) -> Formula:
        turn = state.ghosts[f"turn.{loop}"]
        if isinstance(node.over, Var):
            return below(turn, self.length(node.over, state))
        start, stop, step = self.bounds(node.over, state)
        here = add(start, scale(step, turn))
        return below(here, stop) if step > 0 else below(stop, here)

    def bounds(self, over: Range, state: _Walk) -> tuple[Sum, Sum, int]:
        """The bounds of a range, which must be the same whenever they are looked at."""
        for part in (over.start, over.stop, over.step):
            for node in walk(part):
                fixed = isinstance(node, Var) and (node.name in self.fixed or self.is_vector(node.name, state))
                if isinstance(node, Draw | Index | Call) or (isinstance(node, Var) and not fixed):
                    raise Unsupported("the bounds of a range depend on something that changes")
        start, stop, step = (self.numeric(part, state) for part in (over.start, over.stop, over.step))
        if step.parts or step.constant == 0 or step.constant.denominator != 1:
            raise Unsupported("the step of a range is not a fixed number")
        return start, stop, int(step.constant)

    def is_vector(self, name: str, state: _Walk) -> bool:
        return isinstance(state.names.get(name), Answers | View)

    def begin_turn(self, node: While | For, loop: int, state: _Walk) -> _Walk:
        if isinstance(node, For):
            turn = state.ghosts[f"turn.{loop}"]
            if isinstance(node.over, Var):
                if node.over.name in assigned_names((node,)):
                    raise Unsupported(f"`{node.over.name}` changes while a loop runs over it")
                state.names[node.name] = self.item(state.names[node.over.name], node.over.name, turn, state)
            else:
                start, _, step = self.bounds(node.over, state)
                state.names[node.name] = Numeric(add(start, scale(step, turn)))
        return state

    def assigned(self, target: str, value: Expr, state: _Walk) -> Value:
        match value:
            case ListOf(items):
                state.changes.append(Change(target, "new", None))
                for item in items:
                    state.changes.append(Change(target, "append", self.scalar(item, state)))
                return Built(target, number(len(items)))
            case Comprehension(item, name, over):
                return self.view(value, item, name, over, state)
            case Var(name) if isinstance(state.names.get(name), Built):
                if {target, name} & self.grown:
                    raise Unsupported(f"`{target}` and `{name}` are the same list, and it grows")
                return state.names[name]
            case Var(name) if self.is_vector(name, state):
                return state.names[name]
            case _:
                return self.scalar(value, state)

    def view(self, node: Comprehension, item: Expr, name: str, over: Var | Range, state: _Walk) -> View:
        if not isinstance(over, Var) or not self.is_vector(over.name, state):
            raise Unsupported("a comprehension runs over something other than the answers")
        for inner in walk(item):
            if isinstance(inner, Comprehension):
                raise Unsupported("a comprehension stands inside another one")
            if isinstance(inner, Var) and inner.name != name and inner.name not in self.fixed:
                raise Unsupported(f"a comprehension uses `{inner.name}`, which changes")
        source = state.names[over.name]
        assert isinstance(source, Answers | View)
        if not any(isinstance(inner, Draw) for inner in walk(item)):
            return View(item, name, source, None)
        cursor = next(i for i, view in enumerate(self.views) if view is node)
        state.ghosts[f"cursor.{cursor}"] = ZERO
        return View(item, name, source, cursor)

    def answer(self, value: Expr, state: _Walk) -> Value | Several:
        match value:
            case ListOf(items) | TupleOf(items):
                return Several(tuple(self.scalar(item, state) for item in items))
            case Var(name) if isinstance(state.names.get(name), Answers | View):
                raise Unsupported(f"the answer is the list `{name}`, whose items are not compared one by one")
            case Var(name) if isinstance(state.names.get(name), Built):
                return state.names[name]
            case Comprehension():
                raise Unsupported("the answer is a comprehension")
            case _:
                return self.scalar(value, state)

    # ---- expressions

    def scalar(self, expr: Expr, state: _Walk) -> Scalar:
        first = len(state.draws)
        value = self.plain(expr, state)
        if len(state.draws) > first and isinstance(value, Numeric):
            state.draws[first:] = [_in_sum(drawn, value.value, state.draws[first:]) for drawn in state.draws[first:]]
        return value

    def plain(self, expr: Expr, state: _Walk) -> Scalar:
        match expr:
            case Const(value=None):
                return Maybe(TRUE, Numeric(ZERO))
            case Const(value=bool() as truth):
                return Logical(Truth(truth))
            case Const(value=Fraction() as exact):
                return Numeric(number(exact))
            case Var(name):
                value = state.names.get(name)
                if value is None:
                    raise Unsupported(f"`{name}` may have no value yet where it is read")
                if isinstance(value, Answers | View | Built):
                    raise Unsupported(f"the list `{name}` stands where one value is needed")
                return value
            case Length(of):
                return Numeric(self.length(of, state))
            case Index(of, at):
                return self.item(state.names[of.name], of.name, self.numeric(at, state), state)
            case Not() | IsNone() | Binary("and" | "or" | "<" | "<=" | ">" | ">=" | "==" | "!="):
                return Logical(self.truth(expr, state))
            case Negate(of):
                return Numeric(scale(-1, self.numeric(of, state)))
            case Binary(op, left, right):
                return Numeric(self.arithmetic(expr, op, left, right, state))
            case Call(function, arguments):
                return Numeric(self.call(function, [self.whole_sum(a, state) for a in arguments]))
            case Draw(noise, scale_, site) if isinstance(scale_, Scale):
                return Numeric(self.draw(noise, scale_, site, "", state))
            case _:
                raise Unsupported(f"{type(expr).__name__} is not covered")

    def whole_sum(self, expr: Expr, state: _Walk) -> Sum:
        """A number that is complete here: noise inside it belongs to this sum and to no larger one."""
        return self.as_number(self.scalar(expr, state), state)

    def numeric(self, expr: Expr, state: _Walk) -> Sum:
        return self.as_number(self.plain(expr, state), state)

    def as_number(self, value: Scalar, state: _Walk) -> Sum:
        if isinstance(value, Maybe):
            if value.none != FALSE:
                state.faults.append(value.none)
            value = value.value
        if not isinstance(value, Numeric):
            raise Unsupported("a truth value stands where a number is needed")
        return value.value

    def truth(self, expr: Expr, state: _Walk) -> Formula:
        match expr:
            case Not(of):
                return negate(self.truth(of, state))
            case IsNone(of):
                value = self.scalar(of, state)
                return value.none if isinstance(value, Maybe) else FALSE
            case Binary("and" | "or" as op, left, right):
                return self.short_circuit(op, left, right, state)
            case Binary("==" | "!=" as op, left, right):
                alike = same(self.scalar(left, state), self.scalar(right, state))
                return alike if op == "==" else negate(alike)
            case Binary("<" | "<=" | ">" | ">=" as op, left, right):
                a, b = self.whole_sum(left, state), self.whole_sum(right, state)
                if op in (">", ">="):
                    a, b = b, a
                return below(a, b) if op in ("<", ">") else at_most(a, b)
            case _:
                value = self.plain(expr, state)
                if not isinstance(value, Logical):
                    raise Unsupported("a condition is not a truth value")
                return value.value

    def short_circuit(self, op: str, left: Expr, right: Expr, state: _Walk) -> Formula:
        """Both sides as one formula; what can go wrong on the right counts only where the right is reached."""
        first = self.truth(left, state)
        reached = first if op == "and" else negate(first)
        if reached == FALSE:
            return first
        draws, ghosts, faults = len(state.draws), dict(state.ghosts), len(state.faults)
        second = self.truth(right, state)
        if reached != TRUE:
            if len(state.draws) > draws or state.ghosts != ghosts:
                raise Unsupported("noise or `%` on the right side of `and` or `or`, outside a condition")
            state.faults[faults:] = [every([reached, fault]) for fault in state.faults[faults:]]
        return every([first, second]) if op == "and" else some([first, second])

    def arithmetic(self, expr: Expr, op: str, left: Expr, right: Expr, state: _Walk) -> Sum:
        a, b = self.numeric(left, state), self.numeric(right, state)
        match op:
            case "+":
                return add(a, b)
            case "-":
                return subtract(a, b)
            case "*" if not a.parts:
                return scale(a.constant, b)
            case "*" if not b.parts:
                return scale(b.constant, a)
            case "/" if not b.parts and b.constant:
                return scale(1 / b.constant, a)
            case "%":
                return self.remainder(expr, a, b, state)
            case _:
                raise Unsupported(f"`{op}` of two values that are both unknown, or by zero, is not linear")

    def remainder(self, expr: Expr, value: Sum, divisor: Sum, state: _Walk) -> Sum:
        """value % divisor, followed from one evaluation to the next, which moves on by 0 or 1.

        The ghosts hold the last dividend and its remainder; they begin with 0 % divisor = 0.
        """
        symbols = symbols_of(divisor)
        if not (value.whole and divisor.whole) or any(symbol.name not in self.fixed for symbol in symbols):
            raise Unsupported("`%` is covered for whole numbers and a divisor that never changes")
        key = _remainder_key(expr)
        of, last = state.ghosts[f"of.{key}"], state.ghosts[f"is.{key}"]
        moved = subtract(value, of)
        stepped = add(last, number(1))
        result = choose(equal(moved, ZERO), last, choose(equal(stepped, divisor), ZERO, stepped))
        state.faults.append(below(divisor, number(1)))
        state.faults.append(negate(some([equal(moved, ZERO), equal(moved, number(1))])))
        state.ghosts[f"of.{key}"], state.ghosts[f"is.{key}"] = value, result
        return result

    def call(self, function: str, values: list[Sum]) -> Sum:
        if function == "abs":
            return magnitude(values[0])
        result = values[0]
        for value in values[1:]:
            better = below(result, value) if function == "max" else below(value, result)
            result = choose(better, value, result)
        return result

    # ---- lists and noise

    def length(self, of: Var, state: _Walk) -> Sum:
        value = state.names.get(of.name)
        match value:
            case Answers() | View():
                return variable(LENGTH)
            case Built(_, length):
                return length
            case _:
                raise Unsupported(f"`{of.name}` may not be a list here")

    def item(self, source: Value, name: str, place: Sum, state: _Walk) -> Scalar:
        length = source.length if isinstance(source, Built) else variable(LENGTH)
        # Python counts negative places from the end; here they are a fault that must be shown not to happen.
        for outside in (below(place, ZERO), at_most(length, place)):
            if outside != FALSE:
                state.faults.append(outside)
        match source:
            case Built(own, _):
                kinds = self.types.items.get(name, frozenset())
                if kinds - {NUMBER, WHOLE} and kinds != {BOOLEAN}:
                    raise Unsupported(f"the items of `{name}` are of several kinds")
                sort = BOOL if kinds == {BOOLEAN} else INT if kinds == {WHOLE} else REAL
                symbol = self.read(f"{name}[{self.key(place)}] {self.appended(own, state)}", place, sort, False, state)
                return Logical(symbol) if sort == BOOL else Numeric(variable(symbol))
            case Answers():
                symbol = self.read(f"[{self.key(place)}]", place, self.answer_sort, True, state)
                return Numeric(variable(symbol))
            case View():
                return self.view_item(source, place, state)
            case _:
                raise Unsupported(f"`{name}` is not a list here")

    def appended(self, own: str, state: _Walk) -> int:
        """How often a list has changed in this segment: a place of it may hold something else after a change."""
        return sum(change.name == own for change in state.changes)

    def read(self, key: str, place: Sum, sort: str, private: bool, state: _Walk) -> Symbol:
        for known in state.reads:
            if known.key == key:
                return known.symbol
        symbol = Symbol(f"read.{len(state.reads)}@{self.which}", sort)
        state.reads.append(Read(key, place, symbol, private))
        return symbol

    def view_item(self, view: View, place: Sum, state: _Walk) -> Scalar:
        key = f"{view.cursor}[{self.key(place)}]" if view.cursor is not None else ""
        if key and key in state.items:
            return state.items[key]
        if view.cursor is not None:
            ghost = f"cursor.{view.cursor}"
            # An item is drawn when it is first read, so no place may be read twice: places only grow.
            behind = below(place, state.ghosts[ghost])
            if behind != FALSE:
                state.faults.append(behind)
            state.ghosts[ghost] = add(place, number(1))
        inner = state.fork()
        inner.names = {n: v for n, v in state.names.items() if n in self.fixed} | {
            view.name: self.item(view.over, view.name, place, state)
        }
        inner.reads, inner.draws, inner.items, inner.ghosts = state.reads, state.draws, state.items, state.ghosts
        inner.faults = state.faults
        before = len(state.draws)
        value = self.scalar(view.item, inner)
        if key:
            state.draws[before:] = [replace(drawn, key=key, place=place) for drawn in state.draws[before:]]
            state.items[key] = value
        return value

    def key(self, place: Sum) -> str:
        """A place as text that reads alike in both runs."""
        other: Binding = {
            symbol: variable(Symbol(symbol.name.replace(f"@{self.which}", "@"), symbol.sort))
            for symbol in symbols_of(place)
            if symbol.sort != BOOL
        } | {
            symbol: Symbol(symbol.name.replace(f"@{self.which}", "@"), symbol.sort)
            for symbol in symbols_of(place)
            if symbol.sort == BOOL
        }
        return print_term(put(place, other))

    def draw(self, noise: Noise, size: Scale, site: int, key: str, state: _Walk) -> Sum:
        sort = INT if noise in (Noise.DISCRETE_LAPLACE, Noise.GEOMETRIC) else REAL
        symbol = Symbol(f"noise.{len(state.draws)}@{self.which}", sort)
        places = [read.place for read in state.reads if read.private]
        turn = places[-1] if places else self.here
        drawn = Drawn(site, key, noise, size, symbol, ZERO, dict(state.names), turn, ZERO, Fraction(0))
        state.draws.append(drawn)
        return variable(symbol)


def _in_sum(drawn: Drawn, value: Sum, drawn_here: Iterable[Drawn]) -> Drawn:
    """`drawn` with the sum that it is part of, unless a smaller sum has claimed it."""
    if drawn.factor:
        return drawn
    later: Binding = {other.symbol: ZERO for other in drawn_here if _ordinal(other.symbol) >= _ordinal(drawn.symbol)}
    return replace(drawn, rest=put(value, later), factor=value.factor_of(drawn.symbol))


def _ordinal(symbol: Symbol) -> int:
    return int(symbol.name.split("@")[0].split(".")[1])


def _whole_names(sketch: Sketch) -> frozenset[str]:
    """The variables that hold whole numbers where answers and noise are whole; a mistake here is found on arrival."""
    names = {p.name for p in sketch.parameters if p.type is not Type.FLOAT and p.role is not Role.EPSILON}
    names |= assigned_names(sketch.body)
    assigns = [node for node in walk(sketch.body) if isinstance(node, Assign)]

    def fractional(value: Expr) -> bool:
        return any(
            (isinstance(n, Const) and isinstance(n.value, Fraction) and n.value.denominator != 1)
            or (isinstance(n, Binary) and n.op == "/")
            or (isinstance(n, Draw) and n.noise not in (Noise.DISCRETE_LAPLACE, Noise.GEOMETRIC))
            or (isinstance(n, Var) and n.name not in names)
            for n in walk(value)
        )

    while True:
        lost = {t for a in assigns for t, v in zip(a.targets, a.values, strict=True) if t in names and fractional(v)}
        if not lost:
            return frozenset(names)
        names -= lost


def _is_remainder(node: Node) -> bool:
    return isinstance(node, Binary) and node.op == "%"


def _remainder_key(node: Node) -> str:
    return print_expression(node)  # type: ignore[arg-type]


def _read_by(step: Step) -> object:
    match step:
        case Set(_, values):
            return values
        case Push(_, value, _) | Give(value):
            return value
        case Test(_, test, _):
            return test
        case Head(node=While(test, _)):
            return test
        case Head(node=For(_, over, _)):
            return over
        case _:
            return ()
