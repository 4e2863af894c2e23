"""Exact linear programming over the whole numbers' fractions, for programs of a few dozen unknowns.

No float ever enters, so an answer needs no rounding and no second opinion. The dual simplex method starts without
a search for a first point, because every cost here is at least 0.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kolahal.engine.affine import Atom, Number, Symbol, plain, symbols_of


@dataclass(frozen=True, slots=True)
class Optimum:
    """The cheapest point, and for each row the price at which the cost rises when its limit falls."""

    value: Fraction  # of the first cost
    point: tuple[Fraction, ...]
    prices: tuple[Fraction, ...]


def minimise(costs: Sequence[Sequence[int]], rows: Sequence[Sequence[int]], limits: Sequence[int]) -> Optimum | None:
    """The x ≥ 0 with rows·x ≤ limits that is cheapest by the first cost, then by the next ones; None if there is none.

    No cost may be negative. Bland's rule (the first row, the first of equal columns) keeps it from going in circles.
    """
    width, height = len(costs[0]), len(rows)
    # Each row says: scale × basic variable = last − Σ entry × other variable; the costs stand below, negated.
    table = [[*row, limit] for row, limit in zip(rows, limits, strict=True)]
    table += [[*(-c for c in cost), 0] for cost in costs]
    outside = list(range(width))
    basic = list(range(width, width + height))
    scale = 1
    while True:
        below = [i for i in range(height) if table[i][-1] < 0]
        if not below:
            break
        row = min(below, key=lambda i: basic[i])
        pivot_row = table[row]
        candidates = [j for j in range(width) if pivot_row[j] < 0]
        if not candidates:
            return None
        bottom = table[height:]

        def expense(j: int, pivot_row: list[int] = pivot_row, bottom: list[list[int]] = bottom) -> tuple[Fraction, ...]:
            return tuple(Fraction(line[j], pivot_row[j]) for line in bottom)

        column = min(candidates, key=lambda j: (expense(j), outside[j])) if len(candidates) > 1 else candidates[0]
        scale = _pivot(table, row, column, scale)
        basic[row], outside[column] = outside[column], basic[row]
    point = [Fraction(0)] * width
    for i, variable in enumerate(basic):
        if variable < width:
            point[variable] = Fraction(table[i][-1], scale)
    prices = [Fraction(0)] * height
    for j, variable in enumerate(outside):
        if variable >= width:
            prices[variable - width] = Fraction(-table[height][j], scale)
    return Optimum(Fraction(table[height][-1], scale), tuple(point), tuple(prices))


def _pivot(table: list[list[int]], row: int, column: int, scale: int) -> int:
    """Exchange the basic variable of `row` with the one of `column`; all entries stay whole (Bareiss)."""
    pivot_row = table[row]
    pivot = pivot_row[column]
    sign = 1 if pivot > 0 else -1
    size = abs(pivot)
    for i, line in enumerate(table):
        if i == row:
            continue
        factor = line[column]
        if factor:
            factor *= sign
            new = [(size * a - factor * b) // scale for a, b in zip(line, pivot_row, strict=True)]
            new[column] = -factor
        elif size == scale:
            continue
        else:
            new = [size * a // scale for a in line]
        table[i] = new
    table[row] = [sign * a for a in pivot_row]
    table[row][column] = sign * scale
    return size


def find_point(atoms: Sequence[Atom], positive: Collection[Symbol] = ()) -> dict[Symbol, Number] | None:
    """A point where all atoms hold, or None if there is none; the symbols of `positive` are at least 0."""
    symbols = sorted(symbols_of(atoms), key=lambda s: (s.kind, str(s)))
    columns: list[tuple[Symbol, int]] = [(s, 1) for s in symbols] + [(s, -1) for s in symbols if s not in positive]
    # The last unknown is what a margin of 1 in the strict atoms lacks; strict atoms can hold if less than 1 is lacking.
    rows, limits = [], []
    for atom in atoms:
        terms, constant = atom.form.terms, atom.form.constant
        whole = math.lcm(constant.denominator, *(c.denominator for c in terms.values()))
        margin = whole if atom.strict else 0
        rows.append([sign * int(terms.get(s, 0) * whole) for s, sign in columns] + [-margin])
        limits.append(-int(constant * whole) - margin)
    best = minimise([[0] * len(columns) + [1]], rows, limits)
    if best is None or best.value >= 1:
        return None
    point: dict[Symbol, Number] = dict.fromkeys(symbols, 0)
    for (symbol, sign), value in zip(columns, best.point, strict=False):
        point[symbol] = plain(point[symbol] + sign * value)
    return point
