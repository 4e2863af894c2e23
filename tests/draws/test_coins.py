"""Coins and bits: randomized response, RAPPOR with and without a memory, in every part that gives an answer."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from kolahal.checking import check
from kolahal.emission.program import emit as write
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.engine import jit
from kolahal.engine.engines import BATCH, REFERENCE
from kolahal.engine.tape import Tape
from kolahal.errors import UsageError
from kolahal.exact.intervals import rigorous_probability
from kolahal.exact.probe import event_probability
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.source import SketchError
from kolahal.law.law import find_laws
from kolahal.model import Arguments, Equals
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.settings import Settings
from kolahal.verdicts import Certificate, Proved, Refuted, Unknown

HEAD = "@sketch(adjacent=one_within(1))\ndef f(q: Private[bool{}], eps: Epsilon):\n"
ONE = HEAD.format(", 1") + "    return q[0] != Flip({})\n"
MANY = HEAD.format("") + "    return [b != Flip({}) for b in q]\n"
RUNS, FALSE_ALARM = 20_000, 1e-9

# Five ways to write the same release of every bit.
WAYS = {
    "comprehension": MANY,
    "equality": HEAD.format("") + "    return [not (Flip({}) == b) for b in q]\n",
    "branches": HEAD.format("") + "    out = []\n    for b in q:\n        if Flip({}):\n            out.append(not b)\n        else:\n            out.append(b)\n    return out\n",
    "places": HEAD.format("") + "    out = []\n    for i in range(len(q)):\n        lie = Flip({})\n        out.append(q[i] != lie)\n    return out\n",
    "before": HEAD.format("") + "    out = []\n    for i in range(len(q)):\n        if Flip({}):\n            out.append(not q[i])\n        else:\n            out.append(q[i])\n    return out\n",
}
MEMO = HEAD.format("{n}") + "    out = []\n    for b in q:\n        memo = b != Flip({a})\n        out.append(memo != Flip({b}))\n    return out\n"


def outcomes(count: int) -> list[tuple[bool, ...]]:
    return list(itertools.product((False, True), repeat=count))


def chance(scale: float) -> float:
    return 1 / (1 + math.exp(1 / scale))


@pytest.mark.parametrize("way", WAYS, ids=WAYS)
def test_every_way_to_write_it_is_proved_for_every_length(way: str) -> None:
    program = parse(WAYS[way].format("1/eps"))
    assert isinstance(prove_every_length(program, plain_claim(program)), Proved)
    small = parse(WAYS[way].format("0.99/eps"))
    assert isinstance(prove_every_length(small, plain_claim(small)), Unknown)


def test_the_law_is_one_over_the_scale() -> None:
    for text in (ONE, MANY):
        sketch = parse(text.format("hole"))
        laws = find_laws(sketch, Settings().proof)
        assert not isinstance(laws, Unknown) and laws.law(sketch).text == "1/eta1 <= eps"


def test_two_coins_hide_a_bit_as_well_as_either_of_them() -> None:
    sketch = parse(MEMO.format(n="", a="hole", b="hole"))
    laws = find_laws(sketch, Settings().proof)
    assert not isinstance(laws, Unknown)
    assert {laws.law(sketch).text, *laws.law(sketch).alternatives} == {"1/eta1 <= eps", "1/eta2 <= eps"}


@pytest.mark.parametrize(("text", "proved"), [(ONE.format("1/eps"), True), (ONE.format("0.999/eps"), False), (ONE.format("2/eps"), True)])
def test_verdicts_are_tight_from_both_sides(text: str, proved: bool) -> None:
    found = check(parse(text))
    assert isinstance(found.verdict, Proved if proved else Refuted)
    scale = Fraction(text.split("Flip(")[1].split("/")[0])
    assert found.epsilon_lower == pytest.approx(float(1 / scale), rel=1e-6)


def test_a_bounded_proof_says_the_same_and_its_forged_coins_are_found() -> None:
    program = parse(ONE.format("1/eps"))
    found = prove_bounded(program)
    assert isinstance(found, Proved)
    half = parse(ONE.format("0.5/eps"))
    assert isinstance(prove_bounded(half), Unknown)
    stuck = parse(HEAD.format(", 1") + "    return q[0] == q[0] and Flip(1/eps)\n")
    assert isinstance(prove_bounded(stuck), Proved)


def test_a_certificate_with_other_rules_is_rejected() -> None:
    program = parse(MANY.format("1/eps"))
    found = prove_every_length(program, plain_claim(program))
    assert isinstance(found, Proved) and not recheck(found.certificate)
    for old, new in (('"cancel": true', '"cancel": false'), ('"units": "0"', '"units": "1"'), ('"units": "0"', '"units": "2"')):
        assert old in found.certificate.text
        assert recheck(Certificate(found.certificate.text.replace(old, new, 1)))


@pytest.mark.parametrize("text", [
    HEAD.format("") + "    return [b for b in q]\n",
    HEAD.format("") + "    return [b != Flip(1/eps) for b in q] + [q[0]]\n",
    HEAD.format("") + "    f1 = Flip(1/eps)\n    return [b != f1 for b in q]\n",
    HEAD.format("") + "    out = []\n    for b in q:\n        c = Flip(1/eps)\n        out.append(b != c)\n        out.append(c)\n    return out\n",
    HEAD.format("") + "    out = []\n    for b in q:\n        if b:\n            out.append(Flip(1/eps))\n        else:\n            out.append(False)\n    return out\n",
    HEAD.format("") + "    out = []\n    for b in q:\n        out.append(b != Flip(1/eps))\n        out.append(b != Flip(1/eps))\n    return out\n",
])
def test_what_gives_bits_away_is_never_proved(text: str) -> None:
    program = parse(text)
    assert not isinstance(prove_every_length(program, plain_claim(program)), Proved)
    assert not isinstance(prove_bounded(program, size=2), Proved)
    assert isinstance(check(program).verdict, Refuted)


@pytest.mark.parametrize("text", [WAYS["comprehension"], WAYS["branches"], MEMO.format(n="", a="{0}", b="2")])
def test_engines_agree_and_follow_the_exact_law(text: str) -> None:
    """A right engine fails with chance below 1e-9."""
    program, arguments = parse(text.format("1/eps")), Arguments(Fraction(1), 2)
    database = (Fraction(1), Fraction(0))
    tape = Tape((3,), RUNS)
    rows = BATCH.run(program, database, arguments, (), tape).rows()
    few = Tape((3,), 64)
    for run in (REFERENCE.run, lambda *a: jit.drive(jit.interpret(program), *a)[0]):
        assert run(program, database, arguments, (), few).rows() == BATCH.run(program, database, arguments, (), few).rows()
    exact = [float(event_probability(program, database, arguments, np.zeros((1, 0)), Equals(o))[0]) for o in outcomes(2)]
    assert sum(exact) == pytest.approx(1)
    counts = Counter(rows)
    assert chisquare([counts[o] for o in outcomes(2)], [RUNS * p for p in exact]).pvalue > FALSE_ALARM
    for outcome, p in zip(outcomes(2), exact, strict=True):
        sure = rigorous_probability(program, database, arguments, (), Equals(outcome))
        assert sure.low <= p * (1 + 1e-12) and p * (1 - 1e-12) <= sure.high


@pytest.mark.parametrize("text", [MANY, WAYS["branches"]])
def test_emitted_programs_follow_the_exact_law(text: str) -> None:
    """The exact sampler against the formula; a right one fails with chance below 1e-9."""
    private = load_emitted(emit(parse(text.format("3/eps"))))
    counts = Counter(tuple(private([True, False], 2)) for _ in range(RUNS // 4))
    p = chance(1.5)
    expected = [RUNS / 4 * (p if a != True else 1 - p) * (p if b else 1 - p) for a, b in outcomes(2)]  # noqa: E712
    assert chisquare([counts[o] for o in outcomes(2)], expected).pvalue > FALSE_ALARM


def test_what_is_declared_is_enforced() -> None:
    program = parse(MANY.format("1/eps"))
    private = load_emitted(write(program))
    for bad in ([1, 0], [0.5], ["True"], [None], "ab", 3):
        with pytest.raises(UsageError):
            program(bad, 1)
        with pytest.raises((TypeError, ValueError)):
            private(bad, 1)
    assert all(type(bit) is bool for bit in program([True, False], 1) + private([True, False], 1))
    eight = parse(HEAD.format(", 8") + "    return q[7] != Flip(1/eps)\n")
    assert str(eight.private) == "q: Private[bool, 8]" and parse(str(eight)) == eight
    with pytest.raises(UsageError, match="8 answers"):
        eight([True], 1)
    with pytest.raises(SketchError, match="K143"):
        parse(HEAD.format("").replace("one_within(1)", "one_within(0.5)") + "    return q[0] != Flip(1/eps)\n")
    with pytest.raises(SketchError, match="K202"):
        parse(HEAD.format("") + "    return q[0] + Lap(1/eps)\n")


def test_counts_of_bits_are_sums_of_bits() -> None:
    program = parse(HEAD.format("") + "    return sum(1 for b in q if b) + Lap(1/eps)\n")
    assert isinstance(prove_every_length(program, plain_claim(program)), Proved)
    few = parse(HEAD.format("") + "    return sum(1 for b in q if b) + Lap(0.9/eps)\n")
    assert isinstance(check(few).verdict, Refuted)
