"""What one record moves, against brute force over many records."""

import itertools
import random
from fractions import Fraction

import pytest

from kolahal.lang.records.cells import find_pieces
from kolahal.lang.records.moves import AddRemove, Replace
from kolahal.lang.records.table import (
    ZERO,
    Aggregate,
    Apply,
    ArgumentOf,
    Field,
    FieldOf,
    NumberOf,
    RecordFunction,
    RowClass,
    Table,
    TextOf,
    evaluate,
)

ROW = RowClass(
    "Visit",
    (
        Field("age", "float", Fraction(-2), Fraction(3)),
        Field("height", "float", Fraction(0), Fraction(1)),
        Field("day", "int", Fraction(0), Fraction(3)),
        Field("member", "bool"),
        Field("kind", "label", labels=("new", "old", "lost")),
    ),
)
NEAR = Fraction(1, 10**6)


def random_number(rng: random.Random, depth: int) -> RecordFunction:
    if depth == 0 or rng.random() < 0.2:
        simple: list[RecordFunction] = [FieldOf("age"), FieldOf("height"), FieldOf("day")]
        return rng.choice([*simple, NumberOf(Fraction(rng.randint(-3, 3), rng.choice((1, 2))))])
    op = rng.choice(("+", "-", "*", "neg", "abs", "max", "min", "clip", "if", "if"))
    inner = [random_number(rng, depth - 1) for _ in range(2)]
    match op:
        case "*":
            return Apply("*", (NumberOf(Fraction(rng.randint(-2, 2))), inner[0]))
        case "neg" | "abs":
            return Apply(op, (inner[0],))
        case "clip":
            low = Fraction(rng.randint(-2, 1))
            return Apply("clip", (inner[0], NumberOf(low), NumberOf(low + rng.randint(0, 3))))
        case "if":
            return Apply("if", (random_truth(rng, depth - 1), inner[0], inner[1]))
        case _:
            return Apply(op, (inner[0], inner[1]))


def random_truth(rng: random.Random, depth: int) -> RecordFunction:
    kind = rng.random()
    if depth > 0 and kind < 0.2:
        return Apply(rng.choice(("and", "or")), (random_truth(rng, depth - 1), random_truth(rng, depth - 1)))
    if kind < 0.3:
        return Apply("not", (random_truth(rng, max(0, depth - 1)),))
    if kind < 0.45:
        return FieldOf("member")
    if kind < 0.6:
        return Apply(rng.choice(("==", "!=")), (FieldOf("kind"), TextOf(rng.choice(("new", "old", "lost")))))
    op = rng.choice(("<", "<=", ">", ">=", "==", "!="))
    return Apply(op, (random_number(rng, 0), random_number(rng, 0)))


def universe() -> list[dict[str, object]]:
    """Records at every breakpoint that the random functions can have along one field, and next to it."""
    halves = [Fraction(n, 4) for n in range(-12, 13)]
    ages = sorted({v + d for v in halves for d in (-NEAR, 0, NEAR) if -2 <= v + d <= 3})
    heights = [Fraction(0), NEAR, Fraction(1, 2), 1 - NEAR, Fraction(1)]
    days = [Fraction(n) for n in range(4)]
    return [
        dict(zip(("age", "height", "day", "member", "kind"), values, strict=True))
        for values in itertools.product(ages, heights, days, (False, True), ("new", "old", "lost"))
    ]


def is_in_hull(point: tuple[Fraction, ...], low: list[Fraction], high: list[Fraction]) -> bool:
    return all(a <= p <= b for a, p, b in zip(low, point, high, strict=True))


@pytest.mark.parametrize("seed", range(40))
def test_the_pieces_of_random_functions_are_those_of_all_records(seed):
    rng = random.Random(seed)
    functions = [random_number(rng, 3) for _ in range(2)]
    pieces = find_pieces(ROW, functions)
    records = rng.sample(universe(), 700)
    found = [tuple(Fraction(evaluate(f, record, {})) for f in functions) for record in records]
    assert pieces.exact and not pieces.unbounded
    for _ in range(8):
        weights = [Fraction(rng.randint(-3, 3)) for _ in functions]
        reached = max(sum(w * v for w, v in zip(weights, values, strict=True)) for values in found)
        limit = max(sum(w * v for w, v in zip(weights, values, strict=True)) for values in pieces.corners)
        assert reached <= limit, "no record is outside"
    # Along one field every breakpoint is looked at, so that the bounds are reached, or nearly so.
    if all(len({p.name for p in _fields(f)} & {"age", "height"}) <= 1 for f in functions):
        every = [tuple(Fraction(evaluate(f, record, {})) for f in functions) for record in universe()]
        for i in range(len(functions)):
            column = [values[i] for values in every]
            corners = [values[i] for values in pieces.corners]
            assert max(corners) - max(column) <= 1000 * NEAR
            assert min(column) - min(corners) <= 1000 * NEAR


def _fields(item: RecordFunction) -> list[FieldOf]:
    if isinstance(item, FieldOf):
        return [item]
    return [f for part in item.of for f in _fields(part)] if isinstance(item, Apply) else []


def test_products_are_enclosed():
    clipped = Apply("clip", (FieldOf("age"), NumberOf(Fraction(-1)), NumberOf(Fraction(2))))
    pieces = find_pieces(ROW, [Apply("*", (clipped, clipped)), Apply("*", (clipped, FieldOf("height")))])
    assert not pieces.exact
    columns = list(zip(*pieces.corners, strict=True))
    assert [(min(c), max(c)) for c in columns] == [(0, 4), (-1, 2)]


