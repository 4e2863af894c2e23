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
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from kolahal.errors import UsageError
from kolahal.exact.hardest import Climb, Reach, climb_exact
from kolahal.exact.probe import Integrator
from kolahal.inputs.argument_sweep import enumerate_arguments
from kolahal.inputs.arguments import sizes_of
from kolahal.inputs.pairs import Pair, as_bits, enumerate_bases, enumerate_corners, noise_unit
from kolahal.lang.ir import Const, walk
from kolahal.lang.places import fixed_places
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.law.cost import build_case
from kolahal.logic.counting import OutOfSteps, limited, within
from kolahal.model import AllOf, Anything, Arguments, Database, Equals, Event, Example, Within
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate
from kolahal.paths.events import OutputCell, normal
from kolahal.paths.explore import explore
from kolahal.paths.joined import Outcomes, find_outcomes
from kolahal.paths.quotients import compared
from kolahal.proof.refute.alike import at_no_level, find_levels, level_of
from kolahal.proof.refute.candidate_events import find_targets, find_windows
from kolahal.proof.refute.counted import CountedLoss, find_counted
from kolahal.proof.refute.crossings import find_crossings
from kolahal.proof.refute.questions import asks_as_it_runs
from kolahal.proof.refute.runs import find_run_examples
from kolahal.proof.refute.shrink import MARGIN, MOST_HALVES, confirm, losses_of, measure, shrink
from kolahal.proof.refute.survey import FoundLoss, Survey
from kolahal.proof.refute.witness import Stays, find_stays, find_witnesses
from kolahal.proof.trusted.passages import SizedProgram
from kolahal.results import LowerBound
from kolahal.settings import ProofSettings, Settings
from kolahal.verdicts import Refuted, Unknown

QUOTIENTS, MOST_QUOTIENTS = (1, Fraction(1, 2), 0), 2  # distances that a quotient is compared with; examples of each
GAINS = (1, 2, 4, 8, 16, 32, 64)  # noise scales that an example lies out in the direction of a witness
MOST_PATHS, FEW_PATHS = 300, 64  # of a program whose cheapest alignments are computed, which takes milliseconds each
MOST_EVENTS, MOST_BIT_EVENTS = 80, 32
MOST_BITS = 6  # whose answers are listed
MOST_STARTS = 320
MOST_SINGLE = 8  # starts of a program that is explored for each database anew
CLIMBS, HOPEFUL = 3, 0.4  # starts from which databases are searched, if they lose at least this share of the claim
FURTHEST = 40  # noise scales from 0, or from a threshold that may be anywhere, that a search goes
PERSISTENT = 3  # times the steps of other searches
MOST_SLOW = 10  # sizes and arguments that are searched

# Neighbours with ties: what is tried, in noise scales and in shares of the distance of neighbours.
TIES, WINDOWS = 60, 10
MOST_TIED = 4  # queries
MOST_LANDMARKS = 4  # numbers of a program over records
MOST_MOVES, MOST_CROSSINGS = 8, 12  # of neighbours on different sides of a comparison
LEVELS = (0, 1, -1, 2, -2, 4, -4, 16, -16)
STEPS = (Fraction(1), Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(-1, 2))
SHARES = (Fraction(0), Fraction(1, 2), Fraction(1))


def refute(sketch: Sketch, claim: Scale, settings: Settings, beyond: int = 0) -> Refuted | None:
    """A certain counterexample to `claim`-privacy of a program without holes, as small as can be; None if none was found.

    `claim` is the claimed privacy level as an expression, such as eps or 2*eps. There is none of `beyond` answers or fewer.
    """
    examples = itertools.chain(find_violations(sketch, claim, settings, beyond), _find_quotients(sketch, claim, settings, beyond))
    return first_confirmed(sketch, examples, claim, PERSISTENT * settings.proof.steps)


