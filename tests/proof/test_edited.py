"""What is said of documents with one thing changed: exactly what was said before, and that nothing wrong is accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
import stored
import test_budgets
from corpus import corpus
from edits import edits

import programs
from digests import agrees, digest
from kolahal.lang.claims import plain_claim
from kolahal.lang.read.parse import parse
from kolahal.lang.sketch import Sketch
from kolahal.paths.unknowns import NoiseAt
from kolahal.proof.find.affine import prove_affine
from kolahal.proof.find.bounded import prove_bounded
from kolahal.proof.find.budgets import prove_budget
from kolahal.proof.trusted.affine import recheck_affine, write_affine
from kolahal.proof.trusted.bounded import recheck_bounded
from kolahal.proof.trusted.certificate import recheck
from kolahal.proof.trusted.concentrated import recheck_budget
from kolahal.settings import ProofSettings
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Bounded, Certificate, Proved

pytestmark = pytest.mark.mutants
SETTINGS = ProofSettings()


def fill(name: str, *scales: str | None) -> Sketch:
    return (load_one(name) if name in GALLERY else programs.load(name)).complete(*scales).filled()


# ---------------------------------------------------------------- bounded proofs

def program(body: str, relation: str, private: str, arguments: str = "", budget: str = "eps: Epsilon") -> Sketch:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse(f"@sketch(adjacent={relation})\ndef f(q: {private}, {arguments}{budget}):\n{lines}\n")


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
    "another place": (program("j = choose([1, 0], 1/eps)\nif q[0] > 0:\n    if j == 0:\n        return 1\n    return 0\nif j == 0:\n    return 0\nreturn 1", "each_within(1)", "Private[1]"), 1, 7),
    "a place of three": (program("j = choose([1, 0, 0], 1/eps)\nr = j\nif q[0] > 0:\n    r = j + 1\nif r >= 3:\n    r = 0\nreturn r", "each_within(1)", "Private[1]"), 1, 60),
    "a quotient": (program("s = q[0] + Lap(2/eps)\nn = q[1] + Lap(2/eps)\nreturn s / max(n, 1)", "each_within(1)", "Private[2]"), 2, 4),
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


# ---------------------------------------------------------------- claims other than ε

RHO, MU, BOTH = "rho: Rho", "mu: Mu", "eps: Epsilon, delta: Delta"
RELEASES = {
    "sums": ("a = q[0] + Gauss(sqrt(5/(2*rho)))\nreturn a, q[0] + q[1] + Gauss(sqrt(5/(2*rho))), τ, None, 3", "each_within(1)", "Private[2]", "τ: float, ", RHO),
    "each size": ("return [x + Gauss(sqrt(2/(2*rho))) for x in q]", "one_within(1)", "Private", "", RHO),
    "two": ("return 2 * q[0] + Gauss(1.2/mu) + 2 * Gauss(0.8/mu)", "one_within(1)", "Private[1]", "", MU),
    "whole": ("return [x + DiscreteGauss(1/sqrt(2*rho)) for x in q]", "one_within(1)", "Private[int, 2]", "", RHO),
    "laplace": ("return q[0] + Lap(1/rho), q[1] + Gauss(1/sqrt(2*rho))", "one_within(1)", "Private[2]", "", RHO),
    "both": ("return q[0] - q[1] + Gauss(4/gdp(eps, delta))", "sum_within(2)", "Private[2]", "", BOTH),
    "length": ("return [x + Gauss(sqrt(len(q)/(2*rho))) for x in q]", "monotone(1)", "Private[2]", "", RHO),
}
NO_RELEASES = {
    "a truth": ("return q[0] + Gauss(1/sqrt(2*rho)) > 0", "one_within(1)", "Private[2]", "", RHO),
    "a condition": ("if q[0] > 0:\n    return q[0] + Gauss(1/sqrt(2*rho))\nreturn 0", "one_within(1)", "Private[2]", "", RHO),
    "a condition on noise": ("x = Gauss(1/sqrt(2*rho))\nif x > 0:\n    return 1\nreturn 1", "one_within(1)", "Private[2]", "", RHO),
    "a tie": ("x = Gauss(1/sqrt(2*rho))\nif x == 0:\n    return 1\nreturn q[0] + x", "one_within(1)", "Private[2]", "", RHO),
    "a product": ("return q[0] * Gauss(1/sqrt(2*rho))", "one_within(1)", "Private[2]", "", RHO),
    "a place outside": ("return q[2] + Gauss(1/sqrt(2*rho))", "one_within(1)", "Private[2]", "", RHO),
    "whole arguments": ("return q[0] + Gauss(N/sqrt(2*rho))", "one_within(1)", "Private[2]", "N: int, ", RHO),
    "truths": ("return q[0] + Gauss(1/sqrt(2*rho))", "one_within(1)", "Private[2]", "on: bool, ", RHO),
    "bits": ("return [b != Flip(1/rho) for b in q]", "sum_within(1)", "Private[bool, 9]", "", RHO),
    "one-sided": ("return q[0] + Exp(1/rho)", "one_within(1)", "Private[2]", "", RHO),
    "a wrong power": ("return q[0] + Gauss(1/rho)", "one_within(1)", "Private[2]", "", RHO),
    "no price": ("return q[0] + Lap(1/mu)", "one_within(1)", "Private[2]", "", MU),
    "half steps": ("return q[0] / 2 + DiscreteGauss(1/sqrt(2*rho))", "one_within(1)", "Private[int, 2]", "", RHO),
    "whole noise on real answers": ("return q[0] + DiscreteGauss(1/sqrt(2*rho))", "one_within(1)", "Private[2]", "", RHO),
    "too little": ("return q[0] + Gauss(0.999/sqrt(2*rho))", "one_within(1)", "Private[2]", "", RHO),
    "nothing to hide it": ("return q[0] + Gauss(1/sqrt(2*rho)), q[1]", "one_within(1)", "Private[2]", "", RHO),
    "one noise for two": ("e = Gauss(1/sqrt(2*rho))\nreturn q[0] + e, q[1] + e", "one_within(1)", "Private[2]", "", RHO),
    "too many neighbours": ("return [x + Gauss(sqrt(13/(2*rho))) for x in q]", "each_within(1)", "Private[13]", "", RHO),
}


def released(name: str) -> Sketch:
    return program(*(RELEASES | NO_RELEASES)[name])


@pytest.mark.parametrize("name", RELEASES)
def test_edited_proofs_of_releases_are_refused_as_before(name: str) -> None:
    sketch = released(name)
    found = prove_affine(sketch, plain_claim(sketch), SETTINGS)
    assert isinstance(found, Proved | Bounded) and recheck_affine(found.certificate) == []
    changes = edits(json.loads(found.certificate.text))
    said = [found.certificate.text, *(f"{where} {recheck_affine(Certificate(json.dumps(changed)))}" for where, changed in changes)]
    agrees("edited-budgets.txt", {name: digest(said)}, BUDGETS)


@pytest.mark.parametrize("name", NO_RELEASES)
def test_why_a_proof_of_a_release_is_refused(name: str) -> None:
    """A proof that says of each answer that its first noise hides a move of 1."""
    sketch = released(name)
    size = sketch.private.count or 1
    noise = {NoiseAt(0, ()): Fraction(-1)}
    forged = write_affine(sketch, plain_claim(sketch), {size: tuple(noise for _ in range(size))})
    stays = write_affine(sketch, plain_claim(sketch), {size: tuple({} for _ in range(size))})
    said = [str(recheck_affine(proof)) for proof in (forged, stays)]
    assert "[]" not in said
    agrees("edited-budgets.txt", {name: digest(said)}, BUDGETS)


SHIFTS = {"one answer": 9, "monotone": 40, "running sums": 60, "a Gaussian threshold": 300, "pure is approximate": 300, "release, mu": 25}
BUDGETS = [*RELEASES, *NO_RELEASES, *(f"shifts, {name}" for name in SHIFTS)]


@pytest.mark.parametrize("name", SHIFTS)
def test_edited_proofs_of_other_claims_are_refused_as_before(name: str) -> None:
    sketch = test_budgets.program(*test_budgets.PROVED[name])
    found = prove_budget(sketch, plain_claim(sketch), SETTINGS)
    assert isinstance(found, Proved)
    changes = edits(json.loads(found.certificate.text), SHIFTS[name], lambda where: "obligations" not in where)
    said = [found.certificate.text, *(f"{where} {recheck_budget(Certificate(json.dumps(changed)), 100_000)}" for where, changed in changes)]
    agrees("edited-budgets.txt", {f"shifts, {name}": digest(said)}, BUDGETS)
