"""What is said of documents with one thing changed: exactly what was said before, and that nothing wrong is accepted."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
import stored
from corpus import corpus
from digests import agrees, digest
from edits import edits

import programs
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

# The program, how many answers, and which of its edits are looked at: every so many.
CASES = {
    "above": (fill("above_threshold_1", "2/eps", "4/eps"), 2, 4),
    "crossing": (fill("above_threshold_2", None, None, "len(q)/eps"), 2, 25),
    "clipped": (fill("clipped_sum", "1/eps"), 1, 25),
    "one-sided": (fill("exp_noisy_max", "2/eps", None), 2, 2),
    "whole noise": (fill("noisy_max_1", "2/eps").discretised(), 2, 2),
}


@pytest.mark.parametrize("name", CASES)
def test_edited_bounded_proofs_are_refused_as_before(name: str) -> None:
    sketch, size, stride = CASES[name]
    found = prove_bounded(sketch, size=size)
    assert isinstance(found, Bounded | Proved)
    assert recheck_bounded(found.certificate, SETTINGS, sketch) == ()
    said = [
        f"{where} {recheck_bounded(Certificate(json.dumps(changed)), SETTINGS)}"
        for where, changed in itertools.islice(_near_the_end(json.loads(found.certificate.text)), 0, None, stride)
    ]
    agrees("edited-bounded.txt", {name: digest(said)}, CASES)


def _near_the_end(document: Any) -> Iterator[tuple[str, Any]]:
    """The edits of the document itself, and of its last case, which is the largest."""
    last = len(document["cases"]) - 1
    for where, changed in edits(document):
        if not where.startswith("cases.") or where.startswith(f"cases.{last}"):
            yield where, changed


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
    for where, changed in itertools.islice(edits(short), 0, None, LENGTHS[name]):
        for case, scripts in zip(changed.get("cases") or (), obligations):  # complete again, but for the change
            if isinstance(case.get("obligations"), list) and "obligations" not in where:
                case["obligations"] = scripts
        said.append(f"{where} {recheck(Certificate(json.dumps(changed)), 100_000)}")
    agrees("edited-lengths.txt", {name: digest(said)}, LENGTHS)