def first_confirmed(sketch: Sketch, examples: Iterator[Example], claim: Scale, steps: int) -> Refuted | None:
    """The first of some examples that breaks the claim for certain, made small; None if there is none within so many steps.

    What was found is confirmed, whatever that takes.
    """
    try:
        with limited(steps):
            for example in examples:
                small = within(steps, lambda found: shrink(sketch, found, claim), example)
                with limited(None):
                    confirmed = confirm(sketch, small, claim) or confirm(sketch, example, claim)
                if confirmed is not None:
                    return confirmed
    except OutOfSteps:
        pass
    return None


def _find_quotients(sketch: Sketch, claim: Scale, settings: Settings, beyond: int) -> Iterator[Example]:
    """Examples whose event is that a quotient is at least some number, or at most."""
    for times in QUOTIENTS:
        bound = times * sketch.adjacency.distance
        asked = compared(sketch, Within(bound, None))
        if asked is None:
            return
        for example in itertools.islice(find_violations(asked, claim, settings, beyond), MOST_QUOTIENTS):
            if isinstance(example.event, Equals):
                yield replace(example, event=Within(bound, None) if example.event.value == 1 else Within(None, bound))


def best_lower_bound(sketch: Sketch, claim: Scale, survey: Survey) -> LowerBound | None:
    """The largest loss that was found anywhere, as a bound that holds for certain."""
    best: FoundLoss | None = None
    for found in survey.values():
        if best is None or found.loss > best.loss * (1 + 1e-6):
            best = found
    certain = None if best is None else measure(sketch, best.example, claim)
    return None if best is None or certain is None else LowerBound(certain, best.example)


def survey_losses(sketch: Sketch, claim: Scale, settings: Settings) -> Survey:
    """The hardest example at each number of answers, its loss by doubles."""
    hardest: dict[int, FoundLoss] = {}
    largest = _survey_counted(sketch, claim, settings, hardest)
    if largest:
        return hardest
    if asks_as_it_runs(sketch):
        for example, loss in find_run_examples(sketch, claim):
            _note(hardest, FoundLoss(example, loss))
        return hardest
    try:
        with limited(settings.proof.steps):
            for search in _searches(sketch, claim, settings, few=True):
                climbs = CLIMBS if all(found.loss < 0.99 for found in hardest.values()) else 0
                for found in search.hardest(GAINS, climbs, only_above=False):
                    if found is not None:
                        _note(hardest, FoundLoss(found.example, found.loss / search.claim))
    except OutOfSteps:  # what was found stands
        pass
    return hardest


def _note(hardest: dict[int, FoundLoss], found: FoundLoss, least: float = 1e-6) -> None:
    """Keep an example if it loses more than what is known at its number of answers, by at least such a share of it."""
    known = hardest.get(found.example.arguments.size)
    if known is None or found.loss > known.loss * (1 + least):
        hardest[found.example.arguments.size] = found


def _survey_counted(sketch: Sketch, claim: Scale, settings: Settings, hardest: dict[int, FoundLoss]) -> bool:
    """Note the hardest examples that counting all that can happen shows, and whether no event loses more at these sizes."""
    counted: list[CountedLoss] = []
    try:
        with limited(settings.proof.steps):
            counted.extend(find_counted(sketch, claim))
    except OutOfSteps:
        return False
    finally:
        for one in counted:
            _note(hardest, FoundLoss(one.example, one.loss), 0.0)
    return bool(counted) and all(one.largest for one in counted)


# ---------------------------------------------------------------- where to look


def find_violations(sketch: Sketch, claim: Scale, settings: Settings, beyond: int = 0) -> Iterator[Example]:
    """Examples whose loss is above the claim, by doubles: what is found quickly first, at all sizes and arguments.

    Then the searches that have come closest go on.
    """
    if asks_as_it_runs(sketch):
        yield from (example for example, loss in find_run_examples(sketch, claim) if loss > 1 + MARGIN)
        return
    yield from (one.example for one in find_counted(sketch, claim, beyond) if one.loss > 1 + MARGIN)
    rounds: Iterable[tuple[_RefutationSearch, Iterator[FoundLoss | None]]] = (
        (search, search.hardest(GAINS[:5], CLIMBS, only_above=True))
        for search in _searches(sketch, claim, settings, beyond=beyond)
    )
    while True:
        slower: list[tuple[_RefutationSearch, Iterator[FoundLoss | None]]] = []
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


