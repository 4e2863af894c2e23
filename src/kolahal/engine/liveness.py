"""What can be said of the names of a program before it runs."""

from __future__ import annotations

from kolahal.lang.ir import (
    Append,
    Assign,
    Block,
    Break,
    Comprehension,
    Continue,
    Expr,
    For,
    If,
    Return,
    Var,
    While,
    walk,
)
from kolahal.lang.sketch import Sketch


def maybe_unset(sketch: Sketch) -> frozenset[str]:
    """The names that some path reads before it assigns them."""
    found: set[str] = set()

    def read(node: object, known: frozenset[str] | None) -> None:
        for part in walk(node):
            if isinstance(part, Comprehension):
                # Its own name counts as known inside it; a name outside that is spelled alike is read elsewhere.
                read(part.over, known)
                read(part.item, None if known is None else known | {part.name})
                return
            if isinstance(part, Var) and known is not None and part.name not in known:
                found.add(part.name)

    def both(a: frozenset[str] | None, b: frozenset[str] | None) -> frozenset[str] | None:
        return b if a is None else a if b is None else a & b

    def block(body: Block, known: frozenset[str] | None) -> frozenset[str] | None:
        """The names that surely have a value behind `body`; None where no run arrives."""
        for node in body:
            match node:
                case Assign(targets, values):
                    for value in values:
                        read(value, known)
                    known = None if known is None else known | set(targets)
                case If(test, then, orelse):
                    read(test, known)
                    known = both(block(then, known), block(orelse, known))
                case While(test, inner):
                    read(test, known)
                    block(inner, known)
                case For(name, over, inner):
                    read(over, known)
                    block(inner, None if known is None else known | {name})
                case Append(name, value, _):
                    read(value, known)
                    read(Var(name), known)
                case Return(value):
                    read(value, known)
                    known = None
                case Break() | Continue():
                    known = None
        return known

    block(sketch.body, frozenset(p.name for p in sketch.parameters))
    return frozenset(found)


def always_answers(sketch: Sketch) -> frozenset[str]:
    """The names that only ever stand for the private list itself, as `a` does after `a = q`."""
    given: dict[str, list[Expr | None]] = {}
    for node in walk(sketch.body):
        match node:
            case Assign(targets, values):
                for target, value in zip(targets, values, strict=True):
                    given.setdefault(target, []).append(value)
            case For(name, _, _):
                given.setdefault(name, []).append(None)
    q = sketch.private.name
    names = {q} | set(given)
    while True:
        kept = {name for name in names if all(isinstance(v, Var) and v.name in names for v in given.get(name, ()))}
        if kept == names:
            # Names that only stand for one another never got the list.
            return frozenset(kept) if q in kept else frozenset()
        names = kept
