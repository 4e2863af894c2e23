"""Relations between databases: what they accept, their corners, and what they draw."""

import itertools
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolahal.errors import UsageError
from kolahal.lang.adjacency import RELATIONS, EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.read.front import each_within, monotone, one_within, sum_within

distances = st.fractions(min_value=Fraction(1, 8), max_value=8)
relations = st.builds(lambda kind, distance: kind(distance), st.sampled_from(list(RELATIONS.values())), distances)
sizes = st.integers(0, 5)
moves = st.lists(st.fractions(min_value=-9, max_value=9), max_size=5)
databases = st.lists(st.fractions(min_value=-100, max_value=100), max_size=5)


@given(relations, databases, st.integers(0, 2**32))
def test_a_relation_accepts_the_neighbours_that_it_draws(relation, database, seed):
    for neighbour in itertools.islice(relation.neighbours(database, random.Random(seed)), 8):
        assert relation.related(database, neighbour)
        assert relation.related(neighbour, database)
        assert all(isinstance(answer, Fraction) for answer in neighbour)


@given(relations, moves)
def test_a_relation_is_symmetric_and_contains_the_equal(relation, move):
    assert relation.allows(move) == relation.allows([-step for step in move])
    assert relation.allows([Fraction(0)] * len(move))


@given(relations, moves, st.fractions(min_value=0, max_value=1))
def test_moves_shrink_into_the_relation(relation, move, factor):
    """Each set of moves is star-shaped around 0."""
    if relation.allows(move):
        assert relation.allows([factor * step for step in move])


@given(relations, sizes)
def test_corners_are_allowed_distinct_and_extreme(relation, size):
    corners = list(relation.vertices(size))
    assert len(set(corners)) == len(corners) > 0
    for corner in corners:
        assert len(corner) == size
        assert relation.allows(corner)
        assert any(corner) == (size > 0), "no corner is 0, except where there is nothing else"
        for place in range(size):
            # A corner ends every line through it: it is no midpoint of two allowed moves along an axis.
            step = [relation.distance / 16 if i == place else Fraction(0) for i in range(size)]
            ahead = [a + b for a, b in zip(corner, step, strict=True)]
            behind = [a - b for a, b in zip(corner, step, strict=True)]
            assert not (relation.allows(ahead) and relation.allows(behind))


@given(relations, sizes, st.integers(0, 2**32), st.lists(st.integers(-9, 9), min_size=5, max_size=5))
def test_no_drawn_move_lies_beyond_the_corners_in_any_direction(relation, size, seed, direction):
    """Every move is in the convex hull of the corners, so a convex cost is largest at one of them."""
    reach = max(sum(a * b for a, b in zip(direction, corner)) for corner in relation.vertices(size))
    rng = random.Random(seed)
    for _ in range(8):
        move = relation.draw_move(size, rng)
        assert relation.allows(move)
        assert sum(a * b for a, b in zip(direction, move)) <= reach


@given(relations, st.integers(1, 4))
def test_both_corners_and_inner_points_are_drawn(relation, size):
    rng = random.Random(0)
    drawn = {relation.draw_move(size, rng) for _ in range(150)}
    corners = set(relation.vertices(size))
    assert drawn & corners
    assert drawn - corners


@pytest.mark.parametrize(
    ("relation", "allowed", "refused"),
    [
        (EachWithin(1), [(1, -1, 1), (0, 0, 0)], [(Fraction(9, 8), 0, 0)]),
        (OneWithin(1), [(0, 1, 0), (0, 0, -1)], [(1, 1, 0), (0, 2, 0)]),
        (SumWithin(1), [(Fraction(1, 2), Fraction(-1, 2), 0)], [(1, 1, 0), (Fraction(2, 3), Fraction(2, 3), 0)]),
        (Monotone(1), [(1, 0, 1), (-1, 0, Fraction(-1, 2))], [(1, -1, 0), (2, 0, 0)]),
    ],
    ids=lambda value: str(value) if not isinstance(value, list) else "",
)
def test_who_is_a_neighbour(relation, allowed, refused):
    d1 = (Fraction(5), Fraction(6), Fraction(7))
    for move in allowed:
        assert relation.related(d1, [a + b for a, b in zip(d1, move, strict=True)])
    for move in refused:
        assert not relation.related(d1, [a + b for a, b in zip(d1, move, strict=True)])
    assert not relation.related(d1, d1[:2]), "neighbours have equal length"


@pytest.mark.parametrize(("kind", "counts"), [(EachWithin, [1, 2, 4, 8]), (OneWithin, [1, 2, 4, 6]), (SumWithin, [1, 2, 4, 6]), (Monotone, [1, 2, 6, 14])])  # fmt: skip
def test_how_many_corners_there_are(kind, counts):
    assert [len(list(kind(1).vertices(size))) for size in range(4)] == counts


def test_corners_of_a_large_database_are_not_listed_before_they_are_asked_for():
    assert next(EachWithin(1).vertices(60)) == (-1,) * 60
    assert len(next(Monotone(1).vertices(60))) == 60


@given(relations)
def test_words(relation):
    assert str(relation) == f"{relation.name}({relation.distance})"
    assert str(relation.distance) in relation.describe()
    assert len({r(1) for r in RELATIONS.values()}) == 4, "relations of one distance differ"


@pytest.mark.parametrize("make", [each_within, one_within, sum_within, monotone])
def test_distances(make):
    assert make(0.5) == make(Fraction(1, 2)) == make("1/2") == make(1 / 2)
    assert make(0.1).distance == Fraction(1, 10)
    for bad in (0, -1, -0.5, "x", "", None, float("nan"), float("inf"), [1], "1/0", 1j):
        with pytest.raises(UsageError, match="distance"):
            make(bad)
