"""The scales that may fill a hole."""

from __future__ import annotations

import itertools
from fractions import Fraction

from kolahal.errors import SettingsError
from kolahal.lang.record_moves import RecordRelation
from kolahal.lang.scale import NO_NOISE, Scale, parse_scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Arguments
from kolahal.settings import Grammar

MOST_SIZES = 3  # of moves that coefficients are multiples of


def enumerate_scales(grammar: Grammar, sketch: Sketch) -> tuple[Scale, ...]:
    """No noise, and every scale of the grammar for this sketch, the simplest first."""
    allowed = sketch.quantities()
    choices: list[tuple[str, tuple[int, ...]]] = [(sketch.epsilon.name, tuple(-p for p in grammar.epsilon_powers))]
    if sketch.length_name in allowed:
        choices.append((sketch.length_name, grammar.length_powers))
    for parameter in sketch.arguments:
        if parameter.type is Type.INT and parameter.name in allowed:
            choices.append((parameter.name, grammar.argument_powers))
    choices += [(unit, (0, 1)) for unit in sketch.units]
    names = [name for name, _ in choices]
    found = [NO_NOISE]
    powers = sorted(itertools.product(*(p for _, p in choices)), key=lambda p: (sum(map(abs, p)), p))
    coefficients = [c * size for size in move_sizes(sketch) for c in grammar.coefficients]
    for power in powers:
        for coefficient in coefficients:
            found.append(Scale(Fraction(coefficient), tuple(zip(names, power, strict=True))))
    for text in grammar.extra:
        scale = parse_scale(text)
        for name, _ in scale.powers:
            if name not in allowed:
                raise SettingsError(f"{text} uses {name}; a scale of {sketch.name} may use {', '.join(allowed)}")
        found.append(scale)
    return tuple(dict.fromkeys(found))


def move_sizes(sketch: Sketch) -> tuple[Fraction, ...]:
    """How far one answer moves, or each aggregate of records: what coefficients are multiples of, ascending."""
    relation = sketch.adjacency
    if not isinstance(relation, RecordRelation):
        return (relation.distance,)
    aggregates = () if relation.table is None else relation.table.aggregates
    moves = relation.vertices(len(aggregates)) if aggregates else ()  # how many there are may be an argument
    steps = {max(map(abs, places)) for places in zip(*moves, strict=True)} - {0}
    return tuple(sorted(steps)[-MOST_SIZES:]) or (Fraction(1),)


def widest_scale(arguments: Arguments) -> float:
    """The largest scale that is searched: beyond what answers that all move by 1 need."""
    whole = max([float(v) for _, v in arguments.values if not isinstance(v, bool)], default=1.0)
    return 4.0 * max(arguments.size, 4.0) * max(whole, 1.0) / float(arguments.epsilon)
