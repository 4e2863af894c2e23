"""Questions about records in one sum, as a noisy search asks them, from the other ways to write it.

A question that depends on the run is asked once a turn, with all that it needs. People give its parts names
(`below = sum(…)`, `half = len(rows) / 2`), count in a loop, and write what it is compared with on the other side. A name
that stands for sums of records is put where it is used, and a comparison of two such sums becomes one of their difference
with 0: equal numbers in every run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import TypeAlias

from kolahal.lang.read.header import Header
from kolahal.lang.read.record_trees import at_place
from kolahal.lang.read.records import OverAnswers, lower_records
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.snippets import with_names
from kolahal.lang.read.tree import Tree, stored_names
from kolahal.lang.records.table import RowClass
from kolahal.lang.sketch import Role

MOST_NAMES = 64
ASKED_APART = frozenset({"K174", "K175"})  # faults of programs that ask in several sums
Suite: TypeAlias = list[ast.stmt]


def lower_in_any_form(tree: Tree, function: Function, header: Header, row: RowClass, statements: list[ast.stmt]) -> OverAnswers | None:
    """The program over answers that a program over records is, as it stands or with its questions in one sum."""
    before = len(tree.faults)
    lowered = lower_records(tree, function, header, row, statements)
    faults = tree.faults[before:]
    if lowered is None and faults and all(fault.code in ASKED_APART for fault in faults):
        rows = next(p.name for p in header.parameters if p.role is Role.PRIVATE)
        again = gathered(statements, rows)
        if again is not None:
            del tree.faults[before:]
            lowered = lower_records(tree, function, header, row, again)
            if lowered is None:
                tree.faults[before:] = faults
    return lowered


def gathered(statements: Sequence[ast.stmt], rows: str) -> Suite | None:
    """The statements with sums over the records where they are used; None where that changes nothing."""
    body = deepcopy(list(statements))
    before = [ast.dump(s) for s in body]
    for block in _blocks(body):
        _count_at_once(block, rows)
    for _ in range(MOST_NAMES):
        if not any(_put_first(block, body, rows) for block in _blocks(body)):
            break
    body = [_Compared(rows).visit(statement) for statement in body]
    return None if [ast.dump(s) for s in body] == before else body


def _blocks(body: Suite) -> Iterator[Suite]:
    """A list of statements, and all that are inside."""
    yield body
    for statement in body:
        for part in ("body", "orelse"):
            inner = getattr(statement, part, [])
            if isinstance(inner, list):
                yield from _blocks(inner)


# ---------------------------------------------------------------- sums over the records


def _is_sum(node: ast.expr, rows: str) -> bool:
    """Whether an expression is len(rows), or a sum over the records."""
    match node:
        case ast.Call(ast.Name(id="len"), [ast.Name(id=name)], []):
            return name == rows
        case ast.Call(ast.Name(id="sum"), [ast.GeneratorExp(_, [ast.comprehension(ast.Name(), ast.Name(id=name), _, 0)])], []):
            return name == rows
        case _:
            return False


def _has_sum(node: ast.expr, rows: str) -> bool:
    return any(_is_sum(part, rows) for part in ast.walk(node) if isinstance(part, ast.expr))


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool) and node.value != 0


def _is_linear(node: ast.expr, rows: str) -> bool:
    """Whether an expression is made of sums that cannot fail, and of numbers, by what makes sums of them again."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub(), right):
            return _is_linear(left, rows) and _is_linear(right, rows)
        case ast.BinOp(left, ast.Mult() | ast.Div(), right) if _number(right):
            return _is_linear(left, rows)
        case ast.BinOp(left, ast.Mult(), right) if _number(left):
            return _is_linear(right, rows)
        case ast.UnaryOp(ast.USub(), inner):
            return _is_linear(inner, rows)
        case ast.Constant():
            return _number(node)
        case _:
            return _is_sum(node, rows) and not any(isinstance(part, ast.Div | ast.FloorDiv | ast.Mod | ast.Pow) for part in ast.walk(node)) and _calls(node) <= 1


def _calls(node: ast.AST) -> int:
    return sum(isinstance(part, ast.Call) for part in ast.walk(node))


# ---------------------------------------------------------------- counts that a loop makes


