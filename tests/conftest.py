"""Shared by all tests: property tests are the same on every machine and are never judged by the clock; a verdict
against evidence is an error, and so is a proof of ours that does not pass its own re-check."""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import NoReturn

import pytest
from hypothesis import settings

import examples
from kolahal.proof import evidence
from kolahal.proof.find import bounded, lengths

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
# Of tests that ask the same of many programs, those that take seconds and have a quick one of their kind beside them.
KINDRED = (
    *(f"test_a_page_tells_the_truth[docs/{page}.md]" for page in ("bug-zoo", "how-to/opendp", "how-to/ci", "how-to/families", "how-to/tune")),
    *(f"ranks_the_classic_answer_as_the_paper_does[{name}]" for name in ("above_threshold_1", "exp_noisy_max", "noisy_max_1")),
    *(f"test_proved_for_every_length_and_checked_again[{name}]" for name in (
        "pure is approximate", "a Gaussian threshold, alike scales", "Laplace by conversion", "max of n",
    )),
    *(f"test_the_search_finds_the_certificates_that_are_kept[{name}]" for name in (
        "two_loops_max", "exp_max_mono", "svt_mono", "num_svt2", "num_svt", "smart_checkdp", "repeat_release", "largest_of_list", "lead_least", "lead_monotone",
    )),
    *(f"test_wrong_completions_are_not_proved[{name}-" for name in ("above_threshold_2", "noisy_max_2", "exp_noisy_max", "svt")),
    *(f"test_what_no_alignment_shows_is_refuted_too[{name}]" for name in ("a threshold that is drawn anew", "clipped answers, many of them")),
    *(f"test_no_private_mechanism_is_refuted[{name}]" for name in ("svt:gap_svt@1/2", "svt:num_svt@1/2")),
    *(f"test_peeling_is_proved_for_every_length_and_every_k[{case}-each_within(1)]" for case in ("body2", "body3")),
    *(f"test_less_than_the_least_noise_is_refuted_by_two_lists_of_records[{name}]" for name in ("median in K steps", "median, exchanged")),
    *(f"test_releases_share_the_budget_as_the_roots_of_their_weights[{case}]" for case in ("weights2",)),
    "test_ten_thousand_queries_are_tested[10000]", "test_an_open_family_errs_30_percent_less_at_100_answers", "test_the_gap_of_noisy_max_is_free_at_a_fixed_size",
    "test_above_threshold_and_the_largest_of_noisy_answers[sketch0-True]",
    "test_whole_noise_is_never_worse_than_its_cost[body4-each_within(1)-5/3]", "test_whole_noise_is_never_worse_than_its_cost[body5-one_within(1)-2/3]",
    "test_another_scale_has_another_distribution[smart_sum]", "test_another_scale_has_another_distribution[svt]",
    "test_one_worker_and_two_give_the_same_bytes[noisy_max_1]", "test_textbook_answers_are_tight_and_not_refuted[svt]",
    "test_one_shot_top_two_costs_as_much_as_peeling[each_within(1)",
)  # fmt: skip
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
        if page or any(name in item.nodeid for name in (*THOROUGH, *KINDRED)) or (examples.ALL and item.get_closest_marker("examples")):
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
