"""The same program with its private values counted in other units, so that public factors leave its sums.

`m = s / n` and then `m + Lap(c) > T`, with a public n that is at least 1, is `s + Lap(c*n) > T*n` with m counted in 1/n: a value v
of unit u stands for u·v. Sums, comparisons, max and min may be made in any one unit above 0; noise of scale c is, in the unit u,
noise of scale c·u; a product of a value with n is the value itself in a unit that is smaller by n. Answers are told in units that
depend on public inputs alone, one unit at all places to answer, so that whoever sees the one can compute the other. A real argument
is any number in both runs, in whatever unit. Units are products of powers of public quantities that calls require to be positive,
and they are found by unification: private answers, places and all that counts have the unit 1, and whatever meets in a sum has one
unit. Where units do not match, the program stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang import ir
from kolahal.lang.kinds import BOOLEAN, LIST, NONE, NUMBER, TEXT, infer
from kolahal.lang.labels import LabelCode
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.nouns import remembered
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.proof.trusted.restated.public_values import expression_of, given_first, polynomial_of, product_of
from kolahal.proof.trusted.restated.told import told
from kolahal.proof.trusted.restated.units import in_units

ARITHMETIC = ("+", "-", "*", "/")
ONE = Scale(Fraction(1))
FIXED = ""  # what has the unit 1
ANSWER = "return"

UnitOf: TypeAlias = tuple[str, Scale]  # the unit of a name (or of a list's items, or of an answer), times powers


class _NoUnits(Exception):
    """Units do not match, or something has none."""


@remembered(16)  # a search cuts the same program in many ways
def in_other_units(sketch: Sketch) -> Sketch:
    """The program that a proof is about, in the units that it counts in; what is told is no budget."""
    return rescaled(in_units(told(restated(sketch))))


def rescaled(sketch: Sketch) -> Sketch:
    """The program in units that leave no public factor at private values; itself where it has none, or there are no such units."""
    if any(isinstance(node, ir.Query) for node in ir.walk(sketch.body)):
        return sketch
    try:
        units = UnitSystem(sketch)
        return _Rescaler(units).sketch() if units.differ() else sketch
    except _NoUnits:
        return sketch


def units_of(sketch: Sketch, counted: Sketch) -> tuple[Scale, ...]:
    """The unit of the noise of each site, in the same program in other units."""
    pairs = zip(sketch.draws, counted.draws, strict=True)
    return tuple(
        two.scale / one.scale if one.scale != two.scale and isinstance(one.scale, Scale) and isinstance(two.scale, Scale) else ONE
        for one, two in pairs
    )


class UnitSystem:
    """The unit of everything in a program, by unification."""

    def __init__(self, sketch: Sketch):
        self.sketch = sketch
        self.types = infer(sketch)
        self.positive = {sketch.epsilon.name, sketch.length_name, *sketch.required} & set(sketch.quantities())
        self.parents: dict[str, UnitOf] = {}
        self.public: dict[str, ir.Expr | None] = {}  # names of public numbers, and what they are given
        self.fractions: dict[tuple[UnitOf, Scale], None] = {}  # public values that meet others, in order
        self.multiplies = False  # whether values have public factors that are no numbers
        self.find_public()
        self.anchor()
        self.read(sketch.body)

    def find_public(self) -> None:
        sketch = self.sketch
        changed = ir.assigned_names(sketch.body)
        inputs = [sketch.epsilon, *(p for p in sketch.arguments if p.type is Type.INT)]
        self.public |= {p.name: None for p in inputs if p.name not in changed}
        given = [name for name, _ in ir.assignments(sketch.body)]
        bound = {node.name for node in ir.walk(sketch.body) if isinstance(node, ir.For | ir.Comprehension | ir.Append)}
        certain = given_first(sketch.body) - bound - {p.name for p in sketch.parameters}
        for node in sketch.body:
            for name, value in ir.assignments(node) if isinstance(node, ir.Assign) else ():
                if given.count(name) == 1 and name in certain and self.is_public(value):
                    self.public[name] = value

    def anchor(self) -> None:
        """What counts, tells places, or is no number has the unit 1."""
        sketch = self.sketch
        names = [node.name for node in ir.walk(sketch.body) if isinstance(node, ir.Comprehension)]
        if len(set(names)) < len(names) or set(names) & {*ir.assigned_names(sketch.body), *(p.name for p in sketch.parameters)}:
            raise _NoUnits  # one name for two things
        self.fix((items_of(sketch.private.name), ONE))
        for parameter in sketch.parameters:
            if parameter.name not in self.public and not (parameter in sketch.arguments and parameter.type is Type.FLOAT):
                self.fix((parameter.name, ONE))
        for name, kinds in self.types.names.items():
            if NUMBER not in kinds and name not in self.public:
                self.fix((name, ONE))
        for name, kinds in self.types.items.items():
            if NUMBER not in kinds:
                self.fix((items_of(name), ONE))

    # ---- unification

    def find(self, name: str) -> UnitOf:
        if name not in self.parents:
            return name, ONE
        above, factor = self.parents[name]
        root, more = self.find(above)
        return root, factor * more

    def join(self, one: UnitOf | None, two: UnitOf | None) -> UnitOf | None:
        """Make two units one; what may have any unit is None."""
        if one is None or two is None:
            return one or two
        (a, own), (b, other) = self.find(one[0]), self.find(two[0])
        own, other = own * one[1], other * two[1]
        if a == b:
            if own != other:
                raise _NoUnits
        elif a == FIXED:
            self.parents[b] = a, own / other
        else:
            self.parents[a] = b, other / own
        return one

    def fix(self, measured: UnitOf | None) -> None:
        self.join(measured, (FIXED, ONE))

    def unit(self, measured: UnitOf | None) -> Scale:
        """The unit, once all is read; where nothing says one, it is such that public values are no fractions."""
        if measured is None:
            return ONE
        root, factor = self.find(measured[0])
        powers: dict[str, int] = {}
        for (name, more), value in self.fractions if root != FIXED else ():
            own, rest = self.find(name)
            for quantity, power in (value * more * rest).powers if own == root else ():
                powers[quantity] = max(powers.get(quantity, 0), -power)
        return factor * measured[1] * Scale(Fraction(1), tuple(powers.items()))

    def unit_of(self, expr: ir.Expr) -> Scale:
        return self.unit(self.measure(expr))

    def differ(self) -> bool:
        named = (*self.parents, *(name for (name, _), _ in self.fractions))
        return self.multiplies or any(self.unit((name, ONE)) != ONE for name in named)

    # ---- reading

    def read(self, body: ir.Block) -> None:
        for node in body:
            match node:
                case ir.Assign(targets, values):
                    for target, value in zip(targets, values, strict=True):
                        if target not in self.public:
                            self.meet(target, value)
                case ir.Append(name, value):
                    self.together((items_of(name), ONE), value)
                case ir.If(test, then, orelse):
                    self.measure(test)
                    self.read((*then, *orelse))
                case ir.While(test, inner):
                    self.measure(test)
                    self.read(inner)
                case ir.For(name, over, inner):
                    self.join((name, ONE), self.items(over))
                    self.read(inner)
                case ir.Return(value):
                    for word, part in answers_of(value):
                        self.meet(word, part)

    def meet(self, name: str, value: ir.Expr) -> None:
        """A value goes to where others of one unit are."""
        if self.is_list(value):
            self.join((items_of(name), ONE), self.items(value))
        else:
            self.together((name, ONE), value)

    def is_list(self, value: ir.Expr) -> bool:
        return LIST in self.types.of(value)

    def may_be_none(self, value: ir.Expr) -> bool:
        """Whether a value may be None, which has no multiples, itself or as an item that a name stands for."""
        items = self.types.items.values() if isinstance(value, ir.Var) else ()
        return NONE in self.types.of(value).union(*items)

    def items(self, value: ir.Expr | ir.Range) -> UnitOf | None:
        """The unit of the items of a list."""
        match value:
            case ir.Range(start, stop, step):
                for part in (start, stop, step):
                    self.fix(self.measure(part))
                return FIXED, ONE
            case ir.Comprehension(item, name, over):
                self.join((name, ONE), self.items(over))
                return self.together(None, item)
            case ir.ListOf(items):
                return self.together(None, *items)
            case ir.Var(name):
                return items_of(name), ONE
            case _:
                raise _NoUnits

    def together(self, measured: UnitOf | None, *parts: ir.Expr) -> UnitOf | None:
        """The one unit of several values; truth values and texts have the unit 1."""
        for part in parts:
            measured = self.join(measured, self.measure(part))
            if self.types.of(part) & {BOOLEAN, TEXT, LIST}:
                self.fix(measured)
                measured = measured or (FIXED, ONE)
        for part in parts:
            if measured is not None and self.is_public(part) and (product := self.product(part)) is not None:
                self.fractions[measured, product[1]] = None
        return measured

    def measure(self, expr: ir.Expr) -> UnitOf | None:
        """The unit of a value; None if it may have any."""
        if self.is_public(expr):
            return None
        match expr:
            case ir.Const():
                return None
            case ir.Var(name):
                return name, ONE
            case ir.Index(of, at):
                self.fix(self.measure(at))
                return items_of(of.name), ONE
            case ir.Draw(noise=noise, of=of):
                if of is not None:
                    self.fix((items_of(of.name), ONE))
                return (FIXED, ONE) if noise.whole or noise.finite or noise.selects else None
            case ir.Negate(of):
                return self.measure(of)
            case ir.Binary("*" | "/", _, _):
                inner, _, powers = self.factor(expr)
                measured = self.measure(inner)
                return None if measured is None else (measured[0], measured[1] / powers)
            case ir.Binary("+" | "-", left, right):
                return self.together(None, left, right)
            case ir.Call(_, arguments):
                return self.together(None, *arguments)
            case ir.Not(of) | ir.IsNone(of):
                self.measure(of)
            case ir.Binary(op, left, right) if op in COMPARISONS:
                self.together(None, left, right)
            case ir.Binary("and" | "or", left, right):
                self.measure(left)
                self.measure(right)
            case ir.Binary(_, left, right):
                self.fix(self.measure(left))
                self.fix(self.measure(right))
            case _:
                raise _NoUnits
        return FIXED, ONE

    def factor(self, expr: ir.Binary) -> tuple[ir.Expr, Fraction, Scale]:
        """What a product or quotient is of, and its public factor: a number and powers."""
        swap = expr.op == "*" and self.is_public(expr.left)
        inner, other = (expr.right, expr.left) if swap else (expr.left, expr.right)
        product = self.product(other)
        if product is None:
            raise _NoUnits
        number, powers = product
        self.multiplies = self.multiplies or powers != ONE
        return (inner, number, powers) if expr.op == "*" else (inner, 1 / number, powers**-1)

    # ---- public values

    def is_public(self, expr: ir.Expr) -> bool:
        """Whether a value is a number that is made of public inputs alone."""
        match expr:
            case ir.Const(value):
                return isinstance(value, Fraction) and not isinstance(value, LabelCode)
            case ir.Var(name):
                return name in self.public
            case ir.Length(of):
                return of.name == self.sketch.private.name
            case ir.Negate(of):
                return self.is_public(of)
            case ir.Binary(op, left, right):
                return op in ARITHMETIC and self.is_public(left) and self.is_public(right)
            case _:
                return False

    def product(self, expr: ir.Expr) -> tuple[Fraction, Scale] | None:
        """A public value as a number other than 0 times powers of positive quantities, if it is that."""
        found = self.polynomial(expr)
        return None if found is None else product_of(found, self.positive)

    def polynomial(self, expr: ir.Expr) -> Polynomial | None:
        return polynomial_of(expr, self.known, self.positive)

    def known(self, expr: ir.Expr) -> Polynomial | None:
        match expr:
            case ir.Var(name) if name in self.positive:
                return Polynomial.name(name)
            case ir.Var(name) if (value := self.public.get(name)) is not None:
                return self.polynomial(value)
            case ir.Length(ir.Var(name)) if (word := self.sketch.name_of_length(name)) in self.positive:
                return Polynomial.name(word)
            case _:
                return None


class _Rescaler:
    """The program in its units."""

    def __init__(self, units: UnitSystem):
        self.units = units
        self.drawn: dict[int, Scale] = {}  # the unit of the noise of each site

    def sketch(self) -> Sketch:
        return replace(self.units.sketch, body=self.block(self.units.sketch.body))

    def block(self, body: ir.Block) -> ir.Block:
        return tuple(map(self.statement, body))

    def statement(self, node: ir.Stmt) -> ir.Stmt:
        match node:
            case ir.Assign(targets, values):
                return replace(node, values=tuple(map(self.given, targets, values)))
            case ir.Append(name, value):
                return replace(node, value=self.scaled(value, self.units.unit((items_of(name), ONE))))
            case ir.If(test, then, orelse):
                return replace(node, test=self.scaled(test, ONE), then=self.block(then), orelse=self.block(orelse))
            case ir.While(test, inner):
                return replace(node, test=self.scaled(test, ONE), body=self.block(inner))
            case ir.For(_, _, inner):
                return replace(node, body=self.block(inner))
            case ir.Return(value):
                parts = tuple(self.given(word, part) for word, part in answers_of(value))
                return replace(node, value=replace(value, items=parts) if isinstance(value, ir.TupleOf) else parts[0])
            case _:
                return node

    def given(self, target: str, value: ir.Expr) -> ir.Expr:
        if target in self.units.public:
            return value
        unit = self.units.unit((items_of(target) if self.units.is_list(value) else target, ONE))
        match value:
            case ir.Comprehension(item):
                return replace(value, item=self.scaled(item, unit))
            case ir.ListOf(items):
                return replace(value, items=tuple(self.scaled(item, unit) for item in items))
            case _:
                return self.scaled(value, unit)

    def scaled(self, expr: ir.Expr, unit: Scale) -> ir.Expr:
        """A number times a unit; truth values, None and texts are what they are."""
        if self.units.is_public(expr):
            return expr if unit == ONE else self.public(expr, unit)
        match expr:
            case ir.Draw(scale=Scale() as scale, site=site):
                if self.drawn.setdefault(site, unit) != unit or (scale.root and unit != ONE):
                    raise _NoUnits
                return expr if unit == ONE else replace(expr, scale=scale * unit)
            case ir.Negate(of) | ir.Not(of):
                return replace(expr, of=self.scaled(of, unit))
            case ir.IsNone(of):
                return replace(expr, of=self.scaled(of, self.units.unit_of(of)))
            case ir.Binary("*" | "/", _, _):
                inner, number, powers = self.units.factor(expr)
                value = self.scaled(inner, unit * powers)
                return value if number == 1 and not self.units.may_be_none(inner) else ir.Binary("*", ir.Const(number, span=expr.span), value, span=expr.span)
            case ir.Binary(op, left, right):
                if op in COMPARISONS:
                    unit = self.units.unit(self.units.together(None, left, right))
                return replace(expr, left=self.scaled(left, unit), right=self.scaled(right, unit))
            case ir.Call(_, arguments):
                return replace(expr, arguments=tuple(self.scaled(part, unit) for part in arguments))
            case _:
                assert isinstance(expr, ir.Const) or self.units.is_list(expr) or self.units.unit_of(expr) == unit, "units were unified"
                return expr

    def public(self, expr: ir.Expr, unit: Scale) -> ir.Expr:
        """A public number in a unit."""
        found = self.units.polynomial(expr)
        if found is not None:
            return expression_of(found.divided(unit**-1), self.units.sketch, expr)
        times, over = (Scale(Fraction(1), tuple((n, abs(p)) for n, p in unit.powers if p * sign > 0)) for sign in (1, -1))
        for op, powers in (("*", times), ("/", over)):
            if powers != ONE:
                expr = ir.Binary(op, expr, expression_of(Polynomial(((powers.powers, Fraction(1)),)), self.units.sketch, expr), span=expr.span)
        return expr


def items_of(name: str) -> str:
    """What a list's items are called, beside the list's name."""
    return f"{name}[]"


def answers_of(value: ir.Expr) -> Iterator[tuple[str, ir.Expr]]:
    """The parts of an answer, each with the name of its unit."""
    if isinstance(value, ir.TupleOf):
        yield from ((f"{ANSWER} {place}", item) for place, item in enumerate(value.items))
    else:
        yield ANSWER, value
