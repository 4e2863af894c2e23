"""The program without loops of a few turns that add up what stands near a place, such as windows.

*Ends of slices.* `end = i + 3` and then `if end < 0: …` is `end = i + 3`, if i counts up from 0 or more in a loop that never
changes it: the condition never holds. A name that is given a value once, and is read for where the next loop begins and ends
alone, is put there.

*Short loops.* `for j in range(i - 3, i + 1): s = s + q[j]` is four statements, if there is a fixed number of turns, the loop does
arithmetic and nothing else, changes no name that says where it begins, and nobody else reads j. Where it may end sooner,
`range(i, min(i + 3, len(q)))`, each turn asks whether it is to be: so many of the first turns are. The same values are computed in
the same order from the same names, so that the same runs stop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias, TypeVar

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch

MOST_TURNS = 8
ONE = ir.Const(Fraction(1))
PlaceSum: TypeAlias = Mapping[str, Fraction]  # of names, and of "" for the number


def unrolled(sketch: Sketch) -> Sketch:
    """The program in this form; the program itself where there is nothing to do."""
    unrolling = _Unrolling(sketch.body)
    body = unrolling.block(_without_ends(sketch.body, frozenset()))
    return replace(sketch, body=body) if unrolling.done else sketch


# ---------------------------------------------------------------- ends of slices


def _without_ends(body: ir.Block, counters: frozenset[str]) -> ir.Block:
    """A block without conditions that a place is below 0; `counters` are names that are 0 or more in it, and not changed."""
    found: list[ir.Stmt] = []
    for node in body:
        match node:
            case ir.For(name, over, inner):
                own = frozenset({name} if isinstance(over, ir.Range) and counts_up(over) and name not in ir.assigned_names(inner) else ())
                found.append(replace(node, body=_without_ends(inner, counters | own)))
            case ir.While(_, inner):
                found.append(replace(node, body=_without_ends(inner, counters)))
            case ir.If(ir.Binary("<", ir.Var(end), ir.Const(low)), then, ()) if low == 0 and found and _ends_at(found[-1], end, counters) and not _draws(then):
                continue
            case ir.If(_, then, orelse):
                found.append(replace(node, then=_without_ends(then, counters), orelse=_without_ends(orelse, counters)))
            case _:
                found.append(node)
    return _put_into_ranges(tuple(found))


def counts_up(over: ir.Range) -> bool:
    """Whether a range begins at a number of 0 or more and goes up."""
    return all(isinstance(end, ir.Const) and isinstance(end.value, Fraction) and end.value >= 0 for end in (over.start, over.step))


def _ends_at(before: ir.Stmt, end: str, counters: frozenset[str]) -> bool:
    """Whether a statement gives a name a value that is never below 0."""
    match before:
        case ir.Assign((name,), (value,)) if name == end:
            return is_never_below_0(value, counters)
        case _:
            return False


def is_never_below_0(value: ir.Expr, counters: frozenset[str]) -> bool:
    """Whether a value is a sum of a number of 0 or more and names that are so."""
    total = _sum_of(value)
    return total is not None and all(name in counters | {""} and times >= 0 for name, times in total.items())


def _put_into_ranges(body: ir.Block) -> ir.Block:
    """Statements in which ends that have a name stand in the range behind them; who else reads that name keeps its value."""
    found: list[ir.Stmt] = list(body)
    for at, node in enumerate(found):
        if not isinstance(node, ir.For) or not isinstance(node.over, ir.Range):
            continue
        ends: dict[str, ir.Expr] = {}
        for before in reversed(found[:at]):
            match before:
                case ir.Assign((name,), (value,)) if name not in ends and (total := _sum_of(value)) is not None and not {*total} & {name, *ends}:
                    ends[name] = value
                case _:
                    break
        found[at] = replace(node, over=_with(node.over, ends))
    return tuple(found)


N = TypeVar("N", ir.Range, ir.Block)


def _with(node: N, values: Mapping[str, ir.Expr]) -> N:
    """The same with values in place of names."""
    return ir.rebuild(node, lambda part: values.get(part.name) if isinstance(part, ir.Var) else None)


# ---------------------------------------------------------------- short loops


class _Unrolling:
    def __init__(self, body: ir.Block):
        self.reads = [node.name for node in ir.walk(body) if isinstance(node, ir.Var)]
        self.done = False

    def block(self, body: ir.Block, inside: bool = False) -> ir.Block:
        found: list[ir.Stmt] = []
        for node in body:
            match node:
                case ir.For() if inside and (turns := self.turns(node)) is not None:
                    found += turns
                    self.done = True
                case ir.For() | ir.While():
                    found.append(replace(node, body=self.block(node.body, inside=True)))
                case ir.If():
                    found.append(replace(node, then=self.block(node.then, inside), orelse=self.block(node.orelse, inside)))
                case _:
                    found.append(node)
        return tuple(found)

    def turns(self, loop: ir.For) -> list[ir.Stmt] | None:
        """The turns of a short loop as statements."""
        own = [node.name for node in ir.walk(loop.body) if isinstance(node, ir.Var)].count(loop.name)
        if not isinstance(loop.over, ir.Range) or loop.over.step != ONE or not own or self.reads.count(loop.name) != own:
            return None  # where no turn reads its place, it would not be computed, and might have stopped the run
        many, last = _turns_of(loop.over)
        read = {node.name for node in ir.walk(loop.over) if isinstance(node, ir.Var)} | {loop.name}
        if many is None or read & ir.assigned_names(loop.body):
            return None
        if many == 1 and last is None and isinstance(loop.over.start, ir.Var):
            return None  # no turn computes with its place, which may be None and would have stopped the run
        if not all(isinstance(s, ir.Assign) and all(map(_is_plain, s.values)) for s in loop.body):
            return None
        found: list[ir.Stmt] = []
        for turn in range(many):
            place = _plus(loop.over.start, turn)
            body = _with(loop.body, {loop.name: place})
            found += body if last is None else [ir.If(ir.Binary("<", place, last, span=loop.span), body, (), span=loop.span)]
        return found


def _turns_of(over: ir.Range) -> tuple[int | None, ir.Expr | None]:
    """How many turns there are at most, and where they end at the latest, if that may be sooner; None if it is not known."""
    match over.stop:
        case ir.Call("min", (stop, ir.Length() as last)) | ir.Call("min", (ir.Length() as last, stop)):
            return _apart(over.start, stop), last
        case stop:
            return _apart(over.start, stop), None


def _apart(start: ir.Expr, stop: ir.Expr) -> int | None:
    """By how much one place is behind another, if they are made of the same names and that is a small number."""
    first, last = _sum_of(start), _sum_of(stop)
    if first is None or last is None or {**first, "": 0} != {**last, "": 0} or not {*first} - {""}:
        return None
    many = last.get("", Fraction(0)) - first.get("", Fraction(0))
    return int(many) if many.denominator == 1 and 0 < many <= MOST_TURNS else None


def _sum_of(place: ir.Expr) -> PlaceSum | None:
    """A place as a sum of names and a number; None if it is made of anything else, or of a name twice."""
    match place:
        case ir.Const(value) if isinstance(value, Fraction):
            return {"": value}
        case ir.Var(name):
            return {name: Fraction(1)}
        case ir.Binary("+" | "-" as op, left, ir.Const(value)) if isinstance(value, Fraction):
            inner = _sum_of(left)
            return None if inner is None else {**inner, "": inner.get("", Fraction(0)) + (value if op == "+" else -value)}
        case ir.Binary("+", ir.Const() as number, right):
            return _sum_of(ir.Binary("+", right, number))
        case _:
            return None


def _plus(place: ir.Expr, turn: int) -> ir.Expr:
    return place if turn == 0 else ir.Binary("+", place, ir.Const(Fraction(turn), span=place.span), span=place.span)


def _draws(body: ir.Block) -> bool:
    """Whether there is noise, every draw of which keeps its place in proofs."""
    return any(isinstance(node, ir.Draw) for node in ir.walk(body))


def _is_plain(value: ir.Expr) -> bool:
    """Whether an expression is arithmetic on numbers, items and names alone."""
    plain = ir.Const | ir.Var | ir.Index | ir.Negate
    return all((isinstance(node, plain) and not isinstance(node, ir.Query)) or _is_arithmetic(node) for node in ir.walk(value))


def _is_arithmetic(node: ir.Node) -> bool:
    return isinstance(node, ir.Binary) and node.op in ("+", "-", "*", "/", "//", "%")
