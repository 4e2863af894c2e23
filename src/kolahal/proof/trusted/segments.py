"""One run, cut at its loop heads: the symbolic paths from each head to the next, or to the answer.

A segment begins at the start of the program or at a loop head and ends at a loop head or with an answer. Inside it
nothing repeats, so it has finitely many paths, and each path is a list of conditions, reads, draws and effects over
the variables' values at its beginning. Private answers are read as a stream: a read is named by its place, and what
is known of its value is left to whoever puts two runs side by side.
"""

from __future__ import annotations

from collections.abc import Iterator

from kolahal.lang import ir
from kolahal.lang.kinds import BOOLEAN, LIST, NONE, NUMBER, WHOLE
from kolahal.lang.sketch import Role, Sketch, Type
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    ZERO,
    Every,
    Formula,
    Neither,
    Some,
    Sum,
    Symbol,
    at_most,
    below,
    every,
    negate,
    symbols_of,
)
from kolahal.proof.trusted.expressions import UNDRAWN
from kolahal.proof.trusted.flow import whole_names
from kolahal.proof.trusted.lists import ListMaker
from kolahal.proof.trusted.steps import (
    Enter,
    Give,
    Head,
    Jump,
    Next,
    Push,
    Set,
    Test,
    chosen_first,
    chosen_next,
    compile_steps,
    is_remainder,
    live_names,
    reached_from,
    remainder_key,
    written_by,
)
from kolahal.proof.trusted.symbols import LENGTH, Dividend, Remainder, Turn, ghost_symbol, own
from kolahal.proof.trusted.values import (
    Built,
    Goto,
    Logical,
    Maybe,
    NoScores,
    Numeric,
    Pending,
    PrivateAnswers,
    Returned,
    Run,
    SegmentPath,
    SegmentStart,
    Several,
    SymbolicValue,
    Unsupported,
    View,
    Walk,
    lost_from,
)

MOST_PATHS = 200  # of one segment; a program beyond it is left to the bounded proof


