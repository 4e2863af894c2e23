"""Dictionaries from labels to numbers, whose labels are all written out: each label is a name of its own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from kolahal.lang.read.snippets import changed_lists, name, names_of
from kolahal.lang.read.tree import surely_stored

Tables = dict[str, dict[str, str]]  # the name of a dictionary → label → the name of its value


def without_tables(body: list[ast.stmt], fresh: Callable[[str], str]) -> list[ast.stmt]:
    """Statements without dictionaries; what cannot be read so stays, and the reader refuses it."""
    tables: Tables = {}
    for node in (part for statement in body for part in ast.walk(statement)):
        match node:
            case ast.Assign([ast.Name(word)], ast.Dict(keys, values)) if values and word not in tables:
                labels = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
                if len(labels) == len(set(labels)) == len(keys):
                    tables[word] = dict.fromkeys(labels, "")
    for word, known in list(tables.items()):
        if not _is_made(body, word) or not all(_is_plain(statement, word, set(known)) for statement in body):
            del tables[word]
    for word, names in tables.items():
        for label in names:
            names[label] = fresh(f"{word}_{label}" if label.isidentifier() else word)
    change = _Names(tables)
    return [change.visit(statement) for statement in body] if tables else body


def _is_made(body: list[ast.stmt], word: str) -> bool:
    """Whether every run makes a dictionary before it gives a label a value: without a dictionary Python stops there."""
    first = next(statement for statement in body if word in names_of([statement]))
    return word in surely_stored([first]) and word not in changed_lists([first])


def _is_plain(statement: ast.stmt, word: str, labels: set[str]) -> bool:
    """Whether a dictionary is made anew or used by its labels only, wherever it stands."""
    plain: set[int] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Assign([ast.Name(id=of) as target], ast.Dict(keys)) if of == word:
                if len(keys) == len(labels) and {getattr(key, "value", None) for key in keys} == labels:
                    plain.add(id(target))
            case ast.Subscript(ast.Name(id=of) as target, ast.Constant(label)) if of == word and label in labels:
                plain.add(id(target))
    return all(id(n) in plain for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == word)


class _Names(ast.NodeTransformer):
    def __init__(self, tables: Tables):
        self.tables = tables

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        match node:
            case ast.Assign([ast.Name(word) as target], ast.Dict(keys, values)) if word in self.tables:
                labels = [key.value for key in keys if isinstance(key, ast.Constant)]
                targets: list[ast.expr] = [name(self.tables[word][str(label)], target) for label in labels]
                for one in targets:
                    assert isinstance(one, ast.Name)
                    one.ctx = ast.Store()
                value = ast.copy_location(ast.Tuple([self.visit(value) for value in values], ast.Load()), node.value)
                return ast.copy_location(ast.Assign([ast.copy_location(ast.Tuple(targets, ast.Store()), target)], value), node)
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(ast.Name(word), ast.Constant(str() as label)) if word in self.tables:
                return ast.copy_location(ast.Name(self.tables[word][label], node.ctx), node)
        self.generic_visit(node)
        return node
