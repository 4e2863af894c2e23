"""Winners of a list that is drawn at once, named by ghosts for the whole run, or by one that begins anew in each turn: their noise
moves, and may follow the first of the others. docs/theory-lengths.md, "Several winners of a list" and "Winners of turns"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    BOOL,
    FALSE,
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
    is_whole,
    magnitude,
    negate,
    put,
    put_in,
    some,
)
from kolahal.nouns import dataclass
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.others import MOVE, NONE, first, moves_no_further, winner
from kolahal.proof.trusted.shifts import Form
from kolahal.proof.trusted.symbols import LENGTH, ghost_value, own
from kolahal.proof.trusted.values import (
    Built,
    Maybe,
    NoisyItem,
    Numeric,
    Read,
    SegmentPath,
    SegmentStart,
    SymbolicValue,
    Unsupported,
)


def place_of_first(run: int) -> Symbol:
    """A place of the first of the others."""
    return own("others.place", run, INT)


def is_inside(place: Sum) -> Formula:
    return every([at_most(ZERO, place), below(place, variable(LENGTH))])


def is_behind(value: Sum, best: Sum, least: bool) -> Formula:
    return at_most(best, value) if least else at_most(value, best)


def shift_of(form: Form, item: NoisyItem, move: Sum, neighbours: Neighbours) -> Sum:
    """How far the noise of an item moves whose answer moves so far."""
    ratio = item.slope / item.factor
    shift = neighbours.unit.times(form.units)
    shift = shift - move.times(ratio) if form.cancel else shift
    return shift + variable(MOVE).times(ratio) if form.lead else shift


def of_the_first(item: NoisyItem, neighbours: Neighbours) -> Iterator[Formula]:
    """What is known of the first of the others all along."""
    yield from moves_no_further(neighbours)
    yield implies(NONE, equal(variable(MOVE), ZERO))
    yield implies(negate(NONE), equal(variable(MOVE).times(item.slope), variable(first(2)) - variable(first(1))))
    yield from (implies(negate(NONE), is_inside(variable(place_of_first(run)))) for run in (1, 2))


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
        yield from of_the_first(self.item, self.neighbours)
        none = NONE
        yield implies(none, at_most(variable(LENGTH), number(len(self.names))))
        for run in (1, 2):
            yield implies(negate(none), negate(self.wins(variable(place_of_first(run)))))
        for which in range(len(self.names)):
            inside, value = is_inside(variable(ghost_value(which))), variable(winner(which, 1))
            move, known = self.move(which)
            yield from known
            gone = move.times(self.item.slope) + self.shift(which).times(self.item.factor)
            yield implies(inside, equal(variable(winner(which, 2)), value + gone))
            yield implies(every([inside, negate(none)]), negate(equal(value, variable(first(1)))))  # real noise never ties
            for before in range(which):
                both = every([inside, is_inside(variable(ghost_value(before)))])
                apart = negate(equal(variable(ghost_value(before)), variable(ghost_value(which))))
                yield implies(every([both, apart]), negate(equal(value, variable(winner(before, 1)))))

    def wins(self, place: Sum) -> Formula:
        return some([equal(place, variable(ghost_value(which))) for which in range(len(self.names))])

    def move(self, which: int) -> tuple[Sum, tuple[Formula, ...]]:
        """By how much a winner's answer moves; one number for the whole run."""
        return self.neighbours.move(-1 - which, variable(ghost_value(which)))

    def shift(self, which: int) -> Sum:
        """How far a winner's noise moves."""
        return shift_of(self.form, self.item, self.move(which)[0], self.neighbours)

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
            inside, wins = is_inside(place), self.wins(place)
            for which in range(len(self.names)):
                here = every([inside, equal(place, variable(ghost_value(which)))])
                yield implies(here, equal(value, variable(winner(which, run))))
            yield implies(every([inside, negate(wins)]), every([negate(none), is_behind(value, best, self.least)]))
            yield implies(every([negate(none), equal(place, variable(place_of_first(run)))]), equal(value, best))

    def costs(self, path: SegmentPath) -> Iterator[tuple[Sum, tuple[Formula, ...]]]:
        """What each winner's shift costs where a first run answers, and what has to be shown of it."""
        for which, name in enumerate(self.names):
            if (found := path.names.get(name)) is None:
                continue
            known = negate(found.none) if isinstance(found, Maybe) else TRUE
            inside, shift = every([known, is_inside(variable(ghost_value(which)))]), self.shift(which)
            goals = (implies(inside, at_most(ZERO, shift)),) if self.item.noise.one_sided else ()
            yield choose(inside, magnitude(shift).times(1 / self.item.scale.coefficient), ZERO), goals


