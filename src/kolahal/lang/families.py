"""`Noise(hole)`: which families an open one may become, and the sketches in which each place has one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from kolahal.lang.ir import Hole
from kolahal.lang.noise import Noise
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.sketch import Completion, Sketch, Variant

MOST_MIXED = 3  # open places up to which each may have a family of its own

PURE = (Noise.LAPLACE, Noise.EXPONENTIAL)
KNOWN = {  # the families of which a budget knows the price, the usual one first
    Variant.PURE: PURE,
    Variant.ZCDP: (Noise.GAUSS, *PURE),
    Variant.GDP: (Noise.GAUSS,),
    Variant.APPROXIMATE: (Noise.GAUSS, *PURE),
}


def close_families(sketch: Sketch) -> tuple[Sketch, ...]:
    """The sketches with one family at each place of `sketch` that leaves it open; itself, where none does.

    Noise is real at all of these places, or whole at all of them, which it may be where all private values are whole.
    """
    if not sketch.is_open:
        return (sketch,)
    sites = [draw.site for draw in sketch.sites if draw.noise.open]
    found = [sketch.with_noises(dict(zip(sites, noises))) for noises in _choices(KNOWN[sketch.variant], len(sites))]
    if _has_whole_values(sketch):
        whole = tuple(noise.discrete for noise in KNOWN[sketch.variant])
        found += [sketch.with_noises(dict(zip(sites, noises))) for noises in _choices(whole, len(sites))]
    return tuple(found)


def _choices(families: tuple[Noise, ...], places: int) -> Iterator[tuple[Noise, ...]]:
    """One family for all places first; then, if these are few, mixed ones."""
    yield from ((noise,) * places for noise in families)
    if places <= MOST_MIXED:
        yield from (noises for noises in itertools.product(families, repeat=places) if len(set(noises)) > 1)


def _has_whole_values(sketch: Sketch) -> bool:
    if isinstance(sketch.adjacency, RecordRelation):
        return sketch.private.whole or sketch.adjacency.whole
    return sketch.private.whole


def name_families(closed: Sketch, sketch: Sketch, completion: Completion) -> Completion:
    """A completion of one of the closed sketches as one of the open sketch: scales of open places name their families."""
    noises = {draw.scale.index: draw.noise for draw in closed.draws if isinstance(draw.scale, Hole)}
    opened = {draw.scale.index for draw in sketch.sites if draw.noise.open and isinstance(draw.scale, Hole)}
    return tuple(scale.of(noises[hole]) if hole in opened else scale for hole, scale in enumerate(completion))
