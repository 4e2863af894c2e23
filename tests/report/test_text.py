"""Results as text: every part is named once and right."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import kolahal.settings as config
from kolahal import synthesize
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.model import Arguments, Equals, Estimate, Example, Odds, Trial, describe_event
from kolahal.report.json import check_document, synthesis_document, trial_document
from kolahal.report.text import render_check, render_synthesis, render_trial
from kolahal.results import Check, Synthesis
from kolahal.sketches.gallery import load_one
from kolahal.verdicts import Bounded, Certificate, Refuted, Unknown, UpTo

SKETCH = parse("@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap(1/eps) > 0\n")
EXAMPLE = Example((Fraction(0),), (Fraction(1),), Equals(True), Arguments(Fraction(1, 2), 1))


@pytest.fixture(scope="module")
def found() -> Synthesis:
    return synthesize(load_one("svt"), config.Settings(tester=config.TesterSettings.quick()))


def trial(lower: float) -> Trial:
    odds = Odds(Estimate(0.2, 0.25, 0.3, 1000), Estimate(0.4, 0.45, 0.5, 1000))
    return Trial(EXAMPLE, odds, 0.3, ((0.5, 0.3),), lower, 0.99, 1000)


def test_the_law_is_told_with_its_alternatives(found: Synthesis) -> None:
    assert found.law is not None and found.law.alternatives
    text = render_synthesis(found, {"total": 1.0})
    lines = text.split("\n")
    place = lines.index(f"law: {found.law.text}")
    assert lines[place + 1] == f"  or, without noise at eta1: {found.law.alternatives[0]}"
    assert str(found.law) == " or ".join([found.law.text, *found.law.alternatives])
    assert synthesis_document(found, {}, "1")["alternatives"] == list(found.law.alternatives)
    assert " or |q|/η2 ≤ ε" in found._repr_html_()


def test_the_error_has_a_unit_and_its_inputs(found: Synthesis) -> None:
    line = next(line for line in render_synthesis(found, {"total": 1.0}).split("\n") if line.startswith("error: "))
    first = found.split.training[0]
    assert line.startswith("error: share of outputs that are not the one without noise (in lists, of items), at ε = ")
    assert line.endswith("on made-up inputs of 5, 50 and 500 private answers, as the geometric mean of the 3 lengths.")
    for candidate in synthesis_document(found, {}, "1")["candidates"]:
        assert candidate["error_unit"] == "share of wrong outputs" and isinstance(candidate["error"], float)
        at = candidate["error_at"]
        assert (at["epsilon"], at["size"]) == (float(first.epsilon), [5, 50, 500])
        assert at["values"] == {"N": 2.0}, "a threshold is placed among the answers of each input"
    assert "share of outputs that are not the one without noise" in found._repr_html_()


@pytest.mark.parametrize(
    ("lower", "words"), [(0.485, "no counterexample: it loses at least 0.97"), (0.7, "A counterexample")]
)
def test_only_a_loss_above_the_claim_is_a_counterexample(lower: float, words: str) -> None:
    shown = trial(lower)
    over = lower > 0.5
    assert (
        words in render_trial(SKETCH, shown, 1.0, "")
        and trial_document(shown, 1.0)["violates"] == over == shown.violates
    )
    check = Check(Unknown("it is hard"), lower / 0.5, None, shown, SKETCH, parse_scale("eps"), EXAMPLE)
    assert words in render_check(SKETCH, check)
    document = check_document(check)
    assert (document["counterexample"] is not None) == over and document["hardest_by_test"]["d1"] == [0.0]
    dear = render_check(SKETCH, replace(check, claim=parse_scale("2*eps")))
    assert "no counterexample" in dear, "ε is not what was claimed"
    assert "best counterexample" not in dear + words


def test_the_best_is_what_is_known_best(found: Synthesis) -> None:
    """Whatever the order: a proof before a bounded one before what nobody knows, and never what is refuted."""
    first, second, third = found.judged[0], *[replace(found.judged[0], trial=None)] * 2
    bounded = replace(second, verdict=Bounded(Certificate("{}"), UpTo(4)))
    unknown = replace(third, verdict=Unknown("it is hard"))
    refuted = replace(third, verdict=Refuted(EXAMPLE, trial(0.7).odds))
    assert replace(found, judged=(refuted, unknown, bounded, first)).best is first
    assert replace(found, judged=(refuted, unknown, bounded)).best is bounded
    assert replace(found, judged=(refuted, unknown)).best is unknown
    assert replace(found, judged=(refuted,)).best is None


def test_a_defect_is_named_in_the_table(found: Synthesis) -> None:
    wrong = replace(found, judged=(replace(found.judged[0], verdict=Unknown("please report it", defect=True)),))
    text = render_synthesis(wrong, {"total": 1.0})
    assert "unknown, a defect of ours" in text and "please report it" in text
    assert synthesis_document(wrong, {}, "1")["candidates"][0]["defect"] is True


def test_outputs_are_not_called_answers() -> None:
    assert describe_event(Equals(Fraction(3))) == "the output is 3"
