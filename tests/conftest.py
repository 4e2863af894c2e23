"""Shared by all tests: property tests are the same on every machine and are never judged by the clock; a verdict
against evidence is an error, and so is a proof of ours that does not pass its own re-check."""

from collections.abc import Iterator, Sequence
from typing import NoReturn

import pytest
from hypothesis import settings

from kolahal.proof import evidence
from kolahal.proof.find import bounded, lengths

# The examples are the same every time, so the second fifty of a property would find what the first do, or nothing.
settings.register_profile("kolahal", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("kolahal")


@pytest.fixture(autouse=True)
def _no_contradictions(request: pytest.FixtureRequest) -> Iterator[None]:
    """What users would see as a defect of ours fails a test, unless the test is about that (marker `contradiction`)."""

    def fail(text: str) -> NoReturn:
        raise AssertionError(f"a verdict against evidence: {text}")

    def fail_recheck(what: str, faults: Sequence[str]) -> NoReturn:
        raise AssertionError(f"{what} did not pass its re-check: {faults}")

    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker("contradiction") is None:
            patch.setattr(evidence, "defect", fail)
            for prover in (lengths, bounded):
                patch.setattr(prover, "failed_recheck", fail_recheck)
        yield
