"""The segments of a program mean what the reference engine means, on generated programs and on known ones."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from driver import Faulty, drive
from every_length import BROKEN, PRIVATE, load
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.lang.ir import Comprehension, Draw, Node, rebuild, walk
from kolahal.lang.noise import Noise
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, type_of
from kolahal.proof.segments import Unsupported
from kolahal.sketches.gallery import GALLERY, load_one
from strategies import Case, cases

ONE = Fraction(1)


def with_unit_noise(sketch: Sketch) -> Sketch:
    """The same program with every scale 1/eps."""
    unit = parse_scale(f"1/{sketch.epsilon.name}")

    def change(node: Node) -> Node | None:
        return replace(node, scale=unit) if isinstance(node, Draw) else None

    return replace(sketch, body=rebuild(sketch.body, change))


def noise_at(seed: int, one_sided: bool, site: int, turns: tuple[int, ...]) -> int:
    value = random.Random(f"{seed} {site} {turns}").randint(-3, 3)
    return abs(value) if one_sided else value


def both_ways(sketch: Sketch, released: frozenset[int], database: Any, arguments: Arguments, seed: int) -> None:
    sketch = with_unit_noise(sketch)
    sides = {draw.site: draw.noise in (Noise.EXPONENTIAL, Noise.GEOMETRIC) for draw in sketch.draws}

    def units(noise: Noise, site: int, turns: tuple[int, ...]) -> tuple[float, ...]:
        value = noise_at(seed, sides[site], site, turns)
        return (value,) if noise is not Noise.DISCRETE_LAPLACE else (max(value, 0), max(-value, 0))

    values = {name: value for name, value in arguments.environment(sketch).items()}
    try:
        expected: Any = reference.run(sketch, database, arguments, (), units, number=Fraction)
    except RunError:
        expected = Faulty
    try:
        found: Any = drive(sketch, released, database, values, lambda s, t: noise_at(seed, sides[s], s, t))
    except Faulty:
        found = Faulty
    # Where a run faults, the segments may only say that it does; that they say so too often costs proofs, not truth.
    if found is not Faulty:
        assert expected is not Faulty
        assert type_of(found) == type_of(expected) and found == expected


@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@given(cases(), st.booleans())
def test_segments_mean_what_the_reference_means(case: Case, eager: bool) -> None:
    count = sum(isinstance(node, Comprehension) for node in walk(case.sketch.body))
    filled = case.sketch.complete(*["1/eps"] * len(case.sketch.holes)).filled()
    arguments = replace(case.arguments, epsilon=ONE)
    try:
        both_ways(filled, frozenset(range(count) if eager else ()), case.database, arguments, case.seed)
    except Unsupported:
        assume(False)


KNOWN = {name: load(text) for name, text in (PRIVATE | BROKEN).items()}
KNOWN |= {name: load_one(name).complete(*entry.textbook[0]).filled() for name, entry in GALLERY.items()}


@pytest.mark.parametrize("name", KNOWN)
def test_segments_of_known_mechanisms(name: str) -> None:
    sketch = KNOWN[name]
    covered = 0
    for seed in range(30):
        rng = random.Random(seed)
        size = rng.randint(1, 6)
        database = tuple(Fraction(rng.randint(-3, 3)) for _ in range(size))
        given_values = {"N": Fraction(rng.randint(1, 3)), "M": Fraction(rng.randint(1, 3)), "loud": seed % 2 == 0}
        values = tuple((p.name, given_values.get(p.name, Fraction(rng.randint(-2, 2)))) for p in sketch.arguments)
        count = sum(isinstance(node, Comprehension) for node in walk(sketch.body))
        for released in {frozenset(), frozenset(range(count))}:
            try:
                both_ways(sketch, released, database, Arguments(ONE, size, values), seed)
                covered += 1
            except Unsupported:
                pass
    assert covered or name in ("raw",)
