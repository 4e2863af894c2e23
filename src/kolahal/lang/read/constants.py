"""Constants of a file: names that it gives once, at its top level, to numbers that are written out."""

from __future__ import annotations

import ast
from copy import deepcopy

from kolahal.lang.read.scopes import Function
from kolahal.lang.read.snippets import placed, with_names
from kolahal.lang.read.tree import Tree, own_names


class Constants:
    """What the constants of a file stand for."""

    def __init__(self, tree: Tree):
        self.tree = tree

    def value(self, function: Function, word: str) -> ast.expr | None:
        """What a name stands for in a function that does not bind it; None where that is not for certain a constant."""
        return self._value(function, word, frozenset())

    def literal(self, function: Function, node: ast.expr) -> ast.expr | None:
        """An expression that stands where `function` does, with literals for constants; None where it is more than these."""
        return self._literal(function, node, frozenset())

    def _value(self, function: Function, word: str, above: frozenset[str]) -> ast.expr | None:
        binding = self.tree.scopes.only_binding(function, word)
        value = self.tree.given.get(id(binding.node)) if binding else None
        if value is None or word in above:
            return None
        return self._literal(function, value, above | {word})

    def _literal(self, function: Function, node: ast.expr, above: frozenset[str]) -> ast.expr | None:
        match node:
            case ast.Constant(value) if value is None or isinstance(value, bool | int | float | str):
                return node
            case ast.Name(word):
                return self._value(function, word, above)
            case ast.UnaryOp(op, operand):
                inner = self._literal(function, operand, above)
                return None if inner is None else ast.copy_location(ast.UnaryOp(op, inner), node)
            case ast.BinOp(left, op, right):
                first, second = self._literal(function, left, above), self._literal(function, right, above)
                if first is None or second is None:
                    return None
                return ast.copy_location(ast.BinOp(first, op, second), node)
            case ast.Tuple(items) | ast.List(items):
                if isinstance(node, ast.List) and id(node) not in self.tree.still_lists:
                    return None
                found = [self._literal(function, item, above) for item in items]
                kept = [item for item in found if item is not None]
                return ast.copy_location(ast.Tuple(kept, ast.Load()), node) if len(kept) == len(items) else None
            case _:
                return None

    def put_into(self, body: list[ast.stmt], function: Function) -> list[ast.stmt]:
        """A copy of statements of `function`, with literals in place of constants."""
        own = own_names(function)

        def put(word: ast.Name) -> ast.expr:
            known = isinstance(word.ctx, ast.Load) and word.id not in own
            value = self.value(function, word.id) if known else None
            return word if value is None else placed(deepcopy(value), word)

        return [with_names(deepcopy(node), put) for node in body]
