"""Functions of one record, and the loop over records that adds them up, from the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from itertools import pairwise

from kolahal.lang.enclosures import MATH
from kolahal.lang.read.inline import Helpers
from kolahal.lang.read.powers import MOST_POWER
from kolahal.lang.read.record_helpers import HelperCall
from kolahal.lang.read.record_trees import (
    FALSE,
    TRUE,
    at_place,
    chained,
    float_names,
    imported_names,
    may_be_float,
    written,
)
from kolahal.lang.read.snippets import number_of
from kolahal.lang.read.tree import Refused, Tree, clip
from kolahal.lang.records.cells import TooComplex, find_pieces, item_range
from kolahal.lang.records.table import (
    ONE,
    RECORD,
    ZERO,
    Apply,
    ArgumentOf,
    FieldOf,
    NumberOf,
    RecordFunction,
    RowClass,
    RunOf,
    TextOf,
    always_computed,
    evaluate,
    is_whole,
    parts_of,
)
from kolahal.nouns import dataclass

NUMBER, TRUTH, TEXT = "a number", "a truth value", "a text"
OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Totals:
    """What a loop over the records adds to numbers, and to the items of lists of zeros."""

    scalars: dict[str, RecordFunction] = field(default_factory=dict)
    lists: dict[str, list[RecordFunction]] = field(default_factory=dict)
    bins: dict[str, RecordFunction] = field(default_factory=dict)  # of as many zeros as an argument says: that at the place
    looked: list[tuple[ast.stmt, RecordFunction]] = field(default_factory=list)  # what a turn computes, counted or not

    def divisors(self) -> set[RecordFunction]:
        """What is divided by in that which counts, whatever the record is."""
        counted = [*self.scalars.values(), *self.bins.values(), *(item for several in self.lists.values() for item in several)]
        parts = (part for item in counted for part in always_computed(item))
        return {part.of[1] for part in parts if isinstance(part, Apply) and part.op == "/"}


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Reads functions of the record called `record`; `bound` names have known values."""

    tree: Tree
    row: RowClass
    public: Mapping[str, bool]  # argument → whether it is a truth value
    record: str = ""
    bound: Mapping[str, RecordFunction] = field(default_factory=dict)
    carried: frozenset[str] = frozenset()  # names that the loop over records changes from turn to turn
    whole: frozenset[str] = frozenset()  # arguments that are whole numbers
    run: frozenset[str] = frozenset()  # names of the program that an aggregate may read when it is asked
    place: str = "place"  # stands for where a bin is, among as many as an argument says
    helpers: Helpers | None = None
    lists: Mapping[str, tuple[ast.expr, ...]] = field(default_factory=dict)  # of constants, which never change

    def of(self, record: str, bound: Mapping[str, RecordFunction]) -> ItemReader:
        return replace(self, record=record, bound=bound)

    def alone(self, record: str, bound: Mapping[str, RecordFunction]) -> ItemReader:
        """A reader that knows these names and nothing of the program's."""
        return replace(self, record=record, bound=bound, public={}, carried=frozenset(), run=frozenset(), lists={})

    def number(self, node: ast.expr) -> RecordFunction:
        item, kind = self.read(node)
        if kind == TEXT:
            raise self.no_place(node, "it is a text where a number is needed")
        return item if kind != TRUTH else ONE if item == TRUE else ZERO if item == FALSE else Apply("if", (item, ONE, ZERO))

    def truth(self, node: ast.expr) -> RecordFunction:
        item, kind = self.read(node)
        if kind != TRUTH:
            raise self.no_place(node, f"it is {kind} where a condition is needed")
        return item

    def no_place(self, node: ast.AST, reason: str) -> Refused:
        return self.tree.refuse("K167", node, thing=clip(node), reason=reason)

    def read(self, node: ast.expr) -> tuple[RecordFunction, str]:
        known = number_of(node)
        if known is not None:
            return NumberOf(known), NUMBER
        match node:
            case ast.Constant(value=bool() as value):
                return (TRUE if value else FALSE), TRUTH
            case ast.Constant(value=str() as text):
                return TextOf(text), TEXT
            case ast.Name(id=name):
                return self.name(node, name)
            case ast.Attribute(ast.Name(id=name), attribute) if name == self.record:
                return self.field(node, attribute)
            case ast.Subscript(ast.Name(id=name), place) if name in self.lists and name not in self.bound:
                return self.item(node, self.lists[name], place)
            case ast.Subscript(ast.Tuple(items) | ast.List(items), place) if all(written(item) is not None for item in items):
                return self.item(node, items, place)
            case ast.BinOp(left, op, right):
                return self.arithmetic(node, left, op, right), NUMBER
            case ast.UnaryOp(ast.USub(), inner):
                return _signed(ast.Sub(), self.number(inner)), NUMBER
            case ast.UnaryOp(ast.UAdd(), inner):
                return self.number(inner), NUMBER
            case ast.UnaryOp(ast.Not(), inner):
                return Apply("not", (self.truth(inner),)), TRUTH
            case ast.BoolOp(op, values):
                return chained("and" if isinstance(op, ast.And) else "or", map(self.truth, values)), TRUTH
            case ast.Compare(left, ops, others):
                return self.comparison(node, [left, *others], ops), TRUTH
            case ast.IfExp(test, then, orelse):
                return Apply("if", (self.truth(test), self.number(then), self.number(orelse))), NUMBER
            case ast.Call() if self.helpers is not None and self.helpers.is_helper(node):
                return HelperCall(self.helpers, node).read(self)
            case ast.Call(func, args, []):
                return self.call(node, func, args), NUMBER
            case _:
                raise self.no_place(node, "an aggregate has numbers, comparisons, max, min, abs and clip of one record")

    def item(self, node: ast.expr, items: Sequence[ast.expr], place: ast.expr) -> tuple[RecordFunction, str]:
        """A constant of a written list, at a place that is a number when it is read."""
        known = self.number(place)
        if any(not isinstance(part, NumberOf | Apply) for part in parts_of(known)):
            raise self.no_place(node, "the place in a written list is a number or the variable of a loop over a written range")
        at = evaluate(known, {}, {})
        if not isinstance(at, Fraction) or at.denominator != 1 or not -len(items) <= at < len(items):
            raise self.no_place(node, f"the list has {len(items)} items")
        found = written(items[int(at)])
        assert found is not None
        return found, TEXT if isinstance(found, TextOf) else TRUTH if found in (TRUE, FALSE) else NUMBER

    def name(self, node: ast.expr, name: str) -> tuple[RecordFunction, str]:
        if name in self.bound:
            item = self.bound[name]
            label = isinstance(item, TextOf) or any(FieldOf(f.name) == item and f.kind == "label" for f in self.row.fields)
            return item, TEXT if label else TRUTH if is_truth(item, self.row) else NUMBER
        if name == self.record:
            if self.row.name is None:
                return FieldOf(""), NUMBER
            raise self.no_place(node, f"a record of {self.row.name} is used by its fields, such as {name}.{self.row.fields[0].name}")
        if name in self.public:
            return ArgumentOf(name, self.public[name]), TRUTH if self.public[name] else NUMBER
        if name in self.carried:
            raise self.tree.refuse("K166", node, thing=f"`{name}`")
        if name in self.run and name != RECORD:
            return RunOf(name), NUMBER
        raise self.tree.refuse("K141" if name in self.run else "K168", node, name=name)

    def field(self, node: ast.expr, name: str) -> tuple[RecordFunction, str]:
        for known in self.row.fields:
            if known.name == name and name:
                return FieldOf(name), {"label": TEXT, "bool": TRUTH}.get(known.kind, NUMBER)
        have = ", ".join(f.name for f in self.row.fields if f.name) or "no fields"
        raise self.no_place(node, f"a record has {have}")

    def arithmetic(self, node: ast.expr, left: ast.expr, op: ast.operator, right: ast.expr) -> RecordFunction:
        if isinstance(op, ast.Pow):
            power, base = number_of(right), self.number(left)
            if power == Fraction(1, 2):
                return Apply("sqrt", (base,))
            if power is None or power.denominator != 1 or not 1 <= power <= MOST_POWER:
                raise self.no_place(node, f"powers are 0.5 and whole numbers from 1 to {MOST_POWER}")
            item = base
            for _ in range(int(power) - 1):
                item = Apply("*", (item, base))
            return item
        if isinstance(op, ast.FloorDiv | ast.Mod) and (by := number_of(right)):
            whole, of = NumberOf(by), self.number(left)
            floor = Apply("floor", (Apply("/", (of, whole)),))
            return floor if isinstance(op, ast.FloorDiv) else Apply("-", (of, Apply("*", (whole, floor))))
        if type(op) not in OPERATORS:
            raise self.no_place(node, "an aggregate has + - * /, and **, // and % with a number")
        return Apply(OPERATORS[type(op)], (self.number(left), self.number(right)))

    def comparison(self, node: ast.expr, parts: list[ast.expr], ops: list[ast.cmpop]) -> RecordFunction:
        return chained("and", (self.link(node, left, op, right) for (left, right), op in zip(pairwise(parts), ops, strict=True)))

    def link(self, node: ast.expr, left: ast.expr, op: ast.cmpop, right: ast.expr) -> RecordFunction:
        match op, right:
            case (ast.In() | ast.NotIn()), (ast.Tuple(values) | ast.List(values) | ast.Set(values)) if values:
                one = chained("or", (self.link(node, left, ast.Eq(), value) for value in values))
                return one if isinstance(op, ast.In) else Apply("not", (one,))
        if type(op) not in COMPARED:
            raise self.no_place(node, "an aggregate compares with < <= > >= == != and `in` a list of values")
        (one, kind), (two, other_kind) = self.read(left), self.read(right)
        sign = COMPARED[type(op)]
        if TEXT in (kind, other_kind) and (kind != other_kind or sign not in ("==", "!=")):
            raise self.no_place(node, "texts are compared with texts, by == and !=")
        self.check_labels(node, one, two)
        if kind == other_kind == TRUTH and sign in ("==", "!=") and (known := {one, two} & {TRUE, FALSE}):
            other = two if one in known else one
            return other if (TRUE in known) == (sign == "==") else Apply("not", (other,))
        if kind != TEXT:
            one, two = self.number(left), self.number(right)
        return Apply(sign, (one, two))

    def check_labels(self, node: ast.expr, one: RecordFunction, two: RecordFunction) -> None:
        """A label that the field does not have is a slip of the pen."""
        for label, of in ((one, two), (two, one)):
            known = next((f for f in self.row.fields if isinstance(of, FieldOf) and f.name == of.name), None)
            if isinstance(label, TextOf) and known is not None and label.value not in known.labels:
                raise self.no_place(node, f"{known.name} is one of {', '.join(known.labels)}")

    def call(self, node: ast.expr, func: ast.expr, args: list[ast.expr]) -> RecordFunction:
        name = "clip" if self.tree.ours(func) == "clip" else func.id if isinstance(func, ast.Name) else ""
        named = func.value if isinstance(func, ast.Attribute) else func
        if isinstance(named, ast.Name) and named.id in {*self.public, *self.run, *self.bound, *self.carried, self.record}:
            raise self.no_place(node, f"`{named.id}` is a value here, and no function")
        if (found := self.of_math(func)) is not None:
            if len(args) != 1:
                raise self.no_place(node, f"{found} has one argument")
            return Apply(found, (self.number(args[0]),))
        of = tuple(map(self.number, args)) if name in ("clip", "max", "min", "abs", "int", "float") else ()
        match name, len(of):
            case ("int" | "float"), 1:  # numbers are exact; to round one has a name of its own
                if name == "int" and not is_whole(of[0], self.row, self.whole):
                    raise self.no_place(node, "a number that need not be whole is rounded by floor from math")
                return of[0]
            case "clip", 3:
                low, high = of[1:]
                if isinstance(low, NumberOf) and isinstance(high, NumberOf) and low.value > high.value:
                    raise self.no_place(node, "the lower bound is above the upper one")
                return Apply("clip", of)
            case ("max" | "min"), count if count >= 2:
                return Apply(name, of)
            case "abs", 1:
                return Apply("abs", of)
            case ("sum" | "len" | "any" | "all"), _:
                raise self.no_place(node, "an aggregate inside an aggregate would look at all records for each of them")
            case _:
                raise self.no_place(node, f"an aggregate has clip(x, low, high), max, min, abs, and {', '.join(MATH)} from math")

    def of_math(self, func: ast.expr) -> str | None:
        """The name of a function of Python's `math`, by the imports of the file; in a text without imports, by its own."""
        module, word = "", ""
        match func:
            case ast.Attribute(ast.Name(id=module), word) if word in MATH:
                wanted = ("math", "")
            case ast.Name(id=word):
                wanted = ("", word)
            case _:
                return None
        bound = [b for node in self.tree.module.body for b in imported_names(node) if b[0] == (module or word)]
        if not bound:
            return word if wanted == ("", word) and word in MATH else None
        if len(bound) > 1 or bound[0][1] is None:
            return None
        source = bound[0][1]
        if module:
            return word if source == ("math", "") else None
        return source[1] if source[0] == "math" and source[1] in MATH else None

    # ---- the loop over records

    def float_sources(self, record: str) -> frozenset[str]:
        """What stands for floats in Python: fields, such as `.age`, a record that is a number, and written lists with one in them."""
        fields = {f".{f.name}" if f.name else record for f in self.row.fields if f.kind == "float"}
        lists = {name for name, items in self.lists.items() if any(may_be_float(item, frozenset(), None) for item in items)}
        return frozenset(fields | lists)

    def loop(self, record: str, body: Sequence[ast.stmt], zeros: Mapping[str, int | str]) -> Totals:
        """What a loop over the records adds up."""
        added = {n.target.id for s in body for n in ast.walk(s) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
        stored = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        reader = replace(self, record=record, carried=frozenset(added | stored | set(zeros)))
        turn = _RecordTurn(reader, zeros, Totals(), float_names(body, self.float_sources(record), self.helpers))
        try:
            turn.run(body, TRUE, {})
        except TooComplex as error:  # of a place in a list
            raise self.tree.refuse("K171", body[0], reason=error) from None
        self.check_looked(turn.totals)
        return turn.totals

    def check_looked(self, totals: Totals) -> None:
        """Refuse what Python stops at for some records, also where nothing of it counts: that a run stops tells of a record.

        Arguments that what counts is divided by are checked with that.
        """
        known = {d for d in totals.divisors() if not any(isinstance(part, FieldOf | RunOf) for part in parts_of(d))}
        for node, item in totals.looked:
            if any(isinstance(part, Apply) and part.op in ("*", "/", *MATH) for part in parts_of(item)):  # powers are products
                try:
                    find_pieces(self.row, [_without_run(item, known)])
                except TooComplex as error:
                    raise self.tree.refuse("K171", node, reason=error) from None


def is_truth(item: RecordFunction, row: RowClass) -> bool:
    match item:
        case Apply(op):
            return op in ("not", "and", "or", "<", "<=", ">", ">=", "==", "!=")
        case FieldOf(name):
            return any(f.name == name and f.kind == "bool" for f in row.fields)
        case ArgumentOf(_, truth):
            return truth
        case _:
            return False


def both(left: RecordFunction, right: RecordFunction) -> RecordFunction:
    if FALSE in (left, right):
        return FALSE
    return right if left == TRUE else left if right == TRUE else Apply("and", (left, right))


@dataclass(slots=True)
class _RecordTurn:
    """One turn of a loop over records, run on symbols."""

    reader: ItemReader
    zeros: Mapping[str, int | str]  # how many zeros each list has; the name of an argument where that says so
    totals: Totals
    floats: frozenset[str]  # local names that may be floats, though their values are whole

    def run(self, body: Sequence[ast.stmt], reached: RecordFunction, names: dict[str, RecordFunction]) -> tuple[RecordFunction, dict[str, RecordFunction]]:
        """When the end of a block is reached, and what the names of this turn stand for there."""
        for node in body:
            if reached == FALSE:
                break
            reached, names = self.statement(node, reached, names)
        return reached, names

    def statement(self, node: ast.stmt, reached: RecordFunction, names: dict[str, RecordFunction]) -> tuple[RecordFunction, dict[str, RecordFunction]]:
        read = replace(self.reader, bound={**self.reader.bound, **names})
        match node:
            case ast.Pass() | ast.Expr(ast.Constant()):
                return reached, names
            case ast.Continue():
                return FALSE, names
            case ast.AugAssign(ast.Name(id=name), ast.Add() | ast.Sub() as op, value) if name not in names:
                self.add(name, reached, _signed(op, read.number(value)))
                return reached, names
            case ast.Assign([ast.Name(id=name)], ast.BinOp(ast.Name(id=again), ast.Add() | ast.Sub() as op, value)) if (
                name == again and name not in names
            ):
                self.add(name, reached, _signed(op, read.number(value)))
                return reached, names
            case ast.AugAssign(ast.Name(id=name), op, value):
                old = ast.copy_location(ast.Name(name, ast.Load()), node)
                return reached, names | {name: self.look(node, reached, read.arithmetic(value, old, op, value))}
            case ast.Assign([ast.Name(id=name)], value):
                return reached, names | {name: self.look(node, reached, read.read(value)[0])}
            case ast.AugAssign(ast.Subscript(ast.Name(id=name), place), ast.Add() | ast.Sub() as op, value):
                if read.read(place)[1] == TEXT:
                    raise read.tree.refuse("K170", node, name=name, reason=f"`{name}` is no dictionary that was made before with every label at 0, and is read by its labels alone")
                if may_be_float(place, self.floats, self.reader.helpers):
                    raise read.tree.refuse("K170", node, name=name, reason="the place may be a float, such as 2.0, at which Python stops")
                self.add_at(node, name, reached, read.number(place), _signed(op, read.number(value)))
                return reached, names
            case ast.Assign([ast.Subscript(ast.Name(id=name), place) as target], ast.BinOp(ast.Subscript() as before, ast.Add() | ast.Sub() as op, value)) if (
                name in self.zeros and ast.unparse(target) == ast.unparse(before)
            ):
                return self.statement(at_place(ast.AugAssign(target, op, value), node), reached, names)
            case ast.Assign([ast.Subscript(ast.Name(id=name))]) if name in self.zeros:
                raise read.tree.refuse("K170", node, name=name, reason="its items are added to, as in `+= 1`, and not replaced")
            case ast.Assign([ast.Subscript(ast.Name(id=name))]):
                raise read.tree.refuse("K170", node, name=name, reason="which labels a dictionary gets from the records would tell of them; give it every label before")
            case ast.If(test, then, orelse):
                return self.branch(self.look(node, reached, read.truth(test)), then, orelse, reached, names)
            case _:
                raise self.reader.tree.refuse("K166", node, thing=f"`{clip(node)}`")

    def look(self, node: ast.stmt, reached: RecordFunction, item: RecordFunction) -> RecordFunction:
        """What a turn computes where it is reached."""
        if not isinstance(item, TextOf):
            self.totals.looked.append((node, item if reached == TRUE else Apply("if", (reached, item, ZERO))))
        return item

    def branch(
        self, test: RecordFunction, then: list[ast.stmt], orelse: list[ast.stmt], reached: RecordFunction, names: dict[str, RecordFunction]
    ) -> tuple[RecordFunction, dict[str, RecordFunction]]:
        ends = []
        for way, body in ((test, then), (Apply("not", (test,)), orelse)):
            end, known = self.run(body, both(reached, way), dict(names))
            if end != FALSE:
                ends.append((end, known, way))
        if not ends:
            return FALSE, names
        if len(ends) == 1:
            return ends[0][0], ends[0][1]
        (one, first, _), (two, second, _) = ends
        plain = one == both(reached, test) and two == both(reached, Apply("not", (test,)))
        # A name that only one way assigns would still have its value from the record before.
        shared = {
            name: first[name] if first[name] == second[name] else Apply("if", (test, first[name], second[name]))
            for name in first
            if name in second
        }
        return reached if plain else Apply("or", (one, two)), shared

    def add(self, name: str, reached: RecordFunction, item: RecordFunction) -> None:
        self.totals.scalars[name] = _added(self.totals.scalars.get(name), reached, item)

    def add_at(self, node: ast.stmt, name: str, reached: RecordFunction, place: RecordFunction, item: RecordFunction) -> None:
        tree, size = self.reader.tree, self.zeros.get(name)
        if size is None:
            raise tree.refuse("K170", node, name=name, reason=f"`{name}` is not a list of zeros that was made before the loop and not used since")
        if any(isinstance(part, RunOf) for function in (reached, place, item) for part in parts_of(function)):
            raise tree.refuse("K175", node, thing=clip(node), why="It counts in the items of a list, each of which would be a question")
        if isinstance(size, str):
            self.add_to_bin(node, name, size, reached, place, item)
            return
        bounds = item_range(self.reader.row, place, None if reached == TRUE else reached)
        if not is_whole(place, self.reader.row) or bounds is None or bounds[0] < 0 or bounds[1] > size - 1:
            reason = f"the place need not be a whole number from 0 to {size - 1}"
            raise tree.refuse("K170", node, name=name, reason=reason)
        several = self.totals.lists.setdefault(name, [ZERO] * size)
        for i in range(size):
            here = both(reached, _is_at(place, i))
            if here == FALSE:
                continue
            several[i] = _added(None if several[i] == ZERO else several[i], here, item)

    def add_to_bin(self, node: ast.stmt, name: str, size: str, reached: RecordFunction, place: RecordFunction, item: RecordFunction) -> None:
        reader, many = self.reader, ArgumentOf(size)
        outside = Apply("or", (Apply("<", (place, ZERO)), Apply(">=", (place, many))))
        possible = both(reached, Apply(">=", (many, ONE)))
        known = item_range(reader.row, Apply("if", (outside, ONE, ZERO)), possible)
        if not is_whole(place, reader.row, reader.whole) or known is None or known[1]:
            reason = f"the place need not be a whole number from 0 to {size} - 1; test `0 <= place < {size}` before"
            raise reader.tree.refuse("K170", node, name=name, reason=reason)
        here = both(reached, Apply("==", (place, ArgumentOf(reader.place))))
        self.totals.bins[name] = _added(self.totals.bins.get(name), here, item)


def _is_at(place: RecordFunction, at: int) -> RecordFunction:
    """Whether a place is some number; of places that tests choose, in their words."""
    match place:
        case NumberOf(value):
            return TRUE if value == at else FALSE
        case Apply("if", (test, NumberOf(value), orelse)) if value == at and _is_at(orelse, at) == FALSE:
            return test
        case Apply("if", (Apply("==", (one, TextOf() | NumberOf())) as test, NumberOf(value), orelse)) if value != at:
            rest = _is_at(orelse, at)
            same = isinstance(rest, Apply) and rest.op == "==" and rest.of[0] == one and isinstance(rest.of[1], TextOf | NumberOf)
            return rest if rest == FALSE or (same and rest != test) else both(Apply("not", (test,)), rest)
        case _:
            return Apply("==", (place, NumberOf(Fraction(at))))


def _without_run(item: RecordFunction, divisors: Collection[RecordFunction]) -> RecordFunction:
    """A function whose values of the run are unknowns, and some divisors are 1."""
    match item:
        case RunOf(name):
            return ArgumentOf(f"{name} of the run")
        case Apply("/", (left, right)) if right in divisors:
            return _without_run(left, divisors)
        case Apply(op, of):
            return Apply(op, tuple(_without_run(part, divisors) for part in of))
        case _:
            return item


def _signed(op: ast.operator, item: RecordFunction) -> RecordFunction:
    if isinstance(op, ast.Add):
        return item
    return NumberOf(-item.value) if isinstance(item, NumberOf) else Apply("neg", (item,))


def _added(total: RecordFunction | None, reached: RecordFunction, item: RecordFunction) -> RecordFunction:
    more = item if reached == TRUE else Apply("if", (reached, item, ZERO))
    return more if total is None else Apply("+", (total, more))

