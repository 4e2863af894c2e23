"""Records as data: what a row holds, functions of one record, and aggregates of a list of them.

A program over records is an ordinary program over private answers, and the answers are aggregates of the records. The
functions here are exact: numbers are fractions, and what is said of a function holds for every record of the class.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from fractions import Fraction
from math import isfinite
from numbers import Rational
from types import SimpleNamespace
from typing import SupportsFloat, TypeAlias

from kolahal.errors import UsageError
from kolahal.lang.enclosures import MATH, math_value
from kolahal.lang.operators import COMPARISONS, OPERATORS
from kolahal.lang.pretty import print_number
from kolahal.nouns import dataclass

RECORD = "record"  # the name of a record in printed programs
RECORDS = "the records"  # of a call; no name of a program
FieldValue: TypeAlias = Fraction | bool | str
Record: TypeAlias = tuple[FieldValue, ...]  # the values of the fields, in their order
TEXTS = {"float": "float", "int": "int", "bool": "bool"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a row: float, int, bool or label; numbers may have bounds, to which values outside are moved."""

    name: str
    kind: str
    low: Fraction | None = None
    high: Fraction | None = None
    labels: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The field's type as it is written in a program."""
        if self.kind == "label":
            return f"Literal[{', '.join(map(repr, self.labels))}]"
        if self.low is None or self.high is None:
            return TEXTS[self.kind]
        whole = ", whole=True" if self.kind == "int" else ""
        return f"Between({print_number(self.low)}, {print_number(self.high)}{whole})"

    def values(self, most: int) -> tuple[FieldValue, ...] | None:
        """All values of the field, if there are at most so many."""
        match self.kind:
            case "bool":
                return (False, True)
            case "label":
                return self.labels if len(self.labels) <= most else None
            case "int" if self.low is not None and self.high is not None and self.high - self.low < most:
                return tuple(self.low + i for i in range(int(self.high - self.low) + 1))
            case _:
                return None


@dataclass(frozen=True, slots=True)
class RowClass:
    """What a record is: a class of the file with its fields, or a number, which is one field without a name."""

    name: str | None
    fields: tuple[Field, ...]

    def __str__(self) -> str:
        """The annotation of a list of such records."""
        if self.name is not None:
            return f"Records[{self.name}]"
        (only,) = self.fields
        return "Records" if str(only) == "float" else f"Records[{only}]"

    def definition(self) -> list[str]:
        """The lines of the class."""
        if self.name is None:
            return []
        return [f"class {self.name}(NamedTuple):", *(f"    {field.name}: {field}" for field in self.fields), ""]


# ---------------------------------------------------------------- functions of one record


@dataclass(frozen=True, slots=True)
class NumberOf:
    value: Fraction


