"""The expected error of a completion against the noiseless program, by simulation (design, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from kolahal.engine import batch
from kolahal.engine.outputs import BOOLEAN, NUMBER, SCALAR, Outputs
from kolahal.engine.tape import Tape, stream
from kolahal.lang.sketch import Completion, Sketch
from kolahal.model import Arguments, Database
from kolahal.settings import Settings

DATABASES = 8
LARGER = 4  # how much more answers the second size has
RUNS = 512  # a database; errors are compared on common noise, so differences are surer than the errors themselves


def expected_errors(
    sketch: Sketch, completions: Sequence[Completion], arguments: Arguments, settings: Settings
) -> list[float]:
    """For each completion the mean error over representative databases of two sizes.

    Where the noiseless answer is discrete (whole, true or false, None), the error is the probability of another
    answer; where it is a number, the mean distance from it; for lists, the mean over the items. Noise that grows with
    the number of answers can look cheap at a small one, hence the second, larger size.
    """
    sizes = [replace(arguments, size=size) for size in (arguments.size, LARGER * arguments.size)]
    found = np.mean([_errors_at(sketch, completions, a, settings) for a in sizes], axis=0)
    return [float(error) for error in found]


def _errors_at(
    sketch: Sketch, completions: Sequence[Completion], arguments: Arguments, settings: Settings
) -> list[float]:
    databases = representative_databases(arguments, settings.seed)
    tape = Tape((settings.seed, 77, arguments.size), RUNS)
    silent = (0.0,) * len(sketch.holes)
    truths = [batch.run(sketch, d, arguments, silent, Tape((0,), 1)) for d in databases]
    discrete = all(_is_discrete(truth) for truth in truths)
    errors = []
    for completion in completions:
        scales = arguments.concretise(sketch, completion)
        parts = [
            _error(batch.run(sketch, d, arguments, scales, tape), truth, discrete)
            for d, truth in zip(databases, truths, strict=True)
        ]
        errors.append(float(np.mean(parts)))
    return errors


def representative_databases(arguments: Arguments, seed: int) -> list[Database]:
    """Answers spread over a few noise scales; fractions, so that a whole answer of the program means a count or a place."""
    rng = stream(seed, "accuracy", arguments.size)
    spread = 10 / float(arguments.epsilon)
    return [
        tuple(Fraction(round(float(x) * 16) * 2 + 1, 32) for x in rng.uniform(0, spread, arguments.size))
        for _ in range(DATABASES)
    ]


def _is_discrete(truth: Outputs) -> bool:
    numbers = truth.values[truth.kinds == NUMBER]
    return bool((numbers == np.round(numbers)).all())


def _error(outputs: Outputs, truth: Outputs, discrete: bool) -> float:
    length = int(truth.lengths[0])
    width = 1 if length == SCALAR else max(length, int(outputs.lengths.max(initial=0)))
    if width == 0:
        return 0.0
    total = np.zeros(outputs.runs)
    for place in range(width):
        there = np.where(outputs.lengths == SCALAR, 1, outputs.lengths) > place
        wanted = (1 if length == SCALAR else length) > place
        kinds = outputs.kinds[place] if place < outputs.kinds.shape[0] else np.zeros(outputs.runs)
        values = outputs.values[place] if place < outputs.values.shape[0] else np.zeros(outputs.runs)
        if not wanted:
            total += there
            continue
        kind, value = int(truth.kinds[place, 0]), float(truth.values[place, 0])
        same_kind = there & (kinds == kind)
        if discrete or kind != NUMBER:
            right = same_kind & ((values == value) | (kind not in (NUMBER, BOOLEAN)))
            total += ~right
        else:
            total += np.where(same_kind, np.abs(values - value), abs(value))
    return float(total.mean() / width)
