"""The road as a whole."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from kolahal.cli import main
from kolahal.engine.probe import build_rerunning_probe
from kolahal.errors import UsageError
from kolahal.evaluation import evaluate, rank_of
from kolahal.figures import landscape, losses_by_scale, objectives_by_scale, p_values
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import parse_scale
from kolahal.law import hole_choices
from kolahal.law.law import find_laws
from kolahal.model import Arguments, Equals, Example
from kolahal.report.json import dump, synthesis_document
from kolahal.report.safe import escape
from kolahal.report.text import render_synthesis
from kolahal.results import Synthesis
from kolahal.roads import law
from kolahal.roads.baselines import Cache
from kolahal.roads.methods import synthesize, travel
from kolahal.roads.watch import STEPS, Watch
from kolahal.settings import (
    ArgumentSettings,
    ExampleSettings,
    Grammar,
    RankingSettings,
    RegionSettings,
    Settings,
    TesterSettings,
    with_changes,
)
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Tested, Unknown

SMALL = replace(Settings(), grammar=Grammar(length_powers=(0,), epsilon_powers=(1,)))


@cache
def exact(name: str, seed: int = 0) -> Synthesis:
    """The paper's road with integrals on a sketch of the gallery, with a small grammar."""
    return synthesize(load_one(name), replace(SMALL, seed=seed), "exact")


@pytest.mark.parametrize("name", ["sum", "noisy_max_1"])
def test_one_worker_and_two_give_the_same_bytes(name: str) -> None:
    sketch, alone = load_one(name), exact(name)
    with ProcessPoolExecutor(2) as pool:
        shared = synthesize(sketch, SMALL, "exact", pool)
    assert dump(synthesis_document(alone, {}, "")) == dump(synthesis_document(shared, {}, ""))


def test_another_seed_gives_other_noise() -> None:
    assert exact("sum", 1).regions != exact("sum", 2).regions


def test_every_step_is_heard_and_timed() -> None:
    told: list[str] = []
    watch = Watch(tell=told.append)
    found = travel(load_one("sum"), SMALL, "exact", watch)
    others = {"choices", "proved law", "more noise", "less noise", "unbounded"}
    assert set(watch.results) == set(STEPS) - others and set(told) == {STEPS[name][1] for name in watch.results}
    assert watch.results["ranking"] == found.ranked and watch.results["verdicts"] == found.judged
    assert watch.total()["total"] >= sum(watch.seconds.values()) and all(watch.seconds.values())


def test_the_law_is_looked_for_once_and_its_seconds_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The default method hands on what the law says; nobody asks again, neither for the ranking nor for the verdicts."""
    asked: list[object] = []

    def slow(*args: Any) -> Any:
        asked.append(args)
        time.sleep(0.05)
        return find_laws(*args)

    monkeypatch.setattr(hole_choices, "find_laws", slow)
    watch = Watch()
    found = travel(load_one("noisy_max_1"), SMALL, "auto", watch)
    assert found.method == "law" and len(asked) == 1 and watch.seconds["opti"] >= 0.05
    assert {r.completion for r in found.ranked} <= {p.completion for p in found.priced} and found.candidates == len(found.priced)


def test_a_sketch_without_a_law_is_searched_and_the_looking_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hole_choices, "find_laws", lambda *_: Unknown("no law today"))
    monkeypatch.setattr(law, "find_law_of_proof", lambda *_: ())
    watch = Watch()
    found = travel(load_one("sum"), SMALL, "auto", watch)
    assert found.method == "exact" and set(watch.results) == set(STEPS) - {"more noise", "less noise"} and found.best is not None
    direct = synthesize(load_one("sum"), SMALL, "law")
    assert not direct.ranked and direct.reason == "no law today" and not found.reason


def test_a_sketch_without_holes_is_refused() -> None:
    mechanism = load_one("sum").complete("1/eps").filled()
    with pytest.raises(UsageError, match="no holes"):
        synthesize(mechanism)


LEAK = """
@sketch(adjacent=each_within(1))
def leak(q: Private, eps: Epsilon):
    if q[0] > 0:
        return 1
    return 2 + Lap(hole)