@dataclass(frozen=True, slots=True)
class TextOf:
    value: str


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A field of the record; the name of a record that is a number is empty."""

    name: str


@dataclass(frozen=True, slots=True)
class ArgumentOf:
    """A public argument of the program: a number, or a truth value."""

    name: str
    truth: bool = False


@dataclass(frozen=True, slots=True)
class RunOf:
    """A value that the run has when it reads the aggregate, such as a noisy threshold."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """Arithmetic (+ - * / neg), comparison, and, or, not, max, min, abs, clip(x, low, high), if(test, then, else), or of `math`."""

    op: str
    of: tuple[RecordFunction, ...]


RecordFunction: TypeAlias = NumberOf | TextOf | FieldOf | ArgumentOf | RunOf | Apply
ZERO, ONE = NumberOf(Fraction(0)), NumberOf(Fraction(1))
ARITHMETIC = ("+", "-", "*", "/")


def parts_of(item: RecordFunction) -> Iterator[RecordFunction]:
    """All parts of a function, itself included."""
    yield item
    if isinstance(item, Apply):
        for part in item.of:
            yield from parts_of(part)


def always_computed(item: RecordFunction) -> Iterator[RecordFunction]:
    """The parts of a function that are computed for every record."""
    yield item
    if isinstance(item, Apply):
        for part in item.of[:1] if item.op in ("if", "and", "or") else item.of:
            yield from always_computed(part)


def evaluate(item: RecordFunction, record: Mapping[str, FieldValue], public: Mapping[str, Fraction | bool]) -> FieldValue:
    """The value of a function for one record."""
    match item:
        case NumberOf(value) | TextOf(value):
            return value
        case FieldOf(name):
            return record[name]
        case ArgumentOf(name) | RunOf(name):
            return public[name]
        case Apply(op, (first, *rest)):
            found = evaluate(first, record, public)
            match op:
                case "if":
                    return evaluate(rest[0] if found else rest[1], record, public)
                case "and":
                    return evaluate(rest[0], record, public) if found else False
                case "or":
                    return True if found else evaluate(rest[0], record, public)
            return _apply(op, [found, *(evaluate(part, record, public) for part in rest)])
    raise AssertionError(f"{item} is computed from nothing")


def _apply(op: str, of: list[FieldValue]) -> FieldValue:
    match op, of:
        case "not", [value]:
            return not value
        case "==" | "!=", [left, right]:
            return bool(OPERATORS[op](left, right))
    numbers = [Fraction(value) for value in of if not isinstance(value, str)]
    match op, numbers:
        case _, [left, right] if op in OPERATORS:
            return OPERATORS[op](left, right)  # type: ignore[no-any-return]
        case "neg", [value]:
            return -value
        case "abs", [value]:
            return abs(value)
        case "max", _:
            return max(numbers)
        case "min", _:
            return min(numbers)
        case "clip", [value, low, high]:
            return min(max(value, low), high)
        case _, [value] if op in MATH:
            return math_value(op, value)
        case _:
            raise AssertionError(f"{op} of {of} has no meaning")


def is_whole(item: RecordFunction, row: RowClass, names: Collection[str] = ()) -> bool:
    """Whether a function of a record has whole values only; `names` are whole arguments."""
    match item:
        case NumberOf(value):
            return value.denominator == 1
        case ArgumentOf(name):
            return name in names
        case FieldOf(name):
            return any(f.name == name and f.kind == "int" for f in row.fields)
        case Apply("if", (_, then, orelse)):
            return is_whole(then, row, names) and is_whole(orelse, row, names)
        case Apply("floor"):
            return True
        case Apply("+" | "-" | "*" | "neg" | "abs" | "max" | "min" | "clip", of):
            return all(is_whole(part, row, names) for part in of)
        case _:
            return False


def print_item(item: RecordFunction, dot: str = ".") -> str:
    """A function as Python text, every operation in parentheses of its own; `dot` stands between a record and a field."""
    match item:
        case NumberOf(value):
            return f"({print_number(value)})" if value < 0 else print_number(value)
        case TextOf(value):
            return repr(value)
        case FieldOf(name):
            return f"{RECORD}{dot}{name}" if name else RECORD
        case ArgumentOf(name) | RunOf(name):
            return name
        case Apply("if", (test, then, orelse)):
            return f"({print_item(then, dot)} if {print_item(test, dot)} else {print_item(orelse, dot)})"
        case Apply("not", (of,)):
            return f"(not {print_item(of, dot)})"
        case Apply("neg", (of,)):
            return f"(-{print_item(of, dot)})"
        case Apply(name, several) if name in ("abs", "max", "min", "clip", *MATH):
            return f"{name}({', '.join(print_item(part, dot) for part in several)})"
        case Apply(op, (left, right)):
            return f"({print_item(left, dot)} {op} {print_item(right, dot)})"
        case _:
            raise AssertionError(f"{item} has no text")


# ---------------------------------------------------------------- aggregates


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number for all records: the sum, max or min of `item` over those that `test` accepts.

    `default` is the max or min of no records.
    """

    how: str
    item: RecordFunction
    test: RecordFunction | None = None
    default: Fraction | None = None

    def __str__(self) -> str:
        return self.over("records")

    def over(self, rows: str) -> str:
        if (self.how, self.item, self.test) == ("sum", ONE, None):
            return f"len({rows})"
        item = _bare(self.item)
        test = "" if self.test is None else f" if {_bare(self.test)}"
        inner = f"{item} for {RECORD} in {rows}{test}"
        return f"{self.how}({inner})" if self.default is None else f"{self.how}(({inner}), default={print_number(self.default)})"

    @property
    def contribution(self) -> RecordFunction:
        """What one record adds to a sum."""
        assert self.how == "sum"
        return self.gated

    @property
    def gated(self) -> RecordFunction:
        """The function where the test holds, and 0 elsewhere."""
        return self.item if self.test is None else Apply("if", (self.test, self.item, ZERO))

    def functions(self) -> tuple[RecordFunction, ...]:
        return (self.item,) if self.test is None else (self.item, self.test)

    def run_names(self) -> tuple[str, ...]:
        """The values of the run that it depends on."""
        parts = (part for item in self.functions() for part in parts_of(item))
        return tuple(sorted({part.name for part in parts if isinstance(part, RunOf)}))


