"""Verdict against evidence: what is known and contradicts itself is no verdict, whoever is wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from kolahal import checking
from kolahal.cli.base import main
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.model import Arguments, Equals, Estimate, Example, Odds
from kolahal.proof import decide as ladder
from kolahal.proof.evidence import find_contradiction, reconcile
from kolahal.proof.find import bounded, lengths, own_recheck
from kolahal.proof.refute.refute import LowerBound
from kolahal.settings import Settings
from kolahal.verdicts import Bounded, Certificate, Everywhere, Exactly, Proved, Refuted, Unknown, UpTo, Verdict

EXAMPLE = Example((Fraction(0),), (Fraction(1),), Equals(Fraction(1)), Arguments(Fraction(1), 1))
PROOF = Certificate("{}")
PROVED, FIXED = Proved(PROOF, Everywhere()), Proved(PROOF, Exactly(1))
BOUNDED, LARGER = Bounded(PROOF, UpTo(4)), Bounded(PROOF, UpTo(4, "N from 1 to 3"))
ALL, NONE = Estimate(1.0, 1.0, 1.0, 0), Estimate(0.0, 0.0, 0.0, 0)
REFUTED, UNKNOWN = Refuted(EXAMPLE, Odds(ALL, NONE)), Unknown("nobody knows")


@pytest.mark.parametrize(
    ("verdict", "loss", "upper", "p_value", "contradicts"),
    [
        (PROVED, 1.0, 1.0, 0.5, False),
        (PROVED, 1.0 + 1e-12, 1.0, None, False),
        (PROVED, 1.01, 1.0, None, True),
        (PROVED, float("inf"), None, None, True),
        (FIXED, 1.01, None, None, True),
        (PROVED, 0.6, 0.5, None, True),
        (PROVED, None, 1.0, 1e-12, True),
        (BOUNDED, 1.01, None, None, True),
        (LARGER, 1.01, None, None, False),  # the example may have another N
        (REFUTED, 1.5, 1.5, None, False),
        (REFUTED, 1.6, 1.5, None, True),
        (REFUTED, None, 1.0, None, True),
        (UNKNOWN, 3.0, None, 1e-12, False),
        (UNKNOWN, 3.0, 2.0, None, True),
    ],
)
def test_what_is_known_is_compared(
    verdict: Verdict, loss: float | None, upper: float | None, p_value: float | None, contradicts: bool
) -> None:
    lower = None if loss is None else LowerBound(loss, EXAMPLE)
    assert bool(find_contradiction(verdict, lower, upper, p_value)) == contradicts
    if not contradicts:
        assert reconcile(verdict, lower, upper, p_value) == verdict


def test_in_tests_a_contradiction_is_an_error() -> None:
    with pytest.raises(AssertionError, match="against evidence"):
        reconcile(PROVED, LowerBound(2.0, EXAMPLE), None)


RAW = "@sketch(adjacent=each_within(1))\ndef raw(q: Private, eps: Epsilon):\n    return q[0]\n"


@pytest.mark.contradiction
def test_a_wrong_proof_is_told_as_a_defect_and_not_as_a_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A prover that proves everything meets the exact loss of the same program."""
    monkeypatch.setattr(ladder, "prove_every_length", lambda *_: replace(PROVED))
    found = checking.check(parse(RAW))
    assert isinstance(found.verdict, Unknown) and found.verdict.defect
    assert (found.epsilon_lower, found.epsilon_upper) == (0.0, None)
    path = tmp_path / "raw.py"
    path.write_text(RAW)
    assert main(["check", str(path), "--json", "--workers", "1"]) == 70
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "unknown" and "report it" in document["reason"]


def test_a_check_always_has_the_fields_that_others_rely_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "raw.py"
    for body in ("return q[0]", "return q[0] + Lap(1/eps)", "return q[0] / q[1] + Lap(1/eps)"):
        path.write_text(RAW.replace("return q[0]", body))
        main(["check", str(path), "--json", "--workers", "1"])
        document = json.loads(capsys.readouterr().out)
        assert {"verdict", "scope", "assumed", "epsilon_lower", "epsilon_upper"} <= set(document)
        lower, upper = document["epsilon_lower"], document["epsilon_upper"]
        assert upper is None or (lower is not None and lower <= upper)


