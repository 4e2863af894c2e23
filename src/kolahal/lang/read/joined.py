"""Lists that are put together by `+`, where the text says of one side that it is a list: then Python takes nothing else for the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence, Set

from kolahal.lang.read.tree import stored_names

MakesList = Callable[[ast.expr], bool]  # whether a call or a comprehension makes a list


def find_lists(body: Sequence[ast.stmt], known: Iterable[str], makes_list: MakesList) -> frozenset[str]:
    """The names that are given nothing but lists, besides those that are known."""
    values: dict[str, list[ast.expr]] = {}
    for node in (part for statement in body for part in ast.walk(statement)):
        match node:
            case ast.Assign([ast.Name(word)], value) | ast.AnnAssign(ast.Name(word), _, ast.expr() as value):
                values.setdefault(word, []).append(value)
            case ast.AugAssign(ast.Name()):  # which keeps a list one
                pass
            case ast.Assign() | ast.For() | ast.comprehension() | ast.NamedExpr():
                for word in stored_names(node.targets[0] if isinstance(node, ast.Assign) else node.target):
                    values.setdefault(word, []).append(ast.Constant(0))
    found = frozenset(known)
    while True:
        more = found | {word for word, own in values.items() if all(is_surely_list(value, found, makes_list) for value in own)}
        if more == found:
            return found
        found = more


def is_surely_list(node: ast.expr, lists: Set[str], makes_list: MakesList) -> bool:
    match node:
        case ast.Name(word):
            return word in lists
        case ast.List() | ast.Subscript(slice=ast.Slice()) | ast.BinOp(ast.List(), ast.Mult(), _):
            return True
        case ast.BinOp(left, ast.Add(), right):
            return is_surely_list(left, lists, makes_list) or is_surely_list(right, lists, makes_list)
        case _:
            return makes_list(node)


def parts_of(node: ast.expr) -> list[ast.expr]:
    """What is put together, from left to right."""
    return [*parts_of(node.left), node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) else [node]
