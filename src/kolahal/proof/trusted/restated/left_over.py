"""Lists of the places that are left, as lists of those that are gone.

`left = [i for i in range(len(q))]`, and then again and again `left = [i for i in left if i != best]`: left is at all times
range(len(q)) without the places that were taken out, in their order. So `for i in left: …` is `for i in range(len(q)):` with
`if i not in gone: …` inside, where gone has a place appended where it is taken out of left. No place is in a range twice, and that is
what proofs know of ranges and not of lists. Turns of a loop are counted differently, so draws are other draws of the same kind, one
for each place that is left, as before.

All that looks at left must be of these forms; no loop over left takes a place out; nothing looks at a loop's name behind it; and what
is taken out has a value, also where nothing is left that it would be compared with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch

NONE_YET = ir.ListOf(())


def without_left(sketch: Sketch) -> Sketch:
    """The program without such lists; the program itself where there are none."""
    body = sketch.body
    for place in range(len(body)):
        found = _all_listed(body[place : place + 2], sketch)
        if found is None:
            continue
        name, places, length = found
        rest = body[place + length :]
        changed = _Change(name, places, sketch).block(rest)
        if name not in ir.names_in((body[:place], changed)) and changed != rest:
            gone = ir.Assign((name_for(name, sketch),), (NONE_YET,), span=body[place].span)
            return without_left(replace(sketch, body=(*body[:place], gone, *changed)))
    return sketch


def _all_listed(body: ir.Block, sketch: Sketch) -> tuple[str, ir.Range, int] | None:
    """The name that gets a list of all places at the start of a block, the places, and how many statements that takes."""
    match body:
        case (ir.Assign((name,), (ir.Comprehension(ir.Var(item), turn, ir.Range() as places),)), *_) if item == turn:
            return (name, places, 1) if _is_all(places, sketch) else None
        case (ir.Assign((name,), (ir.ListOf(()),)), ir.For(turn, ir.Range() as places, (ir.Append(into, ir.Var(item), False),))):
            filled = into == name and item == turn and is_own(turn, sketch)
            return (name, places, 2) if filled and _is_all(places, sketch) else None
    return None


def _is_all(places: ir.Range, sketch: Sketch) -> bool:
    """Whether these are all places of the private list, whenever that is asked."""
    private = sketch.private.name
    all_places = ir.Range(ir.Const(Fraction(0)), ir.Length(ir.Var(private)), ir.Const(Fraction(1)))
    appended = any(isinstance(node, ir.Append) and node.name == private for node in ir.walk(sketch.body))
    return places == all_places and private not in ir.assigned_names(sketch.body) and not appended


def times_in(node: object, name: str) -> int:
    """How often a name stands in a part."""
    return sum(_mentions(part, name) for part in ir.walk(node))


def _mentions(part: ir.Node, name: str) -> int:
    match part:
        case ir.Var(own) | ir.For(own) | ir.Comprehension(name=own) | ir.Append(own):
            return own == name
        case ir.Assign(targets):
            return targets.count(name)
    return 0


def name_for(name: str, sketch: Sketch, kind: str = "gone") -> str:
    """A name that the program does not have."""
    taken = ir.names_in(sketch.body) | {p.name for p in sketch.parameters}
    word = f"{kind}_{name}"
    while word in taken:
        word += "_"
    return word


class _Change:
    """The statements behind the first one, without a name; where it stands in another form it stays, and nothing is changed."""

    def __init__(self, name: str, places: ir.Range, sketch: Sketch):
        self.name, self.places, self.sketch = name, places, sketch
        self.gone = name_for(name, sketch)

    def block(self, body: ir.Block) -> ir.Block:
        return tuple(self.statements(body))

    def statements(self, body: ir.Block) -> Iterator[ir.Stmt]:
        at = 0
        while at < len(body):
            taken = self.taken_out(body[at : at + 3])
            if taken is not None and any(taken.name in node.targets for node in body[:at] if isinstance(node, ir.Assign)):
                yield ir.Append(self.gone, taken, False, span=body[at].span)
                at += 3
                continue
            node = body[at]
            at += 1
            match node:
                case ir.For(turn, ir.Var(self.name), inner) if self.name not in ir.names_in(inner) and is_own(turn, self.sketch):
                    yield self.loop(node, turn, inner)
                case ir.For() | ir.While():
                    yield replace(node, body=self.block(node.body))
                case ir.If(_, then, orelse):
                    yield replace(node, then=self.block(then), orelse=self.block(orelse))
                case _:
                    yield node

    def taken_out(self, body: ir.Block) -> ir.Var | None:
        """The place that three statements take out: those that `[i for i in left if i != best]` is lowered to."""
        match body:
            case (
                ir.Assign((made,), (ir.ListOf(()),)),
                ir.For(turn, over, (ir.If(test, (ir.Append(into, kept, False),), ()),)),
                ir.Assign((given,), (value,)),
            ) if over == ir.Var(self.name) and given == self.name and into == made and kept == ir.Var(turn) and copied(value) == made:
                out = _unlike(test, turn)
                if out is None or out.name in (turn, made, self.name) or not is_own(turn, self.sketch):
                    return None
                return out if times_in(self.sketch.body, made) == 3 else None  # nothing else looks at the new list
        return None

    def loop(self, node: ir.For, turn: str, inner: ir.Block) -> ir.For:
        here = f"{self.name}_{turn}"
        stays, other = name_for(here, self.sketch, "stays"), name_for(here, self.sketch, "other")
        is_other = ir.Not(ir.Binary("!=", ir.Var(turn), ir.Var(other)))
        found = (ir.Assign((stays,), (ir.Const(False),)), ir.Break())
        search = ir.For(other, ir.Var(self.gone), (ir.If(is_other, found, ()),), span=node.span)
        first = ir.Assign((stays,), (ir.Const(True),), span=node.span)
        return ir.For(turn, self.places, (first, search, ir.If(ir.Var(stays), inner, (), span=node.span)), span=node.span)


def copied(value: ir.Expr) -> str:
    """The name of the list that a value is a copy of."""
    match value:
        case ir.Comprehension(ir.Var(item), turn, ir.Var(name)) if item == turn and name != turn:
            return name
    return ""


def _unlike(test: ir.Expr, turn: str) -> ir.Var | None:
    """What a turn's item must not be equal to."""
    match test:
        case ir.Binary("!=", ir.Var() as one, ir.Var() as other) | ir.Not(ir.Binary("==", ir.Var() as one, ir.Var() as other)):
            return other if one.name == turn else one if other.name == turn else None
    return None


def is_own(turn: str, sketch: Sketch) -> bool:
    """Whether nothing but loops that bind it looks at a name."""
    assigned = any(turn in part.targets for part in ir.walk(sketch.body) if isinstance(part, ir.Assign))
    return not assigned and not _looks(sketch.body, turn)


def _looks(node: object, name: str) -> bool:
    """Whether a name is read where no loop or comprehension around it binds it."""
    match node:
        case ir.For(own, over, inner):
            return _looks(over, name) or (own != name and _looks(inner, name))
        case ir.Comprehension(item, own, over):
            return _looks(over, name) or (own != name and _looks(item, name))
        case ir.Var(own):
            return own == name
        case tuple():
            return any(_looks(part, name) for part in node)
        case ir.Node():
            return any(_looks(getattr(node, part), name) for part in node.__dataclass_fields__ if part != "span")
    return False

