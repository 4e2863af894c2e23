"""A loop that cannot end within the turns of a run is refused after one turn, and one that may be left is not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kolahal.engine import reference
from kolahal.engine.batch import BatchRun
from kolahal.engine.faults import RunError
from kolahal.engine.tape import Tape
from kolahal.lang.read.parse import parse
from kolahal.model import Arguments

TEXT = """
@sketch(adjacent=each_within(1))
def f(q: Private, eps: Epsilon):
    s = 0
    for i in range({many}):
        s = s + 1
        {rest}
    return q[0] + s
"""


def _run(text: str) -> BatchRun:
    return BatchRun(parse(text), (Fraction(1),), Arguments(Fraction(1), 1), (), Tape((1,), 4))


def test_a_loop_that_is_too_long_is_refused_after_a_turn() -> None:
    batch = _run(TEXT.format(many="1000000000", rest="s = s + 0"))
    with pytest.raises(RunError, match="did not end") as refused:
        batch.outputs()
    assert [d.code for d in refused.value.diagnostics] == ["K404"]
    assert batch.turns == 1


@pytest.mark.parametrize("rest", ["if s > 4:\n            break", "if s > 4:\n            return q[0] + s"])
def test_a_loop_that_is_left_has_its_answer(rest: str) -> None:
    text = TEXT.format(many="1000000000", rest=rest)
    expected = reference.run(parse(text), (Fraction(1),), Arguments(Fraction(1), 1), (), Tape((1,), 4).row(0))
    assert _run(text).outputs().rows() == [expected] * 4
