"""Parts of the trees of programs over records: turns of loops, lists of zeros, and what is put in their place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import reduce
from typing import TypeAlias, TypeVar

from kolahal.lang.read.inline import Helpers
from kolahal.lang.read.snippets import expression, names_of, number_of, renamed, statements, with_names
from kolahal.lang.read.tree import clip, stored_names
from kolahal.lang.records.table import ZERO, Aggregate, Apply, ArgumentOf, NumberOf, RecordFunction, RowClass, TextOf
from kolahal.lang.sketch import Parameter, Type
from kolahal.nouns import dataclass

MOST_AGGREGATES = 64  # items of the private list
TRUE: RecordFunction = Apply("==", (ZERO, ZERO))
FALSE: RecordFunction = Apply("!=", (ZERO, ZERO))
ExprOrStmt = TypeVar("ExprOrStmt", bound=ast.expr | ast.stmt)
Builder: TypeAlias = Callable[[Mapping[str, RecordFunction]], Aggregate]


@dataclass(frozen=True, slots=True)
class LoopTurn:
    """A loop over a range: its variable, the places, and what it stands for there; or the argument that says how many."""

    name: str
    numbers: range
    values: tuple[RecordFunction, ...] = ()
    size: str = ""

    @property
    def symbol(self) -> RecordFunction:
        """What its variable stands for in some turn."""
        return self.values[0] if self.values else ArgumentOf(self.name)

    @property
    def first(self) -> RecordFunction:
        """What its variable is in the first turn, if that is known."""
        return NumberOf(Fraction(self.numbers[0])) if self.numbers and not self.values else self.symbol


def at_place(new: ExprOrStmt, old: ast.expr | ast.stmt) -> ExprOrStmt:
    """A new node, all of whose new parts stand where an old one stood."""
    for part in ast.walk(new):
        if isinstance(part, ast.expr | ast.stmt) and not hasattr(part, "lineno"):
            ast.copy_location(part, old)
    return new


def total_of(item: RecordFunction, test: RecordFunction | None = None) -> Aggregate:
    """A sum; what counts nothing where a condition fails is left out there."""
    match item:
        case Apply("if", (more, inner, orelse)) if orelse == ZERO and inner != ZERO:
            return Aggregate("sum", inner, more if test is None else Apply("and", (test, more)))
        case _:
            return Aggregate("sum", item, test)


def over_same(loop: ast.comprehension, over: ast.expr) -> ast.comprehension:
    return ast.comprehension(loop.target, over, [], 0)


def plain_sums(body: list[ast.stmt], rows: str, row: RowClass) -> list[ast.stmt]:
    """Statements in which aggregates go over all records: parts of them that have a name, and their lengths, are sums with a test.

    Where records are numbers, sum(rows) is sum(r for r in rows), and so for max and min.
    """
    nodes = [node for statement in body for node in ast.walk(statement)]
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    parts: dict[str, ast.comprehension] = {}
    kept: list[ast.stmt] = []
    for statement in body:
        statement = _Parts(rows, row, parts).visit(statement)
        match statement:
            case ast.Assign([ast.Name(id=name)], ast.ListComp(ast.Name(id=item), [ast.comprehension(ast.Name(id=own), ast.Name(id=over), _, 0) as loop])) if (
                item == own and over == rows and stored.count(name) == 1 and not (names_of(loop.ifs) - {own}) & set(stored)
            ):
                parts[name] = loop
            case _:
                kept.append(statement)
    return kept


class _Parts(ast.NodeTransformer):
    def __init__(self, rows: str, row: RowClass, parts: Mapping[str, ast.comprehension]):
        self.rows, self.row, self.parts = rows, row, parts

    def tests(self, name: str, record: str) -> list[ast.expr]:
        """What records of a part have in common, for one that is called `record`."""
        loop = self.parts[name]
        assert isinstance(loop.target, ast.Name)
        return [renamed(deepcopy(test), {loop.target.id: record}) for test in loop.ifs]

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        match node:
            case ast.comprehension(ast.Name(id=record), ast.Name(id=name) as over) if name in self.parts:
                node.ifs, over.id = [*self.tests(name, record), *node.ifs], self.rows
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        self.generic_visit(node)
        match node:
            case ast.For(ast.Name(id=record), ast.Name(id=name) as over) if name in self.parts:
                over.id = self.rows
                for test in reversed(self.tests(name, record)):
                    node.body = [at_place(ast.If(test, node.body, []), node)]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name(id="len"), [ast.ListComp(_, [ast.comprehension(_, ast.Name(id=name)) as loop])], []) if name == self.rows:
                return self.count(node, loop)
            case ast.Call(ast.Name(id="len"), [ast.Name(id=name)], []) if name in self.parts:
                return self.count(node, deepcopy(self.parts[name]))
            case ast.Call(ast.Name(id="sum" | "max" | "min"), [ast.Name(id=name) as of]) if self.row.name is None:
                if name == self.rows or name in self.parts:
                    tests = self.tests(name, "r") if name in self.parts else []
                    loop = ast.comprehension(ast.Name("r", ast.Store()), ast.Name(self.rows, ast.Load()), tests, 0)
                    node.args = [at_place(ast.GeneratorExp(ast.Name("r", ast.Load()), [loop]), of)]
        return node

    def count(self, node: ast.Call, loop: ast.comprehension) -> ast.expr:
        many = ast.GeneratorExp(ast.Constant(1), [loop])
        return at_place(ast.Call(ast.Name("sum", ast.Load()), [many], []), node)


def turn_of(name: str, over: ast.expr, body: Sequence[ast.stmt | ast.expr], whole: Collection[str] = ()) -> LoopTurn | None:
    """A loop over a written range, a written list, or the range of a whole argument, whose variable nothing else changes.

    Nor does a comprehension inside hide it, whose variable would be taken for that of the loop.
    """
    changed = {n for part in body for n in stored_names(part)}
    values: tuple[RecordFunction, ...] = ()
    match over:
        case ast.Call(ast.Name(id="range"), [ast.Name(id=size)], []) if size in whole:
            return LoopTurn(name, range(0), size=size) if name not in changed else None
        case (ast.List(items) | ast.Tuple(items)) if items:
            found = [written(item) for item in items]
            values = tuple(value for value in found if value is not None)
            if len(values) != len(items) or len(items) > MOST_AGGREGATES:
                return None
            numbers = range(len(items))
        case ast.Call(ast.Name(id="range"), [ast.Constant(value=int() as stop)], []):
            numbers = range(stop)
        case ast.Call(ast.Name(id="range"), [ast.Constant(value=int() as start), ast.Constant(value=int() as stop)], []):
            numbers = range(start, stop)
        case _:
            return None
    return LoopTurn(name, numbers, values) if numbers and name not in changed else None


def written(item: ast.expr) -> RecordFunction | None:
    """A text, a truth value or a number that is written out."""
    match item:
        case ast.Constant(value=bool() as truth):
            return TRUE if truth else FALSE
        case ast.Constant(value=str() as text):
            return TextOf(text)
        case _:
            number = number_of(item)
            return None if number is None else NumberOf(number)


def chained(op: str, parts: Iterable[RecordFunction]) -> RecordFunction:
    """`and` or `or` of some conditions, the first one innermost."""
    return reduce(lambda one, other: Apply(op, (one, other)), parts)


def spread_turns(turns: Sequence[LoopTurn], build: Builder, bound: Mapping[str, RecordFunction]) -> list[Aggregate]:
    """The aggregates of all turns, the last loop's turns next to each other."""
    if not turns:
        return [build(bound)]
    first, *rest = turns
    found: list[Aggregate] = []
    values = first.values or tuple(NumberOf(Fraction(v)) for v in first.numbers[: MOST_AGGREGATES + 1])
    for value in values:
        found += spread_turns(rest, build, {**bound, first.name: value})
        if len(found) > MOST_AGGREGATES:
            break  # too many, whatever follows
    return found


