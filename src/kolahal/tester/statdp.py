"""StatDP's search as published (Ding, Wang, Wang, Zhang and Kifer, CCS 2018), for comparison with ours.

Its patterns of neighbours; its events, which are the values of a categorical coordinate, ten half-lines over the
densest 70 % of a numeric one, and all combinations of these; its choice of the smallest p-value, anew for every test ε.
Two liberties: an answer whose shape varies is one categorical value, because StatDP refuses such answers, and beyond
four numbers a coordinate has fewer than ten half-lines, because 10^n events cannot be counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any
from zlib import crc32

import numpy as np

from kolahal.engine.noise import Array
from kolahal.engine.outputs import Mask
from kolahal.engine.tape import Tape
from kolahal.inputs.pairs import Pair, settle, statdp_pairs
from kolahal.model import Event, Example, Within
from kolahal.nouns import dataclass
from kolahal.tester.discrete_parts import SortedAnswers, sort_answers, with_parts
from kolahal.tester.runs import Question, run_all
from kolahal.tester.statistics import Tally, Thinning, fisher_p_value

HALF_LINES = 10  # a numeric coordinate
DENSEST = 0.7  # the share of the answers that the half-lines end in
RAREST = 1e-3  # hits on both sides, over runs and e^ε, below which an event is left aside
MOST_EVENTS = 10_000
FAIR = Thinning(0.5, 0.5)  # a choice needs no strict p-value, so the median thinning will do


@dataclass(frozen=True, slots=True)
class StatdpPair:
    """One of StatDP's pairs; `index` names its noise."""

    question: Question
    pair: Pair
    index: int


@dataclass(frozen=True, slots=True)
class ChosenExample:
    """The example with the smallest p-value at one test ε."""

    example: Example
    p_value: float
    distance: float  # in standard deviations; tells p-values of 0 apart

    @property
    def key(self) -> tuple[float, float]:
        return self.p_value, -self.distance


def enumerate_patterns(question: Question) -> tuple[StatdpPair, ...]:
    """StatDP's pairs for one question."""
    pairs = tuple(settle(question.sketch, statdp_pairs(question.sketch.adjacency, question.arguments.size)))
    return tuple(StatdpPair(question, pair, index) for index, pair in enumerate(pairs))


def choose(pattern: StatdpPair) -> tuple[ChosenExample | None, ...]:
    """The best event of a pair, for every test ε; the two batches of runs are independent, as StatDP's are."""
    question, settings = pattern.question, pattern.question.settings
    first, second = (
        run_all(question, database, _tape(pattern, side))
        for side, database in enumerate((pattern.pair.d1, pattern.pair.d2))
    )
    families = list(_families(sort_answers(first, second), first.runs))
    epsilon = float(question.arguments.epsilon)
    return tuple(_best(pattern, families, factor * epsilon) for factor in settings.test_factors)


def _tape(pattern: StatdpPair, side: int) -> Tape:
    name = f"statdp/{pattern.question.arguments.size}/{pattern.index}/{side}"
    return Tape((pattern.question.seed, crc32(name.encode()), 0), pattern.question.settings.select_runs)


@dataclass(frozen=True, slots=True)
class _Family:
    """Events with their hits on d1 and d2."""

    hits1: Array
    hits2: Array
    event: Callable[[int], Event]


def _best(pattern: StatdpPair, families: list[_Family], epsilon: float) -> ChosenExample | None:
    question, runs = pattern.question, pattern.question.settings.select_runs
    keep, least = math.exp(-epsilon), RAREST * runs * math.exp(epsilon)
    best: ChosenExample | None = None
    for family in families:
        for flipped in (False, True):
            h1, h2 = (family.hits2, family.hits1) if flipped else (family.hits1, family.hits2)
            distance = np.where(h1 + h2 >= least, (keep * h1 - h2) / np.sqrt(keep * h1 + h2 + 1), -np.inf)
            for place in np.argsort(-distance, kind="stable")[:3]:  # in the order of p-values, up to rounding
                if distance[place] == -np.inf:
                    break
                tally = Tally(runs, 0, int(h1[place]), int(h2[place]))
                p_value = fisher_p_value(tally, epsilon, FAIR)
                d1, d2 = (pattern.pair.d2, pattern.pair.d1) if flipped else (pattern.pair.d1, pattern.pair.d2)
                example = Example(d1, d2, family.event(int(place)), question.arguments)
                choice = ChosenExample(example, p_value, float(distance[place]))
                if best is None or choice.key < best.key:
                    best = choice
    return best


def _families(answers: SortedAnswers, runs: int) -> Iterator[_Family]:
    n1, n2 = (np.bincount(part, minlength=answers.count) for part in (answers.codes[:runs], answers.codes[runs:]))
    yield _Family(n1.astype(float), n2.astype(float), answers.whole)
    for code in np.argsort(-(n1 + n2), kind="stable")[:6]:
        places = answers.numbers(int(code))
        if places and n1[code] + n2[code] >= 20:
            yield _half_lines(answers, answers.codes == code, places, answers.example(int(code)), runs)


def _half_lines(answers: SortedAnswers, inside: Mask, places: tuple[int, ...], example: Any, runs: int) -> _Family:
    """All combinations of half-lines (−∞, a], one for each number of the answers of one shape."""
    each = max(1, min(HALF_LINES, int(MOST_EVENTS ** (1 / len(places)) + 1e-9)))
    ends = [_ends(answers.pool.values(place)[inside], each) for place in places]
    shape = (each + 1,) * len(places)
    cells = np.zeros(answers.pool.runs, dtype=np.int64)
    for place, bounds in zip(places, ends, strict=True):
        cells = cells * (each + 1) + np.searchsorted(bounds, answers.pool.values(place), side="left")

    def hits(part: slice) -> Array:
        table = np.bincount(cells[part][inside[part]], minlength=math.prod(shape)).reshape(shape)
        for axis in range(len(places)):
            table = table.cumsum(axis=axis)
        return np.asarray(table[(slice(each),) * len(places)].ravel(), dtype=float)

    def event(place: int) -> Event:
        ways = np.unravel_index(place, (each,) * len(places))
        parts = {
            where: Within(None, Fraction(round(float(bounds[way]), 4)).limit_denominator(10_000))
            for where, bounds, way in zip(places, ends, ways, strict=True)
        }
        return with_parts(example, parts) if isinstance(example, tuple) else parts[0]

    return _Family(hits(slice(runs)), hits(slice(runs, None)), event)


def _ends(values: Array, each: int) -> Array:
    """Where the half-lines end: evenly over the shortest interval that holds the densest share of the values."""
    values = np.sort(values)
    share = int(DENSEST * len(values))
    widths = values[share:] - values[: len(values) - share]
    start = int(np.argmin(widths))
    return np.linspace(values[start], values[start + share - 1], each)
