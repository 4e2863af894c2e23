"""The final test of a synthesis: the last of the paper's steps (Sec. IV-D)."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import replace

from kolahal.engine.tape import stream
from kolahal.lang.sketch import Completion, Mechanism, Sketch
from kolahal.model import Arguments, Ranked, Split, Trial
from kolahal.results import Judged
from kolahal.settings import Settings
from kolahal.verdicts import Tested

HOPELESS = 1e-9  # a p-value after which other tests change nothing


def finalists_of(sketch: Sketch, ranked: tuple[Ranked, ...], settings: Settings) -> tuple[Ranked, ...]:
    """The best 5 × #holes (App.)."""
    return ranked[: settings.ranking.finalists_per_hole * len(sketch.holes)]


def final_test(sketch: Sketch, completion: Completion, arguments: Arguments, settings: Settings, place: int) -> Trial:
    """One completion at one γ."""
    from kolahal.tester.trial import test

    mechanism = Mechanism(sketch, completion).closed()
    scales = arguments.concretise(mechanism.sketch, mechanism.completion)
    seed = int(stream(settings.seed, "judge", place).integers(2**31))
    return test(mechanism.sketch, scales, arguments, settings.tester, seed)


def judge_by_tests(
    sketch: Sketch, finalists: tuple[Ranked, ...], split: Split, settings: Settings, executor: Executor | None = None
) -> tuple[Judged, ...]:
    """Each finalist with its final test; those that fail come last."""
    jobs = [(sketch, ranked, split, settings, place) for place, ranked in enumerate(finalists)]
    return by_standing(executor.map(_test_everywhere, jobs) if executor else map(_test_everywhere, jobs), settings)


def _test_everywhere(job: tuple[Sketch, Ranked, Split, Settings, int]) -> Judged:
    """A test at every γ and γ′: at ε = 1 alone, c/ε and c/ε² are one number. The smallest p-value counts once for each."""
    sketch, ranked, split, settings, place = job
    several = (*reversed(split.testing), *split.training)
    worst: Trial | None = None
    for turn, arguments in enumerate(several):
        trial = final_test(sketch, ranked.completion, arguments, settings, place * len(several) + turn)
        if worst is None or trial.p_value < worst.p_value:
            worst = trial
        if worst.p_value < HOPELESS:
            break
    assert worst is not None, "there is always a γ"
    p_value = min(1.0, len(several) * worst.p_value)
    found = "a" if p_value < settings.ranking.alpha else "no"
    reason = f"tests at {len(several)} settings of the arguments find {found} violation (p = {p_value:.2g}); nothing is proved"
    return Judged(ranked, replace(worst, p_value=p_value), Tested(reason))


def by_standing(judged: Iterable[Judged], settings: Settings) -> tuple[Judged, ...]:
    """Proved, then bounded, before undecided before rejected; within each the ranking stands."""
    return tuple(sorted(judged, key=lambda j: j.standing(settings.ranking.alpha)))
