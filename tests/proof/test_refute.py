"""Counterexamples: every broken mechanism of the literature has one that holds for certain, no private one has any."""

import json
import math
import random
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from known.mechanisms import BROKEN, PRIVATE, Known
from kolahal.exact.balls import log_ratio
from kolahal.exact.intervals import rigorous_probability
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.model import contains, make_arguments
from kolahal.proof.refute.counterexample_data import document, find_faults, read_event, snippet, write_event
from kolahal.proof.refute.refute import best_lower_bound, refute, survey_losses
from kolahal.proof.refute.scattered import _ScatteredSearch
from kolahal.proof.refute.shrink import confirm
from kolahal.settings import Settings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Refuted

F = Fraction
EPS = parse_scale("eps")
SLOW = {"svt:adaptive_svt", "svt:svt34_parallel"}  # many kinds of answers
# Each answer of the gallery with one scale lowered to the next value of the grammar, or to none.
LOWERED = [
    ("histogram", ("1/(2*eps)",)),
    ("histogram", (None,)),
    ("sum", ("1/(2*eps)",)),
    ("noisy_max_1", ("1/eps",)),
    ("noisy_max_2", ("1/eps", None)),
    ("exp_noisy_max", ("1/eps", None)),
    ("smart_sum", ("1/eps", "2/eps")),
    ("smart_sum", ("2/eps", "1/eps")),
    ("svt", ("1/eps", "4*N/eps")),
    ("svt", ("2/eps", "3*N/eps")),
    ("svt", ("2/eps", "4/eps")),
    ("above_threshold_1", ("1/eps", "4/eps")),
    ("above_threshold_1", ("2/eps", "3/eps")),
    ("above_threshold_1", ("3/eps", "2/eps")),
    ("above_threshold_2", ("2/eps", "2/eps", None)),
    ("above_threshold_2", ("2/eps", None, None)),
]


def check_certainty(refuted: Refuted | None, sketch: Sketch, most: int = 5) -> None:
    """The example is small, its databases are neighbours, and many more bits say the same."""
    assert refuted is not None
    example = refuted.example
    assert len(example.d1) <= most
    assert sketch.adjacency.related(example.d1, example.d2)
    p1, p2 = (
        rigorous_probability(sketch, d, example.arguments, (), example.event, 700) for d in (example.d1, example.d2)
    )
    assert log_ratio(p1, p2)[0] > float(example.arguments.epsilon)
    assert refuted.odds.p1.low <= p1.high and p1.low <= refuted.odds.p1.high
    assert refuted.odds.p2.low <= p2.high and p2.low <= refuted.odds.p2.high


@cache
def refuted_by(sketch: Sketch) -> Refuted | None:
    return refute(sketch, EPS, Settings())


@pytest.mark.parametrize("known", BROKEN, ids=str)
def test_every_broken_mechanism_is_refuted(known):
    sketch = known.load()
    refuted = refuted_by(sketch)
    check_certainty(refuted, sketch)
    if math.isinf(known.truth):
        assert refuted.odds.p2.high == 0.0 < refuted.odds.p1.low


@pytest.mark.parametrize("name, scales", LOWERED, ids=str)
def test_less_noise_than_the_textbook_is_refuted(name, scales):
    sketch = load_one(name).complete(*scales).filled()
    check_certainty(refuted_by(sketch), sketch)


@pytest.mark.parametrize("known", [k for k in PRIVATE if k.target not in SLOW and k.epsilon == F(1, 2)], ids=str)
def test_no_private_mechanism_is_refuted(known):
    assert refute(known.load(), EPS, Settings()) is None


@pytest.mark.parametrize("name", GALLERY)
def test_textbook_answers_are_tight_and_not_refuted(name):
    for scales in GALLERY[name].textbook:
        sketch = load_one(name).complete(*scales).filled()
        assert refute(sketch, EPS, Settings()) is None
        bound = best_lower_bound(sketch, EPS, survey_losses(sketch, EPS, Settings()))
        assert bound is not None and 0.99 <= bound.loss <= 1.0


def test_a_larger_claim_is_not_refuted_and_a_smaller_one_is():
    sketch = load_one("above_threshold_1").complete("1/eps", "4/eps").filled()
    assert refute(sketch, parse_scale("3*eps/2"), Settings()) is None
    check_certainty(refute(sketch, parse_scale("6*eps/5"), Settings()), sketch)


def test_noise_of_the_wrong_support_is_refuted_exactly():
    sketch = parse(
        "from kolahal import Epsilon, Exp, Private, one_within, sketch\n\n"
        "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n"
        "    s = 0\n    for x in q:\n        s = s + x\n    return s + Exp(1/eps)\n"
    )
    refuted = refute(sketch, EPS, Settings())
    assert refuted is not None and refuted.odds.p2.high == 0.0 < refuted.odds.p1.low


