"""Lists of the places that are left, restated as lists of those that are gone: when, and with the same answers."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from kolahal.exact.probe import event_probability
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Equals
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.restated.left_over import without_left
from kolahal.settings import ProofSettings
from kolahal.verdicts import Proved

LISTED = "left = list(range(len(q)))\n"
PEELED = LISTED + """out = []
for turn in range({1}):
    best, top = -1, 0
    for i in left:
        x = q[i] + {0}
        if best == -1 or x > top:
            best, top = i, x
    out.append(best)
    left = [i for i in left if i != best]
return out"""


def program(body: str, more: str = "", private: str = "Private") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent=each_within(1))\ndef f(q: {private}, {more}eps: Epsilon):\n{lines}\n")


@pytest.mark.parametrize("body", [
    PEELED.format("Lap(2*k/eps)", "k"),
    pytest.param(PEELED.format("Exp(2*k/eps)", "k").replace(LISTED, "left = [i for i in range(len(q))]\n"), marks=pytest.mark.thorough),
    pytest.param(PEELED.format("Lap(2*k/eps)", "k").replace("i != best]", "best != i]").replace(LISTED, "left = []\nfor i in range(len(q)):\n    left.append(i)\n"), marks=pytest.mark.thorough),
    pytest.param(PEELED.format("Lap(2*k/eps)", "k").replace("[i for i in left if i != best]", "[j for j in left if not j == best]"), marks=pytest.mark.thorough),
])
def test_noisy_max_among_those_that_are_left_is_proved_for_every_length_and_every_k(body: str) -> None:
    found = program(body, "k: int, ")
    assert isinstance(prove_every_length(found, plain_claim(found)), Proved)


@pytest.mark.thorough
def test_what_costs_more_is_not_proved() -> None:
    short = ProofSettings(rehearsals=1_500)
    for body in (PEELED.format("Lap(k/eps)", "k"), PEELED.format("Lap(4/eps)", "k")):
        found = program(body, "k: int, ")
        assert not isinstance(prove_every_length(found, plain_claim(found), short), Proved)


def test_the_answers_are_as_likely_as_before() -> None:
    """By exact integration, over three places of which two are drawn."""
    before = program(PEELED.format("Lap(2/eps)", "2"), private="Private[3]")
    after = without_left(before)
    assert after != before
    database, arguments = (Fraction(0), Fraction(1), Fraction(3)), Arguments(Fraction(1), 3)
    total = 0.0
    for places in itertools.permutations(map(Fraction, range(3)), 2):
        one, other = (float(event_probability(p, database, arguments, np.zeros((1, 0)), Equals(places))[0]) for p in (before, after))
        assert one == pytest.approx(other, rel=1e-9)
        total += other
    assert total == pytest.approx(1)


KEPT = {
    "how many are left": (LISTED, "n = 0\n" + LISTED, "    out.append(best)\n", "    out.append(best)\n    n = len(left)\n"),
    "an item of what is left": ("    best, top = -1, 0\n", "    best, top = left[0], 0\n"),
    "not all places": ("range(len(q))", "range(1, len(q))"),
    "an index twice": ("list(range(len(q)))", "[i // 2 for i in range(len(q))]"),
    "those below the best": ("i != best", "i < best"),
    "two that are taken out": ("if i != best]", "if i != best and i != 0]"),
    "the name of the loop": ("    out.append(best)\n", "    out.append(i)\n", LISTED, LISTED + "i = 0\n"),
    "a new list": ("    out.append(best)\n", "    out.append(best)\n    if turn == 2:\n        left = [0, 0]\n"),
    "a place that is added": ("    out.append(best)\n", "    out.append(best)\n    left.append(0)\n"),
    "a place that may have no value": ("    best, top = -1, 0\n", "    top = 0\n", "        if best == -1 or x", "        if x"),
    "taken out while the loop goes on": ("        if best == -1", "        left = [j for j in left if j != best]\n        if best == -1"),
}


@pytest.mark.parametrize("kept", KEPT)
def test_other_lists_stay_as_they_are(kept: str) -> None:
    body = PEELED.format("Lap(4/eps)", "2")
    changes = iter(KEPT[kept])
    for old, new in zip(changes, changes, strict=True):
        assert old in body
        body = body.replace(old, new)
    found = program(body)
    assert without_left(found) == found
