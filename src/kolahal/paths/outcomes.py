"""A program of fixed size whose randomness is finite, run once on tables: every value as a function of private bits and draws.

Both sides of a branch are followed, and what differs behind it is a table of both. Where a table would be too large, what it
is computed from is *released*: whoever sees that may compute the rest, so that what is proved of all that is released, and of
the answer, holds for the answer. What depends on nothing else is not looked at any more (`Told`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from kolahal.engine.tape import Turns
from kolahal.lang import ir
from kolahal.lang.noise import Noise
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.sketch import Sketch, Type
from kolahal.logic.counting import take_steps
from kolahal.nouns import dataclass
from kolahal.paths.tables import (
    BROKEN,
    NUMBER,
    TRUTH,
    Told,
    ValueTable,
    applied,
    item_of,
    items_of,
    key,
    number_of,
    of_kind,
    operation_of,
    surely,
    truth_of,
)
from kolahal.paths.tables import NotFinite as NotFinite

MOST_ENTRIES = 1 << 10  # of a table
MOST_STATEMENTS = 100_000  # of a run
OPEN_TURNS = 40  # of a loop whose every turn may be its last
MOST_LEVELS = 40  # of a whole answer
FUNCTIONS: dict[str, Callable[..., Any]] = {"max": max, "min": min, "abs": abs}
Names: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bit:
    """A private answer that is False or True."""

    place: int
    values = (False, True)


@dataclass(frozen=True, slots=True)
class Level:
    """A private answer that is a whole number, of which a program sees no more than which of these is nearest."""

    place: int
    values: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Unbounded:
    """A whole answer beyond what is listed of it: its levels, in order, and the sides at which it may be anything further out."""

    levels: ValueTable
    below: bool
    above: bool


@dataclass(frozen=True, slots=True)
class Coin:
    """A draw that is False or True."""

    site: int
    turns: Turns
    values = (False, True)


@dataclass(frozen=True, slots=True)
class ChoiceDraw:
    """A draw of a place; `scores` is a tuple of numbers, or a table of such."""

    site: int
    turns: Turns
    scores: Any
    values: tuple[Fraction, ...]


UnknownValue: TypeAlias = Bit | Level | Coin | ChoiceDraw


@dataclass(frozen=True, slots=True)
class AllOutcomes:
    """What a program draws, in an order in which no draw depends on a later one, and all that is seen of it: the items of its
    answer, and what was released. Constants and what is told are left out of `seen`."""

    unknowns: tuple[UnknownValue, ...]
    seen: tuple[ValueTable, ...]
    answer: Any  # a value, or a tuple of them for a list
    may_stop: bool  # whether a value that is only told may stop a run

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(unknown.values) for unknown in self.unknowns)


def find_outcomes_of(
    sketch: Sketch, size: int, arguments: Mapping[str, Fraction | bool], statements: int = MOST_STATEMENTS
) -> AllOutcomes:
    """All that a program on so many bits or whole answers may do; raises NotFinite. Arguments that are not given may have any values.

    Whole answers may be compared with numbers that the program names, and clamped to them, and nothing else: then all that
    it sees of an answer is where it stands among these.
    """
    if not sketch.private.whole or sketch.private.table is not None:
        raise NotFinite("its private answers are neither bits nor whole numbers")
    machine = _TableRun(sketch, statements)
    names: dict[str, Any] = {}
    for parameter in (*sketch.arguments, sketch.budget):
        names[parameter.name] = arguments[parameter.name] if parameter.name in arguments else Told(TRUTH if parameter.type is Type.BOOL else NUMBER)
    names[sketch.private.name] = tuple(machine.private(place) for place in range(size))
    after, ends = machine.block(sketch.body, names, (), ())
    assert after is None and all(end.kind is ir.Return for end in ends), "a checked program ends with an answer"
    answer = machine.folded(ends)
    items = answer if isinstance(answer, tuple) else (answer,)
    assert not any(BROKEN in table.entries for table in machine.flat(items)), "every run ends with an answer"
    seen = dict.fromkeys([*machine.released, *machine.flat(items)])
    return AllOutcomes(tuple(machine.unknowns), tuple(seen), answer, machine.may_stop)


@dataclass(frozen=True, slots=True)
class End:
    """That a block is left early: when, how, and with which answer or which values of names."""

    when: Any  # True, or a table of truth values, or told; no two ends of a block hold at once
    kind: type[ir.Node]  # Return, Break or Continue
    value: Any


Guards: TypeAlias = tuple[Any, ...]  # truth values that all hold where a statement is run


class _TableRun:
    """One run on tables."""

    def __init__(self, sketch: Sketch, statements: int):
        self.sketch = sketch
        self.unknowns: list[UnknownValue] = []
        self.sizes: list[int] = []
        self.released: list[ValueTable] = []
        self.may_stop = False
        self.guards: Guards = ()
        self.statements_left = statements
        self.ends = _ends(sketch)

    def unknown(self, unknown: UnknownValue) -> Any:
        self.unknowns.append(unknown)
        self.sizes.append(len(unknown.values))
        if len(unknown.values) > MOST_ENTRIES:
            raise NotFinite(f"an answer or a draw has more than {MOST_ENTRIES} values")
        return applied(lambda value: value, [ValueTable((len(self.sizes) - 1,), unknown.values)], self.sizes, MOST_ENTRIES)

    def private(self, place: int) -> Any:
        if self.sketch.private.bits:
            return self.unknown(Bit(place))
        low, high = self.ends
        found = self.unknown(Level(place, tuple(map(Fraction, range(low, high + 1)))))
        return Unbounded(found, True, True)

    # ---- values

    def flat(self, values: Iterable[Any]) -> list[ValueTable]:
        found: list[ValueTable] = []
        for value in values:
            _refuse_unbounded(value)
            found += self.flat(value) if isinstance(value, tuple) else [value] if isinstance(value, ValueTable) else []
        return found

    def apply(self, function: Callable[..., Any], *values: Any, kind: str = "") -> Any:
        """A function of values that stops where it raises WouldStop; lists are tuples. `kind` is what it surely gives."""
        packed = [self.packed(value) for value in values]
        if not _any_told(packed):
            take_steps(1)
            found = applied(function, packed, self.sizes, MOST_ENTRIES)
            if found is not None:
                return self.sure(found)
        return self.told(*packed, kind=kind)

    def told(self, *values: Any, kind: str = "") -> Told:
        """A value that depends on these, which is given away for them."""
        self.released += self.flat(values)
        self.may_stop = self.may_stop or not kind
        return Told(kind)

    def packed(self, value: Any) -> Any:
        """A list as one value."""
        _refuse_unbounded(value)
        if not isinstance(value, tuple) or not any(isinstance(item, ValueTable | Told | tuple) for item in value):
            return value
        items = [self.packed(item) for item in value]
        found = None if _any_told(items) else applied(lambda *row: row, items, self.sizes, MOST_ENTRIES)
        return self.told(*items) if found is None else found

    def sure(self, value: Any) -> Any:
        """The value, if no run comes here that would have stopped with a fault."""
        if value is BROKEN or (isinstance(value, ValueTable) and BROKEN in value.entries):
            guards = [guard for guard in self.guards if isinstance(guard, ValueTable)]
            stops = self.broken(value)
            while guards and self.sizes:
                both = applied(lambda stop, *held: stop and all(held), [stops, *guards], self.sizes, MOST_ENTRIES)
                if both is False:
                    return value
                guards = guards[:-1] if both is None else []
            raise NotFinite("a run may stop with a fault")
        return value

    def broken(self, value: Any) -> Any:
        return ValueTable(value.of, tuple(e is BROKEN for e in value.entries)) if isinstance(value, ValueTable) else value is BROKEN

    def chosen(self, when: Any, then: Any, otherwise: Any) -> Any:
        """One of two values."""
        if isinstance(when, bool):
            return then if when else otherwise
        if key(then) == key(otherwise):
            return then
        _refuse_unbounded(then)
        _refuse_unbounded(otherwise)
        if isinstance(then, tuple) and isinstance(otherwise, tuple) and len(then) == len(otherwise):
            return tuple(self.chosen(when, a, b) for a, b in zip(then, otherwise, strict=True))
        values = [when, self.packed(then), self.packed(otherwise)]
        found = None
        if not _any_told(values):
            places = [self.place_of(value) for value in values[1:]]  # as what a run may not reach is no fault
            found = applied(lambda yes, a, b: (a if yes else b)[0], [when, *places], self.sizes, MOST_ENTRIES)
        kind = of_kind(NUMBER, then, otherwise) or of_kind(TRUTH, then, otherwise)
        return self.told(*values, kind=kind) if found is None else found

    def place_of(self, value: Any) -> Any:
        """A value in a box, so that BROKEN is a value like others."""
        return ValueTable(value.of, tuple((entry,) for entry in value.entries)) if isinstance(value, ValueTable) else (value,)

    def merged(self, when: Any, then: Names | None, otherwise: Names | None) -> Names | None:
        """The names of one of two runs; None is a run that does not come here."""
        if then is None or otherwise is None:
            return otherwise if then is None else then
        names = dict.fromkeys([*then, *otherwise])
        return {name: self.chosen(when, then.get(name, BROKEN), otherwise.get(name, BROKEN)) for name in names}

    def folded(self, ends: Sequence[End], otherwise: Names | None = None) -> Any:
        """The values at the end that a run comes to; where none is named, that is the last, or `otherwise`."""
        *others, last = ends if otherwise is None else [*ends, End(True, ir.Continue, otherwise)]
        found = last.value
        for end in reversed(others):
            pick = self.merged if end.kind is not ir.Return else self.chosen
            found = pick(end.when, end.value, found)
        return found

    def both(self, *held: Any) -> Any:
        """Whether all of some conditions hold."""
        held = tuple(condition for condition in held if condition is not True)
        if _any_told(held):
            return self.told(*held, kind=TRUTH)
        found = applied(lambda *values: all(values), held, self.sizes, MOST_ENTRIES) if held else True
        return self.told(*held, kind=TRUTH) if found is None else found

    def negated(self, condition: Any) -> Any:
        return condition if isinstance(condition, Told) else applied(lambda yes: not yes, [condition], self.sizes, MOST_ENTRIES)

    # ---- statements

    def block(self, body: ir.Block, names: Names | None, turns: Turns, guards: Guards) -> tuple[Names | None, list[End]]:
        """The names behind a block, None where no run gets there, and how it is left before."""
        ends: list[End] = []
        going: Any = True  # whether a run is still in the block
        for node in body:
            if names is None or going is False:
                return None, ends
            names, found = self.statement(node, names, turns, guards if going is True else (*guards, going))
            ends += self.narrowed(going, found)
            going = self.both(going, *[self.negated(end.when) for end in found])
        return (None if going is False else names), ends

    def statement(self, node: ir.Stmt, names: Names, turns: Turns, guards: Guards) -> tuple[Names | None, list[End]]:
        self.statements_left -= 1
        take_steps(1)
        if self.statements_left < 0:
            raise NotFinite("a run takes too many steps")
        self.guards = guards
        match node:
            case ir.Assign(targets, values):
                found = [self.value(value, names, turns) for value in values]
                return {**names, **dict(zip(targets, found, strict=True))}, []
            case ir.If(test, then, orelse):
                return self.branch(self.truth(test, names, turns), then, orelse, names, turns, guards)
            case ir.For(name, over, body):
                return self.repeated(node, ((name, item) for item in self.items(over, names, turns)), body, names, turns, guards)
            case ir.While(test, body):
                return self.repeated(node, None, (ir.If(test, body, (ir.Break(),)),), names, turns, guards)
            case ir.Append(name, value, front):
                item, items = self.value(value, names, turns), self.value(ir.Var(name), names, turns)
                if isinstance(items, tuple):
                    return {**names, name: (item, *items) if front else (*items, item)}, []
                return {**names, name: self.apply(lambda old, new: (new, *old) if front else (*old, new), items, item)}, []
            case ir.Return(value):
                return None, [End(True, ir.Return, self.value(value, names, turns))]
            case ir.Break() | ir.Continue():
                return None, [End(True, type(node), names)]
        raise AssertionError(node)

    def branch(
        self, test: Any, then: ir.Block, orelse: ir.Block, names: Names, turns: Turns, guards: Guards
    ) -> tuple[Names | None, list[End]]:
        if isinstance(test, bool):
            return self.block(then if test else orelse, names, turns, guards)
        other = self.negated(test)
        yes, left = self.block(then, names, turns, (*guards, test))
        no, right = self.block(orelse, names, turns, (*guards, other))
        return self.merged(test, yes, no), [*self.narrowed(test, left), *self.narrowed(other, right)]

    def narrowed(self, condition: Any, ends: Sequence[End]) -> list[End]:
        """The ends that a run may still come to where a condition holds."""
        found = [End(self.both(condition, end.when), end.kind, end.value) for end in ends]
        return [end for end in found if end.when is not False]

    def repeated(
        self, loop: ir.Stmt, items: Iterable[tuple[str, Any]] | None, body: ir.Block, names: Names, turns: Turns, guards: Guards
    ) -> tuple[Names | None, list[End]]:
        """A loop: `for` over items, each bound to a name, or, with None, until it is left."""
        answers: list[End] = []
        breaks: list[End] = []
        now: Names | None = names
        going: Any = True
        given, turn, open_turns = None if items is None else iter(items), 0, 0
        while now is not None and going is not False:
            if given is not None:
                bound = next(given, None)
                if bound is None:
                    break
                now = {**now, bound[0]: bound[1]}
            open_turns += going is not True
            if items is None and open_turns > OPEN_TURNS:
                raise NotFinite("every turn of a loop may be its last")
            now, ends = self.block(body, now, (*turns, turn), guards if going is True else (*guards, going))
            ends = self.narrowed(going, ends)
            answers += [end for end in ends if end.kind is ir.Return]
            breaks += [end for end in ends if end.kind is ir.Break]
            going = self.both(going, *[self.negated(end.when) for end in ends if end.kind is not ir.Continue])
            if on := [end for end in ends if end.kind is ir.Continue]:
                now = self.folded(on, now)
            turn += 1
        return (self.folded(breaks, now) if breaks else now), answers

    # ---- expressions

    def truth(self, expr: ir.Expr, names: Names, turns: Turns) -> Any:
        value = self.value(expr, names, turns)
        if isinstance(value, Told):
            return self.told(kind=of_kind(TRUTH, value))
        found = self.place_of(self.apply(truth_of, value))  # where no run comes, it is false: there others decide what is answered
        return applied(lambda box: box[0] is not BROKEN and box[0], [found], self.sizes, MOST_ENTRIES)

    def items(self, over: ir.Var | ir.Range, names: Names, turns: Turns) -> Sequence[Any]:
        if isinstance(over, ir.Var):
            found = self.value(over, names, turns)
            if not isinstance(found, tuple):
                raise NotFinite("the number of turns of a loop depends on what is private or drawn")
            return found
        ends = [self.value(part, names, turns) for part in (over.start, over.stop, over.step)]
        if not all(isinstance(end, Fraction) for end in ends) or not ends[2]:
            raise NotFinite("the number of turns of a loop depends on what is not known")
        return [Fraction(i) for i in range(*map(int, ends))]

    def value(self, expr: ir.Expr, names: Names, turns: Turns) -> Any:
        found = self.computed(expr, names, turns)
        if isinstance(found, Told):  # it may be one that stops a run, and whether a run comes here depends on the guards
            self.released += self.flat(self.guards)
        return found

    def computed(self, expr: ir.Expr, names: Names, turns: Turns) -> Any:
        match expr:
            case ir.Const(value):
                return value if value is None or isinstance(value, bool) else Fraction(value)
            case ir.Var(name):
                return self.sure(names.get(name, BROKEN))
            case ir.Query():
                raise NotFinite("it asks for aggregates of records")
            case ir.Length(of):
                found = self.value(of, names, turns)
                return Fraction(len(found)) if isinstance(found, tuple) else self.apply(lambda xs: Fraction(len(items_of(xs))), found)
            case ir.Index(of, at):
                return self.item(self.value(of, names, turns), self.value(at, names, turns))
            case ir.Not(of):
                found = self.value(of, names, turns)
                return self.apply(lambda x: not truth_of(x), found, kind=of_kind(TRUTH, found))
            case ir.Negate(of):
                found = self.value(of, names, turns)
                return self.apply(lambda x: -number_of(x), found, kind=of_kind(NUMBER, found))
            case ir.IsNone(of):
                return self.apply(lambda x: x is None, self.value(of, names, turns), kind=TRUTH)
            case ir.Binary("and" | "or" as op, left, right):
                return self.short(op == "or", left, right, names, turns)
            case ir.Binary(op, left, right):
                pair = [self.value(left, names, turns), self.value(right, names, turns)]
                pair = self.told_apart(pair) if op in COMPARISONS else pair
                return self.apply(operation_of(op), *pair, kind=surely(op, *pair))
            case ir.Call(function, arguments):
                called, given = FUNCTIONS[function], [self.value(a, names, turns) for a in arguments]
                if function != "abs" and any(isinstance(value, Unbounded) for value in given):
                    return self.clamped(function, given)
                return self.apply(lambda *xs: called(*map(number_of, xs)), *given, kind=of_kind(NUMBER, *given))
            case ir.Draw():
                return self.draw(expr, names, turns)
            case ir.ListOf(items) | ir.TupleOf(items):
                return tuple(self.value(item, names, turns) for item in items)
            case ir.Comprehension(item, name, over):
                turns_of = enumerate(self.items(over, names, turns))
                take_steps(1)
                return tuple(self.value(item, {**names, name: one}, (*turns, turn)) for turn, one in turns_of)
        raise AssertionError(expr)

    def told_apart(self, pair: list[Any]) -> list[Any]:
        """What is compared with a number that the program names: the same is true of the nearest level."""
        if any(isinstance(value, Unbounded) for value in pair) and any(self.is_named(value) for value in pair):
            return [value.levels if isinstance(value, Unbounded) else value for value in pair]
        return pair

    def clamped(self, function: str, given: list[Any]) -> Any:
        """The larger, or smaller, of an answer and a number that the program names."""
        answers = [value for value in given if isinstance(value, Unbounded)]
        if len(given) != 2 or len(answers) != 1 or not any(map(self.is_named, given)):
            raise NotFinite("an answer is compared with more than a number that the program names")
        (answer,), (bound,) = answers, [value for value in given if not isinstance(value, Unbounded)]
        levels = self.apply(lambda x: FUNCTIONS[function](x, bound), answer.levels)
        below, above = answer.below and function == "min", answer.above and function == "max"
        return Unbounded(levels, below, above) if below or above else levels

    def is_named(self, value: Any) -> bool:
        """Whether a number lies inside the levels, so that answers beyond them are on the same side of it as the last one."""
        return isinstance(value, Fraction) and self.ends[0] < value < self.ends[1]

    def short(self, ends_it: bool, left: ir.Expr, right: ir.Expr, names: Names, turns: Turns) -> Any:
        """`and` or `or`: the right side is asked only where the left one does not decide."""
        first = self.truth(left, names, turns)
        if isinstance(first, bool):
            return first if first is ends_it else self.truth(right, names, turns)
        before = self.guards
        self.guards = (*before, self.negated(first) if ends_it else first)
        second = self.truth(right, names, turns)
        self.guards = before
        return self.chosen(first, True, second) if ends_it else self.chosen(first, second, False)

    def item(self, items: Any, at: Any) -> Any:
        if isinstance(items, tuple) and isinstance(at, Fraction):
            if not -len(items) <= at < len(items):
                return self.sure(BROKEN)
            return items[int(at)]
        return self.apply(item_of, items, at)

    def draw(self, expr: ir.Draw, names: Names, turns: Turns) -> Any:
        if expr.noise is Noise.FLIP:
            return self.unknown(Coin(expr.site, turns))
        if not expr.noise.selects or expr.of is None:
            raise NotFinite("it draws noise with more values than can be listed")
        scores = self.apply(lambda xs: tuple(map(number_of, items_of(xs))), self.value(expr.of, names, turns))
        lengths = {len(row) for row in (scores.entries if isinstance(scores, ValueTable) else [scores]) if isinstance(row, tuple)}
        if isinstance(scores, Told) or len(lengths) != 1 or lengths == {0}:
            raise NotFinite("the number of scores is not known, or scores depend on too much")
        (many,) = lengths
        if isinstance(scores, ValueTable):  # where no run comes, any weights will do
            scores = ValueTable(scores.of, tuple(row if isinstance(row, tuple) else (Fraction(0),) * many for row in scores.entries))
        return self.unknown(ChoiceDraw(expr.site, turns, scores, tuple(map(Fraction, range(many)))))


# ---------------------------------------------------------------- what a program sees of answers


def _ends(sketch: Sketch) -> tuple[int, int]:
    """The first and the last level: beyond every number that the program names."""
    named = [node.value for node in ir.walk(sketch.body) if isinstance(node, ir.Const) and isinstance(node.value, Fraction)]
    if any(isinstance(node, ir.Negate) for node in ir.walk(sketch.body)):
        named += [-value for value in named]
    low, high = math.floor(min(named, default=0)) - 1, math.ceil(max(named, default=0)) + 1
    if high - low > MOST_LEVELS and not sketch.private.bits:
        raise NotFinite(f"answers have more than {MOST_LEVELS} levels between the numbers that the program names")
    return low, high


def _refuse_unbounded(value: Any) -> None:
    for item in value if isinstance(value, tuple) else ():
        _refuse_unbounded(item)
    if isinstance(value, Unbounded):
        raise NotFinite("an answer is used otherwise than compared with numbers that the program names, or clamped to them")


def _any_told(values: Iterable[Any]) -> bool:
    return any(isinstance(value, Told) for value in values)
