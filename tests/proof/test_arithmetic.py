"""The logic below proofs by number: bounds of the normal law, sums of exponentials, and exact linear programs, against brute force."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import flint
import pytest

from kolahal.exact.balls import precision
from kolahal.logic import exponentials, normal, simplex
from kolahal.logic.linear import Inequality, LinearForm, as_form, variable
from kolahal.logic.terms import REAL, Symbol

pytestmark = pytest.mark.mutants

# ---------------------------------------------------------------- the normal law

CLOSE = Fraction(1, 10**60)
POINTS = [Fraction(p) for p in ("0", "1/1000", "1/3", "1", "7/5", "2", "9/2", "8", "12", "35/2", "18")]


def arb(x: Fraction) -> Any:
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


@pytest.fixture(autouse=True)
def _precise() -> Iterator[None]:
    """Balls of so many bits that they are points beside what is compared with them."""
    with precision(1_500):
        yield


def exp(x: Fraction) -> Any:
    return arb(x).exp()


def tail(x: Fraction) -> Any:
    """Φ(−x)."""
    return (arb(x) / flint.arb(2).sqrt()).erfc() / 2


@pytest.mark.parametrize("x", [Fraction(p) for p in ("0", "1", "-1", "1/3", "-700", "25/7", "-1/999", "700", "1/7", "2/7", "3/7", "5/3", "-8/3")])
def test_exponentials_are_enclosed(x: Fraction) -> None:
    low, high = normal.exp_bounds(x)
    assert arb(low) < exp(x) < arb(high) and (high - low) < 4 * abs(x + 2) * high / 10**179
    assert type(low) is type(high) is Fraction


@pytest.mark.parametrize("x", POINTS)
def test_tails_are_enclosed(x: Fraction) -> None:
    low, high = normal.tail_bounds(x)
    assert high - low < CLOSE and (arb(low) < tail(x) < arb(high) or (x == 0 and low == high == Fraction(1, 2)))
    up, down = normal.tail_bounds(-x)
    assert (up, down) == (1 - high, 1 - low)


def test_far_tails_are_only_known_to_be_less() -> None:
    edge = normal.tail_bounds(Fraction(18))
    assert 0 < edge[0] < edge[1] < Fraction(1, 10**70)
    assert normal.tail_bounds(Fraction(18) + Fraction(1, 10**9)) == normal.tail_bounds(Fraction(500)) == (0, edge[1])
    assert normal.tail_bounds(Fraction(-19)) == (1 - edge[1], 1)


@pytest.mark.parametrize("x", [*POINTS[1:], *(Fraction(1, part) for part in (7, 9, 11, 20, 30, 31, 50, 77, 100, 123, 10**13, 10**20, 10**26))])
def test_the_series_is_enclosed(x: Fraction) -> None:
    low, high = normal._series(x)
    exact = (1 - 2 * tail(x)) / 2 / exp(-x * x / 2) * (2 * flint.arb.pi()).sqrt()
    assert arb(low) < exact < arb(high) and arb(high - low) < exact / 10**170 + flint.arb(10) ** -179 and type(low) is Fraction


def test_the_constants_are_what_they_are_called() -> None:
    assert normal.PI[0] < Decimal("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253") < normal.PI[1]
    assert Decimal(10) ** -180 == normal.TINY and normal.DIGITS == 180 and normal.FAR == 18


@pytest.mark.parametrize(("distance", "epsilon"), [("1", "1"), ("1/2", "1/10"), ("2", "3"), ("1/10", "1/2"), ("3", "0"), ("5/2", "1/7"), ("30", "1"), ("1/100", "9")])
def test_what_two_normal_laws_hide_is_enclosed(distance: str, epsilon: str) -> None:
    m, e = Fraction(distance), Fraction(epsilon)
    low, high = normal.delta_bounds(m, e)

    exact = tail(e / m - m / 2) - exp(e) * tail(e / m + m / 2)
    near = abs(e / m - m / 2) <= 18 and e / m + m / 2 <= 18
    assert 0 <= low <= high and arb(low) <= exact <= arb(high) and (not near or arb(high - low) < exp(e) * arb(CLOSE))


def test_laws_that_do_not_move_hide_all() -> None:
    assert normal.delta_bounds(Fraction(0), Fraction(1)) == (0, 0)
    low, high = normal.delta_bounds(Fraction(1, 1000), Fraction(5))
    assert low == 0 < high < Fraction(1, 10**60), "nothing is below 0"


@pytest.mark.parametrize("square", [Fraction(2), Fraction(4), Fraction(1, 3), Fraction(10**50), Fraction(1, 10**50), Fraction(49, 25)])
def test_a_root_from_above(square: Fraction) -> None:
    root = normal.root_above(square)
    assert square < root**2 < square * (1 + Fraction(1, 10**176)) and type(root) is Fraction


# ---------------------------------------------------------------- sums of exponentials


def random_sum(rng: random.Random) -> dict[int, int]:
    return {rate: c for rate in rng.sample(range(-4, 6), rng.randint(1, 4)) if (c := rng.randint(-5, 5))}


def value(found: dict[int, int], time: Fraction) -> Any:
    return sum((c * exp(rate * time) for rate, c in found.items()), flint.arb(0))


def test_sums_are_computed_with_as_functions() -> None:
    rng = random.Random(1)
    near = flint.arb(10) ** -300
    for _ in range(60):
        one, two, t = random_sum(rng), random_sum(rng), Fraction(rng.randint(0, 8), 4)
        assert abs(value(exponentials.times(one, two), t) - value(one, t) * value(two, t)) < near
        assert abs(value(exponentials.minus(one, two), t) - value(one, t) + value(two, t)) < near
        assert abs(value(exponentials.later(one, 3), t) - value(one, t) * exp(3 * t)) < near
        for found in (exponentials.times(one, two), exponentials.minus(one, two), exponentials.minus(one, one)):
            assert 0 not in found.values()
    assert exponentials.minus({1: 2}, {1: 2}) == {} and exponentials.times({1: 1, 0: 1}, {0: 1, 1: -1}) == {0: 1, 2: -1} and exponentials.later({1: 2}, -3) == {-2: 2}


def test_what_is_said_never_to_be_negative_is_not() -> None:
    rng = random.Random(2)
    sure = 0
    for _ in range(400):
        found = random_sum(rng)
        if exponentials.never_negative(found):
            sure += 1
            assert not any(value(found, Fraction(t, 8)) < 0 for t in range(0, 40, 3)), found
    assert sure > 60
    for known, answer in (
        ({}, True), ({0: 0}, True), ({0: 1}, True), ({0: -1}, False), ({0: -1, 1: 1}, True), ({0: 1, 1: -1}, False), ({0: -2, 1: 1}, False), ({0: 1, 1: -2, 2: 1}, True), ({-2: 1, -1: -2, 0: 1}, True),
        ({0: -3, 1: 3, 2: -1}, False), ({1: -1, 2: 1}, True), ({-3: 5, 4: -1}, False), ({0: -1, 1: -1, 2: 2}, True), ({0: 2, 1: -5, 2: 3}, True), ({0: 2, 1: -4, 2: 2}, True), ({0: 3, 1: -5, 2: 2}, False),
    ):  # fmt: skip
        assert exponentials.never_negative(known) is answer, known


def test_a_sum_is_above_zero_only_where_it_surely_is() -> None:
    rng = random.Random(3)
    for _ in range(200):
        found, t = random_sum(rng), Fraction(rng.randint(0, 30), rng.randint(1, 9))
        exact = value(found, t)
        assert exponentials.is_above(found, t) is bool(exact > 0)
    assert not exponentials.is_above({}, Fraction(1)) and not exponentials.is_above({0: 1, 1: -1}, Fraction(0)) and exponentials.is_above({0: 1}, Fraction(0))
    assert not exponentials.is_above({0: -1, 10**7: 1}, Fraction(10**7)), "beyond all that is computed with"
    assert exponentials.is_above({-(10**9): 1}, Fraction(1)) and not exponentials.is_above({-(10**9): -1}, Fraction(1))
    tiny = Fraction(1, 10**50)  # 1 − e^−t is about t: known at 50 digits, not at 70
    assert exponentials.is_above({0: 1, -1: -1}, tiny) and not exponentials.is_above({0: 1, -1: -1}, Fraction(1, 10**70)) and not exponentials.is_above({0: -1, -1: 1}, tiny)
    at = [digits for digits in range(40, 75) if exponentials.is_above({0: 1, -1: -1}, Fraction(1, 10**digits))]
    assert at == list(range(40, at[-1] + 1)) and 54 <= at[-1] <= 58, "some digits are left for doubt"
    far = [digits for digits in range(30, 75) if exponentials.is_above({0: -1, 10**6: 1}, Fraction(1, 10 ** (digits + 6)))]
    assert far and 54 <= far[-1] <= 58
    many = [digits for digits in range(30, 75) if exponentials.is_above({1000: 10**9, 999: -(10**9)}, Fraction(1, 10**digits))]
    assert many and 50 <= many[-1] <= 58


def test_logarithms_near_enough_to_compare() -> None:
    for found, t in (({0: 1}, Fraction(0)), ({0: 3, 2: 5}, Fraction(1, 2)), ({-3: 2, 4: 1}, Fraction(7)), ({1000: 2}, Fraction(9))):
        top = max(found)
        expected = float(top * t) + math.log(float(value({rate - top: c for rate, c in found.items()}, t)))
        assert exponentials.log_at(found, t) == pytest.approx(expected, rel=1e-12, abs=1e-12)


# ---------------------------------------------------------------- linear programs


def vertices(rows: Sequence[Sequence[int]], limits: Sequence[int], width: int) -> list[tuple[Fraction, ...]]:
    """All corners of rows·x ≤ limits, x ≥ 0."""
    walls = [(list(map(Fraction, row)), Fraction(limit)) for row, limit in zip(rows, limits, strict=True)]
    walls += [([Fraction(-(i == j)) for j in range(width)], Fraction(0)) for i in range(width)]
    found = []
    for chosen in itertools.combinations(walls, width):
        point = solve([[*row, limit] for row, limit in chosen], width)
        if point is not None and all(sum(a * x for a, x in zip(row, point, strict=True)) <= limit for row, limit in walls):
            found.append(point)
    return found


def solve(table: list[list[Fraction]], width: int) -> tuple[Fraction, ...] | None:
    table = [list(line) for line in table]
    for column in range(width):
        pivot = next((i for i in range(column, width) if table[i][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [a / table[column][column] for a in table[column]]
        for i in range(width):
            if i != column:
                table[i] = [a - table[i][column] * b for a, b in zip(table[i], table[column], strict=True)]
    return tuple(line[-1] for line in table)


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_the_cheapest_point_is_the_cheapest_corner(start: int) -> None:
    optimal = none = 0
    for seed in range(start, start + 50):
        rng = random.Random(seed)
        width, height = rng.randint(1, 3), rng.randint(1, 4)
        rows = [[rng.randint(-3, 3) for _ in range(width)] for _ in range(height)]
        limits = [rng.randint(-5, 5) for _ in range(height)]
        costs = [[rng.randint(0, 3) for _ in range(width)] for _ in range(rng.randint(1, 2))]
        found, corners = simplex.minimise(costs, rows, limits), vertices(rows, limits, width)
        if not corners:
            none += 1
            assert found is None, seed
            continue
        optimal += 1
        prices = [[sum(c * x for c, x in zip(cost, corner, strict=True)) for cost in costs] for corner in corners]
        assert found is not None and found.value == min(prices)[0], seed
        assert [sum(c * x for c, x in zip(cost, found.point, strict=True)) for cost in costs] == min(prices), seed
        assert all(x >= 0 for x in found.point) and all(sum(a * x for a, x in zip(row, found.point, strict=True)) <= limit for row, limit in zip(rows, limits, strict=True))
        # The prices are a proof of it: not negative, and costs + prices·rows is nowhere negative.
        assert all(price >= 0 for price in found.prices) and found.value == -sum(p * limit for p, limit in zip(found.prices, limits, strict=True)), seed
        assert all(costs[0][j] + sum(p * row[j] for p, row in zip(found.prices, rows, strict=True)) >= 0 for j in range(width)), seed
        assert type(found.value) is Fraction and {*map(type, found.point), *map(type, found.prices)} <= {Fraction}
    assert optimal > 20 and none > 5


def random_atoms(rng: random.Random, unknowns: Sequence[Symbol]) -> list[Inequality[Any]]:
    atoms = []
    for _ in range(rng.randint(1, 5)):
        form: LinearForm[Any] = as_form(Fraction(rng.randint(-4, 4), rng.randint(1, 3)))
        for unknown in rng.sample(unknowns, rng.randint(1, len(unknowns))):
            form = form + variable(unknown).times(Fraction(rng.choice((-3, -2, -1, 1, 2)), rng.randint(1, 3)))
        atoms.append(Inequality(form, rng.random() < 0.5))
    return atoms


UNKNOWNS = [Symbol(name, REAL) for name in ("x", "y", "z")]


@pytest.mark.parametrize("start", range(0, 240, 60))
def test_a_point_is_found_where_there_is_one(start: int) -> None:
    none = 0
    for seed in range(start, start + 60):
        rng = random.Random(seed)
        atoms = random_atoms(rng, UNKNOWNS[: rng.randint(1, 3)])
        positive = [unknown for unknown in UNKNOWNS if rng.random() < 0.4]
        point = simplex.find_point(atoms, positive)
        if point is None:
            none += 1
            below = [*atoms, *(Inequality(variable(unknown).times(-1), False) for unknown in positive)]
            assert eliminated(below), seed
        else:
            assert all(atom.holds({**dict.fromkeys(UNKNOWNS, 0), **point}) for atom in atoms) and all(point.get(unknown, 0) >= 0 for unknown in positive), seed
            assert all(type(v) is int or v.denominator != 1 for v in point.values())
    assert 3 < none < 50


def eliminated(atoms: Sequence[Inequality[Any]]) -> bool:
    """Whether there is no point, by Fourier and Motzkin's elimination."""
    left = list(atoms)
    for unknown in UNKNOWNS:
        above = [a for a in left if a.form.terms.get(unknown, 0) > 0]
        below = [a for a in left if a.form.terms.get(unknown, 0) < 0]
        left = [a for a in left if not a.form.terms.get(unknown, 0)]
        for one, two in itertools.product(above, below):
            c, d = Fraction(one.form.terms[unknown]), -Fraction(two.form.terms[unknown])
            left.append(Inequality(one.form.times(1 / c) + two.form.times(1 / d), one.strict or two.strict))
    return any(atom.form.constant > 0 or (atom.strict and atom.form.constant == 0) for atom in left)


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_the_least_bound_of_a_form(start: int) -> None:
    bounded = 0
    for seed in range(start, start + 50):
        rng = random.Random(seed)
        some = UNKNOWNS[: rng.randint(1, 3)]
        atoms = random_atoms(rng, some)
        atoms += [Inequality(variable(u).times(sign) - as_form(rng.randint(0, 3)), rng.random() < 0.3) for u in some for sign in (1, -1) if rng.random() < 0.6]
        form = as_form(Fraction(rng.randint(-3, 3), 2)) + variable(rng.choice(some)).times(Fraction(rng.choice((-2, 1, 3)), 2)) + variable(some[0])
        if eliminated(atoms):
            continue
        most = simplex.find_supremum(form, atoms)
        high = 10**4 if most is None else most
        assert eliminated([*atoms, Inequality(as_form(high) - form, True)]) is (most is not None), seed
        if most is not None:
            bounded += 1
            assert not eliminated([*atoms, Inequality(as_form(most - Fraction(1, 10**6)) - form, False)]), seed
            assert type(most) is int or most.denominator != 1
    assert bounded > 8


