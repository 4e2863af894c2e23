"""Noise that a sum begins with, set aside until the sum is looked at.

`s = Lap(2/eps)` and then `s += x` in a loop is `n = Lap(2/eps)`, `s = 0`, `s += x`, with `s + n` wherever s is looked at: addition
commutes. A name is such a sum in a block if the block is the only one to name it, if its statements give it something first, and if
what is nested in them only adds to it. It is rewritten if a loop adds to it and looks at nothing but what it adds, or if the only look
at it is a sum with other noise, as in `return a - b`: then either noise may make up for both. The noise then waits for its first look
like all that is only named (docs/theory-lengths.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import reduce

from kolahal.lang import ir
from kolahal.lang.kinds import NUMERIC, Types, infer
from kolahal.lang.sketch import Sketch
from kolahal.nouns import dataclass

Summand = tuple[bool, ir.Expr]  # whether it is taken away, and what
ZERO = ir.Const(Fraction(0))


def set_aside(sketch: Sketch) -> Sketch:
    """The program with the noise of its sums set aside; the program itself if it has none."""
    return replace(sketch, body=_Sums(sketch).block(sketch.body))


class _Sums:
    def __init__(self, sketch: Sketch):
        self.counts = _named(sketch.body)
        self.types = infer(sketch)
        self.barred = {parameter.name for parameter in sketch.parameters} | set(_lists(sketch.body))

    def block(self, body: ir.Block) -> ir.Block:
        body = tuple(ir.with_blocks(node, self.block) for node in body)
        counts = _named(body)
        targets = dict.fromkeys(n.targets[0] for n in body if isinstance(n, ir.Assign) and len(n.targets) == 1)
        for name in targets:
            if name not in self.barred and counts[name] == self.counts[name]:
                found = _Sum(name, self.counts, self.types).rewritten(body)
                body = found or _Sum(name, self.counts, self.types).paired(body) or body
        self.counts.update(_named(body) - counts)
        return body


@dataclass(slots=True)
class _Sum:
    """One name in one block; `noises` are those that are set aside at the statement that is looked at."""

    name: str
    counts: Counter[str]
    types: Types
    made: int = 0

    def rewritten(self, body: ir.Block) -> ir.Block | None:
        """The block with the noise of the sum set aside, or None if nothing is gained or it is no such sum."""
        noises: list[Summand] = []
        result: list[ir.Stmt] = []
        waiting: set[str] = set()  # noise that is named in this block and looked at once
        begun = gained = False
        for node in body:
            if not _named(node)[self.name]:
                match node:
                    case ir.Assign((target,), (ir.Draw(of=None) as draw,)) if not draw.noise.finite and self.counts[target] == 2:
                        waiting.add(target)
                result.append(node)
                continue
            match node:
                case ir.Assign((target,), (value,)) if target == self.name:
                    adds = self.adds(value)
                    if not begun and _named(value)[self.name]:
                        return None
                    if not adds and _named(value)[self.name]:
                        result.append(self.looked_at(node, noises))
                        noises = []
                        continue
                    begun = True
                    noises = noises if adds else []
                    named, noises, rest = self.taken(value, noises, waiting)
                    result += [*named, replace(node, values=(self.left(rest, value),))]
                    continue
                case ir.If() | ir.For() | ir.While() if begun and noises and _loops(node) and self.only_adds((node,)):
                    gained = True
                    result.append(node)
                    continue
            if not begun or (noises and not self.is_added_to((node,))):
                return None
            gained = gained or bool(noises and self.meets_noise(node, body))
            result.append(self.looked_at(node, noises))
        return tuple(result) if gained else None

    def taken(self, value: ir.Expr, noises: list[Summand], waiting: set[str]) -> tuple[list[ir.Stmt], list[Summand], list[Summand]]:
        """What the sum is given: its noise, named; all noise that is set aside then; and the rest."""
        named: list[ir.Stmt] = []
        rest: list[Summand] = []
        for minus, part in summands(value):
            if _is_noise(part):
                self.made += 1
                noise = ir.Var(f"{self.name}'{self.made}", span=part.span)
                named.append(ir.Assign((noise.name,), (part,), span=part.span))
                noises = [*noises, (minus, noise)]
            elif isinstance(part, ir.Var) and part.name in waiting:
                noises = [*noises, (minus, part)]
            else:
                rest.append((minus, part))
        return named, noises, rest

    def left(self, rest: list[Summand], value: ir.Expr) -> ir.Expr:
        """What the sum is without its noise; where that may be None, to which nothing can be added, 0 is added."""
        sure = all(kinds and kinds <= NUMERIC for kinds in (self.types.of(part) for _, part in rest))
        return _sum_of(rest if sure or len(rest) > 1 else [*rest, (False, ZERO)], value)

    def meets_noise(self, node: ir.Stmt, body: ir.Block) -> bool:
        """Whether the only look at the sum is a sum with other noise, either of which may make up for both."""
        noisy = {target for target, value in ir.assignments(body) if any(_is_noise(part) for _, part in summands(value))}
        others = {ir.Var(name) for name in noisy - {self.name}}
        sums = [[part for _, part in summands(value)] for value in ir.walk(node) if isinstance(value, ir.Binary)]
        joined = any(ir.Var(self.name) in parts and (others & set(parts) or any(map(_is_noise, parts))) for parts in sums)
        return joined and _named(body)[self.name] == 2 and not _loops(node)

    def paired(self, body: ir.Block) -> ir.Block | None:
        """The block with one noise set aside at a time, where the sum begins anew in several places, each time with noise."""
        noise = ir.Var(f"{self.name}'")
        first = next(node for node in body if _named(node)[self.name])
        given = [node for node in ir.walk(body) if isinstance(node, ir.Assign) and self.name in node.targets]
        if first not in given or any(len(node.targets) > 1 for node in given):
            return None
        starts = [node for node in given if not _named(node.values[0])[self.name]]
        drawn = {id(node): next((s for s in summands(node.values[0]) if _is_noise(s[1]) and not s[0]), None) for node in starts}
        plain = all(self.adds(node.values[0]) for node in given if node not in starts)
        added = any(any(self.steps((loop,))) for loop in ir.walk(body) if isinstance(loop, ir.For | ir.While))
        if first not in starts or not plain or None in drawn.values() or not added:
            return None

        def begun(node: ir.Stmt) -> ir.Block:
            match node:
                case ir.Assign((target,), (value,)) if target == self.name and id(node) in drawn:
                    taken = drawn[id(node)]
                    assert taken is not None
                    rest = [part for part in summands(value) if part is not taken and part != taken]
                    named = ir.Assign((noise.name,), (taken[1],), span=node.span)
                    return named, replace(node, values=(self.left(rest, value),))
                case _:
                    return (ir.with_blocks(node, all_of),)

        def all_of(block: ir.Block) -> ir.Block:
            return tuple(part for node in block for part in begun(node))

        return tuple(self.looked_at(node, [(False, noise)]) for node in all_of(body))

    def adds(self, value: ir.Expr) -> bool:
        """Whether a value is the sum itself and more."""
        own = [(minus, part) for minus, part in summands(value) if part == ir.Var(self.name)]
        return own == [(False, ir.Var(self.name))] and _named(value)[self.name] == 1

    def steps(self, body: ir.Block) -> list[bool]:
        """For each statement in a block that gives the sum something, whether it adds to it."""
        given = [node for node in ir.walk(body) if isinstance(node, ir.Assign) and self.name in node.targets]
        return [len(node.targets) == 1 and self.adds(node.values[0]) for node in given]

    def is_added_to(self, body: ir.Block) -> bool:
        return all(self.steps(body))

    def only_adds(self, body: ir.Block) -> bool:
        return self.is_added_to(body) and _named(body)[self.name] == 2 * len(self.steps(body))

    def looked_at(self, node: ir.Stmt, noises: list[Summand]) -> ir.Stmt:
        """A statement in which the sum has its noise wherever it is not only added to."""

        def change(inner: ir.Node) -> ir.Node | None:
            if inner == ir.Var(self.name):
                assert isinstance(inner, ir.Var)
                return _sum_of([(False, inner), *noises], inner)
            return None

        node = ir.with_blocks(node, lambda block: tuple(self.looked_at(inner, noises) for inner in block))
        match node:
            case ir.Assign((target,), (value,)) if target == self.name and self.adds(value):
                return node
            case ir.If(test) | ir.While(test):
                return replace(node, test=ir.rebuild(test, change))
            case ir.For(_, over):
                return replace(node, over=ir.rebuild(over, change))
            case _:
                return ir.rebuild(node, change)


def _is_noise(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Draw) and expr.of is None and not expr.noise.finite


def _loops(node: object) -> bool:
    return any(isinstance(part, ir.For | ir.While) for part in ir.walk(node))


def _named(node: object) -> Counter[str]:
    """How often each name is read or given something."""
    counts: Counter[str] = Counter()
    for part in ir.walk(node):
        match part:
            case ir.Var(name) | ir.For(name=name) | ir.Comprehension(name=name) | ir.Append(name=name):
                counts[name] += 1
            case ir.Assign(targets):
                counts.update(targets)
    return counts


def _lists(body: ir.Block) -> Iterator[str]:
    """The names that stand for lists, or that loops give something."""
    for node in ir.walk(body):
        match node:
            case ir.For(name, over) | ir.Comprehension(_, name, over):
                yield name
                if isinstance(over, ir.Var):
                    yield over.name
            case ir.Append(name=name) | ir.Index(of=ir.Var(name)) | ir.Length(ir.Var(name)):
                yield name


def summands(expr: ir.Expr) -> Iterator[Summand]:
    match expr:
        case ir.Negate(of):
            yield from ((not minus, part) for minus, part in summands(of))
        case ir.Binary("+" | "-" as op, left, right):
            yield from summands(left)
            yield from ((minus != (op == "-"), part) for minus, part in summands(right))
        case _:
            yield False, expr


def _sum_of(parts: list[Summand], near: ir.Expr) -> ir.Expr:
    def signed(part: Summand) -> ir.Expr:
        return ir.Negate(part[1], span=near.span) if part[0] else part[1]

    def joined(total: ir.Expr, part: Summand) -> ir.Expr:
        return ir.Binary("-" if part[0] else "+", total, part[1], span=near.span)

    return reduce(joined, parts[1:], signed(parts[0])) if parts else ir.Const(Fraction(0), span=near.span)
