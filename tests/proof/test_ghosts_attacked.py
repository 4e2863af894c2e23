"""Programs that lose a name, a list or noise between two loops; brute force says that none of them is private."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from tests.known.attacks.brute import Setting, is_neighbour, is_violated, read_programs

from kolahal.lang.read.parse import parse
from kolahal.proof.find.lengths import prove_every_length
from kolahal.verdicts import Proved

HEAD = """
from kolahal import Epsilon, Lap, Private, each_within, one_within, sketch


@sketch(adjacent=each_within(1))
def f(q: Private, T: float, eps: Epsilon):
"""


@dataclass(frozen=True)
class Attack:
    body: str
    one: tuple[int, ...] = (0,)
    two: tuple[int, ...] = (1,)
    relation: str = "each_within"

    @property
    def text(self) -> str:
        lines = [f"    {line}\n" for line in self.body.split("\n")]
        return HEAD.replace("adjacent=each_within", f"adjacent={self.relation}") + "".join(lines)


LARGEST = "best, v = 0, 0\nfor i in range(len(q)):\n    y = q[i] + Lap(1/eps)\n    if i == 0 or y > v:\n        best = i\n        v = y\n"
ATTACKS = {
    "noise that is used twice": Attack("e = Lap(2/eps)\nout = []\nfor x in q:\n    out.append(x + e)\nreturn out", (0, 0), (0, 1)),
    "noise that is shown as well": Attack("e = Lap(1/eps)\nfor x in q:\n    if x > T:\n        return x + e, e\nreturn None", (1,), (2,)),
    "noise in one branch": Attack("e = 0\nfor x in q:\n    if x > T:\n        e = Lap(1/eps)\n    T = T + 1\nreturn q[0] + e", (1,), (0,)),
    "noise of the turn before, shown": Attack(
        "e = Lap(1/eps)\nout = []\nfor x in q:\n    p = e\n    e = Lap(1/eps)\n    out.append(x + p)\n    out.append(p)\nreturn out", relation="one_within"
    ),
    "two noises that change hands": Attack("a = Lap(1/eps)\nb = Lap(1/eps)\nfor x in q:\n    a, b = b, a\nreturn q[0] + a, q[0] + b"),
    "noise that changes hands with nothing": Attack("a = Lap(1/eps)\nb = 0\nfor x in q:\n    a, b = b, a\nreturn q[0] + a"),
    "the name of a loop after it": Attack("x = 0\nfor x in q:\n    y = 1\nreturn x"),
    "a name that some turns change": Attack("x = q[0]\nfor i in range(len(q)):\n    if i > 3:\n        x = 0\nreturn x"),
    "the name of a loop that may not turn": Attack("i = 0\nif q[0] > T:\n    i = 1\nfor j in range(len(q)):\n    for i in range(j):\n        T = T + 1\nreturn i"),
    "lists that change hands": Attack("a = [0]\nb = [1]\nif q[0] > T:\n    a, b = b, a\nfor x in q:\n    T = T + 1\nreturn a"),
    "a list by another name": Attack("a = [0]\nb = [1]\nif q[0] > T:\n    a = [1]\nfor x in q:\n    b = a\nreturn b"),
    "items that use a private name": Attack("t = q[0]\nnoisy = [x + t + Lap(1/eps) for x in q]\nout = []\nfor i in range(len(q)):\n    out.append(noisy[i])\nreturn out", relation="one_within"),
    "a ghost that is given away": Attack(LARGEST + "n = 0\nfor i in range(len(q)):\n    if i < best:\n        n = n + 1\nbest = 0\nreturn n", (0, 0), (1, -1)),
    "a ghost that is counted up again": Attack(LARGEST + "n = best\nfor i in range(len(q)):\n    best = i\nreturn n, best", (0, 0), (1, -1)),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_is_lost_between_loops(name: str) -> None:
    attack = ATTACKS[name]
    given = {"T": Fraction(0), "eps": Fraction(1)}
    setting = Setting(tuple(map(Fraction, attack.one)), tuple(map(Fraction, attack.two)), given)
    program = read_programs(attack.text)["f"]
    assert is_neighbour(program, setting.one, setting.two)
    assert is_violated(program, setting, Fraction(1), 1e-4)
    assert not isinstance(prove_every_length(parse(attack.text)), Proved)
