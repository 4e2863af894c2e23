"""The literature in its own words: every program can be read, has a truth, and no verdict contradicts it.

How many are proved and refuted is measured by `python -m bench.literature`. `make test` asks one private and one broken
program of each source; the marker `literature` asks for the verdict on all.
"""

from __future__ import annotations

import pytest
from bench.literature import judge_within
from tests.known.literature.literature_table import BROKEN, ENTRIES, PRIVATE, TRUTHS

from kolahal.lang.scale import parse_scale
from kolahal.proof.find.lengths import prove_every_length
from kolahal.proof.refute.refute import refute
from kolahal.settings import Settings
from kolahal.verdicts import Proved, Refuted


def first_of_each(entries):
    """One program of each source."""
    return list({entry.path: entry for entry in reversed(entries) if not entry.claim}.values())


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


@pytest.mark.parametrize("entry", first_of_each(PRIVATE), ids=str)
def test_what_is_private_is_not_refuted(entry):
    assert not isinstance(refute(entry.load(), parse_scale("eps"), Settings()), Refuted)


@pytest.mark.parametrize("entry", first_of_each(BROKEN), ids=str)
def test_what_is_broken_is_not_proved(entry):
    assert not isinstance(prove_every_length(entry.load()), Proved)


@pytest.mark.literature
@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_no_verdict_contradicts_the_truth(entry):
    verdict, _, said = judge_within(entry)
    assert verdict not in ("failed", "refuted" if entry.private else "proved"), said
