"""Python source → sketches. The text is parsed with `ast` and never imported or executed."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from kolahal.errors import UsageError
from kolahal.lang.adjacency import Adjacency
from kolahal.lang.body import Body
from kolahal.lang.check import check
from kolahal.lang.header import read_header
from kolahal.lang.scopes import USUAL, Function
from kolahal.lang.sketch import Role, Sketch
from kolahal.lang.source import SketchError, Source, refuse_source, with_newlines
from kolahal.lang.tree import Aliases, Tree, clip, say


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


@dataclass(frozen=True, slots=True)
class Seen:
    """What a running program knows of the function that it decorates: the meanings of names and of its annotations."""

    names: Aliases
    adjacency: Adjacency
    notes: Aliases


def parse_function(source: Source, line: int, seen: Seen) -> Sketch:
    """The sketch whose first decorator stands at `line`, which means in the running program what it says in its text."""
    tree = Tree(source, seen.names)
    for node, decorator in tree.decorated():
        if node.decorator_list[0].lineno == line:
            sketch = _read(tree, node, decorator)
            if not tree.faults:
                _compare(tree, node, decorator, sketch, seen)
            if tree.faults:
                raise SketchError(source, tuple(tree.faults))
            return sketch
    raise refuse_source(source, "K007")


def _compare(tree: Tree, node: Function, decorator: ast.expr, sketch: Sketch, seen: Seen) -> None:
    """Refuse a header that has another meaning in the running program."""
    read, found = sketch.adjacency, seen.adjacency
    # A distance such as 1/3 is a double by the time that Python hands it over.
    if read.name != found.name or abs(read.distance - found.distance) > read.distance / 10**9:
        tree.fault("K146", decorator, name=clip(decorator), meant=str(read), found=str(found))
    for arg, parameter in zip(node.args.args, sketch.parameters, strict=True):
        meant = parameter.role.value if parameter.role is not Role.ARGUMENT else USUAL[parameter.type.value]
        if seen.notes.get(arg.arg, meant) != meant:
            note = arg.annotation or arg
            tree.fault("K146", note, name=clip(note), meant=say(meant), found=say(seen.notes[arg.arg]))


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
    tree.check_names(node)
    tree.check_escapes()
    header = read_header(tree, node, decorator)
    doc = ast.get_docstring(node, clean=True)
    statements = node.body if doc is None else node.body[1:]
    body = Body(tree, header, statements)
    block = body.block(statements)
    found = Sketch(node.name, header.parameters, header.adjacency, block, doc, tree.source, tree.span(node))
    # Kinds are checked even where something was refused, so that all faults show in one go.
    tree.faults += check(found, frozenset(body.lost) if len(tree.faults) > before else None)
    return found
