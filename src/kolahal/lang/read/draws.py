"""Draws in everyday Python: what a place is chosen from may be any list, and `Pick` chooses from a list of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from kolahal.lang.read.snippets import expression, name, statements
from kolahal.lang.read.tree import NOISES, PICK, Tree

MOST_PICKED = 64  # numbers that `Pick` draws from


def lower_draw(
    tree: Tree, node: ast.Call, fresh: Callable[[str], str], named: Callable[[ast.expr], tuple[list[ast.stmt], str]]
) -> tuple[list[ast.stmt], ast.expr]:
    """A draw whose scores, if it has any, are a list with a name; `named` gives one to a list."""
    if tree.ours(node.func) == PICK:
        return _picked(tree, node, fresh)
    if needs_list(tree, node) and not isinstance(node.args[0], ast.Starred):
        before, word = named(node.args[0])
        node.args[0] = name(word, node.args[0])
        return before, node
    return [], node


def needs_list(tree: Tree, node: ast.Call) -> bool:
    """Whether a draw is made from a list without a name."""
    ours = tree.ours(node.func)
    selects = ours in NOISES and NOISES[ours].selects
    return ours == PICK or (selects and len(node.args) == 2 and not isinstance(node.args[0], ast.Name))


def _picked(tree: Tree, node: ast.Call, fresh: Callable[[str], str]) -> tuple[list[ast.stmt], ast.expr]:
    """`Pick(hole, 3)` as a place of 1, 0, 0: the first is the likeliest, the others are alike."""
    match node:
        case ast.Call(_, [scale, ast.Constant(int() as k)], []) if type(k) is int and 2 <= k <= MOST_PICKED:
            word = fresh("scores")
            tree.aliases.setdefault("choose", "choose")
            scores = expression(f"[{', '.join(['1'] + ['0'] * (k - 1))}]", node)
            called = ast.copy_location(ast.Name("choose", ast.Load()), node.func)
            chosen = ast.copy_location(ast.Call(called, [name(word, node), scale], []), node)
            return statements("word = scores", node, word=word, scores=scores), chosen
        case _:
            raise tree.refuse("K154", node, most=MOST_PICKED)
