"""Noise is found by its address, and is what its name says."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kolahal.engine.noise import FAMILIES
from kolahal.engine.tape import Tape, apart, stream, tapes
from kolahal.lang.noise import Noise

addresses = st.tuples(
    st.sampled_from(tuple(FAMILIES)), st.integers(0, 3), st.lists(st.integers(0, 40), max_size=3).map(tuple)
)


@given(st.lists(addresses, min_size=1, max_size=8, unique=True), st.randoms(), st.sampled_from([1, 7, 300]))
def test_an_address_holds_the_same_noise_whoever_asks_first(asked: list, order: object, runs: int) -> None:
    first, second = Tape((1, 2), runs), Tape((1, 2), runs)
    shuffled = list(asked)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    for address in shuffled:
        second.units(*address)
    for address in asked:
        assert (first.units(*address) == second.units(*address)).all()
        assert first.has(*address)


def test_different_addresses_hold_different_noise() -> None:
    tape = Tape((1,), 4)
    places = [
        (site, turns) for site in range(3) for turns in ((), (0,), (1,), (0, 0), (0, 1), (1, 0), (10,), (0, 0, 0))
    ]
    seen = {tape.units(Noise.LAPLACE, *place).tobytes() for place in places}
    seen |= {Tape(key, 4).units(Noise.LAPLACE, 0, ()).tobytes() for key in ((2,), (1, 0), (1, 1), (11,))}
    assert len(seen) == len(places) + 4


def test_a_tape_sent_to_a_worker_holds_the_same_noise() -> None:
    tape = Tape((5,), 1000)
    noise = tape.units(Noise.DISCRETE_LAPLACE, 1, (2,))
    sent = pickle.dumps(tape)
    assert len(sent) < 200
    assert (pickle.loads(sent).units(Noise.DISCRETE_LAPLACE, 1, (2,)) == noise).all()


@pytest.mark.parametrize("runs", [3, 300])
def test_a_repeated_tape_holds_the_same_noise_over_and_over(runs: int) -> None:
    tape = Tape((1, 2), runs)
    again = pickle.loads(pickle.dumps(tape.repeat(2).repeat(2)))
    for noise in FAMILIES:
        once, four = (t.units(noise, 0, (1,)) for t in (tape, again))
        assert again.runs == 4 * runs and (four == np.tile(once, 4)).all()


def test_rows_are_the_columns_of_the_units() -> None:
    tape = Tape((5,), 3)
    units = tape.units(Noise.DISCRETE_LAPLACE, 0, (1,))
    assert [tape.row(run)(Noise.DISCRETE_LAPLACE, 0, (1,)) for run in range(3)] == [tuple(u) for u in units.T]


@pytest.mark.parametrize("noise", [Noise.GAUSS, Noise.DISCRETE_GAUSS])
@pytest.mark.parametrize("scale", [0.4, 1.0, 3.7])
def test_bells_have_the_distribution_of_their_family(noise: Noise, scale: float) -> None:
    """As below; that all tries of a discrete draw fail is far below what 200 000 of them show."""
    runs = 200_000
    draws = FAMILIES[noise].value(scale, list(Tape((9,), runs).units(noise, 0, ())), np.floor)
    mass = sum(math.exp(-(k**2) / (2 * scale**2)) for k in range(-60, 61))
    for low in range(-8, 9):
        if noise.whole:
            expected, hits = math.exp(-(low**2) / (2 * scale**2)) / mass, int((draws == low).sum())
        else:
            expected = (math.erf((low + 1) / scale / math.sqrt(2)) - math.erf(low / scale / math.sqrt(2))) / 2
            hits = int(((draws >= low) & (draws < low + 1)).sum())
        assert abs(hits - runs * expected) <= 6 * math.sqrt(runs * expected * (1 - expected)) + 1


@pytest.mark.parametrize("noise", [noise for noise in Noise if not (noise.bell or noise.selects or noise.open)])
@pytest.mark.parametrize("scale", [0.7, 3.0])
def test_draws_have_the_distribution_of_their_family(noise: Noise, scale: float) -> None:
    """A bin of 200 000 draws strays by six standard deviations once in 10^9; there are at most 40 bins."""
    runs = 200_000
    family = FAMILIES[noise]
    draws = family.value(scale, list(Tape((9,), runs).units(noise, 0, ())), np.floor)
    norm = math.exp(-family.log_norm(np.array(scale)))
    for low in range(-8, 9):
        if family.whole:
            expected = norm * math.exp(-abs(low) / scale) if low >= 0 or family.two_sided else 0.0
            expected *= not noise.finite or low in (0, 1)
            hits = int((draws == low).sum())
        else:
            mass = norm * scale * (math.exp(-min(abs(low), abs(low + 1)) / scale) * -math.expm1(-1 / scale))
            expected = mass if low >= 0 or family.two_sided else 0.0
            hits = int(((draws >= low) & (draws < low + 1)).sum())
        assert abs(hits - runs * expected) <= 6 * math.sqrt(runs * expected * (1 - expected))


def test_neighbouring_addresses_are_independent() -> None:
    """The correlation of 100 000 pairs strays by 6/√runs once in 10^9."""
    tape, runs = Tape((3,), 100_000), 100_000
    rows = [tape.units(Noise.LAPLACE, site, turns)[0] for site in (0, 1) for turns in ((0,), (1,), (0, 0))]
    table = np.corrcoef(rows) - np.eye(len(rows))
    assert abs(table).max() < 6 / math.sqrt(runs)


def test_tapes_cover_all_runs_in_bounded_memory() -> None:
    for runs, draws in ((1, 1), (100_000, 11), (10_000, 1001), (3_000, 100_000)):
        sizes = [tape.runs for tape in tapes(1, "test", runs, draws)]
        assert sum(sizes) == runs
        assert max(sizes) * draws <= max(1 << 22, 256 * draws)
    keys = {tape.key for name in ("a", "b") for tape in tapes(1, name, 100_000, 1)}
    assert len(keys) == 8


@pytest.mark.parametrize("runs", [256, 5_000, 20_000, 1 << 15])
def test_rows_of_noise_do_not_meet_in_the_cache(runs: int) -> None:
    """An odd number of its lines apart, rows come to lie at different places of it."""
    tape = Tape((5,), runs)
    rows = [tape.units(Noise.LAPLACE, 0, (turn,)).ctypes.data for turn in range(4)]
    lines = {(after - before) / 64 for before, after in pairwise(rows)}
    assert lines == {apart(runs) / 8} and lines.pop() % 2 == 1 and apart(runs) >= runs


def test_a_stream_is_its_seed_and_name() -> None:
    def first(*name: str | int) -> float:
        return float(stream(1, *name).random())

    assert first("region") == first("region")
    assert len({first("region"), first("region", 0), first("region", 1), first("ranking")}) == 4