@pytest.mark.parametrize("start", range(0, 160, 40))
def test_the_least_bound_is_the_best_corner(start: int) -> None:
    """In boxes with corners cut off; all unknowns count from the lowest side of the box, so that they are not negative."""
    for seed in range(start, start + 40):
        rng = random.Random(seed)
        some = UNKNOWNS[: rng.randint(2, 3)]
        rows = [[rng.randint(-2, 4) for _ in some] for _ in range(rng.randint(2, 5))] + [[int(i == j) for j in range(len(some))] for i in range(len(some))]
        limits = [rng.randint(0, 9) for _ in rows]
        costs = [rng.randint(-1, 4) for _ in some]
        atoms = [Inequality(total(row, some) - as_form(limit), False) for row, limit in zip(rows, limits, strict=True)]
        atoms += [Inequality(variable(unknown).times(-1), False) for unknown in some]
        best = max(sum(c * x for c, x in zip(costs, corner, strict=True)) for corner in vertices(rows, limits, len(some)))
        assert simplex.find_supremum(total(costs, some), atoms) == best, seed


def total(factors: Sequence[int], unknowns: Sequence[Symbol]) -> LinearForm[Any]:
    form: LinearForm[Any] = as_form(0)
    for factor, unknown in zip(factors, unknowns, strict=True):
        form = form + variable(unknown).times(factor)
    return form


