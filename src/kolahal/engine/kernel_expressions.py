"""Expressions of a kernel as text on plain doubles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from fractions import Fraction

from kolahal.engine.noise import FAMILIES
from kolahal.engine.outputs import BOOLEAN, NONE, NUMBER, UNSET
from kolahal.lang.ir import Binary, Call, Const, Draw, Expr, Hole, Index, IsNone, Length, Negate, Node, Not, Var
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass

# What the kernel lacks; `state` then holds the run, which one (site, loop or list), and how much (slot or count).
DONE, NO_NOISE, NO_TURNS, NO_LIST_ROOM, NO_ANSWER_ROOM = 0, -1, -2, -3, -4


@dataclass(frozen=True, slots=True)
class KernelValue:
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
class ScalarName:
    """A scalar variable: `value`, and `tag` for its kind where that is not known beforehand or it may be unset."""

    value: str
    kind: int | None  # the only kind it can have
    tag: str | None = None
    unset: bool = False


@dataclass(frozen=True, slots=True)
class ListName:
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

    def item(self, place: str) -> KernelValue:
        if self.kind is None:
            return KernelValue(f"list_kinds[{self.row}, {self._at(place)}]", self.double(place))
        return KernelValue(self.kind, f"({self.double(place)} != 0.0)" if self.kind == BOOLEAN else self.double(place))

    def _at(self, place: str) -> str:
        return place if self.start == "0" else f"{self.start} + {place}"


@dataclass(slots=True)
class ExpressionWriter:
    """Expressions as text; statements that they need first are written on the way."""

    sketch: Sketch
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    numbers: int = 0
    rows: int = 0
    loops: int = 0
    inside: tuple[int, ...] = ()  # the loops around what is being written
    around: dict[int, tuple[int, ...]] = field(default_factory=dict)  # site → loops
    faults: list[tuple[str, Node]] = field(default_factory=list)
    names: dict[str, ScalarName | ListName] = field(default_factory=dict)

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

    def list_of(self, name: str) -> ListName:
        held = self.names[name]
        assert isinstance(held, ListName), "a checked program has a list here"
        return held

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

    def scalar(self, expr: Expr) -> KernelValue:
        match expr:
            case Const(value=None):
                return KernelValue(NONE, "0.0")
            case Const(value=bool() as truth):
                return KernelValue(BOOLEAN, str(truth))
            case Const(value=Fraction() as value):
                return KernelValue(NUMBER, f"({float(value)!r})" if value < 0 else repr(float(value)))
            case Var(name):
                return self.variable(expr, name)
            case Length(of):
                return KernelValue(NUMBER, f"float({self.list_of(of.name).length})")
            case Index(of, at):
                return self.index(expr, self.list_of(of.name), at)
            case Not(of):
                return KernelValue(BOOLEAN, f"(not {self.truth(of)})")
            case Negate(of):
                return KernelValue(NUMBER, f"(-{self.number(of)})")
            case IsNone(of):
                kind = self.scalar(of).kind
                return KernelValue(BOOLEAN, f"({kind} == {NONE})" if isinstance(kind, str) else str(kind == NONE))
            case Binary("and" | "or" as op, left, right):
                return self.short_circuit(op, left, right)
            case Binary("==" | "!=" as op, left, right):
                return self.equality(op, self.scalar(left), self.scalar(right))
            case Binary(op, left, right):
                return self.binary(expr, op, left, right)
            case Call("abs", (argument,)):
                return KernelValue(NUMBER, f"abs({self.number(argument)})")
            case Call(function, arguments):
                return self.extreme(">" if function == "max" else "<", [self.number(a) for a in arguments])
            case Draw(of=Var(name)):
                return KernelValue(NUMBER, f"float({self.chosen(expr, self.list_of(name))})")
            case Draw(noise):
                drawn = self.draw(expr)
                return KernelValue(BOOLEAN, f"({drawn} != 0.0)") if noise.finite else KernelValue(NUMBER, drawn)
            case _:
                raise AssertionError("a checked program has one value here")

    def variable(self, expr: Var, name: str) -> KernelValue:
        held = self.names[name]
        assert isinstance(held, ScalarName), "a checked program has one value here"
        if held.unset:
            self.stop(f"{held.tag} == {UNSET}", "K405", expr)
        if held.kind is not None:
            return KernelValue(held.kind, held.value)
        assert held.tag is not None
        return KernelValue(held.tag, held.value)

    def short_circuit(self, op: str, left: Expr, right: Expr) -> KernelValue:
        result = self.keep(self.truth(left))
        with self.indented(f"if {result}:" if op == "and" else f"if not {result}:"):
            self.write(f"{result} = {self.truth(right)}")
        return KernelValue(BOOLEAN, result)

    def equality(self, op: str, left: KernelValue, right: KernelValue) -> KernelValue:
        if isinstance(left.kind, int) and left.kind == right.kind:
            return KernelValue(BOOLEAN, str(op == "==") if left.kind == NONE else f"({left.text} {op} {right.text})")
        if isinstance(left.kind, int) and isinstance(right.kind, int):
            return KernelValue(BOOLEAN, str(op == "!="))
        same = f"{left.kind} == {right.kind} and ({left.kind} == {NONE} or {left.double} == {right.double})"
        return KernelValue(BOOLEAN, f"({same})" if op == "==" else f"(not ({same}))")

    def binary(self, expr: Binary, op: str, left: Expr, right: Expr) -> KernelValue:
        a, b = self.number(left), self.number(right)
        if op in ("/", "//", "%"):
            b = self.keep(b)
            self.stop(f"{b} == 0.0", "K402", expr)
        return KernelValue(NUMBER if op in ("+", "-", "*", "/", "//", "%") else BOOLEAN, f"({a} {op} {b})")

    def extreme(self, better: str, numbers: list[str]) -> KernelValue:
        result = self.keep(numbers[0])
        for other in map(self.keep, numbers[1:]):
            self.write(f"if {other} {better} {result}: {result} = {other}")
        return KernelValue(NUMBER, result)

    def index(self, expr: Index, found: ListName, at: Expr) -> KernelValue:
        place = self.keep(self.number(at))
        length = self.keep(found.length)
        self.stop(f"not -{length} <= {place} < {length}", "K401", expr)
        row = self.keep(f"int({place})")
        self.write(f"if {row} < 0: {row} += {length}")
        return found.item(row)

    def chosen(self, draw: Draw, found: ListName) -> str:
        """The name of the place that is drawn from a list of scores."""
        raise NotImplementedError

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
            if isinstance(draw.scale, Hole) and not draw.noise.selects:
                h = draw.scale.index
                self.write(f"sum_{h} += abs({drawn}); count_{h} += 1.0")
        return drawn
