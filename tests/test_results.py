"""Results in Python and in notebooks: tables, other orders, documents, and how they look."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import kolahal.settings as config
from kolahal import check, parse_scale, synthesize
from kolahal.emission.program import load_emitted
from kolahal.errors import UsageError
from kolahal.lang.scale import Scale
from kolahal.report.html import render_page
from kolahal.results import Check, Judged, Synthesis
from kolahal.sketches.gallery import load_one
from kolahal.verdicts import Refuted
from kolahal.verification import verify


@pytest.fixture(scope="module")
def found() -> Synthesis:
    """Above threshold by the law: (2/ε, 4/ε), (3/ε, 3/ε), and noise that grows with the queries."""
    return synthesize(load_one("above_threshold_1"), config.Settings(tester=config.TesterSettings.quick()))


@pytest.fixture(scope="module")
def refuted() -> Check:
    return check(load_one("sum").complete("1/(2*eps)"))


def test_a_synthesis_as_a_table(found: Synthesis) -> None:
    rows = found.table()
    assert [row["rank"] for row in rows] == [1, 2, 3] == list(range(1, len(found.judged) + 1))
    first = rows[0]
    assert set(first) == {"rank", "eta1", "eta2", "verdict", "scope", "p_value", "loss", "noise", "error"}
    assert first["verdict"] == "proved" and first["scope"] == "every length" and first["loss"] == 1
    assert {(row["eta1"], row["eta2"]) for row in rows} == {
        ("2/eps", "4/eps"),
        ("3/eps", "3/eps"),
        (None, "len(q)/eps"),
    }


@pytest.mark.parametrize("name", ["error", "noise", "loss", "verdict"])
def test_another_order_needs_no_other_run(found: Synthesis, name: str) -> None:
    again = found.rerank(name)
    assert sorted(map(id, again.judged)) == sorted(map(id, found.judged)) and again.ranked == found.ranked
    # The tightest loss is the one nearest to ε; all three of this table are proved.
    values = [abs(1 - row[name]) if name == "loss" else row[name] for row in again.table()]
    assert values == sorted(values)
    assert again.rerank(name) == again


def test_orders_can_be_combined_and_made(found: Synthesis) -> None:
    widest = found.rerank(key=lambda judged: -judged.ranked.score.noise)
    assert widest.best is widest.judged[0] and str(widest.mechanism.completion[1]) == "len(q)/eps"
    assert found.rerank("verdict", "noise", "error").best is not None
    for wrong in ({"by": ()}, {"by": ("price",)}, {"by": ("error",), "key": lambda judged: 0}):
        with pytest.raises(UsageError, match="error, noise, loss, verdict"):
            found.rerank(*wrong["by"], key=wrong.get("key"))  # type: ignore[arg-type, misc]


def test_what_was_rejected_stays_at_the_end(found: Synthesis, refuted: Check) -> None:
    assert isinstance(refuted.verdict, Refuted)
    least = min(found.judged, key=lambda judged: judged.ranked.score.noise)
    bad = Judged(replace(least.ranked, score=replace(least.ranked.score, noise=0.0, error=0.0)), None, refuted.verdict)
    spoiled = replace(found, judged=(bad, *found.judged))
    for name in ("error", "noise", "loss", "verdict"):
        assert spoiled.rerank(name).judged[-1] is bad
    assert spoiled.rerank(key=lambda judged: judged is not bad).judged[-1] is bad


def test_documents_make_pages(found: Synthesis, refuted: Check) -> None:
    document = json.loads(found.to_json())
    assert document["candidates"][0]["verdict"] == "proved" and document["sketch"] == "above_threshold_1"
    assert "above_threshold_1" in render_page(document)
    document = json.loads(refuted.to_json())
    assert verify(refuted.to_json()) == [], "it holds the counterexample with exact numbers"
    assert (document["verdict"], document["sketch"], document["claim"]) == ("refuted", "sum", "eps")
    assert "sum" in render_page(document)


def test_a_result_becomes_a_program(found: Synthesis) -> None:
    text = found.to_python("kolahal check FILE")
    assert "Verdict. Proved, for every length of q." in text and "kolahal check FILE" in text
    assert load_emitted(text)([0, 0, 1e9], 1e6, 1) == 3
    with pytest.raises(UsageError, match="no private completion"):
        replace(found, judged=()).to_python()


def test_a_notebook_shows_the_verdict_and_the_table(found: Synthesis, refuted: Check) -> None:
    page = found._repr_html_()
    assert "<table" in page and "2/ε" in page and "proved" in page.lower() and "<script" not in page
    page = refuted._repr_html_()
    assert "refuted" in page.lower() and "sum" in page


def shown(result: Synthesis | Check) -> str:
    console = Console(file=io.StringIO(), width=160)
    console.print(result)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_a_terminal_shows_a_table(found: Synthesis, refuted: Check) -> None:
    text = shown(found)
    assert "η1" in text and "2/eps" in text and "every length" in text and "Proved, for every length of q" in text
    assert "refuted" in shown(refuted) and "sum" in shown(refuted)
    assert "No private completion" in shown(replace(found, judged=()))


def test_a_check_as_a_table(refuted: Check) -> None:
    (row,) = refuted.table()
    assert row["verdict"] == "refuted" and row["scope"] is None and row["epsilon_lower"] > 1.9
    assert replace(refuted, sketch=None)._repr_html_() and shown(replace(refuted, sketch=None))


# ---------------------------------------------------------------- scales for mathematicians

scales = st.builds(
    Scale,
    st.fractions(min_value=0, max_value=9, max_denominator=9),
    st.lists(st.tuples(st.sampled_from(["eps", "N", "len(q)"]), st.integers(-3, 3)), max_size=3).map(tuple),
)


@settings(max_examples=30)
@given(scales, st.tuples(*[st.fractions(min_value=Fraction(1, 8), max_value=8, max_denominator=8)] * 3))
def test_a_scale_means_the_same_to_sympy(scale: Scale, values: tuple[Fraction, ...]) -> None:
    names = dict(zip(("eps", "N", "len(q)"), values, strict=True))
    given_values = {
        sympy.Symbol(n, positive=True): sympy.Rational(v.numerator, v.denominator) for n, v in names.items()
    }
    there = sympy.sympify(scale.sympy()).subs(given_values)
    assert Fraction(int(there.p), int(there.q)) == scale.at(names)


def test_without_sympy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(UsageError, match="pip install sympy"):
        parse_scale("2/eps").sympy()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2/eps", r"\frac{2}{\varepsilon}"),
        ("3*len(q)/eps**2", r"\frac{3 |q|}{\varepsilon^{2}}"),
        ("4*N/(3*epsilon)", r"\frac{4 N}{3 \varepsilon}"),
        ("limit_1", r"\mathit{limit\_1}"),
        ("5", "5"),
        (None, r"\bot"),
    ],
)
def test_a_scale_in_latex(text: str | None, wanted: str) -> None:
    assert parse_scale(text).latex() == wanted