"""


def test_no_private_completion_ends_with_code_1_and_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "leak.py"
    path.write_text(LEAK)
    code = main(["synth", str(path), "--workers", "1", "--method", "exact"])
    out = capsys.readouterr().out
    assert code == 1
    assert "No private completion of leak was found" in out and "smallest violation" in out and "d1 =" in out


def test_synthesize_works_on_a_sketch_that_is_not_in_the_gallery() -> None:
    sketch = parse("""
@sketch(adjacent=one_within(2))
def partial_sum(q: Private, eps: Epsilon):
    s = 0
    for x in q:
        s = s + x
    return s + Lap(hole)
""")
    found = synthesize(sketch, SMALL, "exact")
    assert found.best is not None and str(found.best.ranked.completion[0]) == "2/eps"
    assert isinstance(found.mechanism([1, 2, 3], eps=0.5), float)


@pytest.mark.parametrize("method", ["naive", "unlim", "lim", "noopt"])
def test_every_baseline_finds_the_textbook_answer_of_histogram(method: str) -> None:
    found = synthesize(load_one("histogram"), SMALL, method)
    assert found.best is not None and str(found.best.ranked.completion[0]) == "1/eps"


def test_the_cache_is_ordered_by_utility_then_recency_and_limited() -> None:
    sketch, one = load_one("noisy_max_1"), Fraction(1)
    pairs = [((base,) * 3, (base - 1, base + 1, base + 1)) for base in map(Fraction, range(3))]
    examples = [Example(d1, d2, Equals(one), Arguments(one, 3)) for d1, d2 in pairs]
    cache = Cache(2)
    for example in examples:
        cache.remember(example)
    assert [entry.example for entry in cache.entries] == examples[::-1][:2]
    probe = build_rerunning_probe(sketch, SMALL, "cache")
    assert cache.rejects(sketch, (parse_scale("1/eps"),), probe)
    assert max(entry.utility for entry in cache.entries) == 2
    assert not cache.rejects(sketch, (parse_scale("50/eps"),), probe)


# The paper's own method, with a budget that fits a test: fewer runs, and a grammar without |q|.
SAMPLED = replace(
    SMALL,
    examples=ExampleSettings(start_runs=10_000, climb_runs=2_500, first_climbs=6, sampled_climbs=10, rounds=8, examined=3, steps=3, lengthenings=1),
    region=RegionSettings(runs=6_000),
    tester=TesterSettings.quick(),
)


# Fewer and shorter searches yet; for the ranks alone. Proposals and their runs are as always: with fewer the region of SVT
# does not know which of its vectors are tight.
CHEAP = replace(
    SMALL,
    arguments=ArgumentSettings(testing=1),
    examples=ExampleSettings(
        start_runs=20_000, climb_runs=2_500, first_climbs=6, sampled_climbs=10, rounds=8, examined=3, steps=3, lengthenings=1
    ),
    ranking=RankingSettings(finalists_per_hole=2, measured_per_hole=5),
    tester=TesterSettings.quick(),
)  # fmt: skip


@cache
def sampled(name: str) -> Synthesis:
    """The paper's own method on a sketch of the gallery."""
    return synthesize(load_one(name), SAMPLED, "paper")


@pytest.mark.parametrize("name", GALLERY)
def test_the_papers_own_method_ranks_the_classic_answer_as_the_paper_does(name: str) -> None:
    """The seed is fixed, so there is no false alarm: another rank is another algorithm, or other random numbers."""
    found = synthesize(load_one(name), CHEAP, "paper")
    rank = rank_of(GALLERY[name].textbook[:1], found.judged)
    assert rank is not None and rank <= GALLERY[name].rank


RANKS = Path(__file__).parent / "golden" / "ranks.json"  # by sketch and seed: of the classic answer, and of a variant


