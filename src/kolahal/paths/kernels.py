"""How likely each answer of a program with finite randomness is, on each input: by parts that nothing connects, exactly.

A coin of scale η is True with probability 1/(1 + e^(1/η)), and a place j is chosen with probability e^(s_j/η)/Σ e^(s_i/η).
So with all rates counted in one unit, t, probabilities are sums of exponentials over a denominator that is the same for
all inputs, and is left out.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from kolahal.logic.counting import take_steps
from kolahal.logic.exponentials import Exponentials, times
from kolahal.nouns import dataclass
from kolahal.paths.outcomes import AllOutcomes, Bit, ChoiceDraw, Coin, Level, NotFinite
from kolahal.paths.tables import ValueTable, assignments_of, key, looked_up

MOST_WAYS = 1 << 15  # that the unknowns of a part may have
Bits: TypeAlias = tuple[int, ...]  # of a part: 0 or 1 each, or numbers of levels
Likelihoods: TypeAlias = dict[Bits, dict[Hashable, Exponentials]]  # the bits of a part → what is seen of it → how likely


@dataclass(frozen=True, slots=True)
class Part:
    """Some of what is seen, and the bits and draws that it depends on; nothing else depends on these."""

    bits: tuple[int, ...]
    draws: tuple[int, ...]
    seen: tuple[ValueTable, ...]


def parts_of(outcomes: AllOutcomes) -> list[Part]:
    """What is seen, parted so that no two parts have an unknown in common."""
    groups: list[tuple[set[int], list[ValueTable]]] = []
    for table in outcomes.seen:
        names, tables = _needed(outcomes, table.of), [table]
        apart = []
        for other, known in groups:
            if other & names:
                names, tables = names | other, known + tables
            else:
                apart.append((other, known))
        groups = [*apart, (names, tables)]
    found = []
    for names, tables in groups:
        bits = tuple(n for n in sorted(names) if isinstance(outcomes.unknowns[n], Bit | Level))
        found.append(Part(bits, tuple(n for n in sorted(names) if n not in bits), tuple(tables)))
    return found


def _needed(outcomes: AllOutcomes, names: Iterable[int]) -> set[int]:
    """Unknowns, and all that decides how likely their values are."""
    found, todo = set[int](), list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            unknown = outcomes.unknowns[name]
            if isinstance(unknown, ChoiceDraw) and isinstance(unknown.scores, ValueTable):
                todo += unknown.scores.of
    return found


def unit_of(outcomes: AllOutcomes, rates: Mapping[int, Fraction]) -> int:
    """A number by which all rates become whole; a rate is 1/scale, by site."""
    found = 1
    for unknown in outcomes.unknowns:
        if isinstance(unknown, ChoiceDraw):
            for row in unknown.scores.entries if isinstance(unknown.scores, ValueTable) else [unknown.scores]:
                found = math.lcm(found, *[(score * rates[unknown.site]).denominator for score in row])
        elif isinstance(unknown, Coin):
            found = math.lcm(found, rates[unknown.site].denominator)
    return found


def kernel_of(outcomes: AllOutcomes, part: Part, rates: Mapping[int, Fraction], unit: int) -> Likelihoods:
    """How likely is what is seen of a part; `unit` makes whole numbers of all rates."""
    sizes = outcomes.sizes
    if math.prod(sizes[name] for name in (*part.bits, *part.draws)) > MOST_WAYS:
        raise NotFinite(f"bits and draws that belong together have more than {MOST_WAYS} values")
    odds = {name: _odds(outcomes, name, rates, unit) for name in part.draws}
    found: Likelihoods = {}
    for given in assignments_of(part.bits, sizes):
        ways: list[tuple[dict[int, int], Exponentials]] = [(given, {0: 1})]
        for name in part.draws:
            take_steps(len(ways))
            ways = [({**way, name: i}, times(weight, odd)) for way, weight in ways for i, odd in enumerate(odds[name].at(way, sizes))]
        likely: dict[Hashable, Exponentials] = {}
        for way, weight in ways:
            sight = tuple(key(looked_up(table, way, sizes)) for table in part.seen)
            into = likely.setdefault(sight, {})
            for rate, count in weight.items():
                into[rate] = into.get(rate, 0) + count
        found[tuple(given[name] for name in part.bits)] = likely
    return found


@dataclass(frozen=True, slots=True)
class DrawOdds:
    """How likely the values of a draw are: for each row of a table of scores, up to a factor that all rows share."""

    of: tuple[int, ...]
    rows: tuple[tuple[Exponentials, ...], ...]

    def at(self, way: Mapping[int, int], sizes: Sequence[int]) -> tuple[Exponentials, ...]:
        return looked_up(ValueTable(self.of, self.rows), way, sizes)  # type: ignore[no-any-return]


def _odds(outcomes: AllOutcomes, name: int, rates: Mapping[int, Fraction], unit: int) -> DrawOdds:
    unknown = outcomes.unknowns[name]
    if isinstance(unknown, Coin):
        return DrawOdds((), (({int(unit * rates[unknown.site]): 1}, {0: 1}),))
    assert isinstance(unknown, ChoiceDraw)
    of, rows = ((), (unknown.scores,)) if not isinstance(unknown.scores, ValueTable) else (unknown.scores.of, unknown.scores.entries)
    weights = [[int((score - min(row)) * rates[unknown.site] * unit) for score in row] for row in rows]
    totals = [_counted(row) for row in weights]
    distinct = [total for i, total in enumerate(totals) if total not in totals[:i]]
    found = []
    for row, total in zip(weights, totals, strict=True):
        shared: Exponentials = {0: 1}
        for other in distinct:
            shared = shared if other == total else times(shared, other)
        found.append(tuple({rate + weight: c for rate, c in shared.items()} for weight in row))
    return DrawOdds(of, tuple(found))


def _counted(rates: Sequence[int]) -> Exponentials:
    return {rate: rates.count(rate) for rate in rates}
