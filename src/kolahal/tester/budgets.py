"""The statistical test of claims other than ε: the hardest event on some runs, and a lower bound from fresh ones.

The bound holds with the stated confidence, whatever the search did, because the event was chosen before the runs that it
is counted on were made. It is a lower bound on ρ (an event and an order α), on μ, or on the δ that belongs to an ε.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kolahal.engine.engines import BATCH
from kolahal.engine.noise import Array
from kolahal.engine.outputs import NUMBER, SCALAR, Outputs, hits, join
from kolahal.engine.tape import tapes
from kolahal.errors import UsageError
from kolahal.inputs.arguments import usual_value
from kolahal.lang.canonical import IN_UNITS
from kolahal.lang.claims import plain_claim
from kolahal.lang.sketch import Sketch, Variant
from kolahal.losses import estimate_odds, gdp_of_event, renyi_of_event
from kolahal.model import AllOf, Arguments, Database, Equals, Event, Example, Linear, Odds, Within
from kolahal.nouns import dataclass

CONFIDENCE = 0.99
LOOKED, COUNTED = 20_000, 400_000  # runs on each side: to choose an event, and to count it
SIZES = (1, 2, 4)
MOVES = 6  # neighbours at one size
ORDERS = (1.1, 1.5, 2.0, 3.0, 5.0, 9.0, 17.0)
QUANTILES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)


@dataclass(frozen=True, slots=True)
class BudgetTrial:
    """The hardest example that was found, its odds on fresh runs, and the bound that they give at `confidence`."""

    example: Example
    odds: Odds
    lower: float  # on ρ, on μ, or on δ at the claimed ε
    claimed: float
    order: float | None
    confidence: float
    runs: int  # altogether

    @property
    def violates(self) -> bool:
        return self.lower > self.claimed


def test_budget(sketch: Sketch, budget: Fraction, delta: Fraction | None, seed: int) -> BudgetTrial:
    """A lower bound on what a program without holes spends at a concrete budget other than ε."""
    if sketch.holes or sketch.variant is Variant.PURE:
        raise UsageError(f"{sketch.name} has holes, or a pure budget, which has a test of its own")
    if sketch.units:
        raise UsageError(f"{sketch.name}: {IN_UNITS}")
    best: tuple[float, Example] | None = None
    runs = 0
    for place, (arguments, d1, d2) in enumerate(_pairs(sketch, budget, delta)):
        first, second = (_run(sketch, d, arguments, seed, f"look {place} {side}", LOOKED) for side, d in enumerate((d1, d2)))
        runs += 2 * LOOKED
        for event in _events(first, second):
            counts = [int(hits(event, outputs).sum()) for outputs in (first, second)]
            for swap in (False, True):
                ours, theirs = counts[::-1] if swap else counts
                score = bound(sketch, arguments, estimate_odds(ours, theirs, LOOKED, 0.05))[0]
                if best is None or score > best[0]:
                    example = Example(d1, d2, event, arguments)
                    best = score, example.flipped() if swap else example
    if best is None:
        raise UsageError(f"{sketch.name} could not be run on any input")
    example = best[1]
    sides = (_run(sketch, d, example.arguments, seed, f"count {i}", COUNTED) for i, d in enumerate((example.d1, example.d2)))
    one, two = (int(hits(example.event, outputs).sum()) for outputs in sides)
    odds = estimate_odds(one, two, COUNTED, 1 - CONFIDENCE)
    lower, order = bound(sketch, example.arguments, odds)
    claimed = float(budget if delta is None else delta)
    return BudgetTrial(example, odds, lower, claimed, order, CONFIDENCE, runs + 2 * COUNTED)


def bound(sketch: Sketch, arguments: Arguments, odds: Odds) -> tuple[float, float | None]:
    """What is spent at least, wherever in their intervals the probabilities lie, and the order α that shows it."""
    p, q = odds.p1.low, odds.p2.high
    if sketch.variant is Variant.APPROXIMATE:
        return max(0.0, p - math.exp(float(arguments.epsilon)) * q), None
    if p <= q:
        return 0.0, None
    if sketch.variant is Variant.GDP:
        return gdp_of_event(p, q) if q > 0 and p < 1 else 0.0, None
    if not 0 < q < 1:
        return 0.0, None
    return max((renyi_of_event(p, q, order) / order, order) for order in ORDERS)  # it rises with p and falls with q where p > q


def _pairs(sketch: Sketch, budget: Fraction, delta: Fraction | None) -> Iterator[tuple[Arguments, Database, Database]]:
    values = tuple((p.name, usual_value(p, Fraction(1), Fraction(0))) for p in sketch.arguments)
    for size in sketch.sizes(SIZES):
        arguments = Arguments(budget, size, values, delta, sketch.variant.symbol)
        if not arguments.accepted_by(sketch, plain_claim(sketch)):
            continue  # a run that is refused tells nothing
        for move in itertools.islice(sketch.adjacency.vertices(size), MOVES):
            base = (Fraction(0),) * size
            moved = tuple(map(Fraction, move))
            if sketch.related(base, moved):
                yield arguments, base, moved


def _run(sketch: Sketch, database: Database, arguments: Arguments, seed: int, name: str, runs: int) -> Outputs:
    draws = max(1, len(sketch.draws) * max(1, arguments.size)) * 48  # discrete Gaussian noise takes so many units
    return join([BATCH.run(sketch, database, arguments, (), tape) for tape in tapes(seed, name, runs, draws)])


def _events(first: Outputs, second: Outputs) -> Iterator[Event]:
    """Outcomes, and half-lines or half-spaces in the direction in which the means differ."""
    length = int(first.lengths[0])
    items = 1 if length == SCALAR else length
    alike = bool((first.lengths == length).all() and (second.lengths == length).all())
    kinds = [outputs.kinds[:items] for outputs in (first, second)]
    if alike and items and all(bool((k == NUMBER).all()) for k in kinds):
        one, two = (outputs.values[:items] for outputs in (first, second))
        if not (one == np.round(one)).all() or len(np.unique(one)) > 50:
            yield from _half_spaces(one, two, length == SCALAR)
            return
    common = Counter(first.row(run) for run in range(400)) + Counter(second.row(run) for run in range(400))
    for value, _ in common.most_common(12):
        plain = tuple(map(_exact, value)) if isinstance(value, tuple) else _exact(value)
        yield Equals(plain)


def _exact(value: object) -> Fraction | bool | None:
    return value if value is None or isinstance(value, bool) else Fraction(value)  # type: ignore[call-overload]


def _half_spaces(one: Array, two: Array, scalar: bool) -> Iterator[Event]:
    gap = one.mean(axis=1) - two.mean(axis=1)
    spread = np.atleast_2d(np.cov(one))
    weights = np.linalg.lstsq(spread, gap, rcond=1e-9)[0]
    if not np.abs(weights).max():
        return
    short = [Fraction(float(w)).limit_denominator(1000) for w in weights / np.abs(weights).max()]
    total = sum(float(w) * row for w, row in zip(short, one, strict=True))
    for low in np.quantile(total, QUANTILES):
        least = Fraction(float(low)).limit_denominator(1000)
        if len(short) > 1:
            yield Linear(tuple(short), least)
            continue
        part = Within(least / short[0], None) if short[0] > 0 else Within(None, least / short[0])
        yield part if scalar else AllOf((part,))
