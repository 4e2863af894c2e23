"""Programs that ask the records questions which depend on the run: what they ask is told, too.

Where each question, and all that it is asked with, stands in the output, two runs with the same output have asked the same
questions, and each is an aggregate like any other. docs/theory-records.md says why that proves the program that does not tell them.
"""

from __future__ import annotations

from dataclasses import replace

from kolahal.lang import ir
from kolahal.lang.kinds import LIST, Types, infer
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass


def told(sketch: Sketch, marked: bool = False) -> Sketch:
    """The program that gives away what its questions are asked with, before it asks, and then its answer, as one list.

    With `marked`, a truth value always says where the answer begins, and whether it has items.
    """
    queries = [node for node in ir.walk(sketch.body) if isinstance(node, ir.Query)]
    if not queries:
        return sketch
    names = ir.names_in(sketch.body) | {p.name for p in sketch.parameters}  # also those that nobody reads: they could empty the list
    seen = "told"
    while names & {seen, *_beside(seen)}:
        seen += "_"
    guards, body = sketch.body[: sketch.preconditions], sketch.body[sketch.preconditions :]
    first = ir.Assign((seen,), (ir.ListOf(()),), span=body[0].span if body else sketch.span)
    types = infer(sketch)
    returned = [node.value for node in ir.walk(body) if isinstance(node, ir.Return)]
    shapes = {_shape(value, types) for value in returned}
    # Where all answers have as many items, the last ones are the answer; otherwise a truth value says where it begins, and
    # what it is: no question is asked with one.
    teller = _Teller(seen, types, marked=marked or len(shapes) > 1 or None in shapes)
    return replace(sketch, body=(*guards, first, *teller.block(body)))


def _beside(seen: str) -> tuple[str, str]:
    """What else is named: an item of an answer, and an answer that is a list without a name."""
    return f"{seen}_item", f"{seen}_list"


def _shape(value: ir.Expr, types: Types) -> int | None:
    """How many items an answer has, 0 if it is none but a value; None if that depends on the run."""
    if isinstance(value, ir.TupleOf | ir.ListOf):
        return len(value.items) or None
    return None if LIST in types.of(value) else 0


@dataclass(frozen=True, slots=True)
class _Teller:
    seen: str
    types: Types
    marked: bool

    def block(self, body: ir.Block) -> ir.Block:
        found: list[ir.Stmt] = []
        for node in body:
            match node:
                case ir.If() | ir.For() | ir.While():
                    found += self.asked(node.over if isinstance(node, ir.For) else node.test)
                    found.append(ir.with_blocks(node, self.block))
                case ir.Return(value):
                    found += [*self.asked(value), *self.mark(node, value), *self.answered(node, value)]
                case _:
                    found += [*self.asked(node), node]
        return tuple(found)

    def mark(self, node: ir.Return, value: ir.Expr) -> list[ir.Stmt]:
        """That the answer begins, and whether it has items."""
        several = ir.Const(LIST in self.types.of(value), span=node.span)
        return [ir.Append(self.seen, several, front=False, span=node.span)] if self.marked else []

    def asked(self, node: ir.Node) -> list[ir.Stmt]:
        """Which questions a statement asks, and what with. Of values alone nobody knows to which question they belong."""
        queries = [part for part in ir.walk(node) if isinstance(part, ir.Query)]
        return [ir.Append(self.seen, part, front=False, span=q.span) for q in queries for part in (q.at, *q.given)]

    def answered(self, node: ir.Return, value: ir.Expr) -> list[ir.Stmt]:
        end, (item, made_here) = replace(node, value=ir.Var(self.seen, span=node.span)), _beside(self.seen)
        if isinstance(value, ir.TupleOf | ir.ListOf):
            return [*(ir.Append(self.seen, part, front=False, span=node.span) for part in value.items), end]
        if LIST not in self.types.of(value):
            return [ir.Append(self.seen, value, front=False, span=node.span), end]
        listed = value if isinstance(value, ir.Var) else ir.Var(made_here, span=node.span)
        made = [] if listed is value else [ir.Assign((listed.name,), (value,), span=node.span)]
        more = ir.Append(self.seen, ir.Var(item, span=node.span), front=False, span=node.span)
        return [*made, ir.For(item, listed, (more,), span=node.span), end]
