"""The paper's simpler methods (Sec. V): the same road with other stones in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from kolahal.engine.probe import Probe, build_rerunning_probe
from kolahal.engine.tape import stream
from kolahal.lang.sketch import Completion, Sketch
from kolahal.losses import log_loss
from kolahal.model import Arguments, Example, Ranked, Region, Score, Selection, Split
from kolahal.proof.judge import judge
from kolahal.results import Judged
from kolahal.roads.paper import PAPER
from kolahal.search.completions import all_completions
from kolahal.search.ranking import total_noise
from kolahal.settings import Settings
from kolahal.tester.trial import test

TOP = 5  # counterexamples in a limited cache (Sec. V)


def whole_space(sketch: Sketch, selection: Selection, probe: Probe, settings: Settings) -> tuple[Region, ...]:
    """No region: everything counts as near."""
    return ()


def everything(sketch: Sketch, regions: tuple[Region, ...], settings: Settings) -> tuple[Completion, ...]:
    """The whole grammar at every hole."""
    return tuple(all_completions(sketch, settings))


def no_examples(*_: object, executor: Executor | None = None) -> Selection:
    """The simplest methods select none."""
    return Selection((), ())


@dataclass(frozen=True, slots=True)
class Remembered:
    """A counterexample, how many completions it has rejected, and when it was found."""

    example: Example
    utility: int
    found: int


@dataclass(slots=True)
class Cache:
    """Counterexamples of earlier completions: the most useful first, then the newest; at most `most` of them."""

    most: int | None
    entries: tuple[Remembered, ...] = ()

    def rejects(self, scales: tuple[float, ...], probe: Probe, arguments: Arguments) -> bool:
        """Whether a remembered counterexample shows a violation; it gains in utility if so."""
        for entry in self.entries:
            odds = probe(scales, entry.example)
            if min(odds.p1.low, odds.p2.low) > 0 and log_loss(odds) > float(arguments.epsilon):
                changed = replace(entry, utility=entry.utility + 1)
                self._set(tuple(changed if e is entry else e for e in self.entries))
                return True
        return False

    def remember(self, example: Example) -> None:
        newest = 1 + max((entry.found for entry in self.entries), default=0)
        self._set((*self.entries, Remembered(example, 1, newest)))

    def _set(self, entries: tuple[Remembered, ...]) -> None:
        self.entries = tuple(sorted(entries, key=lambda e: (-e.utility, -e.found)))[: self.most]


def rank_by_testing(most: int | None) -> Callable[..., tuple[Ranked, ...]]:
    """Ask the tester about every completion, after a cache of at most `most` counterexamples (0 is no cache)."""

    def rank(
        sketch: Sketch,
        completions: tuple[Completion, ...],
        examples: tuple[Example, ...],
        split: Split,
        probe: Probe,
        settings: Settings,
    ) -> tuple[Ranked, ...]:
        arguments, cache = split.training[0], Cache(most)
        noise = total_noise(sketch, completions, split.training + split.testing)
        accepted = []
        for place, completion in enumerate(completions):
            scales = arguments.concretise(sketch, completion)
            if cache.rejects(scales, probe, arguments):
                continue
            seed = int(stream(settings.seed, "oracle", place).integers(2**31))
            trial = test(sketch, scales, arguments, settings.tester, seed)
            if trial.p_value < settings.ranking.alpha:
                if most != 0:
                    cache.remember(trial.example)
                continue
            loss = log_loss(trial.odds)
            slack = abs(1 - min(loss / float(arguments.epsilon), 50.0))
            step = settings.ranking.resolution
            accepted.append(
                Ranked(
                    completion, Score(0, round(step * np.round(slack / step), 6), float(noise[place]), math.inf), loss
                )
            )
        return tuple(sorted(accepted, key=lambda r: r.score))

    return rank


def judge_with_cache(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, executor: Executor | None = None
) -> tuple[Judged, ...]:
    """The final test in order, where a counterexample of an earlier completion spares the test of a later one."""
    arguments, cache = split.training[0], Cache(TOP)
    probe = build_rerunning_probe(sketch, settings, "cache")
    kept: list[Judged] = []
    for place in range(min(len(ranked), settings.ranking.finalists_per_hole * len(sketch.holes))):
        if cache.rejects(arguments.concretise(sketch, ranked[place].completion), probe, arguments):
            continue
        found = judge(sketch, (ranked[place],), split, settings, executor)
        kept += found
        trial = found[0].trial
        if trial is not None and trial.p_value < settings.ranking.alpha:
            cache.remember(trial.example)
    return tuple(kept)


NAIVE = replace(
    PAPER,
    method="naive",
    build_probe=build_rerunning_probe,
    select_examples=no_examples,
    select_tests=no_examples,
    find_regions=whole_space,
    enumerate_completions=everything,
    rank_completions=rank_by_testing(0),
)
UNLIM = replace(NAIVE, method="unlim", rank_completions=rank_by_testing(None))
LIM = replace(NAIVE, method="lim", rank_completions=rank_by_testing(TOP))
# Without the optimisation there is no importance sampling either: every completion is run.
NOOPT = replace(
    PAPER,
    method="noopt",
    build_probe=build_rerunning_probe,
    find_regions=whole_space,
    enumerate_completions=everything,
    judge=judge_with_cache,
)
