"""Counterexamples that hold for certain: two neighbours and an event whose probabilities, as intervals, differ too much.

Where to look comes from the dual of the cheapest alignment, from the answers and corners that a program can give, and
from a local search over databases; doubles compare what was found, ball arithmetic confirms it. Then the example is
made small: fewest queries, small whole numbers, a simple event. Nothing here can refute a private mechanism, because
the last word is an exact inequality.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from kolahal.errors import UsageError
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.measure.climb import Climb, Reach, climb_exact
from kolahal.measure.exact import Integrator, ask, exact_losses
from kolahal.measure.outcomes import Outcomes, find_outcomes
from kolahal.measure.pairs import Pair, enumerate_bases, enumerate_moves, noise_scales, short
from kolahal.measure.polyhedra import CannotIntegrate
from kolahal.measure.rigorous import exceeds, log_ratio, rigorous_probability
from kolahal.measure.targets import find_targets
from kolahal.model import (
    AllOf,
    Anything,
    Arguments,
    Database,
    Event,
    Example,
    Linear,
    Odds,
    OneOf,
    Refuted,
    Unknown,
    Within,
)
from kolahal.proof.alignment import Case, build_case, is_private_fact
from kolahal.proof.witness import find_witnesses
from kolahal.settings import Settings

SIZES = (1, 2, 3, 4, 5, 6)  # numbers of answers that are tried, so that the fewest that show a violation are found
EPSILONS = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(4), Fraction(1, 8))
GAINS = (1, 2, 4, 8, 16, 32, 64)  # noise scales that an example lies out in the direction of a witness
MARGIN = 1e-7  # relative excess that doubles must show before ball arithmetic is asked
MOST_CASES = 100  # events whose cheapest alignments are computed, which takes milliseconds each
MOST_EVENTS = 80
MOST_STARTS = 320
CLIMBS = 3  # starts from which databases are searched


def refute(sketch: Sketch, claim: Scale, settings: Settings) -> Refuted | None:
    """A certain counterexample to `claim`-privacy of a program without holes, as small as can be; None if none was found.

    `claim` is the claimed privacy level as an expression, such as eps or 2*eps.
    """
    for size in SIZES:
        for arguments in enumerate_arguments(sketch, size, claim):
            found = find_violation(sketch, arguments, claim, settings)
            if found is not None:
                confirmed = confirm(sketch, shrink(sketch, found, claim), claim) or confirm(sketch, found, claim)
                if confirmed is not None:
                    return confirmed
    return None


@dataclass(frozen=True, slots=True)
class LowerBound:
    """The loss of an example in units of the claim: no smaller claim is true."""

    loss: float
    example: Example


def best_lower_bound(sketch: Sketch, claim: Scale, settings: Settings) -> LowerBound | None:
    """The largest loss that was found anywhere, as a bound that holds for certain."""
    best: tuple[float, Example] | None = None
    for size in SIZES:
        for arguments in enumerate_arguments(sketch, size, claim, few=True):
            search = _search(sketch, arguments, claim, settings)
            if search is None:
                continue
            for example, loss in search.hardest(
                GAINS, CLIMBS if best is None or best[0] < 0.99 else 0, only_above=False
            ):
                share = loss / search.claim
                if best is None or share > best[0] * (1 + 1e-6):
                    best = share, example
    if best is None:
        return None
    certain = measure(sketch, best[1], claim)
    return None if certain is None else LowerBound(certain, best[1])


# ---------------------------------------------------------------- where to look


def enumerate_arguments(sketch: Sketch, size: int, claim: Scale, few: bool = False) -> Iterator[Arguments]:
    """Settings of ε and the other arguments at one size; a single ε where all scales are multiples of 1/ε."""
    choices: list[list[tuple[str, Fraction | bool]]] = []
    for parameter in sketch.arguments:
        values: list[Fraction | bool]
        match parameter.type:
            case Type.INT:
                values = [Fraction(v) for v in (1, 2, 3)]
            case Type.BOOL:
                values = [False, True]
            case _:
                values = [Fraction(0)]
        if parameter.default is not None:
            values = [parameter.default, *(v for v in values if v != parameter.default)]
        choices.append([(parameter.name, value) for value in values])
    settings = list(itertools.product(*choices))[: 3 if few else 9]
    epsilons = EPSILONS[:1] if few or _is_homogeneous(sketch, claim) else EPSILONS
    for epsilon in epsilons:
        for values_here in settings:
            yield Arguments(epsilon, size, values_here)


def _is_homogeneous(sketch: Sketch, claim: Scale) -> bool:
    """Whether the loss on databases far apart is the same multiple of the claim for every ε."""
    name = sketch.epsilon.name
    scales = [draw.scale for draw in sketch.draws if isinstance(draw.scale, Scale) and draw.scale]
    return dict(claim.powers).get(name) == 1 and all(dict(scale.powers).get(name) == -1 for scale in scales)


def find_violation(sketch: Sketch, arguments: Arguments, claim: Scale, settings: Settings) -> Example | None:
    """An example at these arguments whose loss is above the claim, by doubles."""
    search = _search(sketch, arguments, claim, settings)
    if search is None:
        return None
    return next(
        (example for example, loss in search.hardest(GAINS[:5], CLIMBS, only_above=True) if search.is_above(loss)), None
    )


def _search(sketch: Sketch, arguments: Arguments, claim: Scale, settings: Settings) -> _Search | None:
    """A search at these arguments, or None if the program has no meaning there."""
    try:
        return _Search(sketch, arguments, claim, settings)
    except UsageError:  # a scale divides by 0 or is negative here
        return None


class _Search:
    """The search for a hard example at one setting of the arguments."""

    def __init__(self, sketch: Sketch, arguments: Arguments, claim: Scale, settings: Settings):
        self.sketch, self.arguments, self.settings = sketch, arguments, settings
        self.integrator = Integrator(sketch)
        self.claim = float(claim.at(arguments.quantities(sketch)))
        largest = max(noise_scales(sketch, arguments, ()), default=0.0)
        self.unit = short(largest) if largest > 0 else sketch.adjacency.distance

    def is_above(self, loss: float) -> bool:
        return loss > self.claim * (1 + MARGIN)

    def hardest(self, gains: Sequence[int], climbs: int, only_above: bool) -> Iterator[tuple[Example, float]]:
        """Examples and their losses, mostly harder and harder; the caller stops when it has seen enough."""
        whole = {p.name: dict(self.arguments.values)[p.name] for p in self.sketch.arguments if p.type is not Type.FLOAT}
        case = build_case(self.sketch, self.arguments.size, whole, self.settings.proof)
        if isinstance(case, Case) and len(case.events) > MOST_CASES:
            return  # its violations show with fewer queries too, or only with far more work
        witnesses, cost = self.witness_examples(case, gains)
        found: list[tuple[float, Example]] = []
        if cost is not None and cost <= self.claim and only_above:
            return
        for example, loss in self.best(witnesses, climbs + 1):
            found.append((loss, example))
            yield example, loss
        # The cheapest alignment bounds every loss at this size: there is nothing more to find.
        if cost is not None and (cost <= self.claim or (found and found[0][0] >= 0.9999 * cost)):
            return
        for example, loss in self.best(self.corner_examples(), climbs + 1):
            found.append((loss, example))
            yield example, loss
        found.sort(key=lambda pair: -pair[0])
        for loss, example in found[:climbs]:
            if 0.2 * self.claim < loss < math.inf:
                climbed = climb_exact(self.integrator, example, (), Reach(turns=24), self.targets(example.d1, 12))
                if isinstance(climbed, Climb):
                    yield climbed.example, climbed.log_loss

    def best(self, examples: Sequence[Example], most: int) -> list[tuple[Example, float]]:
        losses = self.losses(examples)
        order = sorted(range(len(examples)), key=lambda i: -losses[i])
        return [(examples[i], losses[i]) for i in order[:most]]

    def losses(self, examples: Sequence[Example]) -> list[float]:
        return losses_of(self.integrator, examples)

    def witness_examples(self, case: Case | Unknown, gains: Sequence[int]) -> tuple[list[Example], float | None]:
        """Examples along the directions of the dearest events, and the cost of the cheapest alignment, if known."""
        if isinstance(case, Unknown):
            return [], None
        names = self.arguments.quantities(self.sketch)
        scales = [draw.scale.at(names) for draw in self.sketch.draws if isinstance(draw.scale, Scale)]
        if not all(scales):
            return [], None
        witnesses = find_witnesses(case, scales, self.settings.proof)
        if isinstance(witnesses, Unknown):
            return [], None
        examples = [w.example(self.unit * gain / 2, self.arguments) for w in witnesses for gain in gains]
        shown = [example for example in examples if example is not None]
        if any(is_private_fact(facet, case.sites) for event in case.events for facet in event.facets):
            return shown, None  # a neighbour may cross a comparison without noise, which no witness is about
        return shown, max((float(w.cost) for w in witnesses), default=0.0)

    def corner_examples(self) -> list[Example]:
        """Neighbours at the corners of the relation, with all answers at the threshold, and events of all shapes."""
        size = self.arguments.size
        (base,) = enumerate_bases(self.sketch, self.arguments, (), 1)
        events = self.targets(base, MOST_EVENTS)
        corners = list(itertools.islice(self.sketch.adjacency.vertices(size), MOST_STARTS))
        if len(corners) * len(events) > MOST_STARTS:
            corners = list(enumerate_moves(self.sketch.adjacency, size, max(4, MOST_STARTS // max(1, len(events)))))
        return [Example(base, Pair(base, move).d2, event, self.arguments) for event in events for move in corners]

    def targets(self, database: Database, most: int) -> tuple[Event, ...]:
        environment = self.arguments.environment(self.sketch)
        names = self.arguments.quantities(self.sketch)
        silent = frozenset(d.site for d in self.sketch.draws if isinstance(d.scale, Scale) and not d.scale.at(names))
        outcomes = find_outcomes(self.sketch, self.arguments.size, environment, silent)
        if not isinstance(outcomes, Outcomes):
            return ()
        return find_targets(outcomes, database, self.sketch.adjacency, most)


def losses_of(integrator: Integrator, examples: Sequence[Example]) -> list[float]:
    """The log-losses of examples of a program without holes, in doubles; 0 where integration is out of reach."""
    result = [0.0] * len(examples)
    for arguments in dict.fromkeys(example.arguments for example in examples):
        places = [i for i, example in enumerate(examples) if example.arguments == arguments]
        questions = [(examples[i].event, d) for i in places for d in (examples[i].d1, examples[i].d2)]
        try:
            found = ask(integrator, arguments, np.zeros((1, 0)), questions)
        except UsageError:  # a scale that is negative here
            continue
        if isinstance(found, CannotIntegrate) and len(places) > 1:
            for i in places:
                result[i] = losses_of(integrator, [examples[i]])[0]
        elif not isinstance(found, CannotIntegrate):
            losses = exact_losses(found[0::2, 0], found[1::2, 0])
            for i, loss in zip(places, losses, strict=True):
                result[i] = float(loss)
    return result


# ---------------------------------------------------------------- certainty


def confirm(sketch: Sketch, example: Example, claim: Scale) -> Refuted | None:
    """The example with rigorous intervals, d1 as the likelier side, if they show a violation for certain."""
    assert sketch.adjacency.related(example.d1, example.d2), "the databases of an example are neighbours"
    p1, p2 = (rigorous_probability(sketch, d, example.arguments, (), example.event) for d in (example.d1, example.d2))
    if isinstance(p1, CannotIntegrate) or isinstance(p2, CannotIntegrate):
        return None
    level = claim.at(example.arguments.quantities(sketch))
    if exceeds(p1, p2, level):
        return Refuted(example, Odds(p1.estimate(), p2.estimate()), certain=True)
    if exceeds(p2, p1, level):
        return Refuted(example.flipped(), Odds(p2.estimate(), p1.estimate()), certain=True)
    return None


def measure(sketch: Sketch, example: Example, claim: Scale) -> float | None:
    """A loss that the example's is not below, in units of the claim, for certain."""
    p1, p2 = (rigorous_probability(sketch, d, example.arguments, (), example.event) for d in (example.d1, example.d2))
    if isinstance(p1, CannotIntegrate) or isinstance(p2, CannotIntegrate):
        return None
    low = max(log_ratio(p1, p2)[0], log_ratio(p2, p1)[0], 0.0)
    return low / float(claim.at(example.arguments.quantities(sketch)))


