"""The tests are exact: their rejection rates under the null are computed, not sampled, wherever that is possible."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolahal.tester.statistics import (
    Tally,
    Thinning,
    fisher_p_value,
    hypergeometric_tail,
    paired_epsilon_lower,
    paired_p_value,
)

UNIFORM = st.floats(0.001, 0.999)


@pytest.mark.parametrize(
    "case", [(3, 20, 7, 10), (120, 2000, 200, 1000), (60, 2000, 200, 1000), (1, 10, 1, 5), (0, 9, 4, 3)]
)
def test_the_hypergeometric_tail_is_scipys(case):
    from scipy.stats import hypergeom

    least, total, marked, drawn = case
    assert hypergeometric_tail(*case) == pytest.approx(hypergeom.sf(least - 1, total, marked, drawn), rel=1e-9)


def test_without_thinning_fisher_is_fishers():
    from scipy.stats import fisher_exact

    tally = Tally(100, 0, 30, 17)
    expected = fisher_exact([[30, 70], [17, 83]], alternative="greater").pvalue
    assert fisher_p_value(tally, 0.0, Thinning(0.5, 0.5)) == pytest.approx(expected)


def test_without_thinning_the_paired_test_is_mcnemars():
    from scipy.stats import binomtest

    tally = Tally(1000, 50, 40, 22)
    expected = binomtest(40, 62, 0.5, alternative="greater").pvalue
    assert paired_p_value(tally, 0.0, Thinning(0.5, 0.5)) == pytest.approx(expected)


@pytest.mark.parametrize("p_value", [paired_p_value, fisher_p_value])
@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 400), UNIFORM, UNIFORM)
def test_a_p_value_rises_with_epsilon(p_value, both, only1, only2, u1, u2):
    tally, thinning = Tally(1200, both, only1, only2), Thinning(u1, u2)
    values = [p_value(tally, epsilon, thinning) for epsilon in (0.0, 0.1, 0.5, 1.0, 3.0)]
    assert all(0 <= a <= b + 1e-9 <= 1 + 1e-9 for a, b in itertools.pairwise(values))


def test_the_thinning_is_a_binomial_variate():
    """At uniforms spread evenly, the kept counts have the binomial's distribution."""
    from scipy.stats import binom

    from kolahal.tester.statistics import _kept

    for count, keep in ((1, 0.5), (7, 0.6), (200, 0.3)):
        grid = (np.arange(4000) + 0.5) / 4000
        kept = np.array([_kept(count, keep, u) for u in grid])
        for level in (0, count // 3, count // 2, count):
            assert np.mean(kept <= level) == pytest.approx(binom.cdf(level, count, keep), abs=1e-3)


@pytest.mark.parametrize("correlated", [0.0, 0.5, 0.95])
def test_the_paired_test_keeps_its_level(correlated):
    """Exactly tight, p1 = e^ε·p2, whatever links the runs: rejections at level 5 % stay within it (false alarm 1e-6)."""
    rng = np.random.default_rng(5)
    epsilon, p2, runs, trials = 0.5, 0.1, 400, 4000
    p1 = p2 * math.exp(epsilon)
    both = correlated * p2 + (1 - correlated) * p1 * p2
    cells = rng.multinomial(runs, [both, p1 - both, p2 - both, 1 - p1 - p2 + both], size=trials)
    low = sum(
        paired_p_value(Tally(runs, int(b), int(o1), int(o2)), epsilon, Thinning(*rng.random(2))) < 0.05
        for b, o1, o2, _ in cells
    )
    assert low <= 0.05 * trials + 4.9 * math.sqrt(0.05 * 0.95 * trials)


def test_fishers_test_keeps_its_level():
    rng = np.random.default_rng(6)
    epsilon, p2, runs, trials = 0.5, 0.1, 400, 4000
    hits1, hits2 = rng.binomial(runs, p2 * math.exp(epsilon), trials), rng.binomial(runs, p2, trials)
    low = sum(
        fisher_p_value(Tally(runs, 0, int(h1), int(h2)), epsilon, Thinning(*rng.random(2))) < 0.05
        for h1, h2 in zip(hits1, hits2)
    )
    assert low <= 0.05 * trials + 4.9 * math.sqrt(0.05 * 0.95 * trials)


def test_shared_noise_makes_the_test_stronger():
    """The same frequencies, once with the hits on d2 among those on d1, once independent."""
    runs, hits1, hits2 = 100_000, 20_000, 11_000
    shared = Tally(runs, hits2, hits1 - hits2, 0)
    apart = Tally(runs, hits1 * hits2 // runs, hits1 - hits1 * hits2 // runs, hits2 - hits1 * hits2 // runs)
    thinning = Thinning(0.5, 0.5)
    assert paired_p_value(shared, 0.55, thinning) < 1e-3 * fisher_p_value(apart, 0.55, thinning)
    assert paired_epsilon_lower(shared, 0.01, thinning) > paired_epsilon_lower(apart, 0.01, thinning)


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 3000), UNIFORM, UNIFORM)
def test_the_lower_bound_is_where_the_test_turns(both, only1, only2, u1, u2):
    tally, thinning = Tally(10_000, both, only1, only2), Thinning(u1, u2)
    bound = paired_epsilon_lower(tally, 0.01, thinning)
    assert bound >= 0
    if bound > 0:
        assert paired_p_value(tally, bound, thinning) <= 0.01
    assert paired_p_value(tally, bound + 1e-3, thinning) > 0.01 or bound > 9


def test_an_event_never_seen_on_one_side_gives_a_large_bound():
    assert paired_epsilon_lower(Tally(1_000_000, 0, 500_000, 0), 0.01, Thinning(0.5, 0.5)) > 10
