"""Events of programs on bits whose randomness is finite, from all that can happen: however many bits, if they are told one by one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kolahal.lang.sketch import Sketch, Type
from kolahal.logic.exponentials import Exponentials
from kolahal.model import AllOf, Anything, Arguments, Database, Equals, Event, StartsWith, Within
from kolahal.paths.kernels import Likelihoods, Part, kernel_of, parts_of, unit_of
from kolahal.paths.outcomes import AllOutcomes, Bit, Level, NotFinite, UnknownValue, find_outcomes_of
from kolahal.paths.tables import Told, ValueTable, key, value_of

Allowed = Callable[[Any], bool]
FEWER_STATEMENTS = 10_000  # of a run with known arguments, which is followed for each of them


def listed(sketch: Sketch) -> bool:
    """Whether all draws of a program have values that can be listed, and its private answers are bits or whole numbers."""
    return sketch.private.whole and sketch.private.table is None and all(draw.noise.finite or draw.noise.selects for draw in sketch.draws)


@lru_cache(maxsize=16)
def known_outcomes(sketch: Sketch, arguments: Arguments) -> AllOutcomes | None:
    """All that a program can do at these arguments, if some item of its answer is known as a table, or all are constants, and
    no value that is not known may stop a run."""
    given = dict(arguments.values)
    try:
        found = find_outcomes_of(sketch, arguments.size, {p.name: given[p.name] for p in sketch.arguments if p.type is Type.BOOL})
        if found.may_stop:
            found = find_outcomes_of(sketch, arguments.size, given | {sketch.budget.name: arguments.epsilon}, FEWER_STATEMENTS)
    except NotFinite:
        return None
    items = items_of_answer(found)
    known = any(isinstance(item, ValueTable) for item in items) or all(map(_is_known, items))
    return found if known and not found.may_stop else None


def items_of_answer(outcomes: AllOutcomes) -> tuple[Any, ...]:
    return outcomes.answer if isinstance(outcomes.answer, tuple) else (outcomes.answer,)


def _is_known(item: Any) -> bool:
    return not isinstance(item, Told | tuple)


@lru_cache(maxsize=64)
def known_kernels(
    sketch: Sketch, arguments: Arguments, sites: tuple[Fraction, ...], places: tuple[int, ...]
) -> tuple[int, list[tuple[Part, Likelihoods]]] | None:
    """The parts of some items of the answer, by place, with how likely all that is seen of them is, and the unit of their rates."""
    outcomes = known_outcomes(sketch, arguments)
    if outcomes is None or not all(sites):
        return None
    rates = {site: 1 / scale for site, scale in enumerate(sites)}
    try:
        unit = unit_of(outcomes, rates)
        return unit, [(part, kernel_of(outcomes, part, rates, unit)) for part in parts_of(only_these(outcomes, places))]
    except NotFinite:
        return None


def only_these(outcomes: AllOutcomes, places: Sequence[int]) -> AllOutcomes:
    """The same of which nothing but some items of the answer, by place, is seen."""
    items = items_of_answer(outcomes)
    return replace(outcomes, seen=tuple(dict.fromkeys(items[place] for place in places)))


def counted_probability(
    sketch: Sketch, database: Database, arguments: Arguments, sites: tuple[Fraction, ...], event: Event, exponential: Callable[[Fraction], Any]
) -> Any | None:
    """P(event) in the arithmetic of `exponential`, which is e^x of it; None if it is not known so."""
    if not listed(sketch):
        return None
    outcomes = known_outcomes(sketch, arguments)
    tests = None if outcomes is None else _tests(outcomes.answer, event)
    if outcomes is None or tests is None or not all(_is_known(item) for item, _ in tests):
        return None
    if not all(allowed(item) for item, allowed in tests if not isinstance(item, ValueTable)):
        return exponential(Fraction(0)) - 1
    asked = [item for item, _ in tests if isinstance(item, ValueTable)]
    places = tuple(i for i, item in enumerate(items_of_answer(outcomes)) if any(item is table for table in asked))
    kernels = known_kernels(sketch, arguments, sites, places)
    if kernels is None:
        return None
    unit, parts = kernels

    def value(sum_: Exponentials) -> Any:
        return sum(c * exponential(Fraction(rate, unit)) for rate, c in sum_.items())

    total = exponential(Fraction(0))
    for part, kernel in parts:
        bits = tuple(_number_of(outcomes.unknowns[name], database) for name in part.bits)
        likely = kernel[bits]
        fitting = [w for sight, w in likely.items() if all(_holds(part, sight, item, allowed) for item, allowed in tests)]
        total = total * sum(map(value, fitting)) / sum(map(value, likely.values()))
    return total


def _number_of(unknown: UnknownValue, database: Database) -> int:
    """Which of its values a private answer has, or is nearest to."""
    assert isinstance(unknown, Bit | Level)
    answer, values = database[unknown.place], unknown.values
    return values.index(min(max(answer, values[0]), values[-1]))


def _holds(part: Part, sight: Hashable, item: Any, allowed: Allowed) -> bool:
    """Whether what is seen of a part is in order as far as one item of the answer goes."""
    assert isinstance(sight, tuple)
    return all(allowed(value_of(seen)) for table, seen in zip(part.seen, sight, strict=True) if table == item)


def _tests(answer: Any, event: Event) -> list[tuple[Any, Allowed]] | None:
    """Items of the answer with what an event asks of each; None for events of another kind."""
    match event, answer:
        case Equals(tuple() as wanted), tuple():
            return None if len(wanted) != len(answer) else [(item, _equal(w)) for item, w in zip(answer, wanted, strict=True)]
        case StartsWith(wanted), tuple():
            return None if len(wanted) > len(answer) else [(item, _equal(w)) for item, w in zip(answer, wanted, strict=False)]
        case AllOf(events), tuple() if len(events) == len(answer):
            parts = [(item, _test(part)) for item, part in zip(answer, events, strict=True)]
            return [(item, test) for item, test in parts if test is not None]
        case (Equals() | Within()), (None | bool() | Fraction() | ValueTable()):
            test = _test(event)
            return None if test is None else [(answer, test)]
    return None


def _test(event: Equals | Within | Anything) -> Allowed | None:
    match event:
        case Equals(value):
            return _equal(value)
        case Within(low, high):
            return lambda x: isinstance(x, Fraction) and (low is None or low <= x) and (high is None or x <= high)
    return None


def _equal(wanted: Any) -> Allowed:
    return lambda x: key(x) == key(wanted)
