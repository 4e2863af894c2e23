"""Pairs of neighbouring databases on which privacy may be hard: StatDP's patterns, our starts, and steps from a pair.

What makes a pair hard is mostly where its answers lie relative to the noise: StatDP's values 0, 1 and 2 show 0.6 ε of
the 1 ε that above threshold loses on five answers, and answers some noise scales apart show 0.96 ε. So our starts and
the steps of the search are measured in noise scales, and lie around the public thresholds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from operator import add, sub
from typing import TypeVar

from kolahal.lang.adjacency import Adjacency, Move
from kolahal.lang.ir import Hole
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Arguments, Database, Scales
from kolahal.nouns import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pair:
    """The neighbours d1 and d1 + move."""

    d1: Database
    move: Move

    @property
    def d2(self) -> Database:
        return combine(add, self.d1, self.move)

    @staticmethod
    def between(d1: Database, d2: Database) -> Pair:
        return Pair(d1, combine(sub, d1, d2))


def _scaled(shape: Sequence[int], unit: Fraction, middle: Fraction = Fraction(0)) -> Database:
    """`middle` + `unit` times each number of a shape."""
    known = {step: middle + unit * step for step in set(shape)}
    return tuple(known[step] for step in shape)


def combine(operation: Callable[[Fraction, Fraction], Fraction], a: Database, b: Database) -> Database:
    """`operation(y, x)` for each x of `a` and y of `b`. Long lists have few different values, and fractions are slow.

    Equal results are one object: that also makes comparisons of whole databases quick.
    """
    known: dict[tuple[int, int], Fraction] = {}
    found = []
    for x, y in zip(a, b, strict=True):
        key = id(x), id(y)  # hashing a fraction takes longer than to add two
        if key not in known:
            known[key] = operation(y, x)
        found.append(known[key])
    return tuple(found)


def settle(sketch: Sketch, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs that the program takes; of records, pairs near them whose answers some lists of records have."""
    adjacency = sketch.adjacency
    if sketch.private.bits:
        yield from (_allowed(as_bits(pair), adjacency) for pair in pairs)
        return
    if not isinstance(adjacency, RecordRelation):
        yield from (pair for pair in pairs if not sketch.private.whole or sketch.admits(pair.d2))
        return
    for pair in pairs:
        found = adjacency.settle(pair.d1, pair.move)
        if found is not None and adjacency.related(*found):
            yield Pair.between(*found)


def as_bits(pair: Pair) -> Pair:
    """The pair of bits that is nearest: what rises was False, what falls was True."""
    one, zero = Fraction(1), Fraction(0)
    d1 = tuple((zero if step > 0 else one) if step else one if answer > 0 else zero for answer, step in zip(pair.d1, pair.move))
    return Pair(d1, tuple(Fraction(sign(step)) for step in pair.move))


def _allowed(pair: Pair, adjacency: Adjacency) -> Pair:
    """A pair of bits in which no more are turned over than in neighbours: moves by less than 1 add up to more once they are whole."""
    move = list(pair.move)
    for place in reversed(range(len(move))):
        if adjacency.allows(move):
            break
        move[place] = Fraction(0)
    return Pair(pair.d1, tuple(move))


# ---------------------------------------------------------------- StatDP's


def statdp_pairs(adjacency: Adjacency, size: int) -> tuple[Pair, ...]:
    """StatDP's patterns over 0, 1 and 2, in units of the distance: eight, or two where only one answer may move."""
    if isinstance(adjacency, RecordRelation):
        starts = (adjacency.settle((Fraction(0),) * size, move) for move in enumerate_moves(adjacency, size, 8))
        return tuple(Pair.between(*pair) for pair in starts if pair is not None and adjacency.related(*pair))
    half = size // 2
    patterns = [
        ([1] * size, [0] + [1] * (size - 1)),  # one below
        ([1] * size, [2] + [1] * (size - 1)),  # one above
        ([1] * size, [2] + [0] * (size - 1)),  # one above, rest below
        ([1] * size, [0] + [2] * (size - 1)),  # one below, rest above
        ([1] * size, [2] * half + [0] * (size - half)),  # half and half
        ([1] * size, [2] * size),  # all above
        ([1] * size, [0] * size),  # all below
        ([1] * half + [0] * (size - half), [0] * half + [1] * (size - half)),  # crossing over
    ]
    pairs = []
    for left, right in patterns:
        d1, d2 = (_scaled(values, adjacency.distance) for values in (left, right))
        pair = Pair.between(d1, d2)
        if any(pair.move) and adjacency.allows(pair.move) and pair not in pairs:
            pairs.append(pair)
    return tuple(pairs)


