"""Gaps between winners, and to the runner-up, of a list of noise that is looked through again and again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from kolahal.emission.release import Withheld, emit
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.concrete_runs import Stage
from kolahal.proof.find.effort import Effort
from kolahal.proof.find.lengths import prove_alignment, prove_over_reals
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.neighbours import neighbours_of
from kolahal.proof.trusted.product import build_product
from kolahal.proof.trusted.shifts import Alignment, AtGhost, FollowedSums, Form
from kolahal.settings import Settings
from kolahal.verdicts import Certificate, Proved, Unknown

SHORT = replace(Settings().proof, rehearsals=1_500)  # for what is not to be found

NOISY = "noisy = [x + Lap({0}) for x in q]\n"
FIRST = """best = 0
for i in range(len(q)):
    if noisy[i] > noisy[best]:
        best = i
"""
SECOND = """second = None
for i in range(len(q)):
    if i != best and (second is None or noisy[i] > noisy[second]):
        second = i
"""
GAP = "if second is None:\n    return best, 0\nreturn best, noisy[best] - noisy[second]"
BOTH = "if second is None:\n    return best, 0, 0\nreturn best, second, noisy[best] - noisy[second]"
BY_PLACES = NOISY + FIRST + SECOND + GAP
BY_VALUES = NOISY + FIRST + """second = None
for i in range(len(q)):
    if i != best:
        if second is None or noisy[i] > second:
            second = noisy[i]
if second is None:
    return best, 0
return best, noisy[best] - second"""
LEAST = BY_VALUES.replace("noisy[i] >", "noisy[i] <")
APPENDED = """noisy = []
for x in q:
    noisy.append(x + Lap({0}))
""" + FIRST + "out = [best]\n" + SECOND + """if second is None:
    return out
out.append(second)
out.append(noisy[best] - noisy[second])
return out"""
CONTINUED = NOISY + """top, best = noisy[0], 0
for i in range(1, len(q)):
    if noisy[i] > top:
        top, best = noisy[i], i
low, second = None, None
for i in range(len(q)):
    if i == best:
        continue
    if low is None or low < noisy[i]:
        low, second = noisy[i], i
if low is None:
    return best, best, 0
return best, second, top - low"""
THIRD = """third = None
for i in range(len(q)):
    if i != best and i != second and (third is None or noisy[i] > noisy[third]):
        third = i
"""
TWO = NOISY + FIRST + SECOND + THIRD + """if second is None or third is None:
    return best, second, 0, 0
return best, second, noisy[best] - noisy[second], noisy[second] - noisy[third]"""
ONE_SCAN = NOISY + """best, second, third = None, None, None
for i in range(len(q)):
    if best is None or noisy[i] > noisy[best]:
        third = second
        second = best
        best = i
    elif second is None or noisy[i] > noisy[second]:
        third = second
        second = i
    elif third is None or noisy[i] > noisy[third]:
        third = i
