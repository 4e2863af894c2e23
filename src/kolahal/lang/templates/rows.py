"""Records in, aggregates out. `emit` copies this file, from here on, into programs over records."""

from __future__ import annotations

import contextlib
import csv
import inspect
import itertools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, NamedTuple

# ---------------------------------------------------------------- records
#
# A record is checked, its numbers are rounded to multiples of a fixed step and clamped to the bounds of their fields, and
# it is counted exactly: numbers are whole, those that need not be are held as multiples of a unit, and doubles take part in
# nothing but rounding, where every number on the way is a double. Each record is rounded by itself, so that neighbours
# stay neighbours, and what is rounded is a record as well: what it adds to an aggregate is what some record adds. That is a
# multiple of the grid, so that nothing of an aggregate is rounded. No message shows a value.

_STEPS = 2**20  # numbers that need not be whole are rounded to multiples of 1/_STEPS
_AT_ONCE = 10_000  # records that are looked at together
_NEAR = 2**30  # below which a double times _STEPS, its floor and their difference are doubles


class _Field(NamedTuple):
    """A field of a record: float, int, bool or label."""

    name: str
    kind: str
    low: Fraction | int | None
    high: Fraction | int | None
    labels: tuple[str, ...]
    unit: int = 1  # of a float field: a multiple of _STEPS; its numbers are whole multiples of 1/unit
    used: bool = True  # whether an aggregate reads it; others are checked all the same


def clip(value: Any, low: Any, high: Any) -> Any:
    """The number between `low` and `high` that is nearest to `value`."""
    return min(max(value, low), high)


def _whole(number: Any) -> Any:
    """A number, as one of Python's whole numbers if it is one: these are quick to compare."""
    return int(number) if number.denominator == 1 else number


def _of_math(function: Callable[[float], float], top: int, below: int) -> int:
    """A function of `math` of a number over another, in steps: the nearest one. Where it has no bounds it is not emitted, and
    a double of it, rounded so, is within the bounds that are proved: these have room for it."""
    try:
        steps = function(top / below) * _STEPS
    except OverflowError:  # beyond all doubles; it is a wave, or near its end
        steps = function(sys.float_info.max if top > 0 else -sys.float_info.max) * _STEPS
    whole = math.floor(steps)
    return whole + (steps - whole >= 0.5)


def _quotient(top: int, below: int) -> int:
    """A quotient in steps: the nearest one."""
    return (2 * top * _STEPS + below) // (2 * below)


