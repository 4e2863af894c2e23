"""Formulas that may be invariant where winners follow the first of the others: each run on its own keeps the winners and
the others apart. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from kolahal.logic.linear import number, variable
from kolahal.logic.terms import ZERO, Formula, Sum, at_most, below, equal, every, implies, negate, same_truth
from kolahal.proof.find.numbers import Both
from kolahal.proof.trusted.others import COUNT, MOVE, NONE, first, winner
from kolahal.proof.trusted.shifts import Alignment
from kolahal.proof.trusted.symbols import ghost_value

MOST_REALS = 3  # variables whose differences are looked at
MOST_BEFORE = 3  # answers that are looked at before a loop over the others


def led_candidates(
    numbers: Sequence[Both], flags: Sequence[tuple[Formula, Formula]], counters: Sequence[Sum], alignment: Alignment
) -> Iterator[Formula]:
    """What the sums that were passed are to the variables of the program."""
    if alignment.lead is None:
        return
    count = variable(COUNT)
    yield at_most(ZERO, count)
    yield from (equal(count, counter + number(before)) for counter in counters for before in range(MOST_BEFORE + 1))
    reals = [both for both in numbers if not both.counts]
    numbers = [*numbers, *_between(reals)]
    for both in reals:
        yield from (implies(both.known, at_most(ZERO, value)) for value in (both.one, both.two))  # such as a lead
        yield implies(every([NONE, both.known]), equal(both.one, both.two))
    for a, b in permutations(reals, 2):
        yield implies(every([NONE, a.known, b.known]), equal(a.difference, b.difference))
        begun = every([below(number(1), count), a.known, b.known])  # a second one has no value before
        yield implies(begun, at_most(a.one, b.one))
        yield implies(begun, at_most(a.two, b.two))
    for which in range(len(alignment.ghosts)):
        ghost = variable(ghost_value(which))
        passed = every([at_most(ZERO, ghost), below(ghost, count)])
        for factor in (1, -1):
            gone = variable(winner(which, 2)) - variable(winner(which, 1))
            yield implies(passed, equal(gone, variable(MOVE).times(factor)))
        yield implies(at_most(count, ZERO), NONE)
        yield implies(every([NONE, negate(passed)]), equal(count, ZERO))
        yield implies(NONE, at_most(count, number(len(alignment.ghosts))))
        yield implies(every([passed, negate(NONE)]), below(number(1), count))
        for flag, other in flags:
            for truth in (flag, negate(flag)):
                yield implies(NONE, truth)
            for own in (flag, other):
                yield same_truth(own, NONE)
                yield implies(passed, same_truth(own, NONE))
                yield implies(negate(passed), same_truth(own, NONE))
        for run in (1, 2):
            yield from _of_one_run(numbers, alignment, which, run, passed)


def _between(reals: Sequence[Both]) -> Iterator[Both]:
    """What one number is ahead of another: a program that keeps the largest and its lead knows the second largest."""
    for a, b in permutations(reals[:MOST_REALS], 2):
        yield Both(a.one - b.one, a.two - b.two, every([a.known, b.known]), False)


def _of_one_run(numbers: Sequence[Both], alignment: Alignment, which: int, run: int, passed: Formula) -> Iterator[Formula]:
    ghost = variable(ghost_value(which))
    won, best = variable(winner(which, run)), variable(first(run))
    low, high = (won, best) if not alignment.lead or not alignment.lead.least else (best, won)
    others = negate(NONE)
    ahead, behind = at_most(high, low), at_most(low, high)  # of the winner; a tie is both
    strictly_ahead, strictly_behind = below(high, low), below(low, high)
    for both in numbers:
        value = both.one if run == 1 else both.two
        if both.counts:
            named = every([both.known, equal(value, ghost)])
            yield implies(every([passed, others, strictly_ahead]), named)
            yield implies(every([passed, others, strictly_behind]), negate(named))
            yield implies(every([passed, NONE]), named)
            yield implies(negate(passed), implies(both.known, below(value, variable(COUNT))))
        else:
            for guard, known in (
                (every([passed, others, ahead]), won),
                (every([passed, others, ahead]), best),
                (every([passed, others, behind]), best),
                (every([passed, others, behind]), won),
                (every([passed, NONE]), won),
                (every([negate(passed), others]), best),
            ):
                yield implies(guard, both.known)
                yield implies(guard, implies(both.known, equal(value, known)))
