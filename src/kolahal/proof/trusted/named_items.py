"""Winners of a list that is drawn at once, named by ghosts for the whole run: their noise moves, and may follow the first of the
others. docs/theory-lengths.md, "Several winners of a list"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    INT,
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
    magnitude,
    negate,
    put,
    some,
)
from kolahal.nouns import dataclass
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.others import MOVE, NONE, first, moves_no_further, winner
from kolahal.proof.trusted.shifts import Form
from kolahal.proof.trusted.symbols import LENGTH, ghost_value, own
from kolahal.proof.trusted.values import Maybe, NoisyItem, Read, SegmentPath


def place_of_first(run: int) -> Symbol:
    """A place of the first of the others."""
    return own("others.place", run, INT)


@dataclass(frozen=True, slots=True)
class NamedItems:
    """The items at the places that the ghosts `names` end with move by `form`; the noise of all others keeps its value."""

    item: NoisyItem
    form: Form
    names: tuple[str, ...]
    least: bool  # whether the first of the others is the least
    neighbours: Neighbours

    def facts(self) -> Iterator[Formula]:
        """What is known of the winners and of the first of the others, from the beginning to the end of a run."""
        yield from moves_no_further(self.neighbours)
        slope, none = self.item.slope, NONE
        yield implies(none, every([equal(variable(MOVE), ZERO), at_most(variable(LENGTH), number(len(self.names)))]))
        yield implies(negate(none), equal(variable(MOVE).times(slope), variable(first(2)) - variable(first(1))))
        for run in (1, 2):
            place = variable(place_of_first(run))
            yield implies(negate(none), every([self.is_inside(place), negate(self.wins(place))]))
        for which in range(len(self.names)):
            inside, value = self.is_inside(variable(ghost_value(which))), variable(winner(which, 1))
            move, known = self.move(which)
            yield from known
            gone = move.times(slope) + self.shift(which).times(self.item.factor)
            yield implies(inside, equal(variable(winner(which, 2)), value + gone))
            yield implies(every([inside, negate(none)]), negate(equal(value, variable(first(1)))))  # real noise never ties
            for before in range(which):
                both = every([inside, self.is_inside(variable(ghost_value(before)))])
                apart = negate(equal(variable(ghost_value(before)), variable(ghost_value(which))))
                yield implies(every([both, apart]), negate(equal(value, variable(winner(before, 1)))))

    def is_inside(self, place: Sum) -> Formula:
        return every([at_most(ZERO, place), below(place, variable(LENGTH))])

    def wins(self, place: Sum) -> Formula:
        return some([equal(place, variable(ghost_value(which))) for which in range(len(self.names))])

    def move(self, which: int) -> tuple[Sum, tuple[Formula, ...]]:
        """By how much a winner's answer moves; one number for the whole run."""
        return self.neighbours.move(-1 - which, variable(ghost_value(which)))

    def shift(self, which: int) -> Sum:
        """How far a winner's noise moves."""
        ratio = self.item.slope / self.item.factor
        shift = self.neighbours.unit.times(self.form.units)
        shift = shift - self.move(which)[0].times(ratio) if self.form.cancel else shift
        return shift + variable(MOVE).times(ratio) if self.form.lead else shift

    def second(self, place: Sum, value: Sum) -> Sum:
        """What the second run finds at a place where the first one looks; `value` if that is no winner's."""
        for which in reversed(range(len(self.names))):
            value = choose(equal(place, variable(ghost_value(which))), variable(winner(which, 2)), value)
        return value

    def seen(self, run: int, reads: tuple[Read, ...], binding: Mapping[Symbol, Term]) -> Iterator[Formula]:
        """What a run's looks at items say of the winners and of the others."""
        best, none = variable(first(run)), NONE
        for read in reads:
            if read.noisy != self.item:
                continue
            place, value = put(read.place, binding), put(variable(read.symbol), binding)
            inside, wins = self.is_inside(place), self.wins(place)
            for which in range(len(self.names)):
                here = every([inside, equal(place, variable(ghost_value(which)))])
                yield implies(here, equal(value, variable(winner(which, run))))
            behind = at_most(best, value) if self.least else at_most(value, best)
            yield implies(every([inside, negate(wins)]), every([negate(none), behind]))
            yield implies(every([negate(none), equal(place, variable(place_of_first(run)))]), equal(value, best))

    def costs(self, path: SegmentPath) -> Iterator[tuple[Sum, tuple[Formula, ...]]]:
        """What each winner's shift costs where a first run answers, and what has to be shown of it."""
        for which, name in enumerate(self.names):
            if (found := path.names.get(name)) is None:
                continue
            known = negate(found.none) if isinstance(found, Maybe) else TRUE
            inside, shift = every([known, self.is_inside(variable(ghost_value(which)))]), self.shift(which)
            goals = (implies(inside, at_most(ZERO, shift)),) if self.item.noise.one_sided else ()
            yield choose(inside, magnitude(shift).times(1 / self.item.scale.coefficient), ZERO), goals
