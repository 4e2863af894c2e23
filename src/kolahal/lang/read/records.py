"""Programs over records → programs over private answers, which are aggregates of the records.

What a program says of records is read here and taken out of its tree; the rest is read as any other sketch. Every
aggregate becomes an item of the private list: `sum(…) + Lap(hole)` is `answers[0] + Lap(hole)`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.ir import lengthened
from kolahal.lang.read.constants import Constants
from kolahal.lang.read.header import Header
from kolahal.lang.read.inline import Helpers
from kolahal.lang.read.record_items import ItemReader
from kolahal.lang.read.record_means import with_noise_before
from kolahal.lang.read.record_trees import (
    MOST_AGGREGATES,
    Builder,
    LoopTurn,
    at_place,
    chained,
    count_zeros,
    list_of_items,
    loop_over_all,
    over_same,
    plain_sums,
    record_names_in,
    spread_turns,
    total_of,
    turn_of,
    usual_value,
    with_length,
)
from kolahal.lang.read.run_reads import RunReads, factored, joined, terms_of
from kolahal.lang.read.scopes import Function
from kolahal.lang.read.snippets import expression, number_of
from kolahal.lang.read.tree import Refused, Tree, clip, stored_names
from kolahal.lang.read.written import BUILTINS, refuse_dictionary, with_places
from kolahal.lang.records.bins import BinsRelation
from kolahal.lang.records.cells import TooComplex
from kolahal.lang.records.moves import RecordRelation, Replace
from kolahal.lang.records.table import ONE, ZERO, Aggregate, Apply, ArgumentOf, Bins, RecordFunction, RowClass, Table
from kolahal.lang.sketch import Parameter, Role, Type
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class OverAnswers:
    """A program over answers: its header and its statements."""

    header: Header
    statements: list[ast.stmt]


def lower_records(tree: Tree, function: Function, header: Header, row: RowClass, statements: list[ast.stmt]) -> OverAnswers | None:
    """The program over answers that a program over records is; None, with faults, if it has no such meaning."""
    before = len(tree.faults)
    assert isinstance(header.adjacency, RecordRelation)
    private = next(p for p in header.parameters if p.role is Role.PRIVATE)
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | {p.name for p in header.parameters}
    answers = lengthened("answers", used)
    stored = {name for statement in statements for name in stored_names(statement)}
    public = [p for p in header.parameters if p.role is Role.ARGUMENT and p.name not in stored]
    place = lengthened("place", {p.name for p in header.parameters})
    whole = frozenset(p.name for p in public if p.type is Type.INT)
    run = frozenset(stored - {private.name})
    own = stored | {p.name for p in header.parameters} | {function.name}
    helpers = Helpers(tree, function, own, Constants(tree))
    items = ItemReader(tree, row, {p.name: p.type is Type.BOOL for p in public}, whole=whole, run=run, place=place, helpers=helpers)
    if refuse_dictionary(tree, statements):
        return None
    copied = plain_sums(copy.deepcopy(statements), private.name, row)
    if not any(word in own or tree.scopes.is_bound(function, word) for word in BUILTINS):
        copied = with_noise_before(copied, tree, private.name) if isinstance(header.adjacency, Replace) else copied
        copied, lists = with_places(copied, private.name, used | {answers, place})
        items = replace(items, lists=lists)
    lowering = _Lowering(tree, items, private.name, answers)
    lowering.look_at(copied)
    block = [statement for statement in lowering.block(copied) if statement not in lowering.dropped]
    name = lowering.alias(block, answers)
    loop_over_all(block, name, len(lowering.aggregates))
    aggregates, bins = lowering.runs.settle(lowering.aggregates), lowering.bins
    table = Table(private.name, row, aggregates, bins, frozenset(lowering.added))
    if len(tree.faults) > before:
        return None
    if bins is not None:
        return _over_bins(tree, function, replace(header, parameters=_named(header, name, table)), table, block)
    if not aggregates:
        uses = (part for part in ast.walk(function) if isinstance(part, ast.Name) and part.id == private.name)
        tree.fault("K165", next(uses, function), thing=private.name, why="No aggregate of the records is read")
        return None
    usual = {p.name: usual_value(p) for p in public}
    try:
        adjacency = header.adjacency.about(table, [(n, usual[n]) for n in sorted(table.public_names())], [p.name for p in public if p.type is Type.FLOAT])
    except TooComplex as error:
        tree.fault("K171", function, reason=error)
        return None
    for loose in adjacency.unbounded:
        if names := sorted(Table(private.name, row, (aggregates[loose],)).public_names()):
            tree.fault("K171", function, reason=f"the bounds of {adjacency.show(loose)} are not numbers but {', '.join(names)}")
            return None
    known = dict(adjacency.public)
    parameters = tuple(replace(p, usual=known[p.name]) if p.name in known else p for p in _named(header, name, table))
    return OverAnswers(replace(header, adjacency=adjacency, parameters=parameters), block)


def _named(header: Header, name: str, table: Table) -> tuple[Parameter, ...]:
    """The parameters with the private list of a table, which has such a name."""
    count = len(table.aggregates) if table.bins is None else int(table.bins.size) if table.bins.size.isdigit() else None
    return tuple(replace(p, name=name, count=count, table=table) if p.role is Role.PRIVATE else p for p in header.parameters)


def _over_bins(tree: Tree, function: Function, header: Header, table: Table, block: list[ast.stmt]) -> OverAnswers | None:
    """The program over as many answers as an argument says: their number is the length of the list."""
    assert table.bins is not None and isinstance(header.adjacency, RecordRelation)
    name = next(p.name for p in header.parameters if p.role is Role.PRIVATE)
    usual = {p.name: usual_value(p) for p in header.parameters if p.name in table.public_names()}
    try:
        adjacency = BinsRelation.about_bins(header.adjacency, table, sorted(usual.items()))
    except TooComplex as error:
        tree.fault("K171", function, reason=error)
        return None
    if adjacency.unbounded and usual:
        tree.fault("K171", function, reason=f"the bounds of {adjacency.show(0)} are not numbers but {', '.join(sorted(usual))}")
        return None
    parameters = tuple(
        replace(p, counts=True) if p.name == table.bins.size else replace(p, usual=usual[p.name]) if p.name in usual else p
        for p in header.parameters
    )
    counted = [with_length(node, table.bins.size, name) for node in block]
    return OverAnswers(replace(header, adjacency=adjacency, parameters=parameters), counted)


class _Lowering:
    def __init__(self, tree: Tree, items: ItemReader, rows: str, answers: str):
        self.tree, self.items, self.rows, self.answers = tree, items, rows, answers
        self.aggregates: list[Aggregate] = []
        self.names: list[ast.Name] = []  # all of the program
        self.inside: set[int] = set()  # what stands in loops over the records
        self.hidden: dict[str, set[int]] = {}  # what stands in loops with a variable of some name
        self.turns: list[LoopTurn] = []
        self.whole_lists: list[tuple[ast.stmt, str]] = []  # X = [aggregate for d in range(n)]
        self.zeros: dict[str, tuple[int | str, ast.stmt]] = {}  # lists of zeros that a loop over records may count in
        self.bins: Bins | None = None
        self.runs = RunReads(tree, rows, answers, items.place, self.use_bins)
        self.placed: set[int] = set()  # names of turns that stand for places, by identity
        self.kept: list[ast.expr] = []  # so that these stay the only ones of their identity
        self.dropped: list[ast.stmt] = []
        self.added: set[str] = set()  # names that loops over the records add to
        self.depth = 0
        self.apart = False  # whether an aggregate that is known already is an item of its own

    def look_at(self, statements: Sequence[ast.stmt]) -> None:
        """Note all names, and refuse those that are given another meaning."""
        for part in (part for statement in statements for part in ast.walk(statement)):
            if isinstance(part, ast.Name):
                self.names.append(part)
                if isinstance(part.ctx, ast.Store) and part.id == self.rows:
                    self.tree.fault("K165", part, thing=part.id, why="The name stands for all records")
                elif isinstance(part.ctx, ast.Store) and part.id in ("sum", "any", "all"):
                    self.tree.fault("K141", part, name=part.id)
            loops = [part.iter] if isinstance(part, ast.For) else [g.iter for g in getattr(part, "generators", [])]
            targets = [part.target] if isinstance(part, ast.For) else [g.target for g in getattr(part, "generators", [])]
            for name in {name for target in targets for name in stored_names(target)}:  # the loop's own
                self.hidden.setdefault(name, set()).update(id(inner) for inner in ast.walk(part))
            if any(isinstance(over, ast.Name) and over.id == self.rows for over in loops):
                self.inside |= {id(inner) for inner in ast.walk(part)}

    # ---- statements

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        self.depth += 1
        found: list[ast.stmt] = []
        for statement in statements:
            try:
                found += self.statement(statement)
            except Refused:
                # The names still exist, so that only the fault itself is told.
                found += [at_place(ast.Assign([ast.Name(n, ast.Store())], ast.Constant(0)), statement) for n in sorted(stored_names(statement))]
        self.depth -= 1
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        counts = isinstance(node, ast.For) and clip(node.iter) == self.rows
        for name in stored_names(node) if counts else {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}:
            self.zeros.pop(name, None)  # it is another list from here on, or somebody has seen the zeros
        match node:
            case ast.For(target, ast.Name(id=name), body, orelse) if name == self.rows:
                return self.accumulate(node, target, body, orelse)
            case ast.For(ast.Name(id=name), over, body, orelse):
                turn = turn_of(name, over, body, self.items.whole)
                over = self.expression(over)
                asked = self.runs.turned
                self.runs.loops.append(turn)
                if turn is not None:
                    self.turns.append(turn)
                inner = self.block(body)
                self.runs.loops.pop()
                if turn is not None:
                    self.turns.pop()
                    if self.goes_by_place(turn, inner):
                        self.refuse_behind(node, name)
                    over = self.by_place(turn, over, inner)
                if self.runs.turned and not asked and not self.runs.loops:
                    over = self.runs.loop_over(over)
                return [at_place(ast.For(node.target, over, inner, self.block(orelse)), node)]
            case ast.If(test, then, orelse):
                return [at_place(ast.If(self.expression(test), self.block(then), self.block(orelse)), node)]
            case ast.While(test, then, orelse):
                self.runs.loops.append(None)
                found = at_place(ast.While(self.expression(test), self.block(then), self.block(orelse)), node)
                self.runs.loops.pop()
                return [found]
            case ast.Assign([ast.Name(id=name)], value) if (size := count_zeros(value, self.items.whole)) is not None and self.depth == 1:
                self.zeros[name] = size, node
                return [node]
            case ast.Assign([ast.Name(id=name)], ast.ListComp() | ast.List() as value) if not self.aggregates and self.depth == 1:
                self.apart = isinstance(value, ast.List) and all(map(self.is_aggregate, value.elts))  # as programs are printed
                lowered = at_place(ast.Assign(node.targets, self.expression(value)), node)
                self.apart = False
                self.whole_lists.append((lowered, name))
                return [lowered]
            case _:
                for name_, part in ast.iter_fields(node):
                    setattr(node, name_, self.part(part))
                return [node]

    def part(self, part: object) -> object:
        found = [self.part(p) for p in part] if isinstance(part, list) else part
        return self.expression(part) if isinstance(part, ast.expr) else found

    def alias(self, block: list[ast.stmt], answers: str) -> str:
        """The name of the private list: the program's own, where all aggregates are one list that never changes."""
        names = [n for statement in block for n in ast.walk(statement) if isinstance(n, ast.Name)]
        for statement, name in self.whole_lists:
            named = [n for n in names if n.id == name]  # where it is read before, it has no value there
            stored = [n for n in named if isinstance(n.ctx, ast.Store)]
            grown = any(clip(n.value) == name for s in block for n in ast.walk(s) if isinstance(n, ast.Attribute))
            asked = [*self.runs.names, *ast.walk(statement)]
            reads = [n for n in names if n.id == answers and not any(n is p for p in asked)]
            if statement in block and stored == named[:1] and not grown and not reads and self.is_whole(statement):
                block.remove(statement)
                for read in self.runs.names:
                    read.id = name
                return name
        return answers

    def is_whole(self, statement: ast.stmt) -> bool:
        """Whether a statement gives a name to the list of all aggregates, in order."""
        match statement:
            case ast.Assign(_, ast.ListComp(ast.Subscript(ast.Name(id=of), ast.Name()), [ast.comprehension(_, over)])):
                turn = turn_of("", over, [], self.items.whole)
                if of == self.answers and turn is not None and self.bins is not None:
                    return turn.size == self.bins.size
                return of == self.answers and turn is not None and turn.numbers == range(len(self.aggregates))
            case ast.Assign(_, ast.List(items)):
                places = [i.slice for i in items if isinstance(i, ast.Subscript) and clip(i.value) == self.answers]
                found = [place.value for place in places if isinstance(place, ast.Constant)]
                return len(items) == len(found) and found == list(range(len(self.aggregates)))
            case _:
                return False

    # ---- expressions

    def expression(self, node: ast.expr) -> ast.expr:
        """The same expression with items of the private list for aggregates."""
        found = self.aggregate(node)
        if found is not None:
            return found
        match node:
            case ast.Name(id=name) if name == self.rows:
                raise self.tree.refuse("K165", node, thing=clip(node), why="Records are used in aggregates alone")
            case ast.Subscript(ast.Name(id=name)) if name == self.rows:
                raise self.tree.refuse("K165", node, thing=clip(node), why="Which record stands at a place is no aggregate")
            case ast.ListComp(item, loops) if self.are_plain(loops):
                turns: list[LoopTurn | None] = []
                overs: list[ast.expr] = []
                for g in loops:
                    overs.append(self.expression(g.iter))
                    turns.append(turn_of(clip(g.target), g.iter, [item], self.items.whole))
                    self.turns += [turn for turn in turns[-1:] if turn is not None]
                self.runs.loops += [None] * len(loops)
                inner = self.expression(item)
                del self.runs.loops[-len(loops) :], self.turns[len(self.turns) - len(turns) + turns.count(None) :]
                overs = [over if turn is None else self.by_place(turn, over, [inner, *overs]) for turn, over in zip(turns, overs, strict=True)]
                return at_place(ast.ListComp(inner, [over_same(g, over) for g, over in zip(loops, overs, strict=True)]), node)
            case ast.BinOp(_, ast.Add() | ast.Sub(), _) if (folded := self.fold(node)) is not None:
                return folded
        copied = copy.copy(node)
        again = isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp | ast.Lambda)
        self.runs.loops += [None] if again else []
        for name_, part in ast.iter_fields(node):
            setattr(copied, name_, self.part(part) if not isinstance(part, ast.expr_context) else part)
        if again:
            self.runs.loops.pop()
        return copied

    def are_plain(self, loops: Sequence[ast.comprehension]) -> bool:
        """Whether each loop of a comprehension has a name of its own and no condition."""
        return len({clip(g.target) for g in loops if isinstance(g.target, ast.Name) and not g.ifs and not g.is_async}) == len(loops)

    def fold(self, node: ast.expr) -> ast.expr | None:
        """A sum in which aggregates that depend on the run stand beside others, with one aggregate for all of them."""
        found: list[tuple[Fraction, Builder]] = []
        others: list[tuple[int, ast.expr]] = []
        names: frozenset[str] = frozenset()
        for sign, term in terms_of(node):
            times, call = factored(term)
            if self.is_aggregate(call) and clip(call).startswith(("sum(", "len(")):
                build, turned = self.builder(call)
                found.append((sign * times, build))
                names |= turned
            else:
                others.append((sign, term))
        symbols = {turn.name: turn.first for turn in self.turns if turn.name in names}
        if len(found) < 2 or not any(build(symbols).run_names() for _, build in found):
            return None
        total = self.read(node, lambda bound: joined([(times, build(bound)) for times, build in found]), names)
        for sign, term in others:
            op = ast.Add() if sign > 0 else ast.Sub()
            total = at_place(ast.BinOp(total, op, self.expression(term)), node)
        return total

    def by_place(self, turn: LoopTurn, over: ast.expr, body: Sequence[ast.expr | ast.stmt]) -> ast.expr:
        """What a loop goes over: places, where aggregates that depend on written values stand at places."""
        if not self.goes_by_place(turn, body):
            return over
        used = [n for part in body for n in ast.walk(part) if isinstance(n, ast.Name) and n.id == turn.name]
        for other in (n for n in used if id(n) not in self.placed):
            raise self.tree.refuse("K173", other, name=turn.name)
        return expression(f"range({len(turn.values)})", over)

    def goes_by_place(self, turn: LoopTurn, body: Sequence[ast.expr | ast.stmt]) -> bool:
        return bool(turn.values) and any(id(n) in self.placed for part in body for n in ast.walk(part))

    def refuse_behind(self, node: ast.For, name: str) -> None:
        """Refuse a value of a written list that is used behind its loop, where its name stands for a place now."""
        own = {id(part) for part in ast.walk(node)} | self.hidden.get(name, set())
        for other in (n for n in self.names if n.id == name and isinstance(n.ctx, ast.Load) and id(n) not in own):
            raise self.tree.refuse("K173", other, name=name)

    def is_aggregate(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(ast.Name(id="len"), [ast.Name(id=name)], []):
                return name == self.rows
            case ast.Call(ast.Name(id="sum" | "max" | "min" | "any" | "all"), [ast.GeneratorExp() | ast.ListComp() as many]):
                over = many.generators[0].iter
                return isinstance(over, ast.Name) and over.id == self.rows
            case _:
                return False

    def aggregate(self, node: ast.expr) -> ast.expr | None:
        """What stands for an aggregate, if the expression is one."""
        if not self.is_aggregate(node):
            return None
        found = self.read(node, *self.builder(node))
        if isinstance(node, ast.Call) and clip(node.func) in ("any", "all"):
            return at_place(ast.Compare(found, [ast.Eq()], [ast.Constant(1)]), node)
        return found

    def builder(self, node: ast.expr) -> tuple[Builder, frozenset[str]]:
        """An aggregate as a function of the turns of loops, and the turns that it depends on."""
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id == "len":
            return lambda bound: Aggregate("sum", ONE), frozenset()
        many = node.args[0]
        assert isinstance(many, ast.GeneratorExp | ast.ListComp)
        if len(many.generators) != 1 or many.generators[0].is_async:
            raise self.tree.refuse("K165", node, thing=clip(node), why="An aggregate goes once through the records")
        (loop,) = many.generators
        if not isinstance(loop.target, ast.Name):
            raise self.tree.refuse("K125", loop.target)
        default = self.default(node)
        record, names = loop.target.id, {t.name for t in self.turns} - {loop.target.id}
        turned = frozenset(n.id for n in ast.walk(many) if isinstance(n, ast.Name) and n.id in names)

        def build(bound: Mapping[str, RecordFunction]) -> Aggregate:
            inner = self.items.of(record, bound)
            tests = [inner.truth(test) for test in loop.ifs]
            test = chained("and", tests) if tests else None
            assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            match node.func.id:
                case "sum":
                    return total_of(inner.number(many.elt), test)
                case "any":
                    return Aggregate("max", Apply("if", (inner.truth(many.elt), ONE, ZERO)), test, Fraction(0))
                case "all":
                    return Aggregate("min", Apply("if", (inner.truth(many.elt), ONE, ZERO)), test, Fraction(1))
                case how:
                    return Aggregate(how, inner.number(many.elt), test, default)

        return build, turned

    def default(self, node: ast.Call) -> Fraction | None:
        assert isinstance(node.func, ast.Name)
        if node.func.id not in ("max", "min"):
            if node.keywords or len(node.args) != 1:
                raise self.tree.refuse("K165", node, thing=clip(node), why="An aggregate has one argument")
            return None
        match node.keywords:
            case [ast.keyword("default", value)] if isinstance(found := number_of(value), Fraction):
                return found
        raise self.tree.refuse("K172", node, name=node.func.id)

    # ---- places in the private list

    def read(self, node: ast.expr, build: Builder, turned: frozenset[str]) -> ast.expr:
        """The item of the private list that an aggregate is; a block of items where it depends on turns of loops."""
        turns = [turn for turn in self.turns if turn.name in turned]
        if build({turn.name: turn.first for turn in turns}).run_names():
            return self.runs.read(node, build, turns, build({turn.name: turn.symbol for turn in turns}))
        if any(turn.size for turn in turns):
            return self.read_bin(node, build, turns)
        block = [build({})] if not turns else spread_turns(turns, build, {})
        at = self.place_of(node, block)
        place: ast.expr | None = ast.Constant(at) if at or not turns else None
        stride = len(block)
        for turn in turns:
            stride //= len(turn.numbers)
            name: ast.expr = ast.Name(turn.name, ast.Load())
            self.placed.add(id(name))
            self.kept.append(name)
            if turn.numbers.start:
                name = ast.BinOp(name, ast.Sub(), ast.Constant(turn.numbers.start))
            if stride > 1:
                name = ast.BinOp(name, ast.Mult(), ast.Constant(stride))
            place = name if place is None else ast.BinOp(place, ast.Add(), name)
        assert place is not None
        return at_place(ast.Subscript(ast.Name(self.answers, ast.Load()), place, ast.Load()), node)

    def read_bin(self, node: ast.expr, build: Builder, turns: Sequence[LoopTurn]) -> ast.expr:
        """The item that an aggregate is, of as many as an argument says."""
        if len(turns) > 1:
            raise self.tree.refuse("K174", node, thing=clip(node), why="Bins that an argument counts are in one row")
        (turn,) = turns
        self.use_bins(node, Bins(turn.size, self.items.place, build({turn.name: ArgumentOf(self.items.place)})))
        return expression("xs[i]", node, xs=self.answers, i=turn.name)

    def use_bins(self, node: ast.expr | ast.stmt, bins: Bins) -> None:
        if self.bins not in (None, bins) or self.aggregates or self.runs.late:
            raise self.tree.refuse("K174", node, thing=clip(node), why="Bins that an argument counts are all that is read of the records")
        self.bins = bins

    def place_of(self, node: ast.expr | ast.stmt, block: list[Aggregate]) -> int:
        if self.bins is not None:
            raise self.tree.refuse("K174", node, thing=clip(node), why="Bins that an argument counts are all that is read of the records")
        starts = range(0 if self.apart else len(self.aggregates) - len(block) + 1)
        if (known := next((at for at in starts if self.aggregates[at : at + len(block)] == block), None)) is not None:
            return known
        if len(self.aggregates) + len(block) > MOST_AGGREGATES:
            raise self.tree.refuse("K169", node, most=MOST_AGGREGATES)
        self.aggregates += block
        return len(self.aggregates) - len(block)

    # ---- the loop that people write instead

    def accumulate(self, node: ast.For, target: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> list[ast.stmt]:
        """The sums that a loop over the records adds up, as statements that add them at once."""
        if not isinstance(target, ast.Name):
            raise self.tree.refuse("K125", target)
        if orelse:
            raise self.tree.refuse("K109", orelse[0])
        local = {target.id} | {n for s in body for n in record_names_in(s)}
        for used in (n for n in self.names if n.id in local and id(n) not in self.inside):
            raise self.tree.refuse("K166", used, thing=f"`{used.id}`")
        zeros: dict[str, int | str] = {n: size for n, (size, _) in self.zeros.items()} if self.depth == 1 else {}
        totals = self.items.loop(target.id, body, zeros)
        self.added |= totals.scalars.keys()
        scalars = totals.scalars.items()
        found: list[ast.stmt] = [at_place(ast.AugAssign(ast.Name(n, ast.Store()), ast.Add(), self.total(node, item)), node) for n, item in scalars]
        for name, item in totals.bins.items():
            size, zeros_of = self.zeros.pop(name)
            assert isinstance(size, str)
            self.use_bins(node, Bins(size, self.items.place, total_of(item)))
            found.append(self.whole_list(node, name, 0, size))
            self.dropped.append(zeros_of)
        for name, several in totals.lists.items():
            at = self.place_of(node, [total_of(item) for item in several])
            found.append(self.whole_list(node, name, at, str(len(several))))
            self.dropped.append(self.zeros.pop(name)[1])
        return found

    def whole_list(self, node: ast.stmt, name: str, at: int, many: str) -> ast.stmt:
        made = list_of_items(node, name, self.answers, at, many)
        if at == 0:
            self.whole_lists.append((made, name))
        return made

    def total(self, node: ast.stmt, contributions: RecordFunction) -> ast.expr:
        """What stands for a sum that a loop adds up."""
        aggregate = total_of(contributions)
        if aggregate.run_names():
            return self.runs.read(node, lambda bound: aggregate, (), aggregate)
        return ast.Subscript(ast.Name(self.answers, ast.Load()), ast.Constant(self.place_of(node, [aggregate])), ast.Load())
