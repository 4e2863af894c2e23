"""Events learned from answers: for a pair of databases, the sets of answers that tell d1 from d2 best.

Every view of the answers sorts them into cells: whole answers, beginnings of lists, bins of one number, bins of a
weighted sum, nested boxes. An event is a cell, an interval of cells, or a union of the cells with the highest
likelihood ratio. All are counted from joint tables of the two runs that share their noise, and compared by the lower
confidence bound on ε that the final test can be expected to give, not by the raw ratio, which favours rare luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from kolahal.engine.noise import Array
from kolahal.engine.outputs import NUMBER, SCALAR, Mask, Outputs
from kolahal.model import Event, Linear, OneOf, Within
from kolahal.nouns import dataclass
from kolahal.tester.discrete_parts import (
    BothAnswers,
    JointCells,
    SortedAnswers,
    WholeNumbers,
    compact,
    join_cells,
    pattern,
    sort_answers,
    tally,
    with_parts,
)
from kolahal.tester.statistics import Tally

TAIL = np.array([0.0004, 0.001, 0.002, 0.005, 0.01, 0.02, 0.035])
LEVELS = np.concatenate([TAIL, np.arange(1, 20) / 20, 1 - TAIL[::-1]])  # the quantiles at which bins end
LARGEST_UNION = 12  # cells: a longer list is no longer readable
MANY_NUMBERS = 8
TWO_ENDS = 0.5  # standard deviations by which an interval or a union must beat a half-line or a single value
MOST_CODES = 5  # discrete parts whose numbers are looked at
RAREST_CODE = 0.002  # and what share of the answers they must have
MOST_LINES = 4  # numbers of an answer that are looked at alone
SEEN = 2_000  # runs from which weights, middles and spreads are taken


@dataclass(frozen=True, slots=True)
class Criterion:
    """The lower bound on the log-ratio that a test of `test_runs` runs should give, seen from a smaller batch."""

    test_runs: int
    margin: float  # standard deviations of the test below the truth
    caution: float  # standard deviations of the batch below its estimate: many events compete, and luck must not win

    def score(self, hits1: Any, hits2: Any, both: Any, runs: int) -> Any:
        """The expected bound for d1 as the likelier side; counts may be arrays."""
        n1, n2 = hits1 + 0.5, hits2 + 0.5
        # Of the thinned, paired test: Var(log p1 − log p2) ≈ (2/p2 − 2·p12/(p1·p2))/runs; see statistics.py.
        variance = np.maximum(2 / n2 - 2 * both / (n1 * n2), 0.25 / n2)
        return np.log(n1 / n2) - np.sqrt(variance) * (self.caution + self.margin * math.sqrt(runs / self.test_runs))

    def of(self, tally: Tally) -> float:
        return float(self.score(tally.hits1, tally.hits2, tally.both, tally.runs))


@dataclass(frozen=True, slots=True)
class Finding:
    """An event and how well it tells the databases apart; d2 is the likelier side where `flipped`."""

    event: Event
    flipped: bool
    score: float


def learn_events(first: Outputs, second: Outputs, criteria: Sequence[Criterion], keep: int) -> tuple[Finding, ...]:
    """The best events by each criterion for runs on d1 and d2 that share their noise, the best of the first first."""
    views = list(_views(first, second))
    distinct: dict[Event, Finding] = {}
    for criterion in criteria:
        kept = 0
        for lead in sorted((lead for view in views for lead in view.leads(criterion)), key=lambda lead: -lead.score):
            event = lead.event()
            if event is not None:
                distinct.setdefault(event, Finding(event, lead.flipped, lead.score))
                kept += 1
            if kept == keep:
                break
    return tuple(distinct.values())


# ---------------------------------------------------------------- views: cells and the events they stand for


@dataclass(frozen=True, slots=True)
class EventLead:
    """A finding whose event is written down only if it is wanted."""

    score: float
    flipped: bool
    event: Callable[[], Event | None]


@dataclass(frozen=True, slots=True)
class Unordered:
    """Cells without an order: single cells, and unions by likelihood ratio."""

    joint: JointCells
    count: int
    event: Callable[[int], Event | None]
    unions: bool = True

    def leads(self, criterion: Criterion) -> Iterator[EventLead]:
        joint, runs = self.joint, self.joint.all
        same = joint.first == joint.second
        n1, n2 = tally(joint.first, runs, self.count), tally(joint.second, runs, self.count)
        both = tally(joint.first[same], runs[same], self.count)
        for flipped, score in _both_ways(criterion, n1, n2, both, int(runs.sum())):
            for cell in np.argsort(-score, kind="stable")[:2]:
                yield EventLead(float(score[cell]), flipped, partial(self.event, int(cell)))
        if self.unions and self.count > 2:
            for flipped in (False, True):
                yield from self.union(criterion, flipped)

    def union(self, criterion: Criterion, flipped: bool) -> Iterator[EventLead]:
        """The best union; cells are put in order on one half of the runs and counted on the other."""
        first, second = self.joint.first, self.joint.second
        if flipped:
            first, second = second, first
        n1, n2 = tally(first, self.joint.even, self.count), tally(second, self.joint.even, self.count)
        # A rare cell is no better than its ratio less one standard deviation.
        ratio = np.log((n1 + 0.5) / (n2 + 0.5)) - np.sqrt(1 / (n1 + 0.5) + 1 / (n2 + 0.5))
        order = np.argsort(-ratio, kind="stable")
        rank = np.empty(self.count, dtype=np.int64)
        rank[order] = np.arange(self.count)
        r1, r2, held_out = rank[first], rank[second], self.joint.odd
        # A run is in the union of the first k cells if its rank is below k; both runs are if the larger rank is.
        h1, h2, both = (np.cumsum(tally(r, held_out, self.count)) for r in (r1, r2, np.maximum(r1, r2)))
        score = criterion.score(h1, h2, both, int(held_out.sum())) - TWO_ENDS * np.sqrt(1 / (h1 + 0.5) + 1 / (h2 + 0.5))
        score = score[1:LARGEST_UNION]
        if not len(score):
            return
        size = int(np.argmax(score)) + 2
        if size < self.count:
            yield EventLead(float(score[size - 2]), flipped, partial(self.one_of, sorted(order[:size].tolist())))

    def one_of(self, cells: list[int]) -> Event | None:
        events = tuple(self.event(cell) for cell in cells)
        return None if None in events else OneOf(events)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Ordered:
    """Cells 1, 2, … in order, 0 is outside: intervals of cells, or only those up to the last cell (`upper`)."""

    table: WholeNumbers  # (cells, cells), with 0: runs by their cell on d1 and on d2
    event: Callable[[int, int], Event]  # from the first and the last cell of an interval
    upper: bool = False

    def leads(self, criterion: Criterion) -> Iterator[EventLead]:
        table, width, runs = self.table, len(self.table), int(self.table.sum())
        n1 = np.concatenate([[0], table.sum(axis=1)[1:].cumsum()])
        n2 = np.concatenate([[0], table.sum(axis=0)[1:].cumsum()])
        sums = np.zeros((width, width), dtype=np.int64)
        sums[1:, 1:] = table[1:, 1:].cumsum(axis=0).cumsum(axis=1)
        if self.upper:
            low = np.arange(width - 1)
            high = np.full(width - 1, width - 1)
        else:
            low, high = np.triu_indices(width, 1)
        h1, h2 = n1[high] - n1[low], n2[high] - n2[low]
        both = sums[high, high] - sums[low, high] - sums[high, low] + sums[low, low]
        # An interval with two ends has more chances to fit the noise than a half-line, and reads worse.
        two_ends = (low > 0) & (high < width - 1)
        for flipped, score in _both_ways(criterion, h1, h2, both, runs):
            score = score - TWO_ENDS * two_ends * np.sqrt(1 / (h1 + 0.5) + 1 / (h2 + 0.5))
            best = int(np.argmax(score))
            event = partial(self.event, int(low[best]) + 1, int(high[best]))
            yield EventLead(float(score[best]), flipped, event)


def _both_ways(criterion: Criterion, n1: Any, n2: Any, both: Any, runs: int) -> Iterator[tuple[bool, Array]]:
    yield False, criterion.score(n1, n2, both, runs)
    yield True, criterion.score(n2, n1, both, runs)


def _views(first: Outputs, second: Outputs) -> Iterator[Unordered | Ordered]:
    runs, answers = first.runs, sort_answers(first, second)
    pool = answers.pool
    joint = join_cells(answers.codes[:runs], answers.codes[runs:], answers.count)
    yield Unordered(joint, answers.count, answers.whole)
    if answers.count > MANY_NUMBERS and (pool.lengths == SCALAR).all() and (pool.kinds(0) == NUMBER).all():
        # Half-lines of many whole numbers read better than unions.
        yield _value_view(answers, joint)
    for length, codes in enumerate(answers.prefixes, start=1):
        cells, count = compact(codes)
        if 1 < count != answers.count:
            yield Unordered(joint.merged(cells), count, answers.prefix(cells, length), unions=False)
    for code in _telling_codes(joint, answers.count):
        places = answers.numbers(code)
        if places:
            yield from _number_views(pool, answers.codes == code, places, answers.example(code), runs)


def _telling_codes(joint: JointCells, count: int) -> list[int]:
    """The discrete parts whose numbers are worth a look: the commonest, and those that tell d1 from d2 by themselves."""
    n1, n2 = tally(joint.first, joint.all, count), tally(joint.second, joint.all, count)
    size = n1 + n2
    told = np.abs(np.log((n1 + 0.5) / (n2 + 0.5))) - 2 / np.sqrt(size + 0.5)
    ranked = [*np.argsort(-size, kind="stable")[:2].tolist(), *np.argsort(-told, kind="stable")[:MOST_CODES].tolist()]
    return [code for code in dict.fromkeys(ranked) if size[code] >= RAREST_CODE * size.sum()][:MOST_CODES]


# ---------------------------------------------------------------- the numbers in an answer


def _number_views(pool: BothAnswers, inside: Mask, places: tuple[int, ...], example: Any, runs: int) -> Iterator[Ordered]:
    """Views of the answers of one discrete part through the numbers in them."""
    told = [i for i in places if not np.array_equal(pool.values(i)[:runs], pool.values(i)[runs:])]
    if len(told) < 2:
        for place in told:
            yield _line_view(pool.values(place), inside, runs, _line_event(example, place))
        return
    seen1, seen2 = np.flatnonzero(inside[:runs])[:SEEN], runs + np.flatnonzero(inside[runs:])[:SEEN]
    if len(seen1) < 50 or len(seen2) < 50:
        return
    shape = _shape_of(pool, told, seen1, seen2)
    for place in shape.places[:MOST_LINES]:
        yield _line_view(pool.values(place), inside, runs, _line_event(example, place))
    if len(shape.places) > 1:
        for way in (1, -1):
            yield _box_view(pool, inside, shape, way, example, runs)
            if len(places) == len(example):
                yield _linear_view(pool, inside, shape, way, example, runs)


@dataclass(frozen=True, slots=True)
class _Shape:
    """Which numbers of an answer tell d1 from d2, and how: d1 is where the weighted sum is large."""

    places: tuple[int, ...]
    weights: Array  # (places,)
    middles: Array  # (places,)
    spreads: Array  # (places,)


def _shape_of(pool: BothAnswers, places: list[int], seen1: Any, seen2: Any) -> _Shape:
    """Fisher's discriminant. It leaves out numbers that move only because one before them does."""
    x1, x2 = (np.array([pool.values(place)[seen] for place in places]) for seen in (seen1, seen2))
    both = np.concatenate([x1, x2], axis=1)
    weights = np.linalg.lstsq(np.cov(both), x1.mean(axis=1) - x2.mean(axis=1), rcond=1e-9)[0]
    quartiles = np.quantile(both, [0.25, 0.5, 0.75], axis=1)
    spreads = quartiles[2] - quartiles[0]
    # Where half of the numbers are equal, the quartiles say nothing of how far the others lie.
    spreads = np.maximum(np.where(spreads > 0, spreads, both.std(axis=1)), 1e-6)
    size = np.abs(weights) * spreads
    kept = np.flatnonzero(size >= 0.15 * size.max())
    return _Shape(tuple(places[i] for i in kept), weights[kept], quartiles[1][kept], spreads[kept])


