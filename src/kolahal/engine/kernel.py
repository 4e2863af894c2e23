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
from dataclasses import dataclass, field
from fractions import Fraction

from kolahal.engine.faults import MOST_TURNS
from kolahal.engine.liveness import always_answers, maybe_unset
from kolahal.engine.noise import FAMILIES
from kolahal.engine.outputs import BOOLEAN, NONE, NUMBER, SCALAR, UNSET
from kolahal.lang import kinds as check
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
    Hole,
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
    assigned_names,
    walk,
)
from kolahal.lang.sketch import Role, Sketch

# What the kernel lacks; `state` then holds the run, which one (site, loop or list), and how much (slot or count).
DONE, NO_NOISE, NO_TURNS, NO_LIST_ROOM, NO_ANSWER_ROOM = 0, -1, -2, -3, -4

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
    faults: tuple[tuple[str, Node], ...]  # fault n is item n − 1
    draws: tuple[Draw, ...]  # by site
    around: tuple[tuple[int, ...], ...]  # by site: the loops around it, outermost first
    loops: int
    lists: int
    widest: int  # items of the longest list or tuple that is written out


def write_kernel(sketch: Sketch) -> Kernel:
    """The kernel of a checked sketch."""
    writer = _Writer(sketch)
    text = writer.function()
    draws = sketch.draws
    around = tuple(writer.around[draw.site] for draw in draws)
    written = [len(node.items) for node in walk(sketch.body) if isinstance(node, ListOf | TupleOf)]
    return Kernel(text, tuple(writer.faults), draws, around, writer.loops, writer.rows, max(written, default=1))


@dataclass(frozen=True, slots=True)
class _Value:
    """A scalar: its kind, or the text of one; and its text, a double, or a truth value if the kind is BOOLEAN."""

    kind: int | str
    text: str

    @property
    def double(self) -> str:
        if self.kind == NONE:
            return "0.0"
        return f"(1.0 if {self.text} else 0.0)" if self.kind == BOOLEAN else self.text

    @property
    def truth(self) -> str:
        return self.text if self.kind == BOOLEAN else f"({self.double} != 0.0)"


@dataclass(frozen=True, slots=True)
class _Name:
    """A scalar variable: `value`, and `tag` for its kind where that is not known beforehand or it may be unset."""

    value: str
    kind: int | None  # the only kind it can have
    tag: str | None = None
    unset: bool = False


@dataclass(frozen=True, slots=True)
class _List:
    """A list variable: a row of the scratch lists from `start` up to `end`, or the private answers."""

    row: int | None  # None: the answers
    kind: int | None  # the only kind that its items can have
    start: str
    end: str
    begin: str = "0"  # where an empty one starts; in the middle if it also grows at the front

    @property
    def length(self) -> str:
        return self.end if self.start == "0" else f"({self.end} - {self.start})"

    def double(self, place: str) -> str:
        """An item as it is stored: a truth value as 1.0 or 0.0."""
        return f"answers[{place}]" if self.row is None else f"lists[{self.row}, {self._at(place)}]"

    def item(self, place: str) -> _Value:
        if self.kind is None:
            return _Value(f"list_kinds[{self.row}, {self._at(place)}]", self.double(place))
        return _Value(self.kind, f"({self.double(place)} != 0.0)" if self.kind == BOOLEAN else self.double(place))

    def _at(self, place: str) -> str:
        return place if self.start == "0" else f"{self.start} + {place}"


ANSWERS = _List(None, NUMBER, "0", "answers.shape[0]")
_ONLY = {check.NUMBER: NUMBER, check.WHOLE: NUMBER, check.BOOLEAN: BOOLEAN, check.NONE: NONE}


def _only_kind(kinds: check.Kinds) -> int | None:
    found = {_ONLY[kind] for kind in kinds if kind in _ONLY}
    return found.pop() if len(found) == 1 else None


