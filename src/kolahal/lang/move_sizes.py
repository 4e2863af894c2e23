"""How far private numbers move: what noise scales are measured by, whatever the unit of the answers."""

from __future__ import annotations

from fractions import Fraction

from kolahal.lang.record_moves import RecordRelation
from kolahal.lang.sketch import Sketch

MOST_SIZES = 3  # of moves that coefficients are multiples of


def move_sizes(sketch: Sketch) -> tuple[Fraction, ...]:
    """How far one answer moves, or each aggregate of records: what coefficients are multiples of, ascending."""
    relation = sketch.adjacency
    if not isinstance(relation, RecordRelation):
        return (relation.distance,)
    aggregates = () if relation.table is None else relation.table.aggregates
    moves = relation.vertices(len(aggregates)) if aggregates else ()  # how many there are may be an argument
    steps = {max(map(abs, places)) for places in zip(*moves, strict=True)} - {0}
    return tuple(sorted(steps)[-MOST_SIZES:]) or (Fraction(1),)
