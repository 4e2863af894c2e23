"""Which places of the private list a program reads whatever its length: they tell how many answers it needs."""

from __future__ import annotations

from fractions import Fraction

from kolahal.lang.ir import Assign, Binary, Comprehension, Const, Expr, Index, Negate, Node, Var, assignments, walk
from kolahal.lang.operators import OPERATORS
from kolahal.lang.sketch import Sketch


def answers_needed(sketch: Sketch) -> int:
    """The number of private answers below which some place that is written as a number does not exist; 0 without one."""
    return max((place + 1 if place >= 0 else -place for place in fixed_places(sketch)), default=0)


def fixed_places(sketch: Sketch) -> tuple[int, ...]:
    """The places of the private list that are written as numbers, such as 6 in `q[6]` and -1 in `q[-1]`."""
    names = _names_of_the_list(sketch)
    reads = [n for n in walk(sketch.body) if isinstance(n, Index) and n.of.name in names]
    return tuple(place for read in reads if (place := _constant(read.at)) is not None)


def reads_fixed_places_alone(sketch: Sketch) -> bool:
    """Whether the private list is used for nothing but its items at places that are written as numbers.

    What the program asserts of its length does not count.
    """
    names, body = _names_of_the_list(sketch), sketch.body[sketch.preconditions :]
    allowed: list[Node] = []  # by identity: equal names stand in other places too
    for node in walk(body):
        if isinstance(node, Index) and _constant(node.at) is not None:
            allowed.append(node.of)
        elif isinstance(node, Assign):
            allowed += [value for target, value in zip(node.targets, node.values, strict=True) if target in names]
    uses = [n for n in walk(body) if isinstance(n, Var) and n.name in names]
    return bool(fixed_places(sketch)) and all(any(use is known for known in allowed) for use in uses)


def _names_of_the_list(sketch: Sketch) -> set[str]:
    """Names that hold the private list, or one of the same length that was made from it."""
    names = {sketch.private.name}
    while True:
        more = {target for target, value in assignments(sketch.body) if _is_made_of(value, names)}
        if more <= names:
            return names
        names |= more


def _is_made_of(value: Expr, names: set[str]) -> bool:
    match value:
        case Var(name) | Comprehension(over=Var(name)):
            return name in names
        case _:
            return False


def _constant(at: Expr) -> int | None:
    """The whole number that an expression of numbers alone is."""
    value = _value(at)
    return int(value) if value is not None and value.denominator == 1 else None


def _value(at: Expr) -> Fraction | None:
    match at:
        case Const(value=Fraction() as value):
            return value
        case Negate(inner):
            negated = _value(inner)
            return None if negated is None else -negated
        case Binary(op, left, right) if op in ("+", "-", "*"):
            one, other = _value(left), _value(right)
            if one is None or other is None:
                return None
            return Fraction(OPERATORS[op](one, other))
        case _:
            return None


def length_varies(sketch: Sketch) -> bool:
    """Whether offered scales may name the private input's length; so many aggregates are a number, also where their list has a name."""
    return sketch.length_name in sketch.quantities() and (sketch.private.table is None or sketch.private.count is None)