""" + TWO[TWO.index("if second is None or third"):]


def program(body: str, relation: str = "each_within(1)") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: Private, T: float, eps: Epsilon):\n{lines}\n")


@cache
def proof(body: str, relation: str = "each_within(1)") -> Proved | Unknown:
    found = program(body, relation)
    return prove_over_reals(found, plain_claim(found))


@pytest.mark.parametrize(("body", "relation"), [
    (BY_VALUES.format("2/eps"), "each_within(1)"),
    (BY_PLACES.format("2/eps"), "each_within(1)"),
    pytest.param(LEAST.format("2/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(BY_VALUES.format("1/eps"), "one_within(1)", marks=pytest.mark.thorough),
    pytest.param(BY_VALUES.format("1/eps"), "monotone(1)", marks=pytest.mark.thorough),
    pytest.param(BY_VALUES.replace("[x +", "[2*x +").format("2/eps"), "sum_within(1)", marks=pytest.mark.thorough),
    pytest.param(CONTINUED.format("4/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(APPENDED.format("4/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(TWO.format("4/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(TWO.format("2/eps"), "monotone(1)", marks=pytest.mark.thorough),
    pytest.param(ONE_SCAN.format("4/eps"), "each_within(1)", marks=pytest.mark.thorough),
])
def test_gaps_cost_nothing(body: str, relation: str) -> None:
    found = proof(body, relation)
    assert isinstance(found, Proved), found
    assert "real" in found.certificate.text, "the certificate says that noise never ties"


ENOUGH = BY_VALUES.format("2/eps")


@pytest.mark.parametrize("body", [
    BY_VALUES.format("1.9/eps"),
    NOISY.format("2/eps") + FIRST + SECOND + BOTH,  # two winners at the price of one
    NOISY.format("2/eps") + FIRST + "return best, noisy[best]",
    ENOUGH.replace("[x +", "[2*x +"),
    ENOUGH.replace("noisy[best] - second", "2*noisy[best] - second"),
    ENOUGH.replace("noisy[best] - second", "second"),
    ENOUGH.replace("second = None\n", "second = 0\n").replace("second is None or ", "").replace("if second is None", "if len(q) < 2"),
    ENOUGH.replace("second = None\nfor i in range(len(q))", "second = None\nfor i in range(1, len(q))"),
    ENOUGH.replace("or noisy[i] > second", "or T < noisy[i]"),  # another one than the second
    ENOUGH.replace("or noisy[i] > second", "or noisy[i] < second"),  # the last
    ENOUGH.replace("or noisy[i] > second", "or q[i] > second").replace("second = noisy[i]", "second = q[i]"),
    NOISY.format("2/eps") + FIRST + SECOND + THIRD + "if third is None:\n    return best, 0\nreturn best, noisy[best] - noisy[third]",
    ENOUGH.replace("return best, noisy", "return best, 1 if noisy[0] > 0 else 0, noisy"),
    ENOUGH.replace("return best, noisy", "return best, 1 if second > 0 else 0, noisy"),
    ENOUGH.replace("if i != best:\n", "if i != best:\n        if noisy[i] > T:\n            return i, 0\n"),
    TWO.format("3.9/eps"),
    TWO.format("4/eps").replace("noisy[second] - noisy[third]", "noisy[third]"),
])
def test_what_costs_more_is_not_proved(body: str) -> None:
    less = program(body)
    assert not isinstance(prove_over_reals(less, plain_claim(less), SHORT), Proved)


def test_noise_on_the_whole_numbers_may_tie() -> None:
    whole = parse(f"@sketch(adjacent=each_within(1))\ndef f(q: Private[int], eps: Epsilon):\n    {ENOUGH.replace('Lap', 'DiscreteLap').replace(chr(10), chr(10) + '    ')}\n")
    assert not isinstance(prove_over_reals(whole, plain_claim(whole), SHORT), Proved)


def test_a_forged_certificate_is_rejected() -> None:
    found = proof(ENOUGH)
    assert isinstance(found, Proved) and not recheck(found.certificate)
    text = found.certificate.text
    for old, new in (
        ('"at once": true', '"at once": false'),
        ('"ghost": "best"', '"ghost": "i"'),
        ('"offset": 0', '"offset": 1'),
        ('"units": "0"', '"units": "1"'),
        ('"least": false', '"least": true'),
        ('"cancel": true', '"cancel": false'),
        ('"lead": true', '"lead": false'),
        ("Lap(2/eps)", "Lap(1/eps)"),
        ("Lap(2/eps)", "DiscreteLap(2/eps)"),
        ("i != best", "i != best - 1"),
        ("noisy[best] - second", "second"),
    ):
        assert old in text, old
        assert recheck(Certificate(text.replace(old, new))), (old, new)


def test_a_winner_that_is_found_by_its_index() -> None:
    body = BY_VALUES.replace(FIRST, "best = noisy.index(max(noisy))\n")
    assert isinstance(proof(body.format("2/eps")), Proved)
    less = program(body.format("1.9/eps"))
    assert not isinstance(prove_over_reals(less, plain_claim(less), SHORT), Proved)


# ---------------------------------------------------------------- so many winners as an argument says

TURNS = """noisy = [x + Lap({0}) for x in q]
out = []
gone = []
last = 0
for turn in range(k):
    best, top = -1, 0
    for i in range(len(q)):
        if i not in gone and (best == -1 or noisy[i] > top):
            best, top = i, noisy[i]
    if best >= 0:
        gone.append(best)
        out.append(best)
        if turn > 0:
            out.append(last - top)
        last = top
"""
PEELED = TURNS + "return out"
LOW = """low = None
for i in range(len(q)):
    if i not in gone and (low is None or noisy[i] > low):
        low = noisy[i]
if low is not None and len(gone) > 0:
    out.append(last - low)
return out"""
TO_THE_NEXT = TURNS + LOW
LOOKED_UP = PEELED.replace("best, top = -1, 0", "best = -1").replace("best, top = i, noisy[i]", "best = i").replace("top", "noisy[best]")
FLAGS = PEELED.replace("gone = []", "used = [False] * len(q)").replace("i not in gone", "not used[i]").replace("gone.append(best)", "used[best] = True")
LEFT = """noisy = [x + Lap({0}) for x in q]
left = [i for i in range(len(q))]
out = []
last = 0
for turn in range(k):
    best, top = -1, 0
    for i in left:
        if best == -1 or noisy[i] > top:
            best, top = i, noisy[i]
    if best >= 0:
        out.append(best)
        if turn > 0:
            out.append(last - top)
        last = top
    left = [i for i in left if i != best]
