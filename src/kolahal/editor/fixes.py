"""Remedies as edits of the user's own text."""

from __future__ import annotations

import ast
from bisect import bisect_right
from itertools import accumulate

from kolahal.errors import UsageError
from kolahal.lang.patch import fill_edits, find_function
from kolahal.lang.places import answers_needed, reads_fixed_places_alone
from kolahal.lang.read.tree import NOISES, Tree
from kolahal.lang.sketch import Completion, Sketch
from kolahal.lang.source import Source
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """From one character to another; lines and columns count from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to stand at a place instead."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy: where it is offered, in what words, and what it changes."""

    place: Place
    title: str
    edits: tuple[Edit, ...]


def top_line(source: Source, sketch: Sketch) -> int:
    """The line on which a sketch begins, its decorators included."""
    function = find_function(Tree(source), sketch.name)
    return min(part.lineno for part in (function, *function.decorator_list)) - 1


def name_place(source: Source, sketch: Sketch) -> Place:
    """Where the name of a sketch stands."""
    line = sketch.span.line - 1
    text = source.line(sketch.span.line)
    start = max(0, text.find(sketch.name, text.find("def ") + len("def ") if "def " in text else 0))  # `def` itself has letters of names
    return Place(line, start, line, min(len(text), start + len(sketch.name)))


def fill_holes(source: Source, sketch: Sketch, completion: Completion, place: Place) -> Fix | None:
    """The proved scales in the holes."""
    try:
        edits = fill_edits(source, sketch, completion)
    except UsageError:
        return None
    shown = ", ".join(str(scale) if scale else "no noise" for scale in completion)
    return Fix(place, f"Fill in the proved scales: {shown}", _edits(source, edits))


def use_scales(source: Source, sketch: Sketch, completion: Completion, place: Place) -> Fix | None:
    """Other scales in a mechanism without holes; None where some noise does not stand in the function itself."""
    changed = [(draw, scale) for draw, scale in zip(sketch.draws, completion, strict=True) if draw.scale != scale]
    tree = Tree(source)
    calls: dict[tuple[int, int], ast.Call] = {}
    for node in ast.walk(find_function(tree, sketch.name)):
        if isinstance(node, ast.Call) and tree.ours(node.func) in NOISES and len(node.args) == 1:
            span = tree.span(node)
            calls[span.line, span.column] = node
    places = [(draw.span.line, draw.span.column) for draw, _ in changed]
    every = [(draw.span.line, draw.span.column) for draw in sketch.draws]
    if not changed or any(every.count(at) != 1 or at not in calls for at in places) or not all(completion):
        return None
    edits = []
    for at, (_, scale) in zip(places, changed, strict=True):
        argument = calls[at].args[0]
        edits.append((_offset(source, argument.lineno, argument.col_offset), _end(source, argument), str(scale)))
    title = f"Use {changed[0][1]} on line {places[0][0]}: then it is proved"
    if len(changed) > 1:
        title = f"Use the proved scales: {', '.join(map(str, completion))}"
    return Fix(place, title, _edits(source, sorted(edits)))


def declare_count(source: Source, sketch: Sketch, place: Place) -> Fix | None:
    """`Private[7]`, where a program reads fixed places and so tells how many answers it needs."""
    private, needed = sketch.private, answers_needed(sketch)
    if private.count is not None or private.table is not None or not needed:
        return None
    if needed == 1 and not reads_fixed_places_alone(sketch):
        return None
    function = find_function(Tree(source), sketch.name)
    note = next((arg.annotation for arg in function.args.args if arg.arg == private.name), None)
    marker = note.value if isinstance(note, ast.Subscript) else note
    if not isinstance(marker, ast.Name | ast.Attribute) or note is None:  # a text, which has no places inside
        return None
    declared = f"[{'int, ' if private.whole else ''}{needed}]"
    edit = (_end(source, marker), _end(source, note), declared)
    return Fix(place, f"Declare {private.name}: Private{declared}", _edits(source, [edit]))


# ---------------------------------------------------------------- offsets and places


def _offset(source: Source, line: int, column: int) -> int:
    """Where a place of Python's syntax tree is, which counts columns in bytes."""
    lines = source.text.split("\n")
    return sum(len(text) + 1 for text in lines[: line - 1]) + len(lines[line - 1].encode()[:column].decode())


def _end(source: Source, node: ast.expr) -> int:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return _offset(source, node.end_lineno, node.end_col_offset)


def _edits(source: Source, edits: list[tuple[int, int, str]]) -> tuple[Edit, ...]:
    starts = [0, *accumulate(len(text) + 1 for text in source.text.split("\n"))]

    def at(offset: int) -> tuple[int, int]:
        line = bisect_right(starts, offset) - 1
        return line, offset - starts[line]

    return tuple(Edit(Place(*at(start), *at(end)), text) for start, end, text in edits)
