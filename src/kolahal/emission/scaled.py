"""Functions of one record as Python text on whole numbers: a value is what the text gives over a fixed denominator.

Fields that need not be whole are held as whole multiples of a unit, so that one pass over many records has no fractions in it.
Public numbers are whole multiples of 1 over a number that is known when the program is called.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from kolahal.lang.enclosures import MATH, STEP
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.records.cells import find_pieces, is_rounded
from kolahal.lang.records.table import (
    Apply,
    ArgumentOf,
    FieldOf,
    NumberOf,
    RecordFunction,
    RowClass,
    RunOf,
    TextOf,
    parts_of,
    print_item,
)
from kolahal.nouns import dataclass

TIMES = "_times_"  # in a name that is a multiple of another
FINE = "_fine"  # what public numbers are whole multiples of 1 over


@dataclass(frozen=True, slots=True)
class Scaled:
    """A text whose value, over `below` and over a power of FINE, is meant. Truth values and labels are over 1."""

    text: str
    below: int = 1
    power: int = 0
    fixed: dict[str, str] | None = None  # of a name that is the same for all records: where its multiples are noted

    def over(self, below: int, power: int = 0) -> str:
        """The text over a multiple of its denominator."""
        factor, finer = below // self.below, [FINE] * (power - self.power)
        if self.fixed is not None and (factor > 1 or finer):
            name = f"{self.text}{TIMES}{'_'.join([str(factor), *finer])}"
            self.fixed[name] = f"_whole({' * '.join([self.text, str(factor), *finer])})"
            return name
        bare = self.text.removeprefix("(").removesuffix(")")
        if bare.removeprefix("-").isdigit() and (not finer or not int(bare)):
            number = int(bare) * factor
            return f"({number})" if number < 0 else str(number)
        factors = [*([str(factor)] if factor > 1 else []), *finer]
        return f"({' * '.join([self.text, *factors])})" if factors else self.text

    @property
    def bottom(self) -> str:
        """What it is over, as a text."""
        return " * ".join([str(self.below), *[FINE] * self.power])

    def exact(self) -> str:
        """The value itself."""
        return self.text if self.bottom == "1" else f"Fraction({self.text}, {self.bottom})"


@dataclass(frozen=True, slots=True)
class Writer:
    """How functions of a record are written: `units` of its fields, and what stands between its name and theirs."""

    row: RowClass
    units: Mapping[str, int]
    dot: str
    place: str = ""  # a name that changes from record to record
    real: Collection[str] = ()  # public numbers that need not be whole
    fixed: dict[str, str] = field(default_factory=dict)  # names that are made before the records are looked at

    def lines(self) -> list[str]:
        """The statements that make these names."""
        used = sorted(name for name in self.real if f"{name}{TIMES}{FINE}" in self.fixed)
        fine = [f"    {FINE} = math.lcm({', '.join(f'{name}.denominator' for name in used)})"] if used else []
        return [*fine, *(f"    {name} = {text}" for name, text in self.fixed.items())]

    def public(self, name: str) -> Scaled:
        """A public number that need not be whole."""
        whole = f"{name}{TIMES}{FINE}"
        self.fixed[whole] = f"_whole({name} * {FINE})"
        return Scaled(whole, 1, 1, self.fixed)

    def write(self, item: RecordFunction) -> Scaled:
        return scale_item(item, self)


def scale_item(item: RecordFunction, writer: Writer) -> Scaled:
    """A function of a record whose fields are whole multiples of 1 over their units."""
    part, dot = writer.write, writer.dot

    match item:
        case NumberOf(value):
            return _number(value)
        case FieldOf(name):
            return Scaled(print_item(item, dot), writer.units.get(name, 1))
        case TextOf():
            return Scaled(print_item(item, dot))
        case ArgumentOf(name) if name in writer.real:
            return writer.public(name)
        case ArgumentOf(name) | RunOf(name):
            return Scaled(name, 1, 0, None if name == writer.place else writer.fixed)
        case Apply("if", (test, then, orelse)):
            (first, second), below, power = _aligned([part(then), part(orelse)])
            return Scaled(f"({first} if {part(test).text} else {second})", below, power)
        case Apply("not", (of,)):
            return Scaled(f"(not {part(of).text})")
        case Apply("and" | "or" as op, (left, right)):
            return Scaled(f"({part(left).text} {op} {part(right).text})")
        case Apply("*", (NumberOf(value), of)) | Apply("*", (of, NumberOf(value))):
            return _times(part(of), value)
        case Apply("/", (of, NumberOf(value))) if value:
            return _times(part(of), 1 / value)
        case Apply("*", (left, right)):
            one, two = part(left), part(right)
            return Scaled(f"({one.text} * {two.text})", one.below * two.below, one.power + two.power)
        case Apply("/", (left, right)):
            (first, second), _, _ = _aligned([part(left), part(right)])
            if is_rounded(item, writer.row):
                return Scaled(f"_quotient({first}, {second})", STEP.denominator)
            return Scaled(f"(Fraction({first}) / {second})")
        case Apply(op, (left, right)) if op in COMPARISONS or op in ("+", "-"):
            (first, second), below, power = _aligned([part(left), part(right)])
            return Scaled(f"({first} {op} {second})", *((1, 0) if op in COMPARISONS else (below, power)))
        case Apply("neg", (of,)):
            inner = part(of)
            return Scaled(f"(-{inner.text})", inner.below, inner.power)
        case Apply("floor", (of,)):
            inner = part(of)
            return Scaled(f"({inner.text} // ({inner.bottom}))")
        case Apply(op, (of,)) if op in MATH:
            inner = part(of)
            return Scaled(f"_of_math(math.{op}, {inner.text}, {inner.bottom})", STEP.denominator)
        case Apply("clip", (_, NumberOf(), NumberOf())):
            # Its bounds are numbers in order; written out it is quicker than a call.
            (text, low, high), below, power = _aligned([part(one) for one in item.of])
            if text.isidentifier() and not power:
                return Scaled(f"({low} if {text} < {low} else {high} if {text} > {high} else {text})", below)
            return Scaled(f"clip({text}, {low}, {high})", below, power)
        case Apply(name, several):
            texts, below, power = _aligned([part(one) for one in several])
            return Scaled(f"{name}({', '.join(texts)})", below, power)


def _number(value: Fraction) -> Scaled:
    return Scaled(f"({value.numerator})" if value < 0 else str(value.numerator), value.denominator)


def _times(of: Scaled, factor: Fraction) -> Scaled:
    top = _number(Fraction(factor.numerator)).text
    return Scaled(of.text if factor.numerator == 1 else f"({of.text} * {top})", of.below * factor.denominator, of.power)


def _aligned(several: Sequence[Scaled]) -> tuple[list[str], int, int]:
    """Texts over one denominator, and that."""
    below, power = math.lcm(*(one.below for one in several)), max(one.power for one in several)
    return [one.over(below, power) for one in several], below, power


# ---------------------------------------------------------------- what all values are whole multiples of

Measure: TypeAlias = tuple[Fraction, tuple[str, ...]]  # a number times public expressions


class NoMeasure(Exception):
    """Why values of a function are on no grid that is known before the records."""


def measures(item: RecordFunction, writer: Writer) -> list[Measure]:
    """Numbers such that every value of a function is a sum of whole multiples of them, as the program computes it."""
    several = [m for part in _values(item) for m in measures(part, writer)]
    match item:
        case NumberOf(value):
            return [(value, ())] if value else []
        case FieldOf(name):
            return [(Fraction(1, writer.units.get(name, 1)), ())]
        case ArgumentOf(name) if name in writer.real:
            return [(Fraction(1), (name,))]
        case ArgumentOf() | RunOf() | TextOf():
            return [(Fraction(1), ())]
        case Apply("*", (left, right)):
            return [(a * b, (*one, *two)) for (a, one), (b, two) in product(measures(left, writer), measures(right, writer))]
        case Apply("/", (left, right)) if not is_rounded(item, writer.row):
            return [(a / b, (*one, *two)) for (a, one), (b, two) in product(measures(left, writer), _divisors(right, writer))]
        case Apply("floor"):
            return [(Fraction(1), ())]
        case Apply(op) if op == "/" or op in MATH:
            return [(STEP, ())]
        case _:
            return list(dict.fromkeys(several))


def _values(item: RecordFunction) -> tuple[RecordFunction, ...]:
    """The parts of a function that its value is one of, or a sum of."""
    match item:
        case Apply("if", (_, then, orelse)):
            return then, orelse
        case Apply("+" | "-" | "neg" | "abs" | "max" | "min" | "clip", of):
            return of
        case _:
            return ()


def _divisors(item: RecordFunction, writer: Writer) -> list[Measure]:
    """What a function may divide by: a public expression, or one of a few numbers of the record."""
    parts = list(parts_of(item))
    public = any(isinstance(part, ArgumentOf) for part in parts)
    if not any(isinstance(part, FieldOf) for part in parts):
        return [(Fraction(1), (f"(1 / {print_item(item)})",))]
    if public:
        raise NoMeasure(f"it divides by a sum of a field and an argument, `{print_item(item)}`")
    return [(value, ()) for (value,) in find_pieces(writer.row, [item]).corners if value]


def print_measure(measure: Measure) -> str:
    number, names = measure
    return " * ".join([str(number.numerator) if number.denominator == 1 else f"({number.numerator} / {number.denominator})", *names])
