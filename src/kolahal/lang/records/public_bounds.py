"""Public bounds as units: `sum(clip(r, lo, hi) for r in rows)` moves by multiples of what the program itself names.

Functions of a record that scale with their public arguments are known from those arguments at which the unit is 1.
docs/theory-records.md says why. A unit is above 0 wherever a program is called.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.enclosures import MATH
from kolahal.lang.records.table import (
    ZERO,
    Apply,
    ArgumentOf,
    Field,
    FieldOf,
    NumberOf,
    RecordFunction,
    RowClass,
    RunOf,
    Table,
    TextOf,
    parts_of,
)
from kolahal.lang.scale import WIDTH, reach_of, width_of
from kolahal.nouns import dataclass

PLAIN = "1"  # the dimension of what does not scale
HALF = Fraction(1, 2)
Pairs: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
# Public values at which a unit is 1, and other ones are not.
AT_WIDTH: Pairs = ((-HALF, HALF), (Fraction(0), Fraction(1)), (Fraction(1), Fraction(2)), (Fraction(-1), Fraction(0)))
AT_REACH: Pairs = ((HALF, Fraction(1)), (Fraction(0), Fraction(1)), (-HALF, Fraction(1)), (Fraction(-1), -HALF), (Fraction(-1), Fraction(1)))


@dataclass(frozen=True, slots=True)
class UnitGroup:
    """Public numbers that scale together with some fields: one, or two bounds in the order in which they are used."""

    names: tuple[str, ...]
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class Slice:
    """Functions of a record where every unit is 1: those of the table, its rows, and the unit of each aggregate."""

    row: RowClass
    functions: dict[RecordFunction, RecordFunction]
    units: tuple[str, ...]
    usual: tuple[dict[str, Fraction], ...]  # public values at which that is so, the most telling first
    factors: tuple[str, ...]  # what scales may be made of
    above: tuple[str, ...]  # every unit: also those that only a quotient has, so that no aggregate moves by them

    def of(self, item: RecordFunction) -> RecordFunction:
        return self.functions[item]


def find_slices(table: Table, real: Collection[str], signed: bool) -> Iterator[Slice]:
    """Units in which the aggregates of a table may have bounds, the smaller ones first; `real` arguments may be units.

    With `signed`, one record comes or goes; otherwise it is exchanged, and what is the same for all records goes away.
    """
    dimensions = _Dimensions(table)
    groups = dimensions.groups()
    if not groups or any(len(group.names) > 2 or not set(group.names) <= set(real) for group in groups):
        return
    ways: list[list[str]] = [[]]
    for group in groups:
        if len(group.names) == 1:
            choices = [group.names[0]]
        else:
            widths = [width_of(*group.names)] if _is_shifted(table, group, signed) else []
            choices = [*widths, reach_of(*group.names)]
        ways = [[*way, unit] for way in ways for unit in choices]
    for way in ways:
        yield _slice(table, dimensions, groups, way, AT_REACH if signed else AT_REACH[::-1])


def _slice(table: Table, dimensions: _Dimensions, groups: Sequence[UnitGroup], units: Sequence[str], reached: Pairs) -> Slice:
    given: dict[str, RecordFunction] = {}
    bounded: list[Field] = []
    usual: list[dict[str, Fraction]] = [{}]
    for group, unit in zip(groups, units, strict=True):
        if len(group.names) == 1:
            given[group.names[0]] = NumberOf(Fraction(1))
            usual = [{**known, group.names[0]: Fraction(1)} for known in usual]
            continue
        at = AT_WIDTH if WIDTH.fullmatch(unit) else reached
        usual = [{**known, **dict(zip(group.names, pair, strict=True))} for known in usual for pair in at]
        if WIDTH.fullmatch(unit):
            given |= {group.names[0]: ZERO, group.names[1]: NumberOf(Fraction(1))}
        else:
            given |= {name: FieldOf(f"public {name}") for name in group.names}
            bounded += [Field(f"public {name}", "float", Fraction(-1), Fraction(1)) for name in group.names]
    scaled = frozenset().union(*(group.fields for group in groups))
    fields = [Field(f.name, "float") if f.name in scaled else f for f in table.row.fields]
    functions = {f: put_arguments(f, given) for a in table.aggregates for f in (a.item, a.gated, *a.functions())}
    named = {dimensions.dimension(ArgumentOf(g.names[0])): unit for g, unit in zip(groups, units, strict=True)}
    own = tuple(named.get(dimensions.dimension(a.gated), "") for a in table.aggregates)
    pairs = [group.names for group in groups if len(group.names) == 2]
    factors = tuple(factor for pair in pairs for factor in (width_of(*pair), reach_of(*pair)))
    return Slice(replace(table.row, fields=(*fields, *bounded)), functions, own, tuple(usual), factors, tuple(units))


def put_arguments(item: RecordFunction, given: Mapping[str, RecordFunction]) -> RecordFunction:
    """A function with other functions in place of public arguments and of values of the run."""
    match item:
        case ArgumentOf(name) | RunOf(name):
            return given.get(name, item)
        case Apply(op, of):
            return Apply(op, tuple(put_arguments(part, given) for part in of))
        case _:
            return item


# ---------------------------------------------------------------- what scales with what


class _Dimensions:
    """Fields and public arguments that are added or compared scale together; numbers other than 0 do not scale."""

    def __init__(self, table: Table):
        self.table = table
        self.parent: dict[str, str] = {}
        self.order: dict[str, None] = {}
        self.lows: set[str] = set()  # public arguments that are lower bounds
        self.labels = {f.name for f in table.row.fields if f.kind in ("label", "bool")}
        self.found: dict[RecordFunction, str | None] = {}
        for aggregate in table.aggregates:
            for item in aggregate.functions():
                self.read(item)
            self.join([self.read(aggregate.gated), None if not aggregate.default else PLAIN])

    def root(self, name: str) -> str:
        while self.parent.get(name, name) != name:
            name = self.parent[name]
        return name

    def join(self, names: Iterable[str | None]) -> str | None:
        """The dimension of values that are added or compared; 0 fits to all."""
        roots = sorted({self.root(name) for name in names if name is not None})
        for other in roots[1:]:  # PLAIN sorts first
            self.parent[other] = roots[0]
        return roots[0] if roots else None

    def dimension(self, item: RecordFunction) -> str | None:
        found = self.read(item)
        return None if found is None else self.root(found)

    def read(self, item: RecordFunction) -> str | None:
        if item not in self.found:
            self.found[item] = self._read(item)
        return self.found[item]

    def _read(self, item: RecordFunction) -> str | None:
        match item:
            case NumberOf(value):
                return PLAIN if value else None
            case TextOf():
                return PLAIN
            case FieldOf(name):
                return PLAIN if name in self.labels else f"field {name}"
            case ArgumentOf(name, truth):
                if not truth:
                    self.order[name] = None
                return PLAIN if truth else f"public {name}"
            case RunOf():
                raise AssertionError("aggregates that depend on the run have no units")
            case Apply("if", (test, then, orelse)):
                self.read(test)
                return self.join([self.read(then), self.read(orelse)])
            case Apply("and" | "or" | "not", of):
                for part in of:
                    self.read(part)
                return PLAIN
            case Apply("*", (NumberOf() as factor, other)) | Apply("*", (other, NumberOf() as factor)):
                return self.read(other) if factor.value else None
            case Apply("/", (other, NumberOf())):
                return self.read(other)
            case Apply(op, of) if op == "*" or op in MATH:
                return self.join([PLAIN, *map(self.read, of)])
            case Apply("/", of):
                self.join(map(self.read, of))
                return PLAIN
            case Apply("+" | "-" | "neg" | "abs" | "max" | "min" | "clip" as op, of):
                below = of[1:2] if op == "clip" else of if op == "max" else ()
                self.lows |= {part.name for part in below if isinstance(part, ArgumentOf)}
                return self.join(list(map(self.read, of)))
            case Apply(_, of):  # a comparison
                self.join(list(map(self.read, of)))
                return PLAIN

    def groups(self) -> list[UnitGroup]:
        """The public numbers that scale, by what they scale with; only those that the size of an aggregate depends on."""
        several: dict[str, list[str]] = {}
        for name in sorted(self.order, key=lambda name: name not in self.lows):
            if (root := self.root(f"public {name}")) != self.root(PLAIN):
                several.setdefault(root, []).append(name)
        wanted = {self.dimension(a.gated) for a in self.table.aggregates} | self.divisors()
        return [
            UnitGroup(tuple(names), frozenset(f.name for f in self.table.row.fields if self.root(f"field {f.name}") == root))
            for root, names in several.items()
            if root in wanted
        ]

    def divisors(self) -> set[str | None]:
        """The dimensions of what is divided by."""
        parts = [part for a in self.table.aggregates for f in a.functions() for part in parts_of(f)]
        return {self.dimension(part.of[1]) for part in parts if isinstance(part, Apply) and part.op == "/"}


def _is_shifted(table: Table, group: UnitGroup, signed: bool) -> bool:
    """Whether all aggregates keep their moves when the fields and bounds of a group are all raised by the same amount."""
    try:
        raised = [_raised(a.gated, group) for a in table.aggregates]
        tests = [_raised(f, group) for a in table.aggregates for f in a.functions()[1:]]
    except _Bent:
        return False
    return not any(tests) and not any(r for r, a in zip(raised, table.aggregates, strict=True) if signed or a.how != "sum")


class _Bent(Exception):
    """A function does not change by a fixed multiple of what everything is raised by."""


def _raised(item: RecordFunction, group: UnitGroup) -> Fraction:
    """By how much a function changes when the fields and bounds of a group are all raised by 1."""
    match item:
        case FieldOf(name):
            return Fraction(name in group.fields)
        case ArgumentOf(name):
            return Fraction(name in group.names)
        case Apply("*", (NumberOf(value), other)) | Apply("*", (other, NumberOf(value))):
            return value * _raised(other, group)
        case Apply("/", (other, NumberOf(value))) if value:
            return _raised(other, group) / value
        case Apply("+", (left, right)):
            return _raised(left, group) + _raised(right, group)
        case Apply("-", (left, right)):
            return _raised(left, group) - _raised(right, group)
        case Apply("neg", (inner,)):
            return -_raised(inner, group)
        case Apply("max" | "min" | "clip", of):
            return _alike([_raised(part, group) for part in of])
        case Apply("if", (test, then, orelse)):
            _still([_raised(test, group)])
            return _alike([_raised(then, group), _raised(orelse, group)])
        case Apply("<" | "<=" | ">" | ">=" | "==" | "!=", of):
            _alike([_raised(part, group) for part in of])
            return Fraction(0)
        case Apply(_, of):
            return _still([_raised(part, group) for part in of])
        case _:
            return Fraction(0)


def _alike(values: Sequence[Fraction]) -> Fraction:
    if len(set(values)) > 1:
        raise _Bent
    return values[0]


def _still(values: Sequence[Fraction]) -> Fraction:
    if any(values):
        raise _Bent
    return Fraction(0)
