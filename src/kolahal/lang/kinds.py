"""What a well-formed sketch must also satisfy: kinds of values, lists that only grow, an answer on every path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.labels import LabelCode
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.lang.source import Diagnostic, diagnose
from kolahal.nouns import dataclass

# WHOLE is a number that Python holds as an int, so that it can count turns and places.
NUMBER, WHOLE, BOOLEAN, NONE, LIST, TEXT = "number", "whole", "boolean", "none", "list", "text"
Kinds = frozenset[str]
NUMBERS: Kinds = frozenset({NUMBER})
WHOLES: Kinds = frozenset({WHOLE})
NUMERIC: Kinds = NUMBERS | WHOLES
BOOLEANS: Kinds = frozenset({BOOLEAN})
NOTHING: Kinds = frozenset()
WORDS = {NUMBER: "a number", WHOLE: "a number", BOOLEAN: "a truth value", NONE: "None", LIST: "a list", TEXT: "a text"}


def describe(kinds: Kinds) -> str:
    return " or ".join(dict.fromkeys(WORDS[k] for k in WORDS if k in kinds)) or "nothing yet"


@dataclass(slots=True)
class Types:
    """Which kinds of value each name may hold, and each list's items; found by iteration to a fixed point."""

    names: dict[str, Kinds] = field(default_factory=dict)
    items: dict[str, Kinds] = field(default_factory=dict)

    def of(self, expr: ir.Expr | ir.Range) -> Kinds:
        match expr:
            case ir.Const(value=LabelCode()):
                return frozenset({TEXT})
            case ir.Const(value=Fraction() as value):
                return WHOLES if value.denominator == 1 else NUMBERS
            case ir.Const(value=None):
                return frozenset({NONE})
            case ir.Const() | ir.Not() | ir.IsNone():
                return BOOLEANS
            case ir.Length():
                return WHOLES
            case ir.Draw(noise):
                return BOOLEANS if noise.finite else WHOLES if noise.selects else NUMBERS
            case ir.Negate(of):
                return self.arithmetic(of)
            case ir.Call(_, arguments):
                return self.arithmetic(*arguments)
            case ir.Var(name):
                return self.names.get(name, NOTHING)
            case ir.Index(of, _):
                return self.items.get(of.name, NOTHING)
            case ir.Binary("/", _, _):
                return NUMBERS
            case ir.Binary("+" | "-" | "*" | "//" | "%", left, right):
                return self.arithmetic(left, right)
            case ir.Binary():
                return BOOLEANS
            case _:
                return frozenset({LIST})

    def arithmetic(self, *operands: ir.Expr) -> Kinds:
        """Whole numbers give whole numbers; an operand that is not known to be a number gives nothing yet."""
        kinds = [self.of(operand) & NUMERIC for operand in operands]
        if not all(kinds):
            return NOTHING
        return WHOLES if all(k == WHOLES for k in kinds) else NUMBERS

    def items_of(self, expr: ir.Expr | ir.Range) -> Kinds:
        match expr:
            case ir.Range():
                return WHOLES
            case ir.Var(name):
                return self.items.get(name, NOTHING)
            case ir.ListOf(items) | ir.TupleOf(items):
                return frozenset().union(*(self.of(item) for item in items))
            case ir.Comprehension(item, name, over):
                return self.inside(name, over).of(item)
            case _:
                return NOTHING

    def inside(self, name: str, over: ir.Var | ir.Range) -> Types:
        """The types inside a comprehension, where `name` stands for the items of `over`."""
        return Types(self.names | {name: self.items_of(over)}, self.items)

    def learn(self, name: str, kinds: Kinds, items: Kinds = NOTHING) -> bool:
        before = self.names.get(name, NOTHING), self.items.get(name, NOTHING)
        self.names[name], self.items[name] = before[0] | kinds, before[1] | items
        return (self.names[name], self.items[name]) != before


Binder = ir.Assign | ir.For | ir.Append


def infer(sketch: Sketch, lost: frozenset[str] = frozenset()) -> Types:
    """The types of all names of a sketch, whatever the order in which its statements run.

    Nothing is known of the names in `lost`, which stand in statements that could not be read.
    """
    types = Types()
    for parameter in sketch.parameters:
        match parameter.type:
            case Type.VECTOR:
                types.learn(parameter.name, frozenset({LIST}), BOOLEANS if parameter.bits else NUMBERS)
            case Type.BOOL:
                types.learn(parameter.name, BOOLEANS)
            case Type.INT:
                types.learn(parameter.name, WHOLES)
            case _:
                types.learn(parameter.name, NUMBERS)
    for name in lost:
        types.names[name] = types.items[name] = NOTHING
    binders = [node for node in ir.walk(sketch.body) if isinstance(node, Binder)]
    readers: dict[str, set[int]] = defaultdict(set)
    for number, binder in enumerate(binders):
        for part in ir.walk(binder.over if isinstance(binder, ir.For) else binder):
            if isinstance(part, ir.Var):
                readers[part.name].add(number)
    waiting = set(range(len(binders)))
    while waiting:
        for name, kinds, items in _lessons(binders[waiting.pop()], types):
            if name not in lost and types.learn(name, kinds, items):
                waiting |= readers[name]
    return types