# ---------------------------------------------------------------- ours


def noise_scales(sketch: Sketch, arguments: Arguments, scales: Scales) -> tuple[float, ...]:
    """The scale of every draw, by site."""
    names = arguments.quantities(sketch)
    return tuple(
        scales[draw.scale.index] if isinstance(draw.scale, Hole) else draw.scale.near(names)
        for draw in sketch.draws
    )


def noise_unit(sketch: Sketch, arguments: Arguments, scales: Scales) -> Fraction:
    """The largest noise scale as a short number, or the distance of neighbours where there is no noise."""
    largest = max(noise_scales(sketch, arguments, scales), default=0.0)
    unit = short(largest) if largest > 0 else sketch.adjacency.distance
    return Fraction(math.ceil(unit)) if sketch.private.whole else unit


def short(value: float) -> Fraction:
    """A number near a positive `value` that reads well: one digit times a power of ten."""
    power = math.floor(math.log10(value))
    return Fraction(max(1, round(value / 10.0**power))) * Fraction(10) ** power


def enumerate_moves(adjacency: Adjacency, size: int, most: int) -> tuple[Move, ...]:
    """At most `most` moves to the corners of the relation, those that tell most about known mechanisms first."""
    if isinstance(adjacency, RecordRelation):
        allowed = (m for m in adjacency.vertices(size) if adjacency.allows(m))
        known = itertools.chain(allowed, adjacency.at(size).library_moves)
        return tuple(itertools.islice(dict.fromkeys(known), most))
    half, last = size // 2, size - 1
    shapes: list[list[int]] = [
        [-1] * last + [1],  # one against many
        [1] + [-1] * last,
        [1] * half + [-1] * (size - half),  # half and half
        [1] * size,
        [-1] * (size - 2) + [1] * min(2, size),  # two against many
        [0] * last + [1],  # one alone
        [1] + [0] * last,
        [1 if i == half else -1 for i in range(size)],
        [1] * half + [0] * (size - half),
        [1 - 2 * (i % 2) for i in range(size)],  # alternating
    ]
    singles = ([1 if i == place else 0 for i in range(size)] for place in range(1, last))
    whole: list[Move] = []
    for shape in itertools.chain(shapes, singles):
        if len(whole) == most:
            break
        move = _scaled(shape, adjacency.distance)
        if any(move) and adjacency.allows(move) and move not in whole:
            whole.append(move)
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(whole, _shared_moves(adjacency, shapes)))
    return tuple(dict.fromkeys(move for move in in_turn if move is not None))[:most]


def _shared_moves(adjacency: Adjacency, shapes: Iterable[Sequence[int]]) -> list[Move]:
    """Moves of several answers that share one distance: a program that cuts off how far each counts loses most there."""
    found: list[Move] = []
    for shape in shapes:
        count = sum(map(abs, shape))
        if count > 1 and not adjacency.allows(_scaled(shape, adjacency.distance)):
            each = adjacency.distance // count or adjacency.distance / count  # whole distances stay whole where they can
            move = _scaled(shape, Fraction(each))
            found += [move] if adjacency.allows(move) else []
    return found


