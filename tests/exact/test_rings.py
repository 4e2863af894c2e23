"""Rings of comparisons: opened, they are the same event, ties included."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

from kolahal.exact.intervals import rigorous_probability
from kolahal.exact.polyhedra import place_draws
from kolahal.exact.probe import event_probability
from kolahal.exact.rings import PlacedRow, untie
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse_source
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import Source
from kolahal.logic.linear import number, variable
from kolahal.model import Arguments, Equals
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.unknowns import AnswerAt, NoiseAt
from kolahal.proof.refute.scattered import find_scattered
from kolahal.settings import Settings

DRAWS = [NoiseAt(site, ()) for site in range(5)]
LITERATURE = Path(__file__).parents[1] / "known" / "literature" / "programs"


def random_rows(rng: random.Random) -> list[PlacedRow]:
    rows = []
    for _ in range(rng.randint(3, 7)):
        a, b = rng.sample(DRAWS, 2)
        weight = F(rng.choice((1, 1, 1, 2)))
        public = variable(AnswerAt(0)).times(rng.choice((-1, 0, 0, 1))) + number(F(rng.randint(-2, 2)))
        noise = {a: weight, b: -weight} if rng.randrange(6) else {a: F(rng.choice((-1, 1)))}
        rows.append(PlacedRow(noise, public, rng.random() < 0.5))
    return rows


def holds(row: PlacedRow, noise: dict[NoiseAt, int], answer: int) -> bool:
    value = sum(c * noise[draw] for draw, c in row.noise.items()) + row.public.at({AnswerAt(0): answer})
    return value < 0 if row.strict else value <= 0


def test_signed_systems_without_rings_are_the_system() -> None:
    opened = 0
    for seed in range(300):
        rng = random.Random(seed)
        rows = random_rows(rng)
        parts = untie(rows, lambda system: system if place_draws(system) is not None else None)
        if parts is None:
            continue
        opened += len(parts) > 1
        for _ in range(60):
            noise = {draw: rng.randint(-2, 2) for draw in DRAWS}
            answer = rng.randint(-1, 1)
            total = sum(sign for sign, system in parts if all(holds(row, noise, answer) for row in system))
            assert total == all(holds(row, noise, answer) for row in rows), seed
    assert opened > 60


def mechanism(file: str, name: str) -> Sketch:
    sketches = parse_source(Source(file, (LITERATURE / f"{file}.py").read_text(encoding="utf-8")))
    return next(sketch for sketch in sketches if sketch.name == name)


@pytest.mark.parametrize("values", [(0, 1), (0, 0), (1,)])
def test_a_ring_is_integrated_the_same_in_doubles_and_balls(values: tuple[int, ...]) -> None:
    sketch = mechanism("dipaut", "min_max_unsplit")
    arguments = Arguments(F(1), 4, (("k", F(2)),))
    event = Equals(tuple(map(F, values)))
    database = (F(2), F(-2), F(1), F(5))
    doubles = event_probability(sketch, database, arguments, np.zeros((1, 0)), event)
    balls = rigorous_probability(sketch, database, arguments, (), event)
    assert not isinstance(doubles, CannotIntegrate) and not isinstance(balls, CannotIntegrate)
    assert balls.low - 1e-12 <= doubles[0] <= balls.high + 1e-12
    assert balls.low > 0.01


def test_the_outputs_of_a_program_with_rings_have_probability_one() -> None:
    sketch = mechanism("dipaut", "min_max_unsplit")
    arguments = Arguments(F(1), 5, (("k", F(2)),))
    total = 0.0
    for length in range(4):
        for values in itertools.product((0, 1), repeat=length):
            found = event_probability(sketch, tuple(map(F, (2, -2, 1, 5, -3))), arguments, np.zeros((1, 0)), Equals(tuple(map(F, values))))
            assert not isinstance(found, CannotIntegrate)
            total += found[0]
    assert total == pytest.approx(1, abs=1e-9)


def test_answers_on_several_levels_refute_what_short_lists_do_not() -> None:
    broken = mechanism("dipaut", "min_max_unsplit")
    assert find_scattered(broken, plain_claim(broken), Settings()) is not None


def test_three_in_a_row_and_not_far_apart() -> None:
    text = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    a, b, c = q[0] + Lap(1/eps), q[0] + Lap(1/eps), q[0] + Lap(1/eps)
    return a > b and b > c and c + 1 > a
"""
    (sketch,) = parse_source(Source("ring", text))
    (found,) = event_probability(sketch, (F(0),), Arguments(F(1), 1), np.zeros((1, 0)), Equals(True))
    grid = np.linspace(-30, 30, 60_001)
    step = grid[1] - grid[0]
    below = np.where(grid < 0, np.exp(grid) / 2, 1 - np.exp(-grid) / 2)
    reach = round(1 / step)
    windows = np.lib.stride_tricks.sliding_window_view
    # given the least, the largest is within 1 of it, and the third between them
    density = np.exp(-np.abs(grid)) / 2
    mass = windows(density, reach + 1) * (windows(below, reach + 1) - below[:-reach, None])
    expected = (density[:-reach] * np.trapezoid(mass, dx=step, axis=1)).sum() * step
    assert found == pytest.approx(expected, rel=1e-5)
