"""Programs over records → programs over private answers, which are aggregates of the records.

What a program says of records is read here and taken out of its tree; the rest is read as any other sketch. Every
aggregate becomes an item of the private list: `sum(…) + Lap(hole)` is `answers[0] + Lap(hole)`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from kolahal.lang.cells import TooComplex
from kolahal.lang.read.header import Header
from kolahal.lang.read.record_items import ItemReader
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.tree import Refused, Tree, clip, stored_names
from kolahal.lang.record_moves import RecordRelation
from kolahal.lang.records import ONE, ZERO, Aggregate, Apply, NumberOf, RecordFunction, RowClass, Table
from kolahal.lang.sketch import Parameter, Role, Type

MOST_AGGREGATES = 64  # items of the private list
Node = TypeVar("Node", bound=ast.expr | ast.stmt)
_Builder = Callable[[Mapping[str, RecordFunction]], Aggregate]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A program over answers: its header and its statements."""

    header: Header
    statements: list[ast.stmt]


def lower_records(tree: Tree, function: Function, header: Header, row: RowClass, statements: list[ast.stmt]) -> Lowered | None:
    """The program over answers that a program over records is; None, with faults, if it has no such meaning."""
    before = len(tree.faults)
    assert isinstance(header.adjacency, RecordRelation)
    private = next(p for p in header.parameters if p.role is Role.PRIVATE)
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | {p.name for p in header.parameters}
    answers = "answers"
    while answers in used:
        answers += "_"
    stored = {name for statement in statements for name in stored_names(statement)}
    public = [p for p in header.parameters if p.role is Role.ARGUMENT and p.name not in stored]
    lowering = _Lowering(tree, ItemReader(tree, row, {p.name: p.type is Type.BOOL for p in public}), private.name, answers)
    copied = copy.deepcopy(statements)
    lowering.look_at(copied)
    block = [statement for statement in lowering.block(copied) if statement not in lowering.dropped]
    name = lowering.alias(block, answers)
    _over_all(block, name, len(lowering.aggregates))
    aggregates = tuple(lowering.aggregates)
    table = Table(private.name, row, aggregates)
    if len(tree.faults) > before:
        return None
    if not aggregates:
        tree.fault("K165", function, thing=private.name, why="No aggregate of the records is read")
        return None
    usual = {p.name: _usual(p) for p in public}
    try:
        adjacency = header.adjacency.about(table, [(n, usual[n]) for n in sorted(table.public_names())])
    except TooComplex as error:
        tree.fault("K171", function, reason=error)
        return None
    for place in adjacency.unbounded:
        if names := sorted(Table(private.name, row, (aggregates[place],)).public_names()):
            tree.fault("K171", function, reason=f"the bounds of {adjacency.show(place)} are not numbers but {', '.join(names)}")
            return None
    vector = replace(private, name=name, count=len(aggregates), table=table)
    known = dict(adjacency.public)
    parameters = tuple(
        vector if p is private else replace(p, usual=known[p.name]) if p.name in known else p for p in header.parameters
    )
    return Lowered(replace(header, adjacency=adjacency, parameters=parameters), block)