@pytest.mark.paper
@pytest.mark.parametrize("name", GALLERY)
def test_ranks_by_seed_are_those_that_the_page_about_the_paper_shows(name: str) -> None:
    """KOLAHAL_GOLDEN=rewrite asks ten seeds, and writes what they give."""
    known = json.loads(RANKS.read_text())
    rewrite = os.environ.get("KOLAHAL_GOLDEN") == "rewrite"
    classic, *variants = GALLERY[name].textbook
    found = {}
    for seed in map(str, range(10)) if rewrite else known[name]:
        judged = synthesize(load_one(name), Settings(seed=int(seed)), "paper").judged
        found[seed] = [rank_of((classic,), judged), rank_of(variants, judged)]
    if rewrite:
        RANKS.write_text(json.dumps({**known, name: found}, indent=1) + "\n")
    assert found == json.loads(RANKS.read_text())[name]


def test_the_stored_ranks_are_as_good_as_the_papers() -> None:
    """The median over the seeds, and first on at least eight of nine."""
    ranks = {name: median(rank or 99 for rank, _ in by_seed.values()) for name, by_seed in json.loads(RANKS.read_text()).items()}
    assert set(ranks) == set(GALLERY) and all(ranks[name] <= GALLERY[name].rank for name in GALLERY)
    assert sum(rank == 1 for rank in ranks.values()) >= 8


def test_figures_are_drawn_from_the_examples_of_a_run() -> None:
    one, two = sampled("noisy_max_1"), sampled("above_threshold_1")
    kept = {s.example for s in (*one.selection.kept, *one.selection.dropped)}
    for svg in (losses_by_scale(one), objectives_by_scale(one), p_values(one)):
        assert any(escape(str(example)) in svg for example in kept)
    assert "McNemar" in p_values(one)
    statdp = with_changes(one.settings, "tester", method="statdp")
    assert "Fisher" in p_values(replace(one, settings=statdp)) and "McNemar" not in p_values(replace(one, settings=statdp))
    arguments = two.split.training[0]
    (region,) = (region for region in two.regions if region.arguments == arguments)
    for answer in GALLERY["above_threshold_1"].textbook:
        scales = arguments.concretise(two.sketch, tuple(parse_scale(text) for text in answer))
        near = min(abs(a - scales[0]) + abs(b - scales[1]) for a, b in region.members)
        assert near <= two.settings.ranking.neighbourhood
    drawn = landscape(two)
    assert drawn.count('class="k-dot"') > 5 and "(2/ε, 4/ε)" in drawn and "selectExamples" in drawn


def test_the_papers_own_method_samples_and_tests_and_does_nothing_else() -> None:
    found = sampled("noisy_max_1")
    losses = dict(found.losses)
    assert losses["sampled"] > 100 and losses["integrated"] == 0
    assert found.law is None and all(isinstance(judged.verdict, Tested) for judged in found.judged)
    assert all(judged.trial is not None for judged in found.judged)
    assert {row["verdict"] for row in found.table()} == {"tested"} and found.table()[0]["p_value"] > 0.05
    text = render_synthesis(found, {"opti": 1.0, "verify": 2.0})
    assert "searching the region 1.0, final tests 2.0" in text and "law" not in text and "proving" not in text
    assert text.count("fails its test") == sum(judged.is_rejected(0.05) for judged in found.judged) > 0
    assert dict(exact("noisy_max_1").losses)["integrated"] > 100


def test_statdp_can_be_the_tester() -> None:
    settings = with_changes(SAMPLED, "tester", method="statdp")
    found = synthesize(load_one("histogram"), settings, "paper")
    assert found.best is not None and str(found.best.ranked.completion[0]) == "1/eps"


@pytest.mark.paper
@pytest.mark.parametrize("name", GALLERY)
def test_the_exact_method_ranks_an_answer_of_the_literature_first_and_proves_it(name: str) -> None:
    """As docs/results.md has it. The paper's own ranks are 1 too, but for smart sum (4) and above threshold 2 (2)."""
    for seed in range(3):
        row = evaluate(name, "exact", Settings(seed=seed))
        assert (min(row.rank or 99, row.variant or 99), row.prover) == (1, "proved"), seed
