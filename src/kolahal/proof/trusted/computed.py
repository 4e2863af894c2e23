"""Products and quotients that are not linear: equal operands give equal results, and more is not known of them.

docs/theory-lengths.md says why that is enough for whatever is computed from values that both runs have in common.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from kolahal.logic.linear import variable
from kolahal.logic.terms import (
    INT,
    REAL,
    ZERO,
    Formula,
    Sum,
    Symbol,
    Term,
    choose,
    equal,
    every,
    implies,
    is_whole,
    print_term,
    put,
)
from kolahal.proof.trusted.symbols import Computed
from kolahal.proof.trusted.values import Computation, Opaque, Unsupported, Walk

MOST_BITS = 4_096  # of a number that the program computes


def public(op: str, left: Sum, right: Sum, state: Walk) -> Opaque:
    """`left op right` of public values: the same in both runs, whatever it is."""
    if op == "/":
        state.faults.append(equal(right, ZERO))
    return Opaque(Symbol(f"({print_term(left)} {op} {print_term(right)})".replace("|", ""), REAL), op, left, right)


def compute(op: str, left: Sum, right: Sum, which: int, state: Walk) -> Sum:
    """`left op right` in one of the runs; a division by zero is a fault."""
    if op == "/":
        state.faults.append(equal(right, ZERO))
    for known in state.computed:
        if (known.op, known.left, known.right) == (op, left, right):
            return variable(known.symbol)
    stem = f"computed.{len(state.computed)}"
    sort = INT if op == "*" and is_whole(left) and is_whole(right) else REAL
    symbol = Computed(f"{stem}@{which}", sort, stem, which, "", len(state.draws))
    state.computed.append(Computation(symbol, op, left, right))
    return variable(symbol)


def bind_computed(one: Sequence[Computation], two: Sequence[Computation], made: int, binding: dict[Symbol, Term]) -> None:
    """The second run's results that depend on no draw but the first `made`, as what is known of them.

    Each is compared with results of the first run that depend on no more draws than it does, so that a shift that makes up
    for a difference of results is settled before the noise that it moves.
    """
    for theirs in two:
        if theirs.symbol.before <= made and theirs.symbol not in binding:
            result: Sum = variable(theirs.symbol)
            left, right = put(theirs.left, binding), put(theirs.right, binding)
            for mine in one:
                alike = (mine.op, mine.symbol.sort) == (theirs.op, theirs.symbol.sort)  # whole numbers stay whole
                if alike and mine.symbol.before <= theirs.symbol.before:
                    here = every([equal(mine.left, left), equal(mine.right, right)])
                    result = choose(here, variable(mine.symbol), result)
            binding[theirs.symbol] = result


def known_of(computed: Sequence[Computation]) -> Iterator[Formula]:
    """That one run's equal operands give equal results."""
    for mine, other in itertools.combinations(computed, 2):
        if mine.op == other.op:
            here = every([equal(mine.left, other.left), equal(mine.right, other.right)])
            yield implies(here, equal(variable(mine.symbol), variable(other.symbol)))


def bounded_number(value: Sum) -> Sum:
    """The value, unless its numbers are so long that a program could fill the memory with them."""
    numbers = (value.constant, *value.terms.values())
    if any(max(n.numerator.bit_length(), n.denominator.bit_length()) > MOST_BITS for n in numbers):
        raise Unsupported(f"a number has more than {MOST_BITS} bits")
    return value
