"""A sketch as the text of one loop over runs, on plain doubles, for a compiler or for Python itself.

Expressions become statements wherever they can fail, so that a fault stops exactly where the reference stops. The
text holds no word of the user's: names are numbered, and numbers are printed doubles.

The kernel owns no memory. It returns 0 when all runs are done, a positive number for a fault, and a negative one
when something is missing: noise that nobody has drawn, or room. Whoever called it then helps, and calls again; it
goes on at the run that was cut short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from fractions import Fraction

from kolahal.engine.faults import MOST_TURNS
from kolahal.engine.kernel_expressions import (
    DONE,
    NO_ANSWER_ROOM,
    NO_LIST_ROOM,
    NO_TURNS,
    ExpressionWriter,
    KernelValue,
    ListName,
    ScalarName,
)
from kolahal.engine.liveness import always_answers, maybe_unset
from kolahal.engine.outputs import BOOLEAN, NONE, NUMBER, SCALAR, UNSET
from kolahal.lang import ir
from kolahal.lang import kinds as check
from kolahal.lang.sketch import Role, Sketch
from kolahal.nouns import dataclass

PARAMETERS: dict[str, str] = {  # name → type for the compiler
    "first": "int64",  # the run to begin with
    "runs": "int64",
    "answers": "float64[::1]",  # the private list
    "given": "float64[::1]",  # public parameters, in order
    "scales": "float64[:, ::1]",  # (sites, 1), or (sites, runs) where they differ between runs
    "extents": "int64[::1]",  # by loop: the turns that the table of noise has room for
    "offsets": "int64[::1]",  # by site: where its part of the table begins
    "rows": "int64[::1]",  # the table: addresses of unit noise in memory, 0 for none
    "lists": "float64[:, ::1]",  # (lists, room): the program's lists in one run
    "list_kinds": "uint8[:, ::1]",
    "lengths": "int64[::1]",  # the answers, as in Outputs
    "kinds": "uint8[:, ::1]",
    "values": "float64[:, ::1]",
    "sums": "float64[:, ::1]",  # as in Used; without holes nothing is counted
    "counts": "float64[:, ::1]",
    "state": "int64[::1]",
}


@dataclass(frozen=True, slots=True)
class Kernel:
    """The text of a function `kernel`, and what its numbers stand for."""

    text: str
    faults: tuple[tuple[str, ir.Node], ...]  # fault n is item n − 1
    draws: tuple[ir.Draw, ...]  # by site
    around: tuple[tuple[int, ...], ...]  # by site: the loops around it, outermost first
    loops: int
    lists: int
    widest: int  # items of the longest list or tuple that is written out
    tells_numbers: bool


def write_kernel(sketch: Sketch) -> Kernel:
    """The kernel of a checked sketch."""
    writer = _Writer(sketch)
    text = writer.function()
    draws = sketch.draws
    around = tuple(writer.around[draw.site] for draw in draws)
    written = [len(node.items) for node in ir.walk(sketch.body) if isinstance(node, ir.ListOf | ir.TupleOf)]
    told = tells_numbers(sketch, writer.types)
    return Kernel(text, tuple(writer.faults), draws, around, writer.loops, writer.rows, max(written, default=1), told)


def tells_numbers(sketch: Sketch, types: check.Types) -> bool:
    """Whether a number may be in an answer."""
    kinds = frozenset().union(*check.answer_kinds(sketch.body, types).values())
    return not kinds <= check.BOOLEANS | {check.NONE, check.LIST}


_ONLY = {check.NUMBER: NUMBER, check.WHOLE: NUMBER, check.BOOLEAN: BOOLEAN, check.NONE: NONE}


def _only_kind(kinds: check.Kinds) -> int | None:
    found = {_ONLY[kind] for kind in kinds if kind in _ONLY}
    return found.pop() if len(found) == 1 else None


@dataclass(slots=True)
class _Writer(ExpressionWriter):
    types: check.Types = field(default_factory=check.Types)

    @property
    def answers(self) -> ListName:
        return ListName(None, BOOLEAN if self.sketch.private.bits else NUMBER, "0", "answers.shape[0]")

    # ---- the function

    def function(self) -> str:
        sketch = self.sketch
        self.types = check.infer(sketch)
        self.declare()
        with self.indented("for r in range(first, runs):"):
            self.write(f"left = {MOST_TURNS}; ended = False")
            for draw in sketch.draws:
                self.write(f"w_{draw.site} = scales[{draw.site}, r * varied]")
            for hole in sketch.holes:
                self.write(f"sum_{hole.index} = 0.0; count_{hole.index} = 0.0")
            self.begin_run()
            self.block(sketch.body)
        self.write(f"return {DONE}")
        head = [
            f"def kernel({', '.join(PARAMETERS)}):",
            "    room = lists.shape[1]; middle = room // 2; answer_room = values.shape[0]",
            "    counted = sums.shape[0] > 0; varied = 1 if scales.shape[1] > 1 else 0",
            # never below 0, which the compiler cannot know: else every place is looked at as one from the end, too
            *(f"    o_{site} = max(offsets[{site}], 0)" for site in range(len(sketch.draws))),
            *(f"    e_{loop} = extents[{loop}]" for loop in range(self.loops)),
        ]
        return "\n".join([*head, *self.lines, ""])

    def declare(self) -> None:
        """Decide how each name is held."""
        unset, answers = maybe_unset(self.sketch), always_answers(self.sketch)
        fronts = {node.name for node in ir.walk(self.sketch.body) if isinstance(node, ir.Append) and node.front}
        bound = sorted(ir.assigned_names(self.sketch.body) | {p.name for p in self.sketch.parameters})
        for name in bound:
            kinds = self.types.names[name]
            only = _only_kind(kinds)
            if check.LIST not in kinds:
                tag = self.fresh("k") if name in unset or only is None else None
                self.names[name] = ScalarName(self.fresh("v"), only, tag, name in unset)
            elif name in answers:
                self.names[name] = self.answers
            else:
                self.names[name] = self.new_list(_only_kind(self.types.items[name]), name in fronts)

    def new_list(self, kind: int | None, front: bool = False) -> ListName:
        row, self.rows = self.rows, self.rows + 1
        if front:
            return ListName(row, kind, self.fresh("s"), self.fresh("t"), "middle")
        return ListName(row, kind, "0", self.fresh("t"))

    def begin_run(self) -> None:
        for held in self.names.values():
            if isinstance(held, ScalarName):
                self.write(f"{held.value} = {'False' if held.kind == BOOLEAN else '0.0'}")
                if held.tag is not None:
                    self.write(f"{held.tag} = {UNSET}")
            elif held.row is not None:
                self.clear(held)
        public = [p for p in self.sketch.parameters if p.role is not Role.PRIVATE]
        for place, parameter in enumerate(public):
            name = self.names[parameter.name]
            assert isinstance(name, ScalarName)
            truth = self.types.of(ir.Var(parameter.name)) == check.BOOLEANS
            text = f"given[{place}]"
            self.assign(name, KernelValue(BOOLEAN, f"({text} != 0.0)") if truth else KernelValue(NUMBER, text))
        private = self.names[self.sketch.private.name]
        assert isinstance(private, ListName)
        self.copy(private, self.answers)

    # ---- statements

    def block(self, body: ir.Block) -> None:
        for node in body:
            self.statement(node)
        if not body:
            self.write("pass")

    def statement(self, node: ir.Stmt) -> None:
        match node:
            case ir.Assign(targets, values):
                self.assignment(targets, values)
            case ir.If(test, then, orelse) if self.is_plain(then) and self.is_plain(orelse):
                self.choose(test, then, orelse)
            case ir.If(test, then, orelse):
                with self.indented(f"if {self.truth(test)}:"):
                    self.block(then)
                if orelse:
                    with self.indented("else:"):
                        self.block(orelse)
            case ir.While():
                self.while_loop(node)
            case ir.For():
                self.for_loop(node)
            case ir.Append(name, value, front):
                # Computed first: what is put in front moves all places, and the item may come from one.
                self.push(self.list_of(name), self.kept(self.scalar(value)), front)
            case ir.Return(value):
                self.answer(value)
                for hole in self.sketch.holes:
                    h = hole.index
                    self.write(f"if counted: sums[{h}, r] = sum_{h}; counts[{h}, r] = count_{h}")
                self.leave()
            case ir.Break():
                self.write("break")
            case ir.Continue():
                self.write("continue")

    # ---- choices: both sides are computed and one is kept, because noise makes a branch that no processor foresees

    def is_plain(self, body: ir.Block) -> bool:
        """Whether a block only sets names to values that cannot fail and do not build on one another."""
        targets: set[str] = set()
        for node in body:
            if not isinstance(node, ir.Assign) or not all(isinstance(self.names[t], ScalarName) for t in node.targets):
                return False
            for value in node.values:
                if not self.is_safe(value) or any(isinstance(n, ir.Var) and n.name in targets for n in ir.walk(value)):
                    return False
            targets |= set(node.targets)
        return len(targets) == sum(len(node.targets) for node in body if isinstance(node, ir.Assign))

    def is_safe(self, expr: ir.Expr, number: bool = False) -> bool:
        """Whether computing it is quick and never ends a run; as a `number`, also where nothing but a number will do."""
        match expr:
            case ir.Const(value):
                return not number or isinstance(value, Fraction)
            case ir.Var(name):
                held = self.names[name]
                return isinstance(held, ScalarName) and not held.unset and (not number or held.kind == NUMBER)
            case ir.Binary("+" | "-" | "*", left, right):
                return self.is_safe(left, number=True) and self.is_safe(right, number=True)
            case _:
                return False

    def choose(self, test: ir.Expr, then: ir.Block, orelse: ir.Block) -> None:
        """`if test: then else: orelse` for plain blocks; of `and` and `or`, only the last part is no branch."""
        match test:
            case ir.Binary("or" | "and" as op, left, right):
                with self.indented(f"if {self.truth(left)}:"):
                    if op == "or":
                        self.block(then)
                    else:
                        self.choose(right, then, orelse)
                with self.indented("else:"):
                    if op == "or":
                        self.choose(right, then, orelse)
                    else:
                        self.block(orelse)
            case _:
                chosen = self.keep(self.truth(test))
                one, other = self.values_of(then), self.values_of(orelse)
                for held in dict.fromkeys((*one, *other)):
                    kept = held.value, held.tag or NUMBER
                    (value, kind), (rest, rest_kind) = one.get(held, kept), other.get(held, kept)
                    self.write(f"{held.value} = {value} if {chosen} else {rest}")
                    if held.tag is not None:
                        self.write(f"{held.tag} = {kind} if {chosen} else {rest_kind}")

    def values_of(self, body: ir.Block) -> dict[ScalarName, tuple[str, int | str]]:
        """What a plain block sets each name to, computed now, and its kind."""
        found: dict[ScalarName, tuple[str, int | str]] = {}
        for node in body:
            assert isinstance(node, ir.Assign)
            for target, expr in zip(node.targets, node.values, strict=True):
                held, value = self.names[target], self.scalar(expr)
                assert isinstance(held, ScalarName)
                found[held] = self.keep(value.truth if held.kind == BOOLEAN else value.double), value.kind
        return found

    def leave(self) -> None:
        """Go on to the next run, out of all loops."""
        if self.inside:
            self.write("ended = True")
            self.write("break")
        else:
            self.write("continue")

    def behind_loop(self, node: ir.While | ir.For) -> None:
        if any(isinstance(inner, ir.Return) for inner in ir.walk(node.body)):
            self.write(f"if ended: {'break' if self.inside else 'continue'}")

    @contextmanager
    def loop(self) -> Iterator[str]:
        """Write the inside of a loop; gives the name of its turn."""
        loop, self.loops = self.loops, self.loops + 1
        before = self.inside
        self.inside = (*before, loop)
        yield f"n_{loop}"
        self.inside = before

    def turn_room(self, node: object) -> None:
        """At the head of a loop with noise in it: the table must have room for this turn."""
        if any(isinstance(inner, ir.Draw) for inner in ir.walk(node)):
            loop = self.inside[-1]
            self.lack(f"n_{loop} >= e_{loop}", NO_TURNS, loop, f"n_{loop} + 1")

    def count_turn(self, node: ir.Node) -> None:
        self.write("left -= 1")
        self.stop("left < 0", "K404", node)

    def chosen(self, draw: ir.Draw, found: ListName) -> str:
        count = self.keep(found.length)
        self.stop(f"{count} == 0", "K401", draw)
        best, place = self.keep("0.0"), self.keep("0")
        with self.loop() as turn, self.indented(f"for {turn} in range({count}):"):
            self.turn_room(draw)
            score = found.item(turn)
            if score.kind != NUMBER:
                self.stop(f"{score.kind} != {NUMBER}", "K403", draw)
            noisy = self.keep(f"{score.double} + {self.draw(draw)}")
            with self.indented(f"if {turn} == 0 or {noisy} > {best}:"):
                self.write(f"{best} = {noisy}; {place} = {turn}")
        return place

    def while_loop(self, node: ir.While) -> None:
        with self.loop() as turn:
            self.write(f"{turn} = -1")
            with self.indented("while True:"):
                self.write(f"{turn} += 1")
                self.turn_room(node)
                self.write(f"if not {self.truth(node.test)}: break")
                self.count_turn(node)
                self.block(node.body)
        self.behind_loop(node)

    def for_loop(self, node: ir.For) -> None:
        name = self.names[node.name]
        assert isinstance(name, ScalarName), "a checked program has no lists of lists"
        count, items = self.iterable(node.over, ir.assigned_names(node.body))
        with self.loop() as turn, self.indented(f"for {turn} in range({count}):"):
            self.turn_room(node)
            self.count_turn(node)
            self.assign(name, self.item(items, turn))
            self.block(node.body)
        self.behind_loop(node)

    def iterable(self, over: ir.Var | ir.Range, changed: frozenset[str]) -> tuple[str, ListName | tuple[str, str]]:
        """How many turns, and a list or the (start, step) of a range."""
        if isinstance(over, ir.Var):
            found = self.list_of(over.name)
            if over.name in changed and found.row is not None:  # the loop goes on over the old list
                old = self.new_list(found.kind)
                self.copy(old, found)
                return old.length, old
            return found.length, found
        start, stop, step = (self.keep(self.number(part)) for part in (over.start, over.stop, over.step))
        self.stop(f"{step} == 0.0", "K402", over)
        self.stop(f"not ({start} - {start} == 0.0 and {stop} - {stop} == 0.0 and {step} - {step} == 0.0)", "K404", over)
        # One turn more than allowed is enough to find that it is too many.
        count = self.keep(f"min(max(ceil(({stop} - {start}) / {step}), 0.0), {MOST_TURNS + 1}.0)")
        return f"int({count})", (start, step)

    def item(self, items: ListName | tuple[str, str], turn: str) -> KernelValue:
        if isinstance(items, ListName):
            return items.item(turn)
        return KernelValue(NUMBER, f"({items[0]} + {turn} * {items[1]})")

    def assignment(self, targets: Sequence[str], values: Sequence[ir.Expr]) -> None:
        if len(targets) == 1:
            held = self.names[targets[0]]
            if isinstance(held, ScalarName):
                self.assign(held, self.scalar(values[0]))
            else:
                self.assign_list(targets[0], held, values[0])
            return
        # All values are computed before any name changes.
        ready: list[tuple[ScalarName, KernelValue] | tuple[ListName, ListName]] = []
        for target, value in zip(targets, values, strict=True):
            held = self.names[target]
            if isinstance(held, ScalarName):
                ready.append((held, self.kept(self.scalar(value))))
            elif held.row is not None:  # the answers stay where they are
                made = self.new_list(held.kind)
                self.fill(made, value)
                ready.append((held, made))
        for pair in ready:
            match pair:
                case (ScalarName() as name, KernelValue() as scalar):
                    self.assign(name, scalar)
                case (ListName() as name, ListName() as made):
                    self.copy(name, made)

    def kept(self, value: KernelValue) -> KernelValue:
        """The same value, computed now."""
        kind = self.keep(value.kind) if isinstance(value.kind, str) else value.kind
        return KernelValue(kind, self.keep(value.text) if value.kind != NONE else "0.0")

    def assign(self, name: ScalarName, value: KernelValue) -> None:
        # The value first: its text may ask for the kind that the name has had until now.
        self.write(f"{name.value} = {value.truth if name.kind == BOOLEAN else value.double}")
        if name.tag is not None:
            self.write(f"{name.tag} = {value.kind}")

    # ---- lists

    def clear(self, target: ListName) -> None:
        self.write(f"{target.end} = {target.begin}")
        if target.start != "0":
            self.write(f"{target.start} = {target.begin}")

    def push(self, target: ListName, item: KernelValue, front: bool = False) -> None:
        if front:
            self.lack(f"{target.start} == 0", NO_LIST_ROOM, 0, "0")
            self.write(f"{target.start} -= 1")
            self.store(target, target.start, item)
        else:
            self.lack(f"{target.end} == room", NO_LIST_ROOM, 0, "0")
            self.store(target, target.end, item)
            self.write(f"{target.end} += 1")

    def store(self, target: ListName, at: str, item: KernelValue) -> None:
        self.write(f"lists[{target.row}, {at}] = {item.double}")
        if target.kind is None:
            self.write(f"list_kinds[{target.row}, {at}] = {item.kind}")

    def copy(self, target: ListName, source: ListName) -> None:
        if target.row != source.row:
            self.clear(target)
            place = self.fresh("i")
            with self.indented(f"for {place} in range({source.length}):"):
                self.push(target, source.item(place))

    def assign_list(self, name: str, target: ListName, value: ir.Expr) -> None:
        mentions = any(isinstance(node, ir.Var) and node.name == name for node in ir.walk(value))
        if mentions and not isinstance(value, ir.Var):
            made = self.new_list(target.kind)
            self.fill(made, value)
            self.copy(target, made)
        else:
            self.fill(target, value)

    def fill(self, target: ListName, value: ir.Expr) -> None:
        """Put the list that `value` is into `target`, which `value` does not read."""
        match value:
            case ir.Var(name):
                self.copy(target, self.list_of(name))
            case ir.ListOf(items) | ir.TupleOf(items):
                ready = [self.kept(self.scalar(item)) for item in items]
                self.clear(target)
                for item in ready:
                    self.push(target, item)
            case ir.Comprehension(item, name, over):
                count, source = self.iterable(over, frozenset())
                only = _only_kind(self.types.items_of(over))
                own = ScalarName(self.fresh("v"), only, None if only is not None else self.fresh("k"))
                self.clear(target)
                hidden = self.names.get(name)
                with self.loop() as turn, self.indented(f"for {turn} in range({count}):"):
                    self.turn_room(item)
                    self.count_turn(value)
                    self.assign(own, self.item(source, turn))
                    self.names[name] = own
                    self.push(target, self.scalar(item))
                if hidden is None:
                    del self.names[name]
                else:
                    self.names[name] = hidden
            case _:
                raise AssertionError("a checked program has a list here")

    def answer(self, value: ir.Expr) -> None:
        match value:
            case ir.ListOf(items) | ir.TupleOf(items):
                ready = [self.kept(self.scalar(item)) for item in items]
                self.write(f"lengths[r] = {len(items)}")
                for place, item in enumerate(ready):
                    self.write(f"kinds[{place}, r] = {item.kind}; values[{place}, r] = {item.double}")
            case ir.Comprehension():
                made = self.new_list(_only_kind(self.types.items_of(value)))
                self.fill(made, value)
                self.answer_list(made)
            case ir.Var(name) if isinstance(self.names[name], ListName):
                self.answer_list(self.list_of(name))
            case _:
                item = self.scalar(value)
                self.write(f"lengths[r] = {SCALAR}; kinds[0, r] = {item.kind}; values[0, r] = {item.double}")

    def answer_list(self, found: ListName) -> None:
        length = self.keep(found.length)
        self.lack(f"{length} > answer_room", NO_ANSWER_ROOM, 0, length)
        self.write(f"lengths[r] = {length}")
        place = self.fresh("i")
        with self.indented(f"for {place} in range({length}):"):
            self.write(f"kinds[{place}, r] = {found.item(place).kind}; values[{place}, r] = {found.double(place)}")
