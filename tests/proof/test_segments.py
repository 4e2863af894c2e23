"""The segments of a program mean what the reference engine means, on generated programs and on known ones."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from driver import Faulty, drive
from every_length import BROKEN, PRIVATE, load
from streams import Writer

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.lang.ir import Comprehension, Draw, Node, rebuild, walk
from kolahal.lang.noise import Noise
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError
from kolahal.model import Arguments, type_of
from kolahal.proof.trusted.values import Unsupported
from kolahal.sketches.gallery import GALLERY, load_one

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


def both_ways(
    sketch: Sketch, released: frozenset[int], database: Any, arguments: Arguments, seed: int, delayed: bool = False
) -> bool:
    """Compare the engines; whether there was an answer to compare."""
    sketch = with_unit_noise(sketch)
    sides = {draw.site: draw.noise in (Noise.EXPONENTIAL, Noise.GEOMETRIC) for draw in sketch.draws}

    def units(noise: Noise, site: int, turns: tuple[int, ...]) -> tuple[float, ...]:
        value = noise_at(seed, sides[site], site, turns)
        return (value,) if noise is not Noise.DISCRETE_LAPLACE else (max(value, 0), max(-value, 0))

    values = dict(arguments.environment(sketch))
    try:
        expected: Any = reference.run(sketch, database, arguments, (), units, number=Fraction)
    except RunError:
        expected = Faulty
    try:
        found: Any = drive(sketch, released, database, values, lambda s, t: noise_at(seed, sides[s], s, t), delayed)
    except Faulty:
        found = Faulty
    # Where a run faults, the segments may only say that it does; that they say so too often costs proofs, not truth.
    if found is not Faulty:
        assert expected is not Faulty
        assert type_of(found) == type_of(expected) and found == expected
    return found is not Faulty


@pytest.mark.parametrize("block", range(6))
def test_segments_mean_what_the_reference_means(block: int) -> None:
    answered = 0
    for number in range(30):
        seed = 30 * block + number
        try:
            sketch = load(Writer(random.Random(seed)).program())
        except SketchError:
            continue  # a name that is always None, mostly
        count = sum(isinstance(node, Comprehension) for node in walk(sketch.body))
        for trial in range(4):
            rng = random.Random(trial)
            size = rng.randint(1, 5)
            database = tuple(Fraction(rng.randint(-3, 3)) for _ in range(size))
            values = (("N", Fraction(rng.randint(1, 3))), ("T", Fraction(rng.randint(-1, 1))))
            released = frozenset(range(count)) if trial % 2 else frozenset[int]()
            answered += both_ways(sketch, released, database, Arguments(ONE, size, values), trial)
    assert answered > 60


KNOWN = {name: load(text) for name, text in (PRIVATE | BROKEN).items()}
KNOWN |= {name: load_one(name).complete(*entry.textbook[0]).filled() for name, entry in GALLERY.items()}


@pytest.mark.parametrize("name", KNOWN)
def test_segments_of_known_mechanisms(name: str) -> None:
    sketch = KNOWN[name]
    covered = 0
    for seed in range(15):
        rng = random.Random(seed)
        size = rng.randint(1, 6)
        database = tuple(Fraction(rng.randint(-3, 3)) for _ in range(size))
        given_values = {"N": Fraction(rng.randint(1, 3)), "M": Fraction(rng.randint(1, 3)), "loud": seed % 2 == 0}
        values = tuple((p.name, given_values.get(p.name, Fraction(rng.randint(-2, 2)))) for p in sketch.arguments)
        count = sum(isinstance(node, Comprehension) for node in walk(sketch.body))
        for released in {frozenset(), frozenset(range(count))}:
            with suppress(Unsupported):
                covered += both_ways(sketch, released, database, Arguments(ONE, size, values), seed)
    assert (covered > 0) == (name != "raw")
