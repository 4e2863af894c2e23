"""Exact linear programming over the whole numbers' fractions, for programs of a few dozen unknowns.

No float ever enters, so an answer needs no rounding and no second opinion. The dual simplex method starts without
a search for a first point, because every cost here is at least 0.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from kolahal.logic.linear import Inequality, LinearForm, Number, V, key_of, plain, unknowns_of
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Optimum:
    """The cheapest point, and for each row the price at which the cost rises when its limit falls."""

    value: Fraction  # of the first cost
    point: tuple[Fraction, ...]
    prices: tuple[Fraction, ...]


def minimise(costs: Sequence[Sequence[int]], rows: Sequence[Sequence[int]], limits: Sequence[int]) -> Optimum | None:
    """The x ≥ 0 with rows·x ≤ limits that is cheapest by the first cost, then by the next ones; None if there is none.

    No cost may be negative.
    """
    table = _Table(costs, rows, limits)
    return table.optimum() if table.make_feasible() else None


class _Table:
    """The rows solved for some variables, the *basic* ones, with the others at 0.

    Row i says: scale × basic[i] = last entry − Σ entry × outside variable. The costs stand below, negated. Choosing
    the first of equal rows and columns (Bland) keeps a search from going in circles.
    """

    def __init__(self, costs: Sequence[Sequence[int]], rows: Sequence[Sequence[int]], limits: Sequence[int]):
        self.width, self.height = len(costs[0]), len(rows)
        self.lines = [[*row, limit] for row, limit in zip(rows, limits, strict=True)]
        self.lines += [[*(-c for c in cost), 0] for cost in costs]
        self.outside = list(range(self.width))
        self.basic = list(range(self.width, self.width + self.height))
        self.scale = 1

    def make_feasible(self) -> bool:
        """The dual simplex method: from costs that are right to values that are not negative, if there are any."""
        while True:
            below = [i for i in range(self.height) if self.lines[i][-1] < 0]
            if not below:
                return True
            row = min(below, key=self.basic.__getitem__)
            entries = self.lines[row]
            columns = [j for j in range(self.width) if entries[j] < 0]
            if not columns:
                return False
            self.exchange(row, self.cheapest(columns, entries))

    def cheapest(self, columns: Sequence[int], entries: Sequence[int]) -> int:
        """The column with the least costs for an entry, all of which are below 0, and of equal ones the first variable."""
        bottom = self.lines[self.height :]
        best = columns[0]
        for column in columns[1:]:
            for line in bottom:
                difference = line[column] * entries[best] - line[best] * entries[column]  # both entries are negative
                if difference:
                    break
            else:
                difference = self.outside[column] - self.outside[best]
            if difference < 0:
                best = column
        return best

    def set_cost(self, cost: Sequence[int]) -> None:
        """Replace all costs by one, of either sign."""
        line = [0] * (self.width + 1)
        for j, variable in enumerate(self.outside):
            if variable < self.width:
                line[j] = -cost[variable] * self.scale
        for i, variable in enumerate(self.basic):
            if variable < self.width and cost[variable]:
                row = self.lines[i]
                line = [a + cost[variable] * b for a, b in zip(line, row, strict=True)]
        self.lines[self.height :] = [line]

    def lower_cost(self) -> bool:
        """The primal simplex method for the first cost, from values that are right; False if there is no lowest."""
        while True:
            entries = self.lines[self.height]
            columns = [j for j in range(self.width) if entries[j] > 0]
            if not columns:
                return True
            column = min(columns, key=self.outside.__getitem__)
            rows = [i for i in range(self.height) if self.lines[i][column] > 0]
            if not rows:
                return False
            best = rows[0]
            for row in rows[1:]:
                line, other = self.lines[row], self.lines[best]
                difference = line[-1] * other[column] - other[-1] * line[column]  # of the limits for an entry
                if difference < 0 or (not difference and self.basic[row] < self.basic[best]):
                    best = row
            self.exchange(best, column)

    def exchange(self, row: int, column: int) -> None:
        self.scale = _pivot(self.lines, row, column, self.scale)
        self.basic[row], self.outside[column] = self.outside[column], self.basic[row]

    def optimum(self) -> Optimum:
        point, prices = [Fraction(0)] * self.width, [Fraction(0)] * self.height
        for i, variable in enumerate(self.basic):
            if variable < self.width:
                point[variable] = Fraction(self.lines[i][-1], self.scale)
        for j, variable in enumerate(self.outside):
            if variable >= self.width:
                prices[variable - self.width] = Fraction(-self.lines[self.height][j], self.scale)
        return Optimum(Fraction(self.lines[self.height][-1], self.scale), tuple(point), tuple(prices))


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


_Columns: TypeAlias = list[tuple[V, int]]  # an unknown stands for the first minus the second of its columns


def _columns(unknowns: Iterable[V], positive: Collection[V]) -> _Columns[V]:
    ordered = sorted(unknowns, key=key_of)
    return [(s, 1) for s in ordered] + [(s, -1) for s in ordered if s not in positive]


def _row(form: LinearForm[V], columns: _Columns[V]) -> tuple[list[int], int, int]:
    """The entries and the constant of a form, made whole, and the factor that made them whole."""
    whole = math.lcm(form.constant.denominator, *(c.denominator for c in form.terms.values()))
    entries = {s: c.numerator * (whole // c.denominator) for s, c in form.terms.items()}
    return [sign * entries.get(s, 0) for s, sign in columns], int(form.constant * whole), whole


def pinned(atoms: Iterable[Inequality[V]]) -> dict[V, Number]:
    """The unknowns to which comparisons of single ones leave one value."""
    ends: dict[V, dict[bool, Number]] = {}
    for atom in atoms:
        if len(atom.form.terms) == 1 and not atom.strict:
            ((unknown, factor),) = atom.form.terms.items()
            ends.setdefault(unknown, {})[factor > 0] = -atom.form.constant * factor if abs(factor) == 1 else -atom.form.constant / Fraction(factor)
    return {unknown: plain(own[True]) for unknown, own in ends.items() if len(own) == 2 and own[True] == own[False]}


def find_point(atoms: Sequence[Inequality[V]], positive: Collection[V] = ()) -> dict[V, Number] | None:
    """A point where all atoms hold, or None if there is none; the unknowns of `positive` are at least 0."""
    columns = _columns(unknowns_of(atoms), positive)
    # The last unknown is what a margin of 1 in the strict atoms lacks; they can hold if less than 1 is lacking.
    rows, limits = [], []
    for atom in atoms:
        entries, constant, whole = _row(atom.form, columns)
        margin = whole if atom.strict else 0
        rows.append([*entries, -margin])
        limits.append(-constant - margin)
    best = minimise([[0] * len(columns) + [1]], rows, limits)
    if best is None or best.value >= 1:
        return None
    point: dict[V, Number] = {}
    for (unknown, sign), value in zip(columns, best.point, strict=False):
        point[unknown] = plain(point.get(unknown, 0) + sign * value)
    return point


def find_supremum(form: LinearForm[V], atoms: Sequence[Inequality[V]]) -> Number | None:
    """The least bound of `form` where all atoms hold, which some point must satisfy; None if there is no bound."""
    known = pinned(atoms)
    if form.terms.keys() <= known.keys():
        return plain(form.at(known))
    columns = _columns(unknowns_of((*atoms, Inequality(form, strict=False))), ())
    rows = [_row(atom.form, columns) for atom in atoms]  # strict or not: the boundary does not change the bound
    entries, constant, whole = _row(-form, columns)
    table = _Table([[0] * len(columns)], [entries for entries, _, _ in rows], [-constant for _, constant, _ in rows])
    assert table.make_feasible(), "some point satisfies all atoms"
    # Any cost may follow once the values are right: written in terms of the variables that are at 0 now.
    table.set_cost(entries)
    if not table.lower_cost():
        return None
    return plain(Fraction(-table.lines[-1][-1], table.scale * whole) - Fraction(constant, whole))
