"""Sizes and arguments at which a program may lose most."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from kolahal.errors import UsageError
from kolahal.inputs.pairs import noise_unit, short
from kolahal.lang.ir import Const, Var, walk
from kolahal.lang.places import fixed_places
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Parameter, Role, Sketch, Type
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


def typical_values(sketch: Sketch, epsilon: Fraction, size: int) -> tuple[ArgumentValues, ...]:
    """Values of the arguments that a program is tested with, best first: its own where it has some.

    Real ones differ, as bounds do, and both rise and fall in their order. The program's assertions are kept to if any
    values that are tried keep to them; those may be around the numbers that it names.
    """
    reals = [p.name for p in sketch.arguments if p.type is Type.FLOAT]
    named = [mark for mark in _landmarks(sketch, Fraction(1)) if mark.denominator == 1 and mark > 0]
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
    if sketch.private.bits:  # whose outputs are twice as many with each
        return sketch.sizes(SIZES[:4])
    asked = {place + 1 if place >= 0 else -place for place in fixed_places(sketch)}
    return sketch.sizes((*SIZES, *sorted(size for size in asked if SIZES[-1] < size <= MOST_ASKED)))


def enumerate_arguments(sketch: Sketch, size: int, claim: Scale, few: bool = False) -> Iterator[Arguments]:
    """Settings of ε and the other arguments at one size; a single ε where all scales are multiples of 1/ε."""
    choices: list[list[tuple[str, Fraction | bool]]] = []
    for parameter in sketch.arguments:
        values: list[Fraction | bool]
        match parameter.type:
            case Type.INT:
                values = list(WHOLE)
            case Type.BOOL:
                values = [False, True]
            case _:
                values = [Fraction(0)]
        if any(isinstance(node, Var) and node.name == parameter.name for node in walk(sketch.asserted)):
            whole = parameter.type is Type.INT
            marks = [mark for mark in _landmarks(sketch, Fraction(1)) if mark.denominator == 1 or not whole]
            values = list(dict.fromkeys([*values, *marks]))[:MOST_VALUES]
        if parameter.default is not None and _is_allowed(sketch, claim, parameter.name, parameter.default):
            values = [parameter.default, *(v for v in values if v != parameter.default)]
        if parameter.usual is not None:
            values = [parameter.usual]  # records are known there alone
        if not _matters(sketch, claim, parameter.name):
            values = values[:1]
        choices.append([(parameter.name, value) for value in values])
    everything = itertools.islice(itertools.product(*choices), MOST_CALLS)
    kept = (s for s in everything if Arguments(EPSILONS[0], size, s).kept_by(sketch))
    settings = list(itertools.islice(kept, 3 if few else 9))
    if not settings:  # no call is accepted, as far as is known here
        return
    first = Arguments(EPSILONS[0], size, settings[0])
    several = not few and not _is_homogeneous(sketch, claim)
    for epsilon in EPSILONS if several else EPSILONS[:1]:
        for values_here in settings:
            yield Arguments(epsilon, size, values_here)
    if several:
        for values_here in settings:
            for epsilon in _telling_epsilons(sketch, claim, replace(first, values=values_here)):
                yield Arguments(epsilon, size, values_here)
    if not few:
        yield from (other for other in _other_arguments(sketch, claim, first) if other.kept_by(sketch))


def _matters(sketch: Sketch, claim: Scale, name: str) -> bool:
    """Whether an argument stands anywhere in the program or in the claim."""
    scales = [claim, *(draw.scale for draw in sketch.draws if isinstance(draw.scale, Scale))]
    used = {node.name for node in walk(sketch.body) if isinstance(node, Var)}
    return name in used or any(name in scale.names for scale in scales)


def _is_allowed(sketch: Sketch, claim: Scale, name: str, value: Fraction | bool) -> bool:
    return value >= 1 or not (name in sketch.required or name in dict(claim.powers))


def _other_arguments(sketch: Sketch, claim: Scale, arguments: Arguments) -> Iterator[Arguments]:
    """One argument after another at unusual values.

    Real ones at the distance of neighbours and far from 0 on both sides; whole ones at 0 and below; and all of them,
    ε too, around the numbers that the program itself names, where a condition may turn.
    """
    try:
        far = 8 * noise_unit(sketch, arguments, ())
    except UsageError:  # a scale that has no meaning here
        return
    steps = {"whole": Fraction(1), "real": sketch.adjacency.distance}
    for parameter in sketch.arguments:
        if parameter.type is Type.BOOL or parameter.usual is not None or not _matters(sketch, claim, parameter.name):
            continue
        whole = parameter.type is Type.INT
        near = _landmarks(sketch, steps["whole" if whole else "real"])
        others = [Fraction(v) for v in (0, -1, 4, 8)] if whole else [-sketch.adjacency.distance, sketch.adjacency.distance, -far, far]
        for other in dict.fromkeys([*others, *near][:MOST_VALUES]):
            if (not whole or other.denominator == 1) and _is_allowed(sketch, claim, parameter.name, other):
                values = ((name, other if name == parameter.name else v) for name, v in arguments.values)
                yield replace(arguments, values=tuple(values))
    if any(isinstance(node, Var) and node.name == sketch.epsilon.name for node in walk(sketch.body)):
        for mark in _landmarks(sketch, Fraction(0)):
            for other in (2 * mark, mark, mark / 2):
                if other > 0:
                    yield replace(arguments, epsilon=other)


def _landmarks(sketch: Sketch, step: Fraction) -> list[Fraction]:
    """The numbers that stand in the program, and those a step away from them."""
    named = [n.value for n in walk(sketch.body) if isinstance(n, Const) and isinstance(n.value, Fraction)]
    signed = [value for mark in dict.fromkeys(named) for value in (mark, -mark)]
    return list(dict.fromkeys(v for mark in signed for v in (mark - step, mark, mark + step)))


def _telling_epsilons(sketch: Sketch, claim: Scale, arguments: Arguments) -> Iterator[Fraction]:
    """The ε at which a single noise is too small for the claim by a factor of 4 or 32, where that depends on ε."""
    try:
        names = arguments.quantities(sketch)
        level = float(claim.at(names) / sketch.adjacency.distance)  # a unit of distance may lose this much
        found: dict[Fraction, None] = {}
        for draw in sketch.draws:
            assert isinstance(draw.scale, Scale), "a program without holes"
            power = dict(draw.scale.powers).get(sketch.epsilon.name, 0) + 1
            if power and draw.scale:
                # The noise has scale s·ε^(power − 1), and the claim asks for 1/(level·ε).
                meeting = [1 / (share * float(draw.scale.at(names)) * level) for share in (4.0, 32.0)]
                sizes = [value ** (1 / power) for value in meeting]
                found.update((short(v), None) for v in sizes if 1e-9 < v < 1e9)
        yield from (epsilon for epsilon in found if epsilon not in EPSILONS)
    except (UsageError, OverflowError, ZeroDivisionError):  # a scale that has no meaning here
        return


def _is_homogeneous(sketch: Sketch, claim: Scale) -> bool:
    """Whether the loss on databases far apart is the same multiple of the claim for every ε."""
    name = sketch.epsilon.name
    scales = [draw.scale for draw in sketch.draws if isinstance(draw.scale, Scale) and draw.scale]
    return dict(claim.powers).get(name) == 1 and all(dict(scale.powers).get(name) == -1 for scale in scales)