def count_zeros(value: ast.expr, whole: Collection[str] = ()) -> int | str | None:
    """How many zeros a new list has: a number, or a whole argument."""
    match value:
        case ast.BinOp(ast.List([ast.Constant(value=0)]), ast.Mult(), ast.Name(id=size)) if size in whole:
            return size
        case ast.ListComp(ast.Constant(value=0), [ast.comprehension(ast.Name(), ast.Call(ast.Name(id="range"), [ast.Name(id=size)], []), [], 0)]) if size in whole:
            return size
        case ast.BinOp(ast.List([ast.Constant(value=0)]), ast.Mult(), ast.Constant(value=int() as size)):
            return size
        case ast.List(items) if items and all(isinstance(i, ast.Constant) and i.value == 0 for i in items):
            return len(items)
        case ast.ListComp(ast.Constant(value=0), [ast.comprehension(ast.Name(), ast.Call(ast.Name(id="range"), [ast.Constant(value=int() as size)], []), [], 0)]):
            return size
        case _:
            return None


def record_names_in(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a loop over records gives a value of one record."""
    for part in ast.walk(node):
        match part:
            case ast.Assign([ast.Name(id=name)], ast.BinOp(ast.Name(id=again), ast.Add() | ast.Sub())) if name == again:
                pass
            case ast.Assign(targets):
                yield from (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            case ast.NamedExpr(ast.Name(id=name)):
                yield name


def loop_over_all(block: list[ast.stmt], answers: str, size: int) -> None:
    """Write a loop over all places of the private list as such: then proofs do not depend on how many there are."""
    for node in (part for statement in block for part in ast.walk(statement)):
        loop = node.generators[0] if isinstance(node, ast.ListComp) else node if isinstance(node, ast.For) else None
        match loop:
            case (ast.For() | ast.comprehension()) if isinstance(loop.target, ast.Name) and isinstance(loop.iter, ast.Call):
                turn, place = turn_of("", loop.iter, []), (answers, loop.target.id)
                reads = ((clip(p.value), clip(p.slice)) for p in ast.walk(node) if isinstance(p, ast.Subscript))
                if turn is not None and turn.numbers == range(size) and place in reads:
                    assert isinstance(loop.iter, ast.Call)
                    loop.iter.args = [expression("len(xs)", loop.iter, xs=answers)]


def float_names(body: Sequence[ast.stmt], known: frozenset[str], helpers: Helpers | None) -> frozenset[str]:
    """The names that a turn may give a float which is a whole number, with those that are `known`; a field is `.field`."""
    given = [
        (name.id, part)
        for statement in body
        for part in ast.walk(statement)
        if isinstance(part, ast.Assign | ast.AnnAssign | ast.AugAssign) and part.value is not None
        for target in (part.targets if isinstance(part, ast.Assign) else [part.target])
        for name in ast.walk(target)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    ]
    found = known
    while more := {name for name, part in given if _gives_float(part, found, helpers)} - found:
        found |= more
    return found


def _gives_float(part: ast.Assign | ast.AnnAssign | ast.AugAssign, names: frozenset[str], helpers: Helpers | None) -> bool:
    divides = isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Div)
    return divides or (part.value is not None and may_be_float(part.value, names, helpers))


def may_be_float(node: ast.AST, names: frozenset[str], helpers: Helpers | None) -> bool:
    """Whether an expression whose value is whole may be a float in Python, because a number in it is one, or a quotient."""
    match node:
        case ast.Constant(value):
            return isinstance(value, float)
        case ast.Name(name):
            return name in names
        case ast.Attribute(_, name):
            return f".{name}" in names
        case ast.IfExp(_, then, orelse):
            return may_be_float(then, names, helpers) or may_be_float(orelse, names, helpers)
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
            return False
        case ast.BinOp(_, ast.Div(), _):
            return True
        case ast.Call() if helpers is not None and helpers.is_helper(node):
            return _returns_float(node, names, helpers)
        case ast.Call(func) if clip(func).rpartition(".")[2] in ("floor", "int"):
            return False
        case ast.Call(func) if clip(func) == "float":
            return True
        case _:
            return any(may_be_float(part, names, helpers) for part in ast.iter_child_nodes(node))


def _returns_float(node: ast.Call, names: frozenset[str], helpers: Helpers) -> bool:
    """Whether a helper may return a float, given what it is called with."""
    helper, given = helpers.enter(node)
    fields = {name for name in names if name.startswith(".")}
    own = fields | {word for word, value in given if may_be_float(value, names, helpers)}
    with helpers.inside(helper):
        body = helpers.body(helper)
        inside = float_names(body, frozenset(own), helpers)
        returned = [part.value for statement in body for part in ast.walk(statement) if isinstance(part, ast.Return)]
        return any(value is not None and may_be_float(value, inside, helpers) for value in returned)


def with_length(node: ast.stmt, size: str, name: str) -> ast.stmt:
    """A statement with the length of a list in place of the argument that says how long it is."""
    return with_names(node, lambda n: expression("len(xs)", n, xs=name) if n.id == size else n)


def list_of_items(node: ast.stmt, name: str, answers: str, at: int, many: str) -> ast.stmt:
    """`name` as the list of so many items of the private list, from a place on."""
    place = f"{at} + place_" if at else "place_"
    text = f"xs = [own[{place}] for place_ in range(n)]"
    return statements(text, node, xs=name, own=answers, n=expression(many, node))[0]


def usual_value(parameter: Parameter) -> Fraction | bool:
    """The value of a public argument at which refutations look at aggregates."""
    if parameter.default is not None:
        return parameter.default
    return False if parameter.type is Type.BOOL else Fraction(1 if parameter.type is Type.INT else 0)


def imported_names(node: ast.stmt) -> list[tuple[str, tuple[str, str] | None]]:
    """The names that a statement of a file binds, with the module and the name in it that they are imported from."""
    match node:
        case ast.Import(names):
            return [(a.asname or a.name.partition(".")[0], (a.name, "")) for a in names]
        case ast.ImportFrom(module, names):
            return [(a.asname or a.name, (module or "", a.name)) for a in names]
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [(name, None)]
        case _:
            return [(n.id, None) for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
