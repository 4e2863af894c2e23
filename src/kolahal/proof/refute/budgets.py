"""Certain counterexamples to claims other than ε: the pair, the event, and for zCDP the order, by ball arithmetic."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kolahal.errors import UsageError
from kolahal.exact.balls import Interval
from kolahal.exact.divergences import best_order, breaks_approximate, breaks_gdp, breaks_zcdp
from kolahal.exact.gaussian import budget_probability, twin_arguments
from kolahal.lang.adjacency import Move
from kolahal.lang.canonical import twin, with_draws
from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type, Variant
from kolahal.logic.linear import LinearForm
from kolahal.model import AllOf, Anything, Arguments, Database, Equals, Event, Example, Linear, Odds, OneOf, Within
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.joined import find_outcomes
from kolahal.paths.state import Fault, Item, Value
from kolahal.paths.unknowns import NoiseAt
from kolahal.proof.refute.refute import find_violations
from kolahal.proof.refute.shrink import is_real
from kolahal.settings import Settings
from kolahal.verdicts import Refuted

SIZES = (1, 2, 3, 4)
MOVES = 16  # corners of the relation at one size
TRIES = 240  # pairs of probabilities, each some milliseconds
INTEGRAL = 12  # of them take as long as a pair with Gaussian noise that comparisons tie together
FAR_OUT = (30.0, 10.0, 150.0)  # standard deviations at which an event tells nearly all of a Gaussian pair's divergence
EVENTS = 12  # of one pair
ALIKE = 3  # pairs of paths that release numbers with the same noise
BUDGETS = {
    Variant.ZCDP: (("1/2", None), ("1/8", None), ("2", None)),
    Variant.GDP: (("1", None), ("1/2", None), ("2", None)),
    Variant.APPROXIMATE: (("1", "1e-6"), ("1/2", "0.01"), ("2", "0.001")),
}
EXTREMES = {  # where noise fails that does not follow the budget as it should
    Variant.ZCDP: (("1/10000", None), ("100", None)),
    Variant.GDP: (("1/100", None), ("20", None)),
    Variant.APPROXIMATE: (("1/100", "1e-9"), ("20", "1e-9"), ("1/100", "0.5")),
}
FARTHEST = 400  # scales from 0, where most comparisons go one way
HARD = 12  # examples of the pure program with little noise


def confirm_budget(sketch: Sketch, example: Example, claim: Scale, order: Fraction | None) -> Refuted | None:
    """The example with certain probabilities, if these break the claim for certain; d1 is the likelier side."""
    if not is_real(sketch, example):
        return None
    if not example.arguments.accepted_by(sketch, claim):
        return None
    p, q = (budget_probability(sketch, d, example.arguments, example.event) for d in (example.d1, example.d2))
    if isinstance(p, CannotIntegrate) or isinstance(q, CannotIntegrate):
        return None
    if not breaks(sketch, example.arguments, claim, p, q, order):
        return None
    return Refuted(example, Odds(p.estimate(), q.estimate()), order if sketch.variant is Variant.ZCDP else None)


def breaks(
    sketch: Sketch, arguments: Arguments, claim: Scale, p: Interval, q: Interval, order: Fraction | None
) -> bool:
    """Whether the probabilities of an event on d1 and d2 break the claim for certain."""
    if sketch.units:
        return False
    match sketch.variant:
        case Variant.ZCDP:
            level = claim.at(arguments.quantities(sketch))
            return order is not None and order > 1 and breaks_zcdp(p, q, level, order)
        case Variant.GDP:
            return breaks_gdp(p, q, claim.at(arguments.quantities(sketch)))
        case Variant.APPROXIMATE:
            assert arguments.delta is not None
            return breaks_approximate(p, q, arguments.epsilon, arguments.delta)
        case Variant.PURE:
            raise UsageError(f"{sketch.name} claims {sketch.variant.words}, which has refuters of its own")


# ---------------------------------------------------------------- where to look


@dataclass(slots=True)
class _Tries:
    """How many probabilities may still be computed."""

    left: int = TRIES
    affine: bool = False  # whether where the answers lie makes no difference


def refute_budget(sketch: Sketch, claim: Scale) -> Refuted | None:
    """A certain counterexample among small inputs, or None."""
    return (
        _refute_at(sketch, claim, _settings(sketch, claim, BUDGETS), _Tries())
        or _refute_at(sketch, claim, _settings(sketch, claim, EXTREMES), _Tries(TRIES // 4))
        or _refute_at(sketch, claim, _settings(sketch, claim, BUDGETS), _Tries(TRIES // 4), far=True)
        or _refute_hard(sketch, claim)
    )


def _refute_hard(sketch: Sketch, claim: Scale) -> Refuted | None:
    """By what breaks the claim of the pure program with very little noise."""
    if sketch.units:
        return None
    little = with_draws(twin(sketch), lambda draw: (draw.noise, Scale(Fraction(1, 8), ((sketch.budget.name, -1),))))
    settings = list(itertools.islice(_settings(sketch, claim, BUDGETS), 1)) + list(_settings(sketch, claim, EXTREMES))[:1]
    for example in itertools.islice(find_violations(little, plain_claim(little), Settings()), HARD):
        values = tuple((name, value) for name, value in example.arguments.values if sketch.delta is None or name != sketch.delta.name)
        for given in settings:
            arguments = replace(given, size=example.arguments.size, values=values)
            if not arguments.accepted_by(sketch, claim):
                continue
            odds = [budget_probability(sketch, d, arguments, example.event) for d in (example.d1, example.d2)]
            if isinstance(odds[0], CannotIntegrate) or isinstance(odds[1], CannotIntegrate):
                break
            here = replace(example, arguments=arguments)
            for one, two, way in ((odds[0], odds[1], here), (odds[1], odds[0], here.flipped())):
                found = confirm_budget(sketch, way, claim, best_order(one, two)[0])
                if found is not None:
                    return found
    return None


def _refute_at(
    sketch: Sketch, claim: Scale, settings: Iterator[Arguments], tries: _Tries, far: bool = False
) -> Refuted | None:
    for arguments in settings:
        if tries.left <= 0:
            break
        tries.affine = False
        for d1, d2 in _pairs(sketch, arguments, far):
            if tries.affine and any(d1):
                break
            for example, order in _examples(sketch, arguments, d1, d2, tries):
                found = confirm_budget(sketch, example, claim, order)
                if found is not None:
                    return found
            if tries.left <= 0:
                break
    return None


def _settings(
    sketch: Sketch, claim: Scale, budgets: Mapping[Variant, tuple[tuple[str, str | None], ...]]
) -> Iterator[Arguments]:
    choices: list[list[tuple[str, Fraction | bool]]] = []
    for parameter in sketch.arguments:
        values: list[Fraction | bool] = [Fraction(0)]
        if parameter.type is Type.BOOL:
            values = [False, True]
        elif parameter.type is Type.INT:
            values = [Fraction(1), Fraction(2)]
        if parameter.default is not None:
            values = [parameter.default, *(v for v in values if v != parameter.default)]
        choices.append([(parameter.name, value) for value in values])
    for (budget, delta), size in itertools.product(budgets[sketch.variant], sketch.sizes(SIZES)):
        for values_here in itertools.islice(itertools.product(*choices), 4):
            least = None if delta is None else Fraction(delta)
            found = Arguments(Fraction(budget), size, values_here, least, sketch.variant.symbol)
            if found.accepted_by(sketch, claim):
                yield found


def _pairs(sketch: Sketch, arguments: Arguments, far: bool) -> Iterator[tuple[Database, Database]]:
    """Neighbours around 0, and around answers far apart, or `far` from 0; both orders are looked at later."""
    size = arguments.size
    unit = max(1, round(max((_width(sketch, arguments)), default=1.0)))
    shapes = dict.fromkeys([(0,) * size, tuple(2 * unit * (-1) ** i for i in range(size)), (-2 * unit,) * size])
    if far:
        shapes = dict.fromkeys([(FARTHEST * unit,) * size, (-FARTHEST * unit,) * size])
    for shape in shapes:
        base = tuple(map(Fraction, shape))
        for move in _moves(sketch, size):
            moved = tuple(a + b for a, b in zip(base, move, strict=True))
            if sketch.related(base, moved):
                yield base, moved


def _moves(sketch: Sketch, size: int) -> Iterator[Move]:
    """Corners of the relation, and half of the way to them where noise on the whole numbers cannot hide that."""
    corners = list(itertools.islice(sketch.adjacency.vertices(size), MOVES))
    yield from corners
    if not sketch.private.whole and any(draw.noise.whole and not draw.noise.finite for draw in sketch.draws):
        yield from (tuple(step / 2 for step in move) for move in corners)


def _width(sketch: Sketch, arguments: Arguments) -> list[float]:
    names = arguments.quantities(sketch)
    return [draw.scale.near(names) for draw in sketch.draws if isinstance(draw.scale, Scale)]


def _examples(
    sketch: Sketch, arguments: Arguments, d1: Database, d2: Database, tries: _Tries
) -> Iterator[tuple[Example, Fraction | None]]:
    like, given = twin(sketch), twin_arguments(sketch, arguments)
    both = [find_outcomes(like, given.size, given.environment(like), frozenset(), d) for d in (d1, d2)]
    outputs = []
    for outcomes in both:
        if isinstance(outcomes, CannotIntegrate):
            return
        outputs.append([path.output for path in outcomes.paths])
    if all(len(found) == 1 for found in outputs):
        released = [_released(found[0]) for found in outputs]
        if released[0] is not None and released[1] is not None:
            tries.left -= 1
            tries.affine = True
            yield from _between_steps(sketch, arguments, d1, d2, released[0], released[1])
            yield from _half_spaces(sketch, arguments, d1, d2, released[0], released[1])
            return
    for first, second in itertools.islice(_alike(*outputs), ALIKE):
        tries.left -= 1
        yield from _half_spaces(sketch, arguments, d1, d2, first, second)
    events = list(dict.fromkeys(e for found in outputs for o in found if (e := _event_of(o)) is not None))
    yield from _outcome_sets(sketch, arguments, d1, d2, events[:EVENTS], tries)


def _alike(ones: Sequence[Value | Fault], others: Sequence[Value | Fault]) -> Iterator[tuple[Released, Released]]:
    """Numbers with the same noise that the two runs may give, where each gives others as well."""
    for one, other in itertools.product(map(_released, ones), map(_released, others)):
        if one is not None and other is not None and one.noise == other.noise and any(one.noise):
            yield one, other


# ---------------------------------------------------------------- affine releases


@dataclass(frozen=True, slots=True)
class Released:
    """Numbers that a run gives: noise and a constant each; `many` where they are a list."""

    noise: tuple[Mapping[NoiseAt, float], ...]
    constants: tuple[Fraction, ...]
    many: bool


def _released(output: Value | Fault) -> Released | None:
    items = output if isinstance(output, tuple) else (output,)
    noise, constants = [], []
    for item in items:
        if isinstance(item, LinearForm):
            if not all(isinstance(symbol, NoiseAt) for symbol in item.terms):
                return None
            noise.append({s: float(c) for s, c in item.terms.items() if isinstance(s, NoiseAt)})
            constants.append(Fraction(item.constant))
        elif isinstance(item, int | Fraction) and not isinstance(item, bool):
            noise.append({})
            constants.append(Fraction(item))
        else:
            return None
    return Released(tuple(noise), tuple(constants), isinstance(output, tuple)) if constants else None


def _half_spaces(
    sketch: Sketch, arguments: Arguments, d1: Database, d2: Database, one: Released, two: Released
) -> Iterator[tuple[Example, Fraction | None]]:
    """The half-spaces that tell two Gaussian releases apart best (Theorem C); d2 has the larger numbers there."""
    if one.noise != two.noise or one.many != two.many:
        return
    if any(draw.noise.one_sided for draw in sketch.draws):
        yield from _below_all(sketch, arguments, d1, d2, one, two)
        return
    widths = _width(sketch, arguments)
    draws = sorted({draw for row in one.noise for draw in row})
    matrix = np.array([[row.get(draw, 0.0) * widths[draw.site] for draw in draws] for row in one.noise]).reshape(
        len(one.noise), len(draws)
    )
    gap = np.array([float(b - a) for a, b in zip(one.constants, two.constants, strict=True)])
    if not gap.any():
        return
    covariance = matrix @ matrix.T
    weights = np.linalg.lstsq(covariance, gap, rcond=1e-12)[0]
    left = gap - covariance @ weights
    if np.abs(left).max() > 1e-9 * np.abs(gap).max():  # a difference that no noise hides
        weights, distance = left, 0.0
    else:
        distance = float(np.sqrt(max(0.0, gap @ weights)))
    short = [Fraction(float(w)).limit_denominator(10**6) for w in weights / np.abs(weights).max()]
    scaled = np.array([float(w) for w in short])
    deviation = float(np.linalg.norm(scaled @ matrix))
    base = sum((w * c for w, c in zip(short, one.constants, strict=True)), Fraction(0))
    for steps, order in _thresholds(sketch, arguments, distance):
        low = base + Fraction(deviation * steps if distance else float(scaled @ gap) / 2).limit_denominator(10**6)
        event = _at_least(short, low, one.many)
        yield Example(d2, d1, event, arguments), order


def _between_steps(
    sketch: Sketch, arguments: Arguments, d1: Database, d2: Database, one: Released, two: Released
) -> Iterator[tuple[Example, Fraction | None]]:
    """Noise on the whole numbers shows the fraction of what it is added to."""
    if one.many != two.many or not all(draw.noise.whole for draw in sketch.draws):
        return
    for place, (row, a, b) in enumerate(zip(one.noise, one.constants, two.constants, strict=True)):
        if row and two.noise[place] == row and all(c in (1, -1) for c in row.values()) and (a - b).denominator > 1:
            part = Within(a, a)
            parts = tuple(part if i == place else Anything() for i in range(len(one.noise)))
            yield Example(d1, d2, AllOf(parts) if one.many else part, arguments), Fraction(2)


def _below_all(
    sketch: Sketch, arguments: Arguments, d1: Database, d2: Database, one: Released, two: Released
) -> Iterator[tuple[Example, Fraction | None]]:
    """Noise that is never below 0 gives numbers on one side that the other never gives."""
    lifted = {draw.site for draw in sketch.draws if draw.noise.one_sided}
    for place, (row, a, b) in enumerate(zip(one.noise, one.constants, two.constants, strict=True)):
        ways = {1 if c > 0 else -1 for c in row.values()}
        if a == b or len(ways) > 1 or not {draw.site for draw in row} <= lifted:
            continue
        (way,) = ways or {1}
        middle = (a + b) / 2
        part = Within(None, middle) if way > 0 else Within(middle, None)
        parts = tuple(part if i == place else Anything() for i in range(len(one.noise)))
        example = Example(d1, d2, AllOf(parts) if one.many else part, arguments)
        yield (example if (a < b) == (way > 0) else example.flipped()), Fraction(2)


def _thresholds(
    sketch: Sketch, arguments: Arguments, distance: float
) -> Iterator[tuple[float, Fraction | None]]:
    """Where to cut two normal laws that are `distance` apart, in deviations from the lower mean, and the order α."""
    if not distance:
        yield 0.0, Fraction(2)
        return
    match sketch.variant:
        case Variant.ZCDP:
            for far in FAR_OUT:
                order = Fraction(max(far / distance, 1.0625)).limit_denominator(16)
                yield float(order) * distance, order
            yield distance, Fraction(2)
        case Variant.GDP:
            yield distance / 2, None
        case _:
            yield float(arguments.epsilon) / distance + distance / 2, None


def _at_least(weights: Sequence[Fraction], low: Fraction, many: bool) -> Event:
    if not many or len(weights) == 1:
        (weight,) = weights
        part = Within(low / weight, None) if weight > 0 else Within(None, low / weight)
        return AllOf((part,)) if many else part
    return Linear(tuple(weights), low)


# ---------------------------------------------------------------- outcomes


def _event_of(output: Value | Fault) -> Event | None:
    """The event of all runs that give the same answer, but for numbers with noise."""
    if isinstance(output, Fault):
        return None
    if isinstance(output, tuple):
        parts = tuple(Anything() if isinstance(item, LinearForm) else Equals(_scalar(item)) for item in output)
        return AllOf(parts)
    return None if isinstance(output, LinearForm) else Equals(_scalar(output))


def _scalar(item: Item) -> Fraction | bool | None:
    assert not isinstance(item, LinearForm), "a number with noise"
    return item if item is None or isinstance(item, bool) else Fraction(item)


def _outcome_sets(
    sketch: Sketch, arguments: Arguments, d1: Database, d2: Database, events: Sequence[Event], tries: _Tries
) -> Iterator[tuple[Example, Fraction | None]]:
    """Single outcomes, and for (ε, δ) all that are likelier on one side by more than e^ε."""
    known: list[tuple[Event, Interval, Interval]] = []
    for event in events:
        tries.left -= INTEGRAL if any(draw.noise.bell for draw in sketch.draws) else 1
        p, q = (budget_probability(sketch, d, arguments, event) for d in (d1, d2))
        if isinstance(p, CannotIntegrate) or isinstance(q, CannotIntegrate):
            continue
        known.append((event, p, q))
        for example, one, other in (
            (Example(d1, d2, event, arguments), p, q),
            (Example(d2, d1, event, arguments), q, p),
        ):
            yield example, best_order(one, other)[0]
    if sketch.variant is Variant.APPROXIMATE:
        factor = float(np.exp(float(arguments.epsilon)))
        for way in (False, True):
            likelier = [e for e, p, q in known if (q.low > factor * p.high if way else p.low > factor * q.high)]
            parts = tuple(e for e in likelier if not isinstance(e, Anything | OneOf))
            if len(parts) > 1:
                example = Example(d1, d2, OneOf(parts), arguments)
                yield (example.flipped() if way else example), None
