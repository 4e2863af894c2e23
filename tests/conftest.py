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

# Files whose tests take minutes together: `make thorough` runs them, `make test` does not.
THOROUGH = (
    "batch/test_batch.py", "batch/test_dask.py", "fuzz/test_hostile.py", "fuzz/test_escaping.py", "known/attacks/", "known/literature/",
    "known/rewrites/", "known/test_known.py", "lang/test_emitted_privacy.py", "lang/test_idioms_attacked.py", "proof/test_ghosts_attacked.py",
    "proof/test_hostile_documents.py", "proof/test_hunt.py", "proof/test_lists_attacked.py", "proof/test_machines_attacked.py",
    "proof/test_reach.py", "proof/test_record_bins.py", "proof/test_records_attacked.py", "proof/test_second_hunt.py", "proof/test_units.py",
    "proof/test_edited.py", "draws/test_sniper.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(name in str(item.path) for name in THOROUGH):
            item.add_marker(pytest.mark.thorough)


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
