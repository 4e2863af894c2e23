"""Pieces of Python's syntax tree, written as text with names for what goes in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from fractions import Fraction
from typing import TypeVar

from kolahal.lang.scale import exact
from kolahal.lang.source import parse_module

TextOrTree = str | ast.expr | list[ast.stmt]
Lowered = tuple[list[ast.stmt], ast.expr]  # what has to run before, and what is left
AnyTree = TypeVar("AnyTree", bound=ast.AST)


def statements(text: str, at: ast.AST, /, **parts: TextOrTree) -> list[ast.stmt]:
    """The statements of `text`, all at the place of `at`; a name of `parts` stands for another name, a value or a block."""
    module = parse_module(text)
    module = _Filling(parts).visit(placed(module, at))
    return list(module.body)


def expression(text: str, at: ast.AST, /, **parts: TextOrTree) -> ast.expr:
    """The expression of `text`, in the same way."""
    (statement,) = statements(text, at, **parts)
    assert isinstance(statement, ast.Expr)
    return statement.value


def name(word: str, at: ast.AST) -> ast.Name:
    return _place(ast.Name(word, ast.Load()), at)


def placed(tree: AnyTree, at: ast.AST) -> AnyTree:
    """`tree`, all of it at the place of `at`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            _place(node, at)
    return tree


def renamed(tree: AnyTree, names: Mapping[str, str]) -> AnyTree:
    """`tree` with other names; the tree itself changes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return tree


def with_names(tree: AnyTree, change: Callable[[ast.Name], ast.expr]) -> AnyTree:
    """`tree` with what `change` gives in place of its names; the tree itself changes."""
    return _NamesReplaced(change).visit(tree)  # type: ignore[no-any-return]


def names_of(trees: Iterable[ast.AST]) -> set[str]:
    """Every name that stands anywhere in `trees`."""
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}


def number_of(node: ast.expr) -> Fraction | None:
    """The number that is written out, perhaps with a sign."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return exact(value)
        case ast.UnaryOp(ast.USub(), inner):
            found = number_of(inner)
            return None if found is None else -found
        case _:
            return None


def changed_names(trees: Sequence[ast.AST], besides: Set[ast.AST] = frozenset()) -> set[str]:
    """The names that get a value in `trees`, other than at some places, and the lists that one of their methods is called of."""
    found: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in besides:
                found.add(node.id)
    return found | changed_lists(trees)


def changed_lists(trees: Iterable[ast.AST]) -> set[str]:
    """The lists that grow in `trees`, or some item of which is assigned."""
    parts = [node for tree in trees for node in ast.walk(tree)]
    grown = {node.value.id for node in parts if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
    stored = [node for node in parts if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)]
    return grown | {node.value.id for node in stored if isinstance(node.value, ast.Name)}


def _place(node: AnyTree, at: ast.AST) -> AnyTree:
    for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(node, field, getattr(at, field))
    return node


class _NamesReplaced(ast.NodeTransformer):
    def __init__(self, change: Callable[[ast.Name], ast.expr]):
        self.change = change

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.change(node)


class _Filling(ast.NodeTransformer):
    def __init__(self, parts: Mapping[str, TextOrTree]):
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        part = self.parts.get(node.id, node.id)
        if isinstance(part, str):
            node.id = part
            return node
        assert isinstance(part, ast.expr)
        return part

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        part = self.parts.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(part, list):
            return part
        node.value = self.visit(node.value)
        return node
