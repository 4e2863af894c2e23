"""A proof of (ε, δ)-DP for a fixed number of answers, in which shifts of Gaussian noise look ahead, and the check (Theorem E).

As in a bounded proof the runs fall into events, and each event has a shift for every extreme neighbour. Events with the
same shifts go together; a group whose shifts are at most m deviations long adds at most δ_m(ε), what N(m, 1) and N(0, 1)
have at ε. docs/theory-budgets.md argues, also why one ε and one δ are the worst of all that the program accepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kolahal.errors import KolahalError
from kolahal.lang.accounting import delta_of_gdp, rising
from kolahal.lang.canonical import IN_UNITS, twin
from kolahal.lang.noise import Noise
from kolahal.lang.preconditions import bounds_of
from kolahal.lang.scale import Scale, gdp_name
from kolahal.lang.sketch import Sketch, Variant
from kolahal.logic.linear import Number
from kolahal.logic.normal import delta_bounds, root_above
from kolahal.paths.unknowns import Indeterminate, MoveAt, NoiseAt
from kolahal.proof.trusted.bounded import (
    DEFAULTS,
    Budget,
    CaseCheck,
    DrawSteps,
    FixedArguments,
    Flaw,
    effect_of,
    read_cases,
    satisfies,
)
from kolahal.proof.trusted.certificate import Rejected
from kolahal.proof.trusted.concentrated import read_head
from kolahal.proof.trusted.documents import Malformed
from kolahal.proof.trusted.passages import Row, mixed_units
from kolahal.settings import ProofSettings
from kolahal.verdicts import Certificate, Unknown

KIND = "union"
MOST_MOVES = 4_096  # extreme neighbours


@dataclass(frozen=True, slots=True)
class Squares(Budget):
    """Squares of how long shifts are, in deviations times `unit`: how many may be spent is asked of all events together."""

    unit: str  # gdp(ε, δ) or ε: deviations are multiples of 1/unit

    def allows(self, cost: Fraction) -> bool:
        return True

    def cost(self, steps: Mapping[NoiseAt, Fraction]) -> Fraction:
        return sum((step * step * self.prices[drawn.site] for drawn, step in steps.items()), Fraction(0))


def find_squares(program: Sketch, size: int, arguments: FixedArguments) -> Squares | Unknown:
    """What steps of Gaussian noise cost, where its scales are multiples of 1/gdp(ε, δ), or else of 1/ε."""
    if program.variant is not Variant.APPROXIMATE or program.delta is None:
        return Unknown(f"shifts that look ahead on Gaussian noise say nothing of {program.variant.words}")
    if program.units:
        return Unknown(IN_UNITS)
    epsilon = program.budget.name
    values = {name: value for name, value in arguments.items() if not isinstance(value, bool)}
    values |= {program.length_name: Fraction(size)}
    allowed = set(program.quantities()) & set(values)
    for unit in (gdp_name(epsilon, program.delta.name), epsilon):
        prices = {}
        for draw in program.draws:
            if draw.noise is not Noise.GAUSS or not isinstance(draw.scale, Scale):
                continue
            square = draw.scale.squared
            if dict(square.powers).get(unit) == -2 and square.names <= allowed | {unit}:
                prices[draw.site] = 1 / square.at({**values, unit: Fraction(1)})
        if prices:
            return Squares(prices, Fraction(0), unit)
    return Unknown("no Gaussian noise has a scale that is a multiple of 1/gdp(ε, δ) or 1/ε")


def recheck_union(certificate: Certificate, settings: ProofSettings = DEFAULTS) -> list[str]:
    """What is wrong with a certificate; nothing, if it is a proof."""
    try:
        document, program, _ = read_head(certificate, KIND)
        if program.holes:
            raise Rejected("the program has holes")
        like = twin(program)
        for arguments, size, entry in read_cases(document, like, settings):
            squares = find_squares(program, size, arguments)
            check = _UnionCheck(like, squares, size, arguments, settings, entry)
            check.run()
            if isinstance(squares, Squares) and (reason := too_long(program, squares.unit, list(check.groups.values()))):
                raise check.flaw(reason)
    except (Flaw, Rejected, Malformed, KolahalError, RecursionError) as error:
        return [str(error)]
    return []


class _UnionCheck(CaseCheck):
    """One size and setting; `groups` has the longest shift of each group of events, as a square."""

    groups: dict[tuple[frozenset[tuple[NoiseAt, Fraction]], ...], Fraction]

    def run(self) -> None:
        self.groups = {}
        super().run()

    def check_event(self, rows: Sequence[Row], shifts: Sequence[DrawSteps]) -> None:
        if self.whole:
            raise self.flaw("whole noise has no price here")
        if reason := mixed_units(self.paths.sketch, rows):
            raise self.flaw(reason)
        cheap = sorted(shifts, key=self.budget.cost)
        effects = [[effect_of(row, steps) for row in rows] for steps in cheap]
        chosen = []
        for move in self.moves():
            values: dict[Indeterminate, Number] = {MoveAt(i): step for i, step in enumerate(move)}
            changes = [row.change.at(values) for row in rows]
            found = next((steps for steps, effect in zip(cheap, effects) if satisfies(rows, effect, changes)), None)
            if found is None:
                raise self.flaw(f"no shift hides the move ({', '.join(map(str, move))})")
            chosen.append(found)
        group = tuple(frozenset((drawn, step) for drawn, step in steps.items() if step) for steps in chosen)
        self.groups[group] = max((self.budget.cost(steps) for steps in chosen), default=Fraction(0))

    def moves(self) -> Iterator[tuple[Fraction, ...]]:
        for count, move in enumerate(self.case.adjacency.vertices(self.case.size)):
            if count == MOST_MOVES:
                raise self.flaw(f"there are more than {MOST_MOVES} extreme neighbours")
            yield move

    def check_crossing(self, places: Sequence[int]) -> None:
        raise self.flaw("a comparison of answers has no noise that is shifted")


def too_long(program: Sketch, unit: str, squares: Sequence[Fraction]) -> str:
    """Why shifts of these lengths, as squares in units of 1/`unit`, are not (ε, δ)-DP for all that is accepted; or nothing."""
    assert program.delta is not None
    long = sorted((square for square in squares if square), reverse=True)
    if not long:
        return ""
    least_epsilon, most_epsilon = bounds_of(program.asserted, program.budget.name)
    least_delta, most_delta = bounds_of(program.asserted, program.delta.name)
    if unit == program.budget.name:
        if most_epsilon is None or most_epsilon <= 0 or least_delta is None or least_delta <= 0:
            return "noise like 1/ε needs the most ε and the least δ, such as `assert eps <= 1 and delta >= 1e-6`"
        epsilon, delta, distance = most_epsilon, least_delta, most_epsilon
    elif len(long) == 1:
        return "" if long[0] <= 1 else f"a shift is {float(long[0]) ** 0.5:.4g} times too long"
    elif long[0] > 1 or most_delta is None or not 0 < most_delta < 1:
        return f"{len(long)} shifts of noise that look ahead need the most δ, such as `assert eps >= 0.5 and delta <= 1e-6`"
    else:
        epsilon, delta = max(least_epsilon or Fraction(0), Fraction(0)), most_delta
        distance = _distance_above(epsilon, delta)
    total = Fraction(0)
    for square in long:
        total += delta_bounds(root_above(square * distance * distance), epsilon)[1]
    if total <= delta:
        return ""
    return f"the shifts of {len(long)} groups of events add up to δ = {float(total):.4g} at ε = {float(epsilon):g}, above {float(delta):g}"


def _distance_above(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A number that is not below gdp(ε, δ)."""
    near = Fraction(rising(lambda mu: delta_of_gdp(mu, float(epsilon)), float(delta)))
    step = Fraction(1, 2**40)
    while delta_bounds(near * (1 + step), epsilon)[0] < delta:
        if step > 1:
            raise Rejected(f"no μ is known for ε = {float(epsilon)} and δ = {float(delta)}")
        step *= 2
    return near * (1 + step)