def _searches(
    sketch: Sketch, claim: Scale, settings: Settings, few: bool = False, beyond: int = 0
) -> Iterator[_RefutationSearch]:
    """A search at each size and setting of the arguments where the program has a meaning."""
    discrete = [p.name for p in sketch.arguments if p.type is not Type.FLOAT]
    for size in (size for size in sizes_of(sketch) if size > beyond):
        known: dict[object, _SizedEvents] = {}
        seen: set[Arguments] = set()
        for arguments in enumerate_arguments(sketch, size, claim, few):
            given = dict(arguments.values)
            values = tuple((name, given[name]) for name in discrete)
            events = known.setdefault(values, _SizedEvents(sketch, size, claim, values, settings.proof))
            same = at_no_level(arguments, events.levels, sketch.private.whole)
            if same in seen:  # a threshold that rises with all answers, and so nothing new
                continue
            seen.add(same)
            try:
                search = _RefutationSearch(sketch, arguments, claim, settings, events)
            except UsageError:  # a scale divides by 0 or is negative here
                continue
            yield search


@dataclass()
class _SizedEvents:
    """The events of a program at one size and its whole arguments, found when first asked for; the same for every ε."""

    sketch: Sketch
    size: int
    claim: Scale
    arguments: tuple[tuple[str, Fraction | bool], ...]
    settings: ProofSettings

    @cached_property
    def case(self) -> SizedProgram | Unknown:
        """Paths are not put together to events where that takes long."""
        paths = explore(self.sketch, self.size, dict(self.arguments), MOST_PATHS)
        if isinstance(paths, Unknown):
            return paths
        if len(paths.paths) <= FEW_PATHS:
            return build_case(self.sketch, self.size, dict(self.arguments), self.settings, as_is=paths)
        events = (OutputCell((i,), normal(path.atoms), path.output, path.picks) for i, path in enumerate(paths.paths))
        return SizedProgram(paths, tuple(events), self.arguments)

    @cached_property
    def levels(self) -> frozenset[str]:
        """Arguments that may rise together with all private answers, so far as is known; bits do not rise."""
        if self.sketch.private.bits:
            return frozenset()
        return find_levels(self.case.paths, self.claim) if isinstance(self.case, SizedProgram) else frozenset()

    @cached_property
    def stays(self) -> Stays:
        assert isinstance(self.case, SizedProgram)
        return find_stays(self.case)


