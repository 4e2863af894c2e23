"""A proof is a guess for a program that differs in its scales; the re-check decides, as always."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kolahal.lang.read.parse import parse
from kolahal.lang.scale import NO_NOISE, Scale
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.model import Ranked, Score
from kolahal.proof import judge
from kolahal.proof.find.alignments import AlignmentSearch
from kolahal.proof.find.alike import guess_from
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.judge import Finalist, Proofs, judge_in_turn
from kolahal.results import Judged
from kolahal.settings import Settings
from kolahal.verdicts import Proved, Unknown


def noisy_sum(scale: str) -> Sketch:
    return parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return sum(q) + Lap({scale})\n")


def noisy_first(scale: str) -> Sketch:
    return parse(f"@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return q[0] + Lap({scale})\n")


def test_no_alignment_is_looked_for_where_that_of_a_guess_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    guess = guess_from(prove_every_length(noisy_sum("1/eps")))
    assert guess is not None
    alone = prove_every_length(noisy_sum("2/eps"))
    asked: list[AlignmentSearch] = []
    monkeypatch.setattr(AlignmentSearch, "alignments", lambda search: asked.append(search) or iter(()))
    carried = prove_every_length(noisy_sum("2/eps"), guess=guess)
    assert isinstance(alone, Proved) and isinstance(carried, Proved) and not asked
    one, other = (verdict.certificate.document()["cases"][0] for verdict in (alone, carried))
    assert one["alignment"] == other["alignment"] and one["shares"] == other["shares"]
    assert isinstance(prove_every_length(noisy_sum("1/(2*eps)"), guess=guess), Unknown) and asked


def test_a_guess_of_another_program_changes_nothing() -> None:
    guess = guess_from(prove_every_length(noisy_first("1/eps")))
    assert prove_every_length(noisy_sum("1/eps"), guess=guess) == prove_every_length(noisy_sum("1/eps"))


def test_what_is_no_proof_for_every_length_is_no_guess() -> None:
    assert guess_from(Unknown("nothing is known")) is None


def test_the_first_finalist_with_noise_at_some_holes_is_a_guess_for_the_others_with_noise_there(monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = parse("@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return sum(q) + Lap(hole) + Lap(hole)\n")
    one, two, other = (Scale(Fraction(c), (("eps", -1),)) for c in (1, 2, 3))
    completions = [(one, NO_NOISE), (two, two), (two, NO_NOISE), (other, other), (other, NO_NOISE)]
    jobs = [(sketch, Ranked(c, Score(0, 0.0, 0.0, 0.0), None), Settings(), None) for c in completions]
    asked: list[tuple[Completion, bool]] = []

    def decide_one(job: Finalist) -> Judged:
        sketch, ranked, _, guess = job
        asked.append((ranked.completion, guess is not None))
        return Judged(ranked, None, prove_every_length(Mechanism(sketch, ranked.completion).filled(), guess=guess))

    monkeypatch.setattr(judge, "decide_one", decide_one)
    known = Proofs()
    judged = judge_in_turn(jobs, known, None)
    assert [found.ranked.completion for found in judged] == completions
    assert asked == [(completions[0], False), (completions[1], False), *((c, True) for c in completions[2:])]
    assert all(isinstance(found.verdict, Proved) for found in judged)
    judge_in_turn(jobs[:1], known, None)
    assert asked[-1] == (completions[0], True)