def test_a_border_is_not_inside() -> None:
    x, y = (variable(unknown) for unknown in UNKNOWNS[:2])
    assert simplex.find_point([Inequality(x, True), Inequality(-x, False)]) is None and simplex.find_point([Inequality(x, False), Inequality(-x, False)]) == {UNKNOWNS[0]: 0}
    assert simplex.find_point([Inequality(x - y, True), Inequality(y - x, False)]) is None and simplex.find_point([Inequality(x, True)], [UNKNOWNS[0]]) is None
    assert simplex.find_point([Inequality(as_form(0), True)]) is None and simplex.find_point([]) == {}
    narrow = simplex.find_point([Inequality(x - as_form(Fraction(1, 10**9)), True), Inequality(-x, True)])
    assert narrow is not None and 0 < narrow[UNKNOWNS[0]] < Fraction(1, 10**9)


def test_unknowns_that_have_one_value() -> None:
    x, y, z = (variable(unknown) for unknown in UNKNOWNS)
    both = [Inequality(x - as_form(3), False), Inequality(as_form(3) - x, False)]
    assert simplex.pinned(both) == {UNKNOWNS[0]: 3}
    thirds = [Inequality(y.times(3) - as_form(2), False), Inequality(as_form(Fraction(4, 3)) - y.times(2), False)]
    assert simplex.pinned([*both, *thirds]) == {UNKNOWNS[0]: 3, UNKNOWNS[1]: Fraction(2, 3)} and type(simplex.pinned(both)[UNKNOWNS[0]]) is int
    assert simplex.pinned([Inequality(x.times(-2) + as_form(6), False), Inequality(x.times(Fraction(1, 2)) - as_form(Fraction(3, 2)), False)]) == {UNKNOWNS[0]: 3}
    assert simplex.pinned([both[0], Inequality(as_form(3) - x, True)]) == simplex.pinned([both[0], Inequality(as_form(2) - x, False)]) == simplex.pinned(both[:1]) == {}
    assert simplex.pinned([Inequality(x + z, False), Inequality(-x - z, False)]) == {}
    assert simplex.find_supremum(x.times(2) + as_form(1), both) == 7 and simplex.find_supremum(x + y, [*both, *thirds]) == Fraction(11, 3)
    assert simplex.find_supremum(x + z, both) is None and simplex.find_supremum(as_form(5), both) == 5
