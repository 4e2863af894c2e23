"""The cost of shifting noise: known costs, and never less than the loss that integration or enumeration finds."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import programs
from costs import find_cost
from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.lang.adjacency import EachWithin, Monotone, OneWithin, SumWithin
from kolahal.lang.noise import Noise
from kolahal.lang.sketch import Sketch
from kolahal.law.cost import build_case, find_passages
from kolahal.law.linear_program import Column, Line, Problem, find_front, find_shift, simplify, weigh
from kolahal.logic.linear import Inequality, variable
from kolahal.logic.solver import is_empty
from kolahal.model import Arguments
from kolahal.paths.unknowns import MoveAt
from kolahal.proof.refute.witness import find_stays, find_witnesses
from kolahal.proof.trusted.passages import SizedProgram, relation, whole_moves
from kolahal.settings import ProofSettings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Unknown

SETTINGS = ProofSettings()
ARGUMENTS: dict[str, Fraction | bool] = {"N": Fraction(1), "M": Fraction(2), "strict": True}


def load(name: str) -> Sketch:
    return load_one(name) if name in GALLERY else programs.load(name)


def case_of(sketch: Sketch, size: int, **arguments: int) -> SizedProgram:
    case = build_case(sketch, size, ARGUMENTS | {n: Fraction(v) for n, v in arguments.items()}, SETTINGS)
    assert isinstance(case, SizedProgram)
    return case


def cost_at(name: str, size: int, *scales: int | Fraction, **arguments: int) -> Fraction | float:
    cost = find_cost(case_of(load(name), size, **arguments), SETTINGS)
    return cost.at([Fraction(scale) for scale in scales])


# ---------------------------------------------------------------- known costs

KNOWN = [
    # The literature (peers.md, part A, section 5): private at exactly 1.
    ("histogram", 4, (1,), "1"),
    ("sum", 4, (1,), "1"),
    ("partial_sum", 4, (1,), "1"),
    ("partial_sum_each", 4, (4,), "1"),
    ("prefix_sum", 4, (1,), "1"),
    ("histogram_each", 4, (4,), "1"),
    ("noisy_max_1", 5, (2,), "1"),
    ("noisy_max_2", 5, (2, 0), "1"),
    ("exp_noisy_max", 5, (2, 0), "1"),
    ("noisy_max_one", 4, (1,), "1"),
    ("noisy_max_monotone", 4, (1,), "1"),
    ("smart_sum", 5, (2, 2), "1"),
    ("above_threshold_1", 5, (2, 4), "1"),
    ("above_threshold_1", 5, (3, 3), "1"),
    ("above_threshold_2", 5, (2, 4, 0), "1"),
    ("svt", 5, (2, 4), "1"),
    ("svt_monotone", 5, (2, 2), "1"),
    ("gap_svt", 5, (2, 4), "1"),
    ("numeric_svt", 5, (3, 6, 3), "1"),
    # Noise where nobody needs it, alone: its scale must grow with the input.
    ("above_threshold_2", 5, (0, 0, 5), "1"),
    ("above_threshold_2", 5, (2, 0, 5), "1"),
    ("noisy_max_2", 5, (0, 5), "4/5"),
    # For small inputs the cost can be lower than the law (design 4.5).
    ("above_threshold_1", 3, (2, 4), "3/4"),
    ("noisy_max_1", 1, (2,), "0"),
    # Broken by a constant factor.
    ("above_threshold_1", 8, (3, 2), "4/3"),
    ("above_threshold_1", 8, (1, 4), "3/2"),
    ("above_threshold_1", 8, (2, 3), "7/6"),
    ("above_threshold_1", 8, (2, 2), "3/2"),
    ("noisy_max_1", 3, (1,), "2"),
    ("smart_sum", 2, (1, 2), "3/2"),
    ("noisy_max_value", 4, (2,), "2"),
    ("svt_releases_value", 6, (2, 4), "3/2"),
    ("svt_without_limit", 6, (2, 4), "3/2"),
    ("leaks_noisy_sign", 2, (1,), "2"),
]


@pytest.mark.parametrize(("name", "size", "scales", "cost"), KNOWN)
def test_known_costs(name: str, size: int, scales: Sequence[int], cost: str) -> None:
    assert cost_at(name, size, *scales) == Fraction(cost)


@pytest.mark.parametrize("name", ["exp_noisy_max_value", "svt_without_query_noise", "leaks_sign", "leaks_all"])
def test_what_no_shift_can_hide_has_no_cost(name: str) -> None:
    case = case_of(load(name), 2)
    cost = find_cost(case, SETTINGS)
    assert cost.at([Fraction(9)] * len(case.sites)) == math.inf
    assert cost.reason


@pytest.mark.parametrize(
    ("name", "scales"), [("above_threshold_1", (2, 0)), ("svt", (0, 0)), ("exp_noisy_max", (0, 9))]
)
def test_without_noise_where_it_is_needed_there_is_no_cost(name: str, scales: Sequence[int]) -> None:
    assert cost_at(name, 3, *scales) == math.inf


@pytest.mark.parametrize("count", [1, 2])
def test_sparse_vector_pays_for_each_true(count: int) -> None:
    size = 4 * count  # with fewer queries, shifting all of them is cheaper than shifting the threshold
    assert cost_at("svt", size, 2, 4 * count, N=count) == 1
    assert cost_at("numeric_svt", size, 3, 6 * count, 3 * count, N=count) == 1


@pytest.mark.parametrize("name", [*GALLERY, "gap_svt", "noisy_min", "clipped_sum"])
def test_more_noise_never_costs_more(name: str) -> None:
    case = case_of(load(name), 2)
    cost, rng = find_cost(case, SETTINGS), random.Random(1)
    for _ in range(20):
        low = [Fraction(rng.randint(1, 9), rng.randint(1, 4)) for _ in case.sites]
        high = [scale * Fraction(rng.randint(4, 9), 4) for scale in low]
        assert cost.at(high) <= cost.at(low)
        assert cost.at([2 * scale for scale in low]) == cost.at(low) / 2


def test_a_comparison_without_noise_may_come_out_differently() -> None:
    assert cost_at("clipped_sum", 2, 1) == 1  # an answer moves by 5, what is left of it by 1
    assert cost_at("clipped_threshold", 1, 2, 4) == Fraction(1, 4)


def test_events_join_paths_whose_union_is_a_polyhedron() -> None:
    case = case_of(load("noisy_max_1"), 5)
    assert (len(case.paths.paths), len(case.events)) == (16, 5)
    assert all(len(event.facets) == 4 for event in case.events)
    assert all(len(passage.corners) == 1 for passage in _passages(case))


def _passages(case: SizedProgram) -> tuple[Any, ...]:
    found = find_passages(case, case.sites, SETTINGS.solver_steps)
    assert not isinstance(found, Unknown)
    return found


# ---------------------------------------------------------------- the loss, by integration


def laplace_below(x: Any, scale: float) -> Any:
    return np.where(x < 0, np.exp(np.minimum(x, 0) / scale) / 2, 1 - np.exp(-np.maximum(x, 0) / scale) / 2)


def integrate(values: Callable[[Any], Any], kinks: Sequence[float], reach: float = 700.0) -> float:
    """The integral over the line, with Gauss's rule on pieces between the places where the integrand has kinks."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    edges = sorted({-reach, reach, *kinks, *(k + d for k in kinks for d in (-60, -20, -6, -2, 2, 6, 20, 60))})
    total = 0.0
    for low, high in itertools.pairwise(edges):
        x = (low + high) / 2 + nodes * (high - low) / 2
        total += float((values(x) * weights).sum()) * (high - low) / 2
    return total


