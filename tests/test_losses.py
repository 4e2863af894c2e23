import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolahal.engine.probe import plain_losses
from kolahal.losses import epsilon_lower, estimate, estimate_odds, gdp_of_event, log_loss, log_ratio, renyi_of_event
from kolahal.model import Estimate, Odds


def odds(p1: float, p2: float) -> Odds:
    return Odds(Estimate(p1, p1, p1, 100), Estimate(p2, p2, p2, 100))


@pytest.mark.parametrize(
    ("p1", "p2", "loss"),
    [
        (0, 0, 0),
        (0.3, 0.3, 0),
        (0.3, 0, math.inf),
        (0, 0.3, math.inf),
        (0.4, 0.1, math.log(4)),
        (0.1, 0.4, math.log(4)),
    ],
)
def test_the_corner_cases_of_a_loss(p1, p2, loss):
    assert log_loss(odds(p1, p2)) == pytest.approx(loss)
    assert plain_losses(np.array([float(p1)]), np.array([float(p2)]))[0] == pytest.approx(loss), "its twin on arrays"


@pytest.mark.parametrize(("p", "q", "order"), [(0.3, 0.1, 2.0), (1.0, 0.2, 3.0), (0.02, 0.01, 1.1), (1e-200, 1e-210, 64.0)])
def test_the_losses_of_other_budgets_by_one_event(p, q, order):
    direct = p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order) if p > 1e-100 else math.inf
    if math.isfinite(direct):
        assert renyi_of_event(p, q, order) == pytest.approx(math.log(direct) / (order - 1))
    assert 0 < renyi_of_event(p, q, order) <= math.log(p / q) + 1e-9, "it is below the largest loss"
    if p < 1:
        assert gdp_of_event(p, q) > 0 and gdp_of_event(p, p) == 0


def test_a_log_ratio_has_a_sign():
    assert log_ratio(0, 0) == 0
    assert log_ratio(0.2, 0) == math.inf
    assert log_ratio(0, 0.2) == -math.inf
    assert log_ratio(0.1, 0.2) == -log_ratio(0.2, 0.1)


def test_clopper_pearson_as_in_the_textbook():
    # Clopper and Pearson (1934): 7 of 20, 95 %.
    found = estimate(7, 20, 0.05)
    assert found.low == pytest.approx(0.1539, abs=1e-4)
    assert found.high == pytest.approx(0.5922, abs=1e-4)


@given(st.integers(0, 200), st.integers(0, 200), st.sampled_from([1e-6, 0.01, 0.1]))
def test_an_estimate_holds_its_value_and_a_smaller_doubt_is_wider(hits, misses, doubt):
    runs = hits + misses
    found, wider = estimate(hits, runs, doubt), estimate(hits, runs, doubt / 10)
    assert 0 <= wider.low <= found.low <= found.value <= found.high <= wider.high <= 1 or runs == 0
    assert (found.low == 0) == (hits == 0)
    assert (found.high == 1) == (misses == 0)


def test_the_interval_misses_as_rarely_as_it_says():
    runs, doubt = 60, 0.05
    intervals = [estimate(hits, runs, doubt) for hits in range(runs + 1)]
    for p in (0.01, 0.2, 0.5, 0.93):
        misses = [hits for hits, found in enumerate(intervals) if not found.low <= p <= found.high]
        assert misses and sum(math.comb(runs, hits) * p**hits * (1 - p) ** (runs - hits) for hits in misses) <= doubt


def test_the_lower_bound_takes_the_worse_ends():
    found = estimate_odds(900, 100, 1000, 0.01)
    assert epsilon_lower(found) == pytest.approx(math.log(found.p1.low / found.p2.high))
    assert epsilon_lower(found) == epsilon_lower(Odds(found.p2, found.p1))
    assert epsilon_lower(found) < math.log(9)
    assert epsilon_lower(estimate_odds(500, 500, 1000, 0.01)) == 0
    assert epsilon_lower(estimate_odds(0, 0, 1000, 0.01)) == 0


def test_functions_of_the_beta_distribution_are_scipys_whichever_way_they_are_found() -> None:
    """Without the rest of `scipy.special`, which is there all the same for who asks for it afterwards."""
    code = (
        "import sys; from kolahal.beta import functions; found = functions(); assert 'scipy.special' not in sys.modules; "
        "from scipy.special import betainc, betaincinv, bdtrik, expit, gammaln; assert expit(0) == 0.5; "
        "assert (found.betainc, found.betaincinv, found.bdtrik, found.gammaln) == (betainc, betaincinv, bdtrik, gammaln)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
