"""What is said of a verdict that is no proof for all inputs: on the page, as text, in the document."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from kolahal.checking import check
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.model import Example
from kolahal.proof.evidence import defect
from kolahal.report.advice import advise, refusal
from kolahal.report.html import fragment, render_page
from kolahal.report.json import check_document, dump
from kolahal.report.text import render_check
from kolahal.report.words import headline
from kolahal.results import Check
from kolahal.verdicts import Bounded, Certificate, Everywhere, Proved, Unknown, UpTo, Verdict

HEAD = "@sketch(adjacent=one_within(1))\ndef f(q: {}, eps: Epsilon):\n    "
SEVENTH = "return q[6] + Lap(1/eps)\n"
TOTAL = "s = q[0]\n    for x in q:\n        s = s + x\n    return s + Lap(1/eps)\n"
MIXED = "s = q[2]\n    for x in q:\n        s = s + x\n    return s + Lap(1/eps)\n"
BOUNDED = Bounded(Certificate('{"kind": "bounded", "cases": []}'), UpTo(4))


@pytest.mark.parametrize(
    ("private", "body", "verdict", "words"),
    [
        ("Private", SEVENTH, BOUNDED, "needs 7 answers: declare them, q: Private[7]"),
        ("Private", SEVENTH, Unknown("every run stops"), "needs 7 answers: declare them, q: Private[7]"),
        ("Private[int]", SEVENTH, BOUNDED, "q: Private[int, 7]"),
        ("Private", MIXED, BOUNDED, "needs at least 3 answers: if there are always as many"),
        ("Private", TOTAL, BOUNDED, "if there are always equally many answers"),
        ("Private", TOTAL, Unknown("it is hard"), ""),
        ("Private[7]", SEVENTH, BOUNDED, ""),
        ("Private", SEVENTH, Proved(Certificate("{}"), Everywhere()), ""),
        ("Private", SEVENTH, Unknown("a defect", defect=True), ""),
    ],
)
def test_the_remedy_fits_the_program(private: str, body: str, verdict: Verdict, words: str) -> None:
    found = advise(verdict, parse(HEAD.format(private) + body))
    assert words in found and bool(found) == bool(words)


def test_a_bounded_verdict_is_not_called_private() -> None:
    sketch = parse(HEAD.format("Private") + SEVENTH)
    found = Check(BOUNDED, 0.5, None, sketch=sketch, claim=parse_scale("eps"))
    document = json.loads(dump({**check_document(found), "sketch": "f", "claim": "eps", "program": str(sketch)}))
    assert (document["verdict"], document["scope"]) == ("bounded", "up to 4 queries")
    told = headline(document)
    assert "loses no more than ε on inputs of up to 4 queries" in told and "no proof that it is private" in told
    assert "is ε-differentially private" not in told and "q: Private[7]" in told
    for page in (render_page({**document, "certificate": None}), fragment(document)):
        assert 'verdict bounded"' in page and "<strong>Bounded.</strong>" in page
    assert "--bounded-paper" in render_page({**document, "certificate": None})
    text = render_check(sketch, found)
    assert "What to do: f reads q at fixed places" in text and "upper bound: 1 for up to 4 queries, and nothing" in text


def test_a_declared_number_is_proved_and_said() -> None:
    found = check(parse(HEAD.format("Private[7]") + SEVENTH))
    assert (
        isinstance(found.verdict, Proved) and found.epsilon_upper == 1 and str(found.verdict.scope) == "its 7 answers"
    )
    assert "differentially private for its 7 answers" in headline(
        {**check_document(found), "sketch": "f", "claim": "eps"}
    )


def test_a_defect_asks_to_be_reported() -> None:
    sketch = parse(HEAD.format("Private") + TOTAL)
    found = Check(defect("1.5 is above 1"), 0.0, None, sketch=sketch, claim=parse_scale("eps"))
    document = json.loads(dump({**check_document(found), "sketch": "f", "claim": "eps"}))
    assert document["verdict"] == "unknown" and document["defect"] is True
    page, text = render_page(document), render_check(sketch, found)
    assert "contradicts itself" in page and "please report it" in page and "True ε" not in page
    assert "please report it" in text and "the true ε" not in text


def test_what_may_not_leave_as_private_says_why(refuted_check: Check) -> None:
    sketch = parse(HEAD.format("Private") + TOTAL)
    assert refusal(BOUNDED, sketch) == "" == refusal(Proved(Certificate("{}"), Everywhere()), sketch)
    assert "neither proved nor refuted to be eps-private: it is hard" in refusal(Unknown("it is hard"), sketch)
    assert "not 2*eps-private: ⟨" in refusal(refuted_check.verdict, sketch, "2*eps")


@pytest.fixture(scope="module")
def refuted_check() -> Check:
    return check(parse(HEAD.format("Private") + TOTAL.replace("1/eps", "1/(2*eps)")))


def test_the_lower_bound_says_where_it_comes_from(refuted_check: Check) -> None:
    """The example of the bound is named where another one is shown, and the one that is shown says what it loses."""
    sketch = refuted_check.sketch
    assert sketch is not None and refuted_check.example is not None and refuted_check.epsilon_upper is not None
    assert 1 < refuted_check.epsilon_lower <= refuted_check.epsilon_upper
    shown = render_check(sketch, refuted_check)
    assert "The counterexample, which loses " in shown
    other = replace(refuted_check.example, d1=(*refuted_check.example.d1, refuted_check.example.d1[0]))
    text = render_check(sketch, replace(refuted_check, example=other))
    assert f"The lower bound comes from {other}" in text
    document = check_document(refuted_check)
    assert document["epsilon_lower_from"]["d1"] == [float(a) for a in refuted_check.example.d1]
    same: Example = refuted_check.verdict.example  # type: ignore[union-attr]
    assert "The lower bound comes from" not in render_check(
        sketch, replace(refuted_check, example=same.flipped()), "eps"
    )


def test_permute_and_flip_is_written_as_noisy_max() -> None:
    body = "best = max(q)\n    for i in range(len(q)):\n        if q[i] + {} >= best:\n            return i\n    return -1\n"
    told = [advise(Unknown("not found"), parse(HEAD.format("Private") + body.format(noise))) for noise in ("Exp(2/eps)", "Lap(2/eps)")]
    assert "noisy max" not in told[1] and "x + Exp(…)" in told[0] and "largest answer" in told[0] and not told[1]
