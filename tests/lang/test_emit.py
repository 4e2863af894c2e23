"""Emitted programs, as they are handed out: run from their files, with noise from a tape, against the reference."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kolahal.engine import reference
from kolahal.engine.faults import RunError
from kolahal.engine.noise import FAMILIES
from kolahal.engine.tape import Turns
from kolahal.lang.emit import emit, load_emitted
from kolahal.lang.noise import Noise
from kolahal.lang.parse import parse
from kolahal.lang.patch import without_idle
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.model import Arguments
from kolahal.sketches.gallery import GALLERY, load_one
from strategies import answers, argument_sets, completions, databases, sketches

steps = st.lists(st.integers(-(2**44), 2**44) | st.integers(-3, 3), max_size=20)


class TapeOver(Exception):
    """A run that asks for more noise than the tape has."""


class TapeNoise:
    """Whole numbers from a list in place of noise."""

    def __init__(self, tape: list[int]):
        self.tape = list(tape)

    def __repr__(self) -> str:
        return "<NOT RANDOM, NOT PRIVATE: noise from a tape, for tests>"

    def laplace(self, scale: Fraction) -> int:
        if not self.tape:
            raise TapeOver
        return self.tape.pop(0)

    def exponential(self, scale: Fraction) -> int:
        return abs(self.laplace(scale))


def inputs_of(sketch: Sketch, database: tuple[Fraction, ...], arguments: Arguments) -> dict[str, Any]:
    return {**arguments.environment(sketch), sketch.private.name: list(database)}


def run_emitted(text: str, inputs: dict[str, Any], tape: list[int]) -> Any:
    function = load_emitted(text)
    space = function.__globals__
    return space["_run"](function.__wrapped__, function._rounds, (), inputs, TapeNoise(tape))


def grids(text: str, sketch: Sketch, inputs: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """The grids that an emitted program uses for answers and noise."""
    space = load_emitted(text).__globals__
    public = {**inputs, sketch.private.name: range(len(inputs[sketch.private.name]))}
    for parameter in sketch.parameters:
        if parameter.type.value == "int":
            public[parameter.name] = int(public[parameter.name])
    rounds = sketch.adjacency.name != "sum_within"
    return space["_grids"](space["_Plan"](**space["_plan"](**public)), rounds)


def run_reference(
    program: Sketch, database: tuple[Fraction, ...], arguments: Arguments, tape: list[int], grid: Fraction
) -> Any:
    """The reference on exact numbers, with noise of whole numbers of steps of the grid."""
    left = list(tape)
    sizes = [draw.scale.at(arguments.quantities(program)) for draw in program.draws if isinstance(draw.scale, Scale)]

    def units(noise: Noise, site: int, turns: Turns) -> tuple[Any, ...]:
        if sizes[site] == 0:
            return (Fraction(0),) * FAMILIES[noise].parts
        if not left:
            raise TapeOver
        step = left.pop(0)
        if noise in (Noise.EXPONENTIAL, Noise.GEOMETRIC):
            step = abs(step)
        size = Fraction(float(sizes[site]))  # as the reference takes it; the product with a unit is exact again
        if noise is Noise.DISCRETE_LAPLACE:
            return max(step, 0) / size, max(-step, 0) / size
        return (Fraction(step) * (1 if noise is Noise.GEOMETRIC else grid) / size,)

    return reference.run(program, database, arguments, (), units, number=Fraction)


def plain(answer: Any) -> Any:
    """What an emitted program makes of an exact answer."""
    if isinstance(answer, tuple):
        return tuple(plain(item) for item in answer)
    if isinstance(answer, Fraction):
        return int(answer) if answer.denominator == 1 else float(answer)
    return answer


def assert_means(mechanism: Mechanism, database: tuple[Fraction, ...], arguments: Arguments, tape: list[int]) -> None:
    """The emitted file does what the reference does, with the same noise, on rounded inputs."""
    program = mechanism.filled()
    text = emit(mechanism, off_grid=True)
    inputs = inputs_of(program, database, arguments)
    try:
        grid, noise_grid = grids(text, program, inputs)
    except (ValueError, ZeroDivisionError):  # public arguments that are refused
        with pytest.raises(ValueError):
            run_emitted(text, inputs, tape)
        return
    rounded = tuple(math.floor(answer / grid + Fraction(1, 2)) * grid for answer in database)
    try:
        expected = run_reference(program, rounded, arguments, tape, noise_grid)
    except RunError:
        with pytest.raises((RuntimeError, ValueError)):
            run_emitted(text, inputs, tape)
        return
    except TapeOver:
        with pytest.raises((TapeOver, ValueError)):
            run_emitted(text, inputs, tape)
        return
    try:
        found = run_emitted(text, inputs, tape)
    except ValueError as error:
        assert "double" in str(error) or "scale" in str(error)
        return
    found = tuple(found) if isinstance(found, list) else found
    assert repr(found) == repr(plain(expected))


@settings(max_examples=int(__import__("os").environ.get("N","150")), derandomize=False)
@given(st.data())
def test_an_emitted_file_does_what_the_mechanism_means(data: st.DataObject) -> None:
    sketch = data.draw(sketches())
    if data.draw(st.booleans()):
        sketch = parse(str(sketch))
    mechanism = sketch.complete(*data.draw(completions(len(sketch.holes))))
    database = data.draw(databases)
    assert_means(mechanism, database, data.draw(argument_sets(len(database))), data.draw(steps))