def _usual(parameter: Parameter) -> Fraction | bool:
    """The value of a public argument at which refutations look at aggregates."""
    if parameter.default is not None:
        return parameter.default
    return False if parameter.type is Type.BOOL else Fraction(1 if parameter.type is Type.INT else 0)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A loop over a range of numbers: its variable, and the numbers."""

    name: str
    numbers: range


class _Lowering:
    def __init__(self, tree: Tree, items: ItemReader, rows: str, answers: str):
        self.tree, self.items, self.rows, self.answers = tree, items, rows, answers
        self.aggregates: list[Aggregate] = []
        self.names: list[ast.Name] = []  # all of the program
        self.inside: set[int] = set()  # what stands in loops over the records
        self.turns: list[_Turn] = []
        self.whole_lists: list[tuple[ast.stmt, str]] = []  # X = [aggregate for d in range(n)]
        self.zeros: dict[str, tuple[int, ast.stmt]] = {}  # lists of zeros that a loop over records may count in
        self.dropped: list[ast.stmt] = []
        self.depth = 0

    def look_at(self, statements: Sequence[ast.stmt]) -> None:
        """Note all names, and refuse those that are given another meaning."""
        for part in (part for statement in statements for part in ast.walk(statement)):
            if isinstance(part, ast.Name):
                self.names.append(part)
                if isinstance(part.ctx, ast.Store) and part.id == self.rows:
                    self.tree.fault("K165", part, thing=part.id, why="The name stands for all records")
                elif isinstance(part.ctx, ast.Store) and part.id in ("sum", "any", "all"):
                    self.tree.fault("K141", part, name=part.id)
            loops = [part.iter] if isinstance(part, ast.For) else [g.iter for g in getattr(part, "generators", [])]
            if any(isinstance(over, ast.Name) and over.id == self.rows for over in loops):
                self.inside |= {id(inner) for inner in ast.walk(part)}

    # ---- statements

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        self.depth += 1
        found: list[ast.stmt] = []
        for statement in statements:
            try:
                found += self.statement(statement)
            except Refused:
                # The names still exist, so that only the fault itself is told.
                found += [_at(ast.Assign([ast.Name(n, ast.Store())], ast.Constant(0)), statement) for n in sorted(stored_names(statement))]
        self.depth -= 1
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        counts = isinstance(node, ast.For) and clip(node.iter) == self.rows
        for name in stored_names(node) if counts else {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}:
            self.zeros.pop(name, None)  # it is another list from here on, or somebody has seen the zeros
        match node:
            case ast.For(target, ast.Name(id=name), body, orelse) if name == self.rows:
                return self.accumulate(node, target, body, orelse)
            case ast.For(ast.Name(id=name), over, body, orelse):
                turn = _turn(name, over, body)
                over = self.expression(over)
                if turn is not None:
                    self.turns.append(turn)
                inner = self.block(body)
                if turn is not None:
                    self.turns.pop()
                return [_at(ast.For(node.target, over, inner, self.block(orelse)), node)]
            case ast.If(test, then, orelse):
                return [_at(ast.If(self.expression(test), self.block(then), self.block(orelse)), node)]
            case ast.While(test, then, orelse):
                return [_at(ast.While(self.expression(test), self.block(then), self.block(orelse)), node)]
            case ast.Assign([ast.Name(id=name)], value) if (size := _zeros(value)) is not None and self.depth == 1:
                self.zeros[name] = size, node
                return [node]
            case ast.Assign([ast.Name(id=name)], ast.ListComp() | ast.List() as value) if not self.aggregates and self.depth == 1:
                lowered = _at(ast.Assign(node.targets, self.expression(value)), node)
                self.whole_lists.append((lowered, name))
                return [lowered]
            case _:
                for name_, part in ast.iter_fields(node):
                    setattr(node, name_, self.part(part))
                return [node]

    def part(self, part: object) -> object:
        if isinstance(part, list):
            return [self.part(p) for p in part]
        return self.expression(part) if isinstance(part, ast.expr) else part

    def alias(self, block: list[ast.stmt], answers: str) -> str:
        """The name of the private list: the program's own, where all aggregates are one list that never changes."""
        names = [n for statement in block for n in ast.walk(statement) if isinstance(n, ast.Name)]
        for statement, name in self.whole_lists:
            stored = [n for n in names if n.id == name and isinstance(n.ctx, ast.Store)]
            grown = any(
                isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == name
                for s in block
                for n in ast.walk(s)
            )
            reads = [n for n in names if n.id == answers and not any(n is p for p in ast.walk(statement))]
            if statement in block and len(stored) == 1 and not grown and not reads and self.is_whole(statement):
                block.remove(statement)
                return name
        return answers

    def is_whole(self, statement: ast.stmt) -> bool:
        """Whether a statement gives a name to the list of all aggregates, in order."""
        match statement:
            case ast.Assign(_, ast.ListComp(ast.Subscript(ast.Name(id=of), ast.Name()), [ast.comprehension(_, over)])):
                turn = _turn("", over, [])
                return of == self.answers and turn is not None and turn.numbers == range(len(self.aggregates))
            case ast.Assign(_, ast.List(items)):
                places = [i.slice for i in items if isinstance(i, ast.Subscript) and clip(i.value) == self.answers]
                found = [place.value for place in places if isinstance(place, ast.Constant)]
                return len(items) == len(found) and found == list(range(len(self.aggregates)))
            case _:
                return False

    # ---- expressions

    def expression(self, node: ast.expr) -> ast.expr:
        """The same expression with items of the private list for aggregates."""
        found = self.aggregate(node)
        if found is not None:
            return found
        match node:
            case ast.Name(id=name) if name == self.rows:
                raise self.tree.refuse("K165", node, thing=clip(node), why="Records are used in aggregates alone")
            case ast.Subscript(ast.Name(id=name)) if name == self.rows:
                raise self.tree.refuse("K165", node, thing=clip(node), why="Which record stands at a place is no aggregate")
            case ast.ListComp(item, [ast.comprehension(ast.Name(id=name), over, [], 0)]):
                turn = _turn(name, over, [])
                if turn is None:
                    over = self.expression(over)
                    return _at(ast.ListComp(self.expression(item), [_over(node, over)]), node)
                self.turns.append(turn)
                inner = self.expression(item)
                self.turns.pop()
                return _at(ast.ListComp(inner, [_over(node, over)]), node)
        copied = copy.copy(node)
        for name_, part in ast.iter_fields(node):
            setattr(copied, name_, self.part(part) if not isinstance(part, ast.expr_context) else part)
        return copied

    def is_aggregate(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(ast.Name(id="len"), [ast.Name(id=name)], []):
                return name == self.rows
            case ast.Call(ast.Name(id="sum" | "max" | "min" | "any" | "all"), [ast.GeneratorExp() | ast.ListComp() as many]):
                over = many.generators[0].iter
                return isinstance(over, ast.Name) and over.id == self.rows
            case _:
                return False

    def aggregate(self, node: ast.expr) -> ast.expr | None:
        """What stands for an aggregate, if the expression is one."""
        if not self.is_aggregate(node):
            return None
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id == "len":
            return self.read(node, lambda bound: Aggregate("sum", ONE), frozenset())
        many = node.args[0]
        assert isinstance(many, ast.GeneratorExp | ast.ListComp)
        if len(many.generators) != 1 or many.generators[0].is_async:
            raise self.tree.refuse("K165", node, thing=clip(node), why="An aggregate goes once through the records")
        (loop,) = many.generators
        if not isinstance(loop.target, ast.Name):
            raise self.tree.refuse("K125", loop.target)
        default = self.default(node)
        record, turned = loop.target.id, frozenset(
            n.id for n in ast.walk(many) if isinstance(n, ast.Name) and n.id in {t.name for t in self.turns}
        ) - {loop.target.id}

        def build(bound: Mapping[str, RecordFunction]) -> Aggregate:
            inner = self.items.of(record, bound)
            tests = [inner.truth(test) for test in loop.ifs]
            test: RecordFunction | None = None
            for more in tests:
                test = more if test is None else Apply("and", (test, more))
            assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            match node.func.id:
                case "sum":
                    return _total(inner.number(many.elt), test)
                case "any":
                    return Aggregate("max", Apply("if", (inner.truth(many.elt), ONE, ZERO)), test, Fraction(0))
                case "all":
                    return Aggregate("min", Apply("if", (inner.truth(many.elt), ONE, ZERO)), test, Fraction(1))
                case how:
                    return Aggregate(how, inner.number(many.elt), test, default)

        found = self.read(node, build, turned)
        if node.func.id in ("any", "all"):
            return _at(ast.Compare(found, [ast.Eq()], [ast.Constant(1)]), node)
        return found

    def default(self, node: ast.Call) -> Fraction | None:
        assert isinstance(node.func, ast.Name)
        if node.func.id not in ("max", "min"):
            if node.keywords or len(node.args) != 1:
                raise self.tree.refuse("K165", node, thing=clip(node), why="An aggregate has one argument")
            return None
        match node.keywords:
            case [ast.keyword("default", value)] if isinstance(found := self.items.constant(value), Fraction):
                return found
        raise self.tree.refuse("K172", node, name=node.func.id)

    # ---- places in the private list

    def read(self, node: ast.expr, build: _Builder, turned: frozenset[str]) -> ast.expr:
        """The item of the private list that an aggregate is; a block of items where it depends on turns of loops."""
        turns = [turn for turn in self.turns if turn.name in turned]
        block = [build({})] if not turns else _spread(turns, build, {})
        at = self.place_of(node, block)
        place: ast.expr | None = ast.Constant(at) if at or not turns else None
        stride = len(block)
        for turn in turns:
            stride //= len(turn.numbers)
            name: ast.expr = ast.Name(turn.name, ast.Load())
            if turn.numbers.start:
                name = ast.BinOp(name, ast.Sub(), ast.Constant(turn.numbers.start))
            if stride > 1:
                name = ast.BinOp(name, ast.Mult(), ast.Constant(stride))
            place = name if place is None else ast.BinOp(place, ast.Add(), name)
        assert place is not None
        return _at(ast.Subscript(ast.Name(self.answers, ast.Load()), place, ast.Load()), node)

    def place_of(self, node: ast.expr | ast.stmt, block: list[Aggregate]) -> int:
        for start in range(len(self.aggregates) - len(block) + 1):
            if self.aggregates[start : start + len(block)] == block:
                return start
        if len(self.aggregates) + len(block) > MOST_AGGREGATES:
            raise self.tree.refuse("K169", node, most=MOST_AGGREGATES)
        self.aggregates += block
        return len(self.aggregates) - len(block)

    # ---- the loop that people write instead

    def accumulate(self, node: ast.For, target: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> list[ast.stmt]:
        """The sums that a loop over the records adds up, as statements that add them at once."""
        if not isinstance(target, ast.Name):
            raise self.tree.refuse("K125", target)
        if orelse:
            raise self.tree.refuse("K109", orelse[0])
        if self.turns:
            raise self.tree.refuse("K166", node, thing="a loop over the records inside another loop")
        local = {target.id} | {n for s in body for n in _assigned(s)}
        for used in (n for n in self.names if n.id in local and id(n) not in self.inside):
            raise self.tree.refuse("K166", used, thing=f"`{used.id}`")
        zeros = {n: size for n, (size, _) in self.zeros.items()} if self.depth == 1 else {}
        totals = self.items.loop(target.id, body, zeros)
        found: list[ast.stmt] = []
        for name, contributions in totals.scalars.items():
            at = self.place_of(node, [_total(contributions)])
            found.append(_at(ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), self.item(at)), node))
        for name, several in totals.lists.items():
            at = self.place_of(node, [_total(item) for item in several])
            turn = ast.Name("place_", ast.Load())
            place: ast.expr = ast.BinOp(ast.Constant(at), ast.Add(), turn) if at else turn
            item = ast.Subscript(ast.Name(self.answers, ast.Load()), place, ast.Load())
            size = ast.Call(ast.Name("range", ast.Load()), [ast.Constant(len(several))], [])
            over = ast.comprehension(ast.Name("place_", ast.Store()), size, [], 0)
            made = _at(ast.Assign([ast.Name(name, ast.Store())], ast.ListComp(item, [over])), node)
            if at == 0:
                self.whole_lists.append((made, name))
            found.append(made)
            self.dropped.append(self.zeros.pop(name)[1])
        return found

    def item(self, at: int) -> ast.expr:
        return ast.Subscript(ast.Name(self.answers, ast.Load()), ast.Constant(at), ast.Load())


