"""Changes of lists that a sketch made: items that are assigned, and lists that grow by another."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import deepcopy
from typing import Protocol

from kolahal.lang.read.joined import parts_of
from kolahal.lang.read.snippets import Lowered, expression, name, names_of, statements
from kolahal.lang.read.tree import Tree, clip


class LowersItems(Protocol):
    """What changes of lists need of whoever lowers the rest."""

    tree: Tree
    parameters: set[str]
    changed: set[str]
    rebuilt: set[ast.AST]

    def fresh(self, base: str) -> str: ...
    def expression(self, node: ast.expr) -> Lowered: ...
    def ordered(self, nodes: Sequence[ast.expr]) -> tuple[list[ast.stmt], list[ast.expr]]: ...
    def named(self, node: ast.expr) -> tuple[list[ast.stmt], str]: ...
    def keep(self, node: ast.expr, base: str) -> tuple[list[ast.stmt], ast.Name]: ...
    def kept(self, node: ast.expr, base: str) -> Lowered: ...
    def assignment(self, word: str, value: ast.expr, at: ast.AST) -> ast.stmt: ...
    def is_joined(self, node: ast.expr) -> bool: ...


class ListChanges:
    def __init__(self, lowers: LowersItems):
        self.lowers = lowers

    def put_all(self, node: ast.Assign, targets: list[ast.expr], values: list[ast.expr]) -> list[ast.stmt]:
        """`xs[i], xs[j] = xs[j], xs[i]`: all values are computed first, and then put to their places from left to right."""
        words = [self.lowers.fresh("value") for _ in values]
        found = [self.lowers.assignment(word, value, node) for word, value in zip(words, values, strict=True)]
        for target, word in zip(targets, words, strict=True):
            value = name(word, node)
            if isinstance(target, ast.Subscript):
                found += self.put(target, value, node)
            else:
                found.append(ast.copy_location(ast.Assign([target], value), node))
        return found

    def step(self, node: ast.AugAssign, target: ast.expr, op: ast.operator, value: ast.expr) -> list[ast.stmt]:
        match target, op, value:
            case ast.Name(word), ast.Add(), _ if self.lowers.is_joined(ast.BinOp(target, op, value)):
                return self.extend(word, value, node)
            case ast.Subscript(ast.Name() as of, place), _, _ if not isinstance(place, ast.Slice):
                before, place = self.lowers.kept(place, "place")
                after, value = self.lowers.expression(value)
                old: ast.expr = ast.copy_location(ast.Subscript(of, deepcopy(place), ast.Load()), target)
                if after:
                    kept, old = self.lowers.keep(old, "value")
                    after = [*kept, *after]
                new = ast.copy_location(ast.BinOp(old, op, value), node)
                target.slice = place
                return [*before, *after, *self.put(target, new, node)]
            case _:
                before, node.value = self.lowers.expression(value)
                return [*before, node]

    def extend(self, word: str, value: ast.expr, at: ast.AST) -> list[ast.stmt]:
        """A list grows by the items of another one."""
        starred = isinstance(value, ast.List) and any(isinstance(item, ast.Starred) for item in value.elts)
        # All items are computed before the list grows; where there are none, the list must be one nevertheless.
        if isinstance(value, ast.List) and value.elts and not starred and word not in names_of([value]):
            before, items = self.lowers.ordered(value.elts)
            return [*before, *(s for item in items for s in statements("word.append(x)", at, word=word, x=item))]
        before, items_name = self.lowers.named(value)
        item = self.lowers.fresh("item")
        return [*before, *statements("for x in xs: word.append(x)", at, x=item, xs=items_name, word=word)]

    def joined(self, node: ast.BinOp, word: str) -> list[ast.stmt]:
        """`xs + ys` as a list that nobody else has yet, and that grows by one after the other."""
        return [*statements("xs = []", node, xs=word), *(s for part in parts_of(node) for s in self.added(word, part, node))]

    def added(self, word: str, part: ast.expr, at: ast.AST) -> list[ast.stmt]:
        """The same by what stands beside `+`, which is a list to Python, and nothing else that can be gone through."""
        whole = part
        while isinstance(whole, ast.Subscript) and isinstance(whole.slice, ast.Slice):
            whole = whole.value
        if isinstance(whole, ast.Tuple) or (isinstance(whole, ast.Call) and clip(whole.func) == "range"):
            raise self.lowers.tree.refuse("K103", part, thing=f"`{clip(part)}` beside a list and `+`", fix="Write list(…).")
        return self.extend(word, part, at)

    def put(self, target: ast.Subscript, value: ast.expr, at: ast.stmt) -> list[ast.stmt]:
        """`xs[place] = value` as a new list, which differs in one place: lists of the simpler forms only grow."""
        if not isinstance(target.value, ast.Name) or isinstance(target.slice, ast.Slice):
            raise self.lowers.tree.refuse("K107", target, target=clip(target))
        word = target.value.id
        self.own(word, target)
        before, value = self.lowers.kept(value, "value")
        more, place = self.lowers.expression(target.slice)
        words = {base: self.lowers.fresh(base) for base in ("old", "i", "new")}
        look = "old = xs[at]"  # stops where there is no such place, as Python does
        if not isinstance(place, ast.Constant):  # a place may be counted from the end
            kept, place = self.lowers.keep(place, "place")
            more += kept
            look += "\nif at < 0: at = at + len(xs)"
        more += statements(look, at, old=words["old"], xs=word, at=place)
        return [
            *before,
            *more,
            *statements(
                "new = []\n"
                "for i in range(len(xs)):\n"
                "    if i == at: new.append(value)\n"
                "    else: new.append(xs[i])",
                at,
                **words,
                xs=word,
                at=place,
                value=value,
            ),
            self.replacement(word, words["new"], at),
        ]

    def own(self, word: str, at: ast.AST) -> None:
        """A list changes in place; those that read it know that from here on."""
        if word in self.lowers.parameters:
            raise self.lowers.tree.refuse("K128", at, name=word)
        self.lowers.changed.add(word)

    def replacement(self, word: str, new: str, at: ast.AST) -> ast.stmt:
        """A list gets the items of a new one, and stays the list that it was to whoever goes through it by places."""
        (found,) = statements("xs = [x for x in new]", at, xs=word, x=self.lowers.fresh("x"), new=new)
        assert isinstance(found, ast.Assign)
        self.lowers.rebuilt.add(found.targets[0])
        return found

    def sort(self, word: str, keywords: list[ast.keyword], at: ast.stmt) -> list[ast.stmt]:
        """`xs.sort()`."""
        self.own(word, at)
        call = expression("sorted(xs)", at, xs=word)
        assert isinstance(call, ast.Call)
        call.keywords = keywords
        before, new = self.lowers.named(call)
        return [*before, self.replacement(word, new, at)]