def test_whole_noise_is_refuted_too():
    sketch = load_one("noisy_max_1").discretised().complete("1/eps").filled()
    check_certainty(refute(sketch, EPS, Settings()), sketch)
    textbook = load_one("noisy_max_1").discretised().complete("2/eps").filled()
    assert refute(textbook, EPS, Settings()) is None


# ---------------------------------------------------------------- exhibits

SHOWN = [k for k in BROKEN if k.target in {
    "noisy_max:half_the_noise", "noisy_max:exponential_value", "sums:smart_sum_1_2", "sums:prefix_sum_all_move",
    "above_threshold:above_2_3", "svt:isvt1", "svt:bad_gap_svt", "sums:bad_smart_sum",
}]  # fmt: skip


def refuted_one(known: Known) -> tuple[Sketch, Refuted]:
    sketch = known.load()
    refuted = refuted_by(sketch)
    assert refuted is not None
    return sketch, refuted


def run_snippet(sketch: Sketch, refuted: Refuted) -> None:
    """Plain Python, without any package, computes the same probabilities, and they show the violation."""
    text = snippet(refuted, sketch)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    p1, p2 = map(float, re.search(r"p1 = (\S+), p2 = (\S+)", done.stdout).groups())
    assert p1 == pytest.approx(refuted.odds.p1.value, rel=1e-5)
    assert p2 == pytest.approx(refuted.odds.p2.value, rel=1e-5, abs=0)
    assert p1 > math.exp(refuted.example.arguments.epsilon) * p2


@pytest.mark.parametrize("known", SHOWN, ids=str)
def test_a_reader_can_run_the_snippet_without_us(known):
    run_snippet(*refuted_one(known))


@pytest.mark.parametrize("name, scales", LOWERED, ids=str)
def test_a_reader_can_run_the_snippet_of_a_lowered_scale(name, scales):
    sketch = load_one(name).complete(*scales).filled()
    refuted = refuted_by(sketch)
    assert refuted is not None
    run_snippet(sketch, refuted)


def test_a_snippet_for_whole_noise_sums():
    sketch = load_one("above_threshold_1").discretised().complete("2/eps", "2/eps").filled()
    refuted = refute(sketch, EPS, Settings())
    done = subprocess.run([sys.executable, "-I", "-S", "-c", snippet(refuted, sketch)], capture_output=True, text=True)
    p1, p2 = map(float, re.search(r"p1 = (\S+), p2 = (\S+)", done.stdout).groups())
    assert (p1, p2) == pytest.approx((refuted.odds.p1.value, refuted.odds.p2.value), rel=1e-7)


def test_a_document_is_checked_again_and_a_forged_one_is_not_believed():
    sketch, refuted = refuted_one(Known("above_threshold:above_2_3", 7 / 6, ""))
    data = json.loads(json.dumps(document(refuted, sketch, EPS)))
    assert find_faults(data) == []
    for change in (
        {"claim": "3*eps/2"},
        {"d2": ["9", *data["d2"][1:]]},
        {"d1": data["d2"], "d2": data["d1"]},
        {"event": write_event(read_event({"equals": "1"}))},
        {"program": data["program"].replace("Lap(3/eps)", "Lap(4/eps)")},
        {"program": "import os"},
        {"kind": "proof"},
        {"epsilon": "-1"},
    ):
        assert find_faults(data | change), change
    assert find_faults({}) and find_faults(None)


def test_an_example_that_shows_nothing_is_not_confirmed():
    sketch, refuted = refuted_one(Known("noisy_max:half_the_noise", 2, ""))
    same = replace(refuted.example, d2=refuted.example.d1)
    assert confirm(sketch, same, EPS) is None


def test_events_survive_their_data():
    from kolahal.model import AllOf, Anything, Equals, Linear, OneOf, StartsWith, Within

    events = (
        Equals((True, None, F(1, 3))),
        Within(None, F(5, 2)),
        AllOf((Anything(), Equals(False), Within(F(0), None))),
        StartsWith((True, F(1))),
        Linear((F(1), F(-1, 2)), F(3)),
        OneOf((Equals(F(1)), Within(F(0), F(2)))),
    )
    for event in events:
        assert read_event(json.loads(json.dumps(write_event(event)))) == event
    assert contains(read_event({"equals": "1"}), F(1))