def above_threshold_odds(q: Sequence[float], scales: Sequence[float]) -> list[float]:
    """How likely each answer of above_threshold_1 at T = 0 is: none, then the first, the second, …"""

    def answer(place: int) -> float:
        def density(t: Any) -> Any:
            value = np.exp(-abs(t) / scales[0]) / (2 * scales[0])
            for x in q[: place - 1] if place else q:
                value = value * laplace_below(t - x, scales[1])
            return value * (1 - laplace_below(t - q[place - 1], scales[1])) if place else value

        return integrate(density, [0, *q])

    return [answer(place) for place in range(len(q) + 1)]


def noisy_max_odds(q: Sequence[float], scales: Sequence[float]) -> list[float]:
    def answer(place: int) -> float:
        def density(b: Any) -> Any:
            value = np.exp(-abs(b - q[place]) / scales[0]) / (2 * scales[0])
            for other, x in enumerate(q):
                if other != place:
                    value = value * laplace_below(b - x, scales[0])
            return value

        return integrate(density, list(q))

    return [answer(place) for place in range(len(q))]


@pytest.mark.parametrize(("gain", "loss"), [(0, 0.615), (5, 0.725), (20, 0.749), (40, 0.7500)])
def test_the_loss_tends_to_the_cost(gain: int, loss: float) -> None:
    """The figures of design 4.5."""
    before = above_threshold_odds([gain, gain, -gain], [2, 4])[3]
    after = above_threshold_odds([gain + 1, gain + 1, -gain - 1], [2, 4])[3]
    assert math.log(before / after) == pytest.approx(loss, abs=6e-4)


