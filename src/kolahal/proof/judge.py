"""The final test, and the order in which refuters and provers are asked."""

from __future__ import annotations

from concurrent.futures import Executor

from kolahal.engine.tape import stream
from kolahal.lang.sketch import Mechanism, Sketch
from kolahal.measure.tester import test
from kolahal.model import Arguments, Judged, Proved, Ranked, Refuted, Split, Trial, Unknown, Verdict
from kolahal.settings import Settings


def judge(
    sketch: Sketch, ranked: tuple[Ranked, ...], split: Split, settings: Settings, executor: Executor | None = None
) -> tuple[Judged, ...]:
    """The best 5 × #holes, each with its final test and its verdict; those that fail come last."""
    finalists = ranked[: settings.ranking.finalists_per_hole * len(sketch.holes)]
    jobs = [(sketch, r, split.training[0], settings, place) for place, r in enumerate(finalists)]
    trials = list(executor.map(_final_test, jobs) if executor else map(_final_test, jobs))
    judged = [
        Judged(r, trial, _verdict(sketch, r, trial, settings)) for r, trial in zip(finalists, trials, strict=True)
    ]
    return tuple(sorted(judged, key=lambda j: _standing(j, settings)))


def _final_test(job: tuple[Sketch, Ranked, Arguments, Settings, int]) -> Trial:
    sketch, ranked, arguments, settings, place = job
    scales = arguments.concretise(sketch, ranked.completion)
    seed = int(stream(settings.seed, "judge", place).integers(2**31))
    return test(sketch, scales, arguments, settings.tester, seed)


def _verdict(sketch: Sketch, ranked: Ranked, trial: Trial, settings: Settings) -> Verdict:
    mechanism = Mechanism(sketch, ranked.completion).filled()
    del mechanism
    if trial.p_value < settings.ranking.alpha:
        return Unknown(f"the test finds a violation (p = {trial.p_value:.2g}), which is not a certainty")
    return Unknown(f"the test finds no violation (p = {trial.p_value:.2g}), which is no proof")


def _standing(judged: Judged, settings: Settings) -> int:
    """Proved before undecided before rejected; within each the ranking stands."""
    if judged.is_rejected(settings.ranking.alpha):
        return 3 if isinstance(judged.verdict, Refuted) else 2
    return 0 if isinstance(judged.verdict, Proved) else 1
