"""More programs, and alignments that nobody would look for, that try to break "the first of the others"."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from test_leads import RUNNING as GAP
from test_obligations import made_up_invariant

from digests import agrees, digest
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.lengths import prove_over_reals
from kolahal.proof.trusted.neighbours import neighbours_of
from kolahal.proof.trusted.obligations import obligations
from kolahal.proof.trusted.others import find_others
from kolahal.proof.trusted.product import build_product, build_system
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, FollowedSums, Form
from kolahal.proof.trusted.values import Unsupported
from kolahal.settings import Settings
from kolahal.verdicts import Unknown

SUM, ANSWER = "q[i] + Lap(2/eps)", "best, top - second"
SHORT = replace(Settings().proof, rehearsals=1_000)


def program(body: str, relation: str = "each_within(1)", private: str = "Private") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, T: float, eps: Epsilon):\n{lines}\n")


# None of these is known to keep its claim: more than one draw would have to move, or one by more than 2.
NOT_PRIVATE = {
    "the answer from behind": (SUM, "q[i] + q[len(q) - 1 - i] + Lap(2/eps)"),
    "one noise for all": ("best, top, second = -1, 0, 0\n", "best, top, second = -1, 0, 0\nn = Lap(2/eps)\n"),
    "drawn again by an answer": ("    if best == -1", "    if q[i] < 0:\n        x = q[i] + Lap(2/eps)\n    if best == -1"),
    "some places left out by their answers": ("    x = q", "    if q[i] < 0:\n        continue\n    x = q"),
    "an answer on the way": ("    if best == -1", "    if x > T:\n        return i, x - T\n    if best == -1"),
    "both sums": (ANSWER, "best, top, second"),
    "the sum of both": (ANSWER, "best, top + second"),
    "whether the second is above a number": (ANSWER, "best, second > T"),
    "whether the winner is above a number": (ANSWER, "best, top > T"),
    "the lead over the answer": (ANSWER, "best, top - q[best]"),
    "the lead over the last": (ANSWER, "best, top - x"),
    "the largest and the least": ("x > top", "x < top"),
    "0 counts as a sum": ("i == 1 or x > second", "x > second"),
    "another winner from other noise": ("return", "for i in range(len(q)):\n    x = q[i] + Lap(2/eps)\n    if x > top:\n        best = i\nreturn"),
}


@pytest.mark.parametrize("name", NOT_PRIVATE)
def test_what_loses_more_is_not_proved(name: str) -> None:
    before, after = NOT_PRIVATE[name]
    assert before in GAP
    text = GAP.replace(before, after)
    sketch = program(text if name != "one noise for all" else text.replace(SUM, "q[i] + n"))
    found = prove_over_reals(sketch, plain_claim(sketch), SHORT)
    assert isinstance(found, Unknown) and not found.failed_rechecks


# ---------------------------------------------------------------- alignments that nobody would look for

FOLLOW = AtGhost(0, Form(cancel=True, lead=True), Form())
TWO = GAP.replace("    x = " + SUM, "    if i > 3:\n        x = {}\n    else:\n        x = q[i] + Lap(2/eps)")


@pytest.mark.mutants
@pytest.mark.parametrize(
    ("body", "alignment", "reason"),
    [
        (GAP, Alignment((FOLLOW,), (), lead=FollowedSums((0,))), "no ghost names"),
        (GAP, Alignment((FOLLOW,), ("best",), (0,), lead=FollowedSums((0,))), "no ghost names"),
        (GAP, Alignment((FOLLOW,), ("best",)), "nothing says which"),
        (GAP, Alignment((FOLLOW,), ("best",), lead=FollowedSums(())), "does not keep"),
        (GAP, Alignment((FOLLOW,), ("best",), lead=FollowedSums((1,))), "does not keep"),
        (GAP, Alignment((FOLLOW,), ("best",), lead=FollowedSums((-1,))), "does not keep"),
        (GAP, Alignment((replace(FOLLOW, offset=1),), ("best",), lead=FollowedSums((0,))), "does not keep"),
        (GAP, Alignment((replace(FOLLOW, orelse=Form(units=Fraction(1))),), ("best",), lead=FollowedSums((0,))), "does not keep"),
        (GAP, Alignment((Always(Form(lead=True)),), ("best",), lead=FollowedSums((0,))), "does not keep"),
        (GAP.replace("Lap(", "DiscreteLap("), Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,))), "may tie"),
        (GAP.replace(SUM, "max(q[i] + Lap(2/eps), 0)"), Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,))), None),
        (GAP.replace(SUM, "q[i] + i + Lap(2/eps)"), Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,))), "more than the answer"),
        (GAP.replace(SUM, "q[i] + q[0] + Lap(2/eps)"), Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,))), "more than the answer"),
        (GAP.replace(SUM, "top + Lap(2/eps)"), Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,))), "more than the answer"),
        (TWO.format("2 * q[i] + Lap(2/eps)"), Alignment((FOLLOW, FOLLOW), ("best",), lead=FollowedSums((0, 1))), "alike"),
        (TWO.format("q[i] - Lap(2/eps)"), Alignment((FOLLOW, FOLLOW), ("best",), lead=FollowedSums((0, 1))), "alike"),
        (TWO.format("q[i] + T + Lap(2/eps)"), Alignment((FOLLOW, FOLLOW), ("best",), lead=FollowedSums((0, 1))), "alike"),
    ],
)
def test_only_plain_sums_of_noise_that_keeps_its_value_are_followed(body: str, alignment: Alignment, reason: str | None) -> None:
    sketch = program(body, private="Private[int]" if "Discrete" in body else "Private")
    product = build_product(sketch, frozenset())
    if reason is None:  # the sum in which the noise stands first is plain; what becomes of it is up to the steps
        assert find_others(alignment, product.first, product.second, sketch)
        return
    with pytest.raises(Unsupported, match=reason):
        build_system(product, neighbours_of(sketch)[0], alignment, None, ())


# ---------------------------------------------------------------- what must be valid, byte for byte

MAX = "best, top = 0, 0\nfor i in range(len(q)):\n    x = q[i] + Lap(2/eps)\n    if x > top:\n        best, top = i, x\nreturn best"
TWICE = MAX.replace("return best", "y = best\nreturn y").replace("best, top = i, x", "best, top = i, x\n        T = T + Lap(1/eps)")
BEHIND = AtGhost(0, Form(cancel=True, lead=True), Form(), which=1)
DERIVED = {
    "largest": (MAX, "each_within(1)", Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,)))),
    "least": (MAX.replace("x >", "x <"), "one_within(1)", Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,), True))),
    "monotone": (MAX.replace("q[i] +", "3 - 2 * q[i] +"), "monotone(1)", Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,)))),
    "noise with a factor": (MAX.replace("+ Lap(2", "- 2 * Lap(1"), "each_within(1)", Alignment((FOLLOW,), ("best",), lead=FollowedSums((0,)))),
    "two ghosts": (MAX, "sum_within(1)", Alignment((replace(FOLLOW, orelse=BEHIND),), ("best", "i"), lead=FollowedSums((0,)))),
    "other noise": (TWICE, "each_within(1)", Alignment((FOLLOW, Always(Form(units=Fraction(1)))), ("best",), lead=FollowedSums((0,)))),
}


@pytest.mark.mutants
@pytest.mark.parametrize("name", DERIVED)
def test_what_must_be_valid_with_a_lead_is_what_it_was(name: str) -> None:
    body, relation, alignment = DERIVED[name]
    sketch = program(body, relation)
    product = build_product(sketch, frozenset())
    found = []
    for neighbours in neighbours_of(sketch):
        system = build_system(product, neighbours, alignment, None, ())
        found += [obligation.script() for obligation in obligations(system, made_up_invariant(system))]
    agrees("leads.txt", {name: digest(found)}, DERIVED)
