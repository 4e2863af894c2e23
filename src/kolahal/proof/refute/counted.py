"""The hardest databases and events of a program on bits whose randomness is finite: all are compared, part by part."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.exact.counted import items_of_answer, known_kernels, known_outcomes, listed, only_these
from kolahal.exact.intervals import site_scales
from kolahal.inputs.argument_sweep import enumerate_arguments
from kolahal.inputs.arguments import sizes_of
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.counting import OutOfSteps, limited, take_steps
from kolahal.logic.exponentials import log_at
from kolahal.model import AllOf, Anything, Arguments, Equals, Event, Example
from kolahal.nouns import dataclass
from kolahal.paths.kernels import MOST_WAYS, Bits, Likelihoods, Part, parts_of
from kolahal.paths.outcomes import AllOutcomes, Bit, Level, NotFinite
from kolahal.paths.tables import ValueTable, value_of
from kolahal.proof.refute.shrink import confirm
from kolahal.proof.trusted.counted import Apart, apart_of
from kolahal.verdicts import Refuted

BUDGETS = tuple(map(Fraction, ("1/100", "1/2", "1", "2", "5", "20", "100")))
WINDOW_WAYS, MOST_WINDOWS = 1 << 6, 8  # of a part of the answer that is too large to be looked at as a whole


@dataclass(frozen=True, slots=True)
class Sight:
    """What is seen of a part on two inputs, and how much likelier that is on the first."""

    loss: float
    first: Bits
    second: Bits
    sight: Hashable


@dataclass(frozen=True, slots=True)
class CountedLoss:
    """The hardest example at some arguments, its loss in units of the claim, and whether no event at these loses more."""

    example: Example
    loss: float
    largest: bool


def find_counted(sketch: Sketch, claim: Scale, beyond: int = 0) -> Iterator[CountedLoss]:
    """For each number of answers above `beyond`, and each setting of ε and the arguments, the hardest example."""
    if not listed(sketch):
        return
    for size in (size for size in sizes_of(sketch) if size > beyond):
        settings: dict[Arguments, None] = {}
        for arguments in enumerate_arguments(sketch, size, claim):
            settings |= dict.fromkeys([arguments, *(replace(arguments, epsilon=budget) for budget in BUDGETS)])
        try:
            apart = apart_of(sketch, size)
            for arguments in settings:
                for way in (1, -1) if apart.one_way else (0,):
                    yield from _hardest(sketch, claim, arguments, apart, way)
        except (NotFinite, UsageError):
            continue


def refute_counted(sketch: Sketch, claim: Scale, steps: int) -> Refuted | None:
    """A counterexample to a claim, if there is one at the budgets that are tried: at the usual one, if it fails there."""
    found: list[CountedLoss] = []
    try:
        with limited(steps):
            for one in find_counted(sketch, claim):
                if found and one.example.arguments.size > found[0].example.arguments.size:
                    break
                found += [one] if one.loss > 1 else []
    except OutOfSteps:
        pass
    found.sort(key=lambda one: (one.example.arguments.epsilon != 1, -one.loss))
    return next((refuted for one in found if (refuted := confirm(sketch, one.example, claim)) is not None), None)


def _hardest(sketch: Sketch, claim: Scale, arguments: Arguments, apart: Apart, way: int) -> Iterator[CountedLoss]:
    outcomes = known_outcomes(sketch, arguments)
    if outcomes is None:
        return
    items = items_of_answer(outcomes)
    tables = tuple(i for i, item in enumerate(items) if isinstance(item, ValueTable))
    sites, largest = site_scales(sketch, arguments, ()), set(outcomes.seen) <= set(items)
    known: list[tuple[Likelihoods, list[Sight | None]]] = []
    rows: list[tuple[Part, list[Sight | None]]] = []
    for whole in parts_of(only_these(outcomes, tables)):
        best: tuple[float, Part, list[Sight | None]] | None = None
        for places in _windows(outcomes, [i for i in tables if items[i] in whole.seen]):
            unit, kernels = known_kernels(sketch, arguments, sites, places) or (1, [])
            for part, kernel in kernels:
                row = next((row for other, row in known if other == kernel), None)
                if row is None:
                    row = [_worst(kernel, k, apart, way, Fraction(1, unit)) for k in range(apart.ends(kernel) + 1)]
                    known.append((kernel, row))
                loss = max(sight.loss for sight in row if sight is not None)
                largest &= set(part.seen) == set(whole.seen)
                best = (loss, part, row) if best is None or loss > best[0] else best
        rows += [best[1:]] if best is not None else []
    sums: list[tuple[float, list[Sight]]] = [(0.0, [])] * (apart.most + 1)
    for _, row in rows:
        sums = [max(_with(sums, row, total), key=lambda one: one[0]) for total in range(apart.most + 1)]
    if rows:
        loss, sights = max(sums, key=lambda one: one[0])
        example = _example(outcomes, [part for part, _ in rows], sights, arguments)
        yield CountedLoss(example, loss / float(claim.at(arguments.quantities(sketch))), largest)


def _windows(outcomes: AllOutcomes, places: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All of some items of the answer that belong together, or some that stand beside each other, where these are too many."""
    if _ways(outcomes, places) <= MOST_WAYS:
        yield tuple(places)
        return
    for start in range(0, len(places), max(1, len(places) // MOST_WINDOWS)):
        end = start + 1
        while end < len(places) and _ways(outcomes, places[start : end + 1]) <= WINDOW_WAYS:
            end += 1
        if _ways(outcomes, places[start:end]) <= MOST_WAYS:
            yield tuple(places[start:end])


def _ways(outcomes: AllOutcomes, places: Sequence[int]) -> int:
    """How many values all have together that some items of the answer depend on."""
    seen = parts_of(only_these(outcomes, places))
    return math.prod(outcomes.sizes[name] for part in seen for name in (*part.bits, *part.draws))


def _with(best: list[tuple[float, list[Sight]]], row: list[Sight | None], total: int) -> Iterator[tuple[float, list[Sight]]]:
    for k, sight in enumerate(row[: total + 1]):
        loss, sights = best[total - k]
        if sight is not None:
            yield loss + sight.loss, [*sights, sight]


def _worst(kernel: Likelihoods, changes: int, apart: Apart, way: int, time: Fraction) -> Sight | None:
    found = None
    logs = {bits: {sight: log_at(sum_, time) for sight, sum_ in likely.items()} for bits, likely in kernel.items()}
    for one, other in itertools.product(kernel, repeat=2):
        if apart.between(one, other) != changes or any((b - a) * way < 0 for a, b in zip(one, other, strict=True)):
            continue
        take_steps(1 + len(logs[one]) // 32)
        for sight, log in logs[one].items():
            loss = log - logs[other].get(sight, -math.inf)
            if found is None or loss > found.loss or (loss == found.loss == 0 and log > logs[found.first][found.sight]):
                found = Sight(loss, one, other, sight)
    return found


def _example(outcomes: AllOutcomes, parts: list[Part], sights: list[Sight], arguments: Arguments) -> Example:
    first, second = ([Fraction(0)] * arguments.size for _ in range(2))
    values: dict[ValueTable, object] = {}
    for part, seen in zip(parts, sights, strict=True):
        for name, one, other in zip(part.bits, seen.first, seen.second, strict=True):
            unknown = outcomes.unknowns[name]
            assert isinstance(unknown, Bit | Level)
            first[unknown.place], second[unknown.place] = Fraction(unknown.values[one]), Fraction(unknown.values[other])
        if seen.loss:
            assert isinstance(seen.sight, tuple)
            values |= {table: value_of(value) for table, value in zip(part.seen, seen.sight, strict=True)}
    items = [item if item is None or isinstance(item, bool | Fraction) else values.get(item, Anything) for item in items_of_answer(outcomes)]
    event: Event
    if not isinstance(outcomes.answer, tuple):
        event = Equals(items[0]) if items[0] is not Anything else Equals(Fraction(0))  # type: ignore[arg-type]
    elif Anything in items:
        event = AllOf(tuple(Anything() if item is Anything else Equals(item) for item in items))  # type: ignore[arg-type]
    else:
        event = Equals(tuple(items))  # type: ignore[arg-type]
    return Example(tuple(first), tuple(second), event, arguments)
