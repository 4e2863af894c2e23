"""DP-Sniper's local mechanisms and its truncated geometric one, k-ary randomized response: true ε from both sides."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from kolahal.checking import check
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.engine.engines import BATCH
from kolahal.engine.tape import Tape
from kolahal.exact.intervals import rigorous_probability
from kolahal.exact.probe import event_probability
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.law.law import find_laws
from kolahal.model import Arguments, Equals, Example
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.shrink import measure
from kolahal.settings import Settings
from kolahal.verdicts import Proved, Refuted, Unknown

FALSE_ALARM = 1e-9
KARY = """
@sketch(adjacent=one_within(2))
def kary(q: Private[int, 1], eps: Epsilon):
    x = 0
    if q[0] == 1:
        x = 1
    if q[0] >= 2:
        x = 2
    y = x + Pick({}, 3)
    return y - 3 if y >= 3 else y
"""
ONE_TIME = """
@sketch(adjacent=sum_within(8))
def one_time_rappor(q: Private[bool, 20], eps: Epsilon):
    out = []
    for b in q:
        out.append(b != Flip({}/eps))
    return out
"""


def test_k_ary_randomized_response() -> None:
    sketch = parse(KARY.format("hole"))
    laws = find_laws(sketch, Settings().proof)
    assert not isinstance(laws, Unknown) and laws.law(sketch).text == "1/eta1 <= eps"
    tight = check(parse(KARY.format("1/eps")))
    assert isinstance(tight.verdict, Proved) and tight.epsilon_lower == pytest.approx(1, rel=0.01)
    assert isinstance(check(parse(KARY.format("0.98/eps"))).verdict, Refuted)
    # What tells how often the draw was not 0 is not hidden by turning to another place.
    twice = parse("@sketch(adjacent=one_within(2))\ndef f(q: Private[int, 1], eps: Epsilon):\n    r = Pick(1/eps, 3)\n    if q[0] >= 1:\n        return r > 0\n    return r == 1\n")
    assert not isinstance(prove_bounded(twice), Proved)


def test_an_emitted_pick_has_the_true_value_with_the_larger_probability() -> None:
    """A right sampler fails with chance below 1e-9."""
    private = load_emitted(emit(parse(KARY.format("1/eps"))))
    runs = 4000
    counts = Counter(private([1], 1) for _ in range(runs))
    odds = [1.0, math.e, 1.0]
    assert chisquare([counts[i] for i in range(3)], [runs * o / sum(odds) for o in odds]).pvalue > FALSE_ALARM


def test_one_time_rappor_has_the_loss_of_eight_bits() -> None:
    """f = 0.95: a bit is turned over with probability 0.475 = 1/(1 + exp(ε/8)) at ε = 0.8007; two values differ in 8 bits."""
    epsilon = Fraction(8007, 10_000)
    assert 1 / (1 + math.exp(epsilon / 8)) == pytest.approx(0.475, abs=1e-4)
    program = parse(ONE_TIME.format("8"))
    tight = check(program)
    assert isinstance(tight.verdict, Proved) and tight.epsilon_lower == pytest.approx(1, rel=0.01)


def test_rappor_with_its_memory_is_measured_exactly() -> None:
    """f = 0.75, p = 0.45, q = 0.55: a bit survives both coins with probability 0.5125, so eight bits lose 0.4001."""
    first, second = (1 / math.log(keep / (1 - keep)) for keep in (0.625, 0.55))
    text = "@sketch(adjacent=sum_within(8))\ndef rappor(q: Private[bool, 8], eps: Epsilon):\n    out = []\n    for b in q:\n        memo = b != Flip({:.6f})\n        out.append(memo != Flip({:.6f}))\n    return out\n"
    program = parse(text.format(first, second))
    zeros, ones = (Fraction(0),) * 8, (Fraction(1),) * 8
    event = Equals((False,) * 8)
    example = Example(zeros, ones, event, Arguments(Fraction(1), 8))
    p = float(event_probability(program, zeros, example.arguments, np.zeros((1, 0)), event)[0])
    assert p == pytest.approx(0.5125**8, rel=1e-4)
    assert measure(program, example, plain_claim(program)) == pytest.approx(0.4001, rel=1e-3)


def test_rappor_with_its_memory_has_the_loss_of_one_coin_a_bit() -> None:
    """From above: both coins together are one coin, bit by bit and so for any number of bits, and that is proved for every ε.

    With keep probabilities 0.625 and 0.55 a bit survives with 0.5125 = 1/(1 + exp(−1/η)); ε = 8/η = 0.40008 for eight bits.
    """
    first, second = (1 / math.log(keep / (1 - keep)) for keep in (0.625, 0.55))
    head = "@sketch(adjacent=sum_within(8))\ndef rappor(q: Private[bool{}], eps: Epsilon):\n    out = []\n    for b in q:\n"
    memo = parse(head.format(", 1") + f"        memo = b != Flip({first:.9f})\n        out.append(memo != Flip({second:.9f}))\n    return out\n")
    epsilon = 8 * math.log(0.5125 / 0.4875)
    assert epsilon == pytest.approx(0.4001, rel=1e-3)
    single = head.format(", {}") + "        out.append(b != Flip(8/eps))\n    return out\n"
    at = Arguments(Fraction(epsilon), 1)
    for bit, told in ((0, False), (0, True), (1, False), (1, True)):
        both = rigorous_probability(memo, (Fraction(bit),), at, (), Equals((told,)))
        one = rigorous_probability(parse(single.format(1)), (Fraction(bit),), at, (), Equals((told,)))
        assert max(both.high, one.high) / min(both.low, one.low) <= 1 + 1e-8
    assert isinstance(prove_every_length(parse(single.format(20)), plain_claim(parse(single.format(20)))), Proved)


@pytest.mark.parametrize(("text", "database", "values"), [
    (KARY.format("1/eps"), (Fraction(1),), range(3)),
    ("@sketch(adjacent=each_within(1))\ndef f(q: Private[int, 1], eps: Epsilon):\n    return min(max(q[0] + Geometric(1/eps), 0), 5)\n", (Fraction(2),), range(6)),
])
def test_sampled_is_exact(text: str, database: tuple[Fraction, ...], values: range) -> None:
    """The sampler against exact probabilities; a right one fails with chance below 1e-9."""
    program, arguments, runs = parse(text), Arguments(Fraction(1), 1), 20_000
    exact = [float(event_probability(program, database, arguments, np.zeros((1, 0)), Equals(Fraction(v)))[0]) for v in values]
    assert sum(exact) == pytest.approx(1)
    counts = Counter(BATCH.run(program, database, arguments, (), Tape((7,), runs)).rows())
    assert chisquare([counts[float(v)] for v in values], [runs * p for p in exact]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("body", ["return min(max(q[0] + Geometric({}), 0), 5)", "x = q[0] + Geometric({})\nif x < 0:\n    return 0\nif x > 5:\n    return 5\nreturn x"])
def test_truncated_geometric_noise(body: str) -> None:
    head = "@sketch(adjacent=each_within(1))\ndef f(q: Private[int, 1], eps: Epsilon):\n"
    text = head + "".join(f"    {line}\n" for line in body.split("\n"))
    tight = check(parse(text.format("1/eps")))
    assert isinstance(tight.verdict, Proved) and tight.epsilon_lower == pytest.approx(1, rel=0.01)
    assert isinstance(check(parse(text.format("0.99/eps"))).verdict, Refuted)
    assert "DiscreteLap" in str(parse(text.format("1/eps")))
