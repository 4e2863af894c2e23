"""Programs over records: what the emitted file does with them before the program over answers runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeGuard

from kolahal.emission.answer_type import answer_type
from kolahal.emission.scaled import FINE, NoMeasure, Scaled, Writer, measures, print_measure
from kolahal.lang.adjacency import EachWithin
from kolahal.lang.enclosures import STEP
from kolahal.lang.ir import lengthened
from kolahal.lang.pretty import print_number
from kolahal.lang.records.bins import bins_at
from kolahal.lang.records.cells import LinearPiece, RecordPieces, find_pieces
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.records.run_text import rescaled
from kolahal.lang.records.table import (
    RECORD,
    Aggregate,
    Apply,
    ArgumentOf,
    Bins,
    FieldOf,
    RecordFunction,
    Table,
    parts_of,
)
from kolahal.lang.sketch import Role, Sketch, Type
from kolahal.nouns import dataclass

SUPPORT = frozenset({"Fraction", "clip", "_rows", "_public", "_list", "_place", "_given", "_FIELDS", "_records", "_aggregate", "_Later", "_question", "_ask", "_asking", "_whole", "_of_math", "_quotient", "math", FINE})  # names that the code for records calls


@dataclass(frozen=True, slots=True)
class AnswersProgram:
    """The program over answers, the numbers that the grid must contain for the aggregates, and what refines its noise."""

    program: Sketch
    numbers: tuple[str, ...]
    refined: int
    reasons: tuple[str, ...]  # why a proof about real noise may not carry over to the grid


def over_answers(program: Sketch, name: str, parts: int | None) -> AnswersProgram:
    """What is left of a program over records when its aggregates are known; each moves by at most the same distance.

    `parts` is into how many parts a step must fall for shifts that are linear in the moves; None where there are none.
    """
    adjacency, table = program.adjacency, program.private.table
    assert isinstance(adjacency, RecordRelation) and table is not None
    private = replace(program.private, table=None)
    parameters = tuple(private if p.role is Role.PRIVATE else p for p in program.parameters if not p.counts)
    body = rescaled(program.body, program.length_name, private.length_name)
    core = replace(program, name=name, parameters=parameters, body=body, adjacency=EachWithin(adjacency.distance), source=None)
    reasons = _find_reasons(adjacency, table) if parts is None else ()
    if adjacency.unbounded:
        reasons = ("one record can move an aggregate by any amount",)
    if reasons:
        return AnswersProgram(core, (), 1, reasons)
    corners = adjacency.pieces.corners
    sizes = {abs(step) for corner in corners for step in corner} | {sum(map(abs, c), Fraction(0)) for c in corners}
    fractions = sorted(size for size in {*sizes, adjacency.distance} if size.denominator > 1)
    try:
        steps = _print_measures(table, real_names(program))
    except NoMeasure as error:
        return AnswersProgram(core, (), 1, (str(error),))
    numbers = tuple(f"{size.numerator} / {size.denominator}" for size in fractions)
    return AnswersProgram(core, (*numbers, *steps), _refinement(adjacency, table) if parts is None else parts, ())


def real_names(program: Sketch) -> frozenset[str]:
    """The public numbers that need not be whole."""
    return frozenset(p.name for p in program.arguments if p.type is Type.FLOAT)


def _find_reasons(adjacency: RecordRelation, table: Table) -> tuple[str, ...]:
    """Why moves between two corners may need shifts that leave the grid, where these are not linear in the moves."""
    if adjacency.spans and (len(table.aggregates) > 1 or table.bins is not None):
        return ("a max, min, any or all of records stands beside other aggregates",)
    if adjacency.units:
        return ("sums move by multiples of public bounds, and the proof hides more than what noise undoes",)
    found = []
    several = len(table.aggregates) > 1 or table.bins is not None
    if not all(pieces.exact for pieces in _all_pieces(adjacency, table)):
        found.append("an aggregate has products, quotients or other functions of fields, and the proof hides more than what noise undoes")
    if not adjacency.pieces.finite:
        if several and (adjacency.name == "replace" or adjacency.count > 1):
            found.append("several sums, of which one is not a count, move together by more than one record")
        elif several and any(len(set(p.values)) > 2 and _varying(p) > 1 for p in adjacency.pieces.pieces):
            found.append("two sums that are not counts move together, each by its own amount")
    return tuple(found)


def _print_measures(table: Table, real: Collection[str]) -> tuple[str, ...]:
    """What every record adds a sum of whole multiples of: the grid contains that, so that no aggregate is rounded."""
    writer = Writer(table.row, field_units(table), find_dot(table), real=real)
    found = {measure: None for aggregate in table.every for measure in measures(aggregate.item, writer)}
    found |= {(a.default, ()): None for a in table.every if a.default}
    numbers = [abs(number) for number, names in found if not names]
    shared = [(common_measure(numbers), ())] if numbers else []
    named = [measure for measure in found if measure[1]]
    return tuple(print_measure(measure) for measure in (*shared, *named) if measure[1] or measure[0].denominator > 1)


def _varying(piece: LinearPiece) -> int:
    """How many aggregates are not the same at all corners of a piece."""
    return sum(len(set(column)) > 1 for column in zip(*piece.values, strict=True))


def _all_pieces(adjacency: RecordRelation, table: Table) -> list[RecordPieces]:
    """The pieces of the sums together, and of every other aggregate."""
    others = [a for a in table.every if a.how != "sum"]
    return [adjacency.pieces, *(find_pieces(table.row, [a.gated]) for a in others)]


def field_units(table: Table) -> dict[str, int]:
    """The fields that need not be whole, and what they are held in whole multiples of 1 over: the step, and their bounds."""
    return {
        f.name: math.lcm(STEP.denominator, *(end.denominator for end in (f.low, f.high) if end is not None))
        for f in table.row.fields
        if f.kind == "float"
    }


def common_measure(numbers: Sequence[Fraction]) -> Fraction:
    """The largest number of which all are whole multiples."""
    below = math.lcm(*(number.denominator for number in numbers))
    return Fraction(math.gcd(*(int(number * below) for number in numbers)), below)


def _unit(adjacency: RecordRelation, table: Table) -> Fraction:
    """What every record adds a whole multiple of: fields are whole, multiples of a step, or one of their bounds."""
    units = field_units(table)
    bounds = [end for f in table.row.fields if f.name in units for end in (f.low, f.high) if end]
    rough = common_measure([STEP, *bounds])
    parts = [c * rough if name in units else c for p in _all_pieces(adjacency, table) for name, c in p.factors]
    defaults = [a.default for a in table.every if a.default]
    return common_measure([part for part in (*parts, *defaults) if part] or [Fraction(1)])


def _refinement(adjacency: RecordRelation, table: Table) -> int:
    """How much finer the noise must be: a move between two corners is hidden by a mixture of their shifts, whose weights
    are whole multiples of a step over the width between the corners; a move by several records by the mean of theirs."""
    unit = _unit(adjacency, table)
    widths = [
        (abs(a - b) / unit).numerator
        for piece in adjacency.pieces.pieces
        for one, two in itertools.pairwise(sorted(piece.values))
        for a, b in zip(one, two, strict=True)
        if a != b
    ]
    widths += [(2 * swing.size / unit).numerator for swing in adjacency.spans.values() if swing.size]
    return adjacency.count * math.lcm(*widths)


def print_fields(table: Table) -> str:
    """The fields of a record, for the support code."""
    units, used = field_units(table), used_fields(table)
    shown = [
        f"_Field({f.name!r}, {f.kind!r}, {_end(f.low)}, {_end(f.high)}, {f.labels!r}, {units.get(f.name, 1)}, {f.name in used})"
        for f in table.row.fields
    ]
    return "_FIELDS = [\n" + "".join(f"    {field},\n" for field in shown) + "]"


def used_fields(table: Table) -> list[str]:
    """The fields that aggregates read, in their order; where they only count records, the first one."""
    read = {part.name for a in table.every for f in a.functions() for part in parts_of(f) if isinstance(part, FieldOf)}
    return [f.name for f in table.row.fields if f.name in read] or [table.row.fields[0].name]


def _end(value: Fraction | None) -> str:
    return "None" if value is None else str(value) if value.denominator == 1 else f'Fraction("{value}")'


def print_aggregates(table: Table, public: tuple[str, ...], real: Collection[str]) -> str:
    """The function that goes once through the records; where some depend on the run, they were read before."""
    lines = [f"def _aggregate({', '.join([table.rows, *public])}):", f'    """{pass_words(table, "The aggregates of the records")}"""']
    if table.bins is not None:
        return "\n".join([*lines, *_print_bins(table, table.bins, real)])
    at_once = [aggregate for aggregate in table.aggregates if not aggregate.run_names()]
    over = table.rows if table.depends_on_run else f"_records({table.rows!r}, {table.rows}, _FIELDS)"
    return "\n".join([*lines, *print_pass(table, at_once, over, real)])


def print_pass(table: Table, aggregates: Sequence[Aggregate], over: str, real: Collection[str]) -> list[str]:
    """The statements that go through the records in `over` once, and hand the aggregates back as a list."""
    writer = Writer(table.row, field_units(table), dot := find_dot(table), real=real)
    names = [f"answer{dot}{i}" for i in range(len(aggregates))]
    first = [f"    {' = '.join(names)} = 0"] if names else []
    first += [f"    {n} = None" for n, a in zip(names, aggregates, strict=True) if a.how != "sum"]
    lines = [f"    {_print_head(table, over)}"]
    for name, aggregate in zip(names, aggregates, strict=True):
        add = _print_step(aggregate, name, writer.write(aggregate.item))
        if aggregate.test is None:
            lines.append(f"        {add}")
        else:
            lines += [f"        if {writer.write(aggregate.test).text}:", f"            {add}"]
    lines += [] if names else ["        pass"]
    found = [_print_end(a, writer.write(a.item), name) for name, a in zip(names, aggregates, strict=True)]
    return [*first, *writer.lines(), *lines, f"    return [{', '.join(found)}]"]


def pass_words(table: Table, what: str) -> str:
    """What a function that goes through the records gives, and in which units it sees their fields."""
    used = used_fields(table)
    units = [f"{name or 'a record'} is in units of 1/{unit}" for name, unit in field_units(table).items() if name in used]
    return f"{what}, in one pass" + "".join(f"; {words}" for words in units) + "."


def _print_head(table: Table, over: str) -> str:
    """The line that begins the loop over the records."""
    fields = _field_names(table)
    return f"for {', '.join(fields)}{',' if len(fields) == 1 else ''} in {over}:"


def _print_step(aggregate: Aggregate, name: str, item: Scaled) -> str:
    """The statement that counts a record in an aggregate."""
    how = aggregate.how
    return f"{name} += {item.text}" if how == "sum" else f"{name} = {item.text} if {name} is None else {how}({name}, {item.text})"


def _print_end(aggregate: Aggregate, item: Scaled, name: str) -> str:
    """An aggregate when all records are counted."""
    found = Scaled(name, item.below, item.power).exact()
    return found if aggregate.default is None else f"({print_number(aggregate.default)} if {name} is None else {found})"


def _print_bins(table: Table, bins: Bins, real: Collection[str]) -> list[str]:
    """The loop that counts into as many bins as an argument says: into the one that a record names, or into all."""
    dot = find_dot(table)
    place, name = f"place{dot}", f"answer{dot}0"
    writer = Writer(table.row, field_units(table), dot, place, real)
    aggregate = bins_at(bins, ArgumentOf(place), ArgumentOf(bins.size))
    tests = _conjuncts(aggregate.test)
    direct = next((own for own in tests if _names_place(own, place)), None)
    rest = [writer.write(test).text for test in tests if test is not direct]
    head = [
        f"    if {bins.size} < 1:",
        f'        raise ValueError("{bins.size} must be at least 1")',
        f"    {name} = [{0 if aggregate.how == 'sum' else None}] * {bins.size}",
    ]
    loop = [f"    {_print_head(table, f'_records({table.rows!r}, {table.rows}, _FIELDS)')}"]
    item = writer.write(aggregate.item)
    if direct is None:
        loop.append(f"        for {place} in range({bins.size}):")
        margin = " " * 12
    else:
        left, right = direct.of
        own = writer.write(right if left == ArgumentOf(place) else left)
        loop.append(f"        {place} = {own.exact()}")
        rest = [f"0 <= {place} < {bins.size}", f"{place} == int({place})", *rest]
        margin = " " * 8
    body = [f"{margin}if {' and '.join(rest)}:"] if rest else []
    inner = "    " if rest else ""
    index = place if direct is None else f"int({place})"
    add = _print_step(aggregate, f"{name}[{index}]", item)
    each = _print_end(aggregate, item, f"bin{dot}")
    end = name if each == f"bin{dot}" else f"[{each} for bin{dot} in {name}]"
    return [*head, *writer.lines(), *loop, *body, f"{margin}{inner}{add}", f"    return {end}"]


def _conjuncts(test: RecordFunction | None) -> list[RecordFunction]:
    if test is None:
        return []
    if isinstance(test, Apply) and test.op == "and":
        return [part for one in test.of for part in _conjuncts(one)]
    return [test]


def _names_place(test: RecordFunction, place: str) -> TypeGuard[Apply]:
    """Whether a test says that a place is one that the record itself names."""
    if not isinstance(test, Apply) or test.op != "==":
        return False
    sides = [[p for p in parts_of(side) if p == ArgumentOf(place)] for side in test.of]
    return any(side == ArgumentOf(place) and not other for side, other in zip(test.of, reversed(sides), strict=True))


def record_names(table: Table) -> frozenset[str]:
    return frozenset(_field_names(table))


def _field_names(table: Table) -> list[str]:
    return [f"{RECORD}{find_dot(table)}{name}" if name else RECORD for name in used_fields(table)]


def find_dot(table: Table) -> str:
    """What stands in the function's own names, so that none of them is that of a parameter or of a value of the run."""
    dot, asked = "_", [name for aggregate in table.every for name in aggregate.run_names()]
    names = (table.rows, *table.public_names(), *asked, *([] if table.bins is None else [table.bins.size]))
    while any(name.startswith((f"{RECORD}{dot}", f"answer{dot}", f"place{dot}")) for name in names):
        dot += "_"
    return dot