ODDS = {"above_threshold_1": (above_threshold_odds, 2), "noisy_max_1": (noisy_max_odds, 1)}


@pytest.mark.parametrize("name", ODDS)
@given(
    st.lists(st.integers(-12, 12), min_size=2, max_size=3),
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1.0]), min_size=3, max_size=3),
    st.lists(st.integers(1, 5), min_size=2, max_size=2),
)
@settings(max_examples=40)
def test_the_loss_is_never_above_the_cost(name: str, q: list[int], move: list[float], scales: list[int]) -> None:
    odds, sites = ODDS[name]
    cost = find_cost(case_of(load(name), len(q)), SETTINGS).at([Fraction(s) for s in scales[:sites]])
    before = odds([float(x) for x in q], [float(s) for s in scales])
    after = odds([x + step for x, step in zip(q, move)], [float(s) for s in scales])
    assert sum(before) == pytest.approx(1, abs=1e-9)
    for p1, p2 in zip(before, after, strict=True):
        assert abs(math.log(p1) - math.log(p2)) <= float(cost) + 1e-7


@pytest.mark.parametrize(
    ("name", "size", "scales"),
    [
        ("above_threshold_1", 3, (2, 4)),
        ("above_threshold_1", 5, (1, 4)),
        ("noisy_max_1", 2, (1,)),
        ("noisy_max_1", 4, (2,)),
    ],
)
def test_along_a_witness_the_cost_is_reached(name: str, size: int, scales: Sequence[int]) -> None:
    case = case_of(load(name), size)
    found = find_witnesses(case, find_stays(case), [Fraction(s) for s in scales]).found
    witness = found[0]
    assert witness.complete
    assert witness.cost == find_cost(case, SETTINGS).at([Fraction(s) for s in scales])
    example = witness.example(Fraction(60), Arguments(Fraction(1), size, (("T", Fraction(0)),)))
    assert example is not None
    odds, _ = ODDS[name]
    place = int(example.event.value) - (name == "noisy_max_1")  # type: ignore[union-attr,arg-type]
    p1, p2 = (odds([float(x) for x in d], [float(s) for s in scales])[place] for d in (example.d1, example.d2))
    # Where the sum of two draws decides, the loss comes closer to the cost only as 1/gain does.
    assert float(witness.cost) * 0.97 < math.log(p1 / p2) <= float(witness.cost) + 1e-9


# ---------------------------------------------------------------- the loss, by enumeration

REACH = 8  # whole noise beyond this is left out, and counted as if it spoke for privacy


def enumerate_runs(
    sketch: Sketch, database: Sequence[Fraction], scales: Sequence[float]
) -> tuple[dict[str, float], float]:
    """The probability of each answer of a program with whole noise and no loops, and of the noise left out."""
    ranges, factors = [], []
    for draw, scale in zip(sketch.draws, scales, strict=True):
        ratio = math.exp(-1 / scale)
        one_sided = draw.noise is Noise.GEOMETRIC
        ranges.append(range(REACH + 1) if one_sided else range(-REACH, REACH + 1))
        factors.append((ratio, 1 - ratio if one_sided else (1 - ratio) / (1 + ratio)))
    found: dict[str, float] = {}
    for noise in itertools.product(*ranges):

        def units(family: Noise, site: int, turns: Any, noise: Sequence[int] = noise) -> tuple[int, ...]:
            value = noise[site]
            return (value,) if family is Noise.GEOMETRIC else (max(value, 0), max(-value, 0))

        try:
            ones = [1.0] * len(scales)
            answer = repr(
                reference.run(sketch, database, Arguments(Fraction(1), len(database)), ones, units, number=Fraction)
            )  # type: ignore[arg-type]
        except RunError as error:
            answer = str(error)
        weight = math.prod(norm * ratio ** abs(value) for (ratio, norm), value in zip(factors, noise, strict=True))
        found[answer] = found.get(answer, 0.0) + weight
    return found, 1 - sum(found.values())


