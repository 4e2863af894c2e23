"""What is said of documents with one thing changed: exactly what was said before, and that nothing wrong is accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import stored
from corpus import corpus
from digests import agrees, digest
from edits import edits

import programs
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.trusted.bounded import recheck_bounded
from kolahal.proof.trusted.certificate import recheck
from kolahal.settings import ProofSettings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Bounded, Certificate, Proved

pytestmark = pytest.mark.mutants
SETTINGS = ProofSettings()


def fill(name: str, *scales: str | None) -> Sketch:
    return (load_one(name) if name in GALLERY else programs.load(name)).complete(*scales).filled()


# ---------------------------------------------------------------- bounded proofs

def program(body: str, relation: str, private: str, arguments: str = "") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, {arguments}eps: Epsilon):\n{lines}\n")


# The program, how many answers, and which of its edits are looked at: every so many.
CASES = {
    "above": (fill("above_threshold_1", "2/eps", "4/eps"), 2, 4),
    "crossing": (fill("above_threshold_2", None, None, "len(q)/eps"), 2, 25),
    "clipped": (fill("clipped_sum", "1/eps"), 1, 25),
    "one-sided": (fill("exp_noisy_max", "2/eps", None), 2, 2),
    "whole noise": (fill("noisy_max_1", "2/eps").discretised(), 2, 2),
    "bits": (program("return [b != Flip(1/eps) for b in q]", "one_within(1)", "Private[bool, 2]"), 2, 300),
    "several bits": (program("return [b != Flip(2/eps) for b in q]", "sum_within(2)", "Private[bool, 2]"), 2, 400),
    "two coins": (program("return (q[0] != Flip(1/eps)) != Flip(3/eps)", "one_within(1)", "Private[bool, 1]"), 1, 40),
    "chosen": (program("return choose(q, 2/eps)", "each_within(1)", "Private"), 2, 5),
    "chosen, clipped": (program("return choose([x if x > 0 else 0 for x in q], 2/eps)", "each_within(1)", "Private"), 2, 400),
    "arguments": (program("if on:\n    return q[0] + Lap(1/eps)\nreturn q[0] + Lap(N/eps)", "each_within(1)", "Private", "N: int, on: bool, "), 1, 20),
    "a declared number": (program("return q[0] + q[1] + Lap(1/eps)", "sum_within(1)", "Private[2]"), 2, 3),
    "whole answers": (program("return [x + DiscreteLap(1/eps) for x in q]", "one_within(1)", "Private[int]"), 2, 5),
    "one way": (program("return [x + Lap(len(q)/eps) for x in q]", "monotone(1)", "Private"), 2, 5),
    "asserted": (program("assert N > 1\nreturn q[0] + Lap(1/eps)", "each_within(1)", "Private", "N: int, "), 1, 9),
}


@pytest.mark.parametrize("name", CASES)
def test_edited_bounded_proofs_are_refused_as_before(name: str) -> None:
    sketch, size, stride = CASES[name]
    found = prove_bounded(sketch, size=size)
    assert isinstance(found, Bounded | Proved)
    assert recheck_bounded(found.certificate, SETTINGS, sketch) == ()
    said = [
        f"{where} {recheck_bounded(Certificate(json.dumps(changed)), SETTINGS)}"
        for where, changed in _near_the_end(json.loads(found.certificate.text), stride)
    ]
    agrees("edited-bounded.txt", {name: digest(said)}, CASES)


def _near_the_end(document: Any, stride: int) -> Iterator[tuple[str, Any]]:
    """The edits of the document itself, and of its last case, which is the largest."""
    last = f"cases.{len(document['cases']) - 1}"
    return edits(document, stride, lambda where: not where.startswith("cases.") or where.startswith(last))


BOUNDED = ("gallery", "gallery, whole", "kinds", "one_sided", "relations", "ties", "whole", "places", "budget")


@pytest.mark.parametrize("part", BOUNDED)
def test_bounded_proofs_are_what_they_were(part: str) -> None:
    found = {}
    for name, sketch in corpus()[part].items():
        verdict = prove_bounded(sketch, size=sketch.private.count or 2)
        found[f"{part}: {name}"] = digest([verdict.certificate.text if isinstance(verdict, Bounded | Proved) else verdict.reason])
    agrees("bounded.txt", found, [f"{part}: {name}" for part in BOUNDED for name in corpus()[part]])


# ---------------------------------------------------------------- proofs for every length

LENGTHS = {"histogram": 3, "guard_len": 40, "mean": 12, "discrete_above": 24, "hist_sum": 12}  # every so many edits


@pytest.mark.parametrize("name", LENGTHS)
def test_edited_proofs_for_every_length_are_refused_as_before(name: str) -> None:
    document = json.loads(stored.certificate(name).text)
    obligations = [case["obligations"] for case in document["cases"]]
    short = {**document, "cases": [{**case, "obligations": case["obligations"][:1]} for case in document["cases"]]}
    said = []
    for where, changed in edits(short, LENGTHS[name]):
        for case, scripts in zip(changed.get("cases") or (), obligations):  # complete again, but for the change
            if isinstance(case.get("obligations"), list) and "obligations" not in where:
                case["obligations"] = scripts
        said.append(f"{where} {recheck(Certificate(json.dumps(changed)), 100_000)}")
    agrees("edited-lengths.txt", {name: digest(said)}, LENGTHS)