# ---------------------------------------------------------------- parts of trees


def _at(new: Node, old: ast.expr | ast.stmt) -> Node:
    """A new node, all of whose new parts stand where an old one stood."""
    for part in ast.walk(new):
        if isinstance(part, ast.expr | ast.stmt) and not hasattr(part, "lineno"):
            ast.copy_location(part, old)
    return new


def _total(item: RecordFunction, test: RecordFunction | None = None) -> Aggregate:
    """A sum; what counts nothing where a condition fails is left out there."""
    match item:
        case Apply("if", (more, inner, orelse)) if orelse == ZERO and inner != ZERO:
            return Aggregate("sum", inner, more if test is None else Apply("and", (test, more)))
        case _:
            return Aggregate("sum", item, test)


def _over(node: ast.ListComp, over: ast.expr) -> ast.comprehension:
    return ast.comprehension(node.generators[0].target, over, [], 0)


def _turn(name: str, over: ast.expr, body: Sequence[ast.stmt]) -> _Turn | None:
    """The numbers of a loop over a written range, whose variable nothing else changes."""
    match over:
        case ast.Call(ast.Name(id="range"), [ast.Constant(value=int() as stop)], []):
            numbers = range(stop)
        case ast.Call(ast.Name(id="range"), [ast.Constant(value=int() as start), ast.Constant(value=int() as stop)], []):
            numbers = range(start, stop)
        case _:
            return None
    changed = {n for statement in body for n in stored_names(statement)}
    return _Turn(name, numbers) if numbers and name not in changed else None


