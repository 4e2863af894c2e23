"""Losses that rise with the number of answers, or with a whole argument: a hard example is made longer until it breaks the claim.

A program may keep its claim for a handful of answers and lose more with each further one. The hardest examples at small
sizes show that; repeating one of their answers, in the databases and in the event, shows where the claim breaks. So does a
larger argument, of a program that releases as often as it says, with a part of the event repeated.
Nothing here can refute a private mechanism, because the last word is `confirm`'s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Protocol, TypeVar

from kolahal.exact.probe import Integrator
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.model import AllOf, Equals, Event, Example, Linear
from kolahal.nouns import dataclass
from kolahal.proof.refute.refute import first_confirmed, survey_losses
from kolahal.proof.refute.shrink import MARGIN, losses_of, shrink
from kolahal.proof.refute.survey import FoundLoss, Survey
from kolahal.settings import Settings
from kolahal.verdicts import Refuted

MOST_ANSWERS = 512  # that an example is made to have
MOST_ONE_BY_ONE = 64  # answers up to which they are added one by one, where the loss does not rise evenly
MOST_STEPS = 100
NEARLY = 0.999  # of the loss that an example must keep while it is made simple
FEWEST_AT_ONCE = 4
RISING = 1.002  # from one size to the next, by this factor at least: less is the approach to a limit
MOST_STARTS = 3
MOST_ROUNDS = 4

W = TypeVar("W", bound="_Way")


def find_growth(sketch: Sketch, claim: Scale, settings: Settings, survey: Survey | None = None) -> Refuted | None:
    """A certain counterexample with more answers than the refuter looks at, or a larger argument; None if losses do not rise
    that far."""
    survey = survey_losses(sketch, claim, settings) if survey is None else survey
    largest = max(survey, default=0)
    if not largest:
        return None
    integrator = Integrator(sketch)
    starts = [survey[size] for size in sorted(survey, reverse=True)][:MOST_STARTS]
    rises = sketch.private.count is None and survey[largest].loss >= RISING * survey.get(largest - 1, survey[largest]).loss
    answers = (example for start in starts if rises for example in _lengthen(integrator, claim, start, _more_answers))
    counts = [p.name for p in sketch.arguments if p.type is Type.INT]
    hardest = sorted(survey.values(), key=lambda found: -found.loss)[:MOST_STARTS]
    turns = (
        example
        for name in counts
        for start in hardest
        for example in _lengthen(integrator, claim, start, partial(_more_turns, name=name))
    )
    rounds = (example for start in hardest for example in _repeat(integrator, claim, start, counts))
    return first_confirmed(sketch, chain(answers, turns, rounds), claim, settings.proof.steps)


def _lengthen(
    integrator: Integrator, claim: Scale, start: FoundLoss, ways_of: Callable[[Example], Sequence[_Way]]
) -> Iterator[Example]:
    """Longer and longer examples, from the first on whose loss is above the claim by doubles.

    While the loss rises evenly, as many steps are made at once as lead to just below the claim.
    """
    sketch = integrator.sketch
    if not 0 < start.loss < math.inf:
        return
    # Out in the tails the probabilities of long events are below the smallest double, so it begins near the middle.
    nearly = Scale(claim.coefficient * Fraction(NEARLY * start.loss), claim.powers)
    example = shrink(sketch, start.example, nearly)
    (share,) = _shares(integrator, claim, [example])
    size = len(example.d1)
    for _ in range(MOST_STEPS):
        if size >= MOST_ANSWERS:
            return
        ways = {way: longer for way in ways_of(example) if sketch.related((longer := way.of(example, 1)).d1, longer.d2)}
        shares = dict(zip(ways, _shares(integrator, claim, list(ways.values())), strict=True))
        best = max(shares, key=lambda way: shares[way], default=None)
        if best is None:
            return
        gain = shares[best] - share
        example, share, size = ways[best], shares[best], size + 1
        if share > 1 + MARGIN:
            yield example
            continue
        if not share + gain * (MOST_ANSWERS - size) > 1:
            return
        more = int((1 - share) / gain) if gain else 0  # at the claim itself, and level
        if more >= FEWEST_AT_ONCE:
            further = best.of(example, more)
            (found,) = _shares(integrator, claim, [further])
            if found > share + gain * more / 2:
                example, share, size = further, found, size + more
            elif size >= MOST_ONE_BY_ONE:
                return


def _repeat(integrator: Integrator, claim: Scale, start: FoundLoss, counts: Sequence[str]) -> Iterator[Example]:
    """Examples that are a hard one several times over, with as many times the rounds that an argument counts, or without.

    What a program does anew after each round, such as a threshold with fresh noise, is lost once a round.
    """
    sketch = integrator.sketch
    if not 0 < start.loss < math.inf or sketch.private.count is not None:
        return
    example = shrink(sketch, start.example, Scale(claim.coefficient * Fraction(NEARLY * start.loss), claim.powers))
    for times in range(2, MOST_ROUNDS + 1):
        longer = [_times_over(example, times, name) for name in ("", *counts)]
        kept = [e for e in longer if e is not None and len(e.d1) <= MOST_ONE_BY_ONE and sketch.related(e.d1, e.d2)]
        yield from (e for e, share in zip(kept, _shares(integrator, claim, kept), strict=True) if share > 1 + MARGIN)


def _times_over(example: Example, times: int, name: str) -> Example | None:
    """All answers, and the event on them, so many times; an argument too, if there is a name."""
    match example.event:
        case Equals(tuple(told)):
            event: Event = Equals(told * times)
        case AllOf(events):
            event = AllOf(events * times)
        case _:
            return None
    values = tuple((n, Fraction(v) * times if n == name else v) for n, v in example.arguments.values)
    return Example(example.d1 * times, example.d2 * times, event, replace(example.arguments, values=values, size=len(example.d1) * times))


def _shares(integrator: Integrator, claim: Scale, examples: list[Example]) -> list[float]:
    """The losses of examples of one size in units of the claim."""
    if not examples:
        return []
    level = float(claim.at(examples[0].arguments.quantities(integrator.sketch)))
    return [loss / level for loss in losses_of(integrator, examples)]


class _Way(Protocol):
    def of(self, example: Example, times: int) -> Example: ...


@dataclass(frozen=True, slots=True)
class _MoreAnswers:
    """Repeats the answer at a place, in the event too if `carried`."""

    place: int
    carried: bool

    def of(self, example: Example, times: int) -> Example:
        d1, d2 = (_repeated(d, self.place, times) for d in (example.d1, example.d2))
        event = example.event
        if self.carried:
            event = _repeated_event(event, len(example.d1), self.place, times) or event
        return Example(d1, d2, event, replace(example.arguments, size=len(d1)))


def _more_answers(example: Example) -> list[_MoreAnswers]:
    """The ways to make an example longer by one answer that differ in what they give."""
    return _different(example, [_MoreAnswers(place, carried) for place in range(len(example.d1)) for carried in (True, False)])


@dataclass(frozen=True, slots=True)
class _MoreTurns:
    """Makes a whole argument larger, and repeats a part of the event so many times for each step."""

    name: str
    place: int
    each: int

    def of(self, example: Example, times: int) -> Example:
        values = tuple((name, Fraction(value) + times if name == self.name else value) for name, value in example.arguments.values)
        event = _repeated_event(example.event, _parts(example.event), self.place, self.each * times) or example.event
        return replace(example, event=event, arguments=replace(example.arguments, values=values))


def _more_turns(example: Example, name: str) -> list[_MoreTurns]:
    parts, turns = _parts(example.event), max(1, int(dict(example.arguments.values)[name]))
    return _different(example, [_MoreTurns(name, place, each) for place in range(max(1, parts)) for each in dict.fromkeys((1, parts // turns))])


def _parts(event: Event) -> int:
    """Of how many values an event speaks one by one."""
    match event:
        case AllOf(events):
            return len(events)
        case Equals(tuple(values)):
            return len(values)
        case Linear(weights):
            return len(weights)
        case _:
            return 0


def _different(example: Example, ways: Iterable[W]) -> list[W]:
    """The ways that differ in what they give."""
    found: dict[Example, W] = {}
    for way in ways:
        found.setdefault(way.of(example, 1), way)
    return list(found.values())


T = TypeVar("T")


def _repeated(items: tuple[T, ...], place: int, times: int) -> tuple[T, ...]:
    return (*items[:place], *(items[place : place + 1] * times), *items[place:])


def _repeated_event(event: Event, size: int, place: int, times: int) -> Event | None:
    """The event with the part of an answer repeated too, where it speaks of all answers."""
    match event:
        case AllOf(events) if len(events) == size:
            return AllOf(_repeated(events, place, times))
        case Equals(tuple(values)) if len(values) == size:
            return Equals(_repeated(values, place, times))
        case Equals(value) if not isinstance(value, bool | tuple | None):
            return Equals(value + times)  # a place, or a number of answers
        case Linear(weights, low) if len(weights) == size and weights[place]:
            total = sum(abs(weight) for weight in weights)
            return Linear(_repeated(weights, place, times), low * (total + times * abs(weights[place])) / total)
        case _:
            return None
