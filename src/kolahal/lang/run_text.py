"""Programs whose aggregates depend on the run, as they are written: the length of their list is that of the loop."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from kolahal.lang import ir
from kolahal.lang.records import Table
from kolahal.lang.scale import Scale

Nodes = TypeVar("Nodes", bound=tuple[ir.Node, ...])


def as_written(body: Nodes, name: str, table: Table | None, before: bool = False) -> Nodes:
    """Statements with the number of turns in place of the length of the private list, where that list is not written.

    What stands `before` all else has no such list either.
    """
    if table is None or table.bins is None or not (before or table.depends_on_run):
        return body
    size, length = table.bins.size, f"len({name})"
    number = Fraction(int(size)) if size.isdigit() else None

    def scale_of(scale: Scale) -> Scale:
        return scale.renamed(length, size if number is None else number)

    def change(node: ir.Node) -> ir.Node | None:
        match node:
            case ir.Length(ir.Var(of)) if of == name:
                return ir.Var(size, span=node.span) if number is None else ir.Const(number, span=node.span)
            case ir.Draw(scale=Scale() as scale) if length in scale.names:
                return replace(node, scale=scale_of(scale))
            case _:
                return None

    return ir.rebuild(body, change)
