"""Records in words: what one of them moves, and the lists of records behind a counterexample."""

from __future__ import annotations

from kolahal.lang.records.along_runs import Questions, along
from kolahal.lang.records.bins import BinsRelation
from kolahal.lang.records.given_sums import RecordCounts
from kolahal.lang.records.moves import RecordRelation, positive_units
from kolahal.lang.records.table import Table, show_record
from kolahal.lang.sketch import Sketch
from kolahal.model import Example, Trial, describe_event, show
from kolahal.verdicts import Refuted

FEW = 4  # aggregates whose moves are told one by one


def sensitivity_lines(sketch: Sketch) -> list[str]:
    """By how much one record moves the aggregates of a program; nothing for a program over answers."""
    adjacency = sketch.adjacency
    if not isinstance(adjacency, RecordRelation):
        return []
    told = []
    exchanged = adjacency.name == "replace" and bool(adjacency.units)  # what is the same for all records is left out there
    amounts = adjacency.boxes()[0] if exchanged else adjacency.contributions()
    several = isinstance(adjacency, BinsRelation)  # two of them, at any places
    for place, (low, high) in list(enumerate(amounts))[: 1 if several else FEW]:
        amount = f"by {show(low)}" if low == high else f"by {show(low)} to {show(high)}"
        if unit := adjacency.unit(place):
            amount += f" times {unit}"
        told.append(f"{adjacency.show(place)} {'by any amount' if place in adjacency.unbounded else amount}")
    more = 0 if several else len(amounts) - len(told)
    told += [f"{more} more of the same kind" if adjacency.alike else f"{more} more"] if more else []
    words = ", ".join(told[:-1]) + (" and " if told[:-1] else "") + told[-1]
    lines = [f"sensitivity: {'replacing' if exchanged else 'adding'} one record moves {words}{', together' if told[1:] else ''}"]
    if above := positive_units(sketch.adjacency, sketch.units):
        lines.append(f"  calls must have {' and '.join(f'{unit} > 0' for unit in above)}")
    if adjacency.moves_one and (several or told[1:]):
        lines.append("  at most one of these moves")
    if adjacency.name == "replace" and not exchanged:
        lines.append("  replacing one record moves each by the difference of two such amounts")
    return lines


def records_of(sketch: Sketch, example: Example) -> tuple[list[str], list[str]] | None:
    """The two lists of records of an example, as Python would write them, repeated ones with their number."""
    adjacency = sketch.adjacency
    if not isinstance(adjacency, RecordRelation):
        return None
    relation = adjacency if example.asked is None else along(adjacency, example.asked, len(example.d1))
    found = relation.realise(example.d1, example.d2)
    return None if found is None else (_show(sketch, found[0]), _show(sketch, found[1]))


def _show(sketch: Sketch, rows: RecordCounts) -> list[str]:
    table = sketch.private.table
    assert table is not None
    return [show_record(table, record) + (f" × {count}" if count > 1 else "") for count, record in rows]


def records_lines(sketch: Sketch, example: Example) -> list[str]:
    """The lists of records behind an example, and whose aggregates its answers are."""
    found, table = records_of(sketch, example), sketch.private.table
    if found is None or table is None:
        return []
    lists = [f"  {table.rows}{which} = [{', '.join(rows)}]" for which, rows in zip("12", found, strict=True)]
    if example.asked is not None:
        return [*lists, *_asked_lines(table, example.asked)]
    return [*lists, f"  of which d1 and d2 are {table}"] if len(table.aggregates) <= FEW else lists


def _asked_lines(table: Table, asked: Questions) -> list[str]:
    """What the runs of an example ask, where that depends on the run: each question once, with all its values."""
    several: dict[str, list[str]] = {}
    for place, values in asked:
        aggregate = table.aggregates[place] if table.bins is None else table.bins.aggregate
        named = ", ".join(f"{name} = {show(value)}" for name, value in zip(aggregate.run_names(), values, strict=True))
        several.setdefault(aggregate.over(table.rows), []).append(named)
    lines = ["  A run that ends in the event asks, and d1 and d2 are the answers:"]
    return lines + [f"    {question} with {'; '.join(named)}" for question, named in several.items()]


def counterexample_lines(trial: Trial | Refuted, sketch: Sketch) -> list[str]:
    """An example and how likely its event is, in words."""
    example, odds = trial.example, trial.odds
    return [
        *records_lines(sketch, example),
        f"  d1 = {show(example.d1)}",
        f"  d2 = {show(example.d2)}",
        f"  arguments: {example.arguments}",
        f"  event: {describe_event(example.event)}",
        f"  P(event on d1) is between {odds.p1.low:.6g} and {odds.p1.high:.6g}",
        f"  P(event on d2) is between {odds.p2.low:.6g} and {odds.p2.high:.6g}",
    ]
