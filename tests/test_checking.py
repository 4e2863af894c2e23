"""Verdicts on complete mechanisms, from Python and from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kolahal import parse_scale
from kolahal.checking import check
from kolahal.cli import main
from kolahal.errors import UsageError
from kolahal.lang.read.parse import parse
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import AtLeast, Bounded, Everywhere, Proved, Refuted, UpTo
from kolahal.verification import verify

THRESHOLD = """
@sketch(adjacent=each_within(1))
def above_threshold(q: Private, T: float, eps: Epsilon):
    t = T + Lap({})
    for i in range(len(q)):
        if q[i] + Lap({}) > t:
            return i + 1
    return 0
"""


@pytest.mark.parametrize("name", ["histogram", "noisy_max_1", "smart_sum", "svt", "above_threshold_2"])
def test_the_textbook_answers_are_proved_for_every_length_and_tight(name: str) -> None:
    """The loss that is shown to be reached is within 1 % of the bound that is proved. (docs/gallery has all nine.)"""
    found = check(load_one(name).complete(*GALLERY[name].textbook[0]))
    assert isinstance(found.verdict, Proved) and isinstance(found.verdict.scope, Everywhere)
    assert found.epsilon_upper == 1
    assert 0.99 <= found.epsilon_lower <= 1.0001


@pytest.mark.parametrize(
    ("first", "second", "cost"),
    [("3/eps", "2/eps", 4 / 3), ("2/eps", "3/eps", 7 / 6), ("1/eps", "4/eps", 1.5), ("2/eps", "2/eps", 1.5)],
)
def test_near_misses_of_above_threshold_are_refuted_with_their_cost(first: str, second: str, cost: float) -> None:
    found = check(parse(THRESHOLD.format(first, second)))
    assert isinstance(found.verdict, Refuted) and len(found.verdict.example.d1) <= 5
    assert found.epsilon_upper == pytest.approx(cost)
    assert 1 < found.epsilon_lower <= cost + 1e-9


LOWERED = [  # more of them in tests/proof/test_refute.py, and in docs/gallery
    ("exp_noisy_max", ("1/eps", None)),
    ("smart_sum", ("2/eps", "1/eps")),
    ("svt", ("2/eps", "3*N/eps")),
    ("above_threshold_2", ("1/eps", "4/eps", None)),
    ("sum", (None,)),
]


@pytest.mark.parametrize(("name", "scales"), LOWERED, ids=str)
def test_gallery_answers_with_one_scale_lowered_are_refuted(name: str, scales: tuple[str | None, ...]) -> None:
    assert isinstance(check(load_one(name).complete(*scales)).verdict, Refuted)


def test_claims_other_than_epsilon() -> None:
    smart = load_one("smart_sum").complete("1/eps", "1/eps")
    assert isinstance(check(smart, "2*eps").verdict, Proved)
    assert isinstance(check(smart, "eps").verdict, Refuted)
    svt = load_one("svt").complete("2/eps", "4/eps")
    assert isinstance(check(svt, "N*eps").verdict, Proved)
    assert isinstance(check(svt).verdict, Refuted)
    for bad in ("2", "eps**2", "T*eps", "M*eps", "eps +"):
        with pytest.raises(UsageError):
            check(svt, bad)


def test_a_claim_is_about_arguments_from_one_on() -> None:
    """At N = 0 the claim N*eps would be 0, which nothing keeps and no share can be taken of."""
    largest = parse(
        "@sketch(adjacent=one_within(1))\ndef f(q: Private[2], N: int, eps: Epsilon):\n"
        "    return max(q[0], q[1]) + Lap(1/eps)\n"
    )
    found = check(largest, "N*eps")
    assert isinstance(found.verdict, Proved) and found.verdict.assumed == (AtLeast("N"),)


def test_a_looser_mechanism_gets_the_bound_that_it_has() -> None:
    found = check(parse(THRESHOLD.format("4/eps", "8/eps")))
    assert found.epsilon_upper == 0.5 and found.epsilon_lower == pytest.approx(0.5, rel=0.01)


def test_random_access_falls_back_to_a_bounded_proof() -> None:
    found = check(
        parse("""
