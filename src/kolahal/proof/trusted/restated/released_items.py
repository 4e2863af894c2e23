"""What the items of a list of answers are computed from: whoever may see that may see the items.

`out.append(total / max(count, 1))` is not linear, and proofs are about linear arithmetic. Where a list is made of answers alone
(it begins empty, grows at its end and is returned, and nothing else looks at it), a program that appends `total` and
`max(count, 1)` instead is at least as telling, if all answers are of the same names: its list can be read from left to right, item by item, if each group of
parts begins with the number of the place in the text that appended it. One place that always appends so many parts needs no number.
The same holds of names that such items alone are made of.

Where an item has no value the program stops, and that can be told from the parts, too, if the other program comes to its end and
answers with them. So in programs with `while`, in those that may stop elsewhere because there is nothing to choose from, and where parts may be computed and not be answered with (a list that begins anew, a
name that is appended under a condition), items must have values on their face: divisors above 0, and nothing that may be None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang import ir
from kolahal.lang.kinds import LIST, NUMERIC, infer
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Span
from kolahal.proof.trusted.restated.filled import chooses

PartsOf = Callable[[ir.Expr], tuple[ir.Expr, ...]]


class _NoParts(Exception):
    """A name that is made of parts is looked at in a way that parts do not tell."""


def released_items(sketch: Sketch, is_linear: Callable[[ir.Expr], bool], parts_of: PartsOf) -> Sketch:
    """The program whose lists of answers hold what their items are computed from; itself, if all of these are linear."""
    try:
        found = _AnswerLists(_item_by_item(sketch, is_linear), is_linear, parts_of)
        return found.rewritten() if found.lists else sketch
    except _NoParts:
        return sketch


def _item_by_item(sketch: Sketch, is_linear: Callable[[ir.Expr], bool]) -> Sketch:
    """The program that fills lists whose items are not linear in a loop: a comprehension computes them in the same order."""
    taken = ir.names_in(sketch.body) | {p.name for p in sketch.parameters}

    def own(word: str) -> str:
        name = ir.lengthened(word, taken)
        taken.add(name)
        return name

    def loop(name: str, made: ir.Comprehension, span: Span) -> ir.Block:
        turn = own(made.name)
        item = ir.rebuild(made.item, lambda part: replace(part, name=turn) if isinstance(part, ir.Var) and part.name == made.name else None)
        grown = ir.Append(name, item, False, span=span)
        return ir.Assign((name,), (ir.ListOf((), span=span),), span=span), ir.For(turn, made.over, (grown,), span=span)

    def change(node: ir.Stmt) -> ir.Block | None:
        match node:
            case ir.Return(ir.Comprehension() as made) if is_filled(made):
                name = own("out")
                return *loop(name, made, node.span), replace(node, value=ir.Var(name, span=node.span))
            case ir.Assign((name,), (ir.Comprehension() as made,)) if is_filled(made) and name not in ir.names_in(made):
                return loop(name, made, node.span)
            case _:
                return None

    def is_filled(made: ir.Comprehension) -> bool:
        return not is_linear(made.item) and not any(isinstance(part, ir.Comprehension | ir.Query) for part in ir.walk(made.item))

    return replace(sketch, body=ir.replaced(sketch.body, change))


class _AnswerLists:
    def __init__(self, sketch: Sketch, is_linear: Callable[[ir.Expr], bool], parts_of: PartsOf):
        self.sketch, self.is_linear, self.parts_of = sketch, is_linear, parts_of
        self.types = infer(sketch)
        self.names: dict[str, tuple[str, ...]] = {}  # what is computed for such items alone, and the names of its parts
        answers = _lists_of_answers(sketch)
        self.find_names(answers)
        # Of answers, with the places that append to them.
        self.lists = {n: places for n, places in answers.items() if any(map(self.is_computed, places)) and self.has_one_answer()}
        items = {name for name, places in self.lists.items() if any(self.may_stop(place.value) for place in places)}
        names = {name for name, value in ir.assignments(sketch.body) if name in self.names and self.may_stop(value)}
        answered = all(map(self.is_answered, self.lists if names else items)) and names <= self.appended(sketch.body)
        if (items or names) and (not answered or chooses(sketch.body) or any(isinstance(node, ir.While) for node in ir.walk(sketch.body))):
            self.lists = {}

    def may_stop(self, value: ir.Expr) -> bool:
        """Whether a run may stop in a value and not in its parts: they are no numbers, or its divisors may be 0."""
        if self.is_linear(value) and not ir.names_read(value) & self.names.keys():
            return False
        lists = {id(node.of) for node in ir.walk(value) if isinstance(node, ir.Index | ir.Length)}
        looks = [node for node in ir.walk(value) if isinstance(node, ir.Var | ir.Index) and id(node) not in lists]
        return not _has_value(value) or not all(self.types.of(node) <= NUMERIC for node in looks)

    def is_computed(self, place: ir.Append) -> bool:
        return not self.is_linear(place.value) or bool(ir.names_read(place.value) & self.names.keys())

    def has_one_answer(self) -> bool:
        """Whether all runs answer with the same names, or with what is no list, or an empty one; else one answer's parts may be
        what another has for its items, and nobody could tell which of them it was."""
        body = self.sketch.body[self.sketch.preconditions :]
        lists = [n.value for n in ir.walk(body) if isinstance(n, ir.Return) and (isinstance(n.value, ir.TupleOf) or LIST in self.types.of(n.value))]
        return len({value for value in lists if value != ir.ListOf(())}) <= 1

    def is_answered(self, name: str) -> bool:
        """Whether a list, once it has an item, is in every answer, with all that was appended: it begins once."""
        begins = [node for node in ir.walk(self.sketch.body) if isinstance(node, ir.Assign) and name in node.targets]
        if len(begins) != 1 or begins[0] not in self.sketch.body:
            return False
        behind = self.sketch.body[self.sketch.body.index(begins[0]) :]
        returned = [node.value for node in ir.walk(behind) if isinstance(node, ir.Return)]
        return all(ir.Var(name) in (value.items if isinstance(value, ir.TupleOf) else (value,)) for value in returned)

    def appended(self, body: ir.Block) -> set[str]:
        """The names whose values are appended by statements that follow at once, whatever happens."""
        found: set[str] = set()
        needed: set[str] = set()
        for node in reversed(body):
            match node:
                case ir.Append(name, value):
                    needed |= ir.names_read(value) if name in self.lists else set()
                case ir.Assign(targets, values):
                    found |= set(targets) & needed
                    needed |= ir.names_read(values) if set(targets) & needed & self.names.keys() else set()
                case ir.If(_, then, orelse):
                    found |= self.appended(then) | self.appended(orelse)
                    needed = set()
                case ir.For(_, _, inner) | ir.While(_, inner):
                    found |= self.appended(inner)
                    needed = set()
                case _:
                    needed = set()
        return found

    def find_names(self, answers: dict[str, list[ir.Append]]) -> None:
        """The names that are given one value in one place, and that items of lists of answers alone are made of."""
        given = Counter(name for name, _ in ir.assignments(self.sketch.body))
        barred = {p.name for p in self.sketch.parameters}
        barred |= {n.name for n in ir.walk(self.sketch.body) if isinstance(n, ir.For | ir.Comprehension | ir.Append)}
        single = [n for n in ir.walk(self.sketch.body) if isinstance(n, ir.Assign) and len(n.targets) == 1]
        values = {n.targets[0]: n.values[0] for n in single if given[n.targets[0]] == 1 and n.targets[0] not in barred}
        reads = Counter(n.name for n in ir.walk(self.sketch.body) if isinstance(n, ir.Var))
        taken = {*given, *barred, *reads}
        looked = Counter(n.name for places in answers.values() for place in places for n in ir.walk(place.value) if isinstance(n, ir.Var))
        chosen: set[str] = set()
        while True:
            late = [n for n, v in values.items() if n not in chosen and (not self.is_linear(v) or ir.names_read(v) & chosen) and n not in ir.names_read(v)]
            new = next((name for name in late if reads[name] == looked[name]), None)
            if new is None:
                break
            chosen.add(new)
            looked.update(n.name for n in ir.walk(values[new]) if isinstance(n, ir.Var))
        while chosen:  # each is made of earlier ones
            new = next((name for name in values if name in chosen and not ir.names_read(values[name]) & chosen), None)
            if new is None:  # some are made of one another
                self.names = {}
                return
            self.names[new] = tuple(ir.lengthened(f"{new}_{i + 1}", taken) for i in range(len(self.parts_of_name(values[new]))))
            taken |= set(self.names[new])
            chosen.remove(new)

    def parts_of_name(self, value: ir.Expr) -> tuple[ir.Expr, ...]:
        """At least one, which has no value where the name has none."""
        return self.parts(value) or (ir.Const(Fraction(0), span=value.span),)

    def parts(self, value: ir.Expr) -> tuple[ir.Expr, ...]:
        match value:
            case ir.Var(name) if name in self.names:
                return tuple(ir.Var(part, span=value.span) for part in self.names[name])
            case _ if not ir.names_read(value) & self.names.keys():
                return self.parts_of(value)
            case ir.Binary("and" | "or", _, right) if chooses(right):
                raise _NoParts  # where the left side decides, the right one does not stop the run if there is nothing to choose from
            case ir.Binary(_, left, right):
                return (*self.parts(left), *self.parts(right))
            case ir.Negate(of) | ir.Not(of) | ir.IsNone(of):
                return self.parts(of)
            case ir.Call(_, arguments):
                return tuple(part for argument in arguments for part in self.parts(argument))
            case _:
                raise _NoParts

    def rewritten(self) -> Sketch:
        return replace(self.sketch, body=self.block(self.sketch.body))

    def block(self, body: ir.Block) -> ir.Block:
        return tuple(new for node in body for new in self.statement(node))

    def statement(self, node: ir.Stmt) -> Iterator[ir.Stmt]:
        match node:
            case ir.Assign((name,), (value,)) if name in self.names:
                yield from (ir.Assign((word,), (part,), span=node.span) for word, part in zip(self.names[name], self.parts_of_name(value), strict=True))
            case ir.Append(name, value) if name in self.lists:
                places, parts = self.lists[name], self.parts(value)
                which = next(i for i, place in enumerate(places) if place is node)
                label = ir.Const(Fraction(which), span=node.span)
                items: Sequence[ir.Expr] = parts if len(places) == 1 and parts else (label, *parts)
                yield from (replace(node, value=item) for item in items)
            case _:
                yield ir.with_blocks(node, self.block)


def _lists_of_answers(sketch: Sketch) -> dict[str, list[ir.Append]]:
    """The lists that begin empty, grow at their end and are returned, and that nothing else looks at."""
    nodes = list(ir.walk(sketch.body))
    found: dict[str, list[ir.Append]] = {}
    for node in nodes:
        if isinstance(node, ir.Append):
            found.setdefault(node.name, []).append(node)
    reads = Counter(node.name for node in nodes if isinstance(node, ir.Var))
    for node in nodes:
        if isinstance(node, ir.Return):
            items = node.value.items if isinstance(node.value, ir.TupleOf) else (node.value,)
            reads.subtract(item.name for item in items if isinstance(item, ir.Var))
    bound = {node.name for node in nodes if isinstance(node, ir.For | ir.Comprehension)} | {p.name for p in sketch.parameters}
    given = list(ir.assignments(sketch.body))
    empty = {name for name, _ in given} - {name for name, value in given if value != ir.ListOf(())}
    several = {name for node in nodes if isinstance(node, ir.Assign) and len(node.targets) > 1 for name in node.targets}
    return {
        name: places
        for name, places in found.items()
        if not reads[name] and name in empty - several - bound and not any(place.front for place in places)
    }


def _has_value(value: ir.Expr) -> bool:
    """Whether a value is computed without a fault of its own, as far as its divisors say: they are at least a number above 0."""
    for node in ir.walk(value):
        if isinstance(node, ir.Binary) and node.op in ("/", "//", "%"):
            match node.right:
                case ir.Const(Fraction() as number) if number:
                    pass
                case ir.Call("max", arguments) if any(isinstance(a, ir.Const) and isinstance(a.value, Fraction) and a.value > 0 for a in arguments):
                    pass
                case _:
                    return False
    return True
