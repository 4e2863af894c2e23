"""Coins, bits and chosen places in the two runs: what is known of them, and what it costs to make them go together.

docs/theory-draws.md says why these are alignments; this module is part of what has to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.noise import Noise
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    FALSE,
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
    negate,
    put,
    put_in,
    same_truth,
    symbols_of,
)
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.shifts import Form
from kolahal.proof.trusted.symbols import MOVED_AT
from kolahal.proof.trusted.values import Drawn, Logical, PrivateAnswers, Rival, Unsupported, after

ONE: Sum = number(1)


def support(noise: Noise, value: Sum) -> list[Formula]:
    """That a value is one that the noise can take, as far as its family says more than its sort."""
    return [at_most(ZERO, value)] * noise.one_sided + [at_most(value, ONE)] * noise.finite


def chosen_alike(pairs: Iterable[tuple[Drawn, Drawn]], binding: dict[Symbol, Term]) -> Iterator[Formula]:
    """Both runs choose the same places, and the same rivals; in the first run these are places of its list."""
    for mine, other in pairs:
        if mine.rival is not None and other.rival is not None:
            if mine.spot is not None:
                raise Unsupported("a place is chosen for an item of a comprehension")
            for symbol, twin in ((mine.symbol, other.symbol), (mine.rival.symbol, other.rival.symbol)):
                binding[twin] = variable(symbol)
                yield at_most(ZERO, variable(symbol))
                yield below(variable(symbol), mine.rival.length)


def paid_for(mine: Rival, other: Rival, price: Sum, binding: Mapping[Symbol, Term]) -> list[Formula]:
    """That the lists are equally long, and that `price` is at least what any rival gains on the chosen place."""
    longer = equal(put(other.length, binding), mine.length)
    return [longer, at_most(ZERO, price), at_most(put(other.gap, binding) - mine.gap, price)]


def is_bit(*values: Sum) -> Iterator[Formula]:
    """That whole numbers are 0 or 1."""
    for value in values:
        yield at_most(ZERO, value)
        yield at_most(value, ONE)


def in_truth(drawn: Drawn, value: Formula, drawn_here: Iterable[Drawn]) -> Drawn:
    """A coin with the truth value that it is part of, unless a smaller one has claimed it."""
    if drawn.factor or not drawn.noise.finite:
        return drawn
    return replace(drawn, side=put_in(value, after(drawn, drawn_here, symbols_of(value))), factor=Fraction(1))


def turn(form: Form, mine: Drawn, other: Drawn, binding: Mapping[Symbol, Term], neighbours: Neighbours) -> Sum:
    """By how much a coin moves: to its other side where the form says so, and not at all elsewhere.

    It is turned over always (`units` 1); where the truth value that it stands in would differ between the runs if it
    had fallen False (`cancel`); where a variable differs, or the answer at the place of its turn if the variable is the
    private list (`follow`); of several of these, where an odd number holds.
    """
    if form.units not in (0, 1):
        raise Unsupported("a coin has two sides")
    turned: Formula = TRUE if form.units else FALSE
    if form.cancel:
        if not mine.factor or mine.factor != other.factor:
            raise Unsupported("a coin that stands in no truth value cannot make one equal")
        turned = negate(same_truth(turned, _differ(mine.side, put_in(other.side, binding))))
    if form.follow is not None:
        here, there = mine.names.get(form.follow), other.names.get(form.follow)
        if isinstance(here, PrivateAnswers) and neighbours.single:
            moved = every([equal(mine.turn, variable(MOVED_AT)), negate(equal(neighbours.unit, ZERO))])
            here, there = Logical(FALSE), Logical(moved)
        if not isinstance(here, Logical) or not isinstance(there, Logical):
            raise Unsupported(f"`{form.follow}` is not a truth value where the coin is flipped")
        turned = negate(same_truth(turned, _differ(here.value, put_in(there.value, binding))))
    return choose(turned, ONE - variable(mine.symbol).times(2), ZERO)


def _differ(one: Formula, two: Formula) -> Formula:
    return negate(same_truth(one, two))
