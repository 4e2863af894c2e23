"""Aggregates that depend on the run: each is a question of its own, asked once, with values that the run has then."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction

from kolahal.lang.read.record_trees import Builder, LoopTurn, at_place
from kolahal.lang.read.snippets import expression, number_of
from kolahal.lang.read.tree import Tree, clip
from kolahal.lang.records.table import Aggregate, Apply, ArgumentOf, Bins, NumberOf, RecordFunction
from kolahal.nouns import dataclass


@dataclass(slots=True)
class RunReads:
    """Where the program asks such questions. Those outside loops have places behind all other aggregates."""

    tree: Tree
    rows: str
    answers: str
    place: str
    use_bins: Callable[[ast.expr | ast.stmt, Bins], None]
    late: list[Aggregate] = field(default_factory=list)
    places: list[ast.Constant] = field(default_factory=list)
    loops: list[LoopTurn | None] = field(default_factory=list)  # around the statement that is read
    names: list[ast.Name] = field(default_factory=list)  # of the private list, where it is asked
    turned: bool = False  # whether a loop has such a question

    def read(self, node: ast.expr | ast.stmt, build: Builder, turns: Sequence[LoopTurn], shown: Aggregate) -> ast.expr:
        """What stands for such an aggregate, which is written as `shown`."""
        if self.turned:
            raise self.refuse(node, "Another one is asked in the turns of a loop")
        if not self.loops:
            self.places.append(ast.Constant(len(self.late)))
            self.late.append(build({}))
            return self.query(node, self.places[-1], shown)
        turn = self.loops[0]
        if len(self.loops) > 1 or turn is None or turn.values or turn.numbers.start:
            raise self.refuse(node, "It is asked in a loop that is not over range(K) with a whole number K, or in several")
        self.turned = True
        bound: Mapping[str, RecordFunction] = {turn.name: ArgumentOf(self.place)} if turn in turns else {}
        self.use_bins(node, Bins(turn.size or str(len(turn.numbers)), self.place, build(bound)))
        return self.query(node, ast.Name(turn.name, ast.Load()), shown)

    def refuse(self, node: ast.expr | ast.stmt, why: str) -> Exception:
        return self.tree.refuse("K175", node, thing=clip(node), why=why)

    def query(self, node: ast.expr | ast.stmt, place: ast.expr, shown: Aggregate) -> ast.expr:
        self.names.append(ast.Name(self.answers, ast.Load()))
        found = ast.Subscript(self.names[-1], place, ast.Load())
        found.query = shown.over(self.rows), shown.run_names()  # type: ignore[attr-defined]
        return at_place(found, node)

    def loop_over(self, over: ast.expr) -> ast.expr:
        """What the loop with such a question goes over: the places of the private list."""
        return expression("range(len(xs))", over, xs=self.answers)

    def settle(self, aggregates: Sequence[Aggregate]) -> tuple[Aggregate, ...]:
        """All aggregates, when those that do not depend on the run are known."""
        for place in self.places:
            place.value += len(aggregates)  # type: ignore[operator]
        return (*aggregates, *self.late)


# ---------------------------------------------------------------- sums of aggregates


def terms_of(node: ast.expr, sign: int = 1) -> list[tuple[int, ast.expr]]:
    """What a sum is made of, each with its sign."""
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return [*terms_of(left, sign), *terms_of(right, sign)]
        case ast.BinOp(left, ast.Sub(), right):
            return [*terms_of(left, sign), *terms_of(right, -sign)]
        case _:
            return [(sign, node)]


def factored(node: ast.expr) -> tuple[Fraction, ast.expr]:
    """A term as a number times the rest of it."""
    match node:
        case ast.BinOp(inner, ast.Div(), by) if number := number_of(by):
            found, rest = factored(inner)
            return found / number, rest
        case ast.BinOp(inner, ast.Mult(), by) if number := number_of(by):
            found, rest = factored(inner)
            return found * number, rest
        case ast.BinOp(by, ast.Mult(), inner) if number := number_of(by):
            found, rest = factored(inner)
            return found * number, rest
        case ast.UnaryOp(ast.USub(), inner):
            found, rest = factored(inner)
            return -found, rest
        case _:
            return Fraction(1), node


def joined(parts: Sequence[tuple[Fraction, Aggregate]]) -> Aggregate:
    """A sum of sums over the records as one of them."""
    total: RecordFunction | None = None
    for times, aggregate in parts:
        item = aggregate.contribution
        if times != 1:
            item = NumberOf(times * item.value) if isinstance(item, NumberOf) else Apply("*", (NumberOf(times), item))
        total = item if total is None else Apply("+", (total, item))
    assert total is not None
    return Aggregate("sum", total)
