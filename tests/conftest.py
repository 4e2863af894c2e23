"""Shared by all tests: property tests are the same on every machine and are never judged by the clock; a verdict
against evidence is an error."""

from collections.abc import Iterator
from typing import NoReturn

import pytest
from hypothesis import settings

from kolahal.proof import evidence

settings.register_profile("kolahal", derandomize=True, deadline=None, database=None)
settings.load_profile("kolahal")


@pytest.fixture(autouse=True)
def _no_contradictions(request: pytest.FixtureRequest) -> Iterator[None]:
    """What users would see as a defect of ours fails a test, unless the test is about that (marker `contradiction`)."""

    def fail(text: str) -> NoReturn:
        raise AssertionError(f"a verdict against evidence: {text}")

    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker("contradiction") is None:
            patch.setattr(evidence, "defect", fail)
        yield
