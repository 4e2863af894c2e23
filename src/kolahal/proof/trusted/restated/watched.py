"""Programs that also note where the values of some of their names come from.

A mechanism that keeps the least and the largest of its noisy values has no name for where they stood, and a proof sorts runs by
that. So the name `least` is *watched*: a name of our own, `least'at`, gets the place of the turn wherever `least` is given a value.
Of values that tie the first counts, or the last: then the place is noted wherever a value is compared with `least`, is the same,
and would be taken if it were beyond it. What is put in gives values to names of ours alone, and looks at nothing that may stop a
run: so the output is that of the program as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass
from kolahal.proof.trusted.restated.set_aside import summands

COMPARED = ("<", "<=", ">", ">=")
ZERO, ONE = (ir.Const(Fraction(number)) for number in (0, 1))
NOWHERE = ir.Const(Fraction(-1))


@dataclass(frozen=True, slots=True)
class Followed:
    """A name whose values are followed to their places; of equal ones to the `last`, or to the first."""

    name: str
    last: bool = False

    @property
    def place(self) -> str:
        return place_of(self.name)


def place_of(name: str) -> str:
    return f"{name}'at"  # no Python name, so it hides nothing


def watched(sketch: Sketch, watches: tuple[Followed, ...]) -> Sketch:
    """The program that notes the places of the values of some names."""
    if not watches:
        return sketch
    body = _in_places(_compared(_one_by_one(sketch.body), frozenset(watch.name for watch in watches)))
    for watch in watches:
        body = _noted(body, watch, None)
        body = (ir.Assign((watch.place,), (NOWHERE,)), *body)
    return replace(sketch, body=body)


def extremes(sketch: Sketch) -> tuple[str, ...]:
    """The names that are given a value where it is beyond their own, and that are compared elsewhere too."""
    names = ir.assigned_names(sketch.body)
    body = _compared(_one_by_one(sketch.body), names)
    found: dict[str, None] = {}
    for node in ir.walk(tuple(node.body for node in ir.walk(body) if isinstance(node, ir.For | ir.While))):
        if isinstance(node, ir.If):
            found |= dict.fromkeys(name for name in names if any(_taken(node, name)))
    tests = [node.test for node in ir.walk(body) if isinstance(node, ir.If | ir.While)]
    tests += [value for _, value in ir.assignments(body) if isinstance(value, ir.Binary | ir.Not)]
    own = {id(node.test): name for node in ir.walk(body) if isinstance(node, ir.If) for name in found if any(_taken(node, name))}
    return tuple(name for name in found if any(own.get(id(test)) != name and ir.Var(name) in ir.walk(test) for test in tests))


def _one_by_one(body: ir.Block) -> ir.Block:
    """`a, b = x, y` as two statements, where y does not look at a."""

    def change(node: ir.Stmt) -> ir.Block | None:
        match node:
            case ir.Assign((name, *names), (value, *values)) if names and not any(part == ir.Var(name) for part in ir.walk(tuple(values))):
                return ir.Assign((name,), (value,), span=node.span), ir.Assign(tuple(names), tuple(values), span=node.span)
            case _:
                return None

    parted = ir.replaced(body, change)
    return parted if parted == body else _one_by_one(parted)


def _compared(body: ir.Block, names: frozenset[str]) -> ir.Block:
    """`least = min(least, r)` as `if r < least: least = r`."""

    def change(node: ir.Stmt) -> ir.Block | None:
        match node:
            case ir.Assign((name,), (ir.Call("min" | "max" as which, (one, two)),)) if name in names and ir.Var(name) in (one, two):
                value = two if one == ir.Var(name) else one
                new = f"{name}'new"
                taken = ir.Assign((name,), (ir.Var(new),), span=node.span)
                test = ir.Binary("<" if which == "min" else ">", ir.Var(new), ir.Var(name), span=node.span)
                return ir.Assign((new,), (value,), span=node.span), ir.If(test, (taken,), (), span=node.span)
            case _:
                return None

    return ir.replaced(body, change)


def _in_places(body: ir.Block) -> ir.Block:
    """`for x in xs` as a loop over the places of xs, where its turns leave xs as it is."""

    def change(node: ir.Stmt) -> ir.Block | None:
        match node:
            case ir.For(name, ir.Var(items) as over, inner) if items != name and items not in ir.changed_names(inner):
                place = f"{name}'place"
                item = ir.Assign((name,), (ir.Index(over, ir.Var(place)),), span=node.span)
                return (ir.For(place, ir.Range(ZERO, ir.Length(over), ONE), (item, *inner), span=node.span),)
            case _:
                return None

    return ir.replaced(body, change)


def _noted(body: ir.Block, watch: Followed, place: ir.Expr | None) -> ir.Block:
    """The block with what notes the places; `place` is the one that was looked at last."""
    result: list[ir.Stmt] = []
    for node in body:
        place = next(_looked_at(node), place) if isinstance(node, ir.Assign) else place
        note = ir.Assign((watch.place,), (place or NOWHERE,), span=node.span)
        match node:
            case ir.Assign(targets) if watch.name in targets:
                result += [node, note]
            case ir.If(test, then, orelse):
                inside = next(_looked_at(test), place)
                then, orelse = (_noted(way, watch, inside) for way in (then, orelse))
                ties = (ir.If(ir.Binary("==", taken, ir.Var(watch.name)), (note,), ()) for taken in _taken(node, watch.name)) if watch.last else ()
                if _is_strict(node, watch.name):  # of what ties the other way is taken
                    orelse = (*ties, *orelse)
                    ties = ()
                result += [*ties, replace(node, then=then, orelse=orelse)]
            case ir.For(name):
                own = ir.Var(name) if isinstance(node.over, ir.Range) else None
                result.append(replace(node, body=_noted(node.body, watch, own)))
            case ir.While():
                result.append(replace(node, body=_noted(node.body, watch, next(_looked_at(node.body), None))))
            case _:
                result.append(node)
    return tuple(result)


def _is_strict(node: ir.If, name: str) -> bool:
    """Whether a condition is one strict comparison, whose name is given a value where it holds."""
    strict = isinstance(node.test, ir.Binary) and node.test.op in ("<", ">")
    return strict and name in (target for target, _ in ir.assignments(node.then))


def _taken(node: ir.If, name: str) -> Iterator[ir.Var]:
    """The names that a condition compares a name with, and that this name may be given there."""
    given = [value for way in (node.then, node.orelse) for target, value in ir.assignments(way) if target == name]
    for part in ir.walk(node.test):
        if isinstance(part, ir.Binary) and part.op in COMPARED:
            weights = Counter[ir.Expr]()
            for minus, term in summands(ir.Binary("-", part.left, part.right)):
                weights[term] += -1 if minus else 1
            terms = [term for term, weight in weights.items() if weight and term != ZERO]
            if ir.Var(name) in terms and len(terms) == 2 and not sum(weights[term] for term in terms):
                (other,) = (term for term in terms if term != ir.Var(name))
                if isinstance(other, ir.Var) and other in given:
                    yield other


def _looked_at(node: object) -> Iterator[ir.Expr]:
    """The places that a part looks at, where they are plain; what a comprehension counts with is known to nobody else."""
    own = {part.name for part in ir.walk(node) if isinstance(part, ir.Comprehension)}
    for part in ir.walk(node):
        if not isinstance(part, ir.Index) or ir.names_read(part.at) & own:
            continue
        if all(isinstance(inner, ir.Var | ir.Const | ir.Binary) for inner in ir.walk(part.at)):
            yield part.at