def test_what_has_no_bound_is_said_to_have_none():
    row = RowClass(None, (Field("", "float"),))
    assert find_pieces(row, [FieldOf(""), Apply("clip", (FieldOf(""), NumberOf(Fraction(0)), NumberOf(Fraction(10**9))))]).unbounded == (0,)


def test_a_bound_elsewhere_is_no_bound_here():
    """Far below what other records add, a function may still rise without end."""
    row = RowClass(None, (Field("", "float"),))
    below = Apply("<", (FieldOf(""), NumberOf(Fraction(0))))
    rising = Apply("if", (below, NumberOf(Fraction(10**6)), FieldOf("")))
    falling = Apply("if", (below, FieldOf(""), NumberOf(Fraction(-(10**6)))))
    flat = Apply("if", (below, NumberOf(Fraction(10**6)), Apply("min", (FieldOf(""), NumberOf(Fraction(5))))))
    pieces = find_pieces(row, [rising, falling, flat])
    assert pieces.unbounded == (0, 1)
    assert {corner[2] for corner in pieces.corners} == {0, 5, 10**6}


def test_a_public_truth_value_may_be_either():
    row = RowClass(None, (Field("", "float", Fraction(0), Fraction(1)),))
    pieces = find_pieces(row, [Apply("if", (ArgumentOf("wide", True), NumberOf(Fraction(1)), NumberOf(Fraction(7))))])
    assert {corner for (corner,) in pieces.corners} == {1, 7}


def test_two_unknowns_without_bounds():
    row = RowClass("Pair", (Field("a", "float"), Field("b", "float")))
    gap = Apply("-", (FieldOf("a"), FieldOf("b")))
    near = Apply("<=", (Apply("abs", (gap,)), NumberOf(Fraction(3))))
    pieces = find_pieces(row, [Apply("if", (near, gap, ZERO)), Apply("if", (near, FieldOf("a"), ZERO))])
    assert pieces.unbounded == (1,)
    assert (min(c[0] for c in pieces.corners), max(c[0] for c in pieces.corners)) == (-3, 3)


def table(*aggregates: Aggregate) -> Table:
    return Table("visits", ROW, aggregates)


@pytest.mark.parametrize("kind", [AddRemove, Replace])
@pytest.mark.parametrize("seed", range(12))
def test_true_moves_lie_between_the_corners(kind, seed):
    rng = random.Random(seed)
    hows = [rng.choice(("sum", "sum", "max", "min")) for _ in range(2)]
    parts = [Aggregate(how, random_number(rng, 2), random_truth(rng, 1), None if how == "sum" else Fraction(0)) for how in hows]
    tabled = table(*parts)
    relation = kind.declared(1).about(tabled, ())
    records = [tuple(r.values()) for r in rng.sample(universe(), 40)]
    corners = list(relation.vertices(2)) or [(Fraction(0), Fraction(0))]
    for _ in range(60):
        rows = [rng.choice(records) for _ in range(rng.randint(0, 3))]
        before = [*rows, rng.choice(records)] if kind is Replace else rows
        one, two = tabled.answers(before, {}), tabled.answers([*rows, rng.choice(records)], {})
        for a, b in ((one, two), (two, one)):
            move = [y - x for x, y in zip(a, b, strict=True)]
            weights = [rng.randint(-3, 3) for _ in move]
            limit = max(sum(w * v for w, v in zip(weights, corner, strict=True)) for corner in corners)
            assert sum(w * v for w, v in zip(weights, move, strict=True)) <= max(limit, 0)


def test_bins_move_one_at_a_time_only_where_each_record_is_in_one():
    bins = [Aggregate("sum", NumberOf(Fraction(1)), Apply("==", (FieldOf("day"), NumberOf(Fraction(d))))) for d in range(4)]
    assert AddRemove.declared(1).about(table(*bins), ()).moves_one
    assert not AddRemove.declared(2).about(table(*bins), ()).moves_one
    assert not Replace.declared(1).about(table(*bins), ()).moves_one
    # One record moves either of these by 1, and others move both: the corners alone do not show it.
    height = Aggregate("sum", FieldOf("height"))
    rest = Aggregate("sum", Apply("-", (NumberOf(Fraction(1)), FieldOf("height"))))
    mixed = AddRemove.declared(1).about(table(height, rest), ())
    assert {tuple(map(abs, m)) for m in mixed.vertices(2)} == {(0, 1), (1, 0)}
    assert not mixed.moves_one and mixed.moves_one_way
    swing = Aggregate("sum", FieldOf("age"))
    assert not AddRemove.declared(1).about(table(swing, swing), ()).moves_one_way


def test_lists_of_records_have_the_aggregates_that_are_asked_for():
    parts = table(
        Aggregate("sum", Apply("clip", (FieldOf("age"), NumberOf(Fraction(0)), NumberOf(Fraction(2))))),
        Aggregate("sum", NumberOf(Fraction(1)), Apply("==", (FieldOf("kind"), TextOf("new")))),
    )
    relation = AddRemove.declared(1).about(parts, ())
    found = relation.realise((Fraction(4), Fraction(3)), (Fraction(6), Fraction(4)))
    assert found is not None
    lists = [[record for count, record in rows for _ in range(count)] for rows in found]
    assert [parts.answers(rows, {}) for rows in lists] == [(4, 3), (6, 4)]
    assert len(lists[1]) == len(lists[0]) + 1
    assert relation.realise((Fraction(0), Fraction(-1)), (Fraction(0), Fraction(0))) is None
    assert not relation.related((Fraction(0), Fraction(0)), (Fraction(3), Fraction(1)))
