"""The steps of the search, each alone."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from kolahal.engine.probe import Losses, Probe, build_probe, build_rerunning_probe
from kolahal.engine.tape import stream
from kolahal.lang.scale import NO_NOISE, parse_scale
from kolahal.model import Arguments, Equals, Example, Odds, Region, Scales, Selected, Selection
from kolahal.report.html import tightness
from kolahal.report.text import _loss
from kolahal.results import Judged
from kolahal.search.arguments import fix_arguments
from kolahal.search.completions import all_completions, enumerate_completions
from kolahal.search.evolution import minimise
from kolahal.search.examples import directions
from kolahal.search.grammar import enumerate_scales
from kolahal.search.ranking import rank_completions
from kolahal.search.region import _fill_in, find_region, find_regions, objectives, worst_losses
from kolahal.settings import Grammar, Settings, with_changes
from kolahal.sketches.gallery import GALLERY, load_one
from kolahal.verdicts import Unknown

EPS = Fraction(1)


def database(*answers: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(a) for a in answers)


def test_the_grammar_has_the_papers_25_scales_and_more_with_whole_arguments() -> None:
    assert len(enumerate_scales(Grammar(), load_one("noisy_max_1"))) == 4 * 3 * 2 + 1
    with_n = enumerate_scales(Grammar(), load_one("svt"))
    assert len(with_n) == 4 * 3 * 2 * 2 + 1
    assert parse_scale("4*N/eps") in with_n
    assert not any("T" in dict(scale.powers) for scale in with_n), "a real argument may be zero or negative"


def test_the_user_may_add_to_the_grammar() -> None:
    assert parse_scale("T/eps") in enumerate_scales(Grammar(extra=("T/eps",)), load_one("svt"))


@pytest.mark.parametrize("name", GALLERY)
def test_the_arguments_separate_all_scales(name: str) -> None:
    sketch, settings = load_one(name), Settings()
    split = fix_arguments(sketch, settings)
    scales = enumerate_scales(settings.grammar, sketch)
    values = {tuple(scale.at(a.quantities(sketch)) for a in split.training) for scale in scales}
    assert len(values) == len(scales)
    assert split.testing and not set(split.testing) & set(split.training)


def test_directions_contain_a_basis_and_are_the_papers_for_two_holes() -> None:
    assert directions(2) == ((1, 1), (1, 0), (0, 1))
    assert directions(1) == ((1,),)
    for holes in range(1, 6):
        assert np.linalg.matrix_rank(np.array(directions(holes))) == holes


def test_evolution_finds_the_minimum_of_a_bowl_and_of_a_valley() -> None:
    def bowl(x: np.ndarray) -> np.ndarray:
        return ((x - 0.3) ** 2).sum(axis=1)

    found = minimise(bowl, np.zeros(3), np.ones(3), 50, 400, stream(1, "bowl"))
    assert found.objectives.min() < 1e-6

    def valley(x: np.ndarray) -> np.ndarray:
        return np.maximum(np.abs(1 / x[:, 0] + 2 / x[:, 1] - 1), 0.05)

    found = minimise(valley, np.full(2, 0.1), np.full(2, 20.0), 50, 500, stream(2, "valley"))
    assert np.median(found.objectives) == 0.05
    assert np.ptp(found.members[:, 0]) > 1, "the population is a region, not a point"


def test_evolution_is_reproducible() -> None:
    def bowl(x: np.ndarray) -> np.ndarray:
        return (x**2).sum(axis=1)

    runs = [minimise(bowl, -np.ones(2), np.ones(2), 20, 30, stream(3, "again")) for _ in range(2)]
    assert (runs[0].members == runs[1].members).all()


def test_pruned_enumeration_is_the_filtered_product() -> None:
    sketch, settings = load_one("above_threshold_1"), Settings()
    split = fix_arguments(sketch, settings)
    rng = stream(5, "region")
    regions = tuple(
        Region(tuple(tuple(row) for row in rng.uniform(0, 12, (7, 2)).tolist()), (0.0,) * 7, a, 1)
        for a in split.training
    )

    def near(completion: tuple) -> bool:
        for region in regions:
            values = region.arguments.concretise(sketch, completion)
            gaps = [sum(abs(v - m) for v, m in zip(values, member, strict=True)) for member in region.members]
            if min(gaps) > settings.ranking.neighbourhood:
                return False
        return True

    expected = {c for c in all_completions(sketch, settings) if near(c)}
    assert set(enumerate_completions(sketch, regions, settings)) == expected
    assert 0 < len(expected) < 625


def test_three_holes_with_fifty_scales_each_are_no_effort() -> None:
    sketch = load_one("above_threshold_2")
    settings = replace(Settings(), grammar=Grammar(coefficients=tuple(map(Fraction, range(1, 9)))))
    assert len(enumerate_scales(settings.grammar, sketch)) == 49
    arguments = fix_arguments(sketch, settings).training[0]
    region = Region(((2.0, 4.0, 0.0),), (0.0,), arguments, 1)
    found = enumerate_completions(sketch, (region,), settings)
    assert (parse_scale("2/eps"), parse_scale("4/eps"), NO_NOISE) in found
    assert len(found) < 5000


EXAMPLE = Example(database(1, 1, 1), database(0, 2, 2), Equals(Fraction(1)), Arguments(Fraction(1, 2), 3))


def test_the_region_of_noisy_max_on_the_papers_example_is_near_three() -> None:
    """The paper's figure: on ⟨111, 022, 1⟩ at ε = 0.5 the objective has its minimum around 3."""
    sketch, settings = load_one("noisy_max_1"), Settings()
    probe = build_probe(sketch, settings, "test")
    selection = Selection((Selected(EXAMPLE, (3.0,), 0.5, "test"),), ())
    (region,) = find_regions(sketch, selection, probe, settings)
    assert 2.4 < region.members[0][0] < 3.6


