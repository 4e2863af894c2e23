"""Counterexamples to programs that ask the records questions which depend on the run: two lists of records and an answer.

Where an answer can come from one sequence of questions only, these questions are fixed, and the program on two lists of
records is, as far as this answer goes, the program on two lists of aggregates.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from kolahal.exact.probe import Integrator
from kolahal.inputs.argument_sweep import enumerate_arguments
from kolahal.inputs.arguments import sizes_of
from kolahal.lang.adjacency import Move
from kolahal.lang.records.along_runs import Questions, along
from kolahal.lang.records.cells import TooComplex
from kolahal.lang.records.moves import RecordRelation, scaled, vector_sum
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Equals, Event, Example
from kolahal.proof.refute.questions import find_questions
from kolahal.proof.refute.shrink import losses_of

MOST_ANSWERS = 8  # whose questions are looked at, from one end of all runs to the other
MOST_MOVES, MOST_RECORDS, MOST_BASES = 24, 8, 3
TIMES = (1, 4)  # how often the same record is in a list to begin with


def find_run_examples(sketch: Sketch, claim: Scale) -> Iterator[tuple[Example, float]]:
    """Lists of records with few different ones, and answers; with their losses in units of the claim, by doubles."""
    assert isinstance(sketch.adjacency, RecordRelation)
    for size in sizes_of(sketch):
        for arguments in enumerate_arguments(sketch, size, claim, True):
            known = find_questions(sketch, arguments) or {}
            single = [(answer, next(iter(asked))) for answer, asked in known.items() if len(asked) == 1]
            step = max(1, (len(single) - 1) // (MOST_ANSWERS - 1))
            examples = [
                example
                for answer, asked in [*single[:-1:step], *single[-1:]]
                for example in _neighbours(sketch.adjacency, asked, Equals(answer), arguments)
            ]
            level = float(claim.at(arguments.quantities(sketch)))
            losses = losses_of(Integrator(sketch), examples)
            if examples:
                best = max(range(len(examples)), key=lambda i: (round(losses[i] / level, 9), -i))
                yield examples[best], losses[best] / level


def _neighbours(relation: RecordRelation, asked: Questions, event: Event, arguments: Arguments) -> Iterator[Example]:
    try:
        fixed = along(relation, asked, arguments.size)
        pairs = _pairs(fixed, arguments.size)
    except TooComplex:
        return
    for d1, d2 in dict.fromkeys(pairs):
        if d1 != d2:
            yield Example(d1, d2, event, arguments, asked)


def _pairs(fixed: RecordRelation, size: int) -> Iterator[tuple[Move, Move]]:
    """The aggregates of lists that differ by one of a few records, beside no other or several of the same."""
    nothing = (Fraction(0),) * size
    if fixed.spans:
        found = (fixed.settle(nothing, move) for move in fixed.library_moves[:MOST_MOVES])
        yield from (pair for pair in found if pair is not None)
        return
    records = list(fixed.library)[:MOST_RECORDS]
    before = [nothing] if fixed.name == "add_remove" else records
    for base in [nothing, *(scaled(times, vector) for times in TIMES for vector in records[:MOST_BASES])]:
        for old, new in itertools.product(before, records):
            yield vector_sum(base, scaled(fixed.count, old)), vector_sum(base, scaled(fixed.count, new))
