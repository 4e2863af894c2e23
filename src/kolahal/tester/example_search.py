"""The search for a bad example: starts, steps towards higher loss, and the same again with more runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import field, replace
from fractions import Fraction
from zlib import crc32

import numpy as np

from kolahal.engine.outputs import NUMBER, SCALAR, Outputs
from kolahal.engine.tape import Tape
from kolahal.inputs.pairs import (
    Pair,
    climb,
    enumerate_bases,
    enumerate_moves,
    group_steps,
    noise_unit,
    settle,
    steps_from,
)
from kolahal.lang.sketch import Sketch
from kolahal.model import Database, Example
from kolahal.nouns import dataclass
from kolahal.tester.learned_events import Criterion, Finding, learn_events
from kolahal.tester.runs import Candidate, Question, count, run_all, tally_of

SearchSteps = Callable[[Pair, Sketch, Fraction], Iterator[Pair]]
MANY_MOVES = 8  # neighbours of a start
KEEP = 2  # events a pair, and examples near another
LEARN_RUNS = 60_000  # a batch larger than this learns its events from so many runs of their own
# Standard deviations by which a score is lowered: the more examples compete on a batch, the more luck there is. The
# bold and the careful way of refining lead to rare and to common events, and runs that neither has seen decide.
SELECT_CAUTION, BOLD, CAREFUL, JUDGE_CAUTION = 2.0, 1.0, 3.0, 1.0


@dataclass(frozen=True, slots=True)
class Search:
    """One independent part of a search: a base, its neighbours, and steps from the best of them."""

    question: Question
    base: Database


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a part of the search found, best first, and how many runs it took."""

    candidates: tuple[Candidate, ...]
    runs: int


def enumerate_searches(question: Question) -> tuple[Search, ...]:
    """The independent parts of the search for one question."""
    bases = enumerate_bases(question.sketch, question.arguments, question.scales, question.settings.bases)
    return tuple(Search(question, base) for base in bases)


def search(part: Search) -> SearchResult:
    """The best examples around a base, on one tape: databases then differ by their answers alone."""
    question, settings = part.question, part.question.settings
    batch = _QuestionBatch(question, "select", settings.select_runs, SELECT_CAUTION)
    moves = enumerate_moves(question.sketch.adjacency, question.arguments.size, settings.moves)
    learned = [batch.learn(pair) for pair in settle(question.sketch, (Pair(part.base, move) for move in moves))]
    starts = sorted((found for found in learned if found), key=lambda found: -found[0].score)
    if is_translation(batch, part.base):
        return SearchResult(best_of([candidate for found in starts for candidate in found], KEEP), batch.runs)
    best = []
    for found in starts[: settings.climbed]:
        climbed = _climb(batch, found[0], _unit(question), settings.climbs, group_steps)
        best.append(max((*found, *climbed), key=_score))
    return SearchResult(best_of(best, settings.climbed), batch.runs)


def find_starts(question: Question, runs: int) -> tuple[Example, ...]:
    """Pairs at the threshold with their best events, best first, to go on from by other means.

    Those means see rarer events than any test can, so many runs look at every way to move, and none at what a test needs.
    """
    batch = _QuestionBatch(question, "starts", runs, BOLD)
    (base,) = enumerate_bases(question.sketch, question.arguments, question.scales, 1)
    moves = enumerate_moves(question.sketch.adjacency, question.arguments.size, MANY_MOVES)
    pairs = settle(question.sketch, (Pair(base, move) for move in moves))
    found = [candidate for pair in pairs for candidate in batch.learn(pair)]
    return tuple(candidate.example for candidate in best_of(found, len(found)))


