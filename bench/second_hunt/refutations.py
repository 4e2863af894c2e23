"""A counterexample's two probabilities, computed again without any code that found them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from bench.second_hunt.losses import Inputs, Signature, are_neighbours, grid_draws, probability, values_for
from bench.second_hunt.machine import ONE_SIDED, WHOLE, Draws, Limits, Machine, Support, names_for, run
from kolahal.model import AllOf, Anything, Equals, Event, Linear, OneOf, StartsWith, Within
from kolahal.verdicts import Refuted

EXACT = Limits(60_000, 1e-13, 1e-11)
SMOOTH = Limits(80_000, 1e-12, 1e-7)
CELLS = {1: 400, 2: 24}  # of real noise, a scale, by the number of draws
ROOM = {1: 0.01, 2: 0.1}  # relative error that so many cells may make


def flaw(machine: Machine, signature: Signature, found: Refuted) -> str:
    """Why a counterexample is none, or nothing."""
    example = found.example
    inputs = Inputs(example.d1, example.d2, example.arguments.epsilon, example.arguments.values)
    if not are_neighbours(signature, inputs.d1, inputs.d2):
        return f"{example} are no neighbours"
    low = [name for name, value in inputs.arguments if name in signature.required and value < 1]
    if low:
        return f"{example} has {low[0]} below 1"
    whole = signature.noises <= set(WHOLE)
    for draws in (1,) if whole else (1, 2):
        noise = grid_draws(Fraction(1), EXACT.tail) if whole else cell_draws(CELLS[draws], SMOOTH.tail)
        limits = EXACT if whole else SMOOTH
        bounds = []
        for second in (False, True):
            one = run(machine, values_for(signature, inputs, second), limits, names_for(noise))
            bounds.append(probability(one, lambda answer: happens(example.event, answer)))
        room = 1e-6 if whole else ROOM[draws]
        if max(high - low for low, high in bounds) < 1e-4:  # otherwise too much was cut off to say anything
            return _compare(found, bounds, float(inputs.epsilon), room)
    return ""


def _compare(found: Refuted, bounds: list[tuple[float, float]], epsilon: float, room: float) -> str:
    shown = [found.odds.p1, found.odds.p2]
    for told, (low, high) in zip(shown, bounds, strict=True):
        margin = room * max(high, told.high) + 1e-9 + (room * 1e-2 if room > 1e-3 else 0)
        if told.low > high + margin or told.high < low - margin:
            return f"{found.example}: its probability is said to be {told.value:.6g}, and it is between {low:.6g} and {high:.6g}"
    (low1, high1), (low2, high2) = bounds
    most = max(_log_ratio(high1, low2), _log_ratio(high2, low1))
    if most < epsilon * (1 - 1e-6) - (2 * room if room > 1e-3 else 0):
        return f"{found.example}: its loss is at most {most / epsilon:.6g}"
    return ""


def _log_ratio(high: float, low: float) -> float:
    return math.inf if low <= 0 else math.log(high / low) if high > 0 else -math.inf


def cell_draws(cells: int, tail: float) -> Draws:
    """Real noise cut into cells: each has its exact probability and stands at one place within, where no tie is."""

    def draws(name: str, scale: Any) -> Support:
        if name in WHOLE:
            return grid_draws(Fraction(1), tail)(name, scale)
        width, inside = float(scale) / cells, 0.5 + 1 / math.sqrt(7919)
        ends = math.ceil(-math.log(tail) * cells)
        ratio = math.exp(-1 / cells)
        share = (1 - ratio) * (1 if ONE_SIDED[name] else 0.5)
        right = [((k + inside) * width, share * ratio**k) for k in range(ends)]
        rest = ratio**ends
        if ONE_SIDED[name]:
            return Support(tuple(right), rest)
        return Support((*((-x, p) for x, p in reversed(right)), *right), rest)

    return draws


def happens(event: Event, answer: Any) -> bool:
    """Whether an answer, as the machine has it, is in an event; lists and tuples are told apart by their items alone."""
    items = answer[1:] if isinstance(answer, tuple) else None
    match event:
        case Equals(value):
            return _same(value, answer)
        case Within(low, high):
            number = not isinstance(answer, str | tuple)
            return number and (low is None or low <= answer) and (high is None or answer <= high)
        case Anything():
            return True
        case AllOf(events):
            return items is not None and len(items) == len(events) and all(map(happens, events, items))
        case StartsWith(values):
            return items is not None and len(items) >= len(values) and all(map(_same, values, items))
        case Linear(weights, low):
            if items is None or len(items) != len(weights) or any(isinstance(i, str | tuple) for i in items):
                return False
            return bool(sum(w * Fraction(i) for w, i in zip(weights, items, strict=True)) >= low)
        case OneOf(events):
            return any(happens(e, answer) for e in events)
    raise AssertionError(f"an event of an unknown kind: {event}")


def _same(value: Any, answer: Any) -> bool:
    if isinstance(value, tuple):
        return isinstance(answer, tuple) and len(answer) == len(value) + 1 and all(map(_same, value, answer[1:]))
    if isinstance(value, bool) or value is None:
        return bool(answer == str(value))
    return not isinstance(answer, str | tuple) and bool(answer == value)
