"""Who goes along a road: runs each step, times it, keeps what it gave, and tells what is going on."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

STEPS = {  # step → the paper's column, and what goes on
    "arguments": ("init", "fixing arguments"),
    "probe": ("init", "drawing noise"),
    "examples": ("init", "selecting examples"),
    "choices": ("opti", "finding the law"),  # it says what noise is needed, as the region does in the paper
    "regions": ("opti", "searching the noise region"),
    "proved law": ("opti", "looking for noise that is proved to be enough"),
    "completions": ("enum", "enumerating completions"),
    "tests": ("enum", "selecting test examples"),
    "ranking": ("enum", "ranking"),
    "laws": ("verify", "finding the law"),
    "verdicts": ("verify", "testing and proving"),
    "more noise": ("verify", "raising the noise until a proof is found"),
    "less noise": ("verify", "lowering the noise as far as a proof is found"),
    "unbounded": ("verify", "asking whether any noise would do"),
}


class Watch:
    """Adds up the seconds of each phase, and keeps the last result of each step, for when the road is not finished."""

    def __init__(self, executor: Executor | None = None, tell: Callable[[str], None] | None = None) -> None:
        self.executor = executor  # over which the slow steps spread their work
        self.tell = tell
        self.results: dict[str, Any] = {}
        self.seconds: dict[str, float] = dict.fromkeys(("init", "opti", "enum", "verify"), 0.0)
        self.start = time.perf_counter()

    def __call__(self, name: str, step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a step gives for these arguments."""
        phase, doing = STEPS[name]
        if self.tell is not None:
            self.tell(doing)
        start = time.perf_counter()
        result = step(*args, **kwargs)
        self.seconds[phase] += time.perf_counter() - start
        self.results[name] = result
        return result

    def total(self) -> dict[str, float]:
        return {**self.seconds, "total": time.perf_counter() - self.start}
