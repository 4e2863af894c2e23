"""Synthesis and checks of claims other than ε, from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kolahal import UsageError, check, synthesize
from kolahal.cli import cli
from kolahal.lang.read.parse import parse
from kolahal.report.json import synthesis_document
from kolahal.report.words import pretty_claim
from kolahal.sketches.gallery import OTHER_BUDGETS, load_one
from kolahal.verdicts import Proved

TEXTBOOK = {
    "gaussian_histogram": ("len(q)/(2*eta1**2) <= rho", ("sqrt(len(q)/(2*rho))",)),
    "gaussian_tree": ("1/(2*eta1**2) + 1/(2*eta2**2) + 1/(2*eta3**2) + 1/(2*eta4**2) <= rho", ("sqrt(2/rho)",) * 4),
    "gaussian_threshold": ("1/(2*eta1**2) + 2/eta2 <= rho", ("sqrt(1/rho)", "4/rho")),
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_the_textbooks_answer_is_found_and_proved(name: str) -> None:
    law, scales = TEXTBOOK[name]
    found = synthesize(load_one(name))
    assert found.law is not None and law in (found.law.text, *found.law.alternatives)
    proved = [tuple(map(str, j.ranked.completion)) for j in found.judged if isinstance(j.verdict, Proved)]
    assert scales in proved
    document = synthesis_document(found, {}, "")
    assert document["claim"] == "rho" and document["guarantee"] == "ρ-zCDP"


def test_two_sites_share_the_budget() -> None:
    sketch = parse(
        "@sketch(adjacent=each_within(1))\ndef f(q: Private, rho: Rho):\n    out = [q[0] + Gauss(hole)]\n"
        "    for x in q:\n        out.append(x + Gauss(hole))\n    return out\n"
    )
    found = synthesize(sketch)
    assert found.law is not None and found.law.text == "1/(2*eta1**2) + len(q)/(2*eta2**2) <= rho"
    assert found.best is not None and isinstance(found.best.verdict, Proved)


@pytest.mark.parametrize(("relation", "first", "second"), [("one_within(1)", "Lap", "Gauss"), ("each_within(1)", "Gauss", "Lap")])
@pytest.mark.parametrize("written", ["Lap", "Gauss"])
def test_under_both_the_family_with_less_error_comes_first(relation: str, first: str, second: str, written: str) -> None:
    body = f"return [x + {written}(hole) for x in q]"
    found = synthesize(parse(f"@sketch(adjacent={relation})\ndef f(q: Private, eps: Epsilon, delta: Delta):\n    {body}\n"))
    assert found.mechanism.sketch.draws[0].noise.value == first and found.rival is not None
    document = synthesis_document(found, {}, "")
    assert document["claim"] == "eps,delta" and document["candidates"][-1]["scales"][0].startswith(f"{second}(")
    assert [c["rank"] for c in document["candidates"]] == list(range(1, len(document["candidates"]) + 1))
    errors = [c["error"] for c in (document["candidates"][0], document["candidates"][-1])]
    assert errors == sorted(errors) and all(c["verdict"] == "proved" for c in document["candidates"])


@pytest.mark.parametrize(("budget", "scale"), [("mu: Mu", "1/mu"), ("eps: Epsilon, delta: Delta", "1/gdp(eps, delta)")])
def test_arguments_may_have_defaults_under_every_budget(budget: str, scale: str) -> None:
    text = f"@sketch(adjacent=one_within(1))\ndef f(q: Private, {budget}, k: int = 1):\n    return [k + x + Gauss({scale}) for x in q]\n"
    found = check(parse(text))
    assert isinstance(found.verdict, Proved) and "k: int = 1" in found.verdict.certificate.text


def test_a_patch_keeps_the_files_own_family(tmp_path: Path) -> None:
    path = tmp_path / "release.py"
    path.write_text(
        "from kolahal import *\n\n@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon, delta: Delta):\n    return [x + Gauss(hole) for x in q]\n"
    )
    told = CliRunner().invoke(cli, ["synth", str(path), "--patch", "--workers", "1"])
    assert "+    return [x + Gauss(1/gdp(eps, delta)) for x in q]" in told.stdout


def test_other_methods_refuse_other_budgets() -> None:
    for method in ("paper", "exact", "naive"):
        with pytest.raises(UsageError, match="only"):
            synthesize(load_one("gaussian_histogram"), method=method)


def test_documents_of_other_budgets(tmp_path: Path) -> None:
    runner = CliRunner()
    told = runner.invoke(cli, ["synth", "gaussian_max", "--out", str(tmp_path / "out"), "--json", "--workers", "1"])
    assert told.exit_code == 0 and json.loads(told.stdout)["claim"] == "eps,delta"
    page = (tmp_path / "out" / "report.html").read_text()
    assert "(ε, δ)-DP" in page and "ε-differentially private" not in page
    assert runner.invoke(cli, ["verify", str(tmp_path / "out" / "result.json")]).exit_code == 0
    for arguments, code in (
        (["convert", "--rho", "0.5", "--delta", "1e-6"], 0),
        (["convert", "--mu", "1", "--json"], 0),
        (["convert", "--rho", "0.5"], 2),
        (["convert", "--eps", "0"], 2),
        (["convert", "--mu", "1", "--delta", "2"], 2),
    ):
        assert runner.invoke(cli, arguments).exit_code in (code, 1 if code else 0), arguments
    assert len(OTHER_BUDGETS) == 4


def test_what_a_pure_proof_is_worth() -> None:
    from kolahal.report.budgets import worth_of

    sketch = parse("@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    return [x + Lap(1/eps) for x in q]\n")
    worth = worth_of(check(sketch))
    assert worth is not None and abs(worth["rho"] - 0.46211715726) < 1e-10 and 0.99999 < worth["epsilon_at_delta"] < 1
    assert worth_of(check(sketch, "eps/2")) is None


def test_a_pair_of_budgets_has_a_page(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(
        "from kolahal import Delta, Epsilon, Gauss, Private, gdp, one_within, sketch\n\n@sketch(adjacent=one_within(1))\n"
        "def f(q: Private, eps: Epsilon, delta: Delta):\n    return sum(q) + Gauss(1/gdp(eps, delta))\n"
    )
    assert CliRunner().invoke(cli, ["check", str(file), "--out", str(tmp_path / "out")]).exit_code == 0
    assert "(ε, δ)-DP" in (tmp_path / "out" / "report.html").read_text()
    assert pretty_claim("eps,delta") == "(ε, δ)" and pretty_claim("2*rho") == "2·ρ"
