"""What is printed parses back to itself."""

from __future__ import annotations

from hypothesis import given

from examples import examples
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from strategies import sketches


@examples(80, quick=30)
@given(sketches())
def test_a_printed_sketch_parses_to_itself(sketch: Sketch) -> None:
    for program in (sketch, sketch.discretised()):
        text = str(program)
        read = parse(text)
        assert read == program
        assert str(read) == text