def print_front(program: Sketch, name: str, inner: str, public: tuple[str, ...]) -> str:
    """The function that a user calls: from records to the answer."""
    table = program.private.table
    assert table is not None
    parameters = [(p.called if p.role is Role.PRIVATE else str(p)) for p in program.parameters]
    reader = lengthened("_argument", {p.called for p in program.parameters})  # of the support code, hidden by no parameter
    wanted = [p for name in public for p in program.parameters if p.name == name]
    read = [f'{reader}("{p.name}", "{p.type.value}", {p.name})' for p in wanted]
    size = str(len(table.aggregates)) if table.bins is None else table.bins.size
    count = size if size.isdigit() else f'{reader}("{size}", "int", {size})'
    passed = f"_Later({count}, lambda: _aggregate({', '.join([table.rows, *read])}))"
    called = ", ".join(passed if p.role is Role.PRIVATE else p.name for p in program.parameters if not p.counts)
    doc = f"{program.adjacency.describe()}; see the top of this file.".capitalize()
    first = "" if reader == "_argument" else f"{reader} = _argument\n\n\n"
    return f'{first}def {name}({", ".join(parameters)}):\n    """{doc}"""\n    return {inner}({called})'


def print_record_measurement(program: Sketch, name: str, claim: str, public: str) -> str:
    """The function that builds an OpenDP measurement on records; `public` are the parameters of the claim."""
    table, adjacency = program.private.table, program.adjacency
    assert table is not None and isinstance(adjacency, RecordRelation)
    (first, *_) = table.row.fields
    plain = "" if table.row.name is not None else "i64" if first.kind == "int" else "f64"
    words = f"for numbers of type T, {plain} if it is not given" if plain else "for lists of rows"
    return f'''\
def make_measurement(epsilon, arguments=None, T=None):
    """An OpenDP measurement of {name}: at `epsilon`, with these public `arguments`, {words}."""
    def claim({public}):
        return {claim}

    relation, count, kind = "{adjacency.name}", {adjacency.count}, "{answer_type(program)}"
    return _build_record_measurement({name}, "{table.rows}", "{plain}", relation, count, kind, claim, epsilon, arguments, T)
'''
