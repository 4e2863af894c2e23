"""Questions to the tester, and runs that answer them: the only place of the tester that starts an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

from kolahal.engine.engines import ENGINES
from kolahal.engine.outputs import Outputs, hits
from kolahal.engine.tape import Tape, tapes
from kolahal.lang.sketch import Sketch
from kolahal.measure.statistics import NOTHING, Tally
from kolahal.model import Arguments, Database, Example, Scales
from kolahal.settings import TesterSettings

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
    return ENGINES[question.engine].run(question.sketch, database, question.arguments, question.scales, tape)


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
    if independent:
        second = tapes(question.seed, f"{name}/d2", runs, draws)
        chunks = [Chunk(question, tuple(examples), *pair) for pair in zip(first, second, strict=True)]
    else:
        chunks = [Chunk(question, tuple(examples), tape) for tape in first]
    counted = spread(count_chunk, chunks, executor)
    return [sum(tallies, NOTHING) for tallies in zip(*counted, strict=True)]


def count_chunk(chunk: Chunk) -> tuple[Tally, ...]:
    """The hits of all examples in one chunk of runs; examples with a database in common share its answers."""
    answers: dict[tuple[Database, bool], Outputs] = {}

    def run(database: Database, second: bool) -> Outputs:
        other = second and chunk.tape2 is not None
        if (database, other) not in answers:
            tape = chunk.tape2 if other and chunk.tape2 is not None else chunk.tape1
            answers[database, other] = run_all(chunk.question, database, tape)
        return answers[database, other]

    return tuple(tally_of(e, run(e.d1, second=False), run(e.d2, second=True)) for e in chunk.examples)


def tally_of(example: Example, first: Outputs, second: Outputs) -> Tally:
    """The event's hits among answers on d1 and on d2."""
    h1, h2 = hits(example.event, first), hits(example.event, second)
    both = int((h1 & h2).sum())
    return Tally(first.runs, both, int(h1.sum()) - both, int(h2.sum()) - both)


def spread(function: Callable[[T], R], tasks: Iterable[T], executor: Executor | None) -> list[R]:
    """The results of all tasks in their order; every task names its own noise, so workers change nothing."""
    return list(map(function, tasks)) if executor is None else list(executor.map(function, tasks))
