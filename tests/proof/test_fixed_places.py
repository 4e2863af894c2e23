"""Programs that read places written as numbers: proved for every length where all runs stop alike on shorter lists."""

from __future__ import annotations

import pytest
from every_length import load

from kolahal.lang.scale import parse_scale
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.neighbours import least_length
from kolahal.settings import ProofSettings
from kolahal.verdicts import Everywhere, Proved

EPS = parse_scale("eps")
HEAD = "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon):\n"
STOPS_ALIKE = {  # the number of answers below which every run stops, and the program
    "a list": (5, "return [q[0] + Lap(5/eps), q[1] + Lap(5/eps), q[2] + Lap(5/eps), q[3] + Lap(5/eps), q[4] + Lap(5/eps)]"),
    "names": (4, "a = q[0] + Lap(2/eps)\nb = q[3] - a + a + Lap(2/eps)\nreturn a, b"),
    "appended": (2, "out = []\nout.append(2*q[0] + Lap(4/eps))\nout.append(-q[1] + Lap(2/eps))\nreturn out"),
    "eight releases": (8, "return [" + ", ".join(f"q[{i}] + Lap(8/eps)" for i in range(8)) + "]"),
    "eight of one answer": (1, "return [" + ", ".join(["q[0] + Lap(8/eps)"] * 8) + "]"),
    "in the first condition": (3, "if q[0] > q[2]:\n    return q[0] + Lap(1/eps)\nreturn q[2] + Lap(1/eps)"),
    "in the largest of some": (4, "m = max(q[0], q[3])\nreturn m + Lap(1/eps)"),
    "from the end": (2, "a = q[0] + Lap(4/eps)\nb = q[-1] + q[-2] + Lap(8/3/eps)\nreturn a > b, len(q)"),
    "items of its own from the end": (1, "out = [0, q[-1] + Lap(1/eps)]\nout.append(out[-1] + out[-2])\nreturn out[-1]"),
    "before a comparison": (6, "x = q[5] + Lap(2/eps)\nif q[0] + Lap(2/eps) > 0:\n    return x\nreturn 0"),
}
MAY_NOT = {  # something may happen before the place is missed, or it may not be missed at all
    "after a comparison": "if q[0] + Lap(1/eps) > 0:\n    return q[4]*0\nreturn 0",
    "right of and": "if q[0] + Lap(1/eps) > 0 and q[4]*0 == 0:\n    return 1\nreturn 0",
    "in the second condition": "x = 0\nif q[0] + Lap(1/eps) > 0:\n    x = 1\nif q[4]*0 == 0:\n    return x\nreturn 0",
    "behind the branch that answers": "if q[0] + Lap(1/eps) > 0:\n    return 1\nreturn q[3]*0",
    "in one branch": "x = q[0] + Lap(1/eps)\nif x > 0:\n    y = q[3]*0\nelse:\n    y = 1\nreturn y",
    "after a loop": "n = 0\nfor x in q:\n    n = n + 1\nreturn q[5]*0 + n",
    "from the end after a comparison": "if q[0] + Lap(1/eps) > 0:\n    return q[-5]*0\nreturn 0",
    "an item of its own that may not be there": "out = []\nif q[0] + Lap(1/eps) > 0:\n    out.append(1)\nreturn out[-1]",
    "decided by and": "a = q[0] + Lap(1/eps) > 0 and q[4]*0 == 0\nreturn a",
    "after a quotient": "a = 1/(q[0] + Lap(1/eps))\nreturn q[4]*0 + a*0",
}


def body(text: str) -> str:
    return HEAD + "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("name", STOPS_ALIKE)
def test_places_that_every_run_reads_first_are_there(name: str) -> None:
    least, text = STOPS_ALIKE[name]
    sketch = load(body(text))
    assert least_length(sketch) == least
    found = prove_every_length(sketch, EPS, ProofSettings().quick(fixed=True))
    assert isinstance(found, Proved) and isinstance(found.scope, Everywhere)


def test_places_from_the_end_need_as_many_answers() -> None:
    assert least_length(load(body("return q[-3] + Lap(2/eps), q[0] + Lap(2/eps)"))) == 3


@pytest.mark.parametrize("name", MAY_NOT)
def test_places_that_a_run_may_not_come_to_are_not_taken_for_granted(name: str) -> None:
    sketch = load(body(MAY_NOT[name]))
    assert least_length(sketch) == 1
    assert not isinstance(prove_every_length(sketch, EPS, ProofSettings().quick(fixed=True)), Proved)


@pytest.mark.parametrize("text", ["return [q[0] + Lap(4/eps), q[1] + Lap(4/eps), q[2] + Lap(1/eps), q[6] + Lap(4/eps)]"])
def test_too_little_noise_is_not_proved_either(text: str) -> None:
    assert not isinstance(prove_every_length(load(body(text)), EPS), Proved)


def test_a_program_that_always_stops_is_not_proved() -> None:
    sketch = load(body("return q[4] + Lap(1/eps)").replace("Private", "Private[3]"))
    assert least_length(sketch) == 1
    assert not isinstance(prove_every_length(sketch, EPS, ProofSettings().quick(fixed=True)), Proved)