def _value(where: str, field: _Field, value: Any) -> Any:
    """A value of a field, exactly, within its bounds; a number in units of its field."""
    if field.kind == "label":
        if value not in field.labels:
            raise ValueError(f"{where} must be one of {', '.join(field.labels)}")
        return str(value)
    if field.kind == "bool":
        if value not in (False, True):
            raise ValueError(f"{where} must be True or False")
        return bool(value)
    number = value if type(value) is int else _exact(where, value)  # type: ignore[name-defined]  # noqa: F821, of the support code above
    if field.kind == "int":
        if number != int(number):
            raise ValueError(f"{where} must be a whole number")
        found = int(number)
    else:
        found = math.floor(number * _STEPS + Fraction(1, 2)) * (field.unit // _STEPS)
    low, high = _ends(field)
    return found if low is None or high is None else min(max(found, low), high)


def _ends(field: _Field) -> tuple[int | None, int | None]:
    """The bounds of a field in its units."""
    low, high = (None if end is None else int(end * field.unit) for end in (field.low, field.high))
    return low, high


def _records(name: str, given: Any, fields: Sequence[_Field]) -> Iterator[tuple[Any, ...]]:
    """The used fields of the records of a call: rows as tuples, mappings or objects, numbers, columns, or a data frame."""
    first = 0
    fields = [field for field in fields if field.used or not isinstance(given, _File)]  # the rest of a file is not looked at
    for columns in _in_columns(name, given, [field.name for field in fields]):
        found = [_column(field, column) for field, column in zip(fields, columns)]
        if None not in found:
            yield from zip(*[column for field, column in zip(fields, found) if field.used])
        else:  # a value is of another type than the others, or wrong: the first such record is named
            for place, row in enumerate(zip(*columns), first):
                values = [_value(f"{name}[{place}].{f.name}", f, value) for f, value in zip(fields, row)]
                yield tuple([value for field, value in zip(fields, values) if field.used])
        first += len(columns[0])


def _in_columns(name: str, given: Any, names: Sequence[str]) -> Iterator[Sequence[Sequence[Any]]]:
    """Some records after others, as columns: what is read at once takes little memory."""
    if isinstance(given, _File):
        yield from given.columns(names)
    elif hasattr(given, "itertuples") or (isinstance(given, Mapping) and set(names) <= set(given)):
        columns = [_listed(given[one]) for one in names]
        if len(set(map(len, columns))) > 1:
            raise ValueError(f"{name} must have as many values in each column")
        for start in range(0, len(columns[0]), _AT_ONCE):
            yield [column[start : start + _AT_ONCE] for column in columns]
    elif isinstance(given, str | bytes | Mapping | Set) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of records, and it is of type {type(given).__name__}")
    else:
        rows = iter(_listed(given) if hasattr(given, "tolist") else given)
        first = 0
        while some := list(itertools.islice(rows, _AT_ONCE)):
            yield _split(some, names) or list(zip(*_each(name, first, some, names)))
            first += len(some)


def _listed(column: Any) -> Sequence[Any]:
    """A column or rows that can be cut; of an array, with numbers of Python's own."""
    column = column.tolist() if hasattr(column, "tolist") else column
    return column if isinstance(column, list | tuple) else list(column)


def _split(rows: Sequence[Any], names: Sequence[str]) -> list[Any] | None:
    """The columns of rows of the same plain type; None where each row has to be looked at."""
    kinds = set(map(type, rows))
    if names == [""]:
        return [rows] if kinds <= {int, float} else None
    if kinds == {tuple} and set(map(len, rows)) == {len(names)}:
        return list(zip(*rows))
    if kinds == {dict} and all(map(set(names).issubset, rows)):
        return [[row[one] for row in rows] for one in names]
    if len(kinds) == 1 and tuple not in kinds and not isinstance(rows[0], Mapping):
        with contextlib.suppress(AttributeError):
            return [list(map(operator.attrgetter(one), rows)) for one in names]
    return None


def _each(name: str, first: int, rows: Sequence[Any], names: Sequence[str]) -> Iterator[Sequence[Any]]:
    """The values of each row, whatever it is; the first one has the place `first`."""
    plain = names == [""]
    for place, row in enumerate(rows, first):
        if type(row) is tuple:
            values: Sequence[Any] = row
        elif plain:
            values = (row,)
        elif isinstance(row, Mapping):
            values = [row[one] for one in names if one in row]
        elif all(hasattr(row, one) for one in names):
            values = [getattr(row, one) for one in names]
        else:
            values = row if isinstance(row, Sequence) and not isinstance(row, str | bytes) else ()
        if len(values) != len(names):
            raise ValueError(f"{name}[{place}] must have {', '.join(names) if not plain else 'a number'}")
        yield values


def _column(field: _Field, column: Sequence[Any]) -> Sequence[Any] | None:
    """What `_value` makes of each value, all at once where they are of one type; None where they are not, or one is wrong."""
    kinds = set(map(type, column))
    if kinds == {int, float} and min(column) > -_NEAR and max(column) < _NEAR:
        kinds, column = {float}, list(map(float, column))
    if field.kind == "label":
        return column if kinds <= {str} and set(column) <= set(field.labels) else None
    if field.kind == "bool":
        return column if kinds <= {bool} else None
    if kinds == {float}:
        if not all(map(math.isfinite, column)):
            return None
        if field.kind == "int":
            if not all(map(float.is_integer, column)):
                return None
            found = list(map(int, column))
        elif not field.used:
            return column
        elif min(column) > -_NEAR and max(column) < _NEAR:
            more = field.unit // _STEPS
            steps = [value * _STEPS for value in column]
            found = [(whole + (many - whole >= 0.5)) * more for many, whole in zip(steps, map(math.floor, steps))]
        else:
            return None
    elif kinds <= {int}:
        found = [value * field.unit for value in column] if field.unit > 1 else list(column)
    else:
        return None
    low, high = _ends(field)
    if low is None or high is None or not found or (low <= min(found) and max(found) <= high):
        return found
    return [low if value < low else high if value > high else value for value in found]


# ---------------------------------------------------------------- questions that depend on the run
#
# A run asks the records when it comes to a question, with values that it has then. What it is answered is a multiple of the
# grid as it is, because these values decide which records count, and nothing else.

_asked: ContextVar[Callable[[int, tuple[Any, ...]], Any] | None] = ContextVar("_asked", default=None)


@contextlib.contextmanager
def _asking(question: Callable[[int, tuple[Any, ...]], Any]) -> Iterator[None]:
    """While this lasts, runs are answered by `question`."""
    token = _asked.set(question)
    try:
        yield
    finally:
        _asked.reset(token)


def _ask(answers: Sequence[Any], place: int, *given: Any) -> Any:
    """The answer to a question of the run; in the self-test, which has no records, what stands at its place."""
    question = _asked.get()
    return answers[place] if question is None else question(place, given)


# ---------------------------------------------------------------- a file of records

_TRUTHS = {"true": True, "false": False, "1": True, "0": False, "True": True, "False": False}


def _from_text(where: str, field: _Field, text: str) -> Any:
    """A cell: a number that need not be whole is the double that Python reads."""
    try:
        if field.kind == "label":
            return text
        if field.kind == "bool":
            return _TRUTHS[text.strip().lower()]
        if field.kind == "int" and text.strip().removeprefix("-").isdecimal():
            return int(text)
        number = float(text)
        if math.isfinite(number):
            return number
    except (KeyError, ValueError):
        pass
    raise ValueError(f"{where} is not of type {field.kind}, or too large")


class _File(NamedTuple):
    """A CSV file of records."""

    path: str
    fields: Sequence[_Field]

    def columns(self, names: Sequence[str]) -> Iterator[Sequence[Sequence[Any]]]:
        return _read_csv(self.path, [field for field in self.fields if field.name in names])


def _read_csv(path: str, fields: Sequence[_Field]) -> Iterator[Sequence[Sequence[Any]]]:
    """The records of a CSV file whose first line names the columns, as columns, some after others; of numbers, its only column."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(file)
        heads = next(lines, [])
        names = [field.name for field in fields]
        if twice := [name for name in names if heads.count(name) > 1]:
            raise ValueError(f"{path} has several columns {twice[0]}: its first line must name each once")
        places = [0] if names == [""] and len(heads) == 1 else [heads.index(n) for n in names if n in heads]
        if len(places) != len(names):
            raise ValueError(f"{path} needs the columns {', '.join(names)} in its first line")
        if names == [""] and _is_number(heads[0]):
            raise ValueError(f"{path} begins with a number: its first line must name the column, or a record would be lost")
        first = 2
        while some := list(itertools.islice(lines, _AT_ONCE)):
            numbers: Sequence[int] = range(first, first + len(some))
            if all(some):
                rows = some
            else:
                numbers, rows = [number for number, row in zip(numbers, some) if row], [row for row in some if row]
            if not set(map(len, rows)) <= {len(heads)}:
                wrong = next(number for number, row in zip(numbers, rows) if len(row) != len(heads))
                raise ValueError(f"line {wrong} of {path} does not have {len(heads)} values, as its first line says")
            yield [_cells(f, [row[at] for row in rows], numbers) for f, at in zip(fields, places)]
            first += len(some)


def _cells(field: _Field, texts: Sequence[str], lines: Sequence[int]) -> list[Any]:
    """What `_from_text` makes of the cells of a column; `lines` is where they stand."""
    with contextlib.suppress(ValueError, KeyError):
        if field.kind == "label":
            return list(texts)
        if field.kind == "bool":
            return [_TRUTHS[text] if text in _TRUTHS else _TRUTHS[text.strip().lower()] for text in texts]
        if field.kind == "int":
            return list(map(int, texts))
        if all(map(math.isfinite, numbers := list(map(float, texts)))):
            return numbers
    return [_from_text(f"line {number}, {field.name}", field, text) for number, text in zip(lines, texts)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _main_over_records(
    function: Callable[..., Any], fields: Sequence[_Field], main: Callable[[], int], arguments: Sequence[str]
) -> int:
    """`FILE.csv --name value …` answers for the records in a file; everything else is for `main`."""
    if not arguments or arguments[0].startswith("-"):
        return main()
    first, *parameters = inspect.signature(function).parameters
    needed = {name for name in parameters if inspect.signature(function).parameters[name].default is inspect.Parameter.empty}
    given = dict(zip((flag.removeprefix("--") for flag in arguments[1::2]), arguments[2::2]))
    try:
        if len(arguments) % 2 == 0 or not needed <= set(given) <= set(parameters):
            raise ValueError(f"write FILE.csv and {' '.join(f'--{name} VALUE' for name in parameters)}")
        kinds = {name: inspect.signature(function).parameters[name].annotation for name in given}
        public = {n: _TRUTHS[text.lower()] if kinds[n] == "bool" else Fraction(text) for n, text in given.items()}
        print(function(**{first: _File(arguments[0], fields)}, **public))
    except UnicodeError:  # its own words would show what stands there
        print(f"UnicodeError: {arguments[0]} is not a text in UTF-8", file=sys.stderr)
        return 2
    except (OSError, ValueError, KeyError, TypeError, IndexError, ArithmeticError, RuntimeError, csv.Error) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0