def _bare(item: RecordFunction) -> str:
    """A function without the parentheses around all of it."""
    wrapped = isinstance(item, Apply) and item.op in (*ARITHMETIC, *COMPARISONS, "and", "or", "not", "neg")
    return print_item(item)[1:-1] if wrapped else print_item(item)


@dataclass(frozen=True, slots=True)
class Bins:
    """As many aggregates as the public argument `size` says; `place` stands in `aggregate` for where one is."""

    size: str
    place: str
    aggregate: Aggregate


@dataclass(frozen=True, slots=True)
class Table:
    """The records that a program takes, and the aggregates of them that it reads: its private answers, in order."""

    rows: str  # the name of the parameter
    row: RowClass
    aggregates: tuple[Aggregate, ...]
    bins: Bins | None = None  # instead of the aggregates, where their number is an argument
    added: frozenset[str] = field(default=frozenset(), compare=False)  # the names that loops over the records add to

    def __str__(self) -> str:
        if self.bins is not None:
            return f"[{self.bins.aggregate.over(self.rows)} for {self.bins.place} in range({self.bins.size})]"
        return f"[{', '.join(aggregate.over(self.rows) for aggregate in self.aggregates)}]"

    @property
    def every(self) -> tuple[Aggregate, ...]:
        return self.aggregates if self.bins is None else (self.bins.aggregate,)

    @property
    def depends_on_run(self) -> bool:
        """Whether an aggregate depends on values of the run."""
        return any(aggregate.run_names() for aggregate in self.every)

    def definition(self, name: str) -> list[str]:
        """The line that gives a name to the aggregates; those that depend on the run stand where they are read."""
        fixed = replace(self, aggregates=tuple(a for a in self.aggregates if not a.run_names()))
        return [] if self.depends_on_run and not fixed.aggregates else [f"    {name} = {fixed}"]

    def public_names(self) -> frozenset[str]:
        """The public arguments that aggregates depend on."""
        items = (part for a in self.every for f in a.functions() for part in parts_of(f))
        names = frozenset(part.name for part in items if isinstance(part, ArgumentOf))
        return names if self.bins is None else names - {self.bins.place, self.bins.size}

    def contribution(self, record: Record, public: Mapping[str, Fraction | bool]) -> tuple[Fraction, ...]:
        """What one record adds to each sum; for a max or min, its own value, or the default if it does not count."""
        own = self.own_values(record, public)
        return tuple((a.default or Fraction(0)) if v is None else v for a, v in zip(self.aggregates, own, strict=True))

    def own_values(self, record: Record, public: Mapping[str, Fraction | bool]) -> tuple[Fraction | None, ...]:
        """The value of each aggregate's function for one record; None where it does not count."""
        named = {field.name: value for field, value in zip(self.row.fields, record, strict=True)}
        found: list[Fraction | None] = []
        for aggregate in self.aggregates:
            counts = aggregate.test is None or evaluate(aggregate.test, named, public)
            value = evaluate(aggregate.item, named, public) if counts else None
            assert not isinstance(value, str)
            found.append(value if value is None or value.__class__ is Fraction else Fraction(value))
        return tuple(found)

    def answers(self, records: Iterable[Record], public: Mapping[str, Fraction | bool]) -> tuple[Fraction, ...]:
        """The aggregates of a list of records: what the program reads of them."""
        found: list[Fraction | None] = [None for _ in self.aggregates]
        known: dict[Record, tuple[Fraction | None, ...]] = {}
        for record in records:
            if record not in known:
                known[record] = self.own_values(record, public)
            for i, (aggregate, own) in enumerate(zip(self.aggregates, known[record], strict=True)):
                before = found[i]
                if own is not None:
                    found[i] = own if before is None else _joined(aggregate.how, before, own)
        return tuple((a.default or Fraction(0)) if v is None else v for a, v in zip(self.aggregates, found, strict=True))