def _count_at_once(block: Suite, rows: str) -> None:
    """`n = 0` and then a loop that adds to it alone become one sum."""
    for at in range(len(block) - 1):
        match block[at], block[at + 1]:
            case (
                ast.Assign([ast.Name(id=name)], ast.Constant(value=0)) as start,
                ast.For(ast.Name(id=record), ast.Name(id=over), [inner], []) as loop,
            ) if over == rows and name != record:
                tests: list[ast.expr] = []
                while isinstance(inner, ast.If) and len(inner.body) == 1 and not inner.orelse:
                    tests.append(inner.test)
                    inner = inner.body[0]
                match inner:
                    case ast.AugAssign(ast.Name(id=to), ast.Add(), value) if to == name and not {name} & _read([*tests, value]):
                        generator = ast.comprehension(deepcopy(loop.target), loop.iter, tests, 0)
                        total = ast.Call(ast.Name("sum", ast.Load()), [ast.GeneratorExp(value, [generator])], [])
                        block[at : at + 2] = [at_place(ast.Assign(start.targets, at_place(total, loop)), loop)]
                        return _count_at_once(block, rows)
    return None


# ---------------------------------------------------------------- names of sums


def _put_first(block: Suite, body: Suite, rows: str) -> bool:
    """Put the first name of the block that stands for such a sum where it is used, if there is one."""
    for at, statement in enumerate(block):
        match statement:
            case ast.Assign([ast.Name(id=name)], value) if _has_sum(value, rows) and _may_move(name, value, block, at, body, rows):
                block[at:] = [with_names(later, lambda n: deepcopy(value) if n.id == name and isinstance(n.ctx, ast.Load) else n) for later in block[at + 1 :]]
                return True
    return False


def _may_move(name: str, value: ast.expr, block: Suite, at: int, body: Suite, rows: str) -> bool:
    """Whether a name has this value wherever it is used, and nothing is drawn in another order if it is computed there."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    behind = [id(n) for statement in block[at + 1 :] for n in ast.walk(statement)]
    loads = [n for n in uses if isinstance(n.ctx, ast.Load)]
    if len(uses) != len(loads) + 1 or not loads or not all(id(n) in behind for n in loads):
        return False
    if not _is_linear(value, rows):
        return len(loads) == 1 and _is_sum_with_noise(value, rows) and _is_asked_next(loads[0], block[at + 1 :])
    free = _read([value]) - {rows}
    for later in block[at + 1 :]:
        inside = _among(loads, later)
        loads = [n for n in loads if n not in inside]
        if inside and any(isinstance(part, ast.Lambda) for part in ast.walk(later)):
            return False
        first = later.test if isinstance(later, ast.If) else getattr(later, "value", later)  # what is computed before the rest of it
        until = first if _among(inside, first) == inside and not loads else later
        if (inside or loads) and free & stored_names(until):
            return False
    return True


def _among(names: Sequence[ast.Name], tree: ast.AST) -> list[ast.Name]:
    inside = {id(part) for part in ast.walk(tree)}
    return [name for name in names if id(name) in inside]


def _is_sum_with_noise(value: ast.expr, rows: str) -> bool:
    """Whether a value is such a sum, and one draw is added to it."""
    match value:
        case ast.BinOp(left, ast.Add() | ast.Sub(), ast.Call()):
            return _is_linear(left, rows)
        case _:
            return False


def _is_asked_next(use: ast.Name, later: Sequence[ast.stmt]) -> bool:
    """Whether the next statement compares a name in its condition, where nothing else is called."""
    match later[0]:
        case ast.If(ast.Compare(left, [_], [right])):
            return (use is left or use is right) and all(isinstance(c.func, ast.Name) and c.func.id in ("len", "sum") for side in (left, right) for c in ast.walk(side) if isinstance(c, ast.Call))
        case _:
            return False


def _read(nodes: Sequence[ast.AST]) -> set[str]:
    """The names that some expressions read; those of a comprehension are its own, and of no other."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.GeneratorExp(item, loops) | ast.ListComp(item, loops) | ast.SetComp(item, loops):
                inner = _read([item, *(test for loop in loops for test in loop.ifs)])
                found |= _read([loop.iter for loop in loops]) | inner.difference(*(stored_names(loop.target) for loop in loops))
            case ast.Name(id=name):
                found.add(name)
            case _:
                found |= _read(list(ast.iter_child_nodes(node)))
    return found - {"sum", "len"}


# ---------------------------------------------------------------- comparisons


class _Compared(ast.NodeTransformer):
    def __init__(self, rows: str):
        self.rows = rows

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        match node:
            case ast.Compare(left, [ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() | ast.Eq() | ast.NotEq() as op], [right]) if (
                _has_sum(left, self.rows) and _has_sum(right, self.rows)
            ):
                return at_place(ast.Compare(ast.BinOp(left, ast.Sub(), right), [op], [ast.Constant(0)]), node)
        return node
