"""Under relations of one move, a proof may take moves up and moves down one after the other, as one-sided noise asks for."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from every_length import load

from kolahal.logic.terms import negate
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.neighbours import Neighbours, neighbours_of
from kolahal.verdicts import Certificate, Proved

MAX = """
@sketch(adjacent={})
def f(q: Private{}, eps: Epsilon):
    best = 0
    largest = q[0] + {}
    for i in range(1, len(q)):
        v = q[i] + {}
        if v > largest:
            largest = v
            best = i
    return best
"""


ASK = """
@sketch(adjacent={})
def f(q: Private, T: float, eps: Epsilon):
    t = T + Exp(len(q)/eps)
    if q[0] + {} > t:
        return True
    return False
"""


def noisy_max(relation: str, noise: str, private: str = "") -> str:
    return MAX.format(relation, private, noise, noise)


@pytest.mark.parametrize(
    "text",
    [
        ASK.format("sum_within(1)", "Exp(1/eps)"),
        noisy_max("one_within(1)", "Exp(1/eps)"),
        noisy_max("one_within(2)", "DiscreteExp(2/eps)", "[int]"),
        noisy_max("sum_within(1)", "Exp(1/eps)"),
    ],
    ids=["asked", "one", "whole", "sum"],
)
def test_one_sided_noise_hides_one_move_at_its_own_price(text: str) -> None:
    found = prove_every_length(load(text))
    assert isinstance(found, Proved)
    kinds = [case["moves"]["kind"] for case in found.certificate.document()["cases"]]
    assert len(kinds) == 2 and kinds[0].endswith("up") and kinds[1].endswith("down")
    document = found.certificate.document()
    document["cases"] = document["cases"][:1] * 2
    assert recheck(Certificate(json.dumps(document)))
    document["cases"] = document["cases"][:1]
    assert recheck(Certificate(json.dumps(document)))


@pytest.mark.parametrize(
    "text", [ASK.format("one_within(1)", "Exp(9/10/eps)"), noisy_max("one_within(1)", "Exp(9/10/eps)")], ids=["asked", "one"]
)
def test_less_noise_is_not_enough(text: str) -> None:
    assert not isinstance(prove_every_length(load(text)), Proved)


def test_both_ways_are_all_moves() -> None:
    program = load(noisy_max("one_within(3)", "Exp(1/eps)"))
    assert [n.kind for n in neighbours_of(program)] == ["one"]
    up, down = neighbours_of(program, one_way=True)
    assert (up.ends, down.ends) == ((0, 1), (-1, 0)) and up.single and down.single and not up.in_proportion
    whole = Neighbours("one", Fraction(3), False).fixed()
    assert all(fact in whole for own in (up, down) for fact in own.fixed() if fact not in (up.fixed()[2], down.fixed()[2]))
    assert up.fixed()[2] != down.fixed()[2] != negate(up.fixed()[2])
    each = load(noisy_max("each_within(1)", "Exp(2/eps)"))
    assert neighbours_of(each) == neighbours_of(each, one_way=True)


@pytest.mark.parametrize(("distance", "private", "kind"), [("1", "[int]", "one"), ("2", "[int]", "sum"), ("1", "", "sum")])
def test_a_sum_of_whole_moves_below_two_is_one_move(distance: str, private: str, kind: str) -> None:
    (found,) = neighbours_of(load(noisy_max(f"sum_within({distance})", "Lap(2/eps)", private)))
    assert found.kind == kind
