"""The winner's lead over the first of the others: proved for every length over real noise, in several writings; programs and
documents that would pass by mistake if a condition of that rule was forgotten; what it costs where noise ties."""

from __future__ import annotations

import math
from functools import cache

import pytest
from leads import KEEPS_THE_LEAD, LEAST, LIST_FIRST, RUNNING, TWO_FIRST, WITH_NONE, program

from kolahal.checking import check
from kolahal.emission.release import Withheld, emit
from kolahal.lang.claims import plain_claim
from kolahal.proof.find.lengths import prove_over_reals
from kolahal.proof.trusted.certificate import recheck
from kolahal.verdicts import Certificate, NoTies, Proved, Unknown, describe_verdict


@cache
def judged(body: str, relation: str = "each_within(1)", private: str = "Private") -> Proved | Unknown:
    found = program(body, relation, private)
    return prove_over_reals(found, plain_claim(found))


@pytest.mark.parametrize(("body", "relation"), [
    (RUNNING, "each_within(1)"),
    pytest.param(WITH_NONE, "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(LIST_FIRST, "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(TWO_FIRST, "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(KEEPS_THE_LEAD, "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(LEAST, "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(RUNNING.replace("2/eps", "1/eps"), "monotone(1)", marks=pytest.mark.thorough),
])
def test_the_lead_of_the_winner_is_free_over_real_noise(body: str, relation: str) -> None:
    """2/ε, and 1/ε under monotone: Ding, Wang, Xiao and Kifer."""
    found = judged(body, relation)
    assert isinstance(found, Proved) and NoTies() in found.assumed
    assert describe_verdict(found).endswith("where noise is real and never ties")
    assert not recheck(found.certificate)


@pytest.mark.parametrize("changed", [
    ("Lap(2/eps)", "Lap(1.9/eps)"),
    ("Lap(2/eps)", "Exp(2/eps)"),  # a winner's noise may have to fall below 0
    ("top - second", "top"),
    ("top - second", "second"),
    ("top - second", "2*top - second"),
    ("top - second", "top - second + q[0]"),
    ("x > top", "x > top + 1"),
    ("q[i] + Lap(2/eps)", "2*q[i] + Lap(2/eps)"),
    ("q[i] + Lap(2/eps)", "q[i] - top + Lap(2/eps)"),  # a sum that depends on noise before it
    ("q[i] + Lap(2/eps)", "q[i] + q[0] + Lap(2/eps)"),
    ("q[i] + Lap(2/eps)", "(q[i] if best < 1 else 2*q[i]) + Lap(2/eps)"),  # who is ahead decides what is added up
    ("        second = x\n", "        second = x\n    if x > 5:\n        break\n"),  # how many others there are depends on noise
    ("    x = q", "    if top > 3:\n        continue\n    x = q"),
    ("    x = q[i] + Lap(2/eps)\n", "    x = q[i] + Lap(2/eps)\n    if x < 0:\n        x = q[i] + Lap(2/eps)\n"),  # a place that is drawn twice
    ("range(len(q))", "range(1, len(q))"),
])
def test_what_is_not_such_a_lead_is_not_proved(changed: tuple[str, str]) -> None:
    assert changed[0] in RUNNING
    assert isinstance(judged(RUNNING.replace(*changed)), Unknown)


def test_whole_noise_ties_and_is_not_covered() -> None:
    """On the whole numbers the second's side of the winner shows, and that costs the shifts of two draws."""
    whole = RUNNING.replace("Lap(", "DiscreteLap(")
    assert isinstance(judged(whole, private="Private[int]"), Unknown)
    scale = 2.0
    mass = {x: math.exp(-abs(x) / scale) for x in range(-80, 81)}
    below = {x: sum(p for y, p in mass.items() if y < x) for x in range(-80, 120)}

    def tied(q: tuple[int, ...]) -> float:  # place 2 wins with lead 0: place 3 ties with it, and both are ahead of 0 and 1
        return sum(mass[t - q[2]] * mass[t - q[3]] * below[t - q[0]] * below[t - q[1]] for t in range(-60, 60))

    assert math.log(tied((0, 0, -12, -12)) / tied((1, 1, -13, -13))) > 3.7 / scale


def test_no_program_is_emitted_on_such_a_proof() -> None:
    found = judged(RUNNING)
    with pytest.raises(Withheld, match="ties"):
        emit(program(RUNNING), found)
    assert "nothing is claimed" in emit(program(RUNNING), found, force=True).lower()


@pytest.mark.thorough
def test_where_a_proof_covers_ties_that_one_is_given() -> None:
    found = check(program(RUNNING.replace("2/eps", "4/eps"), private="Private[4]"))
    assert isinstance(found.verdict, Proved) and not found.verdict.assumed


def test_forged_documents_are_rejected() -> None:
    found = judged(RUNNING)
    assert isinstance(found, Proved)
    text = found.certificate.text
    tie = "noise is real: runs in which noise ties have probability 0 and are left out"
    lead = '"lead": {\n    "sites": [\n     0\n    ],\n    "least": false\n   },\n'
    assert tie in text and lead in text
    for old, new in (
        (lead, ""),
        (lead, lead.replace("false", "true")),
        (lead, lead.replace("0", "1")),
        (lead, lead.replace("0", "-1")),
        (lead, lead.replace("\n     0\n    ", "")),
        (tie, "noise is real"),
        ("Lap(2/eps)", "Lap(1.9/eps)"),
        ("Lap(2/eps)", "DiscreteLap(2/eps)"),
        ('"ghost": "best"', '"ghost": "i"'),
        ('"offset": 0', '"offset": 1'),
    ):
        assert old in text and recheck(Certificate(text.replace(old, new)))
