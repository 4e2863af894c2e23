"""`choose`, the exponential mechanism, in every part that gives an answer."""

from __future__ import annotations

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
from kolahal.engine.faults import RunError
from kolahal.engine.tape import Tape
from kolahal.errors import UsageError
from kolahal.exact.intervals import rigorous_probability
from kolahal.exact.probe import event_probability
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.lang.source import SketchError
from kolahal.law.law import find_laws
from kolahal.model import Arguments, Equals
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.trusted.certificate import recheck
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Certificate, Proved, Refuted, Unknown

RUNS, FALSE_ALARM = 20_000, 1e-9


def program(body: str, relation: str = "each_within(1)", private: str = "Private") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, eps: Epsilon):\n{lines}\n")


def soft_max(scores: list[float], scale: float) -> list[float]:
    weights = [math.exp((score - max(scores)) / scale) for score in scores]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize(("relation", "law", "scale", "small"), [
    ("each_within(1)", "2/eta1 <= eps", "2", "1.98"),
    ("monotone(1)", "1/eta1 <= eps", "1", "0.98"),
    ("one_within(1)", "1/eta1 <= eps", "1", "0.98"),
    ("each_within(1/2)", "1/eta1 <= eps", "1", "0.98"),
    ("sum_within(1)", "1/eta1 <= eps", "1", "0.98"),
])
def test_laws_proofs_for_every_length_and_refutations(relation: str, law: str, scale: str, small: str) -> None:
    sketch = program("return choose(q, hole)", relation)
    laws = find_laws(sketch, Settings().proof)
    assert not isinstance(laws, Unknown) and laws.law(sketch).text == law
    enough = program(f"return choose(q, {scale}/eps)", relation)
    found = prove_every_length(enough, plain_claim(enough))
    assert isinstance(found, Proved) and not recheck(found.certificate)
    assert isinstance(prove_bounded(enough, size=3), Bounded)
    less = program(f"return choose(q, {small}/eps)", relation)
    assert isinstance(prove_every_length(less, plain_claim(less)), Unknown)
    assert isinstance(prove_bounded(less, size=3), Unknown)
    assert isinstance(check(less).verdict, Refuted)


@pytest.mark.parametrize("body", [
    "return choose(q, 2/eps)",
    "scores = [x for x in q]\nreturn choose(scores, 2/eps)",
    "return choose([min(x, 10) for x in q], 2/eps)",
    "return choose([q[i] for i in range(len(q))], 2/eps)",
    "return choose([-abs(x - 3) for x in q], 2/eps)",
    "place = choose(q, 4/eps)\nreturn place, q[place] + Lap(2/eps)",
    "return [choose(q, 4/eps), choose(q, 4/eps)]",
    "return choose([2 * x for x in q], 4/eps) > 1",
    "noisy = q[0] + Lap(2/eps)\nif noisy > 0:\n    return choose(q, 4/eps)\nreturn -1",
])
def test_ways_to_choose_are_proved_for_every_length(body: str) -> None:
    found = program(body)
    assert isinstance(prove_every_length(found, plain_claim(found)), Proved)


@pytest.mark.parametrize("body", [
    "return q[choose(q, 2/eps)]",
    "place = choose(q, 2/eps)\nreturn place, q[place]",
    "return choose([3 * x for x in q], 4/eps)",
    "return [choose(q, 2/eps), choose(q, 2/eps)]",
    "place = choose(q, 2/eps)\nif q[place] > 0:\n    return place\nreturn -1",
    "return choose([x if x > 0 else 0 - 5 * x for x in q], 4/eps)",
])
def test_what_costs_more_is_not_proved(body: str) -> None:
    found = program(body)
    assert not isinstance(prove_every_length(found, plain_claim(found)), Proved)
    assert not isinstance(prove_bounded(found, size=3), Bounded)
    assert not isinstance(check(found).verdict, Proved | Bounded)


def test_a_certificate_that_pays_less_is_rejected() -> None:
    found = program("return choose(q, 2/eps)")
    proof = prove_every_length(found, plain_claim(found))
    assert isinstance(proof, Proved)
    text = proof.certificate.text
    assert '"units": "2"' in text
    for forged in (text.replace('"units": "2"', '"units": "1"'), text.replace('"units": "2"', '"units": "-2"')):
        assert recheck(Certificate(forged))
    # Less than all gaps: only the best rival, which is not what the mechanism pays for.
    assert recheck(Certificate(text.replace("choose(q, 2/eps)", "choose(q, 1/eps)")))


