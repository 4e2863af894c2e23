"""Losses that rise with the number of answers: a hard example is made longer until it breaks the claim.

A program may keep its claim for a handful of answers and lose more with each further one. The hardest examples at small
sizes show that; repeating one of their answers, in the databases and in the event, shows where the claim breaks.
Nothing here can refute a private mechanism, because the last word is `confirm`'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.measure.exact import Integrator
from kolahal.model import AllOf, Equals, Event, Example, Linear, Refuted
from kolahal.proof.refute import MARGIN, Found, confirm, losses_of, shrink, survey_losses
from kolahal.settings import Settings

MOST_ANSWERS = 64  # that an example is made to have
RISING = 1.002  # from one size to the next, by this factor at least: less is the approach to a limit
MOST_STARTS = 3


def find_growth(sketch: Sketch, claim: Scale, settings: Settings) -> Refuted | None:
    """A certain counterexample with more answers than the refuter looks at; None if losses do not rise that far."""
    if sketch.private.count is not None:
        return None
    losses = dict(survey_losses(sketch, claim, settings))
    largest = max(losses, default=0)
    if not largest or losses[largest].loss < RISING * losses.get(largest - 1, losses[largest]).loss:
        return None
    integrator = Integrator(sketch)
    for start in [losses[size] for size in sorted(losses, reverse=True)][:MOST_STARTS]:
        for longer in _lengthen(integrator, claim, start):
            confirmed = confirm(sketch, shrink(sketch, longer, claim), claim) or confirm(sketch, longer, claim)
            if confirmed is not None:
                return confirmed
    return None


def _lengthen(integrator: Integrator, claim: Scale, start: Found) -> Iterator[Example]:
    """Longer and longer examples, from the first on whose loss is above the claim by doubles."""
    sketch, example, share = integrator.sketch, start.example, start.loss
    while len(example.d1) < MOST_ANSWERS:
        variants = [longer for longer in _repeated(example) if sketch.related(longer.d1, longer.d2)]
        level = float(claim.at(variants[0].arguments.quantities(sketch))) if variants else 1.0
        losses = losses_of(integrator, variants)
        best = max(range(len(variants)), key=lambda i: losses[i], default=None)
        if best is None:
            return
        gain = losses[best] / level - share
        example, share = variants[best], losses[best] / level
        if share > 1 + MARGIN:
            yield example
        elif share + gain * (MOST_ANSWERS - len(example.d1)) <= 1:
            return


def _repeated(example: Example) -> list[Example]:
    """The examples in which one answer stands twice, in the event too where it speaks of all answers."""
    found: dict[Example, None] = {}
    arguments = replace(example.arguments, size=len(example.d1) + 1)
    for place in range(len(example.d1)):
        d1, d2 = ((*d[: place + 1], *d[place:]) for d in (example.d1, example.d2))
        for event in dict.fromkeys([*_repeated_events(example.event, len(example.d1), place), example.event]):
            found[Example(d1, d2, event, arguments)] = None
    return list(found)


def _repeated_events(event: Event, size: int, place: int) -> Iterator[Event]:
    match event:
        case AllOf(events) if len(events) == size:
            yield AllOf((*events[: place + 1], *events[place:]))
        case Equals(tuple(values)) if len(values) == size:
            yield Equals((*values[: place + 1], *values[place:]))
        case Equals(value) if not isinstance(value, bool | tuple | None):
            yield Equals(value + 1)  # a place, or a number of answers
        case Linear(weights, low) if len(weights) == size and weights[place]:
            total = sum(abs(weight) for weight in weights)
            yield Linear((*weights[: place + 1], *weights[place:]), low * (total + abs(weights[place])) / total)