# Programs with whole noise on two answers a and b, who their neighbours are, and their cost at scales 1, 3/2 and 2.
WHOLE = [
    (["return max(a, b)"], "one_within(1)", "1"),
    (["if a == b:", "    return True", "return abs(a - b)"], "each_within(1)", "4/3"),
    (["return [a, b > 0]"], "sum_within(2)", "2"),
    (["if a == 3 or b > 1:", "    return 1", "return a - b"], "monotone(1)", "5/3"),
    (
        ["t = DiscreteLap(hole)", "if a > t:", "    return 1", "if b > t:", "    return 2", "return 0"],
        "each_within(1)",
        "5/3",
    ),
    (["x = q[0] + DiscreteExp(hole)", "if x > b:", "    return 1", "return 0 * a"], "one_within(1)", "2/3"),
    (["c = 0", "if q[0] > q[1]:", "    c = 2", "return c + a - q[0]"], "each_within(1)", "2"),
    (["if q[0] > 0 and b > 0:", "    return a - q[0]", "return 1 + a - q[0]"], "one_within(1)", "1"),
]


@pytest.mark.parametrize(("body", "near", "expected"), WHOLE)
def test_whole_noise_is_never_worse_than_its_cost(body: list[str], near: str, expected: str) -> None:
    """Every answer of a small program with discrete noise, its probability by enumeration of all noise."""
    lines = ["a = q[0] + DiscreteLap(hole)", "b = q[1] + DiscreteLap(hole)", *body]
    text = f"@sketch(adjacent={near})\ndef p(q: Private[int], eps: Epsilon):\n" + "\n".join(
        f"    {line}" for line in lines
    )
    sketch = programs.read(text)
    scales = [Fraction(1), Fraction(3, 2), Fraction(2)][: len(sketch.draws)]
    cost = find_cost(case_of(sketch, 2), SETTINGS).at(scales)
    assert cost == Fraction(expected)
    rng = random.Random(0)
    for _ in range(4):
        d1 = tuple(Fraction(rng.randint(-2, 2)) for _ in range(2))
        move = rng.choice([move for move in whole_moves(sketch.adjacency, 2) if any(move)])
        d2 = tuple(a + b for a, b in zip(d1, move, strict=True))
        before, _ = enumerate_runs(sketch, d1, [float(s) for s in scales])
        after, left_out = enumerate_runs(sketch, d2, [float(s) for s in scales])
        for output, p1 in before.items():
            assert p1 <= math.exp(float(cost)) * (after.get(output, 0.0) + left_out) * (1 + 1e-9)


def test_whole_noise_hides_whole_moves_only() -> None:
    case = case_of(load("histogram").discretised(), 2)
    assert find_cost(case, SETTINGS).at([Fraction(1)]) == 1
    for passage in _passages(case):
        assert all(step.denominator == 1 for corner in passage.corners for step in corner.move)


def test_whole_noise_does_not_hide_moves_by_a_fraction() -> None:
    whole = str(load("histogram").discretised())
    for text in (
        whole.replace("Private[int]", "Private"),
        whole.replace("Private[int]", "Private").replace("(1)", "(1/2)"),
    ):
        assert text != whole
        cost = find_cost(case_of(programs.read(text), 2), SETTINGS)
        assert cost.at([Fraction(9)]) == math.inf
        assert "less than a whole number; declare whole answers, Private[int]" in cost.reason


def test_paths_with_and_without_their_edge_are_joined() -> None:
    text = """
@sketch(adjacent=each_within(1))
def p(q: Private, eps: Epsilon):
    x = q[0] + DiscreteLap(hole)
    if x < 0:
        return 1
    if x <= 2:
        return 1
    return 0
"""
    case = case_of(programs.read(text), 1)
    assert sorted(len(event.paths) for event in case.events) == [1, 2]


