"""The scales that may fill a hole."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from kolahal.errors import SettingsError
from kolahal.lang.ir import Binary, Comprehension, Draw, Expr, For, Length, Node, Range, Var, assignments, walk
from kolahal.lang.move_sizes import move_sizes
from kolahal.lang.places import length_varies
from kolahal.lang.scale import NO_NOISE, Scale, next_of, parse_scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Arguments
from kolahal.settings import Grammar

SMALLEST = 0.25  # scale of noise that is searched, of what the least of the moves is


def enumerate_scales(grammar: Grammar, sketch: Sketch) -> tuple[Scale, ...]:
    """No noise, and every scale of the grammar for this sketch, the simplest first."""
    allowed = sketch.quantities()
    choices: list[tuple[str, tuple[int, ...]]] = [(sketch.epsilon.name, tuple(-p for p in grammar.epsilon_powers))]
    if length_varies(sketch) and sketch.private.count != 1:  # one answer makes no difference
        choices.append((sketch.length_name, grammar.length_powers))
    for parameter in sketch.arguments:
        if parameter.type is Type.INT and parameter.name in allowed:
            powers = range(max(grammar.argument_powers) + 1, degree_of(sketch, parameter.name) + 1)
            choices.append((parameter.name, (*grammar.argument_powers, *powers)))
    choices += [(unit, (0, 1)) for unit in sketch.units]
    names = [name for name, _ in choices]
    found = [NO_NOISE]
    every = sorted(itertools.product(*(p for _, p in choices)), key=lambda p: (sum(map(abs, p)), p))
    coefficients = [c * size for size in move_sizes(sketch) for c in grammar.coefficients]
    for power in every:
        product = Scale(Fraction(1), tuple(zip(names, power, strict=True)))
        for shape in (product, *_sums_of_counts(sketch, product)):
            found += [Scale(Fraction(coefficient)) * shape for coefficient in coefficients]
    for text in grammar.extra:
        scale = parse_scale(text)
        for name in scale.names:
            if name not in allowed:
                raise SettingsError(f"{text} uses {name}; a scale of {sketch.name} may use {', '.join(allowed)}")
        found.append(scale)
    return tuple(dict.fromkeys(found))


def _sums_of_counts(sketch: Sketch, product: Scale) -> Iterator[Scale]:
    """1 + 2 + … + k = k·(k + 1)/2 in place of k², for each k whose square stands in a product."""
    for name, power in product.powers:
        if power == 2 and name in sketch.counted and degree_of(sketch, name) == 2:
            yield product / Scale(Fraction(2), ((name, 1),)) * Scale(Fraction(1), ((next_of(name), 1),))


def degree_of(sketch: Sketch, name: str) -> int:
    """How often the program multiplies by an argument, or by `len(q)`, 2 at most: in products, and by loops that it bounds.

    A loop that both adds up and draws noise counts twice: what is added up in one turn stands in all later ones.
    """

    def degree(node: object, counters: frozenset[str]) -> int:
        match node:
            case Binary("*"):
                return _factors(node, counters)
            case For(word, over, body) | Comprehension(body, word, over) if _turns(over, counters):
                adds = any(Var(target) in walk(value) for target, value in assignments(body))
                draws = any(isinstance(part, Draw) for part in walk(body))
                return 1 + max(degree(body, counters | {word}), int(adds and draws))
            case tuple():
                return max((degree(part, counters) for part in node), default=0)
            case Node():
                return max((degree(getattr(node, part), counters) for part in node.__dataclass_fields__), default=0)
            case _:
                return 0

    return min(2, degree(sketch.body, frozenset({f"len({sketch.private.name})" if name == sketch.length_name else name})))


def _factors(node: Expr, counters: frozenset[str]) -> int:
    """How many factors of a product are among some names; `len(q)` is one."""
    match node:
        case Var(word):
            return int(word in counters)
        case Length(Var(word)):
            return int(f"len({word})" in counters)
        case Binary("*", left, right):
            return _factors(left, counters) + _factors(right, counters)
        case Binary("+" | "-", left, right):
            return max(_factors(left, counters), _factors(right, counters))
        case _:
            return 0


def _turns(over: Var | Range, counters: frozenset[str]) -> int:
    """Whether such a name says how many turns a loop has."""
    return _factors(Length(over), counters) if isinstance(over, Var) else _factors(over.stop, counters)


def scale_range(sketch: Sketch, arguments: Arguments) -> tuple[float, float]:
    """The smallest and the largest scale that is searched: the largest is beyond what answers that all move need."""
    whole = max([float(v) for _, v in arguments.values if not isinstance(v, bool)], default=1.0)
    sizes = [float(size) for size in move_sizes(sketch)]
    return SMALLEST * sizes[0], sizes[-1] * 4.0 * max(arguments.size, 4.0) * max(whole, 1.0) / float(arguments.epsilon)
