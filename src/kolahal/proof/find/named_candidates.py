"""Formulas for winners of a list that is drawn at once and follow the first of the others: what each run has seen of the
winners and of the others so far. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from kolahal.logic.compiled import compile_formula
from kolahal.logic.linear import variable
from kolahal.logic.terms import TRUE, ZERO, Formula, Sum, at_most, below, equal, every, implies, negate, symbols_of
from kolahal.nouns import dataclass
from kolahal.proof.find.compiled_paths import ConcreteState
from kolahal.proof.find.led_candidates import led_candidates
from kolahal.proof.find.numbers import Both
from kolahal.proof.find.turn_candidates import turn_candidates
from kolahal.proof.trusted.cells import Cells
from kolahal.proof.trusted.named_items import place_of_first
from kolahal.proof.trusted.others import NONE, first, winner
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.symbols import LENGTH, ghost_value

MOST_APART = 2  # places of other variables that an item is not at
MOST_PLACES = 4


def following(
    product: Product,
    cells: Cells,
    loop: int,
    numbers: Sequence[Both],
    flags: Sequence[tuple[Formula, Formula]],
    counters: Sequence[Sum],
    states: Sequence[ConcreteState],
) -> Iterator[Formula]:
    """What the variables of the program are to the winners and to the others, where winners follow them."""
    if product.first.noisy_items and cells.alignment.lead and any(loop is not None for loop in cells.alignment.renewed):
        yield from turn_candidates(product, cells.alignment, loop, numbers, flags, counters, states)
    elif product.first.noisy_items:
        yield from _named(cells, loop, numbers, states)
    else:
        yield from led_candidates(numbers, flags, counters, cells.alignment)


def _named(cells: Cells, loop: int, numbers: Sequence[Both], states: Sequence[ConcreteState]) -> Iterator[Formula]:
    alignment = cells.alignment
    if alignment.lead is None:
        return
    places, reals = [both for both in numbers if both.counts][:MOST_PLACES], [both for both in numbers if not both.counts]
    here = _next_place(cells, loop)
    for both in places:
        for at in (both.one, both.two):
            yield implies(both.known, every([at_most(ZERO, at), below(at, variable(LENGTH))]))
            yield implies(both.known, at_most(at, here))
            yield implies(every([both.known, below(ZERO, here)]), below(at, here))  # an item is looked at where a variable comes to it
    for a, b in combinations(places, 2):
        for one, other in ((a.one, b.one), (a.two, b.two)):
            yield implies(every([a.known, b.known]), negate(equal(one, other)))
    for run in (1, 2):
        seen = _Seen(len(alignment.ghosts), alignment.lead.least, run, here, places, reals, states)
        yield from seen.none_yet()
        yield from seen.values()
        yield from seen.bounds()


def _next_place(cells: Cells, loop: int) -> Sum:
    """The place that the next turn looks at, whatever is looked at behind the loop."""
    own = {symbol for _, symbol in cells.run.place(loop).ghosts}
    looks = {read.place: None for path in cells.run.paths[loop] for read in path.reads if symbols_of(read.place) & own}
    return next(iter(looks)) if len(looks) == 1 else cells.place(loop)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one run has seen; `here` is the place that its next turn looks at."""

    ghosts: int
    least: bool
    run: int
    here: Sum
    places: Sequence[Both]
    reals: Sequence[Both]
    states: Sequence[ConcreteState]

    def own(self, both: Both) -> Sum:
        return both.one if self.run == 1 else both.two

    def behind(self, low: Sum, high: Sum) -> Formula:
        return at_most(high, low) if self.least else at_most(low, high)

    def leaders(self) -> list[tuple[Sum, Sum, Formula]]:
        """The winners and the first of the others: place, value, and whether there is one."""
        ghosts = [variable(ghost_value(which)) for which in range(self.ghosts)]
        inside = [every([at_most(ZERO, at), below(at, variable(LENGTH))]) for at in ghosts]
        won = [(at, variable(winner(which, self.run)), inside[which]) for which, at in enumerate(ghosts)]
        return [*won, (variable(place_of_first(self.run)), variable(first(self.run)), negate(NONE))]

    def lost(self, place: Both) -> Formula:
        ghosts = (variable(ghost_value(which)) for which in range(self.ghosts))
        return every([place.known, *(negate(equal(self.own(place), at)) for at in ghosts)])

    def none_yet(self) -> Iterator[Formula]:
        """What has no value before something was passed, or where there is nothing to pass."""
        for both in [*self.reals, *self.places]:
            yield implies(NONE, negate(both.known))
            for at, _, counts in self.leaders():
                passed = every([counts, below(at, self.here)])
                yield from (implies(every([passed, elsewhere]), both.known) for _, elsewhere in self.apart(at))
        yield from (implies(self.lost(place), negate(NONE)) for place in self.places)

    def values(self) -> Iterator[Formula]:
        """Whose value a number is, by where a variable stands."""
        best = variable(first(self.run))
        for real in self.reals:
            value = self.own(real)
            yield implies(real.known, self.behind(value, best))
            for place in self.places:
                yield implies(self.lost(place), every([real.known, self.behind(value, best)]))
                for at, leader, counts in self.leaders():
                    stands = every([counts, place.known, equal(self.own(place), at)])
                    yield implies(stands, every([real.known, equal(value, leader)]))

    def bounds(self) -> Iterator[Formula]:
        """What a number is ahead of: all that was passed, but for what stands at the places of other variables; each with as
        few of these as rehearsals ask for."""
        for real in self.reals:
            for at, leader, counts in self.leaders():
                ahead = self.behind(leader, self.own(real))
                held: list[frozenset[int]] = []
                for guard in (TRUE, below(at, self.here)):
                    seen = every([counts, guard, real.known])
                    for own, elsewhere in self.apart(at):
                        found = implies(every([seen, elsewhere]), ahead)
                        if not any(fewer <= own for fewer in held) and all(map(compile_formula(found), self.states)):
                            held.append(own)
                            yield found

    def apart(self, at: Sum) -> Iterator[tuple[frozenset[int], Formula]]:
        """That some variables, few or none, stand elsewhere."""
        for own in (chosen for size in range(MOST_APART + 1) for chosen in combinations(range(len(self.places)), size)):
            places = [self.places[index] for index in own]
            yield frozenset(own), every([negate(every([place.known, equal(self.own(place), at)])) for place in places])