def refine(candidate: Candidate) -> SearchResult:
    """Better examples near one, on a larger batch, where rarer events can be told from luck."""
    question, settings = candidate.question, candidate.question.settings
    adjacency, size = question.sketch.adjacency, question.arguments.size
    batch = _QuestionBatch(question, "refine", settings.refine_runs, BOLD)
    base = candidate.example.d1
    moves = enumerate_moves(adjacency, size, settings.moves)
    pairs = [_pair_of(candidate.example), *settle(question.sketch, (Pair(base, move) for move in moves))]
    translation = is_translation(batch, base)
    learned = [batch.count(candidate)]
    for pair in dict.fromkeys(pairs):
        learned += batch.learn(pair)
        batch.forget(base)

    best = []
    for caution in (BOLD, CAREFUL):
        batch.caution = caution
        found = [batch.score(other) for other in learned]
        if not translation:
            found += _climb(batch, max(found, key=_score), _unit(question) / 2, settings.refinements // 2, group_steps)
        best.append(max(found, key=_score))
        if not translation and settings.singles:
            best.append(_climb(batch, best[-1], _unit(question) / 2, settings.singles // 2, steps_from)[-1])
    return SearchResult(best_of(best, len(best)), batch.runs)


def judge(
    candidates: Sequence[Candidate], name: str, runs: int, caution: float, executor: Executor | None
) -> list[Candidate]:
    """The candidates with the bounds that they promise on runs which did not choose them."""
    judged = []
    for question in dict.fromkeys(candidate.question for candidate in candidates):
        asked = [candidate for candidate in candidates if candidate.question == question]
        criterion = Criterion(question.settings.test_runs, question.margin, caution)
        tallies = count(question, [candidate.example for candidate in asked], name, runs, executor)
        judged += [replace(candidate, score=criterion.of(tally)) for candidate, tally in zip(asked, tallies)]
    return judged


def best_of(candidates: list[Candidate], most: int) -> tuple[Candidate, ...]:
    """The best candidates with different examples, best first."""
    chosen: dict[Example, Candidate] = {}
    for candidate in sorted(candidates, key=_score, reverse=True):
        chosen.setdefault(candidate.example, candidate)
    return tuple(chosen.values())[:most]


@dataclass(slots=True)
class _QuestionBatch:
    """Runs on one tape."""

    question: Question
    name: str
    size: int
    caution: float
    runs: int = 0
    outputs: list[tuple[Database, Outputs]] = field(default_factory=list)  # few; long databases are slow to hash
    tape: Tape = field(init=False)
    lesson: Tape | None = field(init=False)

    def __post_init__(self) -> None:
        self.tape = self.draw(self.name, self.size)
        self.lesson = self.draw(f"{self.name}/learn", LEARN_RUNS) if self.size > LEARN_RUNS else None

    @property
    def criterion(self) -> Criterion:
        return Criterion(self.question.settings.test_runs, self.question.margin, self.caution)

    def draw(self, name: str, runs: int) -> Tape:
        return Tape((self.question.seed, crc32(name.encode()), 0), runs)

    def run(self, database: Database) -> Outputs:
        for known, outputs in self.outputs:
            if known == database:
                return outputs
        self.outputs.append((database, run_all(self.question, database, self.tape)))
        self.runs += self.size
        return self.outputs[-1][1]

    def learn(self, pair: Pair) -> tuple[Candidate, ...]:
        """The best events of a pair, best first. A large batch learns from other runs than those that then score."""
        if self.lesson is None:
            found = learn_events(self.run(pair.d1), self.run(pair.d2), (self.criterion,), KEEP)
            return tuple(self.candidate(pair, f) for f in found)
        first, second = (run_all(self.question, database, self.lesson) for database in (pair.d1, pair.d2))
        self.runs += 2 * self.lesson.runs
        # As cautious as the lesson demands, and as the larger batch will be.
        bold = replace(self.criterion, caution=self.caution * math.sqrt(self.lesson.runs / self.size))
        found = learn_events(first, second, (self.criterion, bold), KEEP)
        return tuple(sorted((self.count(self.candidate(pair, f)) for f in found), key=_score, reverse=True))

    def candidate(self, pair: Pair, found: Finding) -> Candidate:
        d1, d2 = (pair.d2, pair.d1) if found.flipped else (pair.d1, pair.d2)
        return Candidate(self.question, Example(d1, d2, found.event, self.question.arguments), found.score)

    def count(self, candidate: Candidate) -> Candidate:
        """The same example with its tally and score on this batch."""
        example = candidate.example
        return self.score(replace(candidate, tally=tally_of(example, self.run(example.d1), self.run(example.d2))))

    def score(self, candidate: Candidate) -> Candidate:
        """The same example, scored anew from its tally, which a small batch has not counted yet."""
        if candidate.tally is None:
            return self.count(candidate)
        return replace(candidate, score=self.criterion.of(candidate.tally))

    def forget(self, *kept: Database) -> None:
        """Free the memory of all answers but those of `kept`."""
        self.outputs = [(database, outputs) for database, outputs in self.outputs if database in kept]


def _score(candidate: Candidate) -> float:
    return candidate.score


def _pair_of(example: Example) -> Pair:
    return Pair.between(example.d1, example.d2)


def _climb(batch: _QuestionBatch, start: Candidate, first_step: Fraction, budget: int, steps_of: SearchSteps) -> list[Candidate]:
    """Ever better examples, one step at a time and in ever smaller steps, while `budget` steps last.

    The event stays while a step is tried, which is cheap, and is learned anew after each step that helps.
    """
    found, step, tried = [start], first_step, [_pair_of(start.example)]

    def steps() -> list[Pair]:
        return list(steps_of(_pair_of(found[-1].example), batch.question.sketch, step))

    def attempt(pair: Pair) -> bool | None:
        if pair in tried:
            return None
        tried.append(pair)
        best = found[-1]
        new = batch.count(replace(best, example=replace(best.example, d1=pair.d1, d2=pair.d2)))
        if new.score > best.score:
            found.append(max((new, *batch.learn(pair)), key=_score))
        batch.forget(found[-1].example.d1, found[-1].example.d2)
        return found[-1] is not best

    while budget > 0 and step >= first_step / 8:
        budget = climb(budget, steps, attempt)
        step /= 2
    return found


def is_translation(batch: _QuestionBatch, base: Database) -> bool:
    """Whether moving the answers only moves the numbers in the output, so that it does not matter where they lie."""
    unit = _unit(batch.question)
    first, second = batch.run(base), batch.run(tuple(v + unit * (i + 1) for i, v in enumerate(base)))
    length = int(first.lengths[0])
    if (first.lengths != length).any() or (second.lengths != length).any():
        return False
    items = slice(1 if length == SCALAR else length)
    if (first.kinds[items] != NUMBER).any() or (second.kinds[items] != NUMBER).any():
        return False
    moved = second.values[items] - first.values[items]
    return bool((np.abs(moved - moved[:, :1]) < 1e-9 * (1 + np.abs(moved))).all())


def _unit(question: Question) -> Fraction:
    return noise_unit(question.sketch, question.arguments, question.scales)