class Machine(ListMaker):
    """Symbolic execution of the segments of one of the two runs (`which` is 1 or 2)."""

    def __init__(
        self,
        sketch: Sketch,
        which: int,
        whole_answers: bool,
        grown: frozenset[str],
        delayed: bool = False,
        at_once: bool = False,
        kept: frozenset[str] = frozenset(),
        computes: bool = False,
    ):
        super().__init__(sketch, which, whole_answers, at_once)
        self.kept = kept  # names that every answer still knows
        self.computes = computes
        self.delayed = delayed  # whether noise that is only named is drawn where it is first looked at
        self.grown = grown  # lists that the program itself lets grow
        self.steps = compile_steps(sketch.body)
        self.live = live_names(self.steps)
        self.heads = {step.loop: (at, step) for at, step in enumerate(self.steps) if isinstance(step, Head)}
        self.remainders = sorted({remainder_key(n) for n in ir.walk(sketch.body) if is_remainder(n)})
        self.whole = whole_names(sketch) if whole_answers else frozenset()
        self.settled: dict[int, set[str]] = {loop: set() for loop in self.heads}  # names whose noise is drawn there, if it waits

    # ---- places

    def run(self) -> Run:
        """All places and paths; a variable belongs to a place if it has a value on every way there."""
        while True:  # until noise that waits at a loop head waits on every way there
            before = sum(map(len, self.settled.values()))
            try:
                run = self.explored()
                if sum(map(len, self.settled.values())) == before:
                    return run
            except Unsupported:
                if sum(map(len, self.settled.values())) == before:
                    raise

    def explored(self) -> Run:
        start = self.start()
        known: dict[int | None, SegmentStart] = {None: start}
        paths: dict[int | None, tuple[SegmentPath, ...]] = {}
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
        unsettled = {
            (place.loop, end): self.changed_from(self.heads[place.loop][0], end) | lost_from(place, paths, end)
            for place in places
            for end in (None, *self.heads)
            if place.loop is not None
        }
        return Run(self.which, places, paths, tuple(self.opaque.values()), unsettled, tuple(self.noisy_items.values()))

    def start(self) -> SegmentStart:
        names: list[tuple[str, SymbolicValue]] = []
        for parameter in self.sketch.parameters:
            name = parameter.name
            if parameter.role is Role.PRIVATE:
                names.append((name, PrivateAnswers()))
            elif parameter.type is Type.BOOL:
                names.append((name, Logical(Symbol(name, BOOL))))
            else:
                sort = INT if parameter.type is Type.INT else REAL
                names.append((name, Numeric(variable(Symbol(name, sort)))))
        return SegmentStart(None, tuple(names), ())

    def arrive(self, loop: int, path: SegmentPath, before: SegmentStart | None) -> SegmentStart:
        """The place that `path` leads to, given what is known of it from other ways."""
        alive = self.read_from(self.heads[loop][0])
        allowed = dict(before.names) if before else None
        names: list[tuple[str, SymbolicValue]] = []
        for name, value in sorted(path.names.items()):
            if name not in alive or (allowed is not None and name not in allowed):
                continue
            if isinstance(value, PrivateAnswers | View) or name in self.fixed:
                if allowed is not None and allowed[name] != value:
                    raise Unsupported(f"`{name}` stands for different lists at different times")
                names.append((name, value))
            elif name in self.item_ghosts and value == UNDRAWN == (allowed or path.names)[name]:
                names.append((name, UNDRAWN))  # on no way there was it drawn, so that it can be drawn after it
            elif isinstance(value, Pending) and isinstance(other := (allowed or path.names)[name], Pending) and value.law == other.law:
                names.append((name, other))
            else:
                if Pending in (type(value), type((allowed or path.names)[name])):
                    self.settled[loop].add(name)  # it does not wait on every way
                names.append((name, self.symbols(name, value)))
        ghosts = sorted(path.ghosts, key=str)
        if before is not None:
            ghosts = [ghost for ghost in ghosts if ghost in dict(before.ghosts)]
        return SegmentStart(loop, tuple(names), tuple((ghost, ghost_symbol(ghost, self.which)) for ghost in ghosts))

    def symbols(self, name: str, value: SymbolicValue) -> SymbolicValue:
        """The variable `name` at a loop head, as symbols of this run."""
        if isinstance(value, Built):
            inside = own(name, self.which, BOOL, ".inside") if name in self.indexing else FALSE
            return Built(name, variable(own(name, self.which, INT, ".len")), inside=inside)
        if name in self.item_ghosts:
            return Maybe(own(name, self.which, BOOL, ".none"), Numeric(variable(own(name, self.which, REAL))))
        kinds = self.types.names[name]
        if LIST in kinds or (BOOLEAN in kinds and {NUMBER, WHOLE} & kinds):
            raise Unsupported(f"`{name}` holds values of several kinds")
        plain: Numeric | Logical
        if BOOLEAN in kinds:
            plain = Logical(own(name, self.which, BOOL))
        else:
            sort = REAL if NUMBER in kinds and name not in self.whole else INT
            plain = Numeric(variable(own(name, self.which, sort)))
        return Maybe(own(name, self.which, BOOL, ".none"), plain) if NONE in kinds else plain

    def changed_from(self, at: int, end: int | None) -> frozenset[str]:
        """The names that some step from `at` on may give a value to, before the next head of the loop `end`."""
        steps = reached_from(self.steps, at, None if end is None else self.heads[end][0])
        return frozenset(name for here in steps for name in written_by(self.steps[here]))

    def read_from(self, at: int) -> frozenset[str]:
        """The names whose values at the step `at` may be read later."""
        names = set(self.live[at] | self.kept)
        # A view reads other lists and arguments whenever it is read itself.
        for view in self.views:
            names |= {n.name for n in ir.walk(view) if isinstance(n, ir.Var)}
        names |= {ghost for pairs in self.followed.values() for name, ghost in pairs if name in names}
        return frozenset(names)

    # ---- statements

    def segment(self, place: SegmentStart) -> Iterator[SegmentPath]:
        self.here = ZERO if place.loop is None else variable(ghost_symbol(Turn(place.loop), self.which))
        walk_ = Walk(dict(place.names), {ghost: variable(symbol) for ghost, symbol in place.ghosts})
        if place.loop is None:
            for key in self.remainders:
                walk_.ghosts[Dividend(key)] = walk_.ghosts[Remainder(key)] = ZERO
        todo = [(walk_, 0 if place.loop is None else self.heads[place.loop][0], True)]
        count = 0
        while todo:
            current, at, begins = todo.pop()
            for result in self.follow(current, at, begins and place.loop is not None):
                if isinstance(result, SegmentPath):
                    count += 1
                    if count > MOST_PATHS:
                        raise Unsupported(f"one turn has more than {MOST_PATHS} paths")
                    yield result
                else:
                    todo.append((*result, False))

    def follow(self, state: Walk, at: int, at_head: bool) -> list[SegmentPath | tuple[Walk, int]]:
        """Run until a fork or the end of the segment."""
        while True:
            step = self.steps[at]
            if (scores := chosen_first(step)) is not None and (length := self.length(scores, state)) != variable(LENGTH):
                ways = list(self.ways(state, at_most(length, ZERO)))
                if [empty for empty, _ in ways] != [False]:
                    return [way.path(Returned(NoScores(at), at)) if empty else (way, at) for empty, way in ways]
            match step:
                case Set(targets, values):
                    new = [self.assigned(target, value, state, at) for target, value in zip(targets, values, strict=True)]
                    ghosts = [
                        self.moved_ghosts(target, value, state) for target, value in zip(targets, new, strict=True)
                    ]
                    state.names |= dict(zip(targets, new, strict=True))
                    for changed in ghosts:
                        state.names |= changed
                case Push(name, value, front):
                    item = self.scalar(value, state)
                    target = state.names.get(name)
                    if not isinstance(target, Built):
                        raise Unsupported(f"`{name}` may not be a list of the program's own where it grows")
                    state.names[name] = target.grown(item, front)
                case Jump(to):
                    at = to
                    continue
                case Enter(loop):
                    state.ghosts[Turn(loop)] = ZERO
                case Next(loop, head):
                    state.ghosts[Turn(loop)] += number(1)
                    at = head
                    continue
                case Give(value):
                    return [state.path(Returned(self.answer(value, state), at))]
                case Test(branch, test, orelse):
                    assert branch not in state.decisions, "every cycle passes a loop head, where segments end"
                    ways = list(self.outcomes(test, state, branch))
                    for outcome, way in ways:
                        way.decisions[branch] = outcome
                    return [(way, at + 1 if outcome else orelse) for outcome, way in ways]
                case Head(loop, asks, node, leave):
                    if not at_head:
                        self.settle(loop, state)
                        return [state.path(Goto(loop))]
                    if isinstance(node, ir.While) and asks is not None:
                        goes_on = list(self.outcomes(node.test, state, asks))
                        for outcome, way in goes_on:
                            way.decisions[asks] = outcome
                    else:
                        assert isinstance(node, ir.For)
                        goes_on = list(self.ways(state, self.has_next(node, loop, state)))
                    return [
                        (self.begin_turn(node, loop, way) if outcome else way, at + 1 if outcome else leave)
                        for outcome, way in goes_on
                    ]
            at += 1

    def ways(self, state: Walk, test: Formula) -> Iterator[tuple[bool, Walk]]:
        """The outcomes that a condition may have here, each with its own copy of the path."""
        for outcome in (True, False):
            held = test if outcome else negate(test)
            if held == FALSE or negate(held) in state.conditions:
                continue
            way = state.fork()
            if held != TRUE:
                way.conditions.append(held)
            yield outcome, way

    def outcomes(self, test: ir.Expr, state: Walk, branch: int) -> Iterator[tuple[bool, Walk]]:
        """The outcomes of a condition. Where its right side draws noise or moves a ghost, whether the right side is
        reached is a fork of its own; elsewhere the condition is one formula."""
        match test:
            case ir.Not(of):
                for outcome, way in self.outcomes(of, state, branch):
                    yield not outcome, way
            case ir.Binary("and" | "or" as op, left, right) if self.has_effects(right, state):
                for outcome, way in self.outcomes(left, state, branch):
                    if outcome == (op == "and"):
                        yield from self.outcomes(right, way, branch)
                    else:
                        yield outcome, way
            case _:
                first = len(state.draws)
                asked = self.truth(test, state)
                self.claimed(first, Logical(asked), state)
                for outcome, way in self.parted(asked, state, branch):
                    way.tests[branch] = every([way.tests.get(branch, TRUE), asked])
                    yield outcome, way

    def parted(self, asked: Formula, state: Walk, branch: int) -> Iterator[tuple[bool, Walk]]:
        """The outcomes of a condition; where several of its parts look at noise of this segment, which of them decides
        is a fork of its own, so that shifts may depend on it."""
        within, together = (asked.part, False) if isinstance(asked, Neither) else (asked, True)
        fresh = {drawn.symbol for drawn in state.draws}
        parts = within.parts if isinstance(within, Every | Some) else ()
        noisy = [part for part in parts if symbols_of(part) & fresh]
        if len(noisy) < 2:
            yield from self.ways(state, asked)
            return
        stop = isinstance(within, Some)  # the outcome of one part that settles the whole
        todo = [state]
        first = sum(isinstance(key, tuple) and key[0] == branch for key in state.decisions)
        for index, part in enumerate([*noisy, *(p for p in parts if p not in noisy)]):
            going: list[Walk] = []
            for before in todo:
                for outcome, way in self.ways(before, part):
                    way.decisions[branch, first + index] = outcome
                    way.tests[branch, first + index] = part
                    if outcome == stop:
                        yield stop == together, way
                    else:
                        going.append(way)
            todo = going
        for way in todo:
            yield (not stop) == together, way

    def has_effects(self, expr: ir.Expr, state: Walk) -> bool:
        return any(
            isinstance(node, ir.Draw)
            or (isinstance(node, ir.Var) and isinstance(state.names.get(node.name), Pending))
            or is_remainder(node)
            or (isinstance(node, ir.Index) and isinstance(state.names.get(node.of.name), View))
            for node in ir.walk(expr)
        )

    def has_next(self, node: ir.For, loop: int, state: Walk) -> Formula:
        turn = state.ghosts[Turn(loop)]
        if isinstance(node.over, ir.Var):
            return below(turn, self.length(node.over, state))
        start, stop, step = self.bounds(node, node.over, state)
        here = start + turn.times(step)
        return below(here, stop) if step > 0 else below(stop, here)

    def bounds(self, node: ir.For, over: ir.Range, state: Walk) -> tuple[Sum, Sum, int]:
        """The bounds of a range, which must be the same whenever they are looked at: Python looks once, before the loop."""
        changing = ir.assigned_names((node,)) | {n.name for n in ir.walk(node) if isinstance(n, ir.Append)}
        for part in (over.start, over.stop, over.step):
            for inner in ir.walk(part):
                looks = isinstance(inner, ir.Draw | ir.Index)
                if looks or (isinstance(inner, ir.Var) and inner.name in changing):
                    raise Unsupported("the bounds of a range depend on something that changes")
        start, stop, step = (self.numeric(part, state) for part in (over.start, over.stop, over.step))
        if step.terms or step.constant == 0 or step.constant.denominator != 1:
            raise Unsupported("the step of a range is not a fixed number")
        return start, stop, int(step.constant)

    def begin_turn(self, node: ir.While | ir.For, loop: int, state: Walk) -> Walk:
        if isinstance(node, ir.For):
            turn = state.ghosts[Turn(loop)]
            if isinstance(node.over, ir.Var):
                if node.over.name in ir.assigned_names((node,)):
                    raise Unsupported(f"`{node.over.name}` changes while a loop runs over it")
                first = len(state.draws)
                item = self.item(state.names[node.over.name], node.over.name, turn, state)
                state.names[node.name] = self.claimed(first, item, state)
            else:
                start, _, step = self.bounds(node, node.over, state)
                state.names[node.name] = Numeric(start + turn.times(step))
        return state

    def assigned(self, target: str, value: ir.Expr, state: Walk, at: int) -> SymbolicValue:
        match value:
            case ir.ListOf(items):
                return self.listed(items, state)
            case ir.Comprehension(ir.Var(item), name, ir.Var(over)) if item == name and isinstance(
                copied := state.names.get(over), Built
            ):
                return copied  # a new list with the items of another one
            case ir.Comprehension(item, name, over):
                try:
                    return self.view(value, item, name, over, state)
                except Unsupported:
                    if not chosen_next(self.steps, self.live, target, at):
                        raise
                    return self.passing_view(value, target, state)
            case ir.Var(name) if isinstance(state.names.get(name), Built):
                if {target, name} & self.grown:
                    raise Unsupported(f"`{target}` and `{name}` are the same list, and it grows")
                return state.names[name]
            case ir.Var(name) if self.is_vector(name, state):
                return state.names[name]
            case ir.Draw(of=None) if self.delayed:
                return Pending(value)
            case ir.Index(of) if isinstance(listed := state.names.get(of.name), View) and listed.is_noise:
                return self.plain(value, state)
            case _:
                return self.scalar(value, state)

    def settle(self, loop: int, state: Walk) -> None:
        """Draw what a later segment may look at, unless it waits on every way here; what nobody will look at is never drawn."""
        alive = self.read_from(self.heads[loop][0]) & self.settled[loop]
        for name, value in sorted(state.names.items()):
            if isinstance(value, Pending) and name in alive:
                self.drawn_now(name, value, state)

    def answer(self, value: ir.Expr, state: Walk) -> SymbolicValue | Several:
        match value:
            case ir.ListOf(items):
                return self.listed(items, state)
            case ir.TupleOf(items):
                return Several(tuple(self.scalar(item, state) for item in items))
            case ir.Var(name) if isinstance(state.names.get(name), PrivateAnswers | View):
                raise Unsupported(f"the output is the list `{name}`, whose items are not compared one by one")
            case ir.Var(name) if isinstance(state.names.get(name), Built):
                return state.names[name]
            case ir.Comprehension():
                raise Unsupported("the output is a comprehension")
            case _:
                return self.scalar(value, state)
