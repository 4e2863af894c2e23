from fractions import Fraction

import pytest

from kolahal import each_within, monotone, one_within, sum_within
from kolahal.inputs.pairs import (
    Pair,
    enumerate_bases,
    enumerate_moves,
    group_steps,
    noise_unit,
    short,
    statdp_pairs,
    steps_from,
)
from kolahal.lang.read.parse import parse
from kolahal.model import make_arguments
from kolahal.sketches.gallery import load_one

RELATIONS = [each_within(1), each_within(3), one_within(1), sum_within(2), monotone(1)]


def taking(adjacency, declared="Private"):
    """A program with these neighbours."""
    return parse(f"@sketch(adjacent={adjacency})\ndef f(q: {declared}, eps: Epsilon):\n    return q[0] + Lap(2/eps)\n")


def test_steps_keep_to_whole_answers_where_a_program_takes_no_others():
    pair = Pair((Fraction(0),) * 2, (Fraction(1), Fraction(-1)))
    for steps in (steps_from, group_steps):
        assert list(steps(pair, taking(each_within(1), "Private[int]"), Fraction(2)))
        assert not any(other.d1 != pair.d1 for other in steps(pair, taking(each_within(1), "Private[int]"), Fraction(1, 2)))


def test_statdp_has_eight_patterns_or_two():
    assert len(statdp_pairs(each_within(1), 5)) == 8
    assert len(statdp_pairs(one_within(1), 5)) == 2


@pytest.mark.parametrize("adjacency", RELATIONS, ids=str)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_all_pairs_are_neighbours(adjacency, size):
    pairs = [*statdp_pairs(adjacency, size)]
    zero = (Fraction(0),) * size
    pairs += [Pair(zero, move) for move in enumerate_moves(adjacency, size, 20)]
    pairs += [step for pair in tuple(pairs) for step in steps_from(pair, taking(adjacency), Fraction(4))]
    assert pairs
    for pair in pairs:
        assert any(pair.move)
        assert adjacency.related(pair.d1, pair.d2)


@pytest.mark.parametrize("adjacency", RELATIONS, ids=str)
def test_moves_go_to_the_rim_of_the_relation(adjacency):
    for move in enumerate_moves(adjacency, 4, 20):
        assert not adjacency.allows(tuple(2 * step for step in move))


def test_steps_shift_answers_that_move_alike():
    pair = Pair((Fraction(0),) * 4, (Fraction(-1), Fraction(-1), Fraction(-1), Fraction(1)))
    found = {step.d1 for step in group_steps(pair, taking(each_within(1)), Fraction(2))}
    assert found == {(0, 0, 0, 2), (0, 0, 0, -2), (2, 2, 2, 0), (-2, -2, -2, 0)}


def test_bases_lie_around_the_threshold_at_distances_of_the_noise():
    sketch = load_one("above_threshold_1")
    arguments = make_arguments(sketch, Fraction(1, 2), 5, {"T": Fraction(7)})
    assert noise_unit(sketch, arguments, (4.0, 8.0)) == 8
    bases = enumerate_bases(sketch, arguments, (4.0, 8.0), 8)
    assert bases[0] == (7,) * 5
    assert {abs(value - 7) for base in bases for value in base} == {0, 8, 16}


def test_without_noise_the_unit_is_the_distance_of_neighbours():
    sketch = load_one("sum")
    assert noise_unit(sketch, make_arguments(sketch, Fraction(1, 2), 5, {}), (0.0,)) == 1


@pytest.mark.parametrize(("value", "shown"), [(7.8, 8), (0.042, Fraction(1, 25)), (123, 100), (96, 100), (1, 1)])
def test_short_numbers(value, shown):
    assert short(value) == shown