def _spread(turns: Sequence[_Turn], build: _Builder, bound: Mapping[str, RecordFunction]) -> list[Aggregate]:
    """The aggregates of all turns, the last loop's turns next to each other."""
    if not turns:
        return [build(bound)]
    first, *rest = turns
    found: list[Aggregate] = []
    for value in first.numbers[: MOST_AGGREGATES + 1]:
        found += _spread(rest, build, {**bound, first.name: NumberOf(Fraction(value))})
        if len(found) > MOST_AGGREGATES:
            break  # too many, whatever follows
    return found


def _zeros(value: ast.expr) -> int | None:
    """How many zeros a new list has."""
    match value:
        case ast.BinOp(ast.List([ast.Constant(value=0)]), ast.Mult(), ast.Constant(value=int() as size)):
            return size
        case ast.List(items) if items and all(isinstance(i, ast.Constant) and i.value == 0 for i in items):
            return len(items)
        case ast.ListComp(ast.Constant(value=0), [ast.comprehension(ast.Name(), ast.Call(ast.Name(id="range"), [ast.Constant(value=int() as size)], []), [], 0)]):
            return size
        case _:
            return None


def _assigned(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a loop over records gives a value of one record."""
    for part in ast.walk(node):
        match part:
            case ast.Assign([ast.Name(id=name)], ast.BinOp(ast.Name(id=again), ast.Add() | ast.Sub())) if name == again:
                pass
            case ast.Assign(targets):
                yield from (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            case ast.NamedExpr(ast.Name(id=name)):
                yield name


def _over_all(block: list[ast.stmt], answers: str, size: int) -> None:
    """Write a loop over all places of the private list as such: then proofs do not depend on how many there are."""
    for node in (part for statement in block for part in ast.walk(statement)):
        loop = node.generators[0] if isinstance(node, ast.ListComp) else node if isinstance(node, ast.For) else None
        match loop:
            case (ast.For() | ast.comprehension()) if isinstance(loop.target, ast.Name) and _turn("", loop.iter, []):
                turn, place = _turn("", loop.iter, []), (answers, loop.target.id)
                reads = ((clip(p.value), clip(p.slice)) for p in ast.walk(node) if isinstance(p, ast.Subscript))
                if turn is not None and turn.numbers == range(size) and place in reads:
                    assert isinstance(loop.iter, ast.Call)
                    counted = ast.Call(ast.Name("len", ast.Load()), [ast.Name(answers, ast.Load())], [])
                    loop.iter.args = [_at(counted, loop.iter)]