def _joined(how: str, before: Fraction, own: Fraction) -> Fraction:
    return before + own if how == "sum" else max(before, own) if how == "max" else min(before, own)


# ---------------------------------------------------------------- reading what a caller hands over


def read_records(table: Table, given: object) -> list[Record]:
    """The rows of a call: tuples, mappings or objects with the fields' names, or numbers; checked, and clamped."""
    if isinstance(given, str | bytes | Mapping | AbstractSet) or not isinstance(given, Iterable):
        raise UsageError(f"{table.rows} must be a list of records")
    return [_read_record(table, i, row) for i, row in enumerate(given)]


def _read_record(table: Table, place: int, row: object) -> Record:
    where, fields = f"{table.rows}[{place}]", table.row.fields
    if table.row.name is None:
        return (_read_value(where, fields[0], row),)
    if isinstance(row, Mapping):
        missing = [field.name for field in fields if field.name not in row]
        values: Sequence[object] = [row.get(field.name) for field in fields]
    elif all(hasattr(row, field.name) for field in fields):
        missing, values = [], [getattr(row, field.name) for field in fields]
    elif isinstance(row, Sequence) and not isinstance(row, str | bytes):
        missing, values = ([] if len(row) == len(fields) else [f"one value for each of {len(fields)} fields"]), row
    else:
        missing, values = [field.name for field in fields], ()
    if missing:
        raise UsageError(f"{where} is not a record of {table.row.name}: it lacks {', '.join(missing)}")
    return tuple(_read_value(f"{where}.{f.name}", f, value) for f, value in zip(fields, values, strict=True))


def _read_value(where: str, field: Field, value: object) -> FieldValue:
    match field.kind:
        case "label":
            if value not in field.labels:
                raise UsageError(f"{where} must be one of {', '.join(field.labels)}, not {value!r}")
            return str(value)
        case "bool":
            if value not in (False, True):
                raise UsageError(f"{where} must be True or False, not {value!r}")
            return bool(value)
    if isinstance(value, bool | str) or not isinstance(value, SupportsFloat):
        raise UsageError(f"{where} must be a number, not {value!r}")
    if not isinstance(value, Rational) and not isfinite(float(value)):
        raise UsageError(f"{where} must be a finite number, not {value!r}")
    number = Fraction(value) if isinstance(value, Rational) else Fraction(float(value))
    if field.kind == "int" and number.denominator != 1:
        raise UsageError(f"{where} must be a whole number, not {value!r}")
    if field.low is not None and field.high is not None:
        number = min(max(number, field.low), field.high)
    return number


def clip_value(value: Fraction, low: Fraction, high: Fraction) -> Fraction:
    return min(max(value, low), high)


def open_record(table: Table, record: Record) -> object:
    """A record whose fields are read by their names; a number is one itself."""
    if table.row.name is None:
        return record[0]
    return SimpleNamespace(**{field.name: value for field, value in zip(table.row.fields, record, strict=True)})


def show_record(table: Table, record: Record) -> str:
    """A record as it would be written in Python."""
    shown = [repr(v) if isinstance(v, str | bool) else str(v) for v in record]
    if table.row.name is None:
        return shown[0]
    return f"{table.row.name}({', '.join(f'{f.name}={text}' for f, text in zip(table.row.fields, shown, strict=True))})"
