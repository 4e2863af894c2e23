"""The literature in its own words: every program can be read, has a truth, and no verdict contradicts it.

How many are proved and refuted is measured by `python -m bench.literature`.
"""

from __future__ import annotations

import pytest
from tests.known.literature.literature_table import BROKEN, ENTRIES, PRIVATE, TRUTHS


def test_every_program_has_a_source_and_a_truth():
    assert len(PRIVATE) >= 65 and len(BROKEN) >= 30
    for entry in ENTRIES:
        assert entry.truth in TRUTHS, entry
        assert entry.title.endswith((".", "?")), entry
        assert entry.why.startswith("(") and entry.why.endswith(")"), entry
        assert not (entry.private and entry.witness), entry
    assert len({entry.title for entry in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_every_program_is_read_without_faults(entry):
    assert not entry.load().holes
    assert entry.load().epsilon.name == "eps"


@pytest.mark.parametrize("entry", [entry for entry in BROKEN if entry.witness], ids=str)
def test_brute_force_confirms_what_is_broken(entry):
    assert entry.is_broken()
