"""Which part of a path is in an event: the event cuts it into polyhedra of the noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from kolahal.lang.noise import Noise
from kolahal.logic.linear import Inequality, LinearForm, as_form, number, plain, variable
from kolahal.model import AllOf, Anything, Equals, Event, Linear, OneOf, StartsWith, Within, contains, is_number
from kolahal.nouns import dataclass
from kolahal.paths.state import Fault, Item, Value
from kolahal.paths.unknowns import Affine, AnswerAt, Atom, Atoms, NoiseAt

MOST_PIECES = 64  # polyhedra into which an event may cut one path


@dataclass(frozen=True, slots=True)
class CannotIntegrate:
    """That exact probabilities are out of reach here, and why; the sampler takes over."""

    reason: str


class Slot(Fraction):
    """A bound of an event that is given later, as if it were one more answer, at the place of its value."""


def open_bounds(event: Event, size: int) -> tuple[Event, tuple[Fraction, ...]]:
    """The event with slots after `size` answers in place of its bounds, and these bounds."""
    bounds: list[Fraction] = []

    def slot(bound: Fraction | None) -> Fraction | None:
        if bound is None:
            return None
        bounds.append(bound)
        return Slot(size + len(bounds) - 1)

    def opened(part: Equals | Within | Anything) -> Equals | Within | Anything:
        return Within(slot(part.low), slot(part.high)) if isinstance(part, Within) else part

    match event:
        case Within():
            return opened(event), tuple(bounds)
        case AllOf(events):
            return AllOf(tuple(map(opened, events))), tuple(bounds)
        case _:
            return event, ()


def cut(event: Event, output: Value | Fault, noises: Sequence[Noise]) -> tuple[Atoms, ...] | CannotIntegrate:
    """Disjoint sets of comparisons: a run that gives `output` is in the event where one of the sets holds."""
    if isinstance(output, Fault):
        return ()
    match event:
        case OneOf(events):
            return _cut_union(events, output, noises)
        case Anything():
            return ((),)
        case Equals(value=tuple() as values):
            if not isinstance(output, tuple) or len(output) != len(values):
                return ()
            return _join(_cut_item(Equals(v), item, noises) for v, item in zip(values, output, strict=True))
        case StartsWith(values):
            if not isinstance(output, tuple) or len(output) < len(values):
                return ()
            return _join(_cut_item(Equals(v), item, noises) for v, item in zip(values, output, strict=False))
        case AllOf(events):
            if not isinstance(output, tuple) or len(output) != len(events):
                return ()
            return _join(_cut_item(part, item, noises) for part, item in zip(events, output, strict=True))
        case Linear(weights, low):
            if not isinstance(output, tuple) or len(output) != len(weights) or not all(map(_is_numeric, output)):
                return ()
            total: Affine = number(-low)
            for weight, item in zip(weights, output, strict=True):
                total += _form(item).times(plain(weight))
            return _join([_hold(Inequality(-total, strict=False))])
        case Equals() | Within():
            return () if isinstance(output, tuple) else _join([_cut_item(event, output, noises)])


def _cut_union(
    events: Sequence[Event], output: Value | Fault, noises: Sequence[Noise]
) -> tuple[Atoms, ...] | CannotIntegrate:
    """A union as disjoint parts: each part leaves out what the parts before it have."""
    taken: list[Atoms] = []
    found: list[Atoms] = []
    for event in events:
        parts = cut(event, output, noises)
        if isinstance(parts, CannotIntegrate):
            return parts
        for part in parts:
            rest = [part]
            for other in taken:
                rest = [piece for atoms in rest for piece in _without(atoms, other)]
            found += rest
            taken.append(part)
            if len(found) > MOST_PIECES:
                return CannotIntegrate("the event is a union of too many parts")
    return tuple(found)


def _without(atoms: Atoms, other: Atoms) -> Iterator[Atoms]:
    """Disjoint parts of `atoms` that together are what of it is not in `other`."""
    for place, atom in enumerate(other):
        yield (*atoms, *other[:place], atom.negated())


def _join(parts: Iterable[Atoms | None]) -> tuple[Atoms, ...]:
    """All parts at once; None is impossible."""
    atoms: list[Atom] = []
    for part in parts:
        if part is None:
            return ()
        atoms += part
    return (tuple(atoms),)


def _cut_item(event: Event, item: Item, noises: Sequence[Noise]) -> Atoms | None:
    if isinstance(event, Within) and is_number(item):
        item = _form(item)
    if not isinstance(item, LinearForm):
        plain_item = item if item is None or isinstance(item, bool) else Fraction(item)
        return () if contains(event, plain_item) else None
    match event:
        case Equals(value):
            if not isinstance(value, Fraction):
                return None
            if any(isinstance(s, NoiseAt) and not noises[s.site].whole for s in item.terms):
                return None  # continuous noise hits one value with probability 0
            off = item - number(value)
            return (Inequality(off, strict=False), Inequality(-off, strict=False))
        case Within(low, high):
            atoms: list[Atom] = []
            if low is not None:
                atoms.append(Inequality(_level(low) - item, strict=False))
            if high is not None:
                atoms.append(Inequality(item - _level(high), strict=False))
            held = [_hold(atom) for atom in atoms]
            return None if None in held else tuple(atom for part in held for atom in part or ())
        case Anything():
            return ()
        case _:
            raise AssertionError(f"{event} is no event of one item")


def _level(bound: Fraction) -> Affine:
    return variable(AnswerAt(bound.numerator)) if isinstance(bound, Slot) else number(bound)


def _is_numeric(item: Item) -> bool:
    return isinstance(item, LinearForm) or is_number(item)


def _form(item: Item) -> Affine:
    assert isinstance(item, LinearForm | int | Fraction)
    return as_form(item)


def _hold(atom: Atom) -> Atoms | None:
    if atom.form.terms:
        return (atom,)
    return () if atom.holds({}) else None
