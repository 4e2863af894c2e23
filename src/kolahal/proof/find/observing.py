"""The states that two runs are seen in. Nothing here is trusted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from kolahal.logic.linear import Number
from kolahal.logic.terms import Symbol
from kolahal.proof.find.compiled_paths import ConcreteState, ObservedStates
from kolahal.proof.find.concrete_runs import Stage
from kolahal.proof.find.scenarios import outer_loops
from kolahal.proof.trusted.product import END
from kolahal.proof.trusted.shifts import Alignment

LOOKED_AT = 120  # scenarios
NOTHING = Fraction(0)


def observe(stage: Stage, alignment: Alignment, most: int) -> ObservedStates:
    """States that occur, each once and at most so many a place, and what single turns cost."""
    found: dict[tuple[Any, ...], tuple[int, ConcreteState]] = {}
    counts: dict[int, int] = {}
    outer = outer_loops(stage.product)
    prices: dict[Symbol, set[Fraction]] = {symbol: set() for symbol in stage.spent.values()}
    orders: list[list[Symbol]] = []  # of the names in states: to compare them takes less time than to hash each
    for scenario in stage.scenarios[:LOOKED_AT]:
        for ghost in [None, scenario.ghost] if alignment.ghosts else [None]:
            before: dict[Symbol, Number] = dict.fromkeys(prices, 0)
            turns: dict[int, ConcreteState] = {}  # the last state at the head of a loop that holds others
            for loop, state in stage.outcome(scenario, alignment, ghost).states:
                for symbol, seen in prices.items():
                    now = state[symbol]
                    seen.add(NOTHING if now is before[symbol] else exact(now - before[symbol]))
                    before[symbol] = now
                    if loop in turns:
                        seen.add(exact(now - turns[loop][symbol]))
                if loop in outer:
                    turns[loop] = state
                if counts.get(loop, 0) >= most or (loop == END and ghost is not None):
                    continue
                told = state if loop != END else {s: v for s, v in state.items() if s in prices or s in scenario.public}
                names = list(told)
                if names not in orders:
                    orders.append(names)
                key = (loop, orders.index(names), *told.values())
                if key not in found:
                    found[key] = (loop, state)
                    counts[loop] = counts.get(loop, 0) + 1
    return ObservedStates(tuple(found.values()), {symbol: tuple(sorted(seen)) for symbol, seen in prices.items()})


def exact(value: Number) -> Fraction:
    """As `Fraction` has it, which asks for longer what it was given."""
    return value if value.__class__ is Fraction else Fraction(value)
