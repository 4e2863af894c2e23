"""Forged proofs for every length: whatever alignment and invariant are offered, a program that is not private has no certificate."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import stored
from adversaries import BROKEN, load
from forger import Forger, invariant_of, with_noise

from kolahal.lang.sketch import Sketch
from kolahal.proof.find.lengths import Way
from kolahal.proof.trusted.certificate import LengthProof, read_certificate, recheck, write_certificate
from kolahal.proof.trusted.product import build_system
from kolahal.proof.trusted.shifts import Alignment

TINY = Fraction(1, 1000)  # of the noise that a program needs
FEW, MANY = 3, 40  # tries at one program
QUICK = ("sum", "above_threshold_1", "smart_sum", "largest_of_list", "named_noise", "hist_sum", "flagged", "averages")


def proof_of(name: str) -> LengthProof:
    return read_certificate(stored.certificate(name))[0]


def known_to(proof: LengthProof) -> list[tuple[Way, Alignment]]:
    way = Way(proof.released, proof.delayed, proof.at_once, proof.parts, proof.watches)
    return [(way, case.alignment) for case in proof.cases]


def accepted(sketch: Sketch, tries: int, known: list[tuple[Way, Alignment]], seed: int) -> list[LengthProof]:
    forger = Forger(sketch, random.Random(seed), known)
    found = [proof for _ in range(tries) if (proof := forger.forged()) is not None]
    return [proof for proof in found if not recheck(write_certificate(proof), program=sketch)]


@pytest.mark.parametrize("name", ["sum", "above_threshold_1", "named_noise"])
def test_a_forger_has_the_means_to_prove_what_is_private(name: str) -> None:
    """With all its noise, the alignment that is known is enough: Spacer finds the rest, and the document is in order."""
    proof = proof_of(name)
    forger = Forger(proof.sketch, random.Random(0))
    cases = []
    for case in proof.cases:
        shares = forger.shares(proof.product())
        invariant = invariant_of(build_system(proof.product(), case.neighbours, case.alignment, shares, proof.assumed))
        assert invariant is not None
        cases.append(type(case)(case.neighbours, case.alignment, shares, invariant))
    document = LengthProof(
        proof.sketch, proof.claim, proof.assumed, proof.released, proof.delayed, tuple(cases), proof.at_once, proof.parts, proof.watches
    )
    assert recheck(write_certificate(document), program=proof.sketch) == []


@pytest.mark.parametrize("name", QUICK)
def test_no_proof_of_a_program_with_next_to_no_noise(name: str) -> None:
    proof = proof_of(name)
    assert accepted(with_noise(proof.sketch, TINY), FEW, known_to(proof), 1) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", stored.NAMES)
def test_no_proof_with_next_to_no_noise_whatever_the_mechanism(name: str) -> None:
    proof = proof_of(name)
    assert accepted(with_noise(proof.sketch, TINY), MANY, known_to(proof), 2) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", BROKEN)
def test_no_proof_of_what_looks_private_and_is_not(name: str) -> None:
    assert accepted(load(name), MANY, [], 3) == []
