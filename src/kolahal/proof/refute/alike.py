"""Arguments at which a program loses the same: a threshold that rises together with all private answers tells nothing new.

This only saves searches. Nothing is proved or refuted by it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.ir import Var, walk
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Type
from kolahal.model import Arguments
from kolahal.paths.state import Paths, affine_parts
from kolahal.paths.unknowns import Affine, AnswerAt, Argument, Public


def find_levels(paths: Paths, claim: Scale) -> frozenset[str]:
    """Real arguments that change nothing if they all rise as far as every private answer does; none if there are no such.

    Each comparison and each number of an answer then stays as it is, and so do the scales of all noise.
    """
    sketch = paths.sketch
    if isinstance(sketch.adjacency, RecordRelation) or sketch.private.bits:
        return frozenset()
    fixed = set(claim.names).union(*(d.scale.names for d in sketch.draws if isinstance(d.scale, Scale)))
    fixed |= {node.name for node in walk(sketch.asserted) if isinstance(node, Var)}
    free = [p.name for p in sketch.arguments if p.type is Type.FLOAT and p.usual is None and p.name not in fixed]
    forms = list(_forms(paths))
    for chosen in dict.fromkeys(map(frozenset, [free, *([name] for name in free)])):
        if chosen and not any(_rises(form, chosen) for form in forms):
            return chosen
    return frozenset()


def _forms(paths: Paths) -> Iterator[Affine]:
    for path in paths.paths:
        yield from (atom.form for atom in path.atoms)
        yield from affine_parts(path.output)
        for pick in path.picks:
            yield from pick.gaps


def _rises(form: Affine, names: frozenset[str]) -> bool:
    """Whether a value changes with the private answers and these arguments, or may change."""
    rise = Fraction(0)
    for symbol, factor in form.terms.items():
        if isinstance(symbol, Public):
            return True
        if isinstance(symbol, AnswerAt) or (isinstance(symbol, Argument) and symbol.name in names):
            rise += factor
    return rise != 0


def at_no_level(arguments: Arguments, levels: frozenset[str], whole: bool) -> Arguments:
    """The arguments with the first level at 0, or as near as whole answers allow: the same for all that lose the same."""
    rise = level_of(arguments, levels)
    if whole:
        rise = Fraction(math.floor(rise))
    values = ((name, value - rise if name in levels else value) for name, value in arguments.values)
    return replace(arguments, values=tuple(values))


def level_of(arguments: Arguments, levels: frozenset[str]) -> Fraction:
    """The value of the first of these arguments, or 0."""
    return next((Fraction(value) for name, value in arguments.values if name in levels), Fraction(0))
