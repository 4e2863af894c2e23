"""Functions of one record as pieces: on each cell of the records every function is linear, or lies between bounds.

A cell is a polytope of the real fields, given by its sides and its corners; fields with few values are fixed before.
Fields without bounds are cut at a distance beyond which no cell has a corner, see `find_pieces`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from kolahal.lang.enclosures import MATH, NoBounds, enclose, enclose_all, outward
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.records.table import (
    ONE,
    ZERO,
    Apply,
    ArgumentOf,
    Field,
    FieldOf,
    FieldValue,
    NumberOf,
    RecordFunction,
    RowClass,
    RunOf,
    TextOf,
    parts_of,
    print_item,
)
from kolahal.nouns import dataclass

CONSTANT = "1"
MOST_VALUES = 64  # of a field that are looked at one by one
MOST_CELLS = 2_000
MOST_FIXED = 4_096  # combinations of such fields
MOST_DIMENSIONS = 5
LinearIn: TypeAlias = dict[str, Fraction]  # unknown → coefficient, and the constant
Point: TypeAlias = dict[str, Fraction]
PieceValue: TypeAlias = "LinearIn | bool | str"


class TooComplex(Exception):
    """Why functions of a record cannot be taken apart."""


def _at(form: LinearIn, point: Mapping[str, Fraction]) -> Fraction:
    return sum((c * point[name] if name != CONSTANT else c for name, c in form.items()), Fraction(0))


def _plus(left: LinearIn, right: LinearIn, factor: Fraction = Fraction(1)) -> LinearIn:
    names = {**left, **right}
    total = {name: left.get(name, Fraction(0)) + factor * right.get(name, Fraction(0)) for name in names}
    return {name: c for name, c in total.items() if c}


def _size(form: LinearIn) -> int:
    """The sum of the coefficients of a plane, all of them whole."""
    whole = math.lcm(*(c.denominator for c in form.values()))
    numbers = [abs(int(c * whole)) for c in form.values()]
    return sum(numbers) // math.gcd(*numbers)


def _is_constant(form: LinearIn) -> bool:
    return all(name == CONSTANT for name in form)


@dataclass(frozen=True, slots=True)
class Cell:
    """The points where every side is at least 0, and above 0 if it is strict."""

    names: tuple[str, ...]
    sides: tuple[tuple[LinearIn, bool], ...]
    corners: tuple[Point, ...]
    touched: tuple[frozenset[int], ...]  # the sides that are 0 at each corner

    def cut(self, form: LinearIn, strict: bool) -> Cell | None:
        """The part where `form` is at least 0, or above it; None if there is none."""
        values = [_at(form, corner) for corner in self.corners]
        if all(v > 0 for v in values) or (not strict and all(v >= 0 for v in values)):
            return self
        if all(v < 0 for v in values) or (strict and all(v <= 0 for v in values)):
            return None
        new, corners = len(self.sides), dict[tuple[Fraction, ...], tuple[Point, frozenset[int]]]()
        every = list(zip(self.corners, self.touched, values, strict=True))
        for corner, sides, value in every:
            if value >= 0:
                corners[tuple(corner.values())] = corner, sides | {new} if not value else sides
        # What is new lies on edges, and the ends of an edge have all but one of the sides that meet there in common. Other
        # points that this finds lie in the cell as well.
        for (one, above, high), (two, below, low) in itertools.product(every, repeat=2):
            common = above & below
            if high > 0 > low and len(common) >= len(self.names) - 1:
                share = high / (high - low)
                point = {name: one[name] + share * (two[name] - one[name]) for name in self.names}
                corners.setdefault(tuple(point.values()), (point, common | {new}))
        found = Cell(self.names, (*self.sides, (form, strict)), *zip(*corners.values(), strict=True))
        return found if found.is_inhabited() else None

    def is_inhabited(self) -> bool:
        """Whether no strict side is 0 everywhere: the middle of the corners is inside all sides that are not."""
        return all(any(i not in sides for sides in self.touched) for i, (_, strict) in enumerate(self.sides) if strict)

    def range(self, form: LinearIn) -> tuple[Fraction, Fraction]:
        values = [_at(form, corner) for corner in self.corners]
        return min(values), max(values)

    def with_unknown(self, name: str, low: Fraction, high: Fraction) -> Cell:
        """The same cell with a further unknown between two bounds."""
        if name in self.names:
            return self
        new = len(self.sides)
        sides: tuple[tuple[LinearIn, bool], ...] = (({name: Fraction(1), CONSTANT: -low}, False), ({name: Fraction(-1), CONSTANT: high}, False))
        ends = {low: frozenset({new}), high: frozenset({new + 1})} if low != high else {low: frozenset({new, new + 1})}
        corners = tuple({**corner, name: end} for corner in self.corners for end in ends)
        touched = tuple(known | more for known in self.touched for more in ends.values())
        return Cell((*self.names, name), (*self.sides, *sides), corners, touched)


@dataclass(frozen=True, slots=True)
class LinearPiece:
    """Where some functions are linear: their values at each corner of a cell, jointly."""

    values: tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True)
class RecordPieces:
    """All values that functions of a record have together: in the hulls of the pieces' corners, and in no smaller set."""

    pieces: tuple[LinearPiece, ...]
    unbounded: tuple[int, ...]  # the functions without bounds
    exact: bool  # whether nothing was enclosed
    breaks: dict[str, tuple[Fraction, ...]] = field(hash=False, compare=False)  # where single fields change pieces
    factors: frozenset[tuple[str, Fraction]] = field(hash=False, compare=False)  # of fields in the functions, and constants

    @property
    def corners(self) -> tuple[tuple[Fraction, ...], ...]:
        return tuple(dict.fromkeys(values for piece in self.pieces for values in piece.values))

    @property
    def finite(self) -> bool:
        """Whether there are only so many values."""
        return self.exact and all(len(set(piece.values)) == 1 for piece in self.pieces)


