"""Python source → sketches. The text is parsed with `ast` and never imported or executed."""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang import ir
from kolahal.lang.adjacency import Adjacency
from kolahal.lang.kinds import check
from kolahal.lang.preconditions import holds
from kolahal.lang.read.body import Body
from kolahal.lang.read.constants import Constants
from kolahal.lang.read.header import Header, read_header
from kolahal.lang.read.lower import Lowering
from kolahal.lang.read.rows import read_row, records_note
from kolahal.lang.read.scopes import USUAL, Function
from kolahal.lang.read.tree import DEEPEST, Aliases, Tree, clip, say
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.sketch import Parameter, Role, Sketch
from kolahal.lang.source import Diagnostic, SketchError, Source, diagnose, refuse_source, with_newlines
from kolahal.lang.templates import ROWS
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """What one name of a file stands for: a sketch, or what is wrong with the function that was to be one."""

    name: str
    sketch: Sketch | None
    faults: tuple[Diagnostic, ...]  # of the function, and of the file around it


def read_functions(source: Source) -> tuple[Reading, ...]:
    """The functions of a source that @sketch decorates, in order; the faults of one are not those of another."""
    tree = Tree(source)
    if ROWS in tree.scopes.support.files:
        raise refuse_source(source, "K011")
    around = tuple(tree.faults)
    found: dict[str, Reading] = {}
    for node, decorator in tree.decorated():
        tree.faults.clear()
        known = found.get(node.name)
        if known is not None:
            tree.fault("K009", node, name=node.name)
        sketch = None
        try:
            sketch = _read(tree, node, decorator)
        except SketchError as error:  # larger than is looked at
            tree.faults += error.diagnostics
        faults = (*(around if known is None else known.faults), *tree.faults)
        found[node.name] = Reading(node.name, None if faults else sketch, faults)
    if not found:
        raise SketchError(source, around) if around else refuse_source(source, "K007")
    return tuple(found.values())


def parse_source(source: Source) -> tuple[Sketch, ...]:
    """All sketches of a source, in order; raises SketchError with every fault of all of them."""
    readings = read_functions(source)
    faults = tuple(fault for reading in readings for fault in reading.faults)
    if faults:
        raise SketchError(source, faults)
    return tuple(reading.sketch for reading in readings if reading.sketch is not None)


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
    distances = [Fraction(a.count) if isinstance(a, RecordRelation) else a.distance for a in (read, found)]
    if read.name != found.name or abs(distances[0] - distances[1]) > distances[0] / 10**9:
        tree.fault("K146", decorator, name=clip(decorator), meant=str(read), found=str(found))
    for arg, parameter in zip(node.args.args, sketch.parameters, strict=True):
        if parameter.table is not None:
            continue  # a class and its fields are read from the text, and values are checked against that
        meant = parameter.role.value if parameter.role is not Role.ARGUMENT else USUAL[parameter.type.value]
        if seen.notes.get(arg.arg, meant) != meant:
            note = arg.annotation or arg
            tree.fault("K146", note, name=clip(note), meant=say(meant), found=say(seen.notes[arg.arg]))


def parse_named(source: Source, name: str) -> Sketch:
    """The sketch called `name`; what is wrong with other functions of the source is not its business."""
    readings = read_functions(source)
    for reading in readings:
        if reading.name == name:
            if reading.sketch is None:
                raise SketchError(source, reading.faults)
            return reading.sketch
    have = ", ".join(reading.name for reading in readings)
    raise refuse_source(source, "K008", name=name, have=have, example=f"{source.path}:{readings[0].name}")


def _over_answers(
    tree: Tree, node: Function, header: Header, statements: list[ast.stmt]
) -> tuple[Header, list[ast.stmt]]:
    """The program over answers that a program over records is; as it stands, where that has faults."""
    if any(records_note(tree, arg.annotation) for arg in node.args.args):
        row = read_row(tree, node)
        if row is not None:
            from kolahal.lang.read.gathered import lower_in_any_form

            lowered = lower_in_any_form(tree, node, header, row, Constants(tree).put_into(statements, node))
            if lowered is not None:
                return lowered.header, lowered.statements
    return header, []


def _with_whole_answers(header: Header, block: ir.Block) -> tuple[Parameter, ...]:
    """The parameters; aggregates that are whole are declared so where the noise is whole, too."""
    adjacency = header.adjacency
    if not isinstance(adjacency, RecordRelation) or adjacency.table is None:
        return header.parameters
    noises = {node.noise for node in ir.walk(block) if isinstance(node, ir.Draw)}
    whole = any(noise.whole for noise in noises) and adjacency.whole
    return tuple(replace(p, whole=whole) if p.table is not None else p for p in header.parameters)


def _read(tree: Tree, node: Function, decorator: ast.expr) -> Sketch:
    """The sketch that a function is; worth nothing if `tree` has new faults."""
    before = len(tree.faults)
    tree.check_size(node)
    tree.check_names(node)
    tree.check_escapes()
    header = read_header(tree, node, decorator)
    doc = ast.get_docstring(node, clean=True)
    statements = node.body if doc is None else node.body[1:]
    if isinstance(header.adjacency, RecordRelation):
        header, statements = _over_answers(tree, node, header, statements)
    lowering = Lowering(tree, node, header, statements)
    guards = lowering.preconditions(statements)
    try:
        lowered = [*guards, *lowering.body(statements[len(guards) :])]
    except RecursionError:  # helpers in helpers, each nested as deeply as may be
        raise SketchError(tree.source, (diagnose("K006", tree.span(node), most=DEEPEST),)) from None
    tree.check_size(ast.Module(lowered, []))
    body = Body(tree, header, lowered, lowering.lost)
    block = body.block(lowered)
    parameters = _with_whole_answers(header, block)
    found = Sketch(node.name, parameters, header.adjacency, block, doc, tree.source, tree.span(node), len(guards))
    # Kinds are checked even where something was refused, so that all faults show in one go.
    tree.faults += check(found, frozenset(body.lost) if len(tree.faults) > before else None, frozenset(lowering.changed))
    return _at_usual_values(found)


def _at_usual_values(sketch: Sketch) -> Sketch:
    """The sketch with values of public bounds that it asserts nothing against, where there are such values."""
    adjacency = sketch.adjacency
    for other in adjacency.usual_at() if sketch.asserted and isinstance(adjacency, RecordRelation) else ():
        known = dict(other.public)
        if all(holds(test, known, 0) for test in sketch.asserted if ir.names_read(test) <= set(known)):
            usual = (replace(p, usual=known[p.name]) if p.name in known else p for p in sketch.parameters)
            return replace(sketch, adjacency=other, parameters=tuple(usual))
    return sketch
