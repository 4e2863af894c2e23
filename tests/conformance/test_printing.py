"""What is printed parses back to itself."""

from __future__ import annotations

from hypothesis import given, settings

from kolahal.lang.parse import parse
from kolahal.lang.sketch import Sketch
from strategies import sketches


@settings(max_examples=200)
@given(sketches())
def test_a_printed_sketch_parses_to_itself(sketch: Sketch) -> None:
    assert parse(str(sketch)) == sketch


@settings(max_examples=50)
@given(sketches())
def test_printing_again_prints_the_same(sketch: Sketch) -> None:
    assert str(parse(str(sketch))) == str(sketch)


@settings(max_examples=50)
@given(sketches())
def test_the_whole_number_version_parses_to_itself(sketch: Sketch) -> None:
    discrete = sketch.discretised()
    assert parse(str(discrete)) == discrete
