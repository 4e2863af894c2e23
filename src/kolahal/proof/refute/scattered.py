"""Losses that take more answers than the refuter lists: answers here and there, outputs that runs give, and climbs.

Thresholds that are noisy on both sides, machines with several states, and selections of the first few lose most where
answers stand on several levels, which no list of small examples has. So databases are drawn on a few levels with neighbours
at corners, events are what a run with noise of the usual size gives, and the hardest are climbed by exact probabilities.
Nothing here can refute a private mechanism, because the last word is `confirm`'s.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from typing import Any

from kolahal.engine import reference
from kolahal.errors import KolahalError
from kolahal.exact.hardest import Climb, Reach, climb_exact
from kolahal.exact.probe import Integrator
from kolahal.inputs.argument_sweep import enumerate_arguments
from kolahal.inputs.pairs import Pair, noise_unit
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Equals, Event, Example
from kolahal.proof.refute.refute import first_confirmed
from kolahal.proof.refute.shrink import MARGIN, losses_of
from kolahal.proof.refute.survey import FoundLoss
from kolahal.settings import Settings
from kolahal.verdicts import Refuted

SIZES = (5, 6)
SETTINGS = 3  # of the arguments, at each size
EXAMPLES = 150  # at each of these
LEVELS = (-2, 0, 2)  # where answers stand, in noise scales
MOST_ANSWERS = 7
STARTS, CLIMBS, HOPEFUL = 4, 5, 0.3  # starts, climbs in all, and the share of the claim that one must lose for it
TURNS, FURTHEST = 10, 5  # of a climb, and how many noise scales from 0 it goes: far out it loses sight of the others


def find_scattered(sketch: Sketch, claim: Scale, settings: Settings) -> Refuted | None:
    """A certain counterexample of some answers at several levels; None if none was found."""
    private = sketch.private
    if private.count is not None or private.bits or isinstance(sketch.adjacency, RecordRelation):
        return None
    search = _ScatteredSearch(sketch, claim, random.Random(f"{settings.seed} scattered"))
    return first_confirmed(sketch, search.hardest(), claim, settings.proof.steps)


class _ScatteredSearch:
    def __init__(self, sketch: Sketch, claim: Scale, rng: random.Random):
        self.sketch, self.claim, self.rng = sketch, claim, rng
        self.integrator = Integrator(sketch)
        self.items: dict[Any, None] = {}  # of outputs that are lists

    def hardest(self) -> Iterator[Example]:
        """Examples whose loss is above the claim, by doubles."""
        starts: list[FoundLoss] = []
        for size in SIZES:
            for arguments in islice(enumerate_arguments(self.sketch, size, self.claim, few=True), SETTINGS):
                starts += self.best(dict.fromkeys(self.draw(arguments)))
        waiting = sorted(starts, key=lambda one: -one.loss)[:STARTS]
        for _ in range(CLIMBS):
            if not waiting or waiting[0].loss < HOPEFUL:
                return
            climbed = self.climb(waiting.pop(0).example)
            if climbed is None:
                continue
            if climbed.loss > 1 + MARGIN:
                yield climbed.example
            else:
                # One more answer may add what the others cannot: the one that ends a run.
                waiting = sorted([*self.best(self.longer(climbed.example))[:1], *waiting], key=lambda one: -one.loss)

    def best(self, examples: Iterable[Example]) -> list[FoundLoss]:
        """The examples with their losses in units of the claim, the hardest of each event alone."""
        found: dict[Event, FoundLoss] = {}
        known = list(examples)
        for example, loss in zip(known, losses_of(self.integrator, known), strict=True):
            share = loss / self.level(example.arguments)
            if math.isfinite(share) and (example.event not in found or share > found[example.event].loss):
                found[example.event] = FoundLoss(example, share)
        return sorted(found.values(), key=lambda one: -one.loss)

    def level(self, arguments: Arguments) -> float:
        return float(self.claim.at(arguments.quantities(self.sketch)))

    def climb(self, example: Example) -> FoundLoss | None:
        furthest = FURTHEST * noise_unit(self.sketch, example.arguments, ())
        climbed = climb_exact(self.integrator, example, (), Reach(TURNS, furthest, events=False))
        if not isinstance(climbed, Climb):
            return None
        return FoundLoss(climbed.example, climbed.log_loss / self.level(example.arguments))

    def draw(self, arguments: Arguments) -> Iterator[Example]:
        """Neighbours on a few levels, and what a run on the first of them gives."""
        if not self.integrator.answers(arguments, ()):
            return  # answers are numbers with noise, or there are too many to follow, as in a loop without an end
        unit = noise_unit(self.sketch, arguments, ())

        def units(*_: object) -> tuple[Any, ...]:
            return Fraction(self.rng.choice((-1, 0, 1)), 2), Fraction(0)  # noise on the whole numbers is made of two

        corners = list(islice(self.sketch.adjacency.vertices(arguments.size), 1 << arguments.size + 1))
        for _ in range(EXAMPLES):
            answers = tuple(unit * self.rng.choice(LEVELS) for _ in range(arguments.size))
            pair = Pair(answers, self.rng.choice(corners))
            try:
                output = reference.run(self.sketch, pair.d1, arguments, (), units, Fraction)
            except KolahalError:  # a run that stops with an error gives nothing
                continue
            if isinstance(output, tuple):
                self.items |= dict.fromkeys(output)
            yield Example(pair.d1, pair.d2, Equals(output), arguments)

    def longer(self, example: Example) -> Iterator[Example]:
        """The example with one more answer, and one more item of the output, at the end or just before it."""
        size = example.arguments.size
        if size >= MOST_ANSWERS or not isinstance(example.event, Equals) or not isinstance(example.event.value, tuple):
            return
        arguments = replace(example.arguments, size=size + 1)
        unit = noise_unit(self.sketch, arguments, ())
        distance = self.sketch.adjacency.distance
        output = example.event.value
        for item, level, sign, last in product(self.items, LEVELS, (-1, 1), (0, 1)):
            answer = unit * level
            d1, d2 = _with(example.d1, answer, last), _with(example.d2, answer + sign * distance, last)
            if self.sketch.related(d1, d2) and len(output) >= last:
                yield Example(d1, d2, Equals(_with(output, item, last)), arguments)


def _with(items: tuple[Any, ...], item: Any, last: int) -> tuple[Any, ...]:
    """The items with one more before the `last` ones."""
    place = len(items) - last
    return (*items[:place], item, *items[place:])
