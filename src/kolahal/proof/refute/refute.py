"""Counterexamples that hold for certain: two neighbours and an event whose probabilities, as intervals, differ too much.

Where to look comes from the dual of the cheapest alignment, from the answers and corners that a program can give, and
from a local search over databases; doubles compare what was found, ball arithmetic confirms it. Then the example is
made small: fewest queries, small whole numbers, a simple event. Nothing here can refute a private mechanism, because
the last word is an exact inequality.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from kolahal.errors import UsageError
from kolahal.exact.hardest import Climb, Reach, climb_exact
from kolahal.exact.intervals import exceeds, log_ratio, rigorous_probability
from kolahal.exact.probe import Integrator, ask, exact_losses
from kolahal.inputs.pairs import Pair, enumerate_bases, enumerate_moves, noise_unit, short
from kolahal.inputs.places import fixed_places
from kolahal.lang.ir import Const, Var, walk
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.law.cost import build_case
from kolahal.model import (
    AllOf,
    Anything,
    Arguments,
    Database,
    Equals,
    Event,
    Example,
    Linear,
    Odds,
    OneOf,
    Refuted,
    Unknown,
    Within,
)
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.events import Event as CaseEvent
from kolahal.paths.events import normal
from kolahal.paths.explore import explore
from kolahal.paths.joined import Outcomes, find_outcomes
from kolahal.proof.refute.candidate_events import find_targets, find_windows
from kolahal.proof.refute.witness import find_witnesses
from kolahal.proof.trusted.passages import Case
from kolahal.settings import ProofSettings, Settings

SIZES = (1, 2, 3, 4, 5, 6)  # numbers of answers that are tried, so that the fewest that show a violation are found
WHOLE = (Fraction(1), Fraction(2), Fraction(3))  # values of whole arguments
MOST_VALUES = 12  # of one argument that are tried beyond the usual ones
MOST_ASKED = 64  # answers that a place in the program may ask for
EPSILONS = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(4), Fraction(1, 8))
GAINS = (1, 2, 4, 8, 16, 32, 64)  # noise scales that an example lies out in the direction of a witness
MARGIN = 1e-7  # relative excess that doubles must show before ball arithmetic is asked
MOST_PATHS, FEW_PATHS = 300, 64  # of a program whose cheapest alignments are computed, which takes milliseconds each
MOST_EVENTS = 80
MOST_STARTS = 320
MOST_HALVES = 12  # events and moves of programs with whole noise on answers that need not be whole
MOST_SINGLE = 8  # starts of a program that is explored for each database anew
CLIMBS, HOPEFUL = 3, 0.4  # starts from which databases are searched, if they lose at least this share of the claim
FURTHEST = 40  # noise scales from 0 that a search goes
MOST_SLOW = 10  # sizes and arguments that are searched

# Neighbours with ties: what is tried, in noise scales and in shares of the distance of neighbours.
TIES, WINDOWS = 60, 10
MOST_TIED = 4  # queries
LEVELS = (0, 1, -1, 2, -2, 4, -4, 16, -16)
STEPS = (Fraction(1), Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(-1, 2))
SHARES = (Fraction(0), Fraction(1, 2), Fraction(1))


def refute(sketch: Sketch, claim: Scale, settings: Settings) -> Refuted | None:
    """A certain counterexample to `claim`-privacy of a program without holes, as small as can be; None if none was found.

    `claim` is the claimed privacy level as an expression, such as eps or 2*eps.
    """
    for example in find_violations(sketch, claim, settings):
        confirmed = confirm(sketch, shrink(sketch, example, claim), claim) or confirm(sketch, example, claim)
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
    best: Found | None = None
    for _, found in survey_losses(sketch, claim, settings):
        if best is None or found.loss > best.loss * (1 + 1e-6):
            best = found
    certain = None if best is None else measure(sketch, best.example, claim)
    return None if best is None or certain is None else LowerBound(certain, best.example)


@lru_cache(maxsize=16)  # bounds, growth and the report ask for it
def survey_losses(sketch: Sketch, claim: Scale, settings: Settings) -> tuple[tuple[int, Found], ...]:
    """The hardest example at each number of answers, its loss by doubles in units of the claim."""
    hardest: dict[int, Found] = {}
    for size in sizes_of(sketch):
        for arguments in enumerate_arguments(sketch, size, claim, few=True):
            search = _search(sketch, arguments, claim, settings)
            if search is None:
                continue
            climbs = CLIMBS if all(found.loss < 0.99 for found in hardest.values()) else 0
            for found in search.hardest(GAINS, climbs, only_above=False):
                if found is None:
                    continue
                share, known = found.loss / search.claim, hardest.get(size)
                if known is None or share > known.loss * (1 + 1e-6):
                    hardest[size] = Found(found.example, share)
    return tuple(hardest.items())


# ---------------------------------------------------------------- where to look


def sizes_of(sketch: Sketch) -> tuple[int, ...]:
    """The numbers of answers that are tried: a few, and as many as a place that the program names asks for."""
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
        if parameter.default is not None and _is_allowed(sketch, claim, parameter.name, parameter.default):
            values = [parameter.default, *(v for v in values if v != parameter.default)]
        if not _matters(sketch, claim, parameter.name):
            values = values[:1]
        choices.append([(parameter.name, value) for value in values])
    settings = list(itertools.product(*choices))[: 3 if few else 9]
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
        yield from _other_arguments(sketch, claim, first)


def _matters(sketch: Sketch, claim: Scale, name: str) -> bool:
    """Whether an argument stands anywhere in the program or in the claim."""
    scales = [claim, *(draw.scale for draw in sketch.draws if isinstance(draw.scale, Scale))]
    used = {node.name for node in walk(sketch.body) if isinstance(node, Var)}
    return name in used or any(name in dict(scale.powers) for scale in scales)


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
        if parameter.type is Type.BOOL or not _matters(sketch, claim, parameter.name):
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


def find_violations(sketch: Sketch, claim: Scale, settings: Settings) -> Iterator[Example]:
    """Examples whose loss is above the claim, by doubles: what is found quickly first, at all sizes and arguments.

    Then the searches that have come closest go on.
    """
    searches = (
        _search(sketch, arguments, claim, settings)
        for size in sizes_of(sketch)
        for arguments in enumerate_arguments(sketch, size, claim)
    )
    rounds: Iterable[tuple[_Search, Iterator[Found | None]]] = (
        (search, search.hardest(GAINS[:5], CLIMBS, only_above=True)) for search in searches if search is not None
    )
    while True:
        slower: list[tuple[_Search, Iterator[Found | None]]] = []
        for search, examples in rounds:
            for found in examples:
                if found is None:
                    slower.append((search, examples))
                    break
                search.hope = max(search.hope, found.loss / search.claim)
                if search.is_above(found.loss):
                    yield found.example
                    break
        if not slower:
            return
        rounds = sorted(slower, key=lambda one: -one[0].hope)[:MOST_SLOW]


class Found(NamedTuple):
    example: Example
    loss: float


def _search(sketch: Sketch, arguments: Arguments, claim: Scale, settings: Settings) -> _Search | None:
    """A search at these arguments, or None if the program has no meaning there."""
    try:
        return _Search(sketch, arguments, claim, settings)
    except UsageError:  # a scale divides by 0 or is negative here
        return None


@lru_cache(maxsize=2)  # it is the same for every ε
def _case(
    sketch: Sketch, size: int, arguments: tuple[tuple[str, Fraction | bool], ...], settings: ProofSettings
) -> Case | Unknown:
    """The events of a program of one size; paths are not put together to events where that takes long."""
    paths = explore(sketch, size, dict(arguments), MOST_PATHS)
    if isinstance(paths, Unknown) or len(paths.paths) <= FEW_PATHS:
        return build_case(sketch, size, dict(arguments), replace(settings, paths=FEW_PATHS))
    events = (CaseEvent((i,), normal(path.atoms), path.output) for i, path in enumerate(paths.paths))
    return Case(paths, tuple(events), arguments)


class _Search:
    """The search for a hard example at one setting of the arguments."""

    def __init__(self, sketch: Sketch, arguments: Arguments, claim: Scale, settings: Settings):
        self.sketch, self.arguments, self.settings = sketch, arguments, settings
        self.integrator = Integrator(sketch)
        self.claim = float(claim.at(arguments.quantities(sketch)))
        self.unit = noise_unit(sketch, arguments, ())
        self.hope = 0.0  # the largest loss so far, in units of the claim

    def is_above(self, loss: float) -> bool:
        return loss > self.claim * (1 + MARGIN)

    def hardest(self, gains: Sequence[int], climbs: int, only_above: bool) -> Iterator[Found | None]:
        """Examples and their losses, mostly harder and harder; None where what follows takes much longer.

        The caller stops when it has seen enough.
        """
        whole = {p.name: dict(self.arguments.values)[p.name] for p in self.sketch.arguments if p.type is not Type.FLOAT}
        case = _case(self.sketch, self.arguments.size, tuple(whole.items()), self.settings.proof)
        if isinstance(case, Unknown) and not isinstance(self.outcomes, Outcomes):
            # For each database alone there may be few paths; a handful of databases is all that is looked at then.
            yield from self.best(self.corner_examples(MOST_SINGLE), climbs + 1)
            return
        many = isinstance(case, Case) and len(case.events) > FEW_PATHS
        if many and not only_above:
            return  # as much is lost with fewer queries, or little more
        witnesses, cost = self.witness_examples(case, gains)
        if cost is not None and cost <= self.claim and only_above:
            return
        found = self.best(witnesses, climbs + 1)
        yield from found
        # The cheapest alignment bounds every loss at this size: there is nothing more to find.
        if cost is not None and (cost <= self.claim or (found and found[0].loss >= 0.9999 * cost)):
            return
        corners = self.best(self.corner_examples(MOST_SINGLE if many else MOST_STARTS), climbs + 1)
        yield from corners
        if many:
            return
        yield None
        yield from self.climbs(found + corners, climbs)
        if only_above and self.arguments.size <= MOST_TIED:
            yield None
            ties = self.best(self.tied_examples(), climbs + 1)
            yield from ties
            yield None
            yield from self.climbs(ties, climbs)

    def climbs(self, found: Sequence[Found], most: int) -> Iterator[Found]:
        """The hardest examples near the hardest ones found so far."""
        reach = Reach(turns=24, furthest=FURTHEST * self.unit)
        for example, loss in sorted(found, key=lambda one: -one.loss)[:most]:
            if HOPEFUL * self.claim < loss < math.inf:
                climbed = climb_exact(self.integrator, example, (), reach, self.targets(example.d1, 12))
                if isinstance(climbed, Climb):
                    yield Found(climbed.example, climbed.log_loss)

    def best(self, examples: Sequence[Example], most: int) -> list[Found]:
        fitting = [fit for fit in (self.fit(example) for example in examples) if fit is not None]
        found = map(Found, fitting, self.losses(fitting))
        return sorted(found, key=lambda one: -one.loss)[:most]

    def fit(self, example: Example) -> Example | None:
        """The example, with whole answers where the program takes no others; None if no move is left then."""
        if not self.sketch.private.whole:
            return example
        d1 = tuple(Fraction(round(a)) for a in example.d1)
        d2 = tuple(a + int(after - before) for a, before, after in zip(d1, example.d1, example.d2, strict=True))
        return replace(example, d1=d1, d2=d2) if d1 != d2 else None

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
        witnesses = find_witnesses(case, scales)
        examples = [w.example(self.unit * gain / 2, self.arguments) for w in witnesses.found for gain in gains]
        shown = [example for example in examples if example is not None]
        return shown, None if witnesses.cost is None else float(witnesses.cost)

    def corner_examples(self, most: int) -> list[Example]:
        """Neighbours at the corners of the relation, with all answers at the threshold, and events of all shapes."""
        size = self.arguments.size
        (base,) = enumerate_bases(self.sketch, self.arguments, (), 1)
        events = self.targets(base, MOST_EVENTS)
        corners = list(itertools.islice(self.sketch.adjacency.vertices(size), most))
        if len(corners) * len(events) > most:
            corners = list(enumerate_moves(self.sketch.adjacency, size, max(4, most // max(1, len(events)))))
        examples = [Example(base, Pair(base, move).d2, event, self.arguments) for event in events for move in corners]
        if any(d.noise.discrete is d.noise for d in self.sketch.draws):
            # Whole noise does not hide half a step: the other run misses a point that this one hits.
            moves = corners[:MOST_HALVES]
            if not self.sketch.private.whole:
                moves += [tuple(step / 2 for step in move) for move in moves]
            points = [point for event in events[:MOST_HALVES] for point in _points_of(event)]
            examples += [Example(base, Pair(base, m).d2, point, self.arguments) for point in points for m in moves]
        return examples

    def tied_examples(self) -> list[Example]:
        """Neighbours of which one has ties that the other breaks, near the threshold or far from it.

        Comparisons without noise, and paths that no answer tells apart, give most away where answers change places.
        """
        if not isinstance(self.outcomes, Outcomes):
            return []
        examples: dict[Example, None] = {}
        size, distance = self.arguments.size, self.sketch.adjacency.distance
        ((middle, *_),) = enumerate_bases(self.sketch, self.arguments, (), 1)
        rng = random.Random(f"{self.settings.seed} ties")
        for _ in range(TIES):
            move = tuple(distance * rng.choice(STEPS) for _ in range(size))
            if not any(move) or not self.sketch.adjacency.allows(move):
                move = self.sketch.adjacency.draw_move(size, rng)
            levels = [middle + self.unit * rng.choice(LEVELS) for _ in range(2)]
            split = rng.choice([0, 0, *range(size)])  # answers before this place are at another level
            share = rng.choice(SHARES)  # of the move, at which the ties are
            d1 = tuple(levels[place < split] - share * step for place, step in enumerate(move))
            pair = Pair(d1, move)
            for event in find_windows(self.outcomes, pair.d1, pair.d2, WINDOWS):
                examples[Example(pair.d1, pair.d2, event, self.arguments)] = None
        return list(examples)

    def targets(self, database: Database, most: int) -> tuple[Event, ...]:
        outcomes = self.outcomes if isinstance(self.outcomes, Outcomes) else self.find_outcomes(database)
        if not isinstance(outcomes, Outcomes):
            return ()
        return find_targets(outcomes, database, self.sketch.adjacency, most)

    @cached_property
    def outcomes(self) -> Outcomes | CannotIntegrate:
        return self.find_outcomes(None)

    def find_outcomes(self, database: Database | None) -> Outcomes | CannotIntegrate:
        environment = self.arguments.environment(self.sketch)
        names = self.arguments.quantities(self.sketch)
        silent = frozenset(d.site for d in self.sketch.draws if isinstance(d.scale, Scale) and not d.scale.at(names))
        return find_outcomes(self.sketch, self.arguments.size, environment, silent, database)


def _points_of(event: Event) -> Iterator[Event]:
    """The event with each interval shrunk to its bound, where it has such."""
    match event:
        case Within(low, high):
            point = high if low is None else low
            if point is not None:
                yield Within(point, point)
        case AllOf(events):
            parts = [next(_points_of(part), part) for part in events]
            if any(isinstance(part, Within) for part in parts):
                yield AllOf(tuple(part for part in parts if isinstance(part, Equals | Within | Anything)))


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
    assert sketch.related(example.d1, example.d2), "the databases of an example are neighbours"
    assert example.arguments.accepted_by(sketch, claim), "the program and the claim take the arguments of an example"
    p1, p2 = (rigorous_probability(sketch, d, example.arguments, (), example.event) for d in (example.d1, example.d2))
    if isinstance(p1, CannotIntegrate) or isinstance(p2, CannotIntegrate):
        return None
    level = claim.at(example.arguments.quantities(sketch))
    if exceeds(p1, p2, level):
        return Refuted(example, Odds(p1.estimate(), p2.estimate()))
    if exceeds(p2, p1, level):
        return Refuted(example.flipped(), Odds(p2.estimate(), p1.estimate()))
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
        chosen = [c for c in candidates if sketch.related(c.d1, c.d2)]
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
