"""Which shifts of the noise are cheapest? Small linear programs, solved exactly.

A *problem* asks for a shift of each draw so that every line holds: Σ coefficient × shift + offset ≤ 0, or = 0. Its
*weights* are the sizes of the shift, added up site by site: all that the scales have to do with it.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from kolahal.logic.counting import take_steps
from kolahal.logic.linear import Number, plain
from kolahal.logic.simplex import minimise
from kolahal.nouns import dataclass

FRONT, SHIFT = 40, 60  # steps to find one at least
MOST_SITES = 4  # with noise at more sites, the weights found are right but may not be all that matter


class Column(NamedTuple):
    """A draw: where it stands, whether its noise is at least 0, and whether it is a whole number."""

    site: int
    one_sided: bool
    whole: bool


class Line(NamedTuple):
    """Σ coefficient × shift of a column + offset ≤ 0, or = 0 if `equal`."""

    equal: bool
    offset: Number
    terms: tuple[tuple[int, Number], ...]


@dataclass(frozen=True, slots=True)
class Problem:
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]


Weights: TypeAlias = tuple[tuple[int, Fraction], ...]  # (site, weight), ascending, no weight 0


@dataclass(frozen=True, slots=True)
class CheapestShift:
    """A shift of each column, its cost, and what each line adds to the cost when its offset rises."""

    cost: Fraction
    steps: tuple[Fraction, ...]
    prices: tuple[Fraction, ...]  # for a line with `equal`, of either sign


def find_shift(problem: Problem, prices: Mapping[int, Fraction]) -> CheapestShift | None:
    """The shift that costs least where a step at a site costs `prices[site]`; None if no shift satisfies all lines."""
    whole = math.lcm(*(price.denominator for price in prices.values()))
    first = {site: int(price * whole) for site, price in prices.items()}
    # Among equally cheap shifts, the one with the smallest steps: no weight is larger than it must be.
    costs = [[first[c.site] for c in problem.columns], [1] * len(problem.columns)]
    two_sided = [i for i, column in enumerate(problem.columns) if not column.one_sided]
    rows, limits = [], []
    for line in problem.lines:
        scale = math.lcm(line.offset.denominator, *(c.denominator for _, c in line.terms))
        row = [0] * len(problem.columns)
        for place, coefficient in line.terms:
            row[place] = int(coefficient * scale)
        row += [-row[i] for i in two_sided]
        limit = -int(line.offset * scale)
        rows.append((row, limit, scale))
        if line.equal:
            rows.append(([-a for a in row], -limit, scale))
    for cost in costs:
        cost += [cost[i] for i in two_sided]
    limits = [limit for _, limit, _ in rows]
    best = minimise(costs, [row for row, _, _ in rows], limits)
    if best is None:
        return None
    steps = list(best.point[: len(problem.columns)])
    for i, back in zip(two_sided, best.point[len(problem.columns) :], strict=True):
        steps[i] -= back
    row_prices = iter([price * scale / whole for price, (_, _, scale) in zip(best.prices, rows, strict=True)])
    prices_of_lines = [
        next(row_prices) - next(row_prices) if line.equal else next(row_prices) for line in problem.lines
    ]
    return CheapestShift(best.value / whole, tuple(steps), tuple(prices_of_lines))


def is_below(low: Weights, high: Weights) -> bool:
    """Whether no weight is above that of another at the same site."""
    most = dict(high)
    return all(weight <= most.get(site, 0) for site, weight in low)


def is_weaker(front: Front, other: Front) -> bool:
    """Whether a front is nowhere dearer than another."""
    return all(any(is_below(w, v) for w in front) for v in other)


def weigh(problem: Problem, shift: CheapestShift) -> Weights:
    """The sizes of a shift, added up site by site."""
    total: dict[int, Fraction] = {}
    for column, step in zip(problem.columns, shift.steps, strict=True):
        if step:
            total[column.site] = total.get(column.site, Fraction(0)) + abs(step)
    return tuple(sorted(total.items()))


# ---------------------------------------------------------------- all weights that matter

Front: TypeAlias = tuple[Weights, ...]  # for every choice of scales, one of these is cheapest; empty if there is none


def find_front(problem: Problem) -> Front:
    """The weights of all shifts that are cheapest for some scales."""
    take_steps(FRONT + len(problem.lines) * len(problem.columns) // 8)  # where an equal problem is known, too
    simple = simplify(problem)
    return () if simple is None else _find_front(simple)


def simplify(problem: Problem) -> Problem | None:
    """The same problem with its draws renamed, so that problems which differ only in names are equal; None if hopeless.

    The tests of a sparse vector run differ only in which query is meant, and so most of them are solved once.
    """
    strongest: dict[tuple[bool, tuple[tuple[int, Number], ...]], Number] = {}
    for equal, offset, terms in problem.lines:
        if not terms:
            if offset > 0 or (equal and offset):
                return None
        elif equal:
            if strongest.setdefault((True, terms), offset) != offset:
                return None
        else:
            strongest[False, terms] = max(offset, strongest.get((False, terms), offset))
    uses = Counter(place for _, terms in strongest for place, _ in terms)

    def look(place: int) -> tuple[object, ...]:
        """What of a column does not depend on its name; columns of a single line come first."""
        return (uses[place] > 1, uses[place], *problem.columns[place])

    def order(line: Line) -> tuple[object, ...]:
        return (line.equal, line.offset, sorted((*look(place), c) for place, c in line.terms))

    lines = sorted((Line(equal, offset, terms) for (equal, terms), offset in strongest.items()), key=order)
    names: dict[int, int] = {}
    for line in lines:
        for place, _ in sorted(line.terms, key=lambda term: (*look(term[0]), term[1])):
            names.setdefault(place, len(names))
    renamed = [Line(e, o, tuple(sorted((names[place], c) for place, c in terms))) for e, o, terms in lines]
    return Problem(tuple(problem.columns[place] for place in names), tuple(sorted(renamed)))


@lru_cache(maxsize=4096)
def _find_front(problem: Problem) -> Front:
    sites = sorted({column.site for column in problem.columns})
    shifts: dict[_Point, CheapestShift] = {}

    def cheapest(normal: Sequence[int]) -> _Point | None:
        shift = find_shift(problem, {site: Fraction(n) for site, n in zip(sites, normal, strict=True)})
        if shift is None:
            return None
        weights = dict(weigh(problem, shift))
        point = tuple(plain(weights.get(site, 0)) for site in sites)
        shifts.setdefault(point, shift)
        return point

    if cheapest([1] * len(sites)) is None:
        return ()
    if len(sites) > MOST_SITES:
        for site in range(len(sites)):
            cheapest([int(site == other) for other in range(len(sites))])
    else:
        _complete(list(shifts), cheapest)
    whole = [i for i, column in enumerate(problem.columns) if column.whole]
    good = [p for p, shift in shifts.items() if all(shift.steps[i].denominator == 1 for i in whole)]
    kept = [p for p in good if not _is_beaten(p, [other for other in good if other != p])]
    return tuple(tuple((s, Fraction(w)) for s, w in zip(sites, point, strict=True) if w) for point in sorted(kept))


_Point: TypeAlias = tuple[Number, ...]


def _complete(points: list[_Point], cheapest: Callable[[Sequence[int]], _Point | None]) -> None:
    """Ask for the cheapest point in each direction of the lower hull of `points` until there is no new one."""
    asked: set[tuple[int, ...]] = set()
    while True:
        for normal in _normals(points):
            if normal in asked:
                continue
            asked.add(normal)
            point = cheapest(normal)
            if point is not None and _dot(normal, point) < min(_dot(normal, p) for p in points):
                points.append(point)
                break
        else:
            return


def _normals(points: Sequence[_Point]) -> Iterator[tuple[int, ...]]:
    """The normals of all faces of the set of points that are at least some mixture of `points`."""
    size = len(points[0])
    for many in range(1, size + 1):
        for chosen in itertools.combinations(points, many):
            for axes in itertools.combinations(range(size), many):
                # The face holds the chosen points and goes to infinity along the other axes.
                rows = [[p[a] - chosen[0][a] for a in axes] for p in chosen[1:]]
                part = _perpendicular(rows, many)
                if part is None:
                    continue
                normal: list[Number] = [0] * size
                for axis, entry in zip(axes, part, strict=True):
                    normal[axis] = entry
                level = _dot(normal, chosen[0])
                if all(_dot(normal, p) >= level for p in points):
                    yield _whole(normal)


def _perpendicular(rows: list[list[Number]], size: int) -> list[Number] | None:
    """The vector that is perpendicular to `size` − 1 rows and positive everywhere, or None."""
    signed = [(-1 if c % 2 else 1) * _determinant([row[:c] + row[c + 1 :] for row in rows]) for c in range(size)]
    if all(entry > 0 for entry in signed):
        return signed
    return [-entry for entry in signed] if all(entry < 0 for entry in signed) else None


def _determinant(rows: list[list[Number]]) -> Number:
    if not rows:
        return 1
    first, *others = rows
    minors = ([row[:c] + row[c + 1 :] for row in others] for c in range(len(first)))
    return sum(
        (-1 if c % 2 else 1) * entry * _determinant(minor)
        for c, (entry, minor) in enumerate(zip(first, minors, strict=True))
    )


def _is_beaten(point: _Point, others: Sequence[_Point]) -> bool:
    """Whether some mixture of the others is nowhere above `point`."""
    if not others:
        return False
    scale = math.lcm(*(entry.denominator for p in (point, *others) for entry in p))
    rows = [[int(other[axis] * scale) for other in others] for axis in range(len(point))]
    ones = [1] * len(others)
    limits = [int(entry * scale) for entry in point]
    return minimise([[0] * len(others)], [*rows, ones, [-1] * len(others)], [*limits, 1, -1]) is not None


def _dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _whole(vector: Sequence[Number]) -> tuple[int, ...]:
    scale = math.lcm(*(entry.denominator for entry in vector))
    entries = [int(entry * scale) for entry in vector]
    common = math.gcd(*entries)
    return tuple(entry // common for entry in entries)
