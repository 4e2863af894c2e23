"""Settings of ε and of the arguments at which a claim may fail."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from kolahal.errors import UsageError
from kolahal.inputs.arguments import EPSILONS, MOST_CALLS, MOST_VALUES, WHOLE, landmarks
from kolahal.inputs.pairs import noise_unit, short
from kolahal.inputs.regions import public_points
from kolahal.lang.ir import Var, walk
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import Arguments


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
            marks = [mark for mark in landmarks(sketch, Fraction(1)) if mark.denominator == 1 or not whole]
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
        others = (*_in_regions(sketch, first), *_other_arguments(sketch, claim, first))
        yield from (other for other in others if other.kept_by(sketch))


def _in_regions(sketch: Sketch, arguments: Arguments) -> Iterator[Arguments]:
    """The arguments on each side of the conditions on public inputs."""
    for point in public_points(sketch, arguments.size):
        values = tuple((name, value if isinstance(value, bool) else point.get(name, value)) for name, value in arguments.values)
        yield replace(arguments, epsilon=point.get(sketch.epsilon.name, arguments.epsilon), values=values)


def _matters(sketch: Sketch, claim: Scale, name: str) -> bool:
    """Whether an argument stands anywhere in the program or in the claim."""
    scales = [claim, *(draw.scale for draw in sketch.draws if isinstance(draw.scale, Scale))]
    used = {node.name for node in walk(sketch.body) if isinstance(node, Var)}
    return name in used or any(name in scale.names for scale in scales)


def _is_allowed(sketch: Sketch, claim: Scale, name: str, value: Fraction | bool) -> bool:
    return value >= 1 or not (name in sketch.required or name in dict(claim.powers))


def _other_arguments(sketch: Sketch, claim: Scale, arguments: Arguments) -> Iterator[Arguments]:
    """One argument after another at unusual values.

    Real ones at a half beside whole noise, at the distance of neighbours and far from 0 on both sides; whole ones at 0 and below; and all of them,
    ε too, around the numbers that the program itself names, where a condition may turn.
    """
    try:
        far = 8 * noise_unit(sketch, arguments, ())
    except UsageError:  # a scale that has no meaning here
        return
    halves = [Fraction(1, 2)] if any(draw.noise.whole for draw in sketch.draws) else []  # which whole noise does not hide
    steps = {"whole": Fraction(1), "real": sketch.adjacency.distance}
    for parameter in sketch.arguments:
        if parameter.type is Type.BOOL or parameter.usual is not None or not _matters(sketch, claim, parameter.name):
            continue
        whole = parameter.type is Type.INT
        near = landmarks(sketch, steps["whole" if whole else "real"])
        others = [Fraction(v) for v in (0, -1, 4, 8)] if whole else [*halves, -sketch.adjacency.distance, sketch.adjacency.distance, -far, far]
        for other in dict.fromkeys([*others, *near][:MOST_VALUES]):
            if (not whole or other.denominator == 1) and _is_allowed(sketch, claim, parameter.name, other):
                values = ((name, other if name == parameter.name else v) for name, v in arguments.values)
                yield replace(arguments, values=tuple(values))
    if any(isinstance(node, Var) and node.name == sketch.epsilon.name for node in walk(sketch.body)):
        for mark in landmarks(sketch, Fraction(0)):
            for other in (2 * mark, mark, mark / 2):
                if other > 0:
                    yield replace(arguments, epsilon=other)


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