def test_a_comparison_without_noise_is_seen_beside_noisy_ones():
    sketch = parse(
        "from kolahal import Epsilon, Lap, Private, each_within, sketch\n\n"
        "@sketch(adjacent=each_within(1))\ndef f(q: Private, eps: Epsilon, T: float = 7):\n"
        "    if q[0] > T:\n        return q[0] + Lap(1/eps) > T + 100\n    return q[0] + Lap(1/eps) > T\n"
    )
    check_certainty(refute(sketch, EPS, Settings()), sketch)


# ---------------------------------------------------------------- where no alignment shows the way

HIDDEN = {
    "a number from a comparison without noise": (
        "each_within(2)",
        "    t = T + Lap(2/eps)\n    for x in q:\n        if x >= t:\n            return x - t\n    return None\n",
    ),
    "moves that share the distance": (
        "sum_within(1)",
        "    t = T + Lap(3/eps)\n    for x in q:\n        if x - 1 > t:\n            return x - t\n    return None\n",
    ),
    "a threshold that is drawn anew": (
        "each_within(2)",
        "    t = T + Lap(8/eps)\n    count = 0\n    for x in q:\n        if x - 1 < t:\n            t = T + Lap(6/eps)\n"
        "            count = count + 1\n            if count >= 2:\n                break\n    return count\n",
    ),
    "a fixed scale": ("one_within(1)", "    return q[0] + Lap(100)\n"),
    "a scale of the wrong power": ("one_within(1)", "    return q[0] + Lap(100/eps**2) > T\n"),
    "clipped answers, many of them": (
        "monotone(1)",
        "    s = 0\n    for x in q:\n        s = s + min(max(x, -1), 2)\n    return s + Lap(4/eps) > T\n",
    ),
    "an argument that opens a gap": (
        "each_within(2)",
        "    s = 0\n    for x in q:\n        s = s + min(max(x, 0), T + 1)\n    return s + Lap(3/eps) > T\n",
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_no_alignment_shows_is_refuted_too(name):
    relation, body = HIDDEN[name]
    sketch = parse(f"@sketch(adjacent={relation})\ndef f(q: Private, T: float, eps: Epsilon):\n{body}")
    refuted = refute(sketch, EPS, Settings())
    check_certainty(refuted, sketch)
    run_snippet(sketch, refuted)


NOT_BROKEN = {
    "a wide number from a comparison without noise": (
        "each_within(1)",
        "    t = T + Lap(4/eps)\n    if q[0] >= t:\n        return q[0] - t\n    return None\n",
    ),
    "clipped answers": ("one_within(1)", "    return min(max(q[0], -1), 2) + Lap(1/eps)\n"),
    "the first of two that is above": (
        "each_within(1)",
        "    t = T + Lap(3/eps)\n    for x in q:\n        b = x + Lap(4/eps)\n        if b > t:\n            return b\n"
        "    return None\n",
    ),
}


@pytest.mark.parametrize("name", NOT_BROKEN)
def test_what_is_private_for_other_reasons_is_not_refuted(name):
    relation, body = NOT_BROKEN[name]
    sketch = parse(f"@sketch(adjacent={relation})\ndef f(q: Private, T: float, eps: Epsilon):\n{body}")
    assert refute(sketch, EPS, Settings()) is None


@pytest.mark.parametrize(
    "body",
    [
        "    if q[0] > 1000:\n        return 1\n    return 0\n",
        "    if q[0] > 1000:\n        if q[0] + q[1] < -500:\n            return 1\n    return 0\n",
        "    for x in q:\n        if x > T + 300:\n            return 1\n    return 0\n",
        "    if q[0] > 700:\n        return 2 * q[0] - 700 + Lap(1/eps)\n    return q[0] + Lap(1/eps)\n",
    ],
)
def test_comparisons_without_noise_are_crossed_wherever_they_are(body):
    head = "@sketch(adjacent=each_within(1))\ndef f(q: Private[2], T: float, eps: Epsilon):\n"
    assert refute(parse(head + body), EPS, Settings()) is not None


def test_databases_on_a_few_levels_know_whole_noise() -> None:
    text = """@sketch(adjacent=one_within(1))
def f(q: Private[int], N: int, T: float, eps: Epsilon):
    c = 0
    out = []
    t = T + DiscreteLap(2*N/eps)
    for x in q:
        if x + DiscreteExp(N/eps) > t:
            out.append(True)
            c = c + 1
            if c >= N:
                break
    return out
"""
    sketch = parse(text)
    arguments = make_arguments(sketch, F(1), 3, {"N": F(1), "T": F(0)})
    drawn = list(_ScatteredSearch(sketch, EPS, random.Random(0)).draw(arguments))
    assert len({example.event for example in drawn}) > 1
