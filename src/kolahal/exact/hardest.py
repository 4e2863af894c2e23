"""From an example to the hardest one near it, by exact probabilities: answers move as far apart as the loss rises.

The worst losses lie where no sampler sees them, with answers many noise scales apart and events that almost never
happen (design, section 4.5). Integration is as exact there as anywhere, so a plain local search gets there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kolahal.exact.probe import Integrator, ask, exact_losses
from kolahal.inputs.events import moved_events
from kolahal.inputs.pairs import Pair, enumerate_bases, enumerate_corners, noise_unit, settle, steps_from
from kolahal.model import Arguments, Event, Example, Scales
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate

MOST_STARTS = 800


@dataclass(frozen=True, slots=True)
class Climb:
    """The hardest example that was found, its log-loss, and how many were looked at."""

    example: Example
    log_loss: float
    tried: int


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a climb goes."""

    turns: int = 60  # steps, each the best of all directions
    furthest: Fraction | None = None  # answers stay within this distance of the middle
    middle: Fraction = Fraction(0)
    least: float = 1e-4  # a step must raise the loss by this share of it
    enough: float = math.inf  # a log-loss that ends it
    events: bool = True  # whether the bounds of the event may move too


EVERYWHERE = Reach()


def climb_exact(
    integrator: Integrator,
    example: Example,
    scales: Scales,
    reach: Reach = EVERYWHERE,
    events: Sequence[Event] = (),
) -> Climb | CannotIntegrate:
    """The hardest example that steps from `example` reach at `scales`; `events` are others that may be its event."""
    sketch = integrator.sketch
    unit = noise_unit(sketch, example.arguments, scales)
    step, smallest = 2 * unit, unit / 8
    best = _losses(integrator, [example], scales)
    if isinstance(best, CannotIntegrate):
        return best
    loss, tried = float(best[0]), 1
    turns = reach.turns
    while turns > 0 and step >= smallest and loss < reach.enough:
        turns -= 1
        nearby = [e for e in _nearby(integrator, example, step, reach) if _is_inside(e, reach)]
        nearby += [replace(example, event=event) for event in events if event != example.event]
        new, found, seen = _best(integrator, example, loss, nearby, scales)
        tried += seen
        if found > loss * (1 + reach.least) + 1e-12:
            example, loss = new, found
            step = step * 2 if step < 64 * unit else step
        else:
            step = step / 4
    return Climb(example, loss, tried)


def find_hardest(
    integrator: Integrator,
    arguments: Arguments,
    scales: Scales,
    reach: Reach = EVERYWHERE,
    starts: int = 3,
) -> Climb | CannotIntegrate:
    """The hardest example at `scales`, from the best starts at the threshold: all corners of the relation, and all answers that
    the program can give."""
    sketch, events = integrator.sketch, integrator.answers(arguments, scales)
    if not events:
        return CannotIntegrate("the answers are numbers with noise")
    (base,) = enumerate_bases(sketch, arguments, scales, 1)
    corners = enumerate_corners(sketch.adjacency, arguments.size, len(events), MOST_STARTS)
    pairs = list(settle(sketch, (Pair(base, move) for move in corners)))
    examples = [Example(pair.d1, pair.d2, event, arguments) for pair in pairs for event in events]
    if not examples:
        return CannotIntegrate("no neighbours are known")
    losses = _losses(integrator, examples, scales)
    if isinstance(losses, CannotIntegrate):
        return losses
    best: Climb | None = None
    tried = len(examples)
    begun: set[Event] = set()
    for place in np.argsort(-losses, kind="stable"):
        example = examples[place]
        if example.event in begun or (best is not None and example.event == best.example.event):
            continue
        begun.add(example.event)
        found = climb_exact(integrator, example, scales, reach, events)
        assert isinstance(found, Climb)
        tried += found.tried
        if best is None or found.log_loss > best.log_loss:
            best = found
        if len(begun) == starts:
            break
    assert best is not None
    return replace(best, tried=tried)


def _is_inside(example: Example, reach: Reach) -> bool:
    if reach.furthest is None:
        return True
    return all(abs(a - reach.middle) <= reach.furthest for d in (example.d1, example.d2) for a in d)


def _nearby(integrator: Integrator, example: Example, step: Fraction, reach: Reach) -> Iterator[Example]:
    for other in steps_from(Pair.between(example.d1, example.d2), integrator.sketch, step):
        yield replace(example, d1=other.d1, d2=other.d2)
    if reach.events:
        for event in moved_events(example.event, step):
            yield replace(example, event=event)


def _best(
    integrator: Integrator, example: Example, loss: float, others: Sequence[Example], scales: Scales
) -> tuple[Example, float, int]:
    if not others:
        return example, loss, 0
    losses = _losses(integrator, others, scales)
    if isinstance(losses, CannotIntegrate):
        return example, loss, 0
    place = int(np.argmax(losses))
    return (others[place], float(losses[place]), len(others)) if losses[place] > loss else (example, loss, len(others))


def _losses(integrator: Integrator, examples: Sequence[Example], scales: Scales) -> np.ndarray | CannotIntegrate:
    row = np.array([scales], dtype=float).reshape(1, len(scales))
    questions = [(e.event, d) for e in examples for d in (e.d1, e.d2)]
    found = ask(integrator, examples[0].arguments, row, questions)
    if isinstance(found, CannotIntegrate):
        return found
    return exact_losses(found[0::2, 0], found[1::2, 0])
