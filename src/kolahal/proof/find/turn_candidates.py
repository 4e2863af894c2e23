"""Formulas that may be invariant where the winners of turns follow the first of the others: what each number is to its twin, and to
the first of the others. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as product_of

from kolahal.logic.compiled import compile_formula
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    TRUE,
    ZERO,
    Formula,
    Sum,
    at_most,
    below,
    equal,
    every,
    implies,
    negate,
    same_truth,
    some,
    symbols_of,
)
from kolahal.proof.find.compiled_paths import ConcreteState
from kolahal.proof.find.numbers import Both
from kolahal.proof.trusted.named_items import is_behind, place_of_first, spares
from kolahal.proof.trusted.others import MOVE, NONE, first
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import Alignment
from kolahal.proof.trusted.symbols import Own, ghost_value
from kolahal.proof.trusted.values import Built

MOST_REALS, MOST_PLACES = 5, 4


def turn_candidates(
    product: Product,
    alignment: Alignment,
    loop: int,
    numbers: Sequence[Both],
    flags: Sequence[tuple[Formula, Formula]],
    counters: Sequence[Sum],
    states: Sequence[ConcreteState],
) -> Iterator[Formula]:
    """What the variables of the program are to the winners of turns and to the others."""
    assert alignment.lead is not None, "winners follow the others"
    (item,), least = product.first.noisy_items, alignment.lead.least
    move, firsts = variable(MOVE).times(item.slope), (variable(first(1)), variable(first(2)))
    alike = {both for both in numbers if both.counts and all(map(compile_formula(equal(both.one, both.two)), states))}
    places = [both for both in numbers if both.counts and both not in alike][:MOST_PLACES]
    heres = [here for here in counters if not any(isinstance(symbol, Own) for symbol in symbols_of(here))]
    counts = [both.one for both in numbers if both in alike and both.known == TRUE]
    heres += [count for count in counts if not any(isinstance(symbol, Own) and symbol.part == ".len" for symbol in symbols_of(count))]
    reals = [both for both in numbers if not both.counts][:MOST_REALS]
    for run in (1, 2):
        yield from (implies(negate(NONE), spares(name, run)) for name, value in product.first.place(loop).names if isinstance(value, Built))
    guards = [TRUE, *(at_most(ZERO, both.one) for both in places), *(flag for flag, _ in flags), *(negate(flag) for flag, _ in flags), *(below(ZERO, count) for count in dict.fromkeys([*heres, *counts]))]
    for real in reals:
        one, two = real.one, real.two
        for guard in guards:
            known = every([guard, real.known])
            yield implies(known, equal(two, one + move))
            yield implies(known, some([is_behind(two, one + move, least), every([negate(NONE), is_behind(two, firsts[1], least)])]))
            yield implies(known, some([is_behind(one + move, two, least), every([negate(NONE), is_behind(one, firsts[0], least)])]))
    for run in (1, 2):
        at, best = variable(place_of_first(run)), firsts[run - 1]
        stands = [(both.known, both.one if run == 1 else both.two) for both in places]
        for here in heres:
            passed = every([negate(NONE), below(at, here)])
            for elsewhere in (TRUE, *(negate(every([known, equal(own, at)])) for known, own in stands)):
                seen = every([passed, elsewhere])
                yield from (implies(seen, at_most(ZERO, own)) for _, own in stands)
                yield from (implies(seen, every([real.known, is_behind(best, real.one if run == 1 else real.two, least)])) for real in reals)
            stands_here = every([negate(NONE), equal(here, at)])
            yield from (implies(stands_here, every([real.known, is_behind(best, real.one if run == 1 else real.two, least)])) for real in reals)
            for flag in (flags_of[run - 1] for flags_of in flags):
                for truth in (flag, negate(flag)):
                    yield implies(passed, truth)
                    yield implies(stands_here, truth)
    for here, real in product_of(heres, reals):  # an item that was looked at, and is not compared yet
        chosen = every([equal(here, variable(ghost_value(0))), real.known])
        yield implies(chosen, equal(real.two, real.one + move))
        yield implies(chosen, some([NONE, negate(equal(real.one, firsts[0]))]))
    yield from _of_the_winner(alignment, places, reals, firsts[0], move, least)


def _of_the_winner(
    alignment: Alignment, places: Sequence[Both], reals: Sequence[Both], best: Sum, move: Sum, least: bool
) -> Iterator[Formula]:
    """Where a variable of the first run stands at the coming winner, so does the second run's, or another one is ahead of it."""
    ghost = variable(ghost_value(0))
    for place, real in product_of(places, reals):
        chosen = every([place.known, equal(place.one, ghost), at_most(ZERO, ghost), real.known])
        ahead = every([negate(NONE), below(real.one, best) if not least else below(best, real.one)])
        yield implies(chosen, some([NONE, negate(equal(real.one, best))]))
        yield implies(chosen, some([ahead, equal(place.two, ghost)]))
        yield implies(chosen, some([ahead, equal(real.two, real.one + move)]))
        yield implies(every([chosen, place.known]), some([ahead, equal(place.two, place.one)]))
    for a, b in ((a, b) for a in reals for b in reals if a is not b):
        known = every([a.known, b.known])
        yield implies(known, is_behind(a.one, b.one, least))
        yield implies(known, is_behind(a.two, b.two, least))
    for place in places:
        yield from (implies(place.known, at_most(number(-1), own)) for own in (place.one, place.two))
        yield implies(place.known, same_truth(at_most(ZERO, place.one), at_most(ZERO, place.two)))