@sketch(adjacent=one_within(1))
def ends(q: Private, eps: Epsilon):
    if len(q) < 2:
        return 0
    return q[0] - q[len(q) // 2] + Lap(1/eps)
""")
    )
    assert isinstance(found.verdict, Bounded) and isinstance(found.verdict.scope, UpTo)


def test_check_prints_the_documented_json_and_verify_accepts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for scales, verdict, code in ((("2/eps", "4/eps"), "proved", 0), (("1/eps", "4/eps"), "refuted", 1)):
        path = tmp_path / "mechanism.py"
        path.write_text(THRESHOLD.format(*scales))
        capsys.readouterr()
        assert main(["check", str(path), "--json", "--workers", "1"]) == code
        text = capsys.readouterr().out
        document = json.loads(text)
        assert document["verdict"] == verdict
        assert {"epsilon_lower", "epsilon_upper", "scope", "counterexample", "certificate"} <= set(document)
        if verdict == "refuted":
            assert {"d1", "d2", "event", "arguments", "p1", "p2"} <= set(document["counterexample"])
            scope: dict[str, object] = {}
            exec(compile(document["snippet"], "snippet", "exec"), scope)
            low, high = document["counterexample"]["p1"]
            assert low * (1 - 1e-6) <= scope["p1"] <= high * (1 + 1e-6)  # type: ignore[operator]
        assert verify(text) == []
        saved = tmp_path / "certificate.json"
        saved.write_text(text)
        capsys.readouterr()
        assert main(["verify", str(saved)]) == 0
        said = capsys.readouterr().out
        assert said.startswith("Valid: a proof, for every length" if verdict == "proved" else "Valid: a refutation")
        assert "claim: eps" in said and "every answer may move by at most 1" in said and document["program"] in said
        assert main(["verify", str(saved), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["valid"] and told["faults"] == [] and told["program"] == document["program"]
        assert {name: told[name] for name in ("verdict", "scope", "assumed", "claim", "sketch")} == {
            name: document[name] for name in ("verdict", "scope", "assumed", "claim", "sketch")
        }
        saved.write_text(json.dumps({**document, "verdict": "bounded"}))
        assert main(["verify", str(saved)]) == 1
        assert "Rejected:\n  the document says verdict 'bounded'" in capsys.readouterr().out
        assert main(["verify", str(saved), "--json"]) == 1
        assert not json.loads(capsys.readouterr().out)["valid"]
        saved.write_text(text.replace("4/eps", "3/eps"))
        assert main(["verify", str(saved)]) == 1


def test_verify_reads_a_result_of_synth_with_the_certificate_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["synth", "histogram", "--workers", "1", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    for name in ("result.json", "certificate.json"):
        assert main(["verify", str(tmp_path / name)]) == 0
        assert "Valid: a proof, for every length" in capsys.readouterr().out
    result = json.loads((tmp_path / "result.json").read_text())
    result["candidates"][0]["scales"] = ["1/(9*eps)"]
    (tmp_path / "result.json").write_text(json.dumps(result))
    assert main(["verify", str(tmp_path / "result.json")]) == 1
    assert "best candidate's scales" in capsys.readouterr().out
    (tmp_path / "certificate.json").unlink()
    assert main(["verify", str(tmp_path / "result.json")]) == 2
    assert "certificate.json" in capsys.readouterr().err


def test_verify_has_nothing_to_check_where_nothing_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "unknown.json"
    path.write_text(json.dumps({"verdict": "unknown", "certificate": None, "refutation": None, "program": "", "claim": ""}))
    assert main(["verify", str(path)]) == 2
    assert "its verdict is unknown, and there is no certificate" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"cases": 1}', '{"program": "x", "claim": 3}', "[" * 100_000]
)
def test_what_is_no_certificate_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    assert main(["verify", str(path)]) == 2
    told = capsys.readouterr().err
    assert "give" in told and "`kolahal check --json` printed" in told and "Traceback" not in told


@pytest.mark.parametrize("scale", ["2/eps**2", "2", "2*eps"])
def test_a_scale_of_another_power_of_epsilon_is_refuted(scale: str) -> None:
    assert isinstance(check(load_one("noisy_max_1").complete(parse_scale(scale))).verdict, Refuted)
