"""Which values of a program depend on private data: by what they are computed from, and by whether they are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields

from kolahal.lang import ir
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass


@dataclass(slots=True)
class Flow:
    """Names that depend on private data, whatever the order in which statements run. Ask `of` after `find_flow`."""

    noise: bool  # whether noise counts as private data
    control: bool  # whether what is assigned under a private condition depends on it
    covered: frozenset[tuple[int, int]]  # statements, by identity, and places in them, whose values do not count
    names: set[str] = field(default_factory=set)  # numbers, truth values, and lists with such items
    lengths: set[str] = field(default_factory=set)  # lists whose length depends
    controlled: list[ir.Node] = field(default_factory=list)  # statements under a private condition

    def of(self, expr: ir.Expr | ir.Range) -> bool:
        """Whether the value of an expression depends on private data."""
        match expr:
            case ir.Var(name):
                return name in self.names
            case ir.Length(of):
                return of.name in self.lengths
            case ir.Draw(of=of):
                return self.noise or (of is not None and self.of(of))
            case _:
                parts = [getattr(expr, f.name) for f in fields(expr) if f.name != "span"]
                flat = [item for part in parts for item in (part if isinstance(part, tuple) else [part])]
                return any(self.of(part) for part in flat if isinstance(part, ir.Node))  # type: ignore[arg-type]

    def learn(self, name: str, depends: bool) -> None:
        if depends:
            self.names.add(name)

    def expressions(self, *exprs: ir.Expr | ir.Range) -> None:
        """Learn the names that comprehensions bind."""
        for expr in exprs:
            if isinstance(expr, ir.Comprehension):
                self.learn(expr.name, self.of(expr.over))

    def block(self, body: ir.Block, under: bool) -> bool:
        """Read statements; `under` says whether a private condition decides if they run at all.

        Gives whether a private condition decides if what comes behind them runs.
        """
        for node in body:
            if under:
                self.controlled.append(node)
            match node:
                case ir.Assign(targets, values):
                    self.expressions(*values)
                    for place, (target, value) in enumerate(zip(targets, values, strict=True)):
                        if (id(node), place) not in self.covered:
                            self.learn(target, under or self.of(value))
                        if isinstance(value, ir.Var) and value.name in self.lengths:
                            self.lengths.add(target)
                case ir.Append(name, value, _):
                    if (id(node), 0) not in self.covered:
                        self.learn(name, under or self.of(value))
                    if under:
                        self.lengths.add(name)
                case ir.If(test, then, orelse):
                    inside = under or self.decides(test)
                    ways = [self.block(then, inside), self.block(orelse, inside)]
                    under = under or any(ways)
                case ir.While(test, inner):
                    under = self.loop(inner, under or self.decides(test)) or under
                case ir.For(name, over, inner):
                    length = isinstance(over, ir.Var) and over.name in self.lengths
                    counted = isinstance(over, ir.Range) and self.of(over)
                    self.learn(name, self.of(over))
                    under = self.loop(inner, under or (self.control and (length or counted))) or under
                case ir.Return(value):
                    self.expressions(value)
                    return under
                case ir.Break() | ir.Continue():
                    return under
        # A block that runs to its end leaves it to those around to say what decides about the rest.
        return under and self.leaves(body)

    def loop(self, body: ir.Block, under: bool) -> bool:
        before = len(self.controlled)
        leaves = self.block(body, under)
        if leaves and not under:  # a private `break` decides about all further turns
            del self.controlled[before:]
            self.block(body, True)
        return leaves and any(isinstance(node, ir.Return) for node in _inside(body))

    def decides(self, test: ir.Expr) -> bool:
        return self.control and self.of(test)

    def leaves(self, body: ir.Block) -> bool:
        return any(isinstance(node, ir.Return | ir.Break | ir.Continue) for node in _inside(body))


def _inside(body: ir.Block) -> list[ir.Node]:
    found: list[ir.Node] = []
    for node in body:
        found.append(node)
        match node:
            case ir.If(_, then, orelse):
                found += _inside(then) + _inside(orelse)
            case ir.While(_, inner) | ir.For(_, _, inner):
                found += _inside(inner)
    return found


def find_flow(
    sketch: Sketch,
    answers: bool = True,
    noise: bool = False,
    control: bool = False,
    covered: frozenset[tuple[int, int]] = frozenset(),
) -> Flow:
    """What depends on the private answers of a sketch, on its noise, or on both; by iteration to a fixed point."""
    flow = Flow(noise, control, covered, {sketch.private.name} if answers else set())
    while True:
        before = len(flow.names), len(flow.lengths)
        flow.controlled.clear()
        flow.block(sketch.body, under=False)
        if (len(flow.names), len(flow.lengths)) == before:
            return flow


def bindings(sketch: Sketch) -> Iterator[tuple[str, ir.Expr | ir.Range]]:
    """Every name with what it may be given; a list's name also stands for its items."""
    for node in ir.walk(sketch.body):
        match node:
            case ir.Assign(targets, values):
                yield from zip(targets, values, strict=True)
            case ir.For(name, over, _) | ir.Comprehension(_, name, over):
                yield name, over
            case ir.Append(name, value, _):
                yield name, value


def answers_with_counts(sketch: Sketch) -> bool:
    """Whether an answer is made of names that are only ever stepped in loops and serve nowhere as a place: counts.

    A count that is off by one is nearly right, and a place that is off by one is another place. What is stepped in every turn
    by the same number counts the turns, and so tells a place.
    """
    flow = find_flow(sketch, control=True)
    given: dict[str, list[ir.Expr | ir.Range]] = {}
    for name, value in bindings(sketch):
        given.setdefault(name, []).append(value)
    stepped = {n for n, values in given.items() if any(n in ir.names_read(v) for v in values) and n in flow.names}
    places = {name for node in ir.walk(sketch.body) if isinstance(node, ir.Index) for name in ir.names_read(node.at)}
    returned = [item for node in ir.walk(sketch.body) if isinstance(node, ir.Return) for item in _items(node.value)]
    used = {name for value in returned for name in ir.names_read(value)}
    return bool(used) and used <= stepped - places - _turn_counters(sketch)


def _turn_counters(sketch: Sketch) -> set[str]:
    """The names that a loop over the private answers, or over places, steps by a number in every turn, and nothing else does."""
    every_turn: set[int] = set()  # statements, by identity
    for loop in ir.walk(sketch.body):
        if isinstance(loop, ir.For) and (isinstance(loop.over, ir.Range) or loop.over == ir.Var(sketch.private.name)):
            for statement in loop.body:
                if any(isinstance(node, ir.Continue) for node in ir.walk(statement)):
                    break
                every_turn.add(id(statement))
    stepped: list[str] = []
    others: set[str] = set()
    for node in ir.walk(sketch.body):
        match node:
            case ir.Assign((name,), (ir.Binary("+", ir.Var(own), ir.Const()),)) if name == own and id(node) in every_turn:
                stepped.append(name)
            case ir.Assign(names, values):
                others |= {name for name, value in zip(names, values, strict=True) if name in ir.names_read(value)}
    return {name for name in stepped if stepped.count(name) == 1} - others


def _items(value: ir.Expr) -> tuple[ir.Expr, ...]:
    return value.items if isinstance(value, ir.TupleOf | ir.ListOf) else (value,)
