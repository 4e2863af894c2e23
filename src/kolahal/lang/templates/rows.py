"""Records in, aggregates out. `emit` copies this file, from here on, into programs over records."""

from __future__ import annotations

import csv
import inspect
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import Any, NamedTuple

# ---------------------------------------------------------------- records
#
# A record is checked, its numbers are rounded to multiples of a fixed step and clamped to the bounds of their fields, and
# it is counted exactly: numbers are whole or fractions, never doubles. Each record is rounded by itself, so that neighbours
# stay neighbours, and what is rounded is a record as well: what it adds to an aggregate is what some record adds. That is a
# multiple of the grid, so that nothing of an aggregate is rounded. No message shows a value.


_MOST_KNOWN = 10_000  # values of a field that are kept


class _Field(NamedTuple):
    """A field of a record: float, int, bool or label."""

    name: str
    kind: str
    low: Fraction | int | None
    high: Fraction | int | None
    labels: tuple[str, ...]
    step: Fraction | None = None  # numbers are rounded to multiples of it


def clip(value: Any, low: Any, high: Any) -> Any:
    """The number between `low` and `high` that is nearest to `value`."""
    return min(max(value, low), high)


def _value(where: str, field: _Field, value: Any) -> Any:
    """A value of a field, exactly; within its bounds."""
    if field.kind == "label":
        if value not in field.labels:
            raise ValueError(f"{where} must be one of {', '.join(field.labels)}")
        return str(value)
    if field.kind == "bool":
        if value not in (False, True):
            raise ValueError(f"{where} must be True or False")
        return bool(value)
    if type(value) is float:
        if not math.isfinite(value):
            raise ValueError(f"{where} must be a finite number")
        if field.step is not None and abs(value) < 2**30:
            value = _nearest(value, field.step.denominator)
        value = int(value) if value.is_integer() else Fraction(value)
    elif type(value) is not int:
        value = _exact(where, value)  # type: ignore[name-defined]  # noqa: F821, of the support code above
    if field.kind == "int" and value != int(value):
        raise ValueError(f"{where} must be a whole number")
    if field.step is not None and type(value) is not int:
        value = math.floor(value / field.step + Fraction(1, 2)) * field.step
    if field.low is not None and field.high is not None:
        value = min(max(value, field.low), field.high)
    return value


def _nearest(value: float, steps: int) -> float:
    """The multiple of 1/steps, a power of two, that is nearest: every number on the way is a double."""
    many = value * steps
    whole = math.floor(many)
    return (whole + (many - whole >= 0.5)) / steps


def _records(name: str, given: Any, fields: Sequence[_Field]) -> Iterator[tuple[Any, ...]]:
    """The records of a call: rows as tuples, mappings or objects, numbers, a mapping of columns, or a data frame."""
    names = [field.name for field in fields]
    if hasattr(given, "itertuples"):
        given = given[names].itertuples(index=False, name=None)
    elif isinstance(given, Mapping) and set(names) <= set(given):
        given = zip(*(given[one] for one in names), strict=True)
    elif isinstance(given, str | bytes | Mapping | Set) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of records, and it is of type {type(given).__name__}")
    plain = names == [""]
    known: list[dict[Any, Any]] = [{} for _ in fields]  # values that were seen before, and what they are
    for place, row in enumerate(given):
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
        try:
            found = tuple([memo[type(value), value] for memo, value in zip(known, values)])
        except (KeyError, TypeError):
            found = tuple([_value(f"{name}[{place}].{f.name}", f, value) for f, value in zip(fields, values)])
            for memo, value, clean in zip(known, values, found):
                if len(memo) < _MOST_KNOWN and type(value) in (int, float, str, bool):
                    memo[type(value), value] = clean  # True is not 1 where numbers are asked for
        yield found


# ---------------------------------------------------------------- a file of records

_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


def _from_text(where: str, field: _Field, text: str) -> Any:
    try:
        if field.kind == "label":
            return text
        return _TRUTHS[text.strip().lower()] if field.kind == "bool" else Fraction(text.strip())
    except (KeyError, ValueError, ZeroDivisionError):
        raise ValueError(f"{where} is not of type {field.kind}") from None


def _read_csv(path: str, fields: Sequence[_Field]) -> list[tuple[Any, ...]]:
    """The records of a CSV file whose first line names the columns; of numbers, its only column."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        heads = next(lines, [])
        names = [field.name for field in fields]
        places = [0] if names == [""] and len(heads) == 1 else [heads.index(n) for n in names if n in heads]
        if len(places) != len(names):
            raise ValueError(f"{path} needs the columns {', '.join(names)} in its first line")
        if names == [""] and _is_number(heads[0]):
            raise ValueError(f"{path} begins with a number: its first line must name the column, or a record would be lost")
        rows = [(number, row) for number, row in enumerate(lines, 2) if row]
        for number, row in rows:
            if len(row) != len(heads):
                raise ValueError(f"line {number} of {path} does not have {len(heads)} values, as its first line says")
        return [
            tuple([_from_text(f"line {number}, {f.name}", f, row[at]) for f, at in zip(fields, places)])
            for number, row in rows
        ]


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
    given = dict(zip((flag.removeprefix("--") for flag in arguments[1::2]), arguments[2::2]))
    try:
        if len(arguments) % 2 == 0 or not set(given) <= set(parameters):
            raise ValueError(f"write FILE.csv and {' '.join(f'--{name} VALUE' for name in parameters)}")
        kinds = {name: inspect.signature(function).parameters[name].annotation for name in given}
        public = {n: _TRUTHS[text.lower()] if kinds[n] == "bool" else Fraction(text) for n, text in given.items()}
        print(function(**{first: _read_csv(arguments[0], fields)}, **public))
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0
