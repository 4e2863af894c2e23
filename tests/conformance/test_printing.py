"""What is printed parses back to itself."""

from __future__ import annotations

from hypothesis import given, settings

from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from strategies import sketches


@settings(max_examples=80)
@given(sketches())
def test_a_printed_sketch_parses_to_itself(sketch: Sketch) -> None:
    for program in (sketch, sketch.discretised()):
        text = str(program)
        read = parse(text)
        assert read == program
        assert str(read) == text
