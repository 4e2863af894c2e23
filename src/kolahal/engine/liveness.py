"""What can be said of the names of a program before it runs."""

from __future__ import annotations

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch


def maybe_unset(sketch: Sketch) -> frozenset[str]:
    """The names that some path reads before it assigns them."""
    found: set[str] = set()

    def read(node: object, known: frozenset[str] | None) -> None:
        for part in ir.walk(node):
            if isinstance(part, ir.Comprehension):
                # Its own name counts as known inside it; a name outside that is spelled alike is read elsewhere.
                read(part.over, known)
                read(part.item, None if known is None else known | {part.name})
                return
            if isinstance(part, ir.Var) and known is not None and part.name not in known:
                found.add(part.name)

    def both(a: frozenset[str] | None, b: frozenset[str] | None) -> frozenset[str] | None:
        return b if a is None else a if b is None else a & b

    def block(body: ir.Block, known: frozenset[str] | None) -> frozenset[str] | None:
        """The names that surely have a value behind `body`; None where no run arrives."""
        for node in body:
            match node:
                case ir.Assign(targets, values):
                    for value in values:
                        read(value, known)
                    known = None if known is None else known | set(targets)
                case ir.If(test, then, orelse):
                    read(test, known)
                    known = both(block(then, known), block(orelse, known))
                case ir.While(test, inner):
                    read(test, known)
                    block(inner, known)
                case ir.For(name, over, inner):
                    read(over, known)
                    block(inner, None if known is None else known | {name})
                case ir.Append(name, value, _):
                    read(value, known)
                    read(ir.Var(name), known)
                case ir.Return(value):
                    read(value, known)
                    known = None
                case ir.Break() | ir.Continue():
                    known = None
        return known

    block(sketch.body, frozenset(p.name for p in sketch.parameters))
    return frozenset(found)


def always_answers(sketch: Sketch) -> frozenset[str]:
    """The names that only ever stand for the private list itself, as `a` does after `a = q`."""
    given: dict[str, list[ir.Expr | None]] = {}
    for node in ir.walk(sketch.body):
        match node:
            case ir.Assign(targets, values):
                for target, value in zip(targets, values, strict=True):
                    given.setdefault(target, []).append(value)
            case ir.For(name, _, _):
                given.setdefault(name, []).append(None)
    q = sketch.private.name
    names = {q} | set(given)
    while True:
        kept = {name for name in names if all(isinstance(v, ir.Var) and v.name in names for v in given.get(name, ()))}
        if kept == names:
            # Names that only stand for one another never got the list.
            return frozenset(kept) if q in kept else frozenset()
        names = kept