def test_the_log_form_has_the_same_minimum() -> None:
    sketch = load_one("noisy_max_1")
    plain = Settings()
    logged = replace(plain, region=replace(plain.region, log_form=True))
    probe = build_probe(sketch, plain, "test")
    grid, worst = np.linspace(1, 8, 141)[:, None], worst_losses(sketch, (EXAMPLE,), probe)
    best = [grid[objectives(grid, worst, 0.5, s).argmin(), 0] for s in (plain, logged)]
    assert best[0] == best[1]


def test_a_loss_that_is_not_known_is_no_loss_of_nothing() -> None:
    """With too little noise for anyone to see the event, an example counts as with more noise, and tight members are not made up."""
    losses, unknown = np.array([[0.0, 0.2], [0.3, 2.0]])[:, :, None], np.array([[True, False], [True, False]])[:, :, None]
    assert _fill_in(losses, unknown)[:, :, 0].tolist() == [[2.0, 0.2], [0.3, 2.0]]


def test_both_probes_agree_within_their_errors() -> None:
    """False alarm: 64 comparisons at a combined 4.2 standard errors, together below 0.2 %."""
    sketch, settings = load_one("svt"), Settings()
    arguments = Arguments(EPS, 4, (("N", Fraction(2)), ("T", Fraction(1))))
    events = [Equals((True, False, True)), Equals((False,) * 4), Equals((True, True)), Equals((False, True, True))]
    fast, slow = build_probe(sketch, settings, "fast"), build_rerunning_probe(sketch, settings, "slow")
    for scales, event in itertools.product([(2.0, 4.0), (1.0, 8.0), (6.0, 3.0), (0.0, 5.0)], events):
        example = Example(database(0, 1, 2, 1), database(1, 0, 1, 2), event, arguments)
        quick, sure = fast(scales, example), slow(scales, example)
        for a, b in ((quick.p1, sure.p1), (quick.p2, sure.p2)):
            assert a.low - 1e-3 <= b.high and b.low <= a.high + 1e-3, (scales, event, a, b)


def test_ranking_prefers_no_violation_then_tightness_then_little_noise() -> None:
    sketch, settings = load_one("noisy_max_1"), Settings()
    split = fix_arguments(sketch, settings)
    arguments = split.training[0]
    examples = (
        Example(database(0, 8, 8, 8, 8), database(1, 7, 7, 7, 7), Equals(Fraction(1)), arguments),
        Example(database(0, 2, 2, 2, 2), database(1, 1, 1, 1, 1), Equals(Fraction(1)), arguments),
    )
    probe = build_probe(sketch, settings, "rank")
    completions = tuple((parse_scale(t),) for t in ("4/eps", "1/eps", "3/eps", "2/eps", "len(q)/eps"))
    ranked = rank_completions(sketch, completions, examples, split, probe, settings)
    assert [str(r.completion[0]) for r in ranked][:3] == ["2/eps", "3/eps", "4/eps"]
    assert ranked[-1].completion == (parse_scale("1/eps"),) and ranked[-1].score.violations >= 1


def test_a_loss_that_nothing_was_computed_from_is_absent() -> None:
    """Examples at other arguments alone: 0 would read as a mechanism that loses nothing."""
    sketch, settings = load_one("noisy_max_1"), Settings()
    split = fix_arguments(sketch, settings)
    other = split.training[1]
    example = Example(database(*[0] * other.size), database(*[1] * other.size), Equals(Fraction(1)), other)
    (ranked,) = rank_completions(
        sketch, ((parse_scale("2/eps"),),), (example,), split, build_probe(sketch, settings, "rank"), settings
    )
    assert ranked.log_loss is None
    unknown = Judged(ranked, None, Unknown("nobody asked"))
    assert [_loss(replace(unknown, ranked=replace(ranked, log_loss=loss)), 0.5) for loss in (None, 0.25)] == ["–", "0.5"]
    assert tightness({"log_loss": None, "verdict": "unknown", "epsilon": 0.5}) is None


class OneHoleMatters(Probe):
    """A mechanism whose loss is the inverse of its first scale; the second hole does nothing."""

    def __call__(self, scales: Scales, example: Example) -> Odds:
        raise NotImplementedError

    def losses(self, scales: np.ndarray, examples: tuple[Example, ...]) -> Losses:
        with np.errstate(divide="ignore"):
            value = np.repeat(1 / scales[:, :1], len(examples), axis=1)
        return Losses(value, value, value)


def test_sparsity_switches_holes_off_while_the_region_is_searched() -> None:
    """With λ = 0 the useless hole keeps whatever noise it began with; with the paper's λ = 1 more members are without it."""
    sketch, example = load_one("noisy_max_2"), Example(database(0), database(1), Equals(EPS), Arguments(EPS, 5))
    useless = []
    for sparsity in (0.0, 1.0):
        settings = with_changes(Settings(), "region", sparsity=sparsity)
        region = find_region(sketch, example.arguments, (example,), OneHoleMatters(), settings)
        members = np.array(region.members)
        assert np.allclose(members[:, 0], 1.0, rtol=0.2), "tight at e^ε, whatever the other hole does"
        useless.append(float((members[:, 1] > 0).mean()))
    assert useless[1] < useless[0]
