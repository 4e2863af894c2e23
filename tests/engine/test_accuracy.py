"""The expected error: what it is, on which inputs, and that the two sizes are measured in one unit."""

from __future__ import annotations

from fractions import Fraction

import pytest

import kolahal.settings as config
from kolahal.engine.accuracy import (
    DISTANCE,
    SHARE,
    describe_errors,
    expected_errors,
    gives_discrete_outputs,
    typical_inputs,
)
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.model import Arguments
from kolahal.search.arguments import fix_arguments

HEAD = "@sketch(adjacent=one_within(1))\ndef f(q: {}, eps: Epsilon):\n    {}\n"
AT = Arguments(Fraction(1), 4)
SETTINGS = config.Settings()


@pytest.mark.parametrize(
    ("private", "body", "unit"),
    [
        ("Private", "return q[0] + Lap(hole)", DISTANCE),
        ("Private[int]", "return q[0] + Lap(hole)", DISTANCE),
        ("Private", "return q[0] + Lap(hole) > 3", SHARE),
        ("Private", "if q[0] + Lap(hole) > 3:\n        return None\n    return 2", SHARE),
        ("Private", "if len(q) > 9:\n        return q[0] + Lap(hole)\n    return 1", DISTANCE),
    ],
)
def test_the_unit_is_that_of_the_output(private: str, body: str, unit: str) -> None:
    sketch = parse(HEAD.format(private, body))
    found = describe_errors(sketch, AT, SETTINGS)
    assert (found.unit, found.sizes, found.arguments) == (unit, (5, 50, 500), AT)
    assert gives_discrete_outputs(sketch, AT, SETTINGS) == (unit == SHARE)
    (error,) = expected_errors(sketch, [(parse_scale("1/eps"),)], AT, SETTINGS)
    assert 0 < error <= (1 if unit == SHARE else 2)


def test_the_mean_distance_of_laplace_noise_is_its_scale() -> None:
    """512 runs, the same noise on all inputs of a length: the standard error is the scale over 39, three lengths; false alarm
    below 1e-6 at 10 %, and the seed is fixed."""
    sketch = parse(HEAD.format("Private", "return q[0] + Lap(hole)"))
    (error,) = expected_errors(sketch, [(parse_scale("3/eps"),)], AT, SETTINGS)
    assert error == pytest.approx(3, rel=0.1)


def test_inputs_are_those_that_the_program_accepts() -> None:
    sketch = parse(HEAD.format("Private[int, 3]", "return q[2] + Lap(hole)"))
    split = fix_arguments(sketch, SETTINGS)
    assert {a.size for a in split.training + split.testing} == {3}
    assert describe_errors(sketch, split.training[0], SETTINGS).sizes == (3,)
    inputs = typical_inputs(sketch, split.training[0], SETTINGS)
    assert {len(d) for _, d in inputs.cases} == {3} and all(a.denominator == 1 for _, d in inputs.cases for a in d)
