"""Losses that rise with the number of answers: a hard example is made longer until it breaks the claim.

A program may keep its claim for a handful of answers and lose more with each further one. The hardest examples at small
sizes show that; repeating one of their answers, in the databases and in the event, shows where the claim breaks.
Nothing here can refute a private mechanism, because the last word is `confirm`'s.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from kolahal.exact.probe import Integrator
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
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


def find_growth(sketch: Sketch, claim: Scale, settings: Settings, survey: Survey | None = None) -> Refuted | None:
    """A certain counterexample with more answers than the refuter looks at; None if losses do not rise that far."""
    if sketch.private.count is not None:
        return None
    survey = survey_losses(sketch, claim, settings) if survey is None else survey
    largest = max(survey, default=0)
    if not largest or survey[largest].loss < RISING * survey.get(largest - 1, survey[largest]).loss:
        return None
    integrator = Integrator(sketch)
    starts = [survey[size] for size in sorted(survey, reverse=True)][:MOST_STARTS]
    longer = (example for start in starts for example in _lengthen(integrator, claim, start))
    return first_confirmed(sketch, longer, claim, settings.proof.steps)


def _lengthen(integrator: Integrator, claim: Scale, start: FoundLoss) -> Iterator[Example]:
    """Longer and longer examples, from the first on whose loss is above the claim by doubles.

    While the loss rises evenly, as many answers are added at once as lead to just below the claim.
    """
    sketch = integrator.sketch
    if not 0 < start.loss < math.inf:
        return
    # Out in the tails the probabilities of long events are below the smallest double, so it begins near the middle.
    nearly = Scale(claim.coefficient * Fraction(NEARLY * start.loss), claim.powers)
    example = shrink(sketch, start.example, nearly)
    (share,) = _shares(integrator, claim, [example])
    for _ in range(MOST_STEPS):
        if len(example.d1) >= MOST_ANSWERS:
            return
        ways = {way: longer for way in _ways(example) if sketch.related((longer := way.of(example, 1)).d1, longer.d2)}
        shares = dict(zip(ways, _shares(integrator, claim, list(ways.values())), strict=True))
        best = max(shares, key=lambda way: shares[way], default=None)
        if best is None:
            return
        gain = shares[best] - share
        example, share = ways[best], shares[best]
        if share > 1 + MARGIN:
            yield example
            continue
        if share + gain * (MOST_ANSWERS - len(example.d1)) <= 1:
            return
        more = int((1 - share) / gain) if gain else 0  # at the claim itself, and level
        if more >= FEWEST_AT_ONCE:
            further = best.of(example, more)
            (found,) = _shares(integrator, claim, [further])
            if found > share + gain * more / 2:
                example, share = further, found
            elif len(example.d1) >= MOST_ONE_BY_ONE:
                return


def _shares(integrator: Integrator, claim: Scale, examples: list[Example]) -> list[float]:
    """The losses of examples of one size in units of the claim."""
    if not examples:
        return []
    level = float(claim.at(examples[0].arguments.quantities(integrator.sketch)))
    return [loss / level for loss in losses_of(integrator, examples)]


@dataclass(frozen=True, slots=True)
class _Way:
    """Repeats the answer at a place, in the event too if `carried`."""

    place: int
    carried: bool

    def of(self, example: Example, times: int) -> Example:
        d1, d2 = (_repeated(d, self.place, times) for d in (example.d1, example.d2))
        event = example.event
        if self.carried:
            event = _repeated_event(event, len(example.d1), self.place, times) or event
        return Example(d1, d2, event, replace(example.arguments, size=len(d1)))


def _ways(example: Example) -> list[_Way]:
    """The ways to make an example longer by one answer that differ in what they give."""
    found: dict[Example, _Way] = {}
    for place in range(len(example.d1)):
        for carried in (True, False):
            way = _Way(place, carried)
            found.setdefault(way.of(example, 1), way)
    return list(found.values())


T = TypeVar("T")


def _repeated(items: tuple[T, ...], place: int, times: int) -> tuple[T, ...]:
    return (*items[:place], *([items[place]] * times), *items[place:])


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
