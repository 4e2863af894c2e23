"""Top-k by peeling and in one shot, permute-and-flip, sorted noise: what the literature says of them, from the engines and the prover."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from kolahal.checking import check
from kolahal.exact.probe import event_probability
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.law.law import find_laws
from kolahal.model import Arguments, Equals
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Proved, Refuted, Unknown

PEEL = """first = choose(q, {0})
second = choose([q[i] - 1000000 * max(0, 1 - abs(i - first)) for i in range(len(q))], {0})
return first, second"""
AGAIN = "out = []\nfor turn in range(k):\n    out.append(choose(q, {0}))\nreturn out"
MAXIMA = """first, best = 0, 0
for i in range(len(q)):
    x = q[i] + Lap({0})
    if i == 0 or x > best:
        first, best = i, x
second, top = -1, 0
for i in range(len(q)):
    if i != first:
        y = q[i] + Lap({0})
        if second == -1 or y > top:
            second, top = i, y
return first, second"""

def program(body: str, relation: str = "each_within(1)", more: str = "", private: str = "Private") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, {more}eps: Epsilon):\n{lines}\n")


@pytest.mark.parametrize(("body", "relation", "more", "scale", "small"), [
    (PEEL, "each_within(1)", "", "4/eps", "3.9/eps"),
    (PEEL, "monotone(1)", "", "2/eps", "1.9/eps"),
    (AGAIN, "each_within(1)", "k: int, ", "2*k/eps", "1.9*k/eps"),
    (AGAIN, "monotone(1)", "k: int, ", "k/eps", "0.9*k/eps"),
])
def test_top_k_is_proved_for_every_length_down_to_the_scale_of_the_literature(body: str, relation: str, more: str, scale: str, small: str) -> None:
    """2k/ε for k places under each_within(1), k/ε under monotone(1); no proof with less."""
    enough, less = (program(body.format(size), relation, more) for size in (scale, small))
    assert isinstance(prove_every_length(enough, plain_claim(enough)), Proved)
    assert not isinstance(prove_every_length(less, plain_claim(less)), Proved)


def test_two_noisy_maxima_one_after_the_other() -> None:
    enough = program(MAXIMA.format("4/eps"))
    assert isinstance(prove_every_length(enough, plain_claim(enough)), Proved)


def test_peeling_has_the_law_of_the_literature_and_gaps_cost_their_own_noise() -> None:
    sketch = program(PEEL.format("hole"))
    laws = find_laws(sketch, Settings().proof)
    assert not isinstance(laws, Unknown) and laws.law(sketch).text == "2/eta1 + 2/eta2 <= eps"
    gaps = program(PEEL.format("8/eps") + ", q[first] - q[second] + Lap(4/eps)")
    assert isinstance(prove_every_length(gaps, plain_claim(gaps)), Proved)
    bare = program(PEEL.format("8/eps") + ", q[first] - q[second]")
    assert isinstance(check(bare).verdict, Refuted)


def test_peeling_among_those_that_are_left_is_proved_at_small_sizes() -> None:
    body = "out = []\nfor turn in range(2):\n    left = [i for i in range(len(q)) if all(i != j for j in out)]\n    out.append(left[choose([q[i] for i in left], {0})])\nreturn out"
    assert isinstance(prove_bounded(program(body.format("4/eps"), private="Private[3]")), Proved)
    assert isinstance(check(program(body.format("3/eps"), private="Private[3]")).verdict, Refuted)


def soft(q: tuple[Fraction, ...], scale: float, place: int) -> float:
    """The probability of a place under permute-and-flip: over all orders, the first whose coin says yes."""
    top = max(q)
    keep = [math.exp(float(x - top) / scale) for x in q]
    total = 0.0
    for order in itertools.permutations(range(len(q))):
        before = order[: order.index(place)]
        total += keep[place] * math.prod(1 - keep[i] for i in before)
    return total / math.factorial(len(q))


def test_permute_and_flip_is_noisy_max_with_exponential_noise() -> None:
    """Three forms of it have one distribution, by the exact engine: the formula, noisy max, and the procedure itself."""
    noisy = program("noisy = [x + Exp(2/eps) for x in q]\nbest = 0\nfor i in range(len(q)):\n    if noisy[i] > noisy[best]:\n        best = i\nreturn best", private="Private[3]")
    flips = program("left = [0, 1, 2]\nfor turn in range(3):\n    i = left[choose([0 for j in left], 1)]\n    if q[i] + Exp(2/eps) >= max(q):\n        return i\n    left = [j for j in left if j != i]\nreturn -1", private="Private[3]")
    arguments, rng = Arguments(Fraction(1), 3), random.Random(4)
    for _ in range(4):
        q = tuple(Fraction(rng.randint(-8, 8), 2) for _ in range(3))
        for place in range(3):
            found = [
                float(event_probability(f, q, arguments, np.zeros((1, 0)), Equals(Fraction(place)))[0]) for f in (noisy, flips)
            ]
            assert found == pytest.approx([soft(q, 2.0, place)] * 2, rel=1e-9)
    assert isinstance(prove_every_length(noisy, plain_claim(noisy)), Proved)


def test_permute_and_flip_is_never_worse_than_the_exponential_mechanism() -> None:
    """McKenna and Sheldon (2020): the expected score is at least that of the exponential mechanism at the same scale."""
    choice = program("return choose(q, 2/eps)", private="Private[3]")
    arguments, rng = Arguments(Fraction(1), 3), random.Random(5)
    for _ in range(5):
        q = tuple(Fraction(rng.randint(-6, 6)) for _ in range(3))
        scores = [float(x) for x in q]
        em = [float(event_probability(choice, q, arguments, np.zeros((1, 0)), Equals(Fraction(i)))[0]) for i in range(3)]
        pf = [soft(q, 2.0, i) for i in range(3)]
        assert np.dot(pf, scores) >= np.dot(em, scores) - 1e-12


def test_sorting_noisy_values_is_free() -> None:
    for body in ("return sorted([x + Lap(1/eps) for x in q])", "noisy = [x + Lap(1/eps) for x in q]\nnoisy.sort(reverse=True)\nreturn noisy"):
        found = program(body, "one_within(1)", private="Private[3]")
        assert isinstance(prove_bounded(found), Proved | Bounded)
    private = program("return sorted([x for x in q])", "one_within(1)", private="Private[2]")
    assert isinstance(check(private).verdict, Refuted)
