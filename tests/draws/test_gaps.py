"""Gaps between winners, and to the runner-up, of a list of noise that is looked through again and again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.lengths import prove_over_reals
from kolahal.proof.trusted.certificate import recheck
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
