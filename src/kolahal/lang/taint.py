"""Which values of a program depend on private data: by what they are computed from, and by whether they are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from kolahal.lang.ir import (
    Append,
    Assign,
    Block,
    Break,
    Comprehension,
    Continue,
    Draw,
    Expr,
    For,
    If,
    Index,
    Length,
    ListOf,
    Node,
    Range,
    Return,
    TupleOf,
    Var,
    While,
    walk,
)
from kolahal.lang.sketch import Sketch


@dataclass(slots=True)
class Flow:
    """Names that depend on private data, whatever the order in which statements run. Ask `of` after `find_flow`."""

    noise: bool  # whether noise counts as private data
    control: bool  # whether what is assigned under a private condition depends on it
    covered: frozenset[tuple[int, int]]  # statements, by identity, and places in them, whose values do not count
    names: set[str] = field(default_factory=set)  # numbers, truth values, and lists with such items
    lengths: set[str] = field(default_factory=set)  # lists whose length depends
    controlled: list[Node] = field(default_factory=list)  # statements under a private condition

    def of(self, expr: Expr | Range) -> bool:
        """Whether the value of an expression depends on private data."""
        match expr:
            case Var(name):
                return name in self.names
            case Length(of):
                return of.name in self.lengths
            case Draw():
                return self.noise
            case _:
                parts = [getattr(expr, f.name) for f in fields(expr) if f.name != "span"]
                flat = [item for part in parts for item in (part if isinstance(part, tuple) else [part])]
                return any(self.of(part) for part in flat if isinstance(part, Node))  # type: ignore[arg-type]

    def learn(self, name: str, depends: bool) -> None:
        if depends:
            self.names.add(name)

    def expressions(self, *exprs: Expr | Range) -> None:
        """Learn the names that comprehensions bind."""
        for expr in exprs:
            if isinstance(expr, Comprehension):
                self.learn(expr.name, self.of(expr.over))

    def block(self, body: Block, under: bool) -> bool:
        """Read statements; `under` says whether a private condition decides if they run at all.

        Gives whether a private condition decides if what comes behind them runs.
        """
        for node in body:
            if under:
                self.controlled.append(node)
            match node:
                case Assign(targets, values):
                    self.expressions(*values)
                    for place, (target, value) in enumerate(zip(targets, values, strict=True)):
                        if (id(node), place) not in self.covered:
                            self.learn(target, under or self.of(value))
                        if isinstance(value, Var) and value.name in self.lengths:
                            self.lengths.add(target)
                case Append(name, value, _):
                    if (id(node), 0) not in self.covered:
                        self.learn(name, under or self.of(value))
                    if under:
                        self.lengths.add(name)
                case If(test, then, orelse):
                    inside = under or self.decides(test)
                    ways = [self.block(then, inside), self.block(orelse, inside)]
                    under = under or any(ways)
                case While(test, inner):
                    under = self.loop(inner, under or self.decides(test)) or under
                case For(name, over, inner):
                    length = isinstance(over, Var) and over.name in self.lengths
                    counted = isinstance(over, Range) and self.of(over)
                    self.learn(name, self.of(over))
                    under = self.loop(inner, under or (self.control and (length or counted))) or under
                case Return(value):
                    self.expressions(value)
                    return under
                case Break() | Continue():
                    return under
        # A block that runs to its end leaves it to those around to say what decides about the rest.
        return under and self.leaves(body)

    def loop(self, body: Block, under: bool) -> bool:
        before = len(self.controlled)
        leaves = self.block(body, under)
        if leaves and not under:  # a private `break` decides about all further turns
            del self.controlled[before:]
            self.block(body, True)
        return leaves and any(isinstance(node, Return) for node in _inside(body))

    def decides(self, test: Expr) -> bool:
        return self.control and self.of(test)

    def leaves(self, body: Block) -> bool:
        return any(isinstance(node, Return | Break | Continue) for node in _inside(body))


def _inside(body: Block) -> list[Node]:
    found: list[Node] = []
    for node in body:
        found.append(node)
        match node:
            case If(_, then, orelse):
                found += _inside(then) + _inside(orelse)
            case While(_, inner) | For(_, _, inner):
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


def bindings(sketch: Sketch) -> Iterator[tuple[str, Expr | Range]]:
    """Every name with what it may be given; a list's name also stands for its items."""
    for node in walk(sketch.body):
        match node:
            case Assign(targets, values):
                yield from zip(targets, values, strict=True)
            case For(name, over, _) | Comprehension(_, name, over):
                yield name, over
            case Append(name, value, _):
                yield name, value


def answers_with_counts(sketch: Sketch) -> bool:
    """Whether an answer is made of names that are only ever stepped in loops and serve nowhere as a place: counts.

    A count that is off by one is nearly right, and a place that is off by one is another place.
    """
    flow = find_flow(sketch, control=True)
    given: dict[str, list[Expr | Range]] = {}
    for name, value in bindings(sketch):
        given.setdefault(name, []).append(value)
    stepped = {n for n, values in given.items() if any(n in _names(v) for v in values) and n in flow.names}
    places = {name for node in walk(sketch.body) if isinstance(node, Index) for name in _names(node.at)}
    returned = [item for node in walk(sketch.body) if isinstance(node, Return) for item in _items(node.value)]
    used = {name for value in returned for name in _names(value)}
    return bool(used) and used <= stepped - places


def _items(value: Expr) -> tuple[Expr, ...]:
    return value.items if isinstance(value, TupleOf | ListOf) else (value,)


def _names(value: Node) -> set[str]:
    return {node.name for node in walk(value) if isinstance(node, Var)}
