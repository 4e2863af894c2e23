"""Texts as answers: the same in all engines, in calls and in emitted programs, and named in counterexamples."""

import copy
import pickle
from fractions import Fraction
from typing import Any

import pytest

from kolahal.checking import check
from kolahal.emission.program import emit, load_emitted
from kolahal.engine import batch, jit, reference
from kolahal.engine.tape import Tape
from kolahal.lang.ir import Const, walk
from kolahal.lang.labels import LabelCode
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch, call_mechanism
from kolahal.lang.source import SketchError
from kolahal.model import Arguments, Equals, describe_event
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.counterexample_data import document, find_faults
from kolahal.verdicts import Proved, Refuted

HEADER = "@sketch(adjacent=each_within(1))\ndef f(q: Private, T: float, eps: Epsilon):\n    "
PROGRAMS = {
    "two": "if q[0] + Lap(1/eps) > T:\n        return 'high'\n    return 'low'",
    "chosen": "x = q[0] + Lap(1/eps)\n    return 'high' if x > T else 'low' if x < -T else 'even'",
    "a name": "mood = 'low'\n    if q[0] + Lap(1/eps) > T:\n        mood = 'high'\n    if mood == 'low':\n        return 'not ' 'much'\n    return mood",
    "a list": "out = []\n    for a in q:\n        mood = 'low'\n        if a + Lap(len(q)/eps) > T:\n            mood = \"high's\"\n        out.append(mood)\n    return out",
    "a pair": "x = q[0] + Lap(1/eps)\n    return ('high' if x > T else 'low'), x",
    "none": "if q[0] + Lap(1/eps) > T:\n        return 'high'\n    return None",
    "unlike": "mood = 'a'\n    if q[0] + Lap(1/eps) > T:\n        mood = 'b'\n    return mood != 'a'",
}
ARGUMENTS = Arguments(Fraction(1), 3, (("T", Fraction(1, 2)),))
DATABASE = (Fraction(1), Fraction(0), Fraction(3))


def texts_of(sketch: Sketch) -> dict[float, str]:
    found = [n.value for n in walk(sketch.body) if isinstance(n, Const) and isinstance(n.value, LabelCode)]
    return {float(value): value.text for value in found}


def named(sketch: Sketch, answer: Any) -> Any:
    """The answer of an engine as a caller has it."""
    if isinstance(answer, tuple):
        return tuple(named(sketch, item) for item in answer)
    return answer if isinstance(answer, bool) or answer is None else texts_of(sketch)[answer]


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_engines_and_calls_agree(name):
    sketch = parse(HEADER + PROGRAMS[name])
    assert parse(str(sketch)) == sketch
    tape = Tape((7,), 12)
    runs = [reference.run(sketch, DATABASE, ARGUMENTS, (), tape.row(run)) for run in range(tape.runs)]
    assert batch.run(sketch, DATABASE, ARGUMENTS, (), tape).rows() == runs
    assert jit.drive(jit.interpret(sketch), sketch, DATABASE, ARGUMENTS, (), tape)[0].rows() == runs
    for run in range(tape.runs):
        log: list[Any] = []
        reference.run(sketch, DATABASE, ARGUMENTS, (), tape.row(run), log=log)
        drawn = iter([value for _, _, value in log])
        answer = call_mechanism(sketch, [list(map(float, DATABASE)), 0.5, 1.0], {}, lambda noise, scale: next(drawn))  # noqa: B023
        if name == "a pair":
            assert answer[0] == texts_of(sketch)[runs[run][0]]
        else:
            assert (tuple(answer) if isinstance(answer, list) else answer) == named(sketch, runs[run])


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_proved_and_emitted(name):
    sketch = parse(HEADER + PROGRAMS[name])
    assert isinstance(prove_every_length(sketch), Proved)
    answer = load_emitted(emit(sketch))([1000, -1000, 0], 1, 1)
    assert {"two": "high", "chosen": "high", "a name": "high", "none": "high", "unlike": True}.get(name, answer) == answer
    if name == "a list":
        assert answer[:2] == ["high's", "low"]
    if name == "a pair":
        assert answer[0] == "high"


def test_a_counterexample_names_the_text():
    sketch = parse(HEADER + PROGRAMS["two"].replace("1/eps", "1/(2*eps)"))
    found = check(sketch).verdict
    assert isinstance(found, Refuted)
    assert describe_event(found.example.event) in ("the output is 'high'", "the output is 'low'")
    told = document(found, sketch, parse_scale("eps"))
    assert told["words"] == describe_event(found.example.event) and not find_faults(told)
    assert find_faults({**told, "words": "the output is 'even'"})


def test_a_text_is_no_number():
    words, numbers = (parse(HEADER + f"if q[0] + Lap(1/eps) > T:\n        return {a}\n    return {b}") for a, b in (("'a'", "'b'"), ("0", "1")))
    assert words != numbers and str(words) != str(numbers)
    label = LabelCode(3, "three")
    assert label == 3 and Equals(label) == Equals(Fraction(3))
    assert pickle.loads(pickle.dumps(label)).text == copy.deepcopy(label).text == "three"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("x = 'a'\n    if T > 0:\n        x = 1\n    return x", "K221"),
        ("out = ['a']\n    out.append(q[0] + Lap(1/eps))\n    return out", "K221"),
        ("if T > 0:\n        return 'a', 1\n    return 1, 'a'", "K221"),
        ("x = 'a'\n    if T > 0:\n        x = 1\n    return 1 if x == 'a' else 2", "K204"),
        ("return q['a']", "K202"),
        ("return -'a'", "K202"),
        ("if 'a':\n        return 1\n    return 2", "K203"),
        ("return max('a', 'b')", "K202"),
        ("return q[0] + 'a'", "K202"),
        ("return [x for x in range('a')]", "K202"),
        ("return 'a' + 'b'", "K202"),
    ],
)
def test_what_texts_cannot_do(body, code):
    with pytest.raises(SketchError, match=code):
        parse(HEADER + body)


def test_records_are_answered_with_texts():
    header = "@sketch(adjacent=add_remove(1))\ndef f(rows: Records[Between(0, 1)], eps: Epsilon):\n    "
    sketch = parse(header + "n = sum(1 for r in rows if r > 0.5) + Lap(1/eps)\n    return 'many' if n > 10 else 'few'")
    assert isinstance(prove_every_length(sketch), Proved)
    assert sketch([1] * 1000, 1) == "many"
    assert load_emitted(emit(sketch))([0] * 1000, 1) == "few"