@dataclass(frozen=True, slots=True)
class FoundInTurns:
    """The items at the places that the ghost `which` names at arrivals at a loop move alike; the noise of all others keeps its value."""

    item: NoisyItem
    which: int
    least: bool  # whether the first of the others is the least
    neighbours: Neighbours

    def facts(self) -> Iterator[Formula]:
        return of_the_first(self.item, self.neighbours)

    def coming(self) -> Iterator[Formula]:
        """What is known of the place that the ghost names at an arrival which is sure to come."""
        ghost = variable(ghost_value(self.which))
        for run in (1, 2):
            apart = negate(equal(ghost, variable(place_of_first(run))))
            yield implies(every([is_inside(ghost), negate(NONE)]), apart)

    def look(self, place: Sum, values: tuple[Sum, Sum], wins: Symbol) -> Iterator[Formula]:
        """What is known where both runs look at a place and find such values, the second if its noise keeps its value;
        `wins` is whether an arrival names it."""
        inside, others = is_inside(place), negate(NONE)
        behind = [is_behind(value, variable(first(run)), self.least) for run, value in enumerate(values, start=1)]
        yield implies(every([inside, negate(wins)]), every([others, *behind]))
        yield implies(every([inside, wins, others]), negate(equal(values[0], variable(first(1)))))  # real noise never ties
        for run, value in enumerate(values, start=1):
            here = every([others, equal(place, variable(place_of_first(run)))])
            yield implies(here, every([negate(wins), equal(value, variable(first(run)))]))

    def symbols(self, place: SegmentStart, run: int) -> tuple[Symbol, ...]:
        """Of each list at a loop head, a truth: if it holds, no item is the place of the first of the others."""
        return tuple(spares(name, run) for name, value in place.names if isinstance(value, Built))

    def updates(self, place: SegmentStart, path: SegmentPath, run: int, binding: Mapping[Symbol, Term]) -> Iterator[tuple[Symbol, Term]]:
        for name, value in place.names:
            if isinstance(value, Built):
                if not isinstance(built := path.names[name], Built):
                    raise Unsupported("a variable holds values of several kinds")
                before = TRUE if built.base is None else spares(built.base, run)
                apart = [_is_spared(item, run) for item in (*built.front, *built.back)]
                yield spares(name, run), put_in(every([before, *apart]), binding)

    def items_read(self, path: SegmentPath, run: int, binding: Mapping[Symbol, Term]) -> Iterator[Formula]:
        """What a run's looks at items of its own lists say."""
        for read in path.reads:
            if isinstance(read.spot.of, str) and read.symbol.sort == INT:
                yield put_in(implies(spares(read.spot.of, run), _is_spared(Numeric(variable(read.symbol)), run)), binding)


def spares(name: str, run: int) -> Symbol:
    return own(name, run, BOOL, ".spares")


def _is_spared(item: SymbolicValue, run: int) -> Formula:
    """From which it follows that an item is not the place of the first of the others."""
    match item:
        case Numeric(value) if is_whole(value):
            return negate(equal(value, variable(place_of_first(run))))
        case Maybe(none, inner):
            return some([none, _is_spared(inner, run)])
        case _:
            return FALSE
