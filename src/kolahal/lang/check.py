"""What a well-formed sketch must also satisfy: kinds of values, lists that only grow, an answer on every path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

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
    walk,
)
from kolahal.lang.sketch import Sketch, Type
from kolahal.lang.source import Diagnostic

# WHOLE is a number that Python holds as an int, so that it can count turns and places.
NUMBER, WHOLE, BOOLEAN, NONE, LIST = "number", "whole", "boolean", "none", "list"
Kinds = frozenset[str]
NUMBERS: Kinds = frozenset({NUMBER})
WHOLES: Kinds = frozenset({WHOLE})
BOOLEANS: Kinds = frozenset({BOOLEAN})
NOTHING: Kinds = frozenset()
WORDS = {NUMBER: "a number", WHOLE: "a number", BOOLEAN: "a truth value", NONE: "None", LIST: "a list"}


def describe(kinds: Kinds) -> str:
    return " or ".join(dict.fromkeys(WORDS[k] for k in WORDS if k in kinds)) or "nothing yet"


@dataclass(slots=True)
class Types:
    """Which kinds of value each name may hold, and each list's items; found by iteration to a fixed point."""

    names: dict[str, Kinds] = field(default_factory=dict)
    items: dict[str, Kinds] = field(default_factory=dict)

    def of(self, expr: Expr | Range) -> Kinds:
        match expr:
            case Const(value=None):
                return frozenset({NONE})
            case Const(value=bool()) | Not() | IsNone():
                return BOOLEANS
            case Const(value):
                return WHOLES if value.denominator == 1 else NUMBERS
            case Length():
                return WHOLES
            case Draw():
                return NUMBERS
            case Negate(of):
                return self.arithmetic(of)
            case Call(_, arguments):
                return self.arithmetic(*arguments)
            case Var(name):
                return self.names.get(name, NOTHING)
            case Index(of, _):
                return self.items.get(of.name, NOTHING)
            case Binary("/", _, _):
                return NUMBERS
            case Binary("+" | "-" | "*" | "//" | "%", left, right):
                return self.arithmetic(left, right)
            case Binary():
                return BOOLEANS
            case _:
                return frozenset({LIST})

    def arithmetic(self, *operands: Expr) -> Kinds:
        """Whole numbers give whole numbers; an operand of which nothing is known yet gives nothing yet."""
        kinds = [self.of(operand) for operand in operands]
        if not all(kinds):
            return NOTHING
        return WHOLES if all(k & {NUMBER, WHOLE} == WHOLES for k in kinds) else NUMBERS

    def items_of(self, expr: Expr | Range) -> Kinds:
        match expr:
            case Range():
                return WHOLES
            case Var(name):
                return self.items.get(name, NOTHING)
            case ListOf(items) | TupleOf(items):
                return frozenset().union(*(self.of(item) for item in items))
            case Comprehension(item, name, over):
                return self.inside(name, over).of(item)
            case _:
                return NOTHING

    def inside(self, name: str, over: Var | Range) -> Types:
        """The types inside a comprehension, where `name` stands for the items of `over`."""
        return Types(self.names | {name: self.items_of(over)}, self.items)

    def learn(self, name: str, kinds: Kinds, items: Kinds = NOTHING) -> bool:
        before = self.names.get(name, NOTHING), self.items.get(name, NOTHING)
        self.names[name], self.items[name] = before[0] | kinds, before[1] | items
        return (self.names[name], self.items[name]) != before


def infer(sketch: Sketch) -> Types:
    """The types of all names of a sketch, whatever the order in which its statements run."""
    types = Types()
    for parameter in sketch.parameters:
        match parameter.type:
            case Type.VECTOR:
                types.learn(parameter.name, frozenset({LIST}), NUMBERS)
            case Type.BOOL:
                types.learn(parameter.name, BOOLEANS)
            case Type.INT:
                types.learn(parameter.name, WHOLES)
            case _:
                types.learn(parameter.name, NUMBERS)
    statements = [node for node in walk(sketch.body) if isinstance(node, Assign | For | Append)]
    changed = True
    while changed:
        changed = False
        for node in statements:
            match node:
                case Assign(targets, values):
                    for name, value in zip(targets, values, strict=True):
                        changed |= types.learn(name, types.of(value), types.items_of(value))
                case For(name, over, _):
                    changed |= types.learn(name, types.items_of(over))
                case Append(name, value, _):
                    changed |= types.learn(name, NOTHING, types.of(value))
    return types


def check(sketch: Sketch, lost: Kinds | None = None) -> list[Diagnostic]:
    """The faults of a parsed sketch, each once; `lost` are names of which nothing is known, where parsing failed."""
    checker = _Checker(sketch, lost)
    return list(dict.fromkeys(checker.faults()))