@pytest.mark.parametrize("name", GALLERY)
def test_discrete_noise_costs_the_same(name: str) -> None:
    sketch = load(name)
    smooth, whole = find_cost(case_of(sketch, 3), SETTINGS), find_cost(case_of(sketch.discretised(), 3), SETTINGS)
    scales = [Fraction(2), Fraction(3), Fraction(5)][: len(sketch.draws)]
    assert smooth.at(scales) == whole.at(scales)


# ---------------------------------------------------------------- linear programs


def problems() -> Iterator[Problem]:
    rng = random.Random(3)
    for _ in range(60):
        columns = tuple(Column(rng.randint(0, 2), rng.random() < 0.2, False) for _ in range(rng.randint(1, 5)))
        lines = []
        for _ in range(rng.randint(1, 5)):
            terms = {rng.randrange(len(columns)): rng.choice((-2, -1, 1, 2)) for _ in range(rng.randint(1, 3))}
            lines.append(Line(rng.random() < 0.2, rng.randint(-2, 2), tuple(sorted(terms.items()))))
        yield Problem(columns, tuple(lines))


@pytest.mark.parametrize("problem", list(problems()), ids=str)
def test_the_front_knows_the_cheapest_shift_for_all_prices(problem: Problem) -> None:
    front, rng = find_front(problem), random.Random(5)
    for _ in range(8):
        prices = {site: Fraction(rng.randint(0, 6), rng.randint(1, 4)) for site in range(3)}
        shift = find_shift(problem, prices)
        if shift is None:
            assert not front
            continue
        assert shift.cost == min(sum(prices[s] * w for s, w in weights) for weights in front)
        assert shift.cost == sum(prices[s] * w for s, w in weigh(problem, shift))
        values = [sum(c * shift.steps[i] for i, c in line.terms) + line.offset for line in problem.lines]
        assert all(v == 0 if line.equal else v <= 0 for v, line in zip(values, problem.lines, strict=True))
        assert all(step >= 0 for step, column in zip(shift.steps, problem.columns, strict=True) if column.one_sided)
        # Strong duality: the multipliers explain the whole cost.
        assert shift.cost == sum(p * line.offset for p, line in zip(shift.prices, problem.lines, strict=True))


def test_problems_that_differ_in_names_only_are_one() -> None:
    columns = (Column(0, False, False), Column(1, False, False), Column(1, False, False))
    lines = (Line(False, 1, ((0, -1), (1, 1))), Line(False, 2, ((0, 1), (2, -1))))
    renamed = (Line(False, 2, ((0, -1), (2, 1))), Line(False, 1, ((1, 1), (2, -1))))
    assert simplify(Problem(columns, lines)) == simplify(Problem((columns[1], columns[2], columns[0]), renamed))


@pytest.mark.parametrize("adjacency", [EachWithin(2), OneWithin(2), SumWithin(2), Monotone(2)], ids=str)
def test_the_pieces_of_a_relation_hold_its_moves_and_no_others(adjacency: Any) -> None:
    pieces = relation(adjacency, 2)
    steps = [Fraction(n, 2) for n in range(-5, 6)]
    for move in itertools.product(steps, repeat=2):
        values = {MoveAt(i): step for i, step in enumerate(move)}
        inside = any(
            all(atom.holds(values) for atom in piece.atoms) and not any(move[i] for i in {0, 1} - set(piece.places))
            for piece in pieces
        )
        assert inside == adjacency.allows(move)


def test_the_solver_says_empty_only_of_what_is_empty() -> None:
    x = variable(MoveAt(0))
    below, above = Inequality(x, strict=True), Inequality(-x, strict=False)
    assert is_empty([below, above], 10_000)
    assert not is_empty([below], 10_000)
    assert is_empty([], 10_000, none_of=[(below,), (above,)])
    assert not is_empty([], 10_000, none_of=[(below,), (Inequality(-x, strict=True),)])
    assert is_empty([below], 10_000, one_of=[(above,)])
    hard = [Inequality(variable(MoveAt(i)).times(3) - variable(MoveAt(i + 1)), strict=True) for i in range(60)]
    assert not is_empty(hard, 1), "a solver without time has proved nothing"