def find_pieces(row: RowClass, functions: Sequence[RecordFunction]) -> RecordPieces:
    """The pieces of functions of a record, as `_find_pieces` says, which is asked the same again and again; raises TooComplex."""
    return _find_pieces(row, tuple(functions))


@lru_cache(maxsize=256)
def _find_pieces(row: RowClass, functions: tuple[RecordFunction, ...]) -> RecordPieces:
    """The pieces of functions of a record; raises TooComplex.

    Unknowns without bounds are cut at a distance, which grows until surely all corners of the arrangement of all comparisons
    and of the planes through 0 lie inside. No cell crosses these planes, so each has such a corner, and a function that
    has a bound on a cell takes its extreme values at them. At the cut itself only one without a bound is more extreme.
    """
    bound = Fraction(2)
    while True:
        found = _Arrangement(row, functions, bound)
        cells = found.cells_with_values()
        reach = found.reach()
        if reach < bound:
            break
        bound = 2 * reach + 1
    if found.loose:
        raise TooComplex(f"`{found.loose}` has no bounds")
    unbounded: set[int] = set()
    pieces: dict[LinearPiece, None] = {}
    for cell, forms in cells:
        unbounded |= {i for i, form in enumerate(forms) if found.is_loose(form, cell)}
        corners = found.own_corners(cell)
        pieces[LinearPiece(tuple(dict.fromkeys(tuple(_at(form, c) for form in forms) for c in corners)))] = None
    factors = frozenset((name, abs(c)) for _, forms in cells for form in forms for name, c in form.items())
    return RecordPieces(tuple(pieces), tuple(sorted(unbounded)), found.exact, found.breaks(), factors)


