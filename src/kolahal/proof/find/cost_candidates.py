"""Bounds on what was spent that may hold, at loop heads and at the end, kept where rehearsals agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from kolahal.lang.scale import Scale
from kolahal.logic.compiled import compile_formula, compile_sum
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import FALSE, TRUE, Formula, Sum, at_most
from kolahal.proof.find.compiled_paths import ConcreteState, ObservedStates
from kolahal.proof.find.numbers import whole_arguments
from kolahal.proof.find.scenarios import outer_loops
from kolahal.proof.trusted.budget import Share
from kolahal.proof.trusted.neighbours import Neighbours, quantity
from kolahal.proof.trusted.product import END, Product
from kolahal.proof.trusted.symbols import Turn, ghost_symbol


def observed(found: Iterable[Formula], states: Sequence[ConcreteState]) -> list[Formula]:
    """The formulas that hold in all states."""
    return [f for f in dict.fromkeys(found) if f not in (TRUE, FALSE) and all(map(compile_formula(f), states))]


def per_names(product: Product, powers: Any, claim: Scale) -> list[str]:
    """The public quantities that a share of draws with these powers may grow with."""
    total = dict(powers)
    for name, power in claim.powers:
        if name != product.sketch.epsilon.name:
            total[name] = total.get(name, 0) + power
    return sorted(name for name, power in total.items() if power > 0 and name != product.sketch.epsilon.name)


def end_candidates(product: Product, claim: Scale, sample: ObservedStates) -> list[Share]:
    """Shares of the budget that may suffice: what was seen, a little more, and all that the others leave."""
    ends = [state for loop, state in sample.states if loop == END]
    seen: dict[Any, dict[str | None, Fraction]] = {}
    for powers in product.monomials:
        symbol = product.spent(powers)
        seen[powers] = {}
        for per in [None, *per_names(product, powers, claim)]:
            size = compile_sum(number(1) if per is None else quantity(per, product.sketch))
            seen[powers][per] = max((Fraction(state[symbol]) / size(state) for state in ends), default=Fraction(0))
    result = []
    for powers, highest in seen.items():
        others = sum((min(own.values()) for other, own in seen.items() if other != powers), Fraction(0))
        for per, least in highest.items():
            more = [least + price for price in sample.prices[product.spent(powers)]]
            for bound in dict.fromkeys([least, *more, claim.coefficient - others]):
                result += [Share(powers, bound, per)] if least <= bound <= claim.coefficient else []
    return result


def share_formula(product: Product, neighbours: Neighbours, share: Share) -> Formula:
    """What a share says of the cost at the end; under `sum` it is in proportion to the move."""
    spent = variable(product.spent(share.powers))
    if neighbours.in_proportion and share.per is None:
        return at_most(spent, neighbours.unit.times(share.bound / neighbours.distance))
    per = number(1) if share.per is None else quantity(share.per, product.sketch)
    return at_most(spent, per.times(share.bound))


def spending(
    product: Product,
    counters: Sequence[Sum],
    neighbours: Neighbours,
    sample: ObservedStates,
    states: Sequence[ConcreteState],
) -> Iterator[Formula]:
    """Bounds on what was spent: what was seen or one price more, as such or for each step of a counter."""
    for powers in product.monomials:
        symbol = product.spent(powers)
        spent = variable(symbol)
        prices = [price for price in sample.prices[symbol] if price > 0][-6:]
        units = [(neighbours.unit, True), (number(1), False)] if neighbours.single else [(number(1), False)]
        for unit, is_move in units:
            measured = [(state[symbol], size) for state, size in zip(states, map(compile_sum(unit), states), strict=True)]
            highest = max((Fraction(cost) / size for cost, size in dict.fromkeys(measured) if size), default=Fraction(0))
            if any(cost > 0 for cost, size in measured if not size):
                continue  # there is no bound in proportion to a size, which is never below 0
            extra = [price / neighbours.distance if is_move else price for price in prices]
            for bound in dict.fromkeys([highest, *(highest + price for price in extra[-2:])]):
                yield from (found for found in [at_most(spent, unit.times(bound))] if found not in (TRUE, FALSE))
        arguments = whole_arguments(product.sketch)
        alike: dict[tuple[Any, ...], Sum] = {}  # counters that go together count once
        turns = [variable(ghost_symbol(Turn(loop), 1)) for loop in outer_loops(product)]
        for counter in (*(turn for turn in turns if turn in counters), *counters, *arguments):
            alike.setdefault(tuple(map(compile_sum(counter), states)), counter)
        for counter in alike.values():
            count = compile_sum(counter)
            most: dict[Any, Any] = {}  # that was spent, for each value of the counter
            for state in states:
                steps, cost = count(state), state[symbol]
                if steps not in most or cost > most[steps]:
                    most[steps] = cost
            for price in prices:
                base = max(Fraction(cost) - price * steps for steps, cost in most.items())
                for start in dict.fromkeys([base, max(base, Fraction(0))]):
                    yield at_most(spent, counter.times(price) + number(start))
