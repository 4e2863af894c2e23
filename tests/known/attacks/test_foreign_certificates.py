"""Certificates of other programs: documents edited by hand, each beside the document that is as it should be.

Every proof here is genuine, and of a private program. The edit makes it a document about something that is not private,
or about nothing; whoever checks it again must refuse it. `verify` must accept the twin, the document before the edit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from kolahal import Sketch, check
from kolahal.errors import UsageError
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute import counterexample_data
from kolahal.proof.trusted.budget import Share
from kolahal.proof.trusted.certificate import read_certificate, write_certificate
from kolahal.verdicts import Bounded, Proved, Refuted
from kolahal.verification import verify

Document = dict[str, Any]


def program(body: str, parameters: str = "", relation: str = "each_within(1)", private: str = "Private") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, {parameters}eps: Epsilon):\n{lines}\n")


LAPLACE = program("return q[0] + Lap(1/eps)")
RAW = program("return q[0]")
MONOTONE = program("return q[0] + Lap(1/eps)", relation="monotone(1)")
GUARDED = program("if N < 1:\n    return q[0]\nreturn q[0] + Lap(N/eps)", "N: int, ")
UNGUARDED = program("if N < 1:\n    return q[0]\nreturn q[0] + Lap(1/eps)", "N: int, ")
SUM = program("s = 0\nfor x in q:\n    s = s + x\nreturn s + Lap(1/eps)", relation="one_within(1)")
WEAK = program("return q[0] + Lap(1/(2*eps))")


@cache
def everywhere(sketch: Sketch) -> str:
    found = prove_every_length(sketch)
    assert isinstance(found, Proved)
    return found.certificate.text


@cache
def bounded(sketch: Sketch) -> str:
    found = prove_bounded(sketch, size=2)
    assert isinstance(found, Bounded)
    return found.certificate.text


def of(text: str, **changes: object) -> Document:
    return {**json.loads(text), **changes}


def first_case(text: str, **changes: object) -> Document:
    document = json.loads(text)
    document["cases"][0] |= changes
    return document


def other_program(text: str, sketch: Sketch) -> Document:
    """The program exchanged, and everything in the document that follows from it made to fit."""
    proof, *_ = read_certificate(prove_every_length(GUARDED).certificate)  # type: ignore[union-attr]
    shares = (Share((), Fraction(1), None),)
    cases = tuple(replace(case, shares=shares) for case in proof.cases)
    return json.loads(write_certificate(replace(proof, sketch=sketch, cases=cases)).text)


def free_budget(text: str) -> Document:
    """The shares of the budget lowered, so that half of the claim is shown."""
    document = of(text, claim="eps/2")
    for share in document["cases"][0]["shares"]:
        share["bound"] = "1/2"
    return document


def dropped_goals(text: str) -> Document:
    """The obligations left out that a reader would look at."""
    return first_case(text, obligations=[])


def false_invariant(text: str) -> Document:
    """An invariant that is never reached, so that everything follows from it."""
    document = json.loads(text)
    for loop in document["cases"][0]["invariant"]:
        document["cases"][0]["invariant"][loop] = ["false"]
    return document


def other_moves(text: str) -> Document:
    """Neighbours that move by less than the program says."""
    document = json.loads(text)
    document["cases"][0]["moves"]["distance"] = "1/2"
    return document


# What was done, the document, and its twin: the one that was edited.
EDITS: dict[str, tuple[Callable[[], Document], Callable[[], Document]]] = {
    "the program exchanged": (
        lambda: of(everywhere(LAPLACE), program=str(RAW)),
        lambda: of(everywhere(LAPLACE)),
    ),
    "the claim exchanged": (
        lambda: of(everywhere(LAPLACE), claim="eps/2"),
        lambda: of(everywhere(LAPLACE), claim="2*eps"),
    ),
    "a claim of nothing": (
        lambda: of(everywhere(LAPLACE), claim="0*eps"),
        lambda: of(everywhere(LAPLACE)),
    ),
    "the budget lowered": (lambda: free_budget(everywhere(LAPLACE)), lambda: of(everywhere(LAPLACE))),
    "all cases dropped": (lambda: of(everywhere(LAPLACE), cases=[]), lambda: of(everywhere(LAPLACE))),
    "one of two cases dropped": (
        lambda: of(everywhere(MONOTONE), cases=json.loads(everywhere(MONOTONE))["cases"][:1]),
        lambda: of(everywhere(MONOTONE)),
    ),
    "one case twice": (
        lambda: of(everywhere(MONOTONE), cases=json.loads(everywhere(MONOTONE))["cases"][:1] * 2),
        lambda: of(everywhere(MONOTONE)),
    ),
    "the relation exchanged": (
        lambda: of(everywhere(LAPLACE), adjacency="one_within(1)"),
        lambda: of(everywhere(LAPLACE)),
    ),
    "smaller moves": (lambda: other_moves(everywhere(LAPLACE)), lambda: of(everywhere(LAPLACE))),
    "obligations left out": (lambda: dropped_goals(everywhere(LAPLACE)), lambda: of(everywhere(LAPLACE))),
    "an invariant that is false": (lambda: false_invariant(everywhere(SUM)), lambda: of(everywhere(SUM))),
    "an assumption that nobody enforces": (
        lambda: other_program(everywhere(GUARDED), UNGUARDED),
        lambda: of(everywhere(GUARDED)),
    ),
    "a bounded proof of size 0": (
        lambda: of(bounded(LAPLACE), size=0, cases=[]),
        lambda: of(bounded(LAPLACE)),
    ),
    "a bounded proof of a larger size": (lambda: of(bounded(LAPLACE), size=7), lambda: of(bounded(LAPLACE))),
    "a bounded proof with a case dropped": (
        lambda: of(bounded(LAPLACE), cases=json.loads(bounded(LAPLACE))["cases"][:1]),
        lambda: of(bounded(LAPLACE)),
    ),
    "a bounded proof of another program": (
        lambda: of(bounded(LAPLACE), program=str(RAW)),
        lambda: of(bounded(LAPLACE)),
    ),
    "a bounded proof of half of the claim": (
        lambda: of(bounded(LAPLACE), claim="eps/2"),
        lambda: of(bounded(LAPLACE)),
    ),
    "events left out": (lambda: first_case(bounded(LAPLACE), events=[]), lambda: of(bounded(LAPLACE))),
    "passages left out": (lambda: first_case(bounded(LAPLACE), passages=[]), lambda: of(bounded(LAPLACE))),
    "the outer program exchanged": (
        lambda: {"program": str(RAW), "claim": "eps", "certificate": json.loads(everywhere(LAPLACE))},
        lambda: {"program": str(LAPLACE), "claim": "eps", "certificate": json.loads(everywhere(LAPLACE))},
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_document_is_refused(name):
    edited, twin = EDITS[name]
    assert _faults(edited())
    assert _faults(twin()) == []


def _faults(document: Document) -> list[str]:
    try:
        return list(verify(json.dumps(document)))
    except UsageError as error:
        return [str(error)]


def test_a_counterexample_of_another_program_or_claim_is_refused():
    found = check(WEAK).verdict
    assert isinstance(found, Refuted)
    shown = counterexample_data.document(found, WEAK, parse_scale("eps"))
    assert _faults(shown) == []
    assert _faults({**shown, "program": str(LAPLACE)})
    assert _faults({**shown, "claim": "3*eps"})


def test_a_counterexample_to_a_claim_of_nothing_is_refused():
    found = check(WEAK).verdict
    assert isinstance(found, Refuted)
    assert _faults({**counterexample_data.document(found, WEAK, parse_scale("eps")), "claim": "0*eps"})
