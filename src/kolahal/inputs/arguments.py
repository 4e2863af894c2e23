"""Sizes and arguments at which a program may lose most."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.errors import UsageError
from kolahal.lang.ir import Const, walk
from kolahal.lang.places import fixed_places
from kolahal.lang.sketch import Parameter, Role, Sketch, Type, Variant
from kolahal.model import Arguments

SIZES = (1, 2, 3, 4, 5, 6)  # numbers of answers that are tried, so that the fewest that show a violation are found
WHOLE = (Fraction(1), Fraction(2), Fraction(3))  # values of whole arguments; the first may be too small to be typical
MOST_SETTINGS = 9  # of all whole arguments together, at which costs are computed
MOST_CALLS = 1000  # of all arguments together that are asked whether a call takes them
MOST_VALUES = 12  # of one argument that are tried beyond the usual ones
MOST_ASKED = 64  # answers that a place in the program may ask for
Setting: TypeAlias = tuple[tuple[str, int], ...]  # the whole arguments
ArgumentValues: TypeAlias = tuple[tuple[str, Fraction | bool], ...]
TYPICAL = (Fraction(2), Fraction(1), Fraction(3))  # whole arguments of a test: the first is no special case
FIRST, APART = Fraction(1), Fraction(4)  # real arguments of a test: the first, and how far the others are from each other
USUAL_BUDGETS = {
    Variant.PURE: (Fraction(1), None),
    Variant.ZCDP: (Fraction(1, 2), None),
    Variant.GDP: (Fraction(1), None),
    Variant.APPROXIMATE: (Fraction(1), Fraction(1, 10**6)),
}
EPSILONS = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(4), Fraction(1, 8))


def usual_value(parameter: Parameter, whole: Fraction, real: Fraction, flag: bool = False) -> Fraction | bool:
    """The user's own value of an argument, or else the one for its type."""
    if parameter.usual is not None:
        return parameter.usual
    if parameter.default is not None:
        return parameter.default
    match parameter.type:
        case Type.INT:
            return whole
        case Type.BOOL:
            return flag
        case _:
            return real


def usual_budget(sketch: Sketch) -> tuple[Fraction, Fraction | None]:
    """The user's own budget, and δ where there is one, or else usual ones."""
    budget, delta = USUAL_BUDGETS[sketch.variant]
    own = [p.default if p is not None and isinstance(p.default, Fraction) else None for p in (sketch.budget, sketch.delta)]
    return budget if own[0] is None else own[0], delta if own[1] is None else own[1]


def typical_values(sketch: Sketch, epsilon: Fraction, size: int) -> tuple[ArgumentValues, ...]:
    """Values of the arguments that a program is tested with, best first: its own where it has some.

    Real ones differ, as bounds do, and both rise and fall in their order. The program's assertions are kept to if any
    values that are tried keep to them; those may be around the numbers that it names.
    """
    reals = [p.name for p in sketch.arguments if p.type is Type.FLOAT]
    named = [mark for mark in landmarks(sketch, Fraction(1)) if mark.denominator == 1 and mark > 0]
    marks = list(dict.fromkeys([*TYPICAL, *named[: MOST_VALUES if sketch.asserted else 0]]))
    found: dict[ArgumentValues, None] = {}
    for whole, falling in itertools.product(marks, (False, True)):
        order = reals[::-1] if falling else reals
        real = {name: FIRST + APART * place for place, name in enumerate(order)}
        chosen = ((p.name, usual_value(p, whole, real.get(p.name, FIRST), falling)) for p in sketch.arguments)
        found[tuple(chosen)] = None
    kept = tuple(values for values in found if Arguments(epsilon, size, values).kept_by(sketch))
    return kept or tuple(found)


def with_queries(sketch: Sketch, count: int | None) -> Sketch:
    """The same program for so many private answers alone; for any number without one."""
    declared = sketch.private.count
    if count is None or declared == count:
        return sketch
    if declared is not None:
        raise UsageError(f"--queries {count}: {sketch.name} has {declared} private answers, as its signature says")
    private = replace(sketch.private, count=count)
    return replace(sketch, parameters=tuple(private if p.role is Role.PRIVATE else p for p in sketch.parameters))


def whole_settings(sketch: Sketch) -> list[Setting]:
    """Values of the whole arguments at which costs are computed; each is at least 1."""
    names = [p.name for p in sketch.arguments if p.type is Type.INT]
    values = WHOLE if len(WHOLE) ** len(names) <= MOST_SETTINGS else WHOLE[1:]
    found = itertools.product(map(int, values), repeat=len(names))
    return [tuple(zip(names, chosen, strict=True)) for chosen in itertools.islice(found, 2 * MOST_SETTINGS)]


def with_flags(sketch: Sketch, setting: Setting) -> list[dict[str, Fraction | bool]]:
    """The whole arguments of a setting with all values of the boolean ones, first all False."""
    flags = [p.name for p in sketch.arguments if p.type is Type.BOOL]
    whole: dict[str, Fraction | bool] = {name: Fraction(value) for name, value in setting}
    several = itertools.product((False, True), repeat=len(flags))
    return [whole | dict(zip(flags, values, strict=True)) for values in several]


def sizes_of(sketch: Sketch) -> tuple[int, ...]:
    """The numbers of answers that are tried: a few, and as many as a place that the program names asks for."""
    few = SIZES[:4] if sketch.private.bits else SIZES  # outputs on bits are twice as many with each
    asked = {place + 1 if place >= 0 else -place for place in fixed_places(sketch)}
    return sketch.sizes((*few, *sorted(size for size in asked if few[-1] < size <= MOST_ASKED)))


def landmarks(sketch: Sketch, step: Fraction) -> list[Fraction]:
    """The numbers that stand in the program, and those a step away from them."""
    named = [n.value for n in walk(sketch.body) if isinstance(n, Const) and isinstance(n.value, Fraction)]
    signed = [value for mark in dict.fromkeys(named) for value in (mark, -mark)]
    return list(dict.fromkeys(v for mark in signed for v in (mark - step, mark, mark + step)))