def _lessons(node: Binder, types: Types) -> Iterator[tuple[str, Kinds, Kinds]]:
    """What a statement says about names: name, its kinds, the kinds of its items."""
    match node:
        case ir.Assign(targets, values):
            for name, value in zip(targets, values, strict=True):
                yield name, types.of(value), types.items_of(value)
        case ir.For(name, over, _):
            yield name, types.items_of(over), NOTHING
        case ir.Append(name, value, _):
            yield name, NOTHING, types.of(value)


def check(
    sketch: Sketch, lost: frozenset[str] | None = None, changed: frozenset[str] = frozenset()
) -> list[Diagnostic]:
    """The faults of a parsed sketch; `lost` are names of which nothing is known, where parsing refused something.

    `changed` are lists that the user's text changes in place, and that the sketch replaces by new ones.
    """
    checker = _Checker(sketch, lost, changed)
    checker.block(sketch.body)
    checker.lists(sketch.body, frozenset(checker.parameters))
    checker.answers(sketch.body)
    if lost is None and falls_through(sketch.body):
        checker.fault("K211", sketch.body[-1] if sketch.body else ir.Const(None, span=sketch.span))
    return checker.found


class _Checker:
    def __init__(self, sketch: Sketch, lost: frozenset[str] | None, changed: frozenset[str]):
        self.budget = {p.name for p in (sketch.budget, sketch.delta) if p is not None}
        self.length = sketch.length_name
        self.fixed = sketch.quantities()
        self.lost = lost or frozenset()
        self.types = infer(sketch, self.lost)
        self.found: list[Diagnostic] = []
        self.parameters = {p.name for p in sketch.parameters}
        self.added = frozenset() if sketch.private.table is None else sketch.private.table.added
        self.grown = {node.name for node in ir.walk(sketch.body) if isinstance(node, ir.Append)} | changed

    def fault(self, code: str, node: ir.Node, **words: object) -> None:
        self.found.append(diagnose(code, node.span, **words))

    # ---- statements

    def block(self, body: ir.Block) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ir.Stmt) -> None:
        match node:
            case ir.Assign(targets, values):
                for target, value in zip(targets, values, strict=True):
                    self.assignment(node, target, value)
            case ir.If(test, then, orelse):
                self.boolean(test, self.types)
                self.block(then)
                self.block(orelse)
            case ir.While(test, body):
                self.boolean(test, self.types)
                if (
                    test == ir.Const(True)
                    and not _breaks(body)
                    and not any(isinstance(n, ir.Return) for n in ir.walk(body))
                ):
                    self.fault("K214", node)
                self.block(body)
            case ir.For(name, over, body):
                self.bound(node, name)
                self.iterable(over, self.types)
                for inner in ir.walk(body) if isinstance(over, ir.Var) else ():
                    if isinstance(inner, ir.Append) and over == ir.Var(inner.name):
                        self.fault("K210", inner, name=inner.name)
                self.block(body)
            case ir.Append(name, value, _):
                kinds = self.types.names.get(name, NOTHING)
                if name in self.parameters:
                    self.fault("K208", node, name=name)
                elif LIST not in kinds and name not in self.lost:
                    self.not_a_list(node, name, kinds)
                self.scalar(value, self.types)
            case ir.Return(value):
                self.expression(value, self.types)
            case ir.Break() | ir.Continue():
                pass

    def bound(self, node: ir.Node, name: str) -> None:
        """`name` gets a value here; ε may not, and a name is a list always or never."""
        if name in self.budget:
            self.fault("K213", node, name=name)
        kinds = self.types.names.get(name, NOTHING)
        if LIST in kinds and len(kinds) > 1:
            self.fault("K206", node, name=name, kinds=describe(kinds))

    def assignment(self, node: ir.Assign, target: str, value: ir.Expr) -> None:
        self.bound(node, target)
        self.expression(value, self.types)
        if isinstance(value, ir.Var) and LIST in self.types.of(value) and {target, value.name} & self.grown:
            self.fault("K209", node, name=target, other=value.name)

    def lists(self, body: ir.Block, ready: frozenset[str]) -> frozenset[str] | None:
        """Find lists that are used where some run has not made them; `ready` are names that have a value before `body`.

        Gives the names that have one behind `body`, or None where no run gets there. A scalar may well be missing on
        runs that never read it; a list may not, so that all runs have the same lists. Nor may what the records are asked
        with: Python looks at it once for each record, so that whether a run stops would tell whether there are any.
        """
        for node in body:
            match node:
                case ir.Assign(targets, values):
                    self.uses(values, ready)
                    self.adds(node, ready)
                    ready |= set(targets)
                case ir.Append(name, value, _):
                    self.uses((ir.Var(name, span=node.span), value), ready)
                case ir.If(test, then, orelse):
                    self.uses(test, ready)
                    ways = [way for way in (self.lists(then, ready), self.lists(orelse, ready)) if way is not None]
                    if not ways:
                        return None
                    ready = frozenset.intersection(*ways)
                case ir.While(test, inner):
                    self.uses(test, ready)
                    self.lists(inner, ready)  # there may be no turn at all, so nothing is known behind the loop
                case ir.For(name, over, inner):
                    self.uses(over, ready)
                    self.lists(inner, ready | {name})
                case ir.Return(value):
                    self.uses(value, ready)
                    return None
                case ir.Break() | ir.Continue():
                    return None
        return ready

    def adds(self, node: ir.Assign, ready: frozenset[str]) -> None:
        """A loop over records looks at what it adds to once for each record, as at what they are asked with."""
        for name, value in ir.assignments(node):
            adds = name in self.added and any(part == ir.Var(name) for part in ir.walk(value))
            if adds and (name not in ready or not self.types.names[name] <= NUMERIC):
                self.fault("K168", node, name=name)

    def answers(self, body: ir.Block) -> None:
        """Find answers that are lists beside answers that are tuples: to all readers of a sketch they are the same."""
        returns = [node for node in ir.walk(body) if isinstance(node, ir.Return) and LIST in self.types.of(node.value)]
        for node in returns[1:]:
            first = isinstance(returns[0].value, ir.TupleOf)
            if isinstance(node.value, ir.TupleOf) is not first:
                kind, other = ("a list", "a tuple") if first else ("a tuple", "a list")
                self.fault("K220", node, kind=kind, other=other, line=returns[0].span.line)

        for place, kinds in answer_kinds(body, self.types).items():
            if TEXT in kinds and kinds & NUMERIC:
                last = [node for node in ir.walk(body) if isinstance(node, ir.Return)][-1]
                self.fault("K221", last, what="an answer" if place is None else "an item of an answer")

    def uses(self, part: object, ready: frozenset[str]) -> None:
        nodes = list(ir.walk(part))
        inner = [node for node in nodes if isinstance(node, ir.Comprehension)]
        hidden = {node.name for node in inner}
        for node in nodes:
            # In [x for x in x] the last x is the list, and only the others are hidden.
            known = ready if any(node is one.over for one in inner) else ready | hidden
            if isinstance(node, ir.Var) and node.name not in known and LIST in self.types.of(node):
                self.fault("K219", node, name=node.name)
            for given in node.given if isinstance(node, ir.Query) else ():
                if given.name not in known:
                    self.fault("K168", node, name=given.name)

    # ---- expressions

    def expression(self, expr: ir.Expr, types: Types) -> Kinds:
        match expr:
            case ir.Var(name):
                if name not in types.names:
                    self.fault("K201", expr, name=name)
            case ir.Length(of):
                self.list_name(of, types)
            case ir.Index(of, at):
                self.list_name(of, types)
                self.whole_number(at, types, "a place in a list")
                for given in expr.given if isinstance(expr, ir.Query) else ():
                    kinds = self.expression(given, types)
                    if kinds and not kinds <= NUMERIC:
                        self.fault("K202", expr, kinds=describe(kinds), fix=f"Give {given.name} a number from the start.")
            case ir.Not(of):
                self.boolean(of, types)
            case ir.Negate(of):
                self.number(of, types)
            case ir.IsNone(of):
                self.scalar(of, types)
            case ir.Binary("and" | "or", left, right):
                self.boolean(left, types)
                self.boolean(right, types)
            case ir.Binary("==" | "!=", left, right):
                self.equality(expr, types)
            case ir.Binary(_, left, right):
                first, second = self.expression(left, types), self.expression(right, types)
                self.need_number(left, first)
                if LIST not in first & second:  # two lists are one fault
                    self.need_number(right, second)
            case ir.Call(_, arguments):
                for argument in arguments:
                    self.number(argument, types)
            case ir.Draw(_, scale, _, of):
                if of is not None:
                    self.list_name(of, types)
                    self.need_number(of, types.items_of(of))
                if isinstance(scale, Scale) and self.length in scale.names and self.length not in self.fixed:
                    self.fault("K218", expr, name=self.length[4:-1])
            case ir.ListOf(items) | ir.TupleOf(items):
                for item in items:
                    self.scalar(item, types)
            case ir.Comprehension(item, name, over):
                if name in self.parameters:
                    self.fault("K215", expr, name=name)
                self.iterable(over, types)
                self.scalar(item, types.inside(name, over))
            case ir.Const():
                pass
        return types.of(expr)

    def iterable(self, over: ir.Var | ir.Range, types: Types) -> None:
        match over:
            case ir.Var():
                self.list_name(over, types)
            case ir.Range(start, stop, step):
                for part in (start, stop, step):
                    self.whole_number(part, types, "a bound of a range")
                if step == ir.Const(Fraction(0)):
                    self.fault("K216", step)

    def list_name(self, of: ir.Var, types: Types) -> None:
        kinds = self.expression(of, types)
        if kinds and kinds != {LIST}:
            self.not_a_list(of, of.name, kinds)

    def not_a_list(self, node: ir.Node, name: str, kinds: Kinds) -> None:
        self.fault("K205", node, name=name, kinds=describe(kinds))

    def scalar(self, expr: ir.Expr, types: Types) -> None:
        if LIST in self.expression(expr, types):
            self.fault("K207", expr)

    def number(self, expr: ir.Expr, types: Types) -> None:
        self.need_number(expr, self.expression(expr, types))

    def need_number(self, expr: ir.Expr, kinds: Kinds) -> None:
        if kinds == {NONE}:
            self.fault("K212", expr)
        elif {BOOLEAN, LIST, TEXT} & kinds:
            fix = "Grow a list with append." if LIST in kinds else "Use `if` to turn a truth value into a number."
            fix = "Compare texts with == and !=, or answer with them." if TEXT in kinds else fix
            self.fault("K202", expr, kinds=describe(kinds), fix=fix)

    def whole_number(self, expr: ir.Expr, types: Types, place: str) -> None:
        before = len(self.found)
        self.number(expr, types)
        if len(self.found) == before and NUMBER in types.of(expr):
            self.fault("K217", expr, place=place)

    def boolean(self, expr: ir.Expr, types: Types) -> None:
        kinds = self.expression(expr, types)
        if kinds and kinds != BOOLEANS:
            fix = "Write a comparison, such as x > 0, len(out) > 0 or x is not None."
            if BOOLEAN in kinds:
                fix = "Give it True or False from the start."
            self.fault("K203", expr, kinds=describe(kinds), fix=fix)

    def equality(self, expr: ir.Binary, types: Types) -> None:
        left, right = self.expression(expr.left, types), self.expression(expr.right, types)
        both = left | right
        if LIST in both or len({BOOLEAN, TEXT} & both) + bool(NUMERIC & both) > 1:
            self.fault("K204", expr, left=describe(left), right=describe(right))