# ---------------------------------------------------------------- our own proofs, checked again

LAPLACE = RAW.replace("return q[0]", "return q[0] + Lap(1/eps)")
PROVERS = {
    "a proof for every length": (lengths, "recheck", lengths.prove_every_length),
    "a proof for up to 1 answers": (bounded.trusted, "recheck_bounded", lambda sketch: bounded.prove_bounded(sketch, size=1)),
}


@pytest.mark.parametrize("words", PROVERS)
def test_in_tests_a_proof_that_fails_its_recheck_is_an_error(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, prove = PROVERS[words]
    monkeypatch.setattr(module, name, lambda *_, **__: ["it does not hold"])
    with pytest.raises(AssertionError, match=f"{words} did not pass its re-check.*it does not hold"):
        prove(parse(LAPLACE))


@pytest.mark.contradiction
@pytest.mark.parametrize("words", PROVERS)
def test_a_proof_that_fails_its_recheck_is_not_given(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, prove = PROVERS[words]
    monkeypatch.setattr(module, name, lambda *_, **__: ["it does not hold"])
    told = f"{words} did not pass its re-check: it does not hold"
    assert prove(parse(LAPLACE)) == Unknown(told, failed_rechecks=(told,))


@pytest.mark.contradiction
def test_a_later_search_does_not_hide_that_an_earlier_proof_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search with a wider limit finds a proof that holds, and the count is of both."""
    asked: list[bool] = []

    def search(*_: object) -> Proved | Unknown:
        asked.append(True)
        return replace(PROVED) if len(asked) > 1 else replace(own_recheck.failed_recheck("a hasty proof", ["no"]), cut_short=True)

    monkeypatch.setattr(ladder, "prove_every_length", search)
    found = ladder.decide(parse(LAPLACE), parse_scale("eps"), Settings())
    assert isinstance(found.verdict, Proved) and len(asked) == 2
    assert found.failed_rechecks == ("a hasty proof did not pass its re-check: no",)


@pytest.mark.contradiction
def test_a_synthesis_counts_them_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "laplace.py"
    path.write_text(LAPLACE.replace("1/eps", "hole"))
    monkeypatch.setattr(lengths, "recheck", lambda *_, **__: ["it does not hold"])
    main(["synth", str(path), "--verbose", "--workers", "1"])
    told = capsys.readouterr().err
    assert "did not pass their own re-check: 1\n" in told and "it does not hold" in told


def test_every_re_check_of_ours_is_told_of_in_one_place() -> None:
    """Whatever asks a re-check says what failed by `failed_recheck`, which the tests make an error of."""
    folder = Path(own_recheck.__file__).parent
    asking = {path for path in folder.glob("*.py") if re.search(r"\brecheck(_\w+)?\(", path.read_text(encoding="utf-8"))}
    asking -= {Path(own_recheck.__file__)}
    assert len(asking) == 6 and all("own_recheck.failed_recheck(" in path.read_text(encoding="utf-8") for path in asking)


@pytest.mark.contradiction
def test_failed_rechecks_are_counted_and_shown_whatever_the_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bounded proof holds, so nothing else would tell that the search for a longer one and its re-check disagree."""
    path = tmp_path / "laplace.py"
    path.write_text(LAPLACE)
    assert main(["check", str(path), "--verbose", "--workers", "1"]) == 0
    assert "did not pass their own re-check: 0\n" in capsys.readouterr().err
    monkeypatch.setattr(lengths, "recheck", lambda *_, **__: ["it does not hold"])
    found = checking.check(parse(LAPLACE))
    assert isinstance(found.verdict, Bounded) and len(found.failed_rechecks) == 1  # the law's cost is the claim
    assert main(["check", str(path), "--verbose", "--workers", "1"]) == 4
    told = capsys.readouterr().err
    assert "did not pass their own re-check: 1\n" in told and "it does not hold" in told
    assert main(["check", str(path), "--workers", "1"]) == 4
    assert "re-check" not in capsys.readouterr().err
    monkeypatch.setattr(bounded.trusted, "recheck_bounded", lambda *_: ["nor does this"])
    assert len(checking.check(parse(LAPLACE)).failed_rechecks) == 2
