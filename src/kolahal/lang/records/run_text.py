"""Programs whose aggregates depend on the run, as they are written: the length of their list is that of the loop."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from kolahal.lang import ir
from kolahal.lang.records.table import Table
from kolahal.lang.scale import Scale

Nodes = TypeVar("Nodes", bound=tuple[ir.Node, ...])


def as_written(body: Nodes, name: str, table: Table | None, before: bool = False) -> Nodes:
    """Statements with the number of turns in place of the length of the private list, where that list is not written.

    What stands `before` all else has no such list either.
    """
    if table is None or table.bins is None or not (before or table.depends_on_run):
        return body
    size = table.bins.size
    number = Fraction(int(size)) if size.isdigit() else None

    def change(node: ir.Node) -> ir.Node | None:
        match node:
            case ir.Length(ir.Var(of)) if of == name:
                return ir.Var(size, span=node.span) if number is None else ir.Const(number, span=node.span)
            case _:
                return None

    found = ir.rebuild(body, change)
    return found if number is None else rescaled(found, f"len({name})", number)


def rescaled(body: Nodes, name: str, other: str | Fraction) -> Nodes:
    """Statements whose scales have another quantity, or a number, in place of a quantity."""

    def change(node: ir.Node) -> ir.Node | None:
        return replace(node, scale=node.scale.renamed(name, other)) if isinstance(node, ir.Draw) and isinstance(node.scale, Scale) else None

    return ir.rebuild(body, change)
