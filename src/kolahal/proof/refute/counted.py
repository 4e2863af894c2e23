"""The hardest databases and events of a program on bits whose randomness is finite: all are compared, part by part."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator
from dataclasses import replace
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.exact.counted import known_kernels, known_outcomes, listed
from kolahal.exact.intervals import site_scales
from kolahal.inputs.argument_sweep import enumerate_arguments
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.logic.counting import take_steps
from kolahal.logic.exponentials import log_at
from kolahal.model import AllOf, Anything, Arguments, Equals, Event, Example
from kolahal.nouns import dataclass
from kolahal.paths.kernels import Bits, Likelihoods, Part
from kolahal.paths.outcomes import AllOutcomes, Bit, Level, NotFinite
from kolahal.paths.tables import ValueTable, value_of
from kolahal.proof.refute.shrink import confirm
from kolahal.proof.trusted.counted import Apart, apart_of
from kolahal.verdicts import Refuted

BUDGETS = tuple(map(Fraction, ("1/100", "1/2", "1", "2", "5", "20", "100")))


@dataclass(frozen=True, slots=True)
class Sight:
    """What is seen of a part on two inputs, and how much likelier that is on the first."""

    loss: float
    first: Bits
    second: Bits
    sight: Hashable


def find_counted(sketch: Sketch, claim: Scale) -> Iterator[tuple[Example, float]]:
    """For each setting of ε and the arguments the hardest example, with its loss in units of the claim."""
    if not listed(sketch) or sketch.private.count is None:
        return
    settings: dict[Arguments, None] = {}
    for arguments in enumerate_arguments(sketch, sketch.private.count, claim):
        settings |= dict.fromkeys([arguments, *(replace(arguments, epsilon=budget) for budget in BUDGETS)])
    try:
        apart = apart_of(sketch)
        for arguments in settings:
            for way in (1, -1) if apart.one_way else (0,):
                yield from _hardest(sketch, claim, arguments, apart, way)
    except (NotFinite, UsageError):
        return


def refute_counted(sketch: Sketch, claim: Scale) -> Refuted | None:
    """A counterexample to a claim, if there is one at the budgets that are tried: at the usual one, if it fails there."""
    found = [(example, loss) for example, loss in find_counted(sketch, claim) if loss > 1]
    found.sort(key=lambda one: (one[0].arguments.epsilon != 1, -one[1]))
    return next((refuted for example, _ in found if (refuted := confirm(sketch, example, claim)) is not None), None)


def _hardest(sketch: Sketch, claim: Scale, arguments: Arguments, apart: Apart, way: int) -> Iterator[tuple[Example, float]]:
    outcomes, kernels = known_outcomes(sketch, arguments), known_kernels(sketch, arguments, site_scales(sketch, arguments, ()))
    if outcomes is None or kernels is None or not set(outcomes.seen) <= set(_items(outcomes)):
        return
    unit, parts = kernels
    known: list[tuple[Likelihoods, list[Sight | None]]] = []
    best: list[tuple[float, list[Sight]]] = [(0.0, [])] * (apart.most + 1)
    for _, kernel in parts:
        row = next((row for other, row in known if other == kernel), None)
        if row is None:
            row = [_worst(kernel, k, apart, way, Fraction(1, unit)) for k in range(apart.ends(kernel) + 1)]
            known.append((kernel, row))
        best = [max(_with(best, row, total), key=lambda one: one[0]) for total in range(apart.most + 1)]
    loss, sights = max(best, key=lambda one: one[0])
    example = _example(outcomes, [part for part, _ in parts], sights, arguments)
    yield example, loss / float(claim.at(arguments.quantities(sketch)))


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


def _items(outcomes: AllOutcomes) -> tuple[object, ...]:
    return outcomes.answer if isinstance(outcomes.answer, tuple) else (outcomes.answer,)


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
            values |= {table: value_of(known) for table, known in zip(part.seen, seen.sight, strict=True)}
    items = [values.get(item, Anything) if isinstance(item, ValueTable) else item for item in _items(outcomes)]
    event: Event
    if not isinstance(outcomes.answer, tuple):
        event = Equals(items[0]) if items[0] is not Anything else Equals(Fraction(0))  # type: ignore[arg-type]
    elif Anything in items:
        event = AllOf(tuple(Anything() if item is Anything else Equals(item) for item in items))  # type: ignore[arg-type]
    else:
        event = Equals(tuple(items))  # type: ignore[arg-type]
    return Example(tuple(first), tuple(second), event, arguments)