class _Checker:
    def __init__(self, sketch: Sketch, lost: Kinds | None):
        self.sketch = sketch
        self.whole = lost is None
        self.types = infer(sketch)
        for name in lost or ():
            self.types.names[name] = self.types.items[name] = NOTHING
        self.found: list[Diagnostic] = []
        self.parameters = {p.name for p in sketch.parameters}
        self.grown = {node.name for node in walk(sketch.body) if isinstance(node, Append)}

    def faults(self) -> Iterator[Diagnostic]:
        self.block(self.sketch.body)
        if self.whole and falls_through(self.sketch.body):
            last: Node = self.sketch.body[-1] if self.sketch.body else Const(None, span=self.sketch.span)
            self.fault(
                "K211",
                last,
                "a run can end here without an answer",
                "Every run of a sketch ends with `return`.",
                "Add a `return` at the end of the function.",
            )
        return iter(self.found)

    def fault(self, code: str, node: Node, what: str, why: str, fix: str) -> None:
        self.found.append(Diagnostic(code, node.span, what, why, fix))

    # ---- statements

    def block(self, body: Block) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: Stmt) -> None:
        match node:
            case Assign(targets, values):
                for target, value in zip(targets, values, strict=True):
                    self.assignment(node, target, value)
            case If(test, then, orelse):
                self.condition(test)
                self.block(then)
                self.block(orelse)
            case While(test, body):
                self.condition(test)
                if test == Const(True) and not any(isinstance(n, Return | Break) for n in walk(body)):
                    self.fault(
                        "K214",
                        node,
                        "this loop never ends",
                        "It has no `break` and no `return`.",
                        "Give it a condition, or leave it with `break`.",
                    )
                self.block(body)
            case For(name, over, body):
                self.bound(node, name)
                self.iterable(over, self.types)
                if isinstance(over, Var):
                    for inner in walk(body):
                        if isinstance(inner, Append) and inner.name == over.name:
                            self.fault(
                                "K210",
                                inner,
                                f"`{over.name}` grows while the loop runs over it",
                                "Such a loop may never end.",
                                "Append to another list.",
                            )
                self.block(body)
            case Append(name, value, _):
                kinds = self.types.names.get(name, NOTHING)
                if name in self.parameters:
                    self.fault(
                        "K208",
                        node,
                        f"`{name}` belongs to the caller and cannot grow",
                        "A sketch changes only lists that it made.",
                        "Make a list of your own: out = [].",
                    )
                elif LIST not in kinds and (kinds or self.whole):
                    self.fault(
                        "K205",
                        node,
                        f"`{name}` is not a list",
                        f"It holds {describe(kinds)}." if kinds else "It is never given a value.",
                        f"Write {name} = [] first.",
                    )
                self.scalar(value, self.types)
            case Return(value):
                self.expression(value, self.types)
            case _:
                pass

    def bound(self, node: Node, name: str) -> None:
        """`name` gets a value here; ε may not, and a name is a list always or never."""
        if name == self.sketch.epsilon.name:
            self.fault(
                "K213",
                node,
                f"`{name}` is the privacy budget and cannot change",
                "Every scale refers to the budget that the caller gave.",
                f"Use another name, such as {name}1 = {name} / 2.",
            )
        kinds = self.types.names.get(name, NOTHING)
        if LIST in kinds and len(kinds) > 1:
            self.fault(
                "K206",
                node,
                f"`{name}` is {describe(kinds)}",
                "A name is a list always or never, so that runs can be compared.",
                "Use two names.",
            )

    def assignment(self, node: Assign, target: str, value: Expr) -> None:
        self.bound(node, target)
        self.expression(value, self.types)
        if isinstance(value, Var) and LIST in self.types.of(value) and {target, value.name} & self.grown:
            self.fault(
                "K209",
                node,
                f"`{target}` and `{value.name}` would be the same list",
                "When one grows, the other does too, which is easy to miss.",
                f"Copy it: {target} = [x for x in {value.name}].",
            )

    # ---- expressions

    def expression(self, expr: Expr, types: Types) -> Kinds:
        match expr:
            case Var(name):
                if name not in types.names:
                    self.fault(
                        "K201",
                        expr,
                        f"`{name}` has no value",
                        "It is neither a parameter nor assigned anywhere in the sketch.",
                        "Check its spelling, or assign it first.",
                    )
            case Length(of):
                self.list_name(of, types)
            case Index(of, at):
                self.list_name(of, types)
                self.whole_number(at, types, "a place in a list")
            case Not(of):
                self.boolean(of, types)
            case Negate(of):
                self.number(of, types)
            case IsNone(of):
                self.scalar(of, types)
            case Binary("and" | "or", left, right):
                self.boolean(left, types)
                self.boolean(right, types)
            case Binary("==" | "!=", left, right):
                self.equality(expr, types)
            case Binary(_, left, right):
                self.number(left, types)
                self.number(right, types)
            case Call(_, arguments):
                for argument in arguments:
                    self.number(argument, types)
            case ListOf(items) | TupleOf(items):
                for item in items:
                    self.scalar(item, types)
            case Comprehension(item, name, over):
                if name in self.parameters:
                    self.fault(
                        "K215",
                        expr,
                        f"`{name}` of this comprehension hides a parameter",
                        "Inside it, the parameter could no longer be read.",
                        "Choose another name.",
                    )
                self.iterable(over, types)
                self.scalar(item, types.inside(name, over))
            case _:
                pass
        return types.of(expr)

    def iterable(self, over: Var | Range, types: Types) -> None:
        match over:
            case Var():
                self.list_name(over, types)
            case Range(start, stop, step):
                for part in (start, stop, step):
                    self.whole_number(part, types, "a bound of a range")
                if isinstance(step, Const) and step.value == 0:
                    self.fault(
                        "K216",
                        over,
                        "the step of a range is 0",
                        "Such a loop never moves.",
                        "Write a step other than 0.",
                    )

    def condition(self, test: Expr) -> None:
        self.boolean(test, self.types)

    def list_name(self, of: Var, types: Types) -> None:
        kinds = self.expression(of, types)
        if kinds and kinds != {LIST}:
            self.fault("K205", of, f"`{of.name}` is not a list", f"It holds {describe(kinds)}.", "Use a list here.")

    def scalar(self, expr: Expr, types: Types) -> None:
        if LIST in self.expression(expr, types):
            self.fault(
                "K207",
                expr,
                "a list stands where one value is needed",
                "Lists hold numbers, truth values and None, not other lists.",
                "Append its items one by one.",
            )

    def number(self, expr: Expr, types: Types) -> None:
        kinds = self.expression(expr, types)
        if (kinds and not {NUMBER, WHOLE} & kinds) or {BOOLEAN, LIST} & kinds:
            code = "K212" if kinds == {NONE} else "K202"
            fix = (
                "Join lists with append."
                if LIST in kinds
                else "Give it a number first."
                if code == "K212"
                else "Use `if` to turn a truth value into a number."
            )
            self.fault(
                code,
                expr,
                f"a number is needed here, not {describe(kinds)}",
                "Arithmetic and order are for numbers only.",
                fix,
            )

    def whole_number(self, expr: Expr, types: Types, place: str) -> None:
        before = len(self.found)
        self.number(expr, types)
        if len(self.found) == before and NUMBER in types.of(expr):
            self.fault(
                "K217",
                expr,
                f"{place} must be a whole number",
                "This may be a fraction: it comes from noise, a division, or a float.",
                "Use whole numbers, and // instead of /.",
            )

    def boolean(self, expr: Expr, types: Types) -> None:
        kinds = self.expression(expr, types)
        if kinds and kinds != BOOLEANS:
            fix = "Write `x is not None`." if kinds == {NONE} else "Write a comparison, such as x > 0 or len(out) > 0."
            self.fault(
                "K203",
                expr,
                f"a truth value is needed here, not {describe(kinds)}",
                "Python's rules for what counts as true are easy to misread, so conditions are spelled out.",
                fix,
            )

    def equality(self, expr: Binary, types: Types) -> None:
        left, right = self.expression(expr.left, types), self.expression(expr.right, types)
        both = left | right
        if LIST in both or ({NUMBER, WHOLE} & both and BOOLEAN in both):
            self.fault(
                "K204",
                expr,
                f"{describe(left)} cannot be compared with {describe(right)}",
                "Numbers are compared with numbers, and truth values with truth values.",
                "Compare values of one kind.",
            )


def falls_through(body: Block) -> bool:
    """Whether a run can reach the end of `body`."""
    for statement in body:
        match statement:
            case Return():
                return False
            case If(_, then, orelse) if not falls_through(then) and not falls_through(orelse):
                return False
            case While(Const(value=True), inner) if not _breaks(inner):
                return False
            case Break() | Continue():
                return False
    return True


def _breaks(body: Block) -> bool:
    """Whether `body` has a `break` of its own loop."""
    for statement in body:
        match statement:
            case Break():
                return True
            case If(_, then, orelse) if _breaks(then) or _breaks(orelse):
                return True
    return False
