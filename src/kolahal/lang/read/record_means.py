"""Means of records whose number is public: noise by the number of records, divided by it afterwards.

`sum(…) / len(rows) + Lap(100 / (len(rows) * eps))` is `(sum(…) + Lap(100 / eps)) / len(rows)`: noise of scale s over a number
above 0 is noise of scale s, divided by that number.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy

from kolahal.lang.read.record_trees import at_place
from kolahal.lang.read.run_reads import terms_of
from kolahal.lang.read.tree import Tree

SCALED = frozenset({"Lap", "Gauss"})  # noise with which that is so; whole noise has no fractions


def with_noise_before(body: list[ast.stmt], tree: Tree, rows: str) -> list[ast.stmt]:
    """Statements in which noise is added to what is divided by the number of records, and not to the quotient."""
    return [_Means(tree, rows, body).visit(statement) for statement in body]


class _Means(ast.NodeTransformer):
    def __init__(self, tree: Tree, rows: str, body: Sequence[ast.stmt]):
        self.tree, self.rows = tree, rows
        nodes = [node for statement in body for node in ast.walk(statement)]
        stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        named = [(n.targets[0].id, n.value) for n in body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
        self.names: set[str] = set()  # that are such a number
        for name, value in named:
            if stored.count(name) == 1 and self.is_size(value):
                self.names.add(name)

    def is_size(self, node: ast.expr) -> bool:
        """Whether a value is the number of records, or at least 1 and that: where it is 0 a run stops before noise is drawn."""
        match node:
            case ast.Call(ast.Name(id="len"), [ast.Name(id=name)], []):
                return name == self.rows
            case ast.Name(id=name):
                return name in self.names
            case ast.Call(ast.Name(id="max"), [one, two], []):
                return any(self.is_size(a) and isinstance(b, ast.Constant) and b.value == 1 for a, b in ((one, two), (two, one)))
            case _:
                return False

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        changed = self.moved(node) if isinstance(node.op, ast.Add | ast.Sub) else None
        if changed is not None:
            return changed
        self.generic_visit(node)
        return node

    def moved(self, node: ast.BinOp) -> ast.expr | None:
        """A sum of quotients by the number of records, and of noise by it, as one quotient."""
        total: ast.expr | None = None
        sizes: set[str] = set()
        draws = 0
        terms = terms_of(node)
        if any(isinstance(t, ast.BinOp) and isinstance(t.op, ast.Div) and self.is_size(t.right) for _, t in terms):
            for _, term in terms:
                if isinstance(term, ast.Call) and self.tree.ours(term.func) and term.args and self.tree.ours(term.args[0]) == "hole":
                    self.tree.fault("K176", term)
        for sign, term in terms:
            match term:
                case ast.BinOp(top, ast.Div(), size) if self.is_size(size):
                    part, below = top, size
                case ast.Call(func, [scale], []) if self.tree.ours(func) in SCALED:
                    known = self.undivided(scale)
                    if known is None:
                        return None
                    part, below = at_place(ast.Call(func, [known[0]], []), term), known[1]
                    draws += 1
                case _:
                    return None
            sizes.add(ast.unparse(below))
            if total is None:
                total = part if sign > 0 else at_place(ast.UnaryOp(ast.USub(), part), term)
            else:
                total = at_place(ast.BinOp(total, ast.Add() if sign > 0 else ast.Sub(), part), node)
        if total is None or not draws or len(sizes) != 1:
            return None
        return at_place(ast.BinOp(total, ast.Div(), deepcopy(below)), node)

    def undivided(self, scale: ast.expr) -> tuple[ast.expr, ast.expr] | None:
        """A scale without the number of records that it is divided by once, and that number."""
        match scale:
            case ast.BinOp(left, ast.Div(), right) if self.is_size(right):
                return left, right
            case ast.BinOp(left, ast.Div(), right):
                if (above := self.undivided(left)) is not None:
                    return at_place(ast.BinOp(above[0], ast.Div(), right), scale), above[1]
                below = self.without(right)
                return None if below is None else (at_place(ast.BinOp(left, ast.Div(), below[0]), scale), below[1])
            case ast.BinOp(left, ast.Mult(), right):
                for one, other in ((left, right), (right, left)):
                    if (found := self.undivided(one)) is not None:
                        return at_place(ast.BinOp(found[0], ast.Mult(), other), scale), found[1]
        return None

    def without(self, product: ast.expr) -> tuple[ast.expr, ast.expr] | None:
        """A product without the number of records, and that number."""
        match product:
            case ast.BinOp(left, ast.Mult(), right):
                for one, other in ((left, right), (right, left)):
                    if self.is_size(one):
                        return other, one
                    if (found := self.without(one)) is not None:
                        return at_place(ast.BinOp(found[0], ast.Mult(), other), product), found[1]
        return None
