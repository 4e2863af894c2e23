"""Where a program loses most: the dual of the cheapest shift names databases, far out, on which its cost is reached.

Far out in the tails, −log P(event) is close to the least Σ |noise|/scale with which the event happens, and that is a
linear program too. On databases along the direction found here its multipliers are those of the cheapest shift, so
the loss between neighbours tends to the cost. Nothing rests on it: a counterexample is confirmed by its
probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from kolahal.lang.adjacency import Move
from kolahal.law.cost import Corner, Passage, build_problem, find_corners
from kolahal.law.linear_program import SHIFT, CheapestShift, find_shift
from kolahal.logic.counting import take_steps
from kolahal.logic.linear import LinearForm, Number, plain
from kolahal.logic.simplex import minimise
from kolahal.model import AllOf, Arguments, Database, Equals, Event, Example, Scalar, Within
from kolahal.nouns import dataclass
from kolahal.paths.events import OutputCell
from kolahal.paths.state import Fault, Item, Value, affine_parts
from kolahal.paths.unknowns import Affine, AnswerAt, Argument, Indeterminate, NoiseAt
from kolahal.proof.trusted.passages import Row, SizedProgram, active_part, find_rows, is_private_fact, move_answers
from kolahal.verdicts import Unknown

MOST_WITNESSES = 8


@dataclass(frozen=True, slots=True)
class Witness:
    """An event that becomes less likely by nearly e^cost when databases along `direction` move by `move`."""

    cost: Fraction
    event: OutputCell
    move: Move
    direction: Mapping[Indeterminate, Fraction]  # of answers and real arguments
    noise: Mapping[Indeterminate, Fraction]  # the likeliest noise in the event, along the same direction
    slopes: tuple[Fraction, ...]  # for each affine part of the answer: above 0, small values are the unlikely ones
    complete: bool  # whether the direction settles the multipliers, so that the loss tends to the whole cost

    def example(self, gain: Fraction, arguments: Arguments, level: Fraction = Fraction(0)) -> Example | None:
        """Two databases `gain` steps along the direction and the event; None if no answer shows that it happened.

        Answers start at `level`. Real arguments move along too: their values in `arguments` are where they start.
        """
        output = self.event.output
        if isinstance(output, Fault) or (isinstance(output, LinearForm) and not any(self.slopes)):
            return None
        d1 = tuple(level + gain * self.direction.get(AnswerAt(i), Fraction(0)) for i in range(len(self.move)))
        values = tuple(
            (name, value if isinstance(value, bool) else value + gain * self.direction.get(Argument(name), Fraction(0)))
            for name, value in arguments.values
        )
        there = Arguments(arguments.epsilon, len(d1), values)
        d2 = tuple(a + step for a, step in zip(d1, self.move, strict=True))
        return Example(d1, d2, self._claim(output, d1, there, gain), there)

    def _claim(self, output: Value, d1: Database, arguments: Arguments, gain: Fraction) -> Event:
        slopes = iter(self.slopes)
        known: dict[str, Fraction | bool] = dict(arguments.values)
        answers = tuple(map(plain, d1))  # whole numbers are added several times faster

        def value(symbol: Indeterminate) -> Number:
            match symbol:
                case AnswerAt(place):
                    return answers[place]
                case Argument(name):
                    return known.get(name, arguments.epsilon)
                case _:
                    return plain(gain * far) if (far := self.noise.get(symbol)) else 0

        def part(item: Item) -> Scalar | Within:
            if item is None or isinstance(item, bool):
                return item
            if not isinstance(item, LinearForm):
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


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Witnesses, dearest first, and a cost that no loss exceeds, where one is known."""

    found: tuple[Witness, ...]
    cost: Fraction | None


@dataclass(frozen=True, slots=True)
class Stays:
    """The passages of events to themselves, and whether these are all that matter."""

    passages: tuple[Passage, ...]
    complete: bool


def find_stays(case: SizedProgram) -> Stays:
    """Where a comparison has no noise, a neighbour may leave its event, and only the events themselves are looked at."""
    active, whole = case.sites, case.is_whole(case.sites)
    moved = move_answers(range(case.size))
    found: list[Passage] = []
    real = (
        whole and not case.whole_answers
    )  # directions come from the corners, but no cost: shifts between are not whole
    complete = not real
    for place, event in enumerate(case.events):
        rows = find_rows(event, event, active, moved)
        corners = find_corners(case, rows, whole and not real)
        if isinstance(corners, Unknown):
            complete = False
        else:
            complete = complete and not any(is_private_fact(facet, active) for facet in event.facets)
            found.append(Passage(place, place, rows, corners))
    return Stays(tuple(found), complete)


def find_witnesses(case: SizedProgram, stays: Stays, scales: Sequence[Fraction]) -> Witnesses:
    """The events and moves that cost most for given scales, by site, each with a direction."""
    complete = stays.complete
    prices = {site: 1 / Fraction(scales[site]) for site in case.sites}
    found: list[tuple[Passage, Corner, CheapestShift]] = []
    for passage in stays.passages:
        for corner in passage.corners:
            problem, _ = build_problem(case.paths, passage.rows, corner)
            take_steps(SHIFT)
            shift = find_shift(problem, prices)
            if shift is None:
                complete = False  # no shift of the noise hides this move
                continue
            pairs = zip(problem.columns, shift.steps, strict=True)
            complete = complete and not any(column.whole and step.denominator != 1 for column, step in pairs)
            found.append((passage, corner, shift))
    found.sort(key=lambda way: -way[2].cost)
    cost = max((shift.cost for _, _, shift in found), default=Fraction(0)) if complete else None
    return Witnesses(tuple(_witness(case, *way, prices) for way in found[:MOST_WITNESSES]), cost)


