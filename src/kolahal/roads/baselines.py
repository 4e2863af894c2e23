"""The paper's simpler methods (Sec. V): the tester as an oracle, and the paper's own road without its search."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from kolahal.engine.accuracy import describe_errors
from kolahal.engine.probe import Probe, build_rerunning_probe
from kolahal.engine.tape import stream
from kolahal.engine.tilted_probe import build_tilted_probe
from kolahal.lang.sketch import Completion, Sketch
from kolahal.losses import epsilon_lower, log_loss
from kolahal.model import Example, Ranked, Score, Selection, Split
from kolahal.nouns import dataclass
from kolahal.results import Judged, Synthesis
from kolahal.roads.paper import test_finalists
from kolahal.roads.watch import Watch
from kolahal.search.arguments import fix_arguments
from kolahal.search.climbs import hardest
from kolahal.search.completions import all_completions
from kolahal.search.examples import select_examples, select_tests
from kolahal.search.grading import noise_size, objections_of
from kolahal.search.ranking import rank_completions
from kolahal.settings import Settings
from kolahal.tester.final import by_standing, finalists_of, judge_by_tests
from kolahal.tester.trial import test

TOP = 5  # counterexamples in a limited cache (Sec. V)


def naive(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The tester is asked about every completion of the grammar."""
    return _ask_about_all(sketch, settings, watch, "naive", 0)


def unlim(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The same, after all counterexamples that it has found before."""
    return _ask_about_all(sketch, settings, watch, "unlim", None)


def lim(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The same, after the best few of them."""
    return _ask_about_all(sketch, settings, watch, "lim", TOP)


def _ask_about_all(sketch: Sketch, settings: Settings, watch: Watch, method: str, most: int | None) -> Synthesis:
    split = watch("arguments", fix_arguments, sketch, settings)
    completions = watch("completions", all_completions, sketch, settings)
    probe = watch("probe", build_rerunning_probe, sketch, settings, "fresh")
    ranked = watch("ranking", rank_by_testing, sketch, completions, split, probe, settings, most)
    judged, _ = test_finalists(sketch, ranked, split, settings, watch)
    accuracy = describe_errors(sketch, split.training[0], settings) if ranked else None
    none, count = Selection(), len(completions)
    return Synthesis(sketch, method, settings, split, none, (), count, none, ranked, judged, None, accuracy)


def noopt(sketch: Sketch, settings: Settings, watch: Watch) -> Synthesis:
    """The paper's road without a region: the whole grammar is ranked, and the final tests share their counterexamples."""
    pool = watch.executor
    split = watch("arguments", fix_arguments, sketch, settings)
    probe = watch("probe", build_tilted_probe, sketch, settings, "probe").helped_by(pool)
    selection = watch("examples", select_examples, sketch, split.training, probe, settings, "examples", hardest, pool)
    completions = watch("completions", all_completions, sketch, settings)
    fresh = watch("probe", build_tilted_probe, sketch, settings, "fresh").helped_by(pool).planned_like(probe)
    tests = watch("tests", select_tests, sketch, completions, selection, split, fresh, settings, "tests", hardest, pool)
    examples, objections = selection.examples + tests.examples, objections_of(tests.kept)
    fresh = fresh.knowing((*selection.kept, *tests.kept))
    ranked = watch("ranking", rank_completions, sketch, completions, examples, split, fresh, settings, objections)
    judged = watch("verdicts", judge_with_cache, sketch, finalists_of(sketch, ranked, settings), split, settings, pool)
    accuracy = describe_errors(sketch, split.training[0], settings) if ranked else None
    count = len(completions)
    return Synthesis(sketch, "noopt", settings, split, selection, (), count, tests, ranked, judged, None, accuracy)


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

    def rejects(self, sketch: Sketch, completion: Completion, probe: Probe) -> bool:
        """Whether a remembered counterexample shows a violation; it gains in utility if so."""
        for entry in self.entries:
            arguments = entry.example.arguments
            odds = probe(arguments.concretise(sketch, completion), entry.example)
            if epsilon_lower(odds) > float(arguments.epsilon):  # for certain: an answer that is tight is none that fails
                changed = replace(entry, utility=entry.utility + 1)
                self._set(tuple(changed if e is entry else e for e in self.entries))
                return True
        return False

    def remember(self, example: Example) -> None:
        newest = 1 + max((entry.found for entry in self.entries), default=0)
        self._set((*self.entries, Remembered(example, 1, newest)))

    def _set(self, entries: tuple[Remembered, ...]) -> None:
        self.entries = tuple(sorted(entries, key=lambda e: (-e.utility, -e.found)))[: self.most]


def rank_by_testing(
    sketch: Sketch,
    completions: tuple[Completion, ...],
    split: Split,
    probe: Probe,
    settings: Settings,
    most: int | None,
) -> tuple[Ranked, ...]:
    """Ask the tester about every completion, after a cache of at most `most` counterexamples (0 is no cache)."""
    arguments, cache = split.training[0], Cache(most)
    noise = noise_size(sketch, completions, split.training + split.testing)
    accepted = []
    for place, completion in enumerate(completions):
        scales = arguments.concretise(sketch, completion)
        if cache.rejects(sketch, completion, probe):
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
        score = Score(0, round(step * np.round(slack / step), 6), float(noise[place]), math.inf)
        accepted.append(Ranked(completion, score, loss))
    return tuple(sorted(accepted, key=lambda r: r.score))


def judge_with_cache(
    sketch: Sketch, finalists: tuple[Ranked, ...], split: Split, settings: Settings, executor: Executor | None = None
) -> tuple[Judged, ...]:
    """The final test in order, where a counterexample of an earlier completion spares the test of a later one."""
    cache, probe = Cache(TOP), build_rerunning_probe(sketch, settings, "cache")
    kept: list[Judged] = []
    for ranked in finalists:
        if cache.rejects(sketch, ranked.completion, probe):
            continue
        (found,) = judge_by_tests(sketch, (ranked,), split, settings, executor)
        kept.append(found)
        if found.trial is not None and found.is_rejected(settings.ranking.alpha):
            cache.remember(found.trial.example)
    return by_standing(kept, settings)


BASELINES: dict[str, Callable[[Sketch, Settings, Watch], Synthesis]] = {"naive": naive, "unlim": unlim, "lim": lim, "noopt": noopt}
