"""What a user asks `tune` for: at which arguments and lengths, and on which data."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from kolahal.errors import KolahalError
from kolahal.inputs.arguments import usual_budget, usual_value
from kolahal.lang.places import answers_needed
from kolahal.lang.records.table import Field
from kolahal.lang.scale import parse_number
from kolahal.lang.sketch import Parameter, Sketch, Type, bind
from kolahal.lang.source import NOWHERE, Diagnostic, SketchError, Source
from kolahal.model import Arguments, Database
from kolahal.nouns import dataclass

LENGTH, LONGEST = 100, 10_000  # private answers where nothing is said, and at most
RECORDS, MOST_RECORDS = 1_000, 10**9  # that are made up
WHOLE, REAL = Fraction(2), Fraction(1)  # arguments where nothing is said
MOST_INPUTS = 1_000  # databases of one file
LEAST_BUDGET, MOST_BUDGET = Fraction(1, 10**9), Fraction(10**9)  # beyond these, errors are not told apart by doubles
FARTHEST = Fraction(10**100)  # an argument: its square is a double
TRUTHS = {"true": True, "false": False, "1": True, "0": False}

FAULTS: dict[str, tuple[str, str, str]] = {
    "K501": (
        "{name} is no name and no number of {sketch}",
        "Errors are compared at fixed arguments, a fixed budget and a fixed number of private answers.",
        "Write name=value with one of: {names}.",
    ),
    "K502": ("{value} is no value of {name}: {reason}", "The program would refuse it, or never see it.", "Write for example {example}."),
    "K503": (
        "{reason}",
        "Typical data are lists of private answers, or records with the fields of the program.",
        'Give JSON such as [3, 1, 4] or [[3, 1, 4], [2, 7, 1]], or [{{"age": 30}}, …] for records, or CSV with a first line of names.',
    ),
    "K505": ("this says nothing", "A name and its value are needed, with = between them.", "Write for example {example}."),
    "K504": (
        "the data say nothing of {names}",
        "Where the answers are given, nobody can make up a number that they are compared with.",
        "Add {example}.",
    ),
}


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """Arguments, the real ones among them that nobody gave, and how many records are made up where there are such."""

    arguments: Arguments
    free: tuple[str, ...]
    length_given: bool
    rows: int = 0


def refuse_request(where: str, code: str, **words: object) -> SketchError:
    """The error for a part of a request, in the form of the faults of a program."""
    what, why, fix = (text.format(**words) for text in FAULTS[code])
    return SketchError(Source(where, ""), (Diagnostic(code, NOWHERE, what, why, fix),))


def read_request(sketch: Sketch, at: Mapping[str, object]) -> TuneRequest:
    """The arguments that `at` says, and usual values for the rest."""
    table = sketch.private.table
    own = {"len", sketch.length_name} if table is None else set()
    lengths = {*own, *(p.name for p in sketch.parameters if p.counts)}
    budgets = [sketch.budget, *([sketch.delta] if sketch.delta is not None else [])]
    numbers = [*budgets, *sketch.arguments]
    known = {p.name: p for p in numbers}
    given: dict[str, Fraction | bool] = {}
    size: int | None = None
    rows = 0 if table is None else RECORDS
    for name, value in at.items():
        if table is not None and name == "len":
            rows = _read_count(name, value, MOST_RECORDS, RECORDS)
        elif name in lengths:
            size = _read_length(sketch, name, value)
        elif name in known:
            given[name] = _read_argument(sketch, known[name], value)
        else:
            names = ", ".join(dict.fromkeys(["len", *(p.name for p in sketch.parameters if p.counts), *known]))
            raise refuse_request(f"--at {name}={value}", "K501", name=name, sketch=sketch.name, names=names)
    (usual,) = sketch.sizes((max(LENGTH, answers_needed(sketch)),))
    budget, delta = usual_budget(sketch)
    amount = given.get(sketch.budget.name, budget)
    if sketch.delta is not None:
        delta = Fraction(given.get(sketch.delta.name, delta) or 0)
    values = tuple((p.name, given.get(p.name, usual_value(p, WHOLE, REAL))) for p in sketch.arguments)
    arguments = Arguments(Fraction(amount), size or usual, values, delta, sketch.variant.symbol)
    if not arguments.kept_by(sketch):
        broken = sketch.broken(arguments.environment(sketch), arguments.size)
        shown = f"{sketch.name} asserts {broken}"
        raise refuse_request("--at", "K502", value=arguments, name="its arguments", reason=shown, example="others that keep to it")
    free = tuple(
        p.name for p in sketch.arguments if p.type is Type.FLOAT and p.name not in given and p.usual is None and p.default is None
    )
    return TuneRequest(arguments, free, size is not None, rows)


def _read_length(sketch: Sketch, name: str, value: object) -> int:
    number = _number(value)
    where, (only, *_) = f"--at {name}={value}", sketch.sizes((0,))
    if only and number != only:
        reason = f"{sketch.name} has {only} private answer{'' if only == 1 else 's'}"
        raise refuse_request(where, "K502", value=value, name=name, reason=reason, example=f"{name}={only}")
    return _read_count(name, value, LONGEST, LENGTH)


def _read_count(name: str, value: object, most: int, usual: int) -> int:
    number = _number(value)
    if number is None or number.denominator != 1 or not 1 <= number <= most:
        reason = f"it is a whole number from 1 to {most}"
        raise refuse_request(f"--at {name}={value}", "K502", value=value, name=name, reason=reason, example=f"{name}={usual}")
    return int(number)


def _read_argument(sketch: Sketch, parameter: Parameter, value: object) -> Fraction | bool:
    where, name = f"--at {parameter.name}={value}", parameter.name
    if parameter.type is Type.BOOL:
        truth = TRUTHS.get(str(value).lower())
        if truth is None:
            raise refuse_request(where, "K502", value=value, name=name, reason="it is True or False", example=f"{name}=True")
        return truth
    number, reason = _number(value), ""
    if number is None:
        reason = "it is a finite number"
    elif parameter.type is Type.INT and number.denominator != 1:
        reason = "it is a whole number"
    elif parameter.type is Type.INT and number < 1:  # laws and proofs are about these
        reason = "it is at least 1"
    elif parameter in (sketch.budget, sketch.delta) and number <= 0:
        reason = "it is above 0"
    elif parameter == sketch.delta and number >= 1:
        reason = "it is below 1"
    elif parameter == sketch.budget and not LEAST_BUDGET <= number <= MOST_BUDGET:
        reason = f"errors are compared between {float(LEAST_BUDGET):g} and {float(MOST_BUDGET):g}"
    elif abs(number) > FARTHEST:
        reason = f"it is at most {float(FARTHEST):g}"
    if reason or number is None:
        example = "0.000001" if parameter == sketch.delta else "1"
        raise refuse_request(where, "K502", value=value, name=name, reason=reason, example=f"{name}={example}")
    return number


def _number(value: object) -> Fraction | None:
    try:
        return None if isinstance(value, bool) else parse_number(str(value))
    except ValueError:
        return None


# ---------------------------------------------------------------- data


def read_databases(sketch: Sketch, request: TuneRequest, data: object, where: str) -> tuple[tuple[Arguments, Database], ...]:
    """Each list of answers or of records in `data`, as the program reads it, with its arguments."""
    table = sketch.private.table
    if table is not None and table.depends_on_run:
        raise refuse_request(where, "K503", reason="what is asked of the records depends on the run, so no data stand for it")
    if request.free:
        names, example = " and ".join(request.free), " ".join(f"--at {name}=…" for name in request.free)
        raise refuse_request(where, "K504", names=names, example=example)
    if not isinstance(data, list | tuple) or not data:
        raise refuse_request(where, "K503", reason="it is not a list with something in it")
    flat = not isinstance(data[0], list | tuple)
    several: Sequence[Any] = [data] if flat else data
    if len(several) > MOST_INPUTS:
        raise refuse_request(where, "K503", reason=f"it has {len(several)} lists, and {MOST_INPUTS} are enough")
    return tuple(_read_database(sketch, request, item, where) for item in several)


def _read_database(sketch: Sketch, request: TuneRequest, item: object, where: str) -> tuple[Arguments, Database]:
    arguments = request.arguments
    public = {name: value if isinstance(value, bool) else _plain(value) for name, value in arguments.values}
    budget: dict[str, object] = {sketch.budget.name: float(arguments.epsilon)}
    if sketch.delta is not None and arguments.delta is not None:
        budget[sketch.delta.name] = float(arguments.delta)
    counts = {p.name: arguments.size for p in sketch.parameters if p.counts}
    try:
        values = bind(sketch, (), {sketch.private.called: item, **public, **budget, **counts})
    except KolahalError as error:
        raise refuse_request(where, "K503", reason=str(error)) from None
    answers: Any = values[sketch.private.name]
    found = tuple(Fraction(answer) for answer in answers)
    if request.length_given and len(found) != arguments.size:
        reason = f"a list has {len(found)} private answers, and --at says {arguments.size}"
        raise refuse_request(where, "K503", reason=reason)
    if not 1 <= len(found) <= LONGEST:
        raise refuse_request(where, "K503", reason=f"a list has {len(found)} private answers, and 1 to {LONGEST} are taken")
    sized = Arguments(arguments.epsilon, len(found), arguments.values, arguments.delta, arguments.symbol)
    return sized, found


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def parse_data(sketch: Sketch, text: str, where: str) -> object:
    """The data in the text of a file: JSON, or CSV if the name of the file says so."""
    if where.lower().endswith(".csv"):
        return _parse_csv(sketch, text, where)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refuse_request(where, "K503", reason=f"it is not JSON: {error}") from None


def _parse_csv(sketch: Sketch, text: str, where: str) -> object:
    """Records, a line each, under a line of names; of answers, a list in each line, or one list, an answer a line."""
    try:
        lines = [line for line in csv.reader(text.removeprefix("\ufeff").splitlines()) if line]  # some programs write a mark first
    except csv.Error as error:
        raise refuse_request(where, "K503", reason=f"it is not CSV: {error}") from None
    table = sketch.private.table
    if table is None:
        numbers = [[_number(cell) for cell in line] for line in lines]
        rows = numbers[1:] if numbers and None in numbers[0] else numbers
        if not rows or any(None in row for row in rows):
            raise refuse_request(where, "K503", reason="a cell below its first line is not a number")
        answers = [[_answer(sketch, cell) for cell in row if cell is not None] for row in rows]
        return [row[0] for row in answers] if all(len(row) == 1 for row in answers) else answers
    heads, fields = lines[0] if lines else [], table.row.fields
    alone = table.row.name is None and len(heads) == 1
    missing = [] if alone else [field.name for field in fields if field.name not in heads]
    twice = [field.name for field in fields if heads.count(field.name) > 1]
    if missing or twice or any(len(line) != len(heads) for line in lines):
        names = f"its first line lacks {', '.join(missing)}" if missing else f"its first line has {', '.join(twice)} twice"
        raise refuse_request(where, "K503", reason=names if missing or twice else "its lines have different numbers of values")
    found = []
    for line in lines[1:]:
        cells = dict(zip(heads, line, strict=True))
        found.append(_cell(fields[0], line[0], where) if alone else {f.name: _cell(f, cells[f.name], where) for f in fields})
    return found


def _answer(sketch: Sketch, number: Fraction) -> object:
    return bool(number) if sketch.private.bits else _plain(number)


def _cell(field: Field, text: str, where: str) -> object:
    if field.kind == "label":
        return text
    found = TRUTHS.get(text.strip().lower()) if field.kind == "bool" else _number(text.strip())
    if found is None:
        raise refuse_request(where, "K503", reason=f"{text!r} is no value of {field.name or 'a record'}")
    return found
