"""Events worth asking about, read off the paths of a program: its answers, and corners of their noisy numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone
from kolahal.lang.noise import Noise
from kolahal.logic.linear import LinearForm, plain
from kolahal.model import AllOf, Anything, Database, Equals, Event, Scalar, Within
from kolahal.nouns import dataclass
from kolahal.paths.joined import Outcomes
from kolahal.paths.state import Fault, Item, Value, discrete_part
from kolahal.paths.unknowns import Affine, AnswerAt, Atoms, Indeterminate, NoiseAt

ANY, ABOVE, BELOW = 0, 1, -1  # what is asked of a noisy number


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Between which values a number of an answer lies without noise, on a database and its neighbours.

    Where the noise goes one way only, values on its other side are impossible, and the event ends within the span.
    """

    low: Fraction
    high: Fraction
    can_fall: bool
    can_rise: bool

    def joined(self, other: ValueRange) -> ValueRange:
        return ValueRange(
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
    shapes: dict[object, tuple[Value, list[ValueRange | None]]] = {}
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
    return _in_turn((_corners(output, spans) for output, spans in shapes.values()), most)


def find_windows(outcomes: Outcomes, d1: Database, d2: Database, most: int) -> tuple[Event, ...]:
    """At most `most` events for two databases: every answer without noise, and intervals of noisy numbers.

    The intervals end where the density of a number jumps or has a kink on one of the databases: where it is without
    noise, and where a comparison of the same noise ends a path.
    """
    shapes: dict[object, tuple[Value, list[set[Fraction] | None]]] = {}
    for path in outcomes.paths:
        if isinstance(path.output, Fault):
            continue
        items = path.output if isinstance(path.output, tuple) else (path.output,)
        marks = [_marks(item, path.atoms, (d1, d2)) if isinstance(item, LinearForm) else None for item in items]
        _, known = shapes.setdefault(discrete_part(path.output), (path.output, marks))
        for old, new in zip(known, marks, strict=True):
            if old is not None and new is not None:
                old |= new
    return _in_turn((_windows(output, marks) for output, marks in shapes.values()), most)


def _in_turn(several: Iterable[Iterator[Event]], most: int) -> tuple[Event, ...]:
    """Breadth first: the simplest question about each shape before the second one about any."""
    found: dict[Event, None] = {}
    for round_of in itertools.zip_longest(*several):
        found.update((event, None) for event in round_of if event is not None)
        if len(found) >= most:
            break
    return tuple(found)[:most]


def _marks(item: Affine, atoms: Atoms, databases: Sequence[Database]) -> set[Fraction]:
    """Where the density of a number may jump: at values at which a comparison is decided, and without noise."""
    noise = item.part(_is_drawn)
    forms = [item - noise]
    for atom in atoms:
        own = atom.form.part(_is_drawn)
        symbol = next(iter(noise.terms), None)
        if symbol is not None and symbol in own.terms:
            factor = Fraction(own.terms[symbol]) / Fraction(noise.terms[symbol])
            if own == noise.times(plain(factor)):
                # The comparison is factor × item + rest, so it turns where the item is −rest/factor.
                forms.append((item.times(plain(factor)) - atom.form).times(plain(1 / factor)))
    return {_value(form, database) for form in forms for database in databases}


def _value(form: Affine, database: Database) -> Fraction:
    total = Fraction(form.constant)
    for symbol, coefficient in form.terms.items():
        assert isinstance(symbol, AnswerAt), "arguments have values here"
        total += coefficient * database[symbol.place]
    return total


def _is_drawn(symbol: Indeterminate) -> bool:
    return isinstance(symbol, NoiseAt)


def _windows(output: Value, marks: Sequence[set[Fraction] | None]) -> Iterator[Event]:
    """The same window for all numbers, counted from the lowest or the highest, then windows of one number alone."""
    windows = [None if own is None else _between(sorted(own)) for own in marks]
    if not any(windows):
        yield _event(output, {})
        return
    for place in range(max(len(own) for own in windows if own)):
        for way in (place, -1 - place):
            asked = {i: own[way] for i, own in enumerate(windows) if own and place < len(own)}
            yield _event(output, asked)
            if len(asked) > 1:
                for i, window in asked.items():
                    yield _event(output, {i: window})


def _between(marks: Sequence[Fraction]) -> list[Within]:
    """Half-lines at the ends, and what lies between neighbouring marks."""
    inner = [Within(low, high) for low, high in itertools.pairwise(marks)]
    return [Within(None, marks[0]), *inner, Within(marks[-1], None)]


def _event(output: Value, asked: Mapping[int, Within]) -> Event:
    """The event that an answer of this shape has its numbers in the windows; what is not asked may be anything."""
    if not isinstance(output, tuple):
        return asked.get(0, Within(None, None)) if isinstance(output, LinearForm) else Equals(_scalar(output))
    parts = [
        asked.get(i, Anything()) if isinstance(item, LinearForm) else Equals(_scalar(item))
        for i, item in enumerate(output)
    ]
    values = tuple(part.value for part in parts if isinstance(part, Equals))
    return Equals(values) if len(values) == len(parts) else AllOf(tuple(parts))  # type: ignore[arg-type]


def _scalar(item: Item) -> Scalar:
    return item if item is None or isinstance(item, bool) else Fraction(item)  # type: ignore[arg-type]


def _corners(output: Value, spans: Sequence[ValueRange | None]) -> Iterator[Event]:
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
        asked = {i: spans[i].event(sense) for i, sense in zip(numbers, way, strict=True) if sense != ANY}  # type: ignore[union-attr]
        yield _event(output, asked)


def _span(item: Item, database: Database, adjacency: Adjacency, noises: Sequence[Noise]) -> ValueRange | None:
    if not isinstance(item, LinearForm):
        return None
    centre = Fraction(item.constant)
    changes = [Fraction(0)]
    ways: set[bool] = set()  # whether noise may raise the number, whether it may lower it
    for symbol, coefficient in item.terms.items():
        if isinstance(symbol, AnswerAt):
            centre += coefficient * database[symbol.place]
            changes.append(adjacency.distance * abs(Fraction(coefficient)))
        else:
            assert isinstance(symbol, NoiseAt)
            ways |= {coefficient > 0} if noises[symbol.site].one_sided else {True, False}
    together = isinstance(adjacency, EachWithin | Monotone)
    reach = sum(changes, Fraction(0)) if together else max(changes)
    return ValueRange(centre - reach, centre + reach, not ways or False in ways, not ways or True in ways)
