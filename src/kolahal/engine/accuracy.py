"""The expected error of a completion against the noiseless program, by simulation (design, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from kolahal.engine import batch
from kolahal.engine.noise import Array
from kolahal.engine.outputs import BOOLEAN, NUMBER, SCALAR, Outputs
from kolahal.engine.tape import Tape, stream
from kolahal.lang.sketch import Completion, Sketch
from kolahal.lang.taint import answers_with_counts
from kolahal.model import Accuracy, Arguments, Database
from kolahal.settings import Settings

DATABASES = 8
LARGER = 4  # how much more answers the second size has
RUNS = 512  # a database; errors are compared on common noise, so differences are surer than the errors themselves


SHARE, DISTANCE = "share of wrong outputs", "mean distance"  # units of an error


def expected_errors(
    sketch: Sketch, completions: Sequence[Completion], arguments: Arguments, settings: Settings
) -> list[float]:
    """For each completion the mean error over representative databases of two sizes.

    Where the noiseless output is discrete (a place, true or false, None), the error is the probability of another
    output; where it is a number or a count, the mean distance from it; for lists, the mean over the items. Noise that grows with
    the number of answers can look cheap at a small one, hence the second, larger size.
    """
    inputs = [(a, representative_databases(sketch, a, settings.seed)) for a in _several_sizes(sketch, arguments)]
    discrete = gives_discrete_outputs(sketch, arguments, settings)
    found = [errors_on(databases, discrete, sketch, completions, a, settings) for a, databases in inputs]
    return [float(error) for error in np.mean(found, axis=0)]


def describe_errors(sketch: Sketch, arguments: Arguments, settings: Settings) -> Accuracy:
    """What `expected_errors` computes at these arguments: the unit, and on which inputs."""
    unit = SHARE if gives_discrete_outputs(sketch, arguments, settings) else DISTANCE
    sizes = tuple(a.size for a in _several_sizes(sketch, arguments))
    return Accuracy(unit, arguments, sizes, DATABASES, RUNS)


def _several_sizes(sketch: Sketch, arguments: Arguments) -> list[Arguments]:
    """The arguments at the sizes that are looked at."""
    return [replace(arguments, size=size) for size in sketch.sizes((arguments.size, LARGER * arguments.size))]


def gives_discrete_outputs(sketch: Sketch, arguments: Arguments, settings: Settings) -> bool:
    """Whether outputs are right or wrong, and not near or far: without noise none of them has a number that is not whole.

    That is asked on fractions, also where answers are whole, so that a whole number in an output means a count or a place.
    """
    if answers_with_counts(sketch):
        return False
    silent = (0.0,) * len(sketch.holes)
    for a in _several_sizes(sketch, arguments):
        for database in _fractions(a, settings.seed):
            if not _is_discrete(batch.run(sketch, database, a, silent, Tape((0,), 1))):
                return False
    return True


def errors_on(
    databases: Sequence[Database],
    discrete: bool,
    sketch: Sketch,
    completions: Sequence[Completion],
    arguments: Arguments,
    settings: Settings,
) -> list[float]:
    """For each completion the mean error over some databases: the share of wrong outputs, or the mean distance."""
    tape = Tape((settings.seed, 77, arguments.size), RUNS)
    silent = (0.0,) * len(sketch.holes)
    truths = [batch.run(sketch, d, arguments, silent, Tape((0,), 1)) for d in databases]
    scales = np.array([arguments.concretise(sketch, c) for c in completions])
    errors = np.zeros(len(completions))
    for pattern in np.unique(scales > 0, axis=0):  # a hole without noise is off in all lanes of a batch
        rows = np.flatnonzero(((scales > 0) == pattern).all(axis=1))
        together = tape.repeat(len(rows))
        lanes: list[Any] = [np.repeat(scales[rows, h], RUNS) if on else 0.0 for h, on in enumerate(pattern)]
        for database, truth in zip(databases, truths, strict=True):
            found = errors_of_runs(batch.run(sketch, database, arguments, lanes, together), truth, discrete)
            errors[rows] += found.reshape(len(rows), RUNS).mean(axis=1) / len(databases)
    return [float(error) for error in errors]


def representative_databases(sketch: Sketch, arguments: Arguments, seed: int) -> list[Database]:
    """Answers that the program accepts, spread over a few noise scales."""
    databases = _fractions(arguments, seed)
    if not sketch.private.whole:
        return databases
    kept = 2 if sketch.private.bits else None
    return [tuple(Fraction(round(a) if kept is None else round(a) % kept) for a in database) for database in databases]


def _fractions(arguments: Arguments, seed: int) -> list[Database]:
    """Answers none of which is whole."""
    rng = stream(seed, "accuracy", arguments.size)
    spread = 10 / float(arguments.epsilon)
    return [
        tuple(Fraction(round(float(x) * 16) * 2 + 1, 32) for x in rng.uniform(0, spread, arguments.size))
        for _ in range(DATABASES)
    ]


def _is_discrete(truth: Outputs) -> bool:
    numbers = truth.values[truth.kinds == NUMBER]
    return bool((numbers == np.round(numbers)).all())


def errors_of_runs(outputs: Outputs, truth: Outputs, discrete: bool) -> Array:
    """The error of each run: the mean over its items, or over those of the truth if these are more."""
    items = np.where(outputs.lengths == SCALAR, 1, outputs.lengths)
    length = 1 if truth.lengths[0] == SCALAR else int(truth.lengths[0])
    both = min(length, outputs.kinds.shape[0])
    kind, value = truth.kinds[:length, :1], truth.values[:length, :1]
    right_or_wrong = (kind != NUMBER) | discrete
    missing = np.where(right_or_wrong, 1.0, np.abs(value))  # what an item costs that is not there, or is of another kind
    there = np.arange(both)[:, None] < items
    same = there & (outputs.kinds[:both] == kind[:both])
    apart = np.abs(outputs.values[:both] - value[:both])
    alike = (kind[:both] == NUMBER) | (kind[:both] == BOOLEAN)  # kinds that have values
    near = np.where(right_or_wrong[:both], alike & (apart != 0), apart)
    total = np.where(same, near, missing[:both]).sum(axis=0) + missing[both:].sum() + np.maximum(items - length, 0)
    means: Array = total / np.maximum(items, max(length, 1))
    return means
