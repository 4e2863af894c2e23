"""Bounds that a user gives for fields of records which have none: `age=0:100` declares the field Between(0, 100)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.lang.patch import Text
from kolahal.lang.pretty import print_number
from kolahal.lang.scale import parse_number
from kolahal.lang.source import Source


def with_bounds(source: Source, function: ast.FunctionDef, between: Sequence[str]) -> Source:
    """The file with bounds for fields of the function's rows, or for its records where they are numbers."""
    text = Text(source.text)
    for given in between:
        name, low, high = _read(given)
        note, whole = _annotation(source, function, name)
        if whole and (low.denominator != 1 or high.denominator != 1):
            raise UsageError(f"--between {given}: {name} is whole, and so must be its bounds")
        bounds = f"Between({print_number(low)}, {print_number(high)}{', whole=True' if whole else ''})"
        records = isinstance(note, ast.Name | ast.Attribute) and ast.unparse(note).endswith("Records")
        start, end = text.span(note)
        text.replace(start, end, f"{text.text[start:end]}[{bounds}]" if records else bounds)
    return Source(source.path, text.result()) if between else source


def _read(given: str) -> tuple[str, Fraction, Fraction]:
    name, equals, ends = given.partition("=")
    low, colon, high = ends.partition(":")
    try:
        found = parse_number(low), parse_number(high)
    except ValueError:
        found = Fraction(1), Fraction(0)
    if not name.isidentifier() or not equals or not colon or found[0] > found[1]:
        raise UsageError(f"--between {given}: write a field and its bounds, such as age=0:100")
    return name, *found


def _annotation(source: Source, function: ast.FunctionDef, name: str) -> tuple[ast.expr, bool]:
    """Where the type of a field stands, or that of records that are numbers; and whether it is whole."""
    module = ast.parse(source.text)
    here = next(n for n in ast.walk(module) if isinstance(n, ast.FunctionDef) and n.lineno == function.lineno)
    notes = [arg.annotation for arg in here.args.args if arg.annotation is not None]
    for arg in here.args.args:
        if arg.arg == name and arg.annotation is not None and ast.unparse(arg.annotation).rpartition(".")[2] == "Records":
            return arg.annotation, False
    rows = {n.id for note in notes for n in ast.walk(note) if isinstance(n, ast.Name)}
    classes = [node for node in module.body if isinstance(node, ast.ClassDef) and node.name in rows]
    fields = [part for node in classes for part in node.body if isinstance(part, ast.AnnAssign)]
    for part in fields:
        if isinstance(part.target, ast.Name) and part.target.id == name:
            if ast.unparse(part.annotation) not in ("float", "int"):
                raise UsageError(f"--between {name}: the field is {ast.unparse(part.annotation)}, and needs no bounds")
            return part.annotation, ast.unparse(part.annotation) == "int"
    have = ", ".join(part.target.id for part in fields if isinstance(part.target, ast.Name)) or "no fields"
    raise UsageError(f"--between {name}: there is no such field; the records of {function.name} have {have}")
