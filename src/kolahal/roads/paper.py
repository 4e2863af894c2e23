"""The road: a sketch goes in, ranked and judged completions come out."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from kolahal.engine.accuracy import describe_errors
from kolahal.engine.probe import Probe
from kolahal.errors import UsageError
from kolahal.exact.probe import build_exact_probe
from kolahal.lang.sketch import Completion, Sketch
from kolahal.law.hole_choices import law_for
from kolahal.model import Example, Ranked, Region, Selection, Split
from kolahal.proof.judge import judge
from kolahal.results import Judged, Law, Synthesis
from kolahal.search.arguments import fix_arguments
from kolahal.search.completions import enumerate_completions
from kolahal.search.examples import select_examples, select_tests
from kolahal.search.ranking import rank_completions
from kolahal.search.region import find_regions
from kolahal.settings import Settings

Observer = Callable[[str, Any, float], None]  # step, its result, seconds


@dataclass(frozen=True, slots=True)
class Parts:
    """The steps of the road; replacing one gives another method."""

    method: str
    fix_arguments: Callable[[Sketch, Settings], Split]
    build_probe: Callable[[Sketch, Settings, str], Probe]
    select_examples: Callable[..., Selection]
    find_regions: Callable[..., tuple[Region, ...]]
    enumerate_completions: Callable[..., tuple[Completion, ...]]
    select_tests: Callable[..., Selection]
    rank_completions: Callable[..., tuple[Ranked, ...]]
    judge: Callable[..., tuple[Judged, ...]]
    find_law: Callable[[Sketch, tuple[Judged, ...], Settings], Law | None]

    def watched_by(self, observe: Observer) -> Parts:
        """The same parts; `observe(step, result, seconds)` hears each one finish."""
        steps: dict[str, Any] = {
            f.name: _watch(f.name, getattr(self, f.name), observe) for f in fields(self) if f.name != "method"
        }
        return replace(self, **steps)

    def spread_over(self, executor: Executor | None) -> Parts:
        """The same parts, with the work of the slow ones spread over an executor."""
        return replace(
            self,
            select_examples=partial(self.select_examples, executor=executor),
            select_tests=partial(self.select_tests, executor=executor),
            judge=partial(self.judge, executor=executor),
        )


def _watch(name: str, step: Callable[..., Any], observe: Observer) -> Callable[..., Any]:
    def watched(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        result = step(*args, **kwargs)
        observe(name, result, time.perf_counter() - start)
        return result

    return watched


PHASES = {  # step → the paper's column
    "fix_arguments": "init",
    "build_probe": "init",
    "select_examples": "init",
    "find_regions": "opti",
    "enumerate_completions": "enum",
    "select_tests": "enum",
    "rank_completions": "enum",
    "judge": "verify",
    "find_law": "verify",
}


class Timer:
    """An observer that adds up the seconds of each phase, and keeps what each step gave."""

    def __init__(self) -> None:
        self.results: dict[str, Any] = {}
        self.seconds: dict[str, float] = dict.fromkeys(("init", "opti", "enum", "verify"), 0.0)
        self.start = time.perf_counter()

    def __call__(self, step: str, result: Any, seconds: float) -> None:
        self.seconds[PHASES[step]] += seconds
        self.results[step] = result

    def total(self) -> dict[str, float]:
        return {**self.seconds, "total": time.perf_counter() - self.start}


def show_law(sketch: Sketch, judged: tuple[Judged, ...], settings: Settings) -> Law | None:
    """When a completion is private, as a formula; None where no formula was found."""
    return law_for(sketch, judged[0].ranked.completion if judged else None, settings.proof)


PAPER = Parts(
    "paper",
    fix_arguments,
    build_exact_probe,
    select_examples,
    find_regions,
    enumerate_completions,
    select_tests,
    rank_completions,
    judge,
    show_law,
)


def synthesize(sketch: Sketch, settings: Settings | None = None, parts: Parts = PAPER) -> Synthesis:
    """Find noise scales that make `sketch` ε-private and no noisier than they must be.

    This is the paper's `synth`, one line a step. Each step is a pure function of what stands on its line, so any one
    of them can be replaced, replayed or tested alone.
    """
    settings = settings or Settings()
    if not sketch.holes:
        raise UsageError(f"{sketch.name} has no holes: there is nothing to find. Use `kolahal check` to judge it.")
    split = parts.fix_arguments(sketch, settings)  # γ, γ′
    probe = parts.build_probe(sketch, settings, "probe")
    selection = parts.select_examples(sketch, split.training, probe, settings, "examples")  # Ex
    regions = parts.find_regions(sketch, selection, probe, settings)  # R
    completions = parts.enumerate_completions(sketch, regions, settings)  # γ(η) ∈ Nbhd(R)
    fresh = parts.build_probe(sketch, settings, "fresh")  # noise no step above has seen
    tests = parts.select_tests(sketch, completions, selection, split, fresh, settings, "tests")  # Ex_test
    examples: tuple[Example, ...] = selection.examples + tests.examples
    ranked = parts.rank_completions(sketch, completions, examples, split, fresh, settings)  # η₁ … ηₙ
    judged = parts.judge(sketch, ranked, split, settings)
    law = parts.find_law(sketch, judged, settings)
    accuracy = describe_errors(sketch, split.training[0], settings) if ranked else None
    return Synthesis(
        sketch, parts.method, settings, split, selection, regions, len(completions), tests, ranked, judged, law,
        accuracy=accuracy,
    )  # fmt: skip
