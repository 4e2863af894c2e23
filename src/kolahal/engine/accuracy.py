"""The expected error of a completion against the noiseless program, by simulation (design, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from kolahal.engine.cases import run_cases
from kolahal.engine.noise import Array
from kolahal.engine.outputs import BOOLEAN, NUMBER, SCALAR, Outputs
from kolahal.engine.tape import Tape, stream
from kolahal.engine.typical import TypicalInputs, free_arguments, is_made_of_records, make_up, standing_out
from kolahal.lang import ir
from kolahal.lang.places import answers_needed
from kolahal.lang.sketch import Completion, Sketch
from kolahal.lang.taint import answers_with_counts
from kolahal.model import Accuracy, Arguments, Database
from kolahal.nouns import dataclass, remembered
from kolahal.settings import Settings

DATABASES, FEWEST = 8, 3  # inputs of up to 50 answers, and of more
LARGER = 4  # how much more answers the second size has at which the kind of outputs is looked at
RUNS = 512  # a database; errors are compared on common noise, so differences are surer than the errors themselves
WORK = 4_000_000  # answers of all runs of all completions on one input, where fewer runs take too long otherwise
BUDGETS = (Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(3), Fraction(10))  # times the usual one
MOST_STEPS = 2_500  # turns of all loops inside each other, beyond which a length is not looked at
RECORDS = 1_000  # of a made-up input, where these are records
APART = 2.0  # how far from one answer to the next, on average, in units of noise

SHARE, DISTANCE = "share of wrong outputs", "mean distance"  # units of an error


def expected_errors(
    sketch: Sketch, completions: Sequence[Completion], arguments: Arguments, settings: Settings
) -> list[float]:
    """For each completion the error at several lengths, as their geometric mean.

    Where the noiseless output is discrete (a place, true or false, None), the error is the probability of another
    output; where it is a number or a count, the mean distance from it; for lists, the mean over the items. Noise that
    grows with the number of answers can look cheap where these are few, hence the larger lengths, and all of them count
    alike.
    """
    return errors_by_length(sketch, completions, arguments, settings).means if completions else []


@dataclass(frozen=True, slots=True)
class LengthErrors:
    """The errors of some completions at some lengths."""

    unit: str
    lengths: tuple[int, ...]
    rows: tuple[tuple[float, ...], ...]  # one a length

    @property
    def means(self) -> list[float]:
        """Of each completion, the geometric mean over the lengths."""
        least = 0.5 / (RUNS * FEWEST)  # in place of an error of 0: less is not seen
        return [float(mean) for mean in np.exp(np.log(np.maximum(self.rows, least)).mean(axis=0))]

    def of(self, place: int) -> tuple[tuple[int, float], ...]:
        """The errors of one completion by length."""
        return tuple((length, row[place]) for length, row in zip(self.lengths, self.rows, strict=True))


def errors_by_length(
    sketch: Sketch, completions: Sequence[Completion], arguments: Arguments, settings: Settings
) -> LengthErrors:
    """For each length that is looked at, the error of each completion on the same inputs and the same noise."""
    discrete = gives_discrete_outputs(sketch, arguments, settings)
    rows, lengths = [], lengths_of(sketch, settings)
    for size in lengths:
        inputs = typical_inputs(sketch, replace(arguments, size=size), settings)
        (row,) = errors_on([inputs], discrete, sketch, completions, settings)
        rows.append(tuple(row))
    return LengthErrors(SHARE if discrete else DISTANCE, lengths, tuple(rows))


def typical_inputs(sketch: Sketch, arguments: Arguments, settings: Settings) -> TypicalInputs:
    """Made-up inputs that are as hard at every length: as many answers to a unit of noise, however many there are.

    Where few answers that stand out always make for the same output, such as that some are above a threshold, none does in every
    second input, or all do: else a program that looks at nothing would be right.
    """
    unit = float(sketch.adjacency.distance / arguments.epsilon)
    spread = APART * unit * max(arguments.size, 2 * standing_out(sketch, arguments))
    made = partial(make_up, sketch, arguments, spread, inputs_at(arguments.size), (settings.seed,), free_arguments(sketch), RECORDS)
    inputs = made()
    if is_made_of_records(sketch) or _tell_apart(sketch, inputs):
        return inputs
    others = (made(above=above) for above in (0, arguments.size))
    mixed = (replace(inputs, cases=tuple(pair[i % 2] for i, pair in enumerate(zip(inputs.cases, o.cases, strict=True)))) for o in others)
    return next((found for found in mixed if _tell_apart(sketch, found)), inputs)


def _tell_apart(sketch: Sketch, inputs: TypicalInputs) -> bool:
    """Whether the output without noise depends on which of the inputs it is computed from."""
    outputs = _without_noise(sketch, inputs)
    return any(output.row(0) != outputs[0].row(0) for output in outputs)


@remembered(8)  # how inputs are chosen looks at them first
def _without_noise(sketch: Sketch, inputs: TypicalInputs) -> list[Outputs]:
    return run_cases(sketch, inputs.cases, (0.0,) * len(sketch.holes), Tape((0,), 1))


def inputs_at(size: int) -> int:
    """How many inputs are made up."""
    return max(FEWEST, min(DATABASES, 50 * DATABASES // max(1, size)))


def lengths_of(sketch: Sketch, settings: Settings) -> tuple[int, ...]:
    """The numbers of answers that errors are compared at; those at which nested loops would take too long are left out."""
    least = answers_needed(sketch)  # with fewer it may stop
    first, *more = sketch.sizes(tuple(dict.fromkeys(max(size, least) for size in settings.ranking.lengths)))
    depth = max(1, _nested(sketch.body))
    return (first, *(size for size in more if size**depth <= MOST_STEPS))


def _nested(node: object) -> int:
    """How many loops are inside each other at most."""
    loops = [n for n in ir.walk(node) if isinstance(n, ir.For | ir.While | ir.Comprehension) and n is not node]
    return max((1 + _nested(loop) for loop in loops), default=0)


def errors_by_budget(
    sketch: Sketch, completions: Sequence[Completion], arguments: Arguments, settings: Settings
) -> tuple[int, tuple[tuple[float, tuple[float, ...]], ...]]:
    """A length, and for smaller and larger budgets the error of each completion there, on the same inputs."""
    lengths = lengths_of(sketch, settings)
    length = lengths[len(lengths) // 2]
    discrete = gives_discrete_outputs(sketch, arguments, settings)
    inputs = typical_inputs(sketch, replace(arguments, size=length), settings)
    inputs = replace(inputs, cases=inputs.cases[:FEWEST])
    budgets = [arguments.epsilon * factor for factor in BUDGETS]
    rows = errors_on([inputs.with_epsilon(budget) for budget in budgets], discrete, sketch, completions, settings)
    return length, tuple((float(budget), tuple(row)) for budget, row in zip(budgets, rows, strict=True))


def describe_errors(sketch: Sketch, arguments: Arguments, settings: Settings) -> Accuracy:
    """What `expected_errors` computes at these arguments: the unit, and on which inputs."""
    unit = SHARE if gives_discrete_outputs(sketch, arguments, settings) else DISTANCE
    free = set(free_arguments(sketch))  # each input has its own
    arguments = replace(arguments, values=tuple((name, value) for name, value in arguments.values if name not in free))
    return Accuracy(unit, arguments, lengths_of(sketch, settings), DATABASES, RUNS)


@remembered(8)
def gives_discrete_outputs(sketch: Sketch, arguments: Arguments, settings: Settings) -> bool:
    """Whether outputs are right or wrong, and not near or far: without noise none of them has a number that is not whole.

    That is asked on fractions, also where answers are whole, so that a whole number in an output means a count or a place.
    """
    if answers_with_counts(sketch):
        return False
    silent = (0.0,) * len(sketch.holes)
    for size in sketch.sizes((arguments.size, LARGER * arguments.size)):
        a = replace(arguments, size=size)
        cases = [(a, database) for database in _fractions(a, settings.seed)]
        if not all(map(is_discrete, run_cases(sketch, cases, silent, Tape((0,), 1)))):
            return False
    return True


def errors_on(
    several: Sequence[TypicalInputs], discrete: bool, sketch: Sketch, completions: Sequence[Completion], settings: Settings
) -> list[list[float]]:
    """For some inputs, and more of the same length, the mean error of each completion: the share of wrong outputs, or the mean distance."""
    first = several[0].cases[0][0]
    runs = min(RUNS, max(64, WORK // (len(completions) * first.size)))
    tape = Tape((settings.seed, 77, first.size), runs)
    together = several[0] if len(several) == 1 else TypicalInputs(tuple(case for inputs in several for case in inputs.cases))
    truths = _without_noise(sketch, together)
    scales = np.array([[inputs.cases[0][0].concretise(sketch, c) for c in completions] for inputs in several])
    each = np.concatenate([np.tile(own, (len(inputs.cases), 1)) for own, inputs in zip(scales, several, strict=True)])
    lanes: list[Any] = [np.repeat(of_hole, runs) if of_hole.any() else 0.0 for of_hole in each.T]
    found = iter(zip(run_cases(sketch, together.cases, lanes, tape.repeat(len(completions))), truths, strict=True))
    errors = []
    for inputs in several:
        of_cases = [errors_of_runs(outputs, truth, discrete).reshape(-1, runs).mean(axis=1) for outputs, truth in islice(found, len(inputs.cases))]
        errors.append([float(error) for error in sum(mean / len(inputs.cases) for mean in of_cases)])
    return errors


def _fractions(arguments: Arguments, seed: int) -> list[Database]:
    """Answers none of which is whole."""
    rng = stream(seed, "accuracy", arguments.size)
    spread = 10 / float(arguments.epsilon)
    return [
        tuple(Fraction(round(float(x) * 16) * 2 + 1, 32) for x in rng.uniform(0, spread, arguments.size))
        for _ in range(DATABASES)
    ]


def is_discrete(outputs: Outputs) -> bool:
    """Whether all numbers in answers are whole."""
    numbers = outputs.values[outputs.kinds == NUMBER]
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