# ---------------------------------------------------------------- making it small


def shrink(sketch: Sketch, example: Example, claim: Scale) -> Example:
    """A simpler example at the same size that still violates the claim, by doubles."""
    integrator = Integrator(sketch)
    level = float(claim.at(example.arguments.quantities(sketch)))

    def first_that_violates(candidates: Iterable[Example]) -> Example | None:
        chosen = [c for c in candidates if sketch.adjacency.related(c.d1, c.d2)]
        for start in range(0, len(chosen), 16):
            part = chosen[start : start + 16]
            for candidate, loss in zip(part, losses_of(integrator, part), strict=True):
                if loss > level * (1 + MARGIN):
                    return candidate
        return None

    for _ in range(4):
        before = example
        for simplify in (_simpler_arguments, _simpler_events, _simpler_moves, _closer_answers, _rounder_bounds):
            for variants in simplify(example, sketch):
                example = first_that_violates(v(example) for v in variants) or example
        if example == before:
            break
    return example


def _simpler_events(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    match example.event:
        case OneOf(events):
            yield [_Edit(event=event) for event in events]
        case AllOf(events):
            for place, part in enumerate(events):
                if isinstance(part, Within):
                    yield [_Edit(part=(place, Anything()))]
        case _:
            return


def _simpler_arguments(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    real = {parameter.name for parameter in sketch.arguments if parameter.type is Type.FLOAT}
    for name, value in example.arguments.values:
        if name in real:
            yield [_Edit(argument=(name, v)) for v in _smaller(Fraction(value))[:7]]


def _simpler_moves(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    for place, (a, b) in enumerate(zip(example.d1, example.d2, strict=True)):
        if a != b:
            yield [_Edit(stay=place)]


def _closer_answers(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    """Smaller numbers: equal answers together first, then one by one."""
    values = sorted(set(example.d1), key=lambda v: -abs(v))
    for value in values:
        places = tuple(i for i, a in enumerate(example.d1) if a == value)
        if len(places) > 1:
            yield [_Edit(answers=places, value=v) for v in _smaller(value)]
    for place, value in enumerate(example.d1):
        yield [_Edit(answers=(place,), value=v) for v in _smaller(value)]


def _rounder_bounds(example: Example, sketch: Sketch) -> Iterator[list[_Edit]]:
    match example.event:
        case Within(low, high):
            for old, name in ((low, "low"), (high, "high")):
                if old is not None:
                    yield [_Edit(event=replace(example.event, **{name: v})) for v in _smaller(old)]
        case AllOf(events):
            for place, part in enumerate(events):
                if isinstance(part, Within):
                    for old, name in ((part.low, "low"), (part.high, "high")):
                        if old is not None:
                            yield [_Edit(part=(place, replace(part, **{name: v}))) for v in _smaller(old)]
        case Linear(weights, low):
            yield [_Edit(event=Linear(weights, v)) for v in _smaller(low)]
        case _:
            return


def _smaller(value: Fraction) -> list[Fraction]:
    """Simpler numbers than `value`, simplest first: whole ones by size, of which large ones are left out."""
    sizes = [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 1000]
    found = [Fraction(sign * size) for size in sizes for sign in (1, -1) if size or sign > 0]
    return [
        v
        for v in found
        if abs(v) < abs(value) or (v.denominator == 1 != value.denominator and abs(v) <= abs(value) + 1)
    ]


@dataclass(frozen=True, slots=True)
class _Edit:
    """A change that makes an example simpler; applied to whatever the example has become by then."""

    argument: tuple[str, Fraction] | None = None
    event: Event | None = None
    part: tuple[int, Within | Anything] | None = None
    stay: int | None = None  # an answer that no longer moves
    answers: tuple[int, ...] = ()
    value: Fraction = Fraction(0)

    def __call__(self, example: Example) -> Example:
        if self.argument is not None:
            values = tuple((n, self.argument[1] if n == self.argument[0] else v) for n, v in example.arguments.values)
            return replace(example, arguments=replace(example.arguments, values=values))
        if self.event is not None:
            return replace(example, event=self.event)
        if self.part is not None:
            assert isinstance(example.event, AllOf)
            place, part = self.part
            events = example.event.events
            return replace(example, event=AllOf((*events[:place], part, *events[place + 1 :])))
        d1, d2 = list(example.d1), list(example.d2)
        if self.stay is not None:
            d2[self.stay] = d1[self.stay]
        for place in self.answers:
            d1[place], d2[place] = self.value, self.value + d2[place] - d1[place]
        return replace(example, d1=tuple(d1), d2=tuple(d2))
