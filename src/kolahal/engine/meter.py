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
        self, sketch: Sketch, inputs: TypicalInputs, discrete: bool, runs: int, uses: int, key: tuple[int, ...], tapes: int
    ):
        """`uses` is how many scales will be compared; `tapes` are used in turn, because noise takes long to draw."""
        self.sketch, self.inputs, self.discrete = sketch, inputs, discrete
        self.drawn = min(tapes, len(inputs.cases))
        drawn = [Tape((*key, place), runs) for place in range(self.drawn)]
        self.tapes = [drawn[place % self.drawn] for place in range(len(inputs.cases))]
        self.engine = choose_engine(sketch, runs * uses * sum(max(1, a.size // ANSWERS) for a, _ in inputs.cases))
        silent = (0.0,) * len(sketch.holes)
        self.truths = [
            self.engine.run(sketch, answers, arguments, silent, tape)
            for (arguments, answers), tape in zip(inputs.cases, self.tapes, strict=True)
        ]

    def by_tape(self, scales: ScalesAt) -> Array:
        """The mean error over the inputs that share a tape, with the scales at the arguments of each: independent numbers."""
        at, found = cache(scales), []
        for (arguments, answers), truth, tape in zip(self.inputs.cases, self.truths, self.tapes, strict=True):
            outputs = self.engine.run(self.sketch, answers, arguments, at(arguments), tape)
            found.append(errors_of_runs(outputs, truth, self.discrete).mean())
        return np.array([np.mean(found[place :: self.drawn]) for place in range(self.drawn)])

    def error(self, scales: ScalesAt) -> float:
        return float(self.by_tape(scales).mean())


def standard_error(by_tape: Array) -> float:
    """Of the mean of independent numbers."""
    return float(by_tape.std(ddof=1) / np.sqrt(len(by_tape))) if len(by_tape) > 1 else 0.0


def ratio_with_error(first: Array, second: Array) -> tuple[float, float]:
    """How the mean of the second compares with that of the first on common noise, and the standard error of that."""
    below = float(first.mean())
    if not below:
        return 1.0, 0.0
    ratio = float(second.mean()) / below
    return ratio, standard_error(second - ratio * first) / below
