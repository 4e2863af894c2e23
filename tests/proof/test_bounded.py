"""Bounded proofs: what is private is proved, what is not is not, and a certificate that was tampered with is rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import programs
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.paths.explore import explore
from kolahal.paths.state import Paths
from kolahal.proof.find.bounded import find_upper_bound, prove_bounded
from kolahal.proof.trusted.bounded import covers_all_runs, recheck_bounded
from kolahal.settings import ProofSettings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Bounded, Certificate, Unknown

SETTINGS = ProofSettings()


def fill(name: str, *scales: str | None) -> Sketch:
    return (load_one(name) if name in GALLERY else programs.load(name)).complete(*scales).filled()


PRIVATE = [
    *((name, scales) for name, entry in GALLERY.items() for scales in entry.textbook),
    ("noisy_max_2", (None, "len(q)/eps")),
    ("above_threshold_2", (None, None, "len(q)/eps")),
    ("above_threshold_2", ("2/eps", None, "len(q)/eps")),  # useless noise beside the noise that hides everything
    ("above_threshold_2", ("2/eps", "4/eps", "1/eps**2")),
    ("gap_svt", ("2/eps", "4*N/eps")),
    ("numeric_svt", ("3/eps", "6*N/eps", "3*N/eps")),
    ("svt_monotone", ("2/eps", "2*N/eps")),
    ("noisy_max_one", ("1/eps",)),
    ("noisy_min", ("2/eps", "2/eps")),
    ("histogram_each", ("len(q)/eps",)),
    ("leaks_noisy_sign", ("2/eps",)),
    ("uses_epsilon", ("2/eps", "4/eps")),
    ("skips_query", ("2/eps", "4/eps")),
    ("equals_zero", ("1/eps",)),
]


@pytest.mark.parametrize(("name", "scales"), PRIVATE)
@pytest.mark.mutants
def test_what_is_private_is_proved(name: str, scales: tuple[str | None, ...]) -> None:
    mechanism = fill(name, *scales)
    found = prove_bounded(mechanism, size=3)
    assert isinstance(found, Bounded)
    assert str(found.scope).startswith("up to 3 queries")
    assert recheck_bounded(found.certificate, SETTINGS, mechanism) == ()
    assert find_upper_bound(mechanism, size=3) <= 1


BROKEN = [
    ("above_threshold_1", ("3/eps", "2/eps"), 4, "4/3"),
    ("above_threshold_1", ("1/eps", "4/eps"), 6, "3/2"),
    ("above_threshold_1", ("2/eps", "3/eps"), 4, "7/6"),
    ("noisy_max_1", ("1/eps",), 2, "2"),
    ("smart_sum", ("1/eps", "2/eps"), 2, "3/2"),
    ("svt", ("2/eps", "2*N/eps"), 3, "3/2"),
    ("svt_releases_value", ("2/eps", "4*N/eps"), 5, "5/4"),
    ("noisy_max_value", ("2/eps",), 3, "3/2"),
    ("histogram_each", ("1/eps",), 2, "2"),
]


@pytest.mark.parametrize(("name", "scales", "size", "cost"), BROKEN)
def test_what_is_not_private_is_not_proved(name: str, scales: tuple[str, ...], size: int, cost: str) -> None:
    mechanism = fill(name, *scales)
    found = prove_bounded(mechanism, size=size)
    assert isinstance(found, Unknown)
    assert find_upper_bound(mechanism, size=size) == Fraction(cost)
    claim = parse_scale(f"{cost}*eps")
    assert isinstance(prove_bounded(mechanism, claim, size=size), Bounded), "it is private at its true cost"


@pytest.mark.parametrize(
    ("name", "scales"),
    [
        ("exp_noisy_max_value", ("2/eps",)),
        ("svt_without_query_noise", ("2/eps",)),
        ("leaks_sign", ("2/eps", "2/eps")),
        ("leaks_all", ()),
        ("above_threshold_1", ("2/eps", "4/eps**2")),  # not for every ε
        ("histogram", ("1",)),
    ],
)
@pytest.mark.mutants
def test_what_has_no_bound_is_not_proved(name: str, scales: tuple[str, ...]) -> None:
    found = prove_bounded(fill(name, *scales), size=2)
    assert isinstance(found, Unknown)
    assert found.reason


@pytest.mark.mutants
def test_the_scope_names_what_was_fixed() -> None:
    found = prove_bounded(fill("svt", "2/eps", "4*N/eps"), size=2)
    assert isinstance(found, Bounded)
    assert str(found.scope) == "up to 2 queries, N from 1 to 3"
    whole = prove_bounded(fill("histogram", "1/eps").discretised(), size=2)
    assert isinstance(whole, Bounded)
    assert str(whole.scope) == "up to 2 queries"  # that its answers are whole, the program says itself


def test_a_claim_may_use_the_arguments() -> None:
    mechanism = fill("numeric_svt", "3/eps", "6/eps", "3/eps")
    assert isinstance(prove_bounded(mechanism, parse_scale("eps"), size=3), Unknown)
    assert isinstance(prove_bounded(mechanism, parse_scale("N*eps"), size=3), Bounded)


@pytest.mark.mutants
def test_holes_and_claims_without_a_value_are_refused() -> None:
    assert isinstance(prove_bounded(load_one("histogram"), size=1), Unknown)
    assert isinstance(prove_bounded(fill("above_threshold_1", "2/eps", "4/eps"), parse_scale("T*eps"), size=1), Unknown)


@pytest.mark.mutants
def test_paths_that_leave_runs_out_do_not_cover_all() -> None:
    paths = explore(load_one("noisy_max_1"), 3, {}, 100)
    assert isinstance(paths, Paths)
    assert covers_all_runs(paths, SETTINGS.solver_steps)
    for left_out in range(len(paths.paths)):
        kept = tuple(path for i, path in enumerate(paths.paths) if i != left_out)
        fewer = Paths(paths.sketch, paths.size, kept, paths.noises, paths.almost)
        assert not covers_all_runs(fewer, SETTINGS.solver_steps)


@pytest.mark.mutants
def test_paths_without_ties_do_not_cover_all() -> None:
    text = "@sketch(adjacent=one_within(1))\ndef f(q: Private, eps: Epsilon):\n    if {}:\n        return q[0]\n    return 0\n"
    for test in ("Lap(1/eps) == 0", "Exp(1/eps) <= 0", "abs(Lap(1/eps)) <= 0"):
        some, every = (explore(parse(text.format(test)), 1, {}, 100, ties=ties) for ties in (False, True))
        assert isinstance(some, Paths) and isinstance(every, Paths)
        assert some.almost == {0} and not covers_all_runs(some, SETTINGS.solver_steps)
        assert not every.almost and covers_all_runs(every, SETTINGS.solver_steps)
        assert len(every.paths) > len(some.paths)


# ---------------------------------------------------------------- tampering


def certificate_of(name: str, *scales: str | None) -> dict[str, Any]:
    found = prove_bounded(fill(name, *scales), size=3)
    assert isinstance(found, Bounded)
    document = json.loads(found.certificate.text)
    assert isinstance(document, dict)
    return document


def is_rejected(document: Any) -> bool:
    return bool(recheck_bounded(Certificate(json.dumps(document)), SETTINGS))


def last(document: Any) -> Any:
    return document["cases"][-1]


def shifts(document: Any) -> list[Any]:
    return [s for case in document["cases"] for p in case["passages"] for s in p["shifts"] if s["steps"]]


def change_step(document: Any) -> None:
    shift = shifts(document)[-1]
    name = next(iter(shift["steps"]))
    shift["steps"][name] = str(-Fraction(shift["steps"][name]))


def forget_step(document: Any) -> None:
    shift = shifts(document)[-1]
    shift["steps"], shift["cost"] = {}, "0"


def forget_facet(document: Any) -> None:
    event = next(e for e in last(document)["events"] if len(e["facets"]) > 1)
    event["facets"].pop()


def swap_facet(document: Any) -> None:
    event = next(e for e in last(document)["events"] if e["facets"])
    event["facets"][0] = (
        event["facets"][0].replace("<=", "<") if "<=" in event["facets"][0] else event["facets"][0].replace("<", "<=")
    )


def write_cost(document: Any) -> None:
    shifts(document)[0]["cost"] = "1/100"


TAMPER: dict[str, Callable[[Any], None]] = {
    "a smaller scale": lambda d: d.update(program=d["program"].replace("4/eps", "3/eps").replace("2/eps", "1/eps", 1)),
    "a smaller claim": lambda d: d.update(claim="eps/2"),
    "another program": lambda d: d.update(program=d["program"].replace(">", "<")),
    "a wider relation": lambda d: d.update(program=d["program"].replace("within(1)", "within(2)")),
    "a larger size": lambda d: d.update(size=4),
    "a missing case": lambda d: d["cases"].pop(),
    "a case twice": lambda d: d["cases"].__setitem__(2, d["cases"][1]),
    "another step": change_step,
    "no step": forget_step,
    "a forgotten facet": forget_facet,
    "another facet": swap_facet,
    "another cost": write_cost,
    "a missing event": lambda d: last(d)["events"].pop(),
    "a path twice": lambda d: last(d)["events"][0].update(paths=last(d)["events"][0]["paths"] * 2),
    "a missing passage": lambda d: last(d)["passages"].pop(),
    "no shifts": lambda d: last(d)["passages"][-1].update(shifts=[]),
    "noise that is not shifted": lambda d: last(d).update(active=[]),
    "noise that is not there": lambda d: last(d).update(active=[7]),
    "no cases": lambda d: d.pop("cases"),
    "another kind": lambda d: d.update(kind="lengths"),
    "not a program": lambda d: d.update(program="import os"),
    "not a number": lambda d: shifts(d)[0].update(cost="none"),
}


@pytest.mark.parametrize("way", TAMPER)
@pytest.mark.parametrize(("name", "scales"), [("above_threshold_1", ("2/eps", "4/eps")), ("noisy_max_1", ("2/eps",))])
@pytest.mark.mutants
def test_a_changed_certificate_is_rejected(name: str, scales: tuple[str, ...], way: str) -> None:
    document = certificate_of(name, *scales)
    assert not is_rejected(document)
    before = json.dumps(document)
    TAMPER[way](document)
    assert json.dumps(document) != before
    assert is_rejected(document)


CROSSING: dict[str, Callable[[Any], None]] = {
    "no shifts": lambda d: [p.update(shifts=[]) for p in last(d)["passages"]],
    "another piece": lambda d: [p.update(piece=None) for p in last(d)["passages"]],
    "a missing passage": lambda d: last(d)["passages"].pop(),
    "another step": change_step,
    "no step": forget_step,
    "a smaller scale": lambda d: d.update(program=d["program"].replace("len(q)/eps", "1/eps")),
}


@pytest.mark.parametrize("way", CROSSING)
def test_a_changed_certificate_with_facts_about_the_database_is_rejected(way: str) -> None:
    document = certificate_of("above_threshold_2", None, None, "len(q)/eps")
    assert not is_rejected(document)
    CROSSING[way](document)
    assert is_rejected(document)


def set_ends(document: Any, low: str, high: str) -> None:
    bounded = [p for p in last(document)["passages"] if p["ends"] is not None]
    assert bounded
    for passage in bounded:
        passage["ends"] = [[low, high] for _ in passage["ends"]]


@pytest.mark.parametrize(("low", "high"), [("0", "0"), ("-1/2", "1/2"), ("-2", "2"), ("1", "-1")])
@pytest.mark.mutants
def test_bounds_that_depend_on_the_database_are_proved_again(low: str, high: str) -> None:
    found = prove_bounded(fill("clipped_sum", "1/eps"), size=1)
    assert isinstance(found, Bounded)
    document = json.loads(found.certificate.text)
    set_ends(document, low, high)
    assert is_rejected(document)


@pytest.mark.mutants
def test_a_certificate_is_about_one_program() -> None:
    found = prove_bounded(fill("noisy_max_1", "2/eps"), size=2)
    assert isinstance(found, Bounded)
    assert recheck_bounded(found.certificate, SETTINGS, fill("noisy_max_1", "3/eps"))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"kind": "bounded"}', '{"kind": "bounded", "program": 3}', "{" * 9]
)
@pytest.mark.mutants
def test_what_is_no_certificate_is_rejected(text: str) -> None:
    assert recheck_bounded(Certificate(text), SETTINGS)
