"""Functions of one record as Python text on whole numbers: a value is what the text gives over a fixed denominator.

Fields that need not be whole are held as whole multiples of a unit, so that one pass over many records has no fractions in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from kolahal.lang.records import (
    COMPARISONS,
    Apply,
    ArgumentOf,
    FieldOf,
    NumberOf,
    RecordFunction,
    RunOf,
    TextOf,
    print_item,
)

TIMES = "_times_"  # in a name that is a multiple of another


@dataclass(frozen=True, slots=True)
class Scaled:
    """A text whose value, over `below`, is meant. Truth values and labels are over 1."""

    text: str
    below: int = 1
    fixed: dict[str, str] | None = None  # of a name that is the same for all records: where its multiples are noted

    def over(self, below: int) -> str:
        """The text over a multiple of its denominator."""
        factor = below // self.below
        if self.fixed is not None and factor > 1:
            name = f"{self.text}{TIMES}{factor}"
            self.fixed[name] = f"_whole({self.text} * {factor})"
            return name
        bare = self.text.removeprefix("(").removesuffix(")")
        if bare.removeprefix("-").isdigit():
            number = int(bare) * factor
            return f"({number})" if number < 0 else str(number)
        return self.text if factor == 1 else f"({self.text} * {factor})"

    def exact(self) -> str:
        """The value itself."""
        return self.text if self.below == 1 else f"Fraction({self.text}, {self.below})"


@dataclass(frozen=True, slots=True)
class Writer:
    """How functions of a record are written: `units` of its fields, and what stands between its name and theirs."""

    units: Mapping[str, int]
    dot: str
    place: str = ""  # a name that changes from record to record
    fixed: dict[str, str] = field(default_factory=dict)  # names that are made before the records are looked at

    def lines(self) -> list[str]:
        """The statements that make these names."""
        return [f"    {name} = {text}" for name, text in self.fixed.items()]

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
        case ArgumentOf(name) | RunOf(name):
            return Scaled(name, 1, None if name == writer.place else writer.fixed)
        case Apply("if", (test, then, orelse)):
            (first, second), below = _aligned([part(then), part(orelse)])
            return Scaled(f"({first} if {part(test).text} else {second})", below)
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
            return Scaled(f"({one.text} * {two.text})", one.below * two.below)
        case Apply("/", (left, right)):
            (first, second), _ = _aligned([part(left), part(right)])
            return Scaled(f"(Fraction({first}) / {second})")
        case Apply(op, (left, right)) if op in COMPARISONS or op in ("+", "-"):
            (first, second), below = _aligned([part(left), part(right)])
            return Scaled(f"({first} {op} {second})", 1 if op in COMPARISONS else below)
        case Apply("neg", (of,)):
            inner = part(of)
            return Scaled(f"(-{inner.text})", inner.below)
        case Apply(name, several):
            texts, below = _aligned([part(one) for one in several])
            return Scaled(f"{name}({', '.join(texts)})", below)


def _number(value: Fraction) -> Scaled:
    return Scaled(f"({value.numerator})" if value < 0 else str(value.numerator), value.denominator)


def _times(of: Scaled, factor: Fraction) -> Scaled:
    top = _number(Fraction(factor.numerator)).text
    return Scaled(of.text if factor.numerator == 1 else f"({of.text} * {top})", of.below * factor.denominator)


def _aligned(several: Sequence[Scaled]) -> tuple[list[str], int]:
    """Texts over one denominator."""
    below = math.lcm(*(one.below for one in several))
    return [one.over(below) for one in several], below
