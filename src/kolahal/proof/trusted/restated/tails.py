"""The program without names for tails of a list: `later = q[1:]` and then `later[i]` is `q[i + 1]`, as in `zip(q, q[1:])`.

That is so if nobody changes q or the tail, the tail is read at places and for its length alone, each place is a number of 0 or
more and names that count up from there in loops that do not change them, and its length is asked for where a range ends that
begins at 0 or behind. Then the same items are read and the same runs stop: a place that the tail does not have is none of q, and
a range to the length of an empty tail is empty, whether that is 0 or less.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.restated.unrolled import counts_up, is_never_below_0


def without_tails(sketch: Sketch) -> Sketch:
    """The program in this form; the program itself where there is nothing to do."""
    body = sketch.body
    grown = {node.name for node in ir.walk(body) if isinstance(node, ir.Append)}
    given = Counter(name for node in ir.walk(body) if isinstance(node, ir.Assign | ir.For) for name in (node.targets if isinstance(node, ir.Assign) else (node.name,)))
    for at, node in enumerate(body):
        match node:
            case ir.Assign((name,), (ir.Comprehension(ir.Index(ir.Var(of), ir.Var(own)), turn, ir.Range(ir.Const(first), ir.Length(ir.Var(to)), step)),)):
                if not isinstance(first, Fraction) or first < 0 or own != turn or of != to or step != ir.Const(Fraction(1)):
                    continue
                if given[name] == 1 and not given[of] and not {name, of} & grown and _Reads(name).are_known(body):
                    return without_tails(replace(sketch, body=_through(body[:at] + body[at + 1 :], name, of, first)))
    return sketch


def _through(body: ir.Block, name: str, of: str, first: Fraction) -> ir.Block:
    def change(node: ir.Node) -> ir.Node | None:
        match node:
            case ir.Index(ir.Var(tail), at) if tail == name:
                return replace(node, of=ir.Var(of), at=ir.Binary("+", at, ir.Const(first)))
            case ir.Length(ir.Var(tail)) if tail == name:
                return ir.Binary("-", ir.Length(ir.Var(of)), ir.Const(first))
            case _:
                return None

    return ir.rebuild(body, change)


class _Reads:
    """Where a tail is read, and whether at places that are 0 or more, or for where a range ends."""

    def __init__(self, name: str):
        self.name, self.known = name, 0

    def are_known(self, body: ir.Block) -> bool:
        self.visit(body, frozenset())
        return self.known == sum(node == ir.Var(self.name) for node in ir.walk(body))

    def visit(self, node: Any, counters: frozenset[str]) -> None:
        """`counters` are names that are 0 or more in a part, and not changed by it."""
        match node:
            case tuple():
                for part in node:
                    self.visit(part, counters)
            case ir.For(name, over, body):
                self.visit(over, counters)
                own = {name} if isinstance(over, ir.Range) and counts_up(over) and name not in ir.assigned_names(body) else set()
                self.visit(body, counters | own)
            case ir.Comprehension(item, name, over):
                self.visit(over, counters)
                self.visit(item, (counters - {name}) | ({name} if isinstance(over, ir.Range) and counts_up(over) else set()))
            case ir.Range(start, stop, step):
                ends = stop.arguments if isinstance(stop, ir.Call) and stop.function == "min" else (stop,)
                self.known += sum(end == ir.Length(ir.Var(self.name)) for end in ends) if counts_up(node) else 0
                for part in (start, stop, step):
                    self.visit(part, counters)
            case ir.Index(ir.Var(name), at):
                self.known += name == self.name and is_never_below_0(at, counters)
                self.visit(at, counters)
            case ir.Node():
                for part in node.__dataclass_fields__:
                    if part != "span":
                        self.visit(getattr(node, part), counters)
