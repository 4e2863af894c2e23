"""Comparisons that tie noise together in rings, as a signed sum of systems that do not.

Two rows that share a draw r, X = r + … ≤ 0 and Y = −r + … ≤ 0, together imply Z = X + Y ≤ 0, which is free of r. Where Z
holds, not X implies Y. So, as indicators, [X][Y] = [Y][Z] − [not X][Z], and r is tied to one side less in both. If r has the
same sign in both, the larger one decides: [X][Y] = [Y][X ≤ Y] + [X][Y < X], or with X < Y where X alone is strict. Both hold for every noise, ties included, and for
every database, because the rows are added as forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from kolahal.logic.counting import take_steps
from kolahal.logic.linear import plain
from kolahal.nouns import dataclass
from kolahal.paths.unknowns import Affine, NoiseAt

MOST_PARTS = 8  # of one system
MOST_ROWS = 24  # of a system that is looked at


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """noise + public ≤ 0, or < 0."""

    noise: Mapping[NoiseAt, Fraction]
    public: Affine
    strict: bool

    def times(self, factor: Fraction) -> PlacedRow:
        return PlacedRow({draw: c * factor for draw, c in self.noise.items()}, self.public.times(plain(factor)), self.strict)

    def plus(self, other: PlacedRow, strict: bool) -> PlacedRow:
        take_steps(1)
        noise = dict(self.noise)
        for draw, coefficient in other.noise.items():
            noise[draw] = noise.get(draw, Fraction(0)) + coefficient
        return PlacedRow({draw: c for draw, c in noise.items() if c}, self.public + other.public, strict)

    @property
    def denied(self) -> PlacedRow:
        turned = self.times(Fraction(-1))
        return PlacedRow(turned.noise, turned.public, not self.strict)

    def implies(self, other: PlacedRow) -> bool:
        """Whether it is the same bound, or a tighter one by a number."""
        if self.noise != other.noise:
            return False
        slack = other.public - self.public  # the other form minus this one
        return not slack.terms and (slack.constant < 0 or (slack.constant == 0 and self.strict >= other.strict))


T = TypeVar("T")
PlacedRows = Sequence[PlacedRow]


def untie(rows: PlacedRows, place: Callable[[PlacedRows], T | None]) -> list[tuple[int, T]] | None:
    """What `place` makes of systems without rings, each with its sign; None if they are too many."""
    found: list[tuple[int, T]] = []
    waiting: list[tuple[int, PlacedRows]] = [(1, _without_implied(rows))]
    while waiting:
        sign, system = waiting.pop()
        if len(system) > MOST_ROWS or len(found) + len(waiting) >= MOST_PARTS:
            return None
        placed = place(system)
        if placed is not None:
            found.append((sign, placed))
            continue
        pair = _tied(system)
        if pair is None:
            return None
        draw, x, y = pair
        others = [row for row in system if row is not x and row is not y]
        x, y = (row.times(1 / abs(row.noise[draw])) for row in (x, y))
        if x.noise[draw] != y.noise[draw]:
            both = x.plus(y, x.strict or y.strict)
            parts = [(sign, [y, both]), (-sign, [x.denied, both])]
        else:
            gap = x.plus(y.times(Fraction(-1)), x.strict and not y.strict)
            parts = [(sign, [y, gap]), (sign, [x, gap.denied])]
        systems = ((s, _without_implied([*others, *new])) for s, new in parts)
        waiting += [(s, own) for s, own in systems if not _is_empty(own)]
    return found


def _tied(rows: PlacedRows) -> tuple[NoiseAt, PlacedRow, PlacedRow] | None:
    """A draw with two rows that can be told apart: where it stands in few, and the new row has no more noise than they."""
    pairs = [row for row in rows if len(row.noise) > 1]
    often: dict[NoiseAt, int] = {}
    for row in pairs:
        for draw in row.noise:
            often[draw] = often.get(draw, 0) + 1
    for draw in sorted(often, key=lambda d: (often[d], d)):
        own = [row for row in pairs if draw in row.noise]
        for opposite in (True, False):
            for x, y in _pairs(own):
                rest = {*x.noise, *y.noise} - {draw}
                if (x.noise[draw] * y.noise[draw] < 0) == opposite and x.noise.keys() != y.noise.keys() and len(rest) <= 2:
                    return draw, x, y
    return None


def _pairs(rows: PlacedRows) -> Iterator[tuple[PlacedRow, PlacedRow]]:
    for place, one in enumerate(rows):
        for other in rows[place + 1 :]:
            yield one, other


def _is_empty(rows: PlacedRows) -> bool:
    """Whether two rows exclude each other."""
    sums = (a.plus(b, a.strict or b.strict) for a, b in _pairs(rows))
    return any(
        not row.noise and not row.public.terms and (row.public.constant > 0 or (row.public.constant == 0 and row.strict))
        for row in sums
    )


def _without_implied(rows: PlacedRows) -> PlacedRows:
    """The rows without those that another one implies, or the sum of two others."""
    kept = [row.times(1 / abs(row.noise[min(row.noise)])) for row in rows]
    for row in list(kept):
        others = [other for other in kept if other is not row]
        sums = (a.plus(b, a.strict or b.strict) for a, b in _pairs(others))
        if any(other.implies(row) for other in (*others, *sums)):
            kept = others
    return kept