return out"""
RUNNER_UP = """noisy = [x + Lap({0}) for x in q]
out = []
gone = []
for turn in range(k):
    best, top, second = -1, 0, None
    for i in range(len(q)):
        if i not in gone:
            x = noisy[i]
            if best == -1:
                best, top = i, x
            elif x > top:
                best, top, second = i, x, top
            elif second is None or x > second:
                second = x
    if best >= 0:
        gone.append(best)
        out.append(best)
        if second is not None:
            out.append(top - second)
return out"""
BY_A_WHILE = """noisy = []
for x in q:
    noisy.append(x + Lap({0}))
out = []
gone = []
last = None
turn = 0
while turn < k:
    best, top = -1, 0
    for i, x in enumerate(noisy):
        if i in gone:
            continue
        if best < 0 or top < x:
            best, top = i, x
    if best < 0:
        break
    turn += 1
    out.append(best)
    if last is not None:
        out.append(last - top)
    gone.append(best)
    last = top
return out"""


def many(body: str, relation: str = "each_within(1)", private: str = "Private") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, k: int, T: float, eps: Epsilon):\n{lines}\n")


@cache
def proof_of_many(body: str, relation: str = "each_within(1)") -> Proved | Unknown:
    found = many(body, relation)
    return prove_over_reals(found, plain_claim(found))


@pytest.mark.parametrize(("body", "relation"), [
    (PEELED.format("2*k/eps"), "each_within(1)"),
    pytest.param(TO_THE_NEXT.format("2*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(LOOKED_UP.format("2*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(FLAGS.format("2*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(LEFT.format("2*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(RUNNER_UP.format("2*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(BY_A_WHILE.format("2*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(PEELED.format("k/eps"), "monotone(1)", marks=pytest.mark.thorough),
    pytest.param(PEELED.format("k/eps"), "one_within(1)", marks=pytest.mark.thorough),
    pytest.param(PEELED.replace("> top", "< top").format("2*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(PEELED.replace("[x +", "[3 - 2*x +").format("4*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(PEELED.replace("> top", ">= top").format("2*k/eps"), "each_within(1)", marks=pytest.mark.thorough),
])
def test_gaps_of_all_winners_cost_nothing(body: str, relation: str) -> None:
    found = proof_of_many(body, relation)
    assert isinstance(found, Proved), found
    assert "real" in found.certificate.text, "the certificate says that noise never ties"


ALL = PEELED.format("2*k/eps")
NEXT = TO_THE_NEXT.format("2*k/eps")
SECOND_OF_TURN = RUNNER_UP.format("2*k/eps")
BROKEN: dict[str, str] = {
    "less noise": PEELED.format("1.9*k/eps"),
    "half the noise": PEELED.format("k/eps"),
    "noise for one winner": PEELED.format("2/eps"),
    "one winner more": ALL.replace("range(k)", "range(k + 1)"),
    "twice the answers": ALL.replace("[x +", "[2*x +"),
    "the values": ALL.replace("last - top", "top"),
    "the value of the first": ALL.replace("        if turn > 0:\n            out.append(last - top)", "        out.append(last - top)"),
    "the last value": ALL.replace("return out", "out.append(last)\nreturn out"),
    "another multiple": ALL.replace("last - top", "last - 2*top"),
    "a gap to an answer": ALL.replace("last - top", "last - q[best]"),
    "a gap to the first place": ALL.replace("last - top", "last - noisy[0]"),
    "the next value": NEXT.replace("last - low", "low"),
    "the least of those that are left": NEXT.replace("noisy[i] > low", "noisy[i] < low"),
    "the next place": NEXT.replace("low = noisy[i]\n", "low, at = noisy[i], i\n").replace("low = None", "low, at = None, 0").replace("last - low", "at"),
    "the number of those above a level": ALL.replace("return out", "for i in range(len(q)):\n    if i not in gone and noisy[i] > T:\n        out.append(1)\nreturn out"),
    "a gap behind the next": SECOND_OF_TURN.replace("second = -1, 0, None", "second, third = -1, 0, None, None").replace("second = i, x, top", "second, third = i, x, top, second").replace("            elif second is None or x > second:\n                second = x", "            elif second is None or x > second:\n                second, third = x, second\n            elif third is None or x > third:\n                third = x").replace("if second is not None", "if second is not None and third is not None").replace("top - second", "second - third"),
    "the runner-up of each turn": SECOND_OF_TURN.replace("best, top, second = -1, 0, None", "best, top, second, at = -1, 0, None, -1").replace("best, top, second = i, x, top", "best, top, second, at = i, x, top, best").replace("second = x\n", "second, at = x, i\n").replace("top - second", "at"),
    "a sum": SECOND_OF_TURN.replace("top - second", "top + second"),
    "where the values are large": ALL.replace("        out.append(best)\n", "        out.append(best if top > T else -1)\n"),
    "an end where values are small": ALL.replace("    if best >= 0:\n", "    if top < T:\n        break\n    if best >= 0:\n"),
    "an answer on the way": ALL.replace("best, top = i, noisy[i]", "best, top = i, noisy[i]\n            if top > T:\n                return [i]"),
    "an order that nobody asked for": ALL.replace("return out", "out.append(1 if noisy[0] > noisy[1] else 0)\nreturn out"),
    "one-sided noise": ALL.replace("Lap", "Exp"),
    "winners by the answers": ALL.replace("noisy[i] > top", "q[i] > top"),
    "who is left out depends on answers": ALL.replace("gone.append(best)", "gone.append(best if q[0] > 0 else 0)"),
    "who is left out depends on values": ALL.replace("gone.append(best)", "gone.append(best if noisy[0] > 0 else 0)"),
    "the largest, and then the least": ALL.replace("noisy[i] > top", "(turn < 1 and noisy[i] > top) or (turn >= 1 and noisy[i] < top)"),
    "a place that comes second": ALL.replace("out.append(best)", "out.append(old)").replace("best, top = -1, 0", "best, top, old = -1, 0, -1").replace("best, top = i, noisy[i]", "best, top, old = i, noisy[i], best"),
    "noise of its own is not there": ALL.replace("last - top", "last - noisy[best] + q[best]"),
    "the answer beside it": ALL.replace("last - top", "last - top + q[0]"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_tells_more_of_many_winners_is_not_proved(name: str) -> None:
    less = many(BROKEN[name])
    assert BROKEN[name] not in (ALL, NEXT, SECOND_OF_TURN)
    assert not isinstance(prove_over_reals(less, plain_claim(less), SHORT), Proved)


@pytest.mark.thorough
@pytest.mark.parametrize("name", BROKEN)
def test_no_invariant_carries_what_tells_more(name: str) -> None:
    """The rule itself, whatever rehearsals say against it: with noise that is enough for all shifts."""
    less = many(BROKEN[name].replace("1.9*k", "9*k").replace("Lap(k/eps)", "Lap(9*k/eps)").replace("Lap(2*k/eps)", "Lap(9*k/eps)").replace("Lap(2/eps)", "Lap(9*k/eps)"))
    if name in ("less noise", "half the noise", "noise for one winner", "one winner more", "twice the answers"):
        return  # with more noise these are private
    (neighbours,) = neighbours_of(less)
    product = build_product(less, frozenset(), at_once=True)
    stage = Stage(product, neighbours, plain_claim(less), 0, 60, Effort(10_000))
    for least in (False, True):
        alignment = Alignment((AtGhost(0, Form(cancel=True, lead=True), Form()),), ("best",), (0,), (), FollowedSums((0,), least))
        found = prove_alignment(product, stage, neighbours, alignment, plain_claim(less), (), Settings().proof.solver_steps)
        assert isinstance(found, str), name


def test_many_winners_of_whole_noise_may_tie() -> None:
    whole = many(ALL.replace("Lap", "DiscreteLap"), private="Private[int]")
    assert not isinstance(prove_over_reals(whole, plain_claim(whole), SHORT), Proved)


def test_a_forged_certificate_of_many_winners_is_rejected() -> None:
    found = proof_of_many(ALL)
    assert isinstance(found, Proved) and not recheck(found.certificate)
    text = found.certificate.text
    for old, new in (
        ('"at once": true', '"at once": false'),
        ('"renewed": [\n    0\n   ]', '"renewed": [\n    1\n   ]'),
        ('"renewed": [\n    0\n   ],\n', ""),
        ('"ghost": "best"', '"ghost": "i"'),
        ('"offset": 0', '"offset": 1'),
        ('"least": false', '"least": true'),
        ('"cancel": true', '"cancel": false'),
        ('"lead": true', '"lead": false'),
        ("Lap(2*k/eps)", "Lap(k/eps)"),
        ("Lap(2*k/eps)", "Lap(2/eps)"),
        ("Lap(2*k/eps)", "DiscreteLap(2*k/eps)"),
        ("last - top", "top"),
        ("gone.append(best)", "gone.append(0)"),
    ):
        assert old in text, old
        assert recheck(Certificate(text.replace(old, new))), (old, new)


def test_gaps_of_many_winners_are_not_emitted() -> None:
    found = proof_of_many(ALL)
    with pytest.raises(Withheld, match="tie"):
        emit(many(ALL), found)
