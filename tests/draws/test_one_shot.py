"""One-shot top-k for every length and every k: noise that is drawn once and looked at again and again; what breaks it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.engine.reference import run
from kolahal.lang.claims import plain_claim
from kolahal.lang.ir import Comprehension, walk
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.restated.lists_and_loops import restated
from kolahal.proof.trusted.steps import spread_comprehensions
from kolahal.settings import Settings
from kolahal.verdicts import Certificate, Proved, Unknown

SHORT = replace(Settings().proof, rehearsals=1_500)  # for what is not to be found

NOISY = "noisy = [x + {0} for x in q]\n"
SEARCHED = NOISY + """out = []
for turn in range(k):
    best, top = -1, 0
    for i in range(len(q)):
        if i not in out:
            x = noisy[i]
            if best == -1 or x > top:
                best, top = i, x
    out.append(best)
return out"""
COMPARED = NOISY + """out = []
while len(out) < k:
    best = -1
    for i in range(len(q)):
        if i not in out and (best == -1 or noisy[i] > noisy[best]):
            best = i
    out.append(best)
return out"""
FILTERED = NOISY + """left = [i for i in range(len(q))]
out = []
for turn in range(k):
    best, top = -1, 0
    for i in left:
        if best == -1 or noisy[i] > top:
            best, top = i, noisy[i]
    if best >= 0:
        out.append(best)
    left = [i for i in left if i != best]
return out"""
ENUMERATED = NOISY + """out = []
for turn in range(k):
    best, top = -1, 0
    for i, x in enumerate(noisy):
        if i not in out and (best == -1 or x > top):
            best, top = i, x
    out.insert(0, best)
