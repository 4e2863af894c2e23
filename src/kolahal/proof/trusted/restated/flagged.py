"""Lists of flags of places, as lists of the places whose flag is set.

`used = [False for i in range(len(q))]`, and then again and again one more flag is set, by `used[best] = True` or by
`used = [used[i] or i == best for i in range(len(q))]`: used[i] is true if and only if i is one of the places that were set. So
setting a flag is `gone.append(best)`, and `used[i]`, in a turn of a loop over all places, is a search of gone for i, which is what
`i in gone` is lowered to. Proofs know how two runs agree on a list that grows, and not on a list that is made anew.

All that looks at the flags must be of these forms. A place that is assigned to is looked up in q, which is as long as used, so that
the same runs stop: first it is counted from the front, and one that is still below 0, `used[-7] = True` of three flags, is not
counted again. A search stops no run, so that it may stand in front of the statement that asks. A list that is made anew looks at
`best` only if there are flags; here best has a value in any case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.proof.trusted.restated.left_over import copied, is_own, name_for, times_in

ZERO, ONE = (ir.Const(Fraction(value)) for value in (0, 1))
NO, YES = ir.Const(False), ir.Const(True)


def without_flags(sketch: Sketch) -> Sketch:
    """The program without such lists; the program itself where there are none."""
    body, private = sketch.body, sketch.private.name
    changed = [part for part in ir.walk(body) if isinstance(part, ir.Append | ir.For) and part.name == private]
    if changed or private in ir.assigned_names(body):
        return sketch
    for place, node in enumerate(body):
        match node:
            case ir.Assign((name,), (ir.Comprehension(ir.Const(False), _, over),)) if _is_all(over, {private}, sketch):
                flags = _Flags(name, sketch)
                rest = flags.block(body[place + 1 :], frozenset())
                if name not in ir.names_in((body[:place], rest)) and rest != body[place + 1 :]:
                    gone = ir.Assign((flags.gone,), (ir.ListOf(()),), span=node.span)
                    return without_flags(replace(sketch, body=(*body[:place], gone, *rest)))
    return sketch


def _is_all(over: ir.Var | ir.Range, lists: set[str], sketch: Sketch) -> bool:
    """Whether these are all items, or all places, of one of some lists of equal length that does not change."""
    match over:
        case ir.Var(name):
            return name in lists
        case ir.Range(start, stop, step) if start == ZERO and step == ONE:
            return _is_length(stop, lists, sketch)
    return False


def _is_length(stop: ir.Expr, lists: set[str], sketch: Sketch) -> bool:
    match stop:
        case ir.Length(ir.Var(name)):
            return name in lists
        case ir.Var(name):  # n = len(q), at the top, and never anything else
            given = [value for target, value in ir.assignments(sketch.body) if target == name]
            bound = any(isinstance(part, ir.For | ir.Comprehension) and part.name == name for part in ir.walk(sketch.body))
            bound = bound or any(parameter.name == name for parameter in sketch.parameters)  # which it stands for until then
            length = ir.Length(ir.Var(sketch.private.name))
            return given == [length] and not bound and any(isinstance(n, ir.Assign) and name in n.targets for n in sketch.body)
    return False


class _Flags:
    """The statements behind the first one, without the list; where it stands in another form it stays, and nothing is changed."""

    def __init__(self, name: str, sketch: Sketch):
        self.name, self.sketch = name, sketch
        self.gone = name_for(name, sketch, "gone")
        self.lists = {name, sketch.private.name}
        self.asked = 0

    def block(self, body: ir.Block, places: frozenset[str]) -> ir.Block:
        return tuple(self.statements(body, places))

    def statements(self, body: ir.Block, places: frozenset[str]) -> Iterator[ir.Stmt]:
        """`places` are names that stand for a place of the list here."""
        at = 0
        while at < len(body):
            before = body[:at]
            if (found := self.assigned(body[at : at + 6])) is not None:
                yield from found
                at += 6
                continue
            length, place = self.made_anew(body[at : at + 3])
            if place is not None and any(place.name in node.targets for node in before if isinstance(node, ir.Assign)):
                yield ir.Append(self.gone, place, False, span=body[at].span)
                at += length
                continue
            yield from self.statement(body[at], places)
            at += 1

    def statement(self, node: ir.Stmt, places: frozenset[str]) -> Iterator[ir.Stmt]:
        match node:
            case ir.For(turn, over, inner):
                is_place = isinstance(over, ir.Range) and _is_all(over, self.lists, self.sketch) and is_own(turn, self.sketch)
                bound = {part.name for part in ir.walk(inner) if isinstance(part, ir.For)}  # by other loops, and left with their last item
                here = (places | {turn} if is_place else places - {turn}) - bound
                yield replace(node, over=self.lengths(over), body=self.block(inner, here))
            case ir.While(_, inner):
                yield replace(node, test=self.lengths(node.test), body=self.block(inner, places))
            case ir.If(test, then, orelse):
                searches, test = self.searched(test, places)
                yield from searches
                yield replace(node, test=test, then=self.block(then, places), orelse=self.block(orelse, places))
            case _:
                searches, node = self.searched(node, places)
                yield from searches
                yield node

    def lengths(self, node: ir.T) -> ir.T:
        """The same with the length of the private list in place of that of the flags."""
        length = ir.Length(ir.Var(self.name))
        return ir.rebuild(node, lambda part: ir.Length(ir.Var(self.sketch.private.name)) if part == length else None)

    def searched(self, node: ir.T, places: frozenset[str]) -> tuple[list[ir.Stmt], ir.T]:
        """What asks for flags, and the searches that answer; comprehensions have names of their own."""
        if any(isinstance(part, ir.Comprehension) and self.name in ir.names_in(part) for part in ir.walk(node)):
            return [], node
        found: dict[str, str] = {}

        def change(part: ir.Node) -> ir.Node | None:
            match part:
                case ir.Index(ir.Var(self.name), ir.Var(turn)) if turn in places:
                    stays = found.setdefault(turn, name_for(f"{self.name}_{self.asked}_{turn}", self.sketch, "stays"))
                    return ir.Not(ir.Var(stays))
                case ir.Not(ir.Not(ir.Var(word))) if word in found.values():
                    return ir.Var(word)
            return None

        changed = ir.rebuild(self.lengths(node), change)
        searches: list[ir.Stmt] = []
        for turn, stays in found.items():
            other = name_for(f"{self.name}_{self.asked}_{turn}", self.sketch, "other")
            same = ir.Not(ir.Binary("!=", ir.Var(turn), ir.Var(other)))
            search = ir.For(other, ir.Var(self.gone), (ir.If(same, (ir.Assign((stays,), (NO,)), ir.Break()), ()),))
            searches += [ir.Assign((stays,), (YES,)), search]
        self.asked += bool(found)
        return searches, changed

    def assigned(self, body: ir.Block) -> ir.Block | None:
        """What `used[e] = True` becomes, which is lowered to six statements."""
        match body:
            case (
                ir.Assign((place,), (_,)) as given,
                ir.Assign((old,), (ir.Index(ir.Var(self.name), ir.Var(at)),)) as looked,
                ir.If(ir.Binary("<", ir.Var(below), zero), (ir.Assign((risen,), (up,)),), ()) as turned,
                ir.Assign((made,), (ir.ListOf(()),)),
                ir.For(
                    turn,
                    ir.Range() as over,
                    (ir.If(ir.Binary("==", ir.Var(here), ir.Var(there)), (ir.Append(into, value, False),), (ir.Append(other, kept, False),)),),
                ),
                ir.Assign((self.name,), (again,)),
            ) if (
                at == below == risen == there == place
                and zero == ZERO
                and up == ir.Binary("+", ir.Var(place), ir.Length(ir.Var(self.name)))
                and _is_all(over, {self.name}, self.sketch)
                and here == turn
                and into == other == made == copied(again)
                and value == YES
                and kept == ir.Index(ir.Var(self.name), ir.Var(turn))
                and times_in(self.sketch.body, made) == 4
                and times_in(self.sketch.body, old) == 1
                and len({place, old, made, turn, self.name}) == 5
                and is_own(turn, self.sketch)
                and self.name not in ir.names_in(given)
            ):
                private, found = ir.Var(self.sketch.private.name), ir.Var(place)
                far = ir.Index(private, ir.Binary("-", found, ir.Length(private)), span=looked.span)
                too_low = replace(turned, then=(replace(looked, values=(far,)),))  # a place before all is no place behind them
                looked = replace(looked, values=(ir.Index(private, found, span=looked.span),))
                return given, self.lengths(turned), too_low, looked, ir.Append(self.gone, found, False, span=given.span)
        return None

    def made_anew(self, body: ir.Block) -> tuple[int, ir.Var | None]:
        """How many statements make the list anew with one more flag, and the place of that."""
        match body:
            case (ir.Assign((self.name,), (ir.Comprehension(item, turn, over),)), *_) if _is_all(over, self.lists, self.sketch):
                return 1, self.one_more(item, turn, ir.Index(ir.Var(self.name), ir.Var(turn))) if isinstance(over, ir.Range) else None
            case (
                ir.Assign((made,), (ir.ListOf(()),)),
                ir.For(turn, ir.Range() as over, (ir.Assign((flag,), (read,)), ir.Append(into, item, False))),
                ir.Assign((self.name,), (again,)),
            ) if into == made == copied(again) and _is_all(over, self.lists, self.sketch) and is_own(turn, self.sketch):
                alone = times_in(self.sketch.body, made) == 3 and times_in(self.sketch.body, flag) == 2
                fits = alone and read == ir.Index(ir.Var(self.name), ir.Var(turn)) and len({made, turn, flag, self.name}) == 4
                return 3, self.one_more(item, turn, ir.Var(flag)) if fits else None
        return 0, None

    def one_more(self, item: ir.Expr, turn: str, flag: ir.Expr) -> ir.Var | None:
        """The place whose flag is set, where an item is `used[i] or i == best`."""
        match item:
            case ir.Binary("or", one, two):
                test = two if one == flag else one if two == flag else None
                match test:
                    case ir.Binary("==", ir.Var(left), ir.Var(right)):
                        place = right if left == turn else left if right == turn else turn
                        return ir.Var(place) if place not in (turn, self.name) and ir.Var(place) != flag else None
        return None