class _Arrangement:
    def __init__(self, row: RowClass, functions: Sequence[RecordFunction], bound: Fraction):
        self.row, self.functions, self.bound = row, functions, bound
        self.forms: dict[tuple[tuple[str, Fraction], ...], LinearIn] = {}  # all that was compared with 0
        self.exact = True
        self.loose = ""  # a product of which a part reaches to where unknowns are cut
        self.cells = 0
        used = {part.name for f in functions for part in parts_of(f) if isinstance(part, FieldOf)}
        fields = [f for f in row.fields if f.name in used]
        self.listed = {f.name: values for f in fields if (values := f.values(MOST_VALUES)) is not None}
        self.real = [f for f in fields if f.name not in self.listed]
        given = {part for f in functions for part in parts_of(f) if isinstance(part, ArgumentOf)}
        self.public = sorted(part.name for part in given if not part.truth)
        self.listed |= {public_unknown(part.name): (False, True) for part in given if part.truth}
        count = 1
        for values in self.listed.values():
            count *= len(values)
        if count > MOST_FIXED:
            raise TooComplex(f"the fields that it uses have {count} combinations of values")
        if len(self.real) + len(self.public) > MOST_DIMENSIONS:
            raise TooComplex(f"it uses more than {MOST_DIMENSIONS} numbers together")

    def cells_with_values(self) -> list[tuple[Cell, tuple[LinearIn, ...]]]:
        """Every cell, with the functions on it."""
        found: list[tuple[Cell, tuple[LinearIn, ...]]] = []
        for values in itertools.product(*self.listed.values()):
            self.fixed: dict[str, FieldValue] = dict(zip(self.listed, values, strict=True))
            states: list[tuple[Cell, tuple[LinearIn, ...]]] = [(box, ()) for box in self.boxes()]
            for function in self.functions:
                states = [
                    (inner, (*forms, _number(value)))
                    for cell, forms in states
                    for inner, value in self.outcomes(function, cell)
                ]
            found += states
        return found

    @property
    def free(self) -> list[str]:
        """The unknowns without bounds."""
        return [f.name for f in self.real if f.low is None or f.high is None] + [public_unknown(name) for name in self.public]

    def boxes(self) -> list[Cell]:
        """All values of the unknowns; those without bounds on either side of 0."""
        cells = [Cell((), (), ({},), (frozenset(),))]
        for known in self.real:
            if known.low is not None and known.high is not None:
                cells = [cell.with_unknown(known.name, known.low, known.high) for cell in cells]
        sides = ((-self.bound, Fraction(0)), (Fraction(0), self.bound))
        for name in self.free:
            cells = [cell.with_unknown(name, *side) for cell in cells for side in sides]
        return cells

    # ---- where all corners are

    def reach(self) -> Fraction:
        """No coordinate of a corner of the arrangement of all comparisons, bounds, and planes through 0 is above this.

        Of planes with whole coefficients it is a quotient of determinants: that below is at least 1, and that above at most
        the product of the sums of its rows.
        """
        names = [f.name for f in self.real] + [public_unknown(name) for name in self.public]
        planes = [form for form in self.forms.values() if all(n in names or n == CONSTANT for n in form)]
        for form in self.forms.values():
            # The bounds of a product are no planes here, so that the cut could lie before where it is compared.
            if form not in planes and (free := [n for n in self.free if n in form]):
                raise TooComplex(f"`{free[0] or 'a record'}`, which has no bounds, is compared with a product or quotient")
        for known in self.real:
            planes += [{known.name: Fraction(1), CONSTANT: -end} for end in (known.low, known.high) if end]
        return Fraction(math.prod(sorted((_size(plane) for plane in planes), reverse=True)[: len(names)]))

    def breaks(self) -> dict[str, tuple[Fraction, ...]]:
        """Where comparisons of a single field with a number change."""
        found: dict[str, set[Fraction]] = {f.name: set() for f in self.real}
        for form in self.forms.values():
            names = [name for name in form if name != CONSTANT]
            if len(names) == 1 and names[0] in found:
                found[names[0]].add(-form.get(CONSTANT, Fraction(0)) / form[names[0]])
        return {name: tuple(sorted(values)) for name, values in found.items()}

    # ---- functions on cells

    def outcomes(self, item: RecordFunction, cell: Cell) -> list[tuple[Cell, PieceValue]]:
        """The value of a function on every part of a cell."""
        match item:
            case NumberOf(value):
                return [(cell, {CONSTANT: value} if value else {})]
            case TextOf(value):
                return [(cell, value)]
            case FieldOf(name):
                return [(cell, self.field(name))]
            case ArgumentOf(name):
                return [(cell, self.field(public_unknown(name)))]
            case RunOf():
                raise AssertionError("values of the run are unknowns like public ones")
            case Apply("if", (test, then, orelse)):
                ends: list[tuple[Cell, PieceValue]] = []
                for inside, holds in self.outcomes(test, cell):
                    assert isinstance(holds, bool), "a condition is a truth value"
                    ends += self.outcomes(then if holds else orelse, inside)
                return ends
            case Apply("and", (left, right)):
                return self.outcomes(Apply("if", (left, right, Apply("!=", (ZERO, ZERO)))), cell)
            case Apply("or", (left, right)):
                return self.outcomes(Apply("if", (left, Apply("==", (ZERO, ZERO)), right)), cell)
            case Apply(op, of):
                states: list[tuple[Cell, list[PieceValue]]] = [(cell, [])]
                for part in of:
                    states = [(inner, [*known, v]) for c, known in states for inner, v in self.outcomes(part, c)]
                return [end for c, values in states for end in self.apply(op, values, c, item)]

    def field(self, name: str) -> PieceValue:
        if name in self.fixed:
            value = self.fixed[name]
            return {CONSTANT: value} if isinstance(value, Fraction) else value
        return {name: Fraction(1)}

    def apply(self, op: str, values: list[PieceValue], cell: Cell, item: RecordFunction) -> list[tuple[Cell, PieceValue]]:
        if op == "not":
            assert isinstance(values[0], bool), "a condition is a truth value"
            return [(cell, not values[0])]
        if op in ("==", "!=") and any(isinstance(v, str) for v in values):
            return [(cell, (values[0] == values[1]) == (op == "=="))]
        forms = [_number(value) for value in values]
        match op, forms:
            case "+", [left, right]:
                return [(cell, _plus(left, right))]
            case "-", [left, right]:
                return [(cell, _plus(left, right, Fraction(-1)))]
            case "neg", [form]:
                return [(cell, _plus({}, form, Fraction(-1)))]
            case "abs", [form]:
                return [(c, _plus({}, form, Fraction(1 if above else -1))) for c, above in self.split(cell, form, strict=False)]
            case ("max" | "min"), [first, *rest]:
                return [(c, form) for c, form in self.best(op, first, rest, cell)]
            case "clip", [value, low, high]:
                return [end for c, inner in self.best("max", value, [low], cell) for end in self.best("min", inner, [high], c)]
            case ("*" | "/"), [left, right]:
                return self.scaled(op, left, right, cell, item)
            case _, [form] if op in MATH:
                return self.enclosed(op, form, cell, item)
            case _ if op in COMPARISONS:
                return [(c, truth) for c, truth in self.compared(op, _plus(forms[0], forms[1], Fraction(-1)), cell)]
            case _:
                raise AssertionError(f"{op} has no pieces")

    def best(self, op: str, first: LinearIn, rest: Sequence[LinearIn], cell: Cell) -> list[tuple[Cell, LinearIn]]:
        states = [(cell, first)]
        for other in rest:
            after = []
            for part, known in states:
                gap = _plus(known, other, Fraction(-1))
                after += [(c, known if above == (op == "max") else other) for c, above in self.split(part, gap, strict=False)]
            states = after
        return states

    def scaled(self, op: str, left: LinearIn, right: LinearIn, cell: Cell, item: RecordFunction) -> list[tuple[Cell, PieceValue]]:
        """A product or quotient; of two unknowns it is an unknown of its own, within bounds."""
        if op == "/":
            low, high = cell.range(right)
            if low <= 0 <= high:
                raise TooComplex(f"`{print_item(item)}` may divide by 0")
            if _is_constant(right) and not is_rounded(item, self.row):
                return [(cell, _plus({}, left, 1 / low))]
        elif _is_constant(left) or _is_constant(right):
            number, form = (left, right) if _is_constant(left) else (right, left)
            return [(cell, _plus({}, form, number.get(CONSTANT, Fraction(0))))]
        self.exact = False
        away = op == "/" and self.is_bounded_near(right, cell)
        if self.is_loose(left, cell) or (self.is_loose(right, cell) and not away):
            self.loose = print_item(item)
        if op == "*" and left == right:
            ends = [v * v for v in cell.range(left)]
            low, high = cell.range(left)
            bounds = (Fraction(0) if low <= 0 <= high else min(ends), max(ends))
        else:
            found = [a * b if op == "*" else a / b for a in cell.range(left) for b in cell.range(right)]
            if away and self.is_loose(right, cell):  # far away the quotient is as near to 0 as one likes
                found.append(Fraction(0))
            bounds = min(found), max(found)
        if op == "/":
            bounds = outward(bounds[0], down=True), outward(bounds[1], down=False)
        name = f"~{print_item(item)} in {bounds[0]} to {bounds[1]}"
        return [(cell.with_unknown(name, *bounds), {name: Fraction(1)})]

    def enclosed(self, op: str, form: LinearIn, cell: Cell, item: RecordFunction) -> list[tuple[Cell, PieceValue]]:
        """A function of `math`: an unknown of its own, within its bounds on the cell."""
        known = enclose_all(op) if self.is_loose(form, cell) else None
        if known is None and self.is_loose(form, cell):
            self.loose, known = print_item(item), (Fraction(0), Fraction(0))  # unless it is the cut that is too near
        try:
            low, high = known or enclose(op, *cell.range(form))
        except NoBounds as error:
            raise TooComplex(f"`{print_item(item)}` is {error}") from None
        if low == high:
            return [(cell, {CONSTANT: low} if low else {})]
        self.exact = False
        name = f"~{print_item(item)} in {low} to {high}"
        return [(cell.with_unknown(name, low, high), {name: Fraction(1)})]

    def own_corners(self, cell: Cell) -> list[Point]:
        """The corners of a cell that are not made by the cut of unknowns without bounds."""
        return [c for c in cell.corners if all(abs(c[name]) < self.bound for name in self.free)]

    def is_loose(self, form: LinearIn, cell: Cell) -> bool:
        """Whether a form has its bounds on a cell only from where unknowns without bounds are cut."""
        own = [_at(form, c) for c in self.own_corners(cell)]
        low, high = cell.range(form)
        return not own or (min(own), max(own)) != (low, high)

    def is_bounded_near(self, form: LinearIn, cell: Cell) -> bool:
        """Whether the end of a form on a cell that is nearer to 0, on one side of it, is not made by the cut."""
        own = [abs(_at(form, c)) for c in self.own_corners(cell)]
        return bool(own) and min(own) == min(map(abs, cell.range(form)))

    def compared(self, op: str, gap: LinearIn, cell: Cell) -> list[tuple[Cell, bool]]:
        """Whether the comparison of `gap` with 0 holds, on each part of a cell."""
        match op:
            case ">" | ">=":
                return self.split(cell, gap, strict=op == ">")
            case "<" | "<=":
                return self.split(cell, _plus({}, gap, Fraction(-1)), strict=op == "<")
            case _:
                parts = []
                for part, above in self.split(cell, gap, strict=True):
                    if above:
                        parts.append((part, op == "!="))
                    else:
                        below = self.split(part, _plus({}, gap, Fraction(-1)), strict=True)
                        parts += [(p, (op == "!=") == is_below) for p, is_below in below]
                return parts

    def split(self, cell: Cell, form: LinearIn, strict: bool) -> list[tuple[Cell, bool]]:
        """The parts of a cell where `form` is above 0, or at least 0, and where it is not."""
        if _is_constant(form):
            value = form.get(CONSTANT, Fraction(0))
            return [(cell, value > 0 if strict else value >= 0)]
        self.forms[tuple(sorted(form.items()))] = form
        self.cells += 1
        if self.cells > MOST_CELLS:
            raise TooComplex("it has too many cases")
        yes, no = cell.cut(form, strict), cell.cut(_plus({}, form, Fraction(-1)), not strict)
        return [(part, truth) for part, truth in ((yes, True), (no, False)) if part is not None]


