"""How far private numbers move: what noise scales are measured by, whatever the unit of the answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from kolahal.lang import ir
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.sketch import Sketch
from kolahal.lang.taint import Flow, find_flow

MOST_SIZES = 3  # of moves that coefficients are multiples of


@lru_cache(maxsize=64)  # asked for each time that noise is measured
def move_sizes(sketch: Sketch) -> tuple[Fraction, ...]:
    """How far one answer moves, and what the program may leave of that; or how far each aggregate of records moves.

    Coefficients are multiples of these, ascending.
    """
    relation = sketch.adjacency
    if not isinstance(relation, RecordRelation):
        ours = {Fraction(1)} if any(draw.noise.finite or draw.noise.selects for draw in sketch.sites) else set()  # of coins, and of lots
        left = sorted(size for size in _left_of_moves(sketch) | ours if size < relation.distance)
        return (*left[1 - MOST_SIZES :], relation.distance)
    aggregates = () if relation.table is None else relation.table.aggregates
    moves = relation.vertices(len(aggregates)) if aggregates else ()  # how many there are may be an argument
    steps = {max(map(abs, places)) for places in zip(*moves, strict=True)} - {0}
    return tuple(sorted(steps)[-MOST_SIZES:]) or (Fraction(1),)


# ---------------------------------------------------------------- what a program leaves of a large move


def _left_of_moves(sketch: Sketch) -> set[Fraction]:
    """How far values are apart at most that the program itself names: the bounds of a clip, the steps of a count.

    They are read off the text. A size that the program does not leave does no harm: some scales of the grammar are of no use.
    """
    flow = find_flow(sketch, control=True)
    bounds: defaultdict[str, set[Fraction]] = defaultdict(set)  # by name
    sizes: set[Fraction] = set()
    for name, value in ir.assignments(sketch.body):
        bounds[name] |= set(_clipped_to(value, flow))
    for name, value in _chosen(sketch.body, flow):
        bounds[name] |= {number for number in [_number(value)] if number is not None}
        sizes |= {abs(number) for number in _added(name, value)}
    apart = [*bounds.values(), *(set(_clipped_to(node, flow)) for node in ir.walk(sketch.body) if isinstance(node, ir.Call))]
    sizes |= {max(group) - min(group) for group in apart if group}
    return sizes - {Fraction(0)}


def _chosen(body: ir.Block, flow: Flow) -> Iterator[tuple[str, ir.Expr]]:
    """The names that private data decide about, with the values that they may be given."""
    for node in ir.walk(body):
        if isinstance(node, ir.If) and flow.of(node.test):
            yield from ir.assignments((node.then, node.orelse))


def _clipped_to(value: ir.Expr, flow: Flow) -> Iterator[Fraction]:
    """The numbers among which `min` and `max` keep a private value."""
    for node in ir.walk(value):
        if isinstance(node, ir.Call) and node.function in ("min", "max") and flow.of(node):
            yield from (number for number in map(_number, node.arguments) if number is not None)


def _added(name: str, value: ir.Expr) -> Iterator[Fraction]:
    """The numbers that are added to a name, or taken from it."""
    if isinstance(value, ir.Binary) and value.op in ("+", "-") and ir.Var(name) in (value.left, value.right):
        yield from (number for number in (_number(value.left), _number(value.right)) if number is not None)


def _number(value: ir.Expr) -> Fraction | None:
    if isinstance(value, ir.Negate):
        number = _number(value.of)
        return None if number is None else -number
    if isinstance(value, ir.Const) and isinstance(value.value, int | Fraction) and not isinstance(value.value, bool):
        return Fraction(value.value)
    return None
