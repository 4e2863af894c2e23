"""Events worth asking about, read off the paths of a program: its answers, and corners of their noisy numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kolahal.engine.affine import Affine, Answer, Drawn
from kolahal.engine.symbolic import ONE_SIDED, Fault, Item, Value, discrete_part
from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone
from kolahal.lang.noise import Noise
from kolahal.measure.outcomes import Outcomes
from kolahal.model import AllOf, Anything, Database, Equals, Event, Scalar, Within

ANY, ABOVE, BELOW = 0, 1, -1  # what is asked of a noisy number


@dataclass(frozen=True, slots=True)
class Span:
    """Between which values a number of an answer lies without noise, on a database and its neighbours.

    Where the noise goes one way only, values on its other side are impossible, and the event ends within the span.
    """

    low: Fraction
    high: Fraction
    can_fall: bool
    can_rise: bool

    def joined(self, other: Span) -> Span:
        return Span(
            min(self.low, other.low),
            max(self.high, other.high),
            self.can_fall or other.can_fall,
            self.can_rise or other.can_rise,
        )

    def event(self, way: int) -> Within:
        if way == ABOVE:
            return Within(self.high if self.can_rise else self.low, None)
        return Within(None, self.low if self.can_fall else self.high)


def find_targets(outcomes: Outcomes, database: Database, adjacency: Adjacency, most: int) -> tuple[Event, ...]:
    """At most `most` events: every answer without noise, and for noisy numbers values beyond all that they centre on.

    Beyond its centres on both databases, a number with exponential noise tells them apart as well as anywhere.
    """
    shapes: dict[object, tuple[Value, list[Span | None]]] = {}
    for path in outcomes.paths:
        if isinstance(path.output, Fault):
            continue
        items = path.output if isinstance(path.output, tuple) else (path.output,)
        spans = [_span(item, database, adjacency, outcomes.noises) for item in items]
        key = discrete_part(path.output)
        if key in shapes:
            known = shapes[key][1]
            spans = [
                a.joined(b) if a is not None and b is not None else None for a, b in zip(known, spans, strict=True)
            ]
        shapes[key] = (path.output, spans)
    found: dict[Event, None] = {}
    # Breadth first: the simplest question about each shape before the second one about any.
    questions = [_corners(output, spans) for output, spans in shapes.values()]
    for round_of in itertools.zip_longest(*questions):
        found.update((event, None) for event in round_of if event is not None)
        if len(found) >= most:
            break
    return tuple(found)[:most]


def _corners(output: Value, spans: Sequence[Span | None]) -> Iterator[Event]:
    """Corners of the numbers: all one way first, then few of them, then all others."""
    numbers = [i for i, span in enumerate(spans) if span is not None]
    count = len(numbers)
    ways = [*itertools.product((ABOVE,), repeat=count), *itertools.product((BELOW,), repeat=count)]
    if count:
        ways += [
            tuple(way if i == place else ANY for i in range(count)) for place in range(count) for way in (ABOVE, BELOW)
        ]
        ways.append((ANY,) * count)
    if count <= 4:
        ways += list(itertools.product((ANY, ABOVE, BELOW), repeat=count))
    for way in dict.fromkeys(ways):
        asked = dict(zip(numbers, way, strict=True))
        if isinstance(output, tuple):
            parts = tuple(
                _part(item, span, asked.get(i, ANY)) for i, (item, span) in enumerate(zip(output, spans, strict=True))
            )
            values = tuple(part.value for part in parts if isinstance(part, Equals))
            yield Equals(values) if len(values) == len(parts) else AllOf(parts)  # type: ignore[arg-type]
        else:
            part = _part(output, spans[0], asked.get(0, ANY))
            yield Within(None, None) if isinstance(part, Anything) else part


def _part(item: Item, span: Span | None, way: int) -> Equals | Within | Anything:
    if span is None:
        value: Scalar = item if item is None or isinstance(item, bool) else Fraction(item)  # type: ignore[arg-type]
        return Equals(value)
    if way == ANY:
        return Anything()
    return span.event(way)


def _span(item: Item, database: Database, adjacency: Adjacency, noises: Sequence[Noise]) -> Span | None:
    if not isinstance(item, Affine):
        return None
    centre = Fraction(item.constant)
    changes = [Fraction(0)]
    ways: set[bool] = set()  # whether noise may raise the number, whether it may lower it
    for symbol, coefficient in item.terms.items():
        if isinstance(symbol, Answer):
            centre += coefficient * database[symbol.place]
            changes.append(adjacency.distance * abs(Fraction(coefficient)))
        else:
            assert isinstance(symbol, Drawn)
            ways |= {coefficient > 0} if noises[symbol.site] in ONE_SIDED else {True, False}
    together = isinstance(adjacency, EachWithin | Monotone)
    reach = sum(changes, Fraction(0)) if together else max(changes)
    return Span(centre - reach, centre + reach, not ways or False in ways, not ways or True in ways)
