"""Permute-and-flip as it is published is proved for every length, as noisy max with exponential noise, and what only looks like it is not."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare
from test_selection import program, soft

from kolahal.checking import check
from kolahal.emission.program import load_emitted
from kolahal.emission.release import emit
from kolahal.exact.probe import event_probability
from kolahal.lang.sketch import Sketch
from kolahal.law.law import find_laws
from kolahal.model import Arguments, Equals
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.restated.permuted import without_permutation
from kolahal.settings import Settings
from kolahal.verdicts import Certificate, Proved, Refuted, Unknown

FORMS = {
    "by value": """left = [i for i in range(len(q))]
while len(left) > 0:
    i = left[choose([0 for j in left], 1)]
    if q[i] + Exp(2/eps) >= max(q):
        return i
    left = [j for j in left if j != i]
return -1""",
    "a gap, and turns that are counted": """left = list(range(len(q)))
best = max(q)
for turn in range(len(q)):
    i = left[choose([0 for j in left], 1)]
    left = [j for j in left if j != i]
    if Exp(2/eps) >= best - q[i]:
        return i
return None""",
    "an order first": """left = list(range(len(q)))
order = []
for turn in range(len(q)):
    j = choose([0] * len(left), 1)
    order.append(left[j])
    left = [left[m] for m in range(len(left)) if m != j]
best = max(q)
for i in order:
    if best - q[i] <= Exp(2/eps):
        return i
return None""",
    "those that pass": """passed = [i for i in range(len(q)) if q[i] + Exp(2/eps) >= max(q)]
return passed[choose([0 for i in passed], 1)]""",
    "those that pass, and a lot with a name": """passed = []
best = max(q)
for i in range(len(q)):
    if Exp(2/eps) < best - q[i]:
        continue
    passed.append(i)
lot = choose([0 for i in passed], 1)
return passed[lot]""",
    "those that are gone": """best = max(q)
out = []
for turn in range(len(q)):
    left = [i for i in range(len(q)) if i not in out]
    i = left[choose([0 for j in left], 1)]
    coin = Exp(2/eps) >= best - q[i]
    if coin:
        return i
    out.append(i)
return -1""",
    "a loop that is left": """top = q[0]
for x in q:
    if x > top:
        top = x
left = [i for i in range(len(q))]
winner = -1
while True:
    i = left[choose([1 for j in left], 1/eps)]
    left = [j for j in left if j != i]
    gap = q[i] - top
    if gap + Exp(2/eps) < 0:
        continue
    winner = i
    break
return winner""",
    "noise first, and scores": """noise = [Exp(2/eps) for x in q]
scores = [x - 1 for x in q]
n = len(q)
left = [i for i in range(n)]
for turn in range(n):
    j = choose([0 for k in left], 1)
    i = left[j]
    if not (noise[i] < max(scores) - scores[i]):
        return i
    left = [left[m] for m in range(len(left)) if m != j]