@pytest.mark.parametrize("body", ["return choose(q, 2/eps)", "return choose([abs(x) for x in q], 1)"])
def test_engines_agree_and_follow_the_soft_max(body: str) -> None:
    """A right engine fails with chance below 1e-9."""
    found, arguments = program(body), Arguments(Fraction(1), 4)
    database = (Fraction(1), Fraction(-2), Fraction(0), Fraction(3, 2))
    scores, scale = ([1.0, -2.0, 0.0, 1.5], 2.0) if "abs" not in body else ([1.0, 2.0, 0.0, 1.5], 1.0)
    expected = soft_max(scores, scale)
    places = [Equals(Fraction(i)) for i in range(4)]
    exact = [float(event_probability(found, database, arguments, np.zeros((1, 0)), place)[0]) for place in places]
    assert exact == pytest.approx(expected)
    for place, p in zip(places, exact, strict=True):
        sure = rigorous_probability(found, database, arguments, (), place)
        assert sure.low <= p * (1 + 1e-12) and p * (1 - 1e-12) <= sure.high
    tape = Tape((5,), RUNS)
    counts = Counter(BATCH.run(found, database, arguments, (), tape).rows())
    assert chisquare([counts[float(i)] for i in range(4)], [RUNS * p for p in exact]).pvalue > FALSE_ALARM
    few = Tape((5,), 64)
    rows = BATCH.run(found, database, arguments, (), few).rows()
    for run in (REFERENCE.run, lambda *a: jit.drive(jit.interpret(found), *a)[0]):
        assert run(found, database, arguments, (), few).rows() == rows


@pytest.mark.parametrize(("body", "scores"), [
    ("return choose(q, 2/eps)", [0.0, 1.0, -1.0]),
    ("return choose([x / 3 for x in q], 1/eps)", [0.0, 2 / 3, -2 / 3]),
])
def test_emitted_programs_follow_the_soft_max(body: str, scores: list[float]) -> None:
    """The exact sampler against the formula; a right one fails with chance below 1e-9."""
    private = load_emitted(emit(program(body)))
    counts = Counter(private([0, 1, -1] if "3" not in body else [0, 2, -2], 1) for _ in range(RUNS // 4))
    expected = soft_max(scores, 2.0 if "3" not in body else 1.0)
    assert chisquare([counts[i] for i in range(3)], [RUNS / 4 * p for p in expected]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("body", ["return choose(q, 2/eps)", "return q[0] > 0, Pick(1, 3)", "return [(x > 0) != Flip(1/eps) for x in q]"])
def test_an_emitted_program_reads_as_itself(body: str) -> None:
    found = program(body)
    assert parse(write(found)) == found


def test_mistakes_are_told() -> None:
    for body, code in (
        ("return choose(q)", "K153"), ("return choose(3, hole)", "K110"), ("return choose(eps, hole)", "K205"),
        ("return choose([True, q[0] > 1], hole)", "K202"), ("return choose(q, 2*hole)", "K112"), ("x = choose(q, hole)\nreturn x[0]", "K205"),
    ):
        with pytest.raises(SketchError, match=code):
            program(body)
    empty = program("return choose(q, 1/eps)")
    for run in (REFERENCE.run, BATCH.run):
        with pytest.raises(RunError, match="K401"):
            run(empty, (), Arguments(Fraction(1), 0), (), Tape((1,), 2))
    with pytest.raises(UsageError, match="needs a scale"):
        program("return choose(q, hole)").complete(None)
    assert program("return choose([x + 1 for x in q], 2/eps)")([0, 50], 1) in (0, 1)


def test_the_runs_of_a_chosen_place_are_never_weighed_again() -> None:
    """Gumbel noise has no density of the form exp(−|x|/scale): probes that would weigh runs again run them again."""
    from kolahal.engine.probe import RerunningProbe, build_probe

    assert isinstance(build_probe(program("return choose(q, hole)"), Settings(), "test"), RerunningProbe)
