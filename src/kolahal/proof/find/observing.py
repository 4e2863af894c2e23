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
from kolahal.proof.trusted.shifts import Alignment, Always, Form
from kolahal.proof.trusted.values import Goto, Returned

LOOKED_AT = 120  # scenarios
MOST_PRICES = 6
NOTHING = Fraction(0)


def observe(stage: Stage, alignment: Alignment, most: int) -> ObservedStates:
    """States that occur, each once and at most so many a place, and what single turns cost."""
    found: dict[tuple[Any, ...], tuple[int, ConcreteState]] = {}
    counts: dict[int, int] = {}
    outer = outer_loops(stage.product)
    prices: dict[Symbol, set[Fraction]] = {symbol: set() for symbol in stage.spent.values()}
    rounds: dict[Symbol, set[Fraction]] = {symbol: set() for symbol in prices}  # two turns that cost something, such as a new threshold and a hit
    orders: list[list[Symbol]] = []  # of the names in states: to compare them takes less time than to hash each
    for scenario in stage.scenarios[:LOOKED_AT]:
        for ghost in [None, scenario.ghost] if alignment.ghosts else [None]:
            before: dict[Symbol, Number] = dict.fromkeys(prices, 0)
            paid = dict.fromkeys(prices, NOTHING)  # by the last turn that cost something
            turns: dict[int, ConcreteState] = {}  # the last state at the head of a loop that holds others
            for loop, state in stage.outcome(scenario, alignment, ghost).states:
                for symbol, seen in prices.items():
                    now = state[symbol]
                    seen.add(price := NOTHING if now is before[symbol] else exact(now - before[symbol]))
                    if price:
                        rounds[symbol].add(paid[symbol] + price)
                        paid[symbol] = price
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
    return ObservedStates(
        tuple(found.values()),
        {symbol: tuple(sorted(seen)) for symbol, seen in prices.items()},
        {symbol: tuple(sorted({*seen, *sorted(rounds[symbol] - seen)[: max(0, MOST_PRICES - len(seen))]})) for symbol, seen in prices.items()},
    )


def sensitivities(stage: Stage) -> list[Fraction]:
    """By how much sums that noise is added to differ between runs without shifts, in units of the distance."""
    still = Alignment(tuple(Always(Form()) for _ in stage.product.sketch.draws))
    found = stage.lists.sensitivities()
    for scenario in stage.scenarios[:60]:
        loop: int | None = None
        state: ConcreteState = {**scenario.public, **dict.fromkeys(stage.spent.values(), 0)}
        for segment in range(stage.source.most_segments):
            entered = stage.enter(1, loop, state, scenario, segment)
            if entered is None:
                break
            ways = stage.ways(entered[0], entered[1], scenario, segment, still)
            match = next((way for way in ways if way.goes_along), None)
            if match is None or isinstance(entered[0].path.end, Returned):
                break
            one, two, both = entered[0], match.path, match.state
            elsewhere = any(a(both) != b(both) for (_, a), (_, b) in zip(one.reads, two.reads))
            unit = 0 if elsewhere else stage.unit(both)
            for (drawn, rest, _), (_, other, _) in zip(one.draws, two.draws):
                if unit and not drawn.noise.finite:
                    found.add(Fraction(abs(other(both) - rest(both))) / unit)
            state = stage.behind(one, two, both, state)
            assert isinstance(one.path.end, Goto)
            loop = one.path.end.loop
    return sorted(found - {Fraction(0)})


def exact(value: Number) -> Fraction:
    """As `Fraction` has it, which asks for longer what it was given."""
    return value if value.__class__ is Fraction else Fraction(value)