return 0""",
}
RUNS, FALSE_ALARM = 2_000, 1e-6


def probability(sketch: Sketch, q: tuple[Fraction, ...], place: int) -> float:
    return float(event_probability(sketch, q, Arguments(Fraction(1), len(q)), np.zeros((1, 0)), Equals(Fraction(place)))[0])


@pytest.mark.parametrize("form", FORMS)
def test_it_is_restated_as_noisy_max_which_is_as_likely_to_be_each_place(form: str) -> None:
    """By the exact engine: the program, what it is restated as, and the formula."""
    sketch = program(FORMS[form])
    stated = without_permutation(sketch)
    assert stated != sketch and stated.sites != () and [d.site for d in stated.sites] == [d.site for d in sketch.sites]
    rng = random.Random(7)
    for size in (1, 2, 3):
        q = tuple(Fraction(rng.randint(-6, 6), 2) for _ in range(size))
        for place in range(size):
            expected = soft(q, 2.0, place)
            assert [probability(f, q, place) for f in (sketch, stated)] == pytest.approx([expected] * 2, rel=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_it_is_proved_for_every_length(form: str) -> None:
    sketch = program(FORMS[form])
    found = prove_every_length(sketch)
    assert isinstance(found, Proved) and not found.assumed, found
    assert recheck(found.certificate, program=sketch) == []


def test_it_has_the_law_of_the_literature() -> None:
    for relation, law in (("each_within(1)", "2/eta1 <= eps"), ("monotone(1)", "1/eta1 <= eps")):
        sketch = program(FORMS["those that pass"].replace("Exp(2/eps)", "Exp(hole)"), relation)
        laws = find_laws(sketch, Settings().proof)
        assert not isinstance(laws, Unknown) and laws.law(sketch).text == law
    counts = program(FORMS["those that pass"].replace("Exp(2/eps)", "Exp(1/eps)"), "monotone(1)")
    assert isinstance(prove_every_length(counts), Proved)


def test_a_certificate_is_about_its_program() -> None:
    document = prove_every_length(program(FORMS["by value"])).certificate.document()  # type: ignore[union-attr]
    broken = document | {"program": document["program"].replace(">=", ">")}
    assert [recheck(Certificate(json.dumps(told))) == [] for told in (document, broken)] == [True, False]


def test_with_half_the_noise_it_is_refuted() -> None:
    found = check(program(FORMS["by value"].replace("Exp(2/eps)", "Exp(1/eps)")))
    assert isinstance(found.verdict, Refuted) and found.epsilon_lower == pytest.approx(2)


def test_what_follows_may_use_the_winner_and_pays_for_itself() -> None:
    body = FORMS["a loop that is left"].replace("2/eps", "4/eps").replace("return winner", "return winner, q[winner] + Lap({})")
    assert isinstance(prove_every_length(program(body.format("2/eps"))), Proved)
    assert isinstance(check(program(body.format("1/eps"), private="Private[2]")).verdict, Refuted)


# What is changed, in which form: each is another mechanism.
OTHERS = {
    "the best may be refused": ("by value", ">= max(q)", "> max(q)"),
    "a place may come again": ("by value", "left = [j for j in left if j != i]", "left = [j for j in left]"),
    "a lot that leans": ("by value", "[0 for j in left]", "[q[j] for j in left]"),
    "Laplace noise": ("by value", "Exp(", "Lap("),
    "a noisy threshold": ("a gap, and turns that are counted", "best = max(q)", "best = max(q) + Lap(1/eps)"),
    "a threshold of others": ("a gap, and turns that are counted", "best = max(q)", "best = max(x + 1 for x in q)"),
    "the threshold of one": ("a gap, and turns that are counted", "best = max(q)", "best = q[0]"),
    "one place too few": ("a gap, and turns that are counted", "list(range(len(q)))", "list(range(1, len(q)))"),
    "one turn too few": ("a gap, and turns that are counted", "for turn in range(len(q))", "for turn in range(1, len(q))"),
    "the wrong place goes": ("an order first", "m != j", "m != 0"),
    "an order that is not random": ("an order first", "for i in order", "for i in sorted(order)"),
    "an order that is told": ("an order first", "return i", "return order"),
    "how many are left is told": ("by value", "return i\n", "return i, len(left)\n"),
    "the noisy score is told": ("noise first, and scores", "return i\n", "return noise[i]\n"),
    "one noise for all": ("noise first, and scores", "noise[i]", "noise[0]"),
    "noise that is used again": ("noise first, and scores", "return i\n", "return i, noise[0]\n"),
    "scores between the steps of a grid": ("noise first, and scores", "[x - 1 for x in q]", "[x / 2 for x in q]"),
    "another score": ("noise first, and scores", "- scores[i]", "- q[i]"),
    "all that are looked at": ("those that pass, and a lot with a name", "if Exp(2/eps) < best - q[i]:\n        continue", "if Exp(2/eps) < best - q[i]:\n        passed.append(i)"),
    "the one before": ("those that pass, and a lot with a name", "        continue\n    passed.append(i)", "        k = i\n    else:\n        passed.append(k)"),
    "those that pass are counted": ("those that pass, and a lot with a name", "return passed[lot]", "return passed[lot], len(passed)"),
    "the first that passes": ("those that pass, and a lot with a name", "return passed[lot]", "lot = 0\nreturn passed[lot]"),
    "two of those that pass": (
        "those that pass", "return passed[choose([0 for i in passed], 1)]", "return [passed[choose([0 for i in passed], 1)] for turn in range(2)]",
    ),
    "the first that passes, by a name of its own": ("those that pass, and a lot with a name", "return passed[lot]", "return [passed[lot] for lot in range(1)]"),
    "a flag of the last turn": ("a loop that is left", "return winner", "return winner, gap"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_mechanisms_are_not_restated(what: str) -> None:
    form, old, new = OTHERS[what]
    assert old in FORMS[form]
    head = "k = 0\n" if what == "the one before" else ""
    sketch = program(head + FORMS[form].replace(old, new))
    assert without_permutation(sketch) == sketch


def test_a_fixed_order_or_one_noise_for_all_is_refuted() -> None:
    for form, old, new in (OTHERS["an order that is not random"], OTHERS["one noise for all"]):
        assert isinstance(check(program(FORMS[form].replace(old, new), private="Private[3]")).verdict, Refuted)


def test_the_private_program_chooses_as_often_as_it_should() -> None:
    q = [2.0, 0.0, 1.0]
    expected = [RUNS * soft(tuple(map(Fraction, q)), 2.0, place) for place in range(3)]
    for form in ("by value", "an order first", "those that pass"):
        private = load_emitted(emit(program(FORMS[form])))
        places = [private(q, 1) for _ in range(RUNS)]
        assert chisquare([places.count(place) for place in range(3)], expected).pvalue > FALSE_ALARM