def is_rounded(item: RecordFunction, row: RowClass) -> bool:
    """Whether a quotient is one that emitted programs round to steps: by a number of the record that is not one of a few.

    Such a quotient is an unknown on every cell, also where what it divides by is fixed: it may be rounded there too.
    """
    few = {f.name for f in row.fields if f.values(MOST_VALUES) is not None}
    if not isinstance(item, Apply) or item.op != "/":
        return False
    return any(isinstance(part, FieldOf) and part.name not in few for part in parts_of(item.of[1]))


def public_unknown(name: str) -> str:
    """What a public argument is called among the unknowns."""
    return f"public {name}"


def _number(value: PieceValue) -> LinearIn:
    """A number; True counts 1."""
    if isinstance(value, bool):
        return {CONSTANT: Fraction(1)} if value else {}
    assert not isinstance(value, str), "a text is no number"
    return value


def item_range(row: RowClass, item: RecordFunction, test: RecordFunction | None) -> tuple[Fraction, Fraction] | None:
    """The bounds of a function where a test holds; None without bounds."""
    chosen = item if test is None else Apply("if", (test, item, ONE))
    found = find_pieces(row, [chosen, ONE if test is None else Apply("if", (test, ONE, ZERO))])
    values = [values[0] for piece in found.pieces for values in piece.values if values[1] == 1]
    return None if 0 in found.unbounded or not values else (min(values), max(values))


def field_values(known: Field, breaks: Sequence[Fraction], far: bool) -> tuple[FieldValue, ...]:
    """Values of a field that are worth trying: all, or the ends, where pieces change, and between."""
    listed = known.values(MOST_VALUES)
    if listed is not None:
        return listed
    marks = sorted({*breaks, *(end for end in (known.low, known.high) if end is not None)}) or [Fraction(0)]
    between = [(a + b) / 2 for a, b in itertools.pairwise(marks)]
    beyond = [marks[0] - 1, marks[-1] + 1, *(Fraction(sign * 10**power) for power in (3, 6) for sign in (1, -1) if far)]
    found = [v for v in (*marks, *between, *beyond) if (known.low is None or v >= known.low) and (known.high is None or v <= known.high)]
    return tuple(v for v in dict.fromkeys(found) if known.kind != "int" or v.denominator == 1)
