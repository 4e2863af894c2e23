"""Where cvc5 is installed, it must agree with Z3 on every query of a certificate."""

from __future__ import annotations

import pytest
from stored import certificate

from kolahal.logic import solver
from kolahal.proof.trusted.certificate import recheck
from kolahal.verification import verify

needs_cvc5 = pytest.mark.skipif(not solver.has_second_opinion(), reason="cvc5 is not installed")


@needs_cvc5
@pytest.mark.parametrize("name", ["noisy_max_1", "smart_sum", "svt"])
def test_both_solvers_accept_a_proof(name: str) -> None:
    assert recheck(certificate(name), second=True) == []
    assert verify(certificate(name).text) == []


@needs_cvc5
def test_it_answers_as_it_should() -> None:
    script = "(set-logic ALL)\n(declare-const x Real)\n(assert (< x {}))\n(assert (> x 1.0))\n(check-sat)\n"
    assert solver.second_opinion(script.format("1.0"), 10_000) == "unsat"
    assert solver.second_opinion(script.format("2.0"), 10_000) == "sat"
    assert solver.second_opinion(script.format("y"), 10_000) == "unknown"
    assert solver.second_opinion("(check-sat", 10_000) == "unknown"
    assert solver.second_opinion("", 10_000) == "unknown"


def test_a_second_solver_that_disagrees_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "second_opinion", lambda *_: "sat")
    assert recheck(certificate("histogram")) == []
    faults = recheck(certificate("histogram"), second=True)
    assert faults and all("the solvers disagree" in fault and "cvc5 sat" in fault for fault in faults)
    monkeypatch.setattr(solver, "has_second_opinion", lambda: True)
    assert verify(certificate("histogram").text) == faults
