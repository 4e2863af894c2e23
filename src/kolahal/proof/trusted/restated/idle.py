"""The program without loops that nothing depends on.

A statement is needed if it answers, may stop the run or never end, or gives a value to a name that something needed reads; what it
reads itself is needed then. The rest is idle and never shows: it computes values that nobody looks at, always ends, and stops no run.
Idle loops are left out, and what looks at what they give. Their noise integrates to 1, and is drawn once under a name of its own, so
that every draw of the text keeps its place in proofs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.kinds import LIST, NONE, NUMERIC, WHOLES, Types, infer
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch

NameSet = frozenset[str]
ENDS = (ir.Const(Fraction(0)), ir.Const(Fraction(-1)), ir.Negate(ir.Const(Fraction(1))))


def without_idle(sketch: Sketch) -> Sketch:
    """The program without idle loops; the program itself if it has none."""
    found = _Idle(sketch)
    body = found.kept(sketch.body)
    return sketch if body == sketch.body else replace(sketch, body=body)


class _Idle:
    def __init__(self, sketch: Sketch):
        self.types: Types = infer(sketch)
        self.private = sketch.private.name
        given = [value for target, value in ir.assignments(sketch.body) if target == self.private]
        grows = any(isinstance(n, ir.Append | ir.For) and n.name == self.private for n in ir.walk(sketch.body))
        as_long = all(isinstance(value, ir.Comprehension) and value.over == ir.Var(self.private) for value in given)
        self.has_ends = as_long and not grows  # whether the private list has a first item and a last, as no run is asked about without answers
        self.unsafe: set[int] = set()  # statements, by identity, that may stop a run before what is inside them begins
        self.block(sketch.body, frozenset(p.name for p in sketch.parameters), {})
        self.needed: NameSet = frozenset()
        while (more := self.needed | self.read(sketch.body)) != self.needed:
            self.needed = more
        self.gone: NameSet = frozenset()
        while (more := self.gone | self.given_up(sketch.body)) != self.gone:
            self.gone = more

    # ---- what may stop a run

    def block(self, body: ir.Block, given: NameSet, inside: dict[str, str]) -> NameSet:
        """Note what may stop a run in a block, where the names in `given` have values; the names that have one behind it.
        The values of the names `inside` are places of lists."""
        for node in body:
            match node:
                case ir.Assign(targets, values):
                    self.note(node, all(self.is_safe(value, given, inside) for value in values))
                    given |= set(targets)
                case ir.Append(name, value):
                    self.note(node, self.is_listed(ir.Var(name), given, inside) and self.is_safe(value, given, inside))
                case ir.If(test, then, orelse):
                    self.note(node, self.is_safe(test, given, inside))
                    given |= self.block(then, given, inside) & self.block(orelse, given, inside)
                case ir.For(name, over, inner):
                    own = ir.changed_names(inner)
                    self.note(node, self.is_listed(over, given, inside) and not (isinstance(over, ir.Var) and over.name in own))
                    places = {i: of for i, of in inside.items() if not {i, of} & (own | {name})}
                    if (of := _place_of(over)) is not None and not {name, of} & own:
                        places[name] = of
                    self.block(inner, given | {name}, places)
                case ir.While(_, inner):
                    self.note(node, False)
                    self.block(inner, given, {})
                case ir.Return():
                    self.note(node, False)
        return given

    def note(self, node: ir.Stmt, safe: bool) -> None:
        if not safe:
            self.unsafe.add(id(node))

    def is_safe(self, expr: ir.Expr, given: NameSet, inside: dict[str, str], known: NameSet = frozenset()) -> bool:
        """Whether computing an expression stops no run; the names in `known` are not None here."""
        match expr:
            case ir.Query():
                return False
            case ir.Const():
                return True
            case ir.Var(name) | ir.Length(ir.Var(name)):
                return name in given
            case ir.Draw(of=None, scale=size):
                return isinstance(size, Scale)
            case ir.Index(ir.Var(name), at):
                at_end = name == self.private and self.has_ends and at in ENDS
                return name in given and (at_end or (isinstance(at, ir.Var) and inside.get(at.name) == name))
            case ir.Not(of) | ir.IsNone(of):
                return self.is_safe(of, given, inside, known)
            case ir.Negate(of):
                return self.is_number(of, given, inside, known)
            case ir.Call(_, arguments):
                return all(self.is_number(part, given, inside, known) for part in arguments)
            case ir.Binary("and" | "or" as op, left, right):
                more = known | set(_compared_with_none(left, op == "or"))
                return self.is_safe(left, given, inside, known) and self.is_safe(right, given, inside, more)
            case ir.Binary("==" | "!=", left, right):
                lists = LIST in self.types.of(left) | self.types.of(right)
                return not lists and all(self.is_safe(part, given, inside, known) for part in (left, right))
            case ir.Binary("/" | "//" | "%", left, ir.Const(value=Fraction() as divisor)):
                return divisor != 0 and self.is_number(left, given, inside, known)
            case ir.Binary("+" | "-" | "*" | "<" | "<=" | ">" | ">=", left, right):
                return all(self.is_number(part, given, inside, known) for part in (left, right))
            case ir.ListOf(items):
                return all(self.is_safe(item, given, inside, known) for item in items)
            case ir.Comprehension(item, name, over):
                places = {i: listed for i, listed in inside.items() if i != name}
                if (listed := _place_of(over)) is not None and listed != name:
                    places[name] = listed
                inner = self.types
                self.types = inner.inside(name, over)
                safe = self.is_safe(item, given | {name}, places)
                self.types = inner
                nested = any(isinstance(part, ir.Comprehension) for part in ir.walk(item))
                return safe and not nested and self.is_listed(over, given, inside)
            case _:
                return False

    def is_number(self, expr: ir.Expr, given: NameSet, inside: dict[str, str], known: NameSet) -> bool:
        """Whether an expression is surely a number, and computing it stops no run."""
        kinds = self.types.of(expr)
        sure = bool(kinds) and (kinds <= NUMERIC or (isinstance(expr, ir.Var) and expr.name in known and kinds <= NUMERIC | {NONE}))
        return sure and self.is_safe(expr, given, inside, known)

    def is_listed(self, over: ir.Var | ir.Range, given: NameSet, inside: dict[str, str]) -> bool:
        """Whether a loop can run over something."""
        if isinstance(over, ir.Var):
            return over.name in given and self.types.of(over) == {LIST}
        step = over.step.of if isinstance(over.step, ir.Negate) else over.step
        whole = all(self.types.of(part) == WHOLES for part in (over.start, over.stop))
        fixed = isinstance(step, ir.Const) and isinstance(step.value, Fraction) and step.value != 0 and step.value.denominator == 1
        return whole and fixed and all(self.is_number(part, given, inside, frozenset()) for part in (over.start, over.stop))

    # ---- what is needed

    def is_needed(self, node: ir.Stmt) -> bool:
        """Whether a statement does more than jump in its loop, and that is needed."""
        if id(node) in self.unsafe:
            return True
        match node:
            case ir.Assign(targets):
                return bool(self.needed & set(targets))
            case ir.Append(name):
                return name in self.needed
            case ir.If(_, then, orelse):
                return any(map(self.is_needed, (*then, *orelse)))
            case ir.For(name, _, body):
                return name in self.needed or any(map(self.is_needed, body))
            case _:
                return False

    def stays(self, node: ir.Stmt) -> bool:
        """The same in a block that is needed, where jumps are needed too."""
        jumps = isinstance(node, ir.If) and any(map(self.stays, (*node.then, *node.orelse)))
        return jumps or isinstance(node, ir.Break | ir.Continue) or self.is_needed(node)

    def read(self, body: ir.Block) -> NameSet:
        """The names that the statements read that stay."""
        found: set[str] = set()
        for node in filter(self.stays, body):
            match node:
                case ir.If(test, then, orelse):
                    found |= _read(test) | self.read(then) | self.read(orelse)
                case ir.For(name, over, inner):
                    own = set() if name in ir.assigned_names(inner) else {name}
                    found |= _read(over) | self.read(inner) - own
                case ir.While(test, inner):
                    found |= _read(test) | self.read(inner)
                case _:
                    found |= _read(node)
        return frozenset(found)

    def is_left_out(self, node: ir.Stmt) -> bool:
        """Whether a statement is idle, and holds a loop, or reads what is given in one that is left out."""
        return not self.stays(node) and (any(isinstance(part, ir.For) for part in ir.walk(node)) or bool(_read(node) & self.gone))

    def given_up(self, body: ir.Block) -> NameSet:
        """The names that statements that are left out give something."""
        found: set[str] = set()
        for node in body:
            if self.is_left_out(node):
                found |= ir.changed_names((node,))
            else:
                found |= frozenset().union(*(self.given_up(inner) for inner in _blocks(node)))
        return frozenset(found)

    def kept(self, body: ir.Block) -> ir.Block:
        result: list[ir.Stmt] = []
        for node in body:
            if self.is_left_out(node):
                result += _drawn(node)
            else:
                result.append(ir.with_blocks(node, self.kept))
        return tuple(result)


def _blocks(node: ir.Stmt) -> tuple[ir.Block, ...]:
    match node:
        case ir.If(_, then, orelse):
            return then, orelse
        case ir.For(_, _, body) | ir.While(_, body):
            return (body,)
        case _:
            return ()


def _drawn(node: ir.Stmt) -> Iterator[ir.Stmt]:
    """The noise of a statement, each draw once, for nobody."""
    for draw in ir.walk(node):
        if isinstance(draw, ir.Draw):
            yield ir.Assign((f"idle'{draw.site}",), (draw,), span=node.span)


def _read(node: object) -> set[str]:
    """The names that a part reads; what a comprehension calls its items is no name outside of it."""
    counts = Counter(part.name for part in ir.walk(node) if isinstance(part, ir.Var | ir.Append))
    for part in ir.walk(node):
        if isinstance(part, ir.Comprehension) and not any(isinstance(inner, ir.Comprehension) for inner in ir.walk(part.item)):
            counts[part.name] -= sum(inner == ir.Var(part.name) for inner in ir.walk(part.item))
    return {name for name, count in counts.items() if count}


def _place_of(over: ir.Var | ir.Range) -> str | None:
    """The list whose places a range stays within."""
    match over:
        case ir.Range(ir.Const(value=Fraction() as start), ir.Length(ir.Var(name)), ir.Const(value=Fraction() as step)):
            return name if start >= 0 and step > 0 else None
        case _:
            return None


def _compared_with_none(test: ir.Expr, is_none: bool) -> Iterator[str]:
    """The name that is not None where a test `name is None` is false, or its denial true."""
    match test:
        case ir.IsNone(ir.Var(name)) if is_none:
            yield name
        case ir.Not(ir.IsNone(ir.Var(name))) if not is_none:
            yield name