class _RefutationSearch:
    """The search for a hard example at one setting of the arguments."""

    def __init__(self, sketch: Sketch, arguments: Arguments, claim: Scale, settings: Settings, events: _SizedEvents):
        self.sketch, self.arguments, self.settings, self.events = sketch, arguments, settings, events
        self.integrator = Integrator(sketch)
        self.claim = float(claim.at(arguments.quantities(sketch)))
        self.unit = noise_unit(sketch, arguments, ())
        self.hope = 0.0  # the largest loss so far, in units of the claim

    @property
    def level(self) -> Fraction:
        """Around which value the answers of a search lie."""
        return level_of(self.arguments, self.events.levels)

    def is_above(self, loss: float) -> bool:
        return loss > self.claim * (1 + MARGIN)

    def hardest(self, gains: Sequence[int], climbs: int, only_above: bool) -> Iterator[FoundLoss | None]:
        """Examples and their losses, mostly harder and harder; None where what follows takes much longer.

        The caller stops when it has seen enough.
        """
        if self.sketch.private.bits:
            yield from self.best(self.bit_examples(), 1)
            return
        case = self.events.case
        if isinstance(case, Unknown) and not isinstance(self.outcomes, Outcomes):
            # For each database alone there may be few paths; a handful of databases is all that is looked at then.
            yield from self.best(self.corner_examples(MOST_SINGLE), climbs + 1)
            return
        many = isinstance(case, SizedProgram) and len(case.events) > FEW_PATHS
        if many and not only_above:
            return  # as much is lost with fewer queries, or little more
        witnesses, cost = self.witness_examples(gains)
        if cost is not None and cost <= self.claim and only_above:
            return
        found = self.best(witnesses, climbs + 1)
        yield from found
        # The cheapest alignment bounds every loss at this size: there is nothing more to find.
        if cost is not None and (cost <= self.claim or (found and found[0].loss >= 0.9999 * cost)):
            return
        corners = self.best(self.corner_examples(MOST_SINGLE if many else MOST_STARTS), climbs + 1)
        yield from corners
        yield from self.best(self.crossing_examples(), climbs + 1)
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

    def climbs(self, found: Sequence[FoundLoss], most: int) -> Iterator[FoundLoss]:
        """The hardest examples near the hardest ones found so far."""
        reach = Reach(turns=24, furthest=FURTHEST * self.unit, middle=self.level)
        for example, loss in sorted(found, key=lambda one: -one.loss)[:most]:
            if HOPEFUL * self.claim < loss < math.inf:
                climbed = climb_exact(self.integrator, example, (), reach, self.targets(example.d1, 12))
                if isinstance(climbed, Climb):
                    yield FoundLoss(climbed.example, climbed.log_loss)

    def best(self, examples: Sequence[Example], most: int) -> list[FoundLoss]:
        fitting = [fit for fit in (self.fit(example) for example in examples) if fit is not None]
        found = map(FoundLoss, fitting, self.losses(fitting))
        return sorted(found, key=lambda one: -one.loss)[:most]

    def fit(self, example: Example) -> Example | None:
        """The example, with whole answers where the program takes no others; None if no move is left then."""
        if isinstance(self.sketch.adjacency, RecordRelation):
            near = self.sketch.adjacency.settle(example.d1, Pair.between(example.d1, example.d2).move)
            fits = near is not None and near[0] != near[1] and self.sketch.adjacency.related(*near)
            return replace(example, d1=near[0], d2=near[1]) if near is not None and fits else None
        if self.sketch.private.bits:
            near_bits = as_bits(Pair.between(example.d1, example.d2))
            return replace(example, d1=near_bits.d1, d2=near_bits.d2) if any(near_bits.move) else None
        if not self.sketch.private.whole:
            return example
        d1 = tuple(Fraction(round(a)) for a in example.d1)
        d2 = tuple(a + int(after - before) for a, before, after in zip(d1, example.d1, example.d2, strict=True))
        return replace(example, d1=d1, d2=d2) if d1 != d2 else None

    def losses(self, examples: Sequence[Example]) -> list[float]:
        return losses_of(self.integrator, examples)

    def witness_examples(self, gains: Sequence[int]) -> tuple[list[Example], float | None]:
        """Examples along the directions of the dearest events, and the cost of the cheapest alignment, if known."""
        case = self.events.case
        if isinstance(case, Unknown):
            return [], None
        names = self.arguments.quantities(self.sketch)
        scales = [draw.scale.at(names) for draw in self.sketch.draws if isinstance(draw.scale, Scale)]
        if not all(scales):
            return [], None
        witnesses = find_witnesses(case, self.events.stays, scales)
        examples = [w.example(self.unit * gain / 2, self.arguments, self.level) for w in witnesses.found for gain in gains]
        shown = [example for example in examples if example is not None]
        return shown, None if witnesses.cost is None else float(witnesses.cost)

    def corner_examples(self, most: int) -> list[Example]:
        """Neighbours at the corners of the relation, with all answers at the threshold, and events of all shapes."""
        size = self.arguments.size
        (base,) = enumerate_bases(self.sketch, self.arguments, (), 1)
        events = self.targets(base, MOST_EVENTS)
        corners = enumerate_corners(self.sketch.adjacency, size, len(events), most)
        bases = [base, *self.landmarks(len(base)), *self.far_apart()]
        examples = [
            Example(start, Pair(start, move).d2, event, self.arguments)
            for start in bases
            for event in (events if start is base else self.targets(start, MOST_EVENTS))
            for move in corners
        ]
        if any(d.noise.whole for d in self.sketch.draws):
            # Whole noise does not hide half a step: the other run misses a point that this one hits.
            moves = list(corners[:MOST_HALVES])
            if not self.sketch.private.whole:
                moves += [tuple(step / 2 for step in move) for move in moves]
            points = [point for event in events[:MOST_HALVES] for point in _points_of(event)]
            examples += [Example(base, Pair(base, m).d2, point, self.arguments) for point in points for m in moves]
        return examples

    def far_apart(self) -> list[Database]:
        """Scores some noise scales apart: a place loses most where it is far behind the others."""
        if not any(draw.noise.selects for draw in self.sketch.draws) or isinstance(self.sketch.adjacency, RecordRelation):
            return []
        bases = enumerate_bases(self.sketch, self.arguments, (), 8)
        return [tuple(8 * answer for answer in base) for base in bases[1:]]

    def bit_examples(self) -> list[Example]:
        """Neighbours among bits of several patterns, and the answers that one of them can give."""
        size, adjacency = self.arguments.size, self.sketch.adjacency
        many = min(size, int(adjacency.distance))  # bits that may be turned over at once, where moves add up
        together = tuple(Fraction(place < many) for place in range(size))
        named = [place % size for place in fixed_places(self.sketch) if -size <= place < size]  # that a program may treat apart
        alone = [tuple(Fraction(i == place) for i in range(size)) for place in dict.fromkeys(named[:MOST_MOVES])]
        corners = enumerate_corners(adjacency, size, 1, MOST_MOVES)
        moves = [*([together] if adjacency.allows(together) else []), *alone, *corners]
        pairs = dict.fromkeys(as_bits(Pair(base, m)) for base in enumerate_bases(self.sketch, self.arguments, (), 8) for m in moves)
        return [
            Example(pair.d1, pair.d2, event, self.arguments)
            for pair in pairs
            for event in self.targets(pair.d1, MOST_BIT_EVENTS)
        ]

    def landmarks(self, size: int) -> list[Database]:
        """Records whose aggregates are next to a number of the program: a comparison without noise may turn there."""
        adjacency = self.sketch.adjacency
        if not isinstance(adjacency, RecordRelation):
            return []
        marks = {n.value for n in walk(self.sketch.body) if isinstance(n, Const) and isinstance(n.value, Fraction)}
        near = [mark - step for mark in sorted(marks)[:MOST_LANDMARKS] if mark > 0 for step in (adjacency.distance, 0)]
        return list(dict.fromkeys(adjacency.nearest((mark,) * size) for mark in near))

    def crossing_examples(self) -> list[Example]:
        """Neighbours on different sides of the comparisons that have no noise, however far these are from the threshold."""
        case = self.events.case
        if not isinstance(case, SizedProgram):
            return []
        corners = enumerate_corners(self.sketch.adjacency, self.arguments.size, 1, MOST_MOVES)
        found = find_crossings(case.paths, self.arguments.environment(self.sketch), corners, MOST_CROSSINGS)
        return [
            Example(pair.d1, pair.d2, event, self.arguments)
            for pair in found
            for event in self.targets(pair.d1, WINDOWS)
        ]

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
        if self.sketch.private.bits and len(database) > MOST_BITS:
            # Of too many answers to list, the one that there would be without noise tells most.
            outcomes = self.find_outcomes(database, frozenset(range(len(self.sketch.draws))))
        else:
            outcomes = self.outcomes if isinstance(self.outcomes, Outcomes) else self.find_outcomes(database)
        if not isinstance(outcomes, Outcomes):
            return ()
        return find_targets(outcomes, database, self.sketch.adjacency, most)

    @cached_property
    def outcomes(self) -> Outcomes | CannotIntegrate:
        return self.find_outcomes(None)

    def find_outcomes(self, database: Database | None, silent: frozenset[int] = frozenset()) -> Outcomes | CannotIntegrate:
        environment = self.arguments.environment(self.sketch)
        names = self.arguments.quantities(self.sketch)
        silent |= frozenset(d.site for d in self.sketch.draws if isinstance(d.scale, Scale) and not d.scale.at(names))
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
