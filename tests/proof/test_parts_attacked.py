"""What was tried against proofs of programs that give away what their answers are computed from, and what it taught them."""

from __future__ import annotations

import pytest

from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.released import released
from kolahal.verdicts import Unknown

HEAD = "@sketch(adjacent=each_within(1))\ndef f(q: {}, eps: Epsilon, k: int = 1, T: float = 1):\n"


def program(text: str, private: str = "Private") -> Sketch:
    return parse(HEAD.format(private) + "\n".join(f"    {line}" for line in text.split("\n")))


NOISY = "out.append(q[0] + Lap(1/eps))\n"
# Runs stop on one of two neighbours, in a value whose parts are not in the answer, or where a name has no value.
STOPS = {
    "a name that is never appended": "out = []\n" + NOISY + "m = 1/q[0]\nif T > T + 1:\n    out.append(m)\nreturn out",
    "a name of public numbers without a value": "out = []\nif q[0] > 0:\n    m = k/T\nout.append(m)\nreturn out",
    "a list that begins anew": "out = []\nout.append(1/q[0])\nout = []\n" + NOISY + "return out",
    "a list that begins in a loop": "for i in range(2):\n    out = []\n    out.append(1/q[0])\nout = []\n" + NOISY + "return out",
    "a name that may be None": "x = None\nif q[0] > 0:\n    x = 1\nm = x*q[0]\nout = []\n" + NOISY + "if T > T + 1:\n    out.append(m)\nreturn out",
    "a divisor with noise that nobody sees": "m = k/(q[0] + DiscreteLap(9/eps))\nout = []\nout.append(q[0] + DiscreteLap(1/eps))\nif T > T + 1:\n    out.append(m)\nreturn out",
}


@pytest.mark.parametrize("name", STOPS)
def test_what_stops_a_run_is_told(name: str) -> None:
    sketch = program(STOPS[name], "Private[int]" if "Discrete" in STOPS[name] else "Private")
    assert isinstance(prove_every_length(sketch), Unknown)


EACH = "out = []\nfor i in range(len(q)):\n    y = q[i] + Lap(len(q)/eps)\n"
TOLD = {
    "appended at once": EACH + "    m = T/y\n    n = m*m\n    last = y\n    out.append(n - m)\nreturn out",
    "under one condition": EACH + "    if y > 1:\n        m = T/y\n        out.append(m)\nreturn out",
    "a divisor above 0": EACH + "    m = T/max(y, 1)\n    if y > T:\n        out.append(m)\nreturn out",
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told_is_given_away(name: str) -> None:
    sketch = program(TOLD[name])
    assert released(sketch) != sketch
