"""Textbooks share the budget evenly: the answers of the literature have that name, by the law and not by the sketch's name."""

from __future__ import annotations

from dataclasses import replace

import pytest

import programs
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import parse_filling, parse_scale
from kolahal.law.law import find_laws
from kolahal.report.names import name_completion
from kolahal.results import LawInequality, Rule
from kolahal.settings import ProofSettings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Unknown


def name(sketch_name: str, *scales: str | None) -> str | None:
    sketch = load_one(sketch_name)
    laws = find_laws(sketch, ProofSettings())
    assert not isinstance(laws, Unknown)
    return name_completion(tuple(map(parse_scale, scales)), laws.law(sketch), sketch)


@pytest.mark.parametrize("sketch_name", GALLERY)
def test_the_answers_of_textbooks_are_named(sketch_name: str) -> None:
    classic, *others = GALLERY[sketch_name].textbook
    wanted = "the classic pair" if sum(scale is not None for scale in classic) == 2 else None
    assert name(sketch_name, *classic) == wanted
    assert not any(name(sketch_name, *other) for other in others)


def test_names_go_by_the_shares_of_the_budget() -> None:
    assert name("above_threshold_1", "4/eps", "8/eps") is None  # even, but not the whole budget
    assert name("above_threshold_1", "2/eps", "4/eps**2") is None
    assert name("svt", "2/eps", "4/eps") is None


def test_other_families_are_not_the_classic_ones() -> None:
    sketch = load_one("above_threshold_open")
    laws = find_laws(load_one("above_threshold_1"), ProofSettings())
    assert not isinstance(laws, Unknown)
    law = laws.law(load_one("above_threshold_1"))
    names = [name_completion(tuple(map(parse_filling, pair)), law, sketch) for pair in (("Lap(2/eps)", "Lap(4/eps)"), ("Exp(2/eps)", "Lap(4/eps)"))]
    assert names == ["the classic pair", None]


def test_even_shares_of_another_rule_are_not_the_classic_ones() -> None:
    """Where the threshold of the numeric sparse vector technique is silent, equal shares are nobody's textbook."""
    sketch = programs.load("numeric_svt")
    laws = find_laws(sketch, ProofSettings())
    assert not isinstance(laws, Unknown)
    law = laws.law(sketch)
    silent = Rule((LawInequality(((1, Polynomial.name("len(q)")), (2, Polynomial.name("N")))),))
    law = replace(law, rules=(*law.rules, silent))
    scales = [("3/eps", "6*N/eps", "3*N/eps"), (None, "2*len(q)/eps", "2*N/eps")]
    assert [name_completion(tuple(map(parse_scale, s)), law, sketch) for s in scales] == ["the classic split", None]
