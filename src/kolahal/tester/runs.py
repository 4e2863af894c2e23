"""Questions to the tester, and runs that answer them: the only place of the tester that starts an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import repeat
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from kolahal.engine import reference
from kolahal.engine.engines import ENGINES
from kolahal.engine.faults import RunError
from kolahal.engine.kernel import tells_numbers
from kolahal.engine.outputs import NUMBER, Outputs, hits
from kolahal.engine.tape import Tape, tapes
from kolahal.errors import UsageError
from kolahal.inputs.pairs import noise_unit
from kolahal.lang.kinds import infer
from kolahal.lang.lately import lately
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Database, Example, Scales
from kolahal.nouns import dataclass
from kolahal.settings import TesterSettings
from kolahal.tester.statistics import NOTHING, Tally

STEPS_A_RUN = 100  # turns and draws; the mechanisms of the literature take at most 40 at the sizes of the test
FEWEST_RUNS = 400
TOGETHER = 4  # chunks sent to a worker

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Question:
    """Is this sketch with these scales private at these arguments?"""

    sketch: Sketch
    scales: Scales
    arguments: Arguments
    settings: TesterSettings
    seed: int
    engine: str  # all give the same answers; chosen once, because the choice looks at files

    @property
    def margin(self) -> float:
        """By how many standard deviations a lower bound lies below the truth on average."""
        return NormalDist().inv_cdf(self.settings.confidence)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An example whose d1 seems to be the likelier side, and the lower bound on ε that it promises."""

    question: Question
    example: Example
    score: float
    tally: Tally | None = None  # what the score was made from, where single runs were counted for it


def run_all(question: Question, database: Database, tape: Tape) -> Outputs:
    """The answers of all runs of a tape."""
    outputs = ENGINES[question.engine].run(question.sketch, database, question.arguments, question.scales, tape)
    # A sum is faster than a mask, and finite only if all are; and most programs that tell no number never could.
    finite = not _may_tell_numbers(question.sketch) or np.isfinite(outputs.values.sum()) or np.isfinite(outputs.values).all()
    if not finite and (outputs.kinds == NUMBER).any():
        raise UsageError(f"{question.sketch.name}: its numbers outgrow double precision, in which the test runs it")
    return outputs


@lately
def _may_tell_numbers(sketch: Sketch) -> bool:
    """Whether a number may be in an answer."""
    return tells_numbers(sketch, infer(sketch))


@lru_cache(maxsize=256)
def cost_of_a_run(sketch: Sketch, scales: Scales, arguments: Arguments) -> int:
    """Loop turns and draws of a run on answers that are all 0, or on answers that are far apart, or a draw an answer at
    every site, whichever is most: what ends a run early on one of them may not on others."""
    tape, size = Tape((0, 0, 0), 1).row(0), arguments.size
    counted = max(reference.count_steps(sketch, (0,) * size, arguments, scales, tape), len(sketch.draws) * size)
    if isinstance(sketch.adjacency, RecordRelation):  # which may not have such answers
        return counted
    unit = 4 * noise_unit(sketch, arguments, scales)
    for apart in (range(size), range(size, 0, -1)):
        with suppress(RunError):  # a fault on some answers is no fault on those that are asked about
            counted = max(counted, reference.count_steps(sketch, [unit * i for i in apart], arguments, scales, tape))
    return counted


def afford(settings: TesterSettings, cost: int) -> TesterSettings:
    """The settings with fewer runs where a run costs more than usual, so that a test takes no longer for it."""
    if cost <= STEPS_A_RUN:
        return settings

    def fewer(runs: int) -> int:
        return max(min(runs, FEWEST_RUNS), runs * STEPS_A_RUN // cost)

    return replace(
        settings,
        select_runs=fewer(settings.select_runs),
        judge_runs=fewer(settings.judge_runs),
        test_runs=fewer(settings.test_runs),
        glance_runs=fewer(settings.glance_runs),
        refine_runs=fewer(settings.refine_runs),
    )


@dataclass(frozen=True, slots=True)
class Chunk:
    """Runs to be counted; StatDP's have noise of their own for d2."""

    question: Question
    examples: tuple[Example, ...]
    tape1: Tape
    tape2: Tape | None = None


def count(
    question: Question,
    examples: Sequence[Example],
    name: str,
    runs: int,
    executor: Executor | None = None,
    independent: bool = False,
) -> list[Tally]:
    """How often each event happens on either side, in runs that share their noise unless they are `independent`."""
    draws = len(question.sketch.draws) * max(1, question.arguments.size)
    first = tapes(question.seed, name, runs, draws)
    second = tapes(question.seed, f"{name}/d2", runs, draws) if independent else repeat(None)
    chunks = (Chunk(question, tuple(examples), *pair) for pair in zip(first, second, strict=independent))
    counted = spread(count_chunk, chunks, executor, TOGETHER)
    return [sum(tallies, NOTHING) for tallies in zip(*counted, strict=True)]


def count_chunk(chunk: Chunk) -> tuple[Tally, ...]:
    """The hits of all examples in one chunk of runs; examples with a database in common share its answers.

    The noise is drawn here and gone with the answers, so that chunks may wait for their turn in any number."""
    answers: list[tuple[Database, bool, Outputs]] = []  # few; long databases are slow to hash
    tape1 = chunk.tape1.anew()
    tape2 = None if chunk.tape2 is None else chunk.tape2.anew()

    def run(database: Database, second: bool) -> Outputs:
        other = second and tape2 is not None
        for known, of_other, outputs in answers:
            if of_other == other and known == database:
                return outputs
        tape = tape2 if other and tape2 is not None else tape1
        answers.append((database, other, run_all(chunk.question, database, tape)))
        return answers[-1][2]

    return tuple(tally_of(e, run(e.d1, second=False), run(e.d2, second=True)) for e in chunk.examples)


def tally_of(example: Example, first: Outputs, second: Outputs) -> Tally:
    """The event's hits among answers on d1 and on d2."""
    h1, h2 = hits(example.event, first), hits(example.event, second)
    both = int((h1 & h2).sum())
    return Tally(first.runs, both, int(h1.sum()) - both, int(h2.sum()) - both)


def spread(function: Callable[[T], R], tasks: Iterable[T], executor: Executor | None, together: int = 1) -> list[R]:
    """The results of all tasks in their order; every task names its own noise, so workers change nothing.

    So many tasks are sent `together`: what they have in common, such as the program, is then sent once."""
    return list(map(function, tasks)) if executor is None else list(executor.map(function, tasks, chunksize=together))
