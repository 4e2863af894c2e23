"""Where a program loses most: the dual of the cheapest shift names databases, far out, on which its cost is reached.

Far out in the tails, −log P(event) is close to the least Σ |noise|/scale with which the event happens, and that is a
linear program too. On databases along the direction found here its multipliers are those of the cheapest shift, so
the loss between neighbours tends to the cost. Nothing rests on it: a counterexample is confirmed by its
probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kolahal.engine.affine import Affine, Answer, Argument, Drawn, Number, Symbol
from kolahal.engine.linear import minimise
from kolahal.engine.symbolic import ONE_SIDED, Fault, Item, Value
from kolahal.lang.adjacency import Move
from kolahal.model import AllOf, Arguments, Database, Equals, Example, Scalar, Unknown, Within
from kolahal.model import Event as Claim
from kolahal.proof.alignment import Case, Corner, Passage, build_problem, find_passages
from kolahal.proof.events import Event
from kolahal.proof.lp import Shift, find_shift
from kolahal.settings import ProofSettings


@dataclass(frozen=True, slots=True)
class Witness:
    """An event that becomes less likely by nearly e^cost when databases along `direction` move by `move`."""

    cost: Fraction
    event: Event
    move: Move
    direction: Mapping[Symbol, Fraction]  # of answers and real arguments
    noise: Mapping[Symbol, Fraction]  # the likeliest noise in the event, along the same direction
    slopes: tuple[Fraction, ...]  # for each affine part of the answer: above 0, small values are the unlikely ones
    complete: bool  # whether the direction settles the multipliers, so that the loss tends to the whole cost

    def example(self, gain: Fraction, arguments: Arguments) -> Example | None:
        """Two databases `gain` steps along the direction and the event; None if no answer shows that it happened.

        Real arguments move along too: their values in `arguments` are where they start.
        """
        output = self.event.output
        if isinstance(output, Fault) or (isinstance(output, Affine) and not any(self.slopes)):
            return None
        d1 = tuple(gain * self.direction.get(Answer(i), Fraction(0)) for i in range(len(self.move)))
        values = tuple(
            (name, value if isinstance(value, bool) else value + gain * self.direction.get(Argument(name), Fraction(0)))
            for name, value in arguments.values
        )
        there = Arguments(arguments.epsilon, len(d1), values)
        d2 = tuple(a + step for a, step in zip(d1, self.move, strict=True))
        return Example(d1, d2, self._claim(output, d1, there, gain), there)

    def _claim(self, output: Value, d1: Database, arguments: Arguments, gain: Fraction) -> Claim:
        slopes = iter(self.slopes)
        known: dict[str, Fraction | bool] = dict(arguments.values)

        def value(symbol: Symbol) -> Number:
            match symbol:
                case Answer(place):
                    return d1[place]
                case Argument(name):
                    return known.get(name, arguments.epsilon)
                case _:
                    return gain * self.noise.get(symbol, Fraction(0))

        def part(item: Item) -> Scalar | Within:
            if item is None or isinstance(item, bool):
                return item
            if not isinstance(item, Affine):
                return Fraction(item)
            slope = next(slopes)
            level = Fraction(item.at({symbol: value(symbol) for symbol in item.terms}))
            return Within(level if slope < 0 else None, level if slope > 0 else None)

        if not isinstance(output, tuple):
            found = part(output)
            return found if isinstance(found, Within) else Equals(found)
        parts = [part(item) for item in output]
        values = tuple(p for p in parts if not isinstance(p, Within))
        if len(values) == len(parts):
            return Equals(values)
        return AllOf(tuple(p if isinstance(p, Within) else Equals(p) for p in parts))


def find_witness(case: Case, scales: Sequence[Fraction], settings: ProofSettings) -> Witness | Unknown:
    """The worst event and move for given scales, by site, with a direction along which its cost is reached."""
    active = frozenset(site for site in case.sites if scales[site])
    if active != case.sites:
        return Unknown("noise without a scale; fill the program first")
    passages = find_passages(case, active, settings.solver_steps)
    if isinstance(passages, Unknown):
        return passages
    prices = {site: 1 / Fraction(scales[site]) for site in active}
    worst: tuple[Passage, Corner, Shift] | None = None
    for passage in passages:
        for corner in passage.corners:
            problem, _ = build_problem(case.paths, passage.rows, corner)
            shift = find_shift(problem, prices)
            if shift is None:
                return Unknown("an event has no finite cost")
            if corner.move is not None and (worst is None or shift.cost > worst[2].cost):
                worst = passage, corner, shift
    if worst is None or worst[1].move is None:
        return Unknown("every event depends on facts about the database")
    passage, corner, shift = worst
    event = case.events[passage.source]
    direction = _find_direction(case, event, passage, shift, prices)
    slopes = tuple(price for row, price in zip(passage.rows, shift.prices, strict=True) if row.equal)
    return Witness(shift.cost, event, worst[1].move, *direction[:2], slopes, direction[2])


def _find_direction(
    case: Case, event: Event, passage: Passage, shift: Shift, prices: Mapping[int, Fraction]
) -> tuple[dict[Symbol, Fraction], dict[Symbol, Fraction], bool]:
    """Databases u and noise e along which the multipliers of the shift are the only right ones.

    A facet with a multiplier is reached, a facet without one is not; a draw moves in the sense in which its
    constraint on the multipliers is tight, and not at all where it is slack. Each of these is asked for with a
    margin of up to 1, and as much of all margins as possible is kept.
    """
    noise: dict[Symbol, Number] = {}
    for row, price in zip(passage.rows, shift.prices, strict=True):
        for symbol, coefficient in row.noise.terms.items():
            noise[symbol] = noise.get(symbol, 0) + coefficient * price
    senses: dict[Symbol, int] = {}
    for symbol, total in noise.items():
        assert isinstance(symbol, Drawn)
        if total == -prices[symbol.site]:
            senses[symbol] = 1
        elif total == prices[symbol.site] and case.paths.noises[symbol.site] not in ONE_SIDED:
            senses[symbol] = -1
    reached = {row.noise: price > 0 for row, price in zip(passage.rows, shift.prices, strict=True) if not row.equal}
    facets = [facet.form for facet in event.facets if facet.form.part(lambda s: isinstance(s, Drawn)).terms]
    movable = sorted(
        {s for form in facets for s in form.terms if isinstance(s, Answer | Argument)}
        - {Argument(case.paths.sketch.epsilon.name)},
        key=lambda s: (s.kind, str(s)),
    )
    slack = [form for form in facets if not reached[form.part(lambda s: isinstance(s, Drawn))]]
    # Unknowns: u up, u down; for each sense and each slack facet what its margin lacks of 1, and what it has beyond.
    kept: list[Symbol | Affine] = [*senses, *slack]
    width = 2 * len(movable) + 2 * len(kept)
    rows, limits = [], []

    def entry(form: Affine, thing: Symbol | Affine) -> Number:
        if isinstance(thing, Affine):
            return 1 if thing is form else 0
        return senses[thing] * form.terms.get(thing, 0)

    for form in facets:
        up = [form.terms.get(symbol, 0) for symbol in movable]
        margins = [entry(form, thing) for thing in kept]
        scale = math.lcm(*(Fraction(c).denominator for c in (*up, *margins)))
        line = [*up, *(-c for c in up), *(-m for m in margins), *margins]
        whole = [int(c * scale) for c in line]
        limit = -int(sum(margins) * scale)
        rows += [whole, [-c for c in whole]]
        limits += [limit, -limit]
    for i in range(len(kept)):
        rows.append([int(j == 2 * len(movable) + i) for j in range(width)])
        limits.append(1)
    lacking = [0] * (2 * len(movable)) + [1] * len(kept) + [0] * len(kept)
    sizes = [3 if isinstance(s, Argument) else 1 for s in movable] * 2 + [0] * len(kept) + [1] * len(kept)
    best = minimise([lacking, sizes], rows, limits)
    if best is None:
        return {}, {}, False
    count = len(movable)
    direction = {s: best.point[i] - best.point[count + i] for i, s in enumerate(movable)}
    margins_kept = [1 - best.point[2 * count + i] + best.point[2 * count + len(kept) + i] for i in range(len(kept))]
    moved = {
        thing: senses[thing] * m for thing, m in zip(kept, margins_kept, strict=True) if not isinstance(thing, Affine)
    }
    return {s: u for s, u in direction.items() if u}, moved, all(m > 0 for m in margins_kept)
