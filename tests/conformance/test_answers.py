"""Answers that Python tells apart are different answers to every engine, to the prover and in the emitted program."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from kolahal import check
from kolahal.emission.program import emit, load_emitted
from kolahal.engine import batch, jit, reference
from kolahal.engine.tape import Tape
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError
from kolahal.model import make_arguments, type_of
from kolahal.verdicts import Bounded, Proved, Refuted

DIFFERENT = [
    ("True", "1"), ("None", "0"), ("None", "False"), ("False", "0"), ("[1]", "1"), ("(1,)", "1"), ("[]", "None"),
    ("[]", "0"), ("[]", "[0]"), ("[True]", "[1]"), ("[None]", "[0]"), ("(True, 1)", "(1, True)"), ("(1, 2)", "(1, 2, 3)"),
    ("(1, 2)", "3"), ("[1, 2]", "None"),
]  # fmt: skip
EQUAL = [("1", "1.0"), ("0.0", "-0.0"), ("[2]", "[4 / 2]"), ("(0, 1)", "(0 * q[0], 1)"), ("3", "7 // 2")]


def program(one: str, other: str) -> Sketch:
    """Private data alone decides between two answers."""
    body = f"    if q[0] > 0:\n        return {one}\n    return {other}\n"
    return parse(f"@sketch(adjacent=each_within(2))\ndef f(q: Private, eps: Epsilon):\n{body}")


def answers(sketch: Sketch) -> list[tuple[Any, Any]]:
    """What each engine, a call and the emitted program answer on two neighbours."""
    emitted = load_emitted(emit(sketch))
    found = [(sketch([1], 1), sketch([-1], 1)), (emitted([1], 1), emitted([-1], 1))]
    engines = (
        lambda *inputs: reference.run(*inputs, Tape((0,), 1).row(0)),
        lambda *inputs: batch.run(*inputs, Tape((0,), 2)).rows()[0],
        lambda *inputs: jit.drive(jit.interpret(sketch), *inputs, Tape((0,), 2))[0].rows()[0],
    )
    arguments = make_arguments(sketch, Fraction(1), 1, {})
    return found + [tuple(run(sketch, (Fraction(n),), arguments, ()) for n in (1, -1)) for run in engines]  # type: ignore[misc]


def as_model(answer: Any) -> Any:
    return tuple(answer) if isinstance(answer, list) else answer


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_answers(one: str, other: str) -> None:
    sketch = program(one, other)
    for first, second in answers(sketch):
        assert (type_of(as_model(first)), first) != (type_of(as_model(second)), second)
    assert isinstance(check(sketch).verdict, Refuted)


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_answers(one: str, other: str) -> None:
    """Numbers are numbers, however they were written or computed; nothing in the answer tells which it was."""
    sketch = program(one, other)
    called, emitted, *engines = answers(sketch)
    assert repr(called[0]) == repr(called[1]) == repr(emitted[0]) == repr(emitted[1])
    for first, second in engines:
        assert (type_of(first), first) == (type_of(second), second)
    assert isinstance(check(sketch).verdict, Proved | Bounded)


@pytest.mark.parametrize(
    ("one", "other"), [("(1, 2)", "[1, 2]"), ("[]", "(1,)"), ("q", "(q[0],)"), ("(1,)", "[x for x in q]")]
)
def test_a_list_and_a_tuple_do_not_stand_side_by_side(one: str, other: str) -> None:
    """To the engines they are one answer, and to Python two: such a program is not judged at all."""
    with pytest.raises(SketchError, match="K220"):
        program(one, other)


@pytest.mark.parametrize(
    ("one", "other", "kind"), [("(1, 2)", "0", tuple), ("0", "(1,)", tuple), ("[1, 2]", "0", list), ("q", "None", list)]
)
def test_an_emitted_program_answers_as_the_sketch_is_written(one: str, other: str, kind: type) -> None:
    for found in answers(program(one, other))[:2]:
        (several,) = [answer for answer in found if isinstance(answer, list | tuple)]
        assert type(several) is kind
