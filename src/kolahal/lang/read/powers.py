"""Small whole powers, `x ** 3`, which are products: `x * x * x`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from kolahal.lang.read.tree import NOISES, PICK, Tree

MOST_POWER = 8


def power_of(op: ast.operator, by: ast.expr) -> int:
    """How many factors a power has; 0 for what is none of these."""
    match op, by:
        case ast.Pow(), ast.Constant(value=int() as power) if not isinstance(power, bool) and 1 <= power <= MOST_POWER:
            return power
        case _:
            return 0


def needs_name(node: ast.BinOp) -> bool:
    """Whether the base of a power is more than a name or an item, so that it is computed once and used again by a name."""
    match node.left:
        case ast.Name() | ast.Constant() | ast.Subscript(ast.Name(), ast.Name() | ast.Constant()):
            return False
        case _:
            return power_of(node.op, node.right) > 1


def outside_scales(node: ast.AST, tree: Tree) -> Iterator[ast.AST]:
    """All parts of an expression but the scales of noise, where a power of a sum is a power."""
    todo = [node]
    while todo:
        part = todo.pop()
        yield part
        if isinstance(part, ast.Call) and tree.ours(part.func) in (*NOISES, PICK):
            todo += part.args[:-1]  # the scores of a choice
        else:
            todo += ast.iter_child_nodes(part)