return out"""
APPENDED = SEARCHED.replace(NOISY, "noisy = []\nfor x in q:\n    noisy.append(x + {0})\n")
WRITTEN = SEARCHED.replace("range(k)", "range(3)")


def program(body: str, relation: str = "each_within(1)") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: Private, k: int, eps: Epsilon):\n{lines}\n")


@cache
def proof(body: str, relation: str = "each_within(1)") -> Proved | Unknown:
    found = program(body, relation)
    return prove_every_length(found, plain_claim(found))


@pytest.mark.parametrize(("body", "relation"), [
    (COMPARED.format("Lap(2*k/eps)"), "each_within(1)"),
    pytest.param(SEARCHED.format("Exp(2*k/eps)"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(FILTERED.format("Lap(2*k/eps)"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(ENUMERATED.format("Lap(2*k/eps)"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(APPENDED.format("Lap(2*k/eps)"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(WRITTEN.format("Lap(6/eps)"), "each_within(1)", marks=pytest.mark.thorough),
    pytest.param(SEARCHED.format("Lap(k/eps)"), "monotone(1)", marks=pytest.mark.thorough),
    pytest.param(SEARCHED.format("Exp(k/eps)"), "one_within(1)", marks=pytest.mark.thorough),
    pytest.param(SEARCHED.format("Lap(2*k/eps)").replace("x > top", "x < top"), "each_within(1)", marks=pytest.mark.thorough),
])
def test_one_shot_top_k_is_proved_for_every_length_and_every_k(body: str, relation: str) -> None:
    assert isinstance(proof(body, relation), Proved)


ENOUGH = SEARCHED.format("Lap(2*k/eps)")


@pytest.mark.parametrize("body", [
    pytest.param(SEARCHED.format("Lap(1.9*k/eps)"), marks=pytest.mark.thorough),
    pytest.param(ENOUGH.replace("range(k)", "range(k + 1)"), marks=pytest.mark.thorough),
    pytest.param(SEARCHED.format("Lap(2/eps)"), marks=pytest.mark.thorough),  # a scale that does not grow with k
    pytest.param(ENOUGH.replace("[x + Lap", "[2*x + Lap"), marks=pytest.mark.thorough),
    pytest.param(ENOUGH.replace("    out.append(best)", "    out.append(best)\n    out.append(top)"), marks=pytest.mark.thorough),
    pytest.param(ENOUGH.replace("x = noisy[i]", "x = noisy[i] + q[i]"), marks=pytest.mark.thorough),
    # The noise is there already, and may be asked for something else before, meanwhile and afterwards.
    pytest.param(ENOUGH.replace("return out", "out.append(1 if noisy[0] > noisy[1] else 0)\nreturn out"), marks=pytest.mark.thorough),
    pytest.param(ENOUGH.replace("append(best)", "append(best if noisy[0] > 0 else -1)"), marks=pytest.mark.thorough),
    pytest.param(ENOUGH.replace("x = noisy[i]\n", "x = noisy[i]\n            if x > 100:\n                return [i]\n"), marks=pytest.mark.thorough),
    pytest.param(ENOUGH.replace("out = []", "out = [1 if noisy[0] > 0 else 0]"), marks=pytest.mark.thorough),
    # Two winners in a turn, or the largest and then the least of the same noise.
    pytest.param(
        ENOUGH.replace("top = -1, 0", "top, last = -1, 0, -1").replace("best, top = i, x", "best, top, last = i, x, best").replace("append(best)", "append(best)\n    out.append(last)"),
        marks=pytest.mark.thorough,
    ),
    pytest.param(ENOUGH.replace("x > top", "(turn < 1 and x > top) or (turn >= 1 and x < top)"), marks=pytest.mark.thorough),
    pytest.param(SEARCHED.format("Exp(2*k/eps)").replace("x > top", "x < top"), marks=pytest.mark.thorough),
])
def test_what_costs_more_is_not_proved(body: str) -> None:
    less = program(body)
    assert not isinstance(prove_every_length(less, plain_claim(less), SHORT), Proved)


def test_a_forged_certificate_is_rejected() -> None:
    found = proof(COMPARED.format("Lap(2*k/eps)"))
    assert isinstance(found, Proved) and not recheck(found.certificate)
    text = found.certificate.text
    for old, new in (
        ('"at once": true', '"at once": false'),
        (' "at once": true,\n', ""),
        ('"renewed": [\n    0\n   ],\n', ""),
        ('"renewed": [\n    0\n   ]', '"renewed": [\n    1\n   ]'),
        ('"ghost": "best"', '"ghost": "i"'),
        ('"offset": 0', '"offset": 1'),
        ('"units": "1"', '"units": "2"'),
        ("Lap(2*k/eps)", "Lap(k/eps)"),
        ("Lap(2*k/eps)", "Lap(2/eps)"),
        ("return out", "out.append(1 if noisy[0] > 0 else 0)\\n    return out"),
    ):
        assert old in text
        assert recheck(Certificate(text.replace(old, new)))


def test_a_list_that_a_loop_fills_is_gathered_where_nothing_is_changed_by_it() -> None:
    loop = "noisy, n = [], 0\nfor x in q:\n    noisy.append(x + Lap(1/eps))\n"
    for rest, is_gathered in (
        ("return noisy[0]", True),
        ("x = 3\nreturn noisy[0] + x", True),
        ("return x", False),  # the loop's name is read behind it
        ("noisy.append(n)\nreturn noisy[0]", False),
        ("noisy = [n]\nreturn noisy[0]", False),
    ):
        before = program(loop + rest)
        after = restated(before)
        assert any(isinstance(node, Comprehension) for node in walk(after.body)) is is_gathered
        given = Arguments(Fraction(1), 3, (("k", Fraction(1)),))
        for noise in (0.0, 0.5):
            answers = [run(s, [Fraction(1), Fraction(2), Fraction(5)], given, (), lambda *_, x=noise: (x,)) for s in (before, after)]
            assert answers[0] == answers[1]
    for early in ("noisy = []\nm = len(noisy)\nfor x in q:\n    noisy.append(x)\nreturn m", "noisy = []\nfor x in q:\n    noisy.append(x + len(noisy))\nreturn noisy[0]"):
        assert restated(program(early)) == program(early)


@pytest.mark.thorough
def test_the_program_is_emitted() -> None:
    body = COMPARED.format("Lap(2*k/eps)")
    private = load_emitted(emit(program(body), proof(body)))
    assert private([0, 500, 1000], k=2, eps=5) == [2, 1]  # the chance of another answer is below e⁻⁶⁰⁰


def test_a_copy_of_a_list_that_grows_is_no_loop() -> None:
    """Filtering the places that are left makes a list and copies it; taken apart, the copy is a list of another kind."""
    apart = str(spread_comprehensions(program(FILTERED.format("Lap(2*k/eps)")), frozenset(range(9))))
    assert "left = [item_1 for item_1 in items_1]" in apart and "[i for i in range(len(q))]" not in apart