def _witness(
    case: SizedProgram, passage: Passage, corner: Corner, shift: CheapestShift, prices: Mapping[int, Fraction]
) -> Witness:
    event = case.events[passage.source]
    priced = list(zip(passage.rows, shift.prices, strict=True))
    reached = {row.noise for row, price in priced if price > 0 and not row.equal}
    facets = [facet.form for facet in event.facets if _noise_of(facet.form).terms]
    slack = [form for form in facets if _noise_of(form) not in reached]
    direction = _find_direction(case, facets, slack, _senses(case, priced, prices))
    # Parts of an answer that say the same share one row.
    known, moved = dict(priced), move_answers(range(case.size))
    parts = [
        Row(active_part(part, case.sites), part.replace(moved) - part, True) for part in affine_parts(event.output)
    ]
    slopes = tuple(known[row] for row in parts)
    assert corner.move is not None
    return Witness(shift.cost, event, corner.move, direction.answers, direction.noise, slopes, direction.complete)


def _noise_of(form: Affine) -> Affine:
    return form.part(lambda symbol: isinstance(symbol, NoiseAt))


def _senses(
    case: SizedProgram, priced: Sequence[tuple[Row, Fraction]], prices: Mapping[int, Fraction]
) -> dict[Indeterminate, int]:
    """Which way each draw goes: where the multipliers just pay for a step of it, against them; the others stay at 0."""
    totals: dict[Indeterminate, Number] = {}
    for row, price in priced:
        for symbol, coefficient in row.noise.terms.items():
            totals[symbol] = totals.get(symbol, 0) + coefficient * price
    senses: dict[Indeterminate, int] = {}
    for symbol, total in totals.items():
        assert isinstance(symbol, NoiseAt)
        if total == -prices[symbol.site]:
            senses[symbol] = 1
        elif total == prices[symbol.site] and not case.paths.noises[symbol.site].one_sided:
            senses[symbol] = -1
    return senses


@dataclass(frozen=True, slots=True)
class _Direction:
    answers: dict[Indeterminate, Fraction]
    noise: dict[Indeterminate, Fraction]
    complete: bool


def _find_direction(
    case: SizedProgram, facets: Sequence[Affine], slack: Sequence[Affine], senses: Mapping[Indeterminate, int]
) -> _Direction:
    """Databases u and noise e along which the multipliers of a shift are the right ones.

    A facet with a multiplier is reached and a slack one is not; a draw goes the way of its sense. Each slack facet
    and each sense asks for a margin of 1 at least, and as little as possible of all these margins is given up.
    """
    fixed = Argument(case.paths.sketch.epsilon.name)
    movable = sorted(
        {s for form in facets for s in form.terms if isinstance(s, AnswerAt | Argument) and s != fixed},
        key=lambda s: (s.kind, str(s)),
    )
    kept: list[Indeterminate | Affine] = [*senses, *slack]

    def entry(form: Affine, thing: Indeterminate | Affine) -> Number:
        if isinstance(thing, LinearForm):
            return 1 if thing is form else 0
        return senses[thing] * form.terms.get(thing, 0)

    # Unknowns: u up, u down; what each margin lacks of 1, and what it has beyond. Every facet's sum is 0.
    count, many = len(movable), len(kept)
    rows, limits = [], []
    for form in facets:
        up = [form.terms.get(symbol, 0) for symbol in movable]
        margins = [entry(form, thing) for thing in kept]
        scale = math.lcm(*(c.denominator for c in (*up, *margins)))
        whole = [int(c * scale) for c in (*up, *(-c for c in up), *(-m for m in margins), *margins)]
        limit = -int(sum(margins) * scale)
        rows += [whole, [-c for c in whole]]
        limits += [limit, -limit]
    for i in range(many):
        rows.append([int(j == 2 * count + i) for j in range(2 * count + 2 * many)])
        limits.append(1)
    lacking = [0] * (2 * count) + [1] * many + [0] * many
    # Among equals, small steps, and answers rather than arguments.
    steps = [3 if isinstance(s, Argument) else 1 for s in movable] * 2 + [0] * many + [1] * many
    best = minimise([lacking, steps], rows, limits)
    if best is None:
        return _Direction({}, {}, complete=False)
    up_down = {s: best.point[i] - best.point[count + i] for i, s in enumerate(movable)}
    given = [1 - best.point[2 * count + i] + best.point[2 * count + many + i] for i in range(many)]
    noise = {
        thing: senses[thing] * margin
        for thing, margin in zip(kept, given, strict=True)
        if not isinstance(thing, LinearForm)
    }
    return _Direction({s: u for s, u in up_down.items() if u}, noise, all(margin > 0 for margin in given))