def answer_kinds(body: ir.Block, types: Types) -> dict[int | None, Kinds]:
    """Which kinds of value an answer may have, and its items: by place in tuples, and at -1 all items of lists."""
    found: dict[int | None, Kinds] = {}
    for node in ir.walk(body):
        if isinstance(node, ir.Return):
            if isinstance(node.value, ir.TupleOf):
                more: list[tuple[int | None, Kinds]] = [(i, types.of(item)) for i, item in enumerate(node.value.items)]
            else:
                more = [(None, types.of(node.value)), (-1, types.items_of(node.value))]
            for place, kinds in more:
                found[place] = found.get(place, NOTHING) | kinds
    return found


def falls_through(body: ir.Block) -> bool:
    """Whether a run can reach the end of `body`."""
    for statement in body:
        match statement:
            case ir.Return() | ir.Break() | ir.Continue():
                return False
            case ir.If(_, then, orelse) if not falls_through(then) and not falls_through(orelse):
                return False
            case ir.While(ir.Const(value=True), inner) if not _breaks(inner):
                return False
    return True


def _breaks(body: ir.Block) -> bool:
    """Whether `body` has a `break` of its own loop."""
    for statement in body:
        match statement:
            case ir.Break():
                return True
            case ir.If(_, then, orelse) if _breaks(then) or _breaks(orelse):
                return True
    return False
