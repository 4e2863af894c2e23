"""Helper functions that are called with a record or its values: what they return, as a function of the record."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Protocol

from kolahal.lang.enclosures import MATH
from kolahal.lang.read.inline import Helpers
from kolahal.lang.read.tree import Refused, Tree
from kolahal.lang.records.cells import TooComplex, find_pieces
from kolahal.lang.records.table import ONE, ZERO, Apply, RecordFunction, RowClass, always_computed, parts_of
from kolahal.nouns import dataclass

TRUTH, TEXT = "a truth value", "a text"
MOST_WAYS = 64  # through one helper


class Reads(Protocol):
    """What helpers need of whoever reads functions of a record."""

    @property
    def tree(self) -> Tree: ...
    @property
    def row(self) -> RowClass: ...
    @property
    def record(self) -> str: ...
    @property
    def bound(self) -> Mapping[str, RecordFunction]: ...
    def read(self, node: ast.expr) -> tuple[RecordFunction, str]: ...
    def truth(self, node: ast.expr) -> RecordFunction: ...
    def arithmetic(self, node: ast.expr, left: ast.expr, op: ast.operator, right: ast.expr) -> RecordFunction: ...
    def no_place(self, node: ast.AST, reason: str) -> Refused: ...
    def of(self, record: str, bound: Mapping[str, RecordFunction]) -> Reads: ...
    def alone(self, record: str, bound: Mapping[str, RecordFunction]) -> Reads: ...


@dataclass(slots=True)
class HelperCall:
    """One call of a helper, run on symbols; it has its own names alone."""

    helpers: Helpers
    node: ast.Call
    ways: int = 0

    def read(self, caller: Reads) -> tuple[RecordFunction, str]:
        helper, given = self.helpers.enter(self.node)
        record, bound = "", dict[str, RecordFunction]()
        for word, value in given:
            if isinstance(value, ast.Name) and value.id == caller.record and caller.row.name is not None:
                if record:
                    raise caller.no_place(self.node, "a record is handed over twice")
                record = word
            else:
                bound[word] = caller.read(value)[0]
        reader = caller.alone(record, bound)
        with self.helpers.inside(helper):
            found, kind = self.returned(reader, self.helpers.body(helper), [])
        computed = list(always_computed(found))
        for item in (item for item in bound.values() if item not in computed):  # Python computes it all the same
            self.check_stops(caller, item, self.node, [])
        return found, kind

    def returned(self, reader: Reads, body: Sequence[ast.stmt], reached: Sequence[RecordFunction]) -> tuple[RecordFunction, str]:
        """What statements return; `reached` are the conditions under which they run."""
        for place, node in enumerate(body):
            match node:
                case ast.Pass() | ast.Expr(ast.Constant()):
                    continue
                case ast.Return(ast.expr() as value):
                    return reader.read(value)
                case ast.Assign([ast.Name(id=name)], value) | ast.AnnAssign(ast.Name(id=name), _, ast.expr() as value):
                    reader = self.bind(reader, name, reader.read(value)[0], node, reached)
                case ast.AugAssign(ast.Name(id=name) as target, op, value):
                    old = ast.copy_location(ast.Name(name, ast.Load()), target)
                    reader = self.bind(reader, name, reader.arithmetic(value, old, op, value), node, reached)
                case ast.If(test, then, orelse):
                    return self.chosen(reader, test, [*then, *body[place + 1 :]], [*orelse, *body[place + 1 :]], reached)
                case _:
                    raise reader.no_place(node, "a helper of aggregates has assignments, `if` and `return`")
        raise reader.no_place(self.node, "the helper ends without a `return` for some records")

    def chosen(
        self, reader: Reads, test: ast.expr, then: Sequence[ast.stmt], orelse: Sequence[ast.stmt], reached: Sequence[RecordFunction]
    ) -> tuple[RecordFunction, str]:
        self.ways += 1
        if self.ways > MOST_WAYS:
            raise reader.no_place(self.node, "the helper has too many ways")
        holds = reader.truth(test)
        (one, kind), (two, other) = (
            self.returned(reader, then, [*reached, holds]),
            self.returned(reader, orelse, [*reached, Apply("not", (holds,))]),
        )
        if TEXT in (kind, other):
            raise reader.no_place(self.node, "it returns a text where a number is needed")
        if kind == other == TRUTH:
            return Apply("or", (Apply("and", (holds, one)), Apply("and", (Apply("not", (holds,)), two)))), TRUTH
        one, two = (Apply("if", (item, ONE, ZERO)) if of == TRUTH else item for item, of in ((one, kind), (two, other)))
        return Apply("if", (holds, one, two)), "a number"

    def check_stops(self, reader: Reads, item: RecordFunction, node: ast.expr | ast.stmt, reached: Sequence[RecordFunction]) -> None:
        """Refuse what Python stops at for some of the records for which all of `reached` hold."""
        if not any(isinstance(part, Apply) and part.op in ("/", *MATH) for part in parts_of(item)):
            return
        for holds in reversed(reached):
            item = Apply("if", (holds, item, ZERO))
        try:
            find_pieces(reader.row, [item])
        except TooComplex as error:
            raise reader.tree.refuse("K171", node, reason=error) from None

    def bind(
        self, reader: Reads, name: str, item: RecordFunction, node: ast.stmt, reached: Sequence[RecordFunction]
    ) -> Reads:
        """A local name; what Python stops at for some records is refused, also where nothing of it counts."""
        self.check_stops(reader, item, node, reached)
        return reader.of(reader.record, {**reader.bound, name: item})

