"""Proofs for every length: what is private is proved, what is not is never proved, and the border is where it should be."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
import stored
from every_length import BROKEN, PRIVATE, load
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, parse_scale
from kolahal.proof.find.lengths import prove_every_length
from kolahal.settings import ProofSettings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Everywhere, Proved, Unknown

MORE = [(name, scales) for name, entry in GALLERY.items() for scales in entry.textbook[1:]]  # the first are `stored`
WRONG = [
    ("above_threshold_1", ("2/eps", "3/eps")),
    ("above_threshold_1", ("3/eps", "2/eps")),
    ("above_threshold_1", ("1/eps", "4/eps")),
    ("above_threshold_2", ("2/eps", "3/eps", "4/eps")),
    ("noisy_max_1", ("1/eps",)),
    ("noisy_max_2", ("1/eps", None)),
    ("exp_noisy_max", ("1/eps", None)),
    ("smart_sum", ("1/eps", "2/eps")),
    ("smart_sum", ("2/eps", None)),
    ("smart_sum", (None, "2/eps")),
    ("svt", ("2/eps", "4/eps")),
    ("svt", ("2/eps", "4*len(q)/eps**2")),
    ("svt", ("2/eps", None)),
    ("sum", (None,)),
    ("histogram", ("1/eps**2",)),
]


SHORT = ProofSettings(rehearsals=2_000)  # ten times what the gallery takes; a search without end says no more


@pytest.mark.parametrize("name", stored.NAMES)
def test_the_search_finds_the_certificates_that_are_kept(name: str) -> None:
    verdict = stored.find(name)
    assert isinstance(verdict, Proved) and verdict.scope == Everywhere()
    assert stored.digest(verdict.certificate) == stored.entries()[name]["digest"]


@pytest.mark.parametrize(("name", "scales"), MORE, ids=str)
def test_the_gallery_is_proved_for_every_length(name: str, scales: tuple[str | None, ...]) -> None:
    verdict = prove_every_length(load_one(name).complete(*scales).filled())
    assert isinstance(verdict, Proved) and verdict.scope == Everywhere()


@pytest.mark.parametrize(("name", "scales"), WRONG, ids=str)
def test_wrong_completions_are_not_proved(name: str, scales: tuple[str | None, ...]) -> None:
    assert isinstance(prove_every_length(load_one(name).complete(*scales).filled(), settings=SHORT), Unknown)


@pytest.mark.parametrize("name", [name for name in PRIVATE if name not in stored.NAMES])
def test_private_mechanisms_are_proved(name: str) -> None:
    assert isinstance(prove_every_length(load(PRIVATE[name])), Proved)


@pytest.mark.parametrize("name", BROKEN)
def test_broken_mechanisms_are_not_proved(name: str) -> None:
    assert isinstance(prove_every_length(load(BROKEN[name]), settings=SHORT), Unknown)


LAWS = {
    "above_threshold_1": (1, 2),
    "svt": (1, 2),
    "smart_sum": (1, 1),
    "noisy_max_1": (2,),
    "histogram": (1,),
}
eighths = st.integers(5, 50).map(lambda n: Fraction(n, 8))


@examples(16, quick=6)
@given(st.sampled_from(sorted(LAWS)), eighths, eighths)
def test_the_border_is_where_the_law_says(name: str, first: Fraction, second: Fraction) -> None:
    weights = LAWS[name]
    sizes = (first, second)[: len(weights)]
    per = {"svt": (0, 1)}.get(name, (0, 0))
    scales = [Scale(c, (("eps", -1), ("N", power))) for c, power in zip(sizes, per)]
    verdict = prove_every_length(load_one(name).complete(*scales).filled(), settings=SHORT)
    cost = sum(weight / size for weight, size in zip(weights, sizes))
    assert isinstance(verdict, Proved) == (cost <= 1)


@pytest.mark.parametrize(
    ("name", "scales", "claim", "holds"),
    [
        ("noisy_max_1", ("1/eps",), "2*eps", True),
        ("noisy_max_1", ("1/eps",), "1.9*eps", False),
        ("smart_sum", ("1/eps", "1/eps"), "2*eps", True),
        ("svt", ("2/eps", "4/eps"), "N*eps", True),
        ("svt", ("2/eps", "4*N/eps"), "eps/N", False),
        ("svt", ("2/eps", "4*N/eps"), "eps**2", False),
        ("histogram", ("1/eps",), "0.5*eps", False),
    ],
)
def test_other_claims(name: str, scales: tuple[str, ...], claim: str, holds: bool) -> None:
    verdict = prove_every_length(load_one(name).complete(*scales).filled(), parse_scale(claim), SHORT)
    assert isinstance(verdict, Proved) == holds


def test_a_hole_is_not_a_program() -> None:
    verdict = prove_every_length(load_one("sum"))
    assert isinstance(verdict, Unknown) and "holes" in verdict.reason


def test_too_few_solver_steps_are_no_proof() -> None:
    sketch = load_one("svt").complete("2/eps", "4*N/eps").filled()
    assert isinstance(prove_every_length(sketch, None, replace(SHORT, solver_steps=1)), Unknown)


def test_two_searches_write_the_same_certificate() -> None:
    sketch = load_one("above_threshold_1").complete("2/eps", "4/eps").filled()
    first, second = prove_every_length(sketch), prove_every_length(sketch)
    assert first == second


def test_assumptions_are_stated() -> None:
    def assumed(name: str, *scales: str) -> list[str]:
        verdict = prove_every_length(load_one(name).complete(*scales).filled())
        assert isinstance(verdict, Proved)
        return list(json.loads(verdict.certificate.text)["assumed"])

    assert assumed("svt", "2/eps", "4*N/eps") == ["N"]
    assert assumed("svt", "2/eps", "4*len(q)/eps") == []  # without N in a scale, N ≤ 0 is covered too
    assert assumed("smart_sum", "2/eps", "2/eps") == ["M"]


def test_noise_on_the_whole_numbers() -> None:
    for name, entry in GALLERY.items():
        if name in ("noisy_max_2", "above_threshold_2"):  # as the first ones, with a hole that stays silent
            continue
        sketch = load_one(name).discretised().complete(*entry.textbook[0]).filled()
        verdict = prove_every_length(sketch)
        assert isinstance(verdict, Proved), name
        assert any("whole numbers" in words for words in json.loads(verdict.certificate.text)["assumptions"])


MEAN = """
@sketch(adjacent=one_within(1))
def mean(q: Private, N: int, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    {answer}
"""


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        ("return (s + Lap(1/eps)) / len(q)", True),
        ("m = 2 - (s + Lap(1/eps)) / (N * len(q))\n    return m", True),
        ("return ((s + Lap(1/eps)) / len(q), N)", True),
        ("return (s + Lap(1/(2*eps))) / len(q)", False),
        ("return s / len(q)", False),
        ("return (N + Lap(1/eps)) / s", False),
        ("m = (s + Lap(1/eps)) / len(q)\n    return m + s", False),
        ("N = s\n    return (s + Lap(1/eps)) / N", False),
    ],
)
def test_public_arithmetic_on_the_answer_is_free(answer: str, holds: bool) -> None:
    verdict = prove_every_length(parse(MEAN.format(answer=answer)))
    assert isinstance(verdict, Proved) is holds


ANEW = """@sketch(adjacent=each_within(1))
def sparse(q: Private, T: float, c: int, eps: Epsilon):
    out = []
    n = 0
    i = 0
    t = T + Lap({threshold}*c/eps)
    {loop}
        if q[i] + Lap(4*c/eps) >= t:
            out.append(True)
            n += 1
            t = T + Lap({threshold}*c/eps)
        else:
            out.append(False)
{end}    return out
"""
ANEW_WRITTEN = {
    "while": ("while n < c and i < len(q):", "        i += 1\n"),
    "a break at the top": ("for i in range(len(q)):\n        if n >= c:\n            break", ""),
    "a break at the end": ("for i in range(len(q)):", "        if n == c:\n            break\n"),
}
ONE_TOO_MANY = {
    "while": ("while n <= c and i < len(q):", "        i += 1\n"),
    "a break at the top": ("for i in range(len(q)):\n        if n > c:\n            break", ""),
    "never": ("for i in range(len(q)):", ""),
}


@pytest.mark.parametrize("way", ANEW_WRITTEN)
def test_the_last_threshold_that_is_drawn_anew_costs_nothing(way: str) -> None:
    loop, end = ANEW_WRITTEN[way]
    found = prove_every_length(parse(ANEW.format(threshold=2, loop=loop, end=end)), parse_scale("eps"), ProofSettings())
    assert isinstance(found, Proved) and found.assumed


@pytest.mark.parametrize("way", ONE_TOO_MANY)
def test_one_threshold_more_than_was_paid_for_is_not_proved(way: str) -> None:
    loop, end = ONE_TOO_MANY[way]
    broken = parse(ANEW.format(threshold=2, loop=loop, end=end))
    assert isinstance(prove_every_length(broken, parse_scale("eps"), ProofSettings(rehearsals=2_000)), Unknown)