def _value_view(answers: SortedAnswers, joint: JointCells) -> Ordered:
    """Bins of the answer itself, where that is one number."""
    values = answers.pool.values(0)
    if answers.continuous:
        return _line_view(values, np.ones(len(values), dtype=bool), len(values) // 2, Within)
    bins = _bins_of(values, Within)
    binned = joint.merged(bins.cells(values[answers.samples]))
    return Ordered(_table(binned.first, binned.second, bins.count, binned.all), bins.event)


def _line_view(
    values: Array, inside: Mask, runs: int, event: Callable[[Fraction | None, Fraction | None], Event]
) -> Ordered:
    """Bins of one number."""
    bins = _bins_of(values[inside], event)
    cells = bins.cells(values)
    cells[~inside] = 0
    return Ordered(_table(cells[:runs], cells[runs:], bins.count), bins.event)


def _table(first: WholeNumbers, second: WholeNumbers, count: int, runs: WholeNumbers | None = None) -> WholeNumbers:
    """Runs by their cells; `runs` says how many stand for each pair, if not one."""
    pairs, size = first * count + second, count * count
    found = np.bincount(pairs, minlength=size) if runs is None else tally(pairs, runs, size)
    return found.reshape(count, count)


@dataclass(frozen=True, slots=True)
class _Bins:
    """Where the numbers of an answer are cut, and the events between two cuts; cell 0 is for what is not looked at."""

    edges: _Decimals
    whole: bool
    of: Callable[[Fraction | None, Fraction | None], Event]

    @property
    def count(self) -> int:
        return len(self.edges.wholes) + 2

    def cells(self, values: Array) -> WholeNumbers:
        return np.searchsorted(self.edges.floats, values, side="right") + 1

    def event(self, low: int, high: int) -> Event:
        below = self.edges.exact(low - 2) if low > 1 else None
        # Closed intervals: 3 ≤ x < 6 is 3 ≤ x ≤ 5.
        above = self.edges.exact(high - 1) - self.whole if high < self.count - 1 else None
        return self.of(below, above)


def _bins_of(values: Array, event: Callable[[Fraction | None, Fraction | None], Event]) -> _Bins:
    return _Bins(_edges(values), bool((values == np.floor(values)).all()), event)


def _line_event(example: Any, place: int) -> Callable[[Fraction | None, Fraction | None], Event]:
    def event(low: Fraction | None, high: Fraction | None) -> Event:
        if not isinstance(example, tuple):
            return Within(low, high)
        return with_parts(example, {place: Within(low, high)})

    return event


BOXES = 17  # one inside the other, an eighth of a spread apart, the middle one at the middle


def _box_view(pool: BothAnswers, inside: Mask, shape: _Shape, way: int, example: Any, runs: int) -> Ordered:
    """Boxes open towards d1 (d2 where `way` is −1), each inside the one before it."""
    signs = way * np.sign(shape.weights)
    steps = [_decimals(np.array([spread / 8]), spread / 20) for spread in shape.spreads]
    middles = [_decimals(np.array([m]), spread / 20) for m, spread in zip(shape.middles, shape.spreads, strict=True)]
    cells = np.full(pool.runs, BOXES - 1.0)
    for place, sign, step, middle in zip(shape.places, signs, steps, middles, strict=True):
        depth = (pool.values(place) - middle.floats[0]) * (sign / step.floats[0])
        np.minimum(cells, depth, out=cells)
    numbers = np.clip(np.floor(cells) + BOXES // 2 + 1, 0, BOXES).astype(np.int64)  # the innermost box of an answer
    numbers[~inside] = 0

    def of(low: int, _: int) -> Event:
        parts = {}
        for place, sign, step, middle in zip(shape.places, signs, steps, middles, strict=True):
            bound = middle.exact(0) + int(sign) * (low - 1 - BOXES // 2) * step.exact(0)
            parts[place] = Within(bound, None) if sign > 0 else Within(None, bound)
        return with_parts(example, parts)

    return Ordered(_table(numbers[:runs], numbers[runs:], BOXES + 1), of, upper=True)


def _linear_view(pool: BothAnswers, inside: Mask, shape: _Shape, way: int, example: Any, runs: int) -> Ordered:
    """Bins of the weighted sum, its weights rounded to tenths of the largest."""
    largest = np.abs(shape.weights).max()
    full = [Fraction(0)] * len(example)
    for place, weight in zip(shape.places, shape.weights, strict=True):
        full[place] = Fraction(round(10 * way * float(weight / largest)), 10)
    score = np.array([float(full[place]) for place in shape.places]) @ np.array([pool.values(place) for place in shape.places])
    edges = _edges(score[inside])
    cells = np.searchsorted(edges.floats, score, side="right") + 1
    cells[~inside] = 0

    def of(low: int, _: int) -> Event:
        return Linear(tuple(full), edges.exact(low - 2)) if low > 1 else pattern(example)

    return Ordered(_table(cells[:runs], cells[runs:], len(edges.floats) + 2), of, upper=True)


@dataclass(frozen=True, slots=True)
class _Decimals:
    """Short decimal numbers, for arrays and for people."""

    wholes: Array
    digits: int  # behind the point; below 0 for zeros before it

    @property
    def floats(self) -> Array:
        """The doubles nearest to the numbers."""
        return self.wholes / 10.0**self.digits if self.digits >= 0 else self.wholes * 10.0**-self.digits

    def exact(self, place: int) -> Fraction:
        return Fraction(int(self.wholes[place])) / Fraction(10) ** self.digits


def _edges(values: Array) -> _Decimals:
    """Short decimals near some quantiles of the values, ascending."""
    sample = np.sort(values[:: max(1, len(values) // 8192)])
    last = len(sample) - 1
    spread = float(sample[3 * last // 4] - sample[last // 4])
    found = _decimals(sample[(LEVELS * last).astype(np.int64)], spread / 20)
    return _Decimals(np.unique(found.wholes), found.digits)


def _decimals(values: Array, unit: float) -> _Decimals:
    """Multiples of the power of ten next below `unit`, near the values."""
    digits = -math.floor(math.log10(max(unit, 1e-9)))
    return _Decimals(np.round(values * 10.0**digits), digits)
