"""Formulas for alignments that sort runs by where the values of watched names are from. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from itertools import product as product_of

from kolahal.logic.compiled import compile_formula
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import TRUE, Formula, Sum, at_most, below, equal, every, implies, negate
from kolahal.proof.find.compiled_paths import ConcreteState, ObservedStates
from kolahal.proof.find.cost_candidates import observed
from kolahal.proof.find.numbers import Both
from kolahal.proof.trusted.cells import Cells
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.restated.watched import place_of
from kolahal.proof.trusted.symbols import ghost_value
from kolahal.proof.trusted.values import Maybe, Numeric

MOST_PRICES = 2  # by which the cost may be more than rehearsals have seen


def watched_facts(product: Product, loop: int) -> Iterator[Formula]:
    """Places are counted from 0, or none was noted yet; values from one place are equal."""
    for run in (product.first, product.second):
        values = [(name, value.value if isinstance(value, Maybe) else value) for name, value in run.place(loop).names]
        known = {name: value.value for name, value in values if isinstance(value, Numeric)}
        noted = {name: known[place_of(name)] for name in known if place_of(name) in known}
        yield from (at_most(number(-1), here) for here in noted.values())
        for (one, here), (other, there) in combinations(noted.items(), 2):
            alike = equal(known[one], known[other])
            yield implies(equal(here, there), alike)
            yield implies(every([equal(here, there), at_most(number(0), here)]), alike)  # where none was noted yet, they may differ


def watched_candidates(
    product: Product,
    neighbours: Neighbours,
    cells: Cells,
    loop: int,
    numbers: Sequence[Both],
    flags: Sequence[Formula],
    sample: ObservedStates,
    states: Sequence[ConcreteState],
) -> Iterator[Formula]:
    """Bounds on differences and on the cost, for each set of ghosts that a run is past."""
    ghosts = [variable(ghost_value(which)) for which in range(len(cells.alignment.ghosts))]
    known = [at_most(number(0), ghost) for ghost in ghosts]
    ways = [_ways(cells, loop, which, ghost) for which, ghost in enumerate(ghosts)]
    apart = [negate(equal(one, other)) for one, other in combinations(ghosts, 2)]
    modes = [mode for flag in flags for mode in (flag, negate(flag))]
    lone = [guard for way in ways for guard in way]
    for guard in (TRUE, *lone, *map(negate, known), *(every([way[0], *apart]) for way in ways if apart), *modes):
        yield from _held(guard, _differences(numbers, neighbours), states)
    for guard in (TRUE, *map(every, product_of(*ways)), *(every([mode, *way]) for mode in modes for way in product_of(*ways))):
        yield from _held(guard, _costs(product, guard, sample, states), states)


def _ways(cells: Cells, loop: int, which: int, ghost: Sum) -> tuple[Formula, ...]:
    """Whether a ghost's place is one that was passed, or is still ahead; where none is noted any more, it is some place."""
    known = at_most(number(0), ghost)
    if cells.alignment.ghosts[which] not in cells.run.unsettled[loop, None]:
        return (known,)
    here = cells.place(loop)
    return every([known, below(ghost, here)]), at_most(here, ghost)


def _held(guard: Formula, found: Iterator[Formula], states: Sequence[ConcreteState]) -> Iterator[Formula]:
    own = list(filter(compile_formula(guard), states))
    if own:
        yield from (implies(guard, formula) for formula in observed(found, own))


def _differences(numbers: Sequence[Both], neighbours: Neighbours) -> Iterator[Formula]:
    for both in numbers:
        if both.counts:
            yield implies(both.known, equal(both.difference, number(0)))
            continue
        for size in (neighbours.unit.times(Fraction(size)) for size in (-2, -1, 0, 1, 2)):
            yield from (implies(both.known, fact) for fact in (equal(both.difference, size), at_most(both.difference, size), at_most(size, both.difference)))


def _costs(product: Product, guard: Formula, sample: ObservedStates, states: Sequence[ConcreteState]) -> Iterator[Formula]:
    own = list(filter(compile_formula(guard), states))
    for powers in product.monomials:
        symbol = product.spent(powers)
        most = max((Fraction(state[symbol]) for state in own), default=Fraction(0))
        prices = [price for price in sample.prices[symbol] if price > 0][-MOST_PRICES:]
        yield from (at_most(variable(symbol), number(bound)) for bound in dict.fromkeys([most, *(most + price for price in prices)]))
