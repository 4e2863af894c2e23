"""The error of many scales on the same inputs and the same noise, run by run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np

from kolahal.engine.accuracy import errors_of_runs
from kolahal.engine.engines import choose_engine
from kolahal.engine.noise import Array
from kolahal.engine.tape import Tape
from kolahal.engine.typical import TypicalInputs
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Scales

ScalesAt: TypeAlias = Callable[[Arguments], Scales]

ANSWERS = 5  # of the programs that the choice of an engine counts in


class ErrorMeter:
    """Expected errors by simulation. Scales that are compared meet the same noise, so that differences are surer than errors."""

    def __init__(
        self, sketch: Sketch, inputs: TypicalInputs, discrete: bool, runs: int, uses: int, key: tuple[int, ...], tapes: int | None = None
    ):
        """`uses` is how many scales will be compared; a few `tapes` in turn, not one an input, are drawn sooner."""
        self.sketch, self.inputs, self.discrete = sketch, inputs, discrete
        drawn = [Tape((*key, place), runs) for place in range(min(tapes or len(inputs.cases), len(inputs.cases)))]
        self.tapes = [drawn[place % len(drawn)] for place in range(len(inputs.cases))]
        self.engine = choose_engine(sketch, runs * uses * sum(max(1, a.size // ANSWERS) for a, _ in inputs.cases))
        silent = (0.0,) * len(sketch.holes)
        self.truths = [
            self.engine.run(sketch, answers, arguments, silent, tape)
            for (arguments, answers), tape in zip(inputs.cases, self.tapes, strict=True)
        ]

    def by_input(self, scales: ScalesAt) -> Array:
        """The error on each input, its mean over the runs there, with the scales at the arguments of each."""
        at, found = cache(scales), []
        for (arguments, answers), truth, tape in zip(self.inputs.cases, self.truths, self.tapes, strict=True):
            outputs = self.engine.run(self.sketch, answers, arguments, at(arguments), tape)
            found.append(errors_of_runs(outputs, truth, self.discrete).mean())
        return np.array(found)

    def error(self, scales: ScalesAt) -> float:
        return float(self.by_input(scales).mean())


def standard_error(by_input: Array) -> float:
    """Of a mean over inputs, whose noise is independent."""
    return float(by_input.std(ddof=1) / np.sqrt(len(by_input))) if len(by_input) > 1 else 0.0


def ratio_with_error(first: Array, second: Array) -> tuple[float, float]:
    """How the mean of the second compares with that of the first on common noise, and the standard error of that."""
    below = float(first.mean())
    if not below:
        return 1.0, 0.0
    ratio = float(second.mean()) / below
    return ratio, standard_error(second - ratio * first) / below
