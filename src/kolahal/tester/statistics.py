"""Exact tests of `P(event on d1) ≤ e^ε · P(event on d2)`, and the lower bounds on ε that their inversion gives.

Both tests thin the hits on d1 by e^−ε, after which the null hypothesis says that they are no likelier than those on
d2. StatDP's runs on d1 and d2 are independent, and Fisher's exact test compares the two counts. Ours share their
noise, and McNemar's exact test compares the runs that hit on one side only: among those, under the null, at most half
are on d1's side. Where the noise couples the two runs well, there are 1/(1 − e^−ε) times fewer of them to drown in.

A thinning is random. It is taken once, as the quantile of the binomial distribution at a uniform number drawn for it,
so that each p-value is a strict one (StatDP's average over 200 thinnings is not) and rises with ε.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kolahal.beta import functions
from kolahal.nouns import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """How many runs ended in an event: on both databases, on d1 only, on d2 only."""

    runs: int
    both: int
    only1: int
    only2: int

    @property
    def hits1(self) -> int:
        return self.both + self.only1

    @property
    def hits2(self) -> int:
        return self.both + self.only2

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.runs + other.runs, self.both + other.both, self.only1 + other.only1, self.only2 + other.only2)

    def flipped(self) -> Tally:
        return Tally(self.runs, self.both, self.only2, self.only1)


NOTHING = Tally(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Thinning:
    """The uniform numbers that decide which hits a thinning keeps."""

    both: float
    only1: float


def paired_p_value(tally: Tally, epsilon: float, thinning: Thinning) -> float:
    """McNemar's exact test after thinning d1's hits, for runs that share their noise; small means p1 > e^ε·p2."""
    keep = math.exp(-epsilon)
    more = _kept(tally.only1, keep, thinning.only1)
    less = tally.only2 + tally.both - _kept(tally.both, keep, thinning.both)
    return _coin_tail(more, more + less)


def fisher_p_value(tally: Tally, epsilon: float, thinning: Thinning) -> float:
    """Fisher's exact test after thinning d1's hits, for independent runs; small means p1 > e^ε·p2."""
    kept = _kept(tally.hits1, math.exp(-epsilon), thinning.only1)
    return hypergeometric_tail(kept, 2 * tally.runs, kept + tally.hits2, tally.runs)


def paired_epsilon_lower(tally: Tally, doubt: float, thinning: Thinning) -> float:
    """The largest ε that `paired_p_value` rejects at level `doubt`: the true log-ratio is above it, with that doubt."""
    if paired_p_value(tally, 0.0, thinning) > doubt:
        return 0.0
    low, high = 0.0, math.log(tally.runs + 1) + 1
    for _ in range(40):
        middle = (low + high) / 2
        if paired_p_value(tally, middle, thinning) <= doubt:
            low = middle
        else:
            high = middle
    return low


def _kept(count: int, keep: float, uniform: float) -> int:
    """A binomial variate with `count` trials of probability `keep`: the quantile at `uniform`."""
    if count == 0 or keep >= 1:
        return count
    # bdtrik solves over real k; the quantile is the next whole number, and never below 0.
    found = math.ceil(float(functions().bdtrik(uniform, count, keep)))
    return min(max(found, 0), count)


def _coin_tail(heads: int, tosses: int) -> float:
    """P(at least `heads` of `tosses` fair coins)."""
    return 1.0 if heads == 0 else float(functions().betainc(heads, tosses - heads + 1, 0.5))


def hypergeometric_tail(least: int, total: int, marked: int, drawn: int) -> float:
    """P(at least `least` of the `marked` of `total` things are among `drawn` drawn ones)."""
    gammaln = functions().gammaln
    lowest, highest = max(0, drawn - (total - marked)), min(marked, drawn)
    if least <= lowest:
        return 1.0
    if least > highest:
        return 0.0
    share = marked / total
    spread = math.sqrt(drawn * share * (1 - share))
    last = min(highest, max(least, int(drawn * share)) + int(40 * spread) + 40)  # what lies beyond is below 1e-300
    hits = np.arange(least, last + 1, dtype=float)

    def log_choose(n: float, k: Any) -> Any:
        return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)

    logs = log_choose(marked, hits) + log_choose(total - marked, drawn - hits) - log_choose(total, drawn)
    return min(1.0, float(np.exp(logs).sum()))
