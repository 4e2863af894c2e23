"""Harder examples by sampling: steps of the databases and of the event, each measured on draws that fit the one before it."""

from __future__ import annotations

from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from zlib import crc32

import numpy as np

from kolahal.engine.paired import Proposal, ProposedDraws, Sampled, TiltPair, draw, sample_on
from kolahal.engine.probe import coefficients
from kolahal.engine.reach import LADDER, around, look_closely
from kolahal.engine.tape import Tape
from kolahal.errors import UsageError
from kolahal.inputs.events import moved_events
from kolahal.inputs.pairs import Pair, climb, group_steps, noise_unit, steps_from
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Example, Scales
from kolahal.nouns import dataclass
from kolahal.settings import Settings
from kolahal.tester.example_search import SearchSteps, find_starts
from kolahal.tester.trial import ask

GAIN = 0.002  # of the log-loss that makes a step worth it
FINEST = 4  # the last steps are this many times shorter than the first


@dataclass(slots=True)
class Climber:
    """The hardest example so far at some scales, and the noise that leads to its event.

    A step must help on two tapes: the best of many steps on one tape is mostly luck.
    """

    sketch: Sketch
    scales: Scales
    tapes: tuple[Tape, Tape]
    example: Example
    losses: list[float]
    tilts: TiltPair | None
    tried: set[Example] = field(default_factory=set)
    drawn: dict[tuple[int, ...], ProposedDraws] = field(default_factory=dict)  # on each tape, with these tilts

    @classmethod
    def start(cls, sketch: Sketch, example: Example, scales: Scales, settings: Settings, name: str) -> Climber:
        """At an example, with noise that is fitted to it."""
        key = (settings.seed, crc32(name.encode()))
        first, second = (Tape((*key, turn), settings.examples.climb_runs) for turn in range(2))
        tilts = look_closely(sketch, example, scales, key, settings.examples.walk_runs)[1].tilted_to(scales)
        climber = cls(sketch, scales, (first, second), example, [], tilts)
        climber.losses = [climber.measure(climber.look(example, tape)) for tape in climber.tapes]
        return climber

    def look(self, example: Example, tape: Tape) -> Sampled:
        """On draws that fit the example before it; on noise as it is where there is no such fit."""
        noisy = tuple(scale > 0 for scale in self.scales)
        if tape.key not in self.drawn:
            proposal = Proposal(around(self.scales, LADDER), () if self.tilts is None else (self.tilts,))
            self.drawn[tape.key] = draw(self.sketch, noisy, proposal, tape)
        return sample_on(self.sketch, example, noisy, self.drawn[tape.key])

    def measure(self, found: Sampled) -> float:
        """The log-loss less a standard error."""
        rows = coefficients(self.sketch, np.array([self.scales]), found.noisy)
        return float(found.paired.losses(rows).sure[0])

    def attempt(self, example: Example) -> bool | None:
        """Whether another example is harder; if so, go there. None where it was tried before."""
        if example in self.tried:
            return None
        self.tried.add(example)
        looks, losses = [], []
        for tape, before in zip(self.tapes, self.losses, strict=True):
            looks.append(self.look(example, tape))
            losses.append(self.measure(looks[-1]))
            if losses[-1] < before + GAIN:
                return False
        self.example, self.losses = example, losses
        better = looks[0].tilted_to(self.scales)
        if better is not None:
            self.tilts, self.drawn = better, {}
        return True

    @property
    def loss(self) -> float:
        return min(self.losses)


def go_on(climber: Climber, most: int, enough: float) -> None:
    """At most so many steps towards a loss that is enough: of all answers that move alike, and then of single ones."""
    left = most
    unit = noise_unit(climber.sketch, climber.example.arguments, climber.scales)
    for steps_of in (group_steps, steps_from):
        step = unit
        while left > 0 and climber.tilts is not None and step * FINEST >= unit:
            left = climb(left, partial(_steps, climber, step, steps_of, enough), climber.attempt)
            step /= 2


def _steps(climber: Climber, step: Fraction, steps_of: SearchSteps, enough: float) -> list[Example]:
    if climber.loss >= enough:
        return []
    example = climber.example
    events = [replace(example, event=event) for event in moved_events(example.event, step)]
    near = steps_of(Pair.between(example.d1, example.d2), climber.sketch, step)
    return [*(replace(example, d1=pair.d1, d2=pair.d2) for pair in near), *events]


def hardest(
    sketch: Sketch,
    arguments: Arguments,
    known: tuple[Example, ...],
    scales: Scales,
    settings: Settings,
    name: str,
    enough: float,
) -> tuple[Example, float]:
    """The hardest example at `scales` that is reached from what the tester finds there and what is known.

    What is hardest now need not lead furthest: every start gets a few steps, the better ones more, and the best the rest. A log-loss
    that is `enough` ends it.
    """
    starts = dict.fromkeys(known)
    if len(starts) < settings.examples.starts:
        question = ask(sketch, scales, arguments, settings.quick_tester, crc32(name.encode()) + settings.seed)
        found = find_starts(question, settings.examples.start_runs)
        by_move = {Pair.between(start.d1, start.d2).move: start for start in reversed(found)}
        others = sorted(by_move.values(), key=found.index)
        starts.update(dict.fromkeys(others[: 1 + settings.examples.starts - len(starts)]))
    if not starts:
        raise UsageError(f"no neighbours of {sketch.name} with {arguments.size} answers differ: nothing that it computes moves, and it needs no noise")
    climbers: list[Climber] = []
    for start in starts:
        climbers.append(Climber.start(sketch, start, scales, settings, name))
        go_on(climbers[-1], settings.examples.first_climbs, enough)
        if climbers[-1].loss >= enough:
            break
    for most in (settings.examples.first_climbs, settings.examples.sampled_climbs):
        climbers = sorted(climbers, key=lambda climber: -climber.loss)[: 1 + len(climbers) // 3]
        for climber in climbers:
            go_on(climber, most, enough)
    best = max(climbers, key=lambda climber: climber.loss)
    return best.example, best.loss
