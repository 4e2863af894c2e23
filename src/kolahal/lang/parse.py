"""Python source → sketches. The text is parsed with `ast` and never imported or executed."""

from __future__ import annotations

import ast

from kolahal.errors import UsageError
from kolahal.lang.body import Body
from kolahal.lang.check import check
from kolahal.lang.header import read_header
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError, Source, refuse_source, with_newlines
from kolahal.lang.tree import Aliases, Function, Tree


def parse_source(source: Source) -> tuple[Sketch, ...]:
    """All sketches of a source, in order; raises SketchError with every fault of all of them."""
    tree = Tree(source)
    found: dict[str, Sketch] = {}
    for node, decorator in tree.decorated():
        if node.name in found:
            tree.fault("K009", node, name=node.name)
        found[node.name] = _read(tree, node, decorator)
    if tree.faults:
        raise SketchError(source, tuple(tree.faults))
    if not found:
        raise refuse_source(source, "K007")
    return tuple(found.values())


def parse(text: str, path: str = "<text>") -> Sketch:
    """The one sketch of a text."""
    sketches = parse_source(Source(path, with_newlines(text)))
    if len(sketches) != 1:
        raise UsageError(f"{path} has {len(sketches)} sketches: {', '.join(s.name for s in sketches)}")
    return sketches[0]


def parse_function(source: Source, line: int, seen: Aliases) -> Sketch:
    """The sketch whose first decorator stands at `line`; `seen` tells which of our names the names around it are."""
    tree = Tree(source, seen)
    for node, decorator in tree.decorated():
        if node.decorator_list[0].lineno == line:
            sketch = _read(tree, node, decorator)
            if tree.faults:
                raise SketchError(source, tuple(tree.faults))
            return sketch
    raise refuse_source(source, "K007")


def choose(sketches: tuple[Sketch, ...], source: Source, name: str) -> Sketch:
    """The sketch called `name`."""
    for sketch in sketches:
        if sketch.name == name:
            return sketch
    have = ", ".join(s.name for s in sketches)
    raise refuse_source(source, "K008", name=name, have=have, example=f"{source.path}:{sketches[0].name}")


def _read(tree: Tree, node: Function, decorator: ast.expr) -> Sketch:
    """The sketch that a function is; worth nothing if `tree` has new faults."""
    before = len(tree.faults)
    tree.check_size(node)
    header = read_header(tree, node, decorator)
    doc = ast.get_docstring(node, clean=True)
    statements = node.body if doc is None else node.body[1:]
    body = Body(tree, header, statements)
    block = body.block(statements)
    found = Sketch(node.name, header.parameters, header.adjacency, block, doc, tree.source, tree.span(node))
    # Kinds are checked even where something was refused, so that all faults show in one go.
    tree.faults += check(found, frozenset(body.lost) if len(tree.faults) > before else None)
    return found