@dataclass(slots=True)
class _Writer:
    sketch: Sketch
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    numbers: int = 0
    rows: int = 0
    loops: int = 0
    inside: tuple[int, ...] = ()  # the loops around what is being written
    around: dict[int, tuple[int, ...]] = field(default_factory=dict)  # site → loops
    faults: list[tuple[str, Node]] = field(default_factory=list)
    names: dict[str, _Name | _List] = field(default_factory=dict)
    types: check.Types = field(default_factory=check.Types)

    # ---- text

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def indented(self, head: str) -> Iterator[None]:
        self.write(head)
        self.depth += 1
        yield
        self.depth -= 1

    def fresh(self, letter: str) -> str:
        self.numbers += 1
        return f"{letter}_{self.numbers}"

    def keep(self, text: str) -> str:
        """A new name for the value of `text`."""
        name = self.fresh("x")
        self.write(f"{name} = {text}")
        return name

    def stop(self, condition: str, code: str, node: Node) -> None:
        """End with a fault if `condition` holds."""
        self.faults.append((code, node))
        self.write(f"if {condition}: return {len(self.faults)}")

    def lack(self, condition: str, what: int, which: int | str, amount: str) -> None:
        """Ask for help if `condition` holds."""
        with self.indented(f"if {condition}:"):
            self.write(f"state[0] = r; state[1] = {which}; state[2] = {amount}")
            self.write(f"return {what}")

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
            *(f"    o_{site} = offsets[{site}]" for site in range(len(sketch.draws))),
            *(f"    e_{loop} = extents[{loop}]" for loop in range(self.loops)),
        ]
        return "\n".join([*head, *self.lines, ""])

    def declare(self) -> None:
        """Decide how each name is held."""
        unset, answers = maybe_unset(self.sketch), always_answers(self.sketch)
        fronts = {node.name for node in walk(self.sketch.body) if isinstance(node, Append) and node.front}
        bound = sorted(assigned_names(self.sketch.body) | {p.name for p in self.sketch.parameters})
        for name in bound:
            kinds = self.types.names[name]
            only = _only_kind(kinds)
            if check.LIST not in kinds:
                tag = self.fresh("k") if name in unset or only is None else None
                self.names[name] = _Name(self.fresh("v"), only, tag, name in unset)
            elif name in answers:
                self.names[name] = ANSWERS
            else:
                self.names[name] = self.new_list(_only_kind(self.types.items[name]), name in fronts)

    def new_list(self, kind: int | None, front: bool = False) -> _List:
        row, self.rows = self.rows, self.rows + 1
        if front:
            return _List(row, kind, self.fresh("s"), self.fresh("t"), "middle")
        return _List(row, kind, "0", self.fresh("t"))

    def begin_run(self) -> None:
        for held in self.names.values():
            if isinstance(held, _Name):
                self.write(f"{held.value} = {'False' if held.kind == BOOLEAN else '0.0'}")
                if held.tag is not None:
                    self.write(f"{held.tag} = {UNSET}")
            elif held.row is not None:
                self.clear(held)
        public = [p for p in self.sketch.parameters if p.role is not Role.PRIVATE]
        for place, parameter in enumerate(public):
            name = self.names[parameter.name]
            assert isinstance(name, _Name)
            truth = self.types.of(Var(parameter.name)) == check.BOOLEANS
            text = f"given[{place}]"
            self.assign(name, _Value(BOOLEAN, f"({text} != 0.0)") if truth else _Value(NUMBER, text))
        private = self.names[self.sketch.private.name]
        assert isinstance(private, _List)
        self.copy(private, ANSWERS)

    # ---- statements

    def block(self, body: Block) -> None:
        for node in body:
            self.statement(node)
        if not body:
            self.write("pass")

    def statement(self, node: Stmt) -> None:
        match node:
            case Assign(targets, values):
                self.assignment(targets, values)
            case If(test, then, orelse):
                with self.indented(f"if {self.truth(test)}:"):
                    self.block(then)
                if orelse:
                    with self.indented("else:"):
                        self.block(orelse)
            case While():
                self.while_loop(node)
            case For():
                self.for_loop(node)
            case Append(name, value, front):
                # Computed first: what is put in front moves all places, and the item may come from one.
                self.push(self.list_of(name), self.kept(self.scalar(value)), front)
            case Return(value):
                self.answer(value)
                for hole in self.sketch.holes:
                    h = hole.index
                    self.write(f"if counted: sums[{h}, r] = sum_{h}; counts[{h}, r] = count_{h}")
                self.leave()
            case Break():
                self.write("break")
            case Continue():
                self.write("continue")

    def leave(self) -> None:
        """Go on to the next run, out of all loops."""
        if self.inside:
            self.write("ended = True")
            self.write("break")
        else:
            self.write("continue")

    def behind_loop(self, node: While | For) -> None:
        if any(isinstance(inner, Return) for inner in walk(node.body)):
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
        if any(isinstance(inner, Draw) for inner in walk(node)):
            loop = self.inside[-1]
            self.lack(f"n_{loop} >= e_{loop}", NO_TURNS, loop, f"n_{loop} + 1")

    def count_turn(self, node: Node) -> None:
        self.write("left -= 1")
        self.stop("left < 0", "K404", node)

    def while_loop(self, node: While) -> None:
        with self.loop() as turn:
            self.write(f"{turn} = -1")
            with self.indented("while True:"):
                self.write(f"{turn} += 1")
                self.turn_room(node)
                self.write(f"if not {self.truth(node.test)}: break")
                self.count_turn(node)
                self.block(node.body)
        self.behind_loop(node)

    def for_loop(self, node: For) -> None:
        name = self.names[node.name]
        assert isinstance(name, _Name), "a checked program has no lists of lists"
        count, items = self.iterable(node.over, assigned_names(node.body))
        with self.loop() as turn, self.indented(f"for {turn} in range({count}):"):
            self.turn_room(node)
            self.count_turn(node)
            self.assign(name, self.item(items, turn))
            self.block(node.body)
        self.behind_loop(node)

    def iterable(self, over: Var | Range, changed: frozenset[str]) -> tuple[str, _List | tuple[str, str]]:
        """How many turns, and a list or the (start, step) of a range."""
        if isinstance(over, Var):
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

    def item(self, items: _List | tuple[str, str], turn: str) -> _Value:
        if isinstance(items, _List):
            return items.item(turn)
        return _Value(NUMBER, f"({items[0]} + {turn} * {items[1]})")

    def assignment(self, targets: Sequence[str], values: Sequence[Expr]) -> None:
        if len(targets) == 1:
            held = self.names[targets[0]]
            if isinstance(held, _Name):
                self.assign(held, self.scalar(values[0]))
            else:
                self.assign_list(targets[0], held, values[0])
            return
        # All values are computed before any name changes.
        ready: list[tuple[_Name, _Value] | tuple[_List, _List]] = []
        for target, value in zip(targets, values, strict=True):
            held = self.names[target]
            if isinstance(held, _Name):
                ready.append((held, self.kept(self.scalar(value))))
            elif held.row is not None:  # the answers stay where they are
                made = self.new_list(held.kind)
                self.fill(made, value)
                ready.append((held, made))
        for pair in ready:
            match pair:
                case (_Name() as name, _Value() as scalar):
                    self.assign(name, scalar)
                case (_List() as name, _List() as made):
                    self.copy(name, made)

    def kept(self, value: _Value) -> _Value:
        """The same value, computed now."""
        kind = self.keep(value.kind) if isinstance(value.kind, str) else value.kind
        return _Value(kind, self.keep(value.text) if value.kind != NONE else "0.0")

    def assign(self, name: _Name, value: _Value) -> None:
        # The value first: its text may ask for the kind that the name has had until now.
        self.write(f"{name.value} = {value.truth if name.kind == BOOLEAN else value.double}")
        if name.tag is not None:
            self.write(f"{name.tag} = {value.kind}")

    # ---- lists

    def list_of(self, name: str) -> _List:
        held = self.names[name]
        assert isinstance(held, _List), "a checked program has a list here"
        return held

    def clear(self, target: _List) -> None:
        self.write(f"{target.end} = {target.begin}")
        if target.start != "0":
            self.write(f"{target.start} = {target.begin}")

    def push(self, target: _List, item: _Value, front: bool = False) -> None:
        if front:
            self.lack(f"{target.start} == 0", NO_LIST_ROOM, 0, "0")
            self.write(f"{target.start} -= 1")
            self.store(target, target.start, item)
        else:
            self.lack(f"{target.end} == room", NO_LIST_ROOM, 0, "0")
            self.store(target, target.end, item)
            self.write(f"{target.end} += 1")

    def store(self, target: _List, at: str, item: _Value) -> None:
        self.write(f"lists[{target.row}, {at}] = {item.double}")
        if target.kind is None:
            self.write(f"list_kinds[{target.row}, {at}] = {item.kind}")

    def copy(self, target: _List, source: _List) -> None:
        if target.row != source.row:
            self.clear(target)
            place = self.fresh("i")
            with self.indented(f"for {place} in range({source.length}):"):
                self.push(target, source.item(place))

    def assign_list(self, name: str, target: _List, value: Expr) -> None:
        mentions = any(isinstance(node, Var) and node.name == name for node in walk(value))
        if mentions and not isinstance(value, Var):
            made = self.new_list(target.kind)
            self.fill(made, value)
            self.copy(target, made)
        else:
            self.fill(target, value)

    def fill(self, target: _List, value: Expr) -> None:
        """Put the list that `value` is into `target`, which `value` does not read."""
        match value:
            case Var(name):
                self.copy(target, self.list_of(name))
            case ListOf(items) | TupleOf(items):
                ready = [self.kept(self.scalar(item)) for item in items]
                self.clear(target)
                for item in ready:
                    self.push(target, item)
            case Comprehension(item, name, over):
                count, source = self.iterable(over, frozenset())
                only = _only_kind(self.types.items_of(over))
                own = _Name(self.fresh("v"), only, None if only is not None else self.fresh("k"))
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

    def answer(self, value: Expr) -> None:
        match value:
            case ListOf(items) | TupleOf(items):
                ready = [self.kept(self.scalar(item)) for item in items]
                self.write(f"lengths[r] = {len(items)}")
                for place, item in enumerate(ready):
                    self.write(f"kinds[{place}, r] = {item.kind}; values[{place}, r] = {item.double}")
            case Comprehension():
                made = self.new_list(_only_kind(self.types.items_of(value)))
                self.fill(made, value)
                self.answer_list(made)
            case Var(name) if isinstance(self.names[name], _List):
                self.answer_list(self.list_of(name))
            case _:
                item = self.scalar(value)
                self.write(f"lengths[r] = {SCALAR}; kinds[0, r] = {item.kind}; values[0, r] = {item.double}")

    def answer_list(self, found: _List) -> None:
        length = self.keep(found.length)
        self.lack(f"{length} > answer_room", NO_ANSWER_ROOM, 0, length)
        self.write(f"lengths[r] = {length}")
        place = self.fresh("i")
        with self.indented(f"for {place} in range({length}):"):
            self.write(f"kinds[{place}, r] = {found.item(place).kind}; values[{place}, r] = {found.double(place)}")

    # ---- expressions

    def number(self, expr: Expr) -> str:
        value = self.scalar(expr)
        if value.kind != NUMBER:
            self.stop(f"{value.kind} != {NUMBER}", "K403", expr)
        return value.double

    def truth(self, expr: Expr) -> str:
        value = self.scalar(expr)
        if value.kind != BOOLEAN:
            self.stop(f"{value.kind} != {BOOLEAN}", "K406", expr)
        return value.truth

    def scalar(self, expr: Expr) -> _Value:
        match expr:
            case Const(value=None):
                return _Value(NONE, "0.0")
            case Const(value=bool() as truth):
                return _Value(BOOLEAN, str(truth))
            case Const(value=Fraction() as value):
                return _Value(NUMBER, f"({float(value)!r})" if value < 0 else repr(float(value)))
            case Var(name):
                return self.variable(expr, name)
            case Length(of):
                return _Value(NUMBER, f"float({self.list_of(of.name).length})")
            case Index(of, at):
                return self.index(expr, self.list_of(of.name), at)
            case Not(of):
                return _Value(BOOLEAN, f"(not {self.truth(of)})")
            case Negate(of):
                return _Value(NUMBER, f"(-{self.number(of)})")
            case IsNone(of):
                kind = self.scalar(of).kind
                return _Value(BOOLEAN, f"({kind} == {NONE})" if isinstance(kind, str) else str(kind == NONE))
            case Binary("and" | "or" as op, left, right):
                return self.short_circuit(op, left, right)
            case Binary("==" | "!=" as op, left, right):
                return self.equality(op, self.scalar(left), self.scalar(right))
            case Binary(op, left, right):
                return self.binary(expr, op, left, right)
            case Call("abs", (argument,)):
                return _Value(NUMBER, f"abs({self.number(argument)})")
            case Call(function, arguments):
                return self.extreme(">" if function == "max" else "<", [self.number(a) for a in arguments])
            case Draw():
                return _Value(NUMBER, self.draw(expr))
            case _:
                raise AssertionError("a checked program has one value here")

    def variable(self, expr: Var, name: str) -> _Value:
        held = self.names[name]
        assert isinstance(held, _Name), "a checked program has one value here"
        if held.unset:
            self.stop(f"{held.tag} == {UNSET}", "K405", expr)
        if held.kind is not None:
            return _Value(held.kind, held.value)
        assert held.tag is not None
        return _Value(held.tag, held.value)

    def short_circuit(self, op: str, left: Expr, right: Expr) -> _Value:
        result = self.keep(self.truth(left))
        with self.indented(f"if {result}:" if op == "and" else f"if not {result}:"):
            self.write(f"{result} = {self.truth(right)}")
        return _Value(BOOLEAN, result)

    def equality(self, op: str, left: _Value, right: _Value) -> _Value:
        if isinstance(left.kind, int) and left.kind == right.kind:
            return _Value(BOOLEAN, str(op == "==") if left.kind == NONE else f"({left.text} {op} {right.text})")
        if isinstance(left.kind, int) and isinstance(right.kind, int):
            return _Value(BOOLEAN, str(op == "!="))
        same = f"{left.kind} == {right.kind} and ({left.kind} == {NONE} or {left.double} == {right.double})"
        return _Value(BOOLEAN, f"({same})" if op == "==" else f"(not ({same}))")

    def binary(self, expr: Binary, op: str, left: Expr, right: Expr) -> _Value:
        a, b = self.number(left), self.number(right)
        if op in ("/", "//", "%"):
            b = self.keep(b)
            self.stop(f"{b} == 0.0", "K402", expr)
        return _Value(NUMBER if op in ("+", "-", "*", "/", "//", "%") else BOOLEAN, f"({a} {op} {b})")

    def extreme(self, better: str, numbers: list[str]) -> _Value:
        result = self.keep(numbers[0])
        for other in map(self.keep, numbers[1:]):
            self.write(f"if {other} {better} {result}: {result} = {other}")
        return _Value(NUMBER, result)

    def index(self, expr: Index, found: _List, at: Expr) -> _Value:
        place = self.keep(self.number(at))
        length = self.keep(found.length)
        self.stop(f"not -{length} <= {place} < {length}", "K401", expr)
        row = self.keep(f"int({place})")
        self.write(f"if {row} < 0: {row} += {length}")
        return found.item(row)

    def draw(self, draw: Draw) -> str:
        """The name of a draw; without noise it is 0, asks for no unit and does not count."""
        site, self.around[draw.site] = draw.site, self.inside
        slot = "0"
        for loop in self.inside:
            slot = f"n_{loop}" if slot == "0" else f"({slot}) * e_{loop} + n_{loop}"
        drawn, row = self.fresh("d"), self.fresh("a")
        self.write(f"{drawn} = 0.0")
        with self.indented(f"if w_{site} != 0.0:"):
            self.write(f"{row} = rows[o_{site} + {slot}]")
            self.lack(f"{row} == 0", NO_NOISE, site, slot)
            family = FAMILIES[draw.noise]
            units = {f"u{part}": f"load({row}, {part} * runs + r)" for part in range(family.parts)}
            self.write(f"{drawn} = {family.code.format(s=f'w_{site}', **units)}")
            if isinstance(draw.scale, Hole):
                h = draw.scale.index
                self.write(f"sum_{h} += abs({drawn}); count_{h} += 1.0")
        return drawn
