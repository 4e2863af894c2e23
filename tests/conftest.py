"""Shared by all tests: property tests are the same on every machine and are never judged by the clock; a verdict
against evidence is an error, and so is a proof of ours that does not pass its own re-check."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

import examples
from kolahal.proof import evidence
from kolahal.proof.find import own_recheck

# The examples are the same every time, so the second fifty of a property would find what the first do, or nothing.
settings.register_profile("kolahal", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("kolahal")

# Files and tests that take minutes together: `make thorough` runs them, `make test` does not.
THOROUGH = (
    "batch/test_batch.py", "batch/test_dask.py", "fuzz/test_hostile.py", "fuzz/test_escaping.py", "known/attacks/", "known/literature/",
    "known/rewrites/", "known/test_known.py", "lang/test_emitted_privacy.py", "lang/test_idioms_attacked.py", "proof/test_ghosts_attacked.py",
    "proof/test_hostile_documents.py", "proof/test_hunt.py", "proof/test_lists_attacked.py", "proof/test_machines_attacked.py",
    "proof/test_reach.py", "proof/test_record_bins.py", "proof/test_records_attacked.py", "proof/test_second_hunt.py", "proof/test_units.py",
    "proof/test_edited.py", "draws/test_sniper.py", "draws/test_broken_selection.py", "proof/test_renewed_attacked.py",
    "proof/test_budgets_attacked.py", "proof/test_delayed_and_followed.py", "proof/test_adversaries.py",
    "test_as_many_bins_as_an_argument_says[body2]", "test_what_gives_bits_away_is_never_proved[text5]",
    "textbook_answer_of_histogram[noopt]", "textbook_answer_of_histogram[unlim]", "textbook_answer_of_histogram[lim]",
    "test_what_costs_more_is_not_proved[return choose([x if x > 0", "test_too_little_noise_is_not_proved_either",
    "test_the_gallery_measures_and_composes[s", "test_all_engines_count_the_turns_of_a_run_alike",
)  # fmt: skip
SLOW = frozenset(Path(__file__).with_name("slow.txt").read_text(encoding="utf-8").splitlines())
PAGES = "test_a_page_tells_the_truth[docs/gallery/"
QUICK_PAGES = ("above_threshold_1", "clipped_mean", "histogram")  # of the gallery; the others are for `make thorough`


def pytest_configure(config: pytest.Config) -> None:
    """The hundreds of programs that tests start find bytecode, and so do the workers, also where the environment says that nobody
    writes any: compiling takes half of a short command. It stands where Python always has it."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        page = PAGES in item.nodeid and not any(f"/{name}.md" in item.nodeid for name in QUICK_PAGES)
        if page or any(name in item.nodeid for name in THOROUGH) or item.nodeid in SLOW or (examples.ALL and item.get_closest_marker("examples")):
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
            patch.setattr(own_recheck, "failed_recheck", fail_recheck)
        yield
