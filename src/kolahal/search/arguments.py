"""fixParams: concrete arguments to search with (γ), and others that only rank what was found (γ′)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from kolahal.inputs.arguments import usual_value
from kolahal.lang.ir import Binary, Var, walk
from kolahal.lang.places import answers_needed
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Parameter, Sketch, Type
from kolahal.model import Arguments, Split
from kolahal.search.grammar import enumerate_scales
from kolahal.settings import Settings

WHOLE = (Fraction(2), Fraction(1), Fraction(2), Fraction(3))
ROOM = 4  # answers for each unit of a whole argument, and one more, so that |q| is no multiple of it
REAL = (Fraction(1), Fraction(2), Fraction(0))


def fix_arguments(sketch: Sketch, settings: Settings) -> Split:
    """As few γ as separate all scales of the grammar, and a γ′ for each.

    One γ is not enough: at ε = ½ and |q| = 4, 2/ε² and 4/ε and 2·|q| are the same number.
    """
    scales = enumerate_scales(settings.grammar, sketch)
    pool = _pool(sketch, settings)
    training = [pool[0]]
    for candidate in pool[1:]:
        if _told_apart(sketch, scales, training) == len(scales):
            break
        if _told_apart(sketch, scales, [*training, candidate]) > _told_apart(sketch, scales, training):
            training.append(candidate)
    testing = [candidate for candidate in pool if candidate not in training]
    return Split(tuple(training), tuple(testing[: settings.arguments.testing]))


def _told_apart(sketch: Sketch, scales: tuple[Scale, ...], settings: list[Arguments]) -> int:
    """How many scales have values of their own at these arguments."""
    names = [arguments.quantities(sketch) for arguments in settings]
    return len({tuple(scale.at(values) for values in names) for scale in scales})


def _pool(sketch: Sketch, settings: Settings) -> list[Arguments]:
    """Settings of the arguments in the order of preference: the user's own values first."""
    pool = []
    divisors = _divisors(sketch)
    for turn in range(max(len(settings.arguments.epsilons), len(settings.arguments.sizes))):
        epsilon = settings.arguments.epsilons[turn % len(settings.arguments.epsilons)]
        if turn == 0 and isinstance(sketch.epsilon.default, Fraction):
            epsilon = sketch.epsilon.default
        size = settings.arguments.sizes[turn % len(settings.arguments.sizes)]
        values = tuple((p.name, _value(p, turn, p.name in divisors)) for p in sketch.arguments)
        # A cut-off after N answers costs its full price only where there are many more answers than N.
        size = max(
            [
                size,
                answers_needed(sketch),
                *(ROOM * int(v) + 1 for p, (_, v) in zip(sketch.arguments, values, strict=True) if p.type is Type.INT),
            ]
        )
        (size,) = sketch.sizes((size,))
        pool.append(Arguments(epsilon, size, values))
    kept = [arguments for arguments in pool if arguments.kept_by(sketch)]
    return list(dict.fromkeys(kept or pool))


def _divisors(sketch: Sketch) -> set[str]:
    """Names that the program divides by."""
    below = [node.right for node in walk(sketch.body) if isinstance(node, Binary) and node.op in ("/", "//", "%")]
    return {node.name for part in below for node in walk(part) if isinstance(node, Var)}


def _value(parameter: Parameter, turn: int, divides: bool) -> Fraction | bool:
    whole, real = WHOLE[turn % len(WHOLE)], REAL[turn % len(REAL)]
    own = parameter if turn == 0 or parameter.type is Type.FLOAT else replace(parameter, default=None)
    return usual_value(own, whole, whole if divides else real, turn % 2 == 1)
