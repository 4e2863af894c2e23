"""The first of the others: the largest, or least, noisy sum of all answers but those that the ghosts name.

A winner's noise may follow it, because it is made of noise that keeps its value: docs/theory-lengths.md, "The first of the
others". This module is part of what has to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    BOOL,
    INT,
    REAL,
    TRUE,
    ZERO,
    Formula,
    Sum,
    Symbol,
    Term,
    at_most,
    below,
    choose,
    equal,
    every,
    implies,
    negate,
    put,
    some,
)
from kolahal.nouns import dataclass
from kolahal.proof.trusted.neighbours import Neighbours, public_symbols
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, FollowedSums, Form, Shift, ShiftRule
from kolahal.proof.trusted.symbols import LENGTH, ghost_value, moved_by, own
from kolahal.proof.trusted.values import Drawn, Run, SegmentPath, Unsupported

MOVE = Symbol("others.move", REAL)  # how far the first of the others moves, in moves of an answer
COUNT = Symbol("others.count", INT)  # the places that were passed
NONE = Symbol("others.none", BOOL)  # whether none of these is another one
ANSWER = Symbol("others.answer", REAL)  # at the place of a draw; no name of a program has a dot


def first(run: int) -> Symbol:
    """The first of the others that were passed."""
    return own("others.first", run, REAL)


def winner(which: int, run: int) -> Symbol:
    """The noisy sum of the answer that a ghost names, once it was passed."""
    return own(f"winner.{which}", run, REAL)


@dataclass(frozen=True, slots=True)
class Passed:
    """What is known of the sums that were passed."""

    count: Sum
    none: Formula
    firsts: tuple[Sum, Sum]  # of the two runs
    winners: tuple[tuple[Sum, Sum], ...]  # by ghost
    in_order: tuple[Formula, ...] = ()  # that the draws of this segment are those of the next places


@dataclass(frozen=True, slots=True)
class Others:
    """The rule for one alignment; `slope` is the factor that the answer has in each sum."""

    lead: FollowedSums
    ghosts: int
    slope: Fraction

    def symbols(self) -> tuple[Symbol, ...]:
        """What a state at a loop head has of it."""
        winners = (winner(which, run) for which in range(self.ghosts) for run in (1, 2))
        return (COUNT, NONE, first(1), first(2), *winners)

    def begin(self, begun: bool) -> Passed:
        """What was passed where a segment begins."""
        if not begun:
            return Passed(ZERO, TRUE, (ZERO, ZERO), ((ZERO, ZERO),) * self.ghosts)
        winners = tuple((variable(winner(w, 1)), variable(winner(w, 2))) for w in range(self.ghosts))
        return Passed(variable(COUNT), NONE, (variable(first(1)), variable(first(2))), winners)

    def updates(self, passed: Passed) -> list[tuple[Symbol, Term]]:
        values = [passed.count, passed.none, *passed.firsts, *(value for pair in passed.winners for value in pair)]
        return list(zip(self.symbols(), values, strict=True))

    def facts(self, neighbours: Neighbours) -> tuple[Formula, ...]:
        return moves_no_further(neighbours)

    def shift(self, factor: Fraction) -> Sum:
        """What makes a sum follow the first of the others, for noise with this factor in it."""
        if not factor:
            raise Unsupported("noise that is not simply added cannot follow the others")
        return variable(MOVE).times(self.slope / factor)

    def are_alike(self, mine: Drawn, other: Drawn) -> bool:
        """Whether two draws that go together are both for one of the sums, or neither is: the second run shows which."""
        return (mine.site in self.lead.sites) == (other.site in self.lead.sites)

    def after(self, passed: Passed, mine: Drawn, other: Drawn, binding: Mapping[Symbol, Term]) -> Passed:
        """What was passed after a draw, whose value in the second run is in the binding."""
        if mine.site not in self.lead.sites:
            return passed
        sums = (_sum(mine), put(_sum(other), binding))
        chosen = [equal(mine.turn, variable(ghost_value(which))) for which in range(self.ghosts)]
        is_winner = some(chosen)
        firsts = (self.better(passed, 0, sums[0], is_winner), self.better(passed, 1, sums[1], is_winner))
        winners = tuple(
            (choose(here, sums[0], one), choose(here, sums[1], two))
            for here, (one, two) in zip(chosen, passed.winners, strict=True)
        )
        in_order = (equal(mine.turn, passed.count), equal(put(other.turn, binding), passed.count))
        none = every([passed.none, is_winner])
        return Passed(passed.count + number(1), none, firsts, winners, (*passed.in_order, *in_order))

    def better(self, passed: Passed, run: int, value: Sum, is_winner: Formula) -> Sum:
        before = passed.firsts[run]
        ahead = below(value, before) if self.lead.least else below(before, value)
        return choose(is_winner, before, choose(some([passed.none, ahead]), value, before))

    def known(self, passed: Passed) -> Iterator[Formula]:
        """What is known at the answer, where every place was passed once: how far the first of the others has moved, and
        that real noise ties with no noise that it is independent of."""
        complete = every([*passed.in_order, equal(passed.count, variable(LENGTH))])
        moved = equal(variable(MOVE).times(self.slope), passed.firsts[1] - passed.firsts[0])
        yield implies(complete, every([implies(passed.none, equal(variable(MOVE), ZERO)), implies(negate(passed.none), moved)]))
        inside = [every([complete, _is_passed(w, passed)]) for w in range(self.ghosts)]
        for w, (value, _) in enumerate(passed.winners):
            yield implies(every([inside[w], negate(passed.none)]), negate(equal(value, passed.firsts[0])))
            for v in range(w):
                apart = negate(equal(variable(ghost_value(v)), variable(ghost_value(w))))
                yield implies(every([inside[w], inside[v], apart]), negate(equal(value, passed.winners[v][0])))


def moves_no_further(neighbours: Neighbours) -> tuple[Formula, ...]:
    """The first of several sums moves no further than one of them does, and no less far than another."""
    move = variable(MOVE)
    if neighbours.single:
        by = variable(moved_by(neighbours.sort))
        return (some([every([at_most(ZERO, move), at_most(move, by)]), every([at_most(by, move), at_most(move, ZERO)])]),)
    low, high = neighbours.ends
    return at_most(number(low * neighbours.distance), move), at_most(move, number(high * neighbours.distance))


def _is_passed(which: int, passed: Passed) -> Formula:
    ghost = variable(ghost_value(which))
    return every([at_most(ZERO, ghost), below(ghost, passed.count)])


def _sum(drawn: Drawn) -> Sum:
    return drawn.rest + variable(drawn.symbol).times(drawn.factor)


def find_others(alignment: Alignment, first_run: Run, second_run: Run, sketch: Sketch) -> Others | None:
    """The rule of an alignment that has one; raises Unsupported where the first of the others is not a function of the
    databases, the arguments and noise that keeps its value."""
    lead = alignment.lead
    if lead is None:
        if any(form.lead for shift in alignment.shifts for form in forms_of(shift)):
            raise Unsupported("a shift follows the others, and nothing says which these are")
        return None
    if not alignment.ghosts or any(loop is not None for loop in alignment.renewed):
        raise Unsupported("the others are those that no ghost names, for the whole run")
    if sketch.private.table is not None and sketch.private.table.depends_on_run:
        raise Unsupported("what is asked of the records depends on noise")
    public = frozenset(public_symbols(sketch))
    if any(path.computed for run in (first_run, second_run) for paths in run.paths.values() for path in paths):
        raise Unsupported("the program multiplies or divides values that may differ")
    if not lead.sites or any(not 0 <= site < len(alignment.shifts) or not _keeps(alignment.shifts[site]) for site in lead.sites):
        raise Unsupported("the noise of the others does not keep its value")
    sums = [
        _plain(drawn, path, public)
        for run in (first_run, second_run)
        for paths in run.paths.values()
        for path in paths
        for drawn in path.draws
        if drawn.site in lead.sites
    ]
    if len(set(sums)) != 1:
        raise Unsupported("the noisy sums of the answers are not all made alike")
    slope, *_ = sums[0]
    return Others(lead, len(alignment.ghosts), slope)


def _keeps(shift: Shift | ShiftRule) -> bool:
    """Whether noise keeps its value at every place that no ghost names."""
    while isinstance(shift, AtGhost) and shift.offset == 0:
        shift = shift.orelse
    return shift in (Form(), Always(Form()))


def _plain(drawn: Drawn, path: SegmentPath, public: frozenset[Symbol]) -> tuple[Fraction, Fraction, Sum]:
    """The factors of the answer and of the noise in a sum, and the sum with a name for the answer."""
    if drawn.noise.whole or drawn.noise.finite or drawn.noise.selects or not drawn.factor:
        raise Unsupported("only real noise that is added to an answer follows the others: other noise may tie with them")
    here: dict[Symbol, Term] = {r.symbol: variable(ANSWER) for r in path.reads if r.private and r.place == drawn.turn}
    rest = put(drawn.rest, here)
    unknowns = set(rest.terms)
    if not unknowns <= public | {ANSWER} or ANSWER not in unknowns:
        raise Unsupported("the sums of the others are made of more than the answer at their place and public numbers")
    return Fraction(rest.terms[ANSWER]), drawn.factor, rest


def forms_of(shift: Shift | ShiftRule) -> list[Form]:
    """All forms of a rule."""
    match shift:
        case Always(form):
            return [form]
        case Form():
            return [shift]
        case _:
            return [*forms_of(shift.then), *forms_of(shift.orelse)]