def enumerate_corners(adjacency: Adjacency, size: int, events: int, most: int) -> tuple[Move, ...]:
    """The moves to the corners of the relation; where they and so many events are more than `most`, those that tell most."""
    corners = tuple(itertools.islice(adjacency.vertices(size), most))
    if len(corners) * events <= most:
        return corners
    return enumerate_moves(adjacency, size, max(4, most // max(1, events)))


def enumerate_bases(sketch: Sketch, arguments: Arguments, scales: Scales, most: int) -> tuple[Database, ...]:
    """At most `most` databases to start from: at the threshold, then with answers a noise scale off it."""
    size, unit = arguments.size, noise_unit(sketch, arguments, scales)
    half, last = size // 2, size - 1
    shapes: list[list[int]] = [
        [0] * size,
        [-1] * half + [1] * (size - half),
        [-1] * last + [1],  # a late answer above the others
        [1] * last + [-1],
        [1] * half + [-1] * (size - half),
        [0] * last + [-2],
        [-2] + [0] * last,
        [2] * last + [-1],
    ]
    middle = _threshold(sketch, arguments)
    if sketch.private.whole:
        middle = Fraction(round(middle))
    bases: list[Database] = []
    for shape in shapes:
        base = _scaled(shape, unit, middle)
        if isinstance(sketch.adjacency, RecordRelation):
            base = sketch.adjacency.nearest(base)
        if sketch.private.bits:
            base = as_bits(Pair(base, (Fraction(0),) * size)).d1
        if base not in bases:
            bases.append(base)
    return tuple(bases[:most])


def _threshold(sketch: Sketch, arguments: Arguments) -> Fraction:
    """The value that answers are most likely compared with: the first real argument, if there is one."""
    given = dict(arguments.values)
    for parameter in sketch.arguments:
        value = given.get(parameter.name)
        if parameter.type is Type.FLOAT and value is not None:
            return Fraction(value)
    return Fraction(0)


def steps_from(pair: Pair, sketch: Sketch, step: Fraction) -> Iterator[Pair]:
    """The pairs one step away: answers that move alike shifted together, then one at a time, then other moves."""
    return settle(sketch, (p for p in _steps_from(pair, sketch.adjacency, step) if _is_taken(sketch, p)))


def _is_taken(sketch: Sketch, pair: Pair) -> bool:
    return sketch.private.bits or isinstance(sketch.adjacency, RecordRelation) or sketch.admits(pair.d1)


def _steps_from(pair: Pair, adjacency: Adjacency, step: Fraction) -> Iterator[Pair]:
    groups = _groups(pair)
    for group in groups:
        yield from _shifted(pair, group, step)
    for i in range(len(pair.d1)):
        if (i,) not in groups and len(pair.d1) > 1:
            yield from _shifted(pair, (i,), step)
    for i in range(len(pair.d1)):
        for new in (adjacency.distance, -adjacency.distance, Fraction(0)):
            for keep in (True, False):  # one answer moves otherwise, or it alone does
                move = tuple(new if j == i else v if keep else Fraction(0) for j, v in enumerate(pair.move))
                if move != pair.move and any(move) and adjacency.allows(move):
                    yield Pair(pair.d1, move)
                    break


def group_steps(pair: Pair, sketch: Sketch, step: Fraction) -> Iterator[Pair]:
    """The pairs in which all answers that move alike are shifted together."""
    shifted = (other for group in _groups(pair) for other in _shifted(pair, group, step))
    return settle(sketch, (other for other in shifted if _is_taken(sketch, other)))


def _groups(pair: Pair) -> list[tuple[int, ...]]:
    signs = [sign(step) for step in pair.move]
    groups = [tuple(i for i, way in enumerate(signs) if way == wanted) for wanted in (1, -1, 0)]
    return [group for group in groups if group]


def _shifted(pair: Pair, group: tuple[int, ...], step: Fraction) -> Iterator[Pair]:
    still = Fraction(0)
    for shift in (step, -step):
        shifts = [still] * len(pair.d1)
        for i in group:
            shifts[i] = shift
        yield Pair(combine(add, pair.d1, tuple(shifts)), pair.move)


def sign(value: Fraction) -> int:
    return (value.numerator > 0) - (value.numerator < 0)


def climb(most: int, steps: Callable[[], Sequence[T]], attempt: Callable[[T], bool | None]) -> int:
    """Goes along steps, one after the other, as long as some step from where one stands helps; returns how many of `most` are left.

    `attempt` takes a step, and says whether it helped; None if it was tried before. One that helped is tried again from there.
    """
    others, place, failures = steps(), 0, 0
    while most > 0 and failures < len(others):
        helped = attempt(others[place % len(others)])
        most -= helped is not None
        if helped:
            others, failures = steps(), 0
        else:
            place, failures = place + 1, failures + 1
    return most
