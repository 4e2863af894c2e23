"""A proof with Gaussian noise for a fixed number of answers, in which shifts may look ahead, and the check (Theorem E).

As in a bounded proof the runs fall into events, and each event has a shift for every extreme neighbour. Events with the
same shifts go together; a group whose shifts are at most m deviations long adds at most δ_m(ε), what N(m, 1) and N(0, 1)
have at ε. A single group looks back alone (Theorem B), and keeps μ and ρ as well. docs/theory-budgets.md argues, also why
one ε and one δ are the worst of all that the program accepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from kolahal.nouns import dataclass
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

    unit: str  # gdp(ε, δ), ε or μ: deviations are multiples of 1/unit; or ρ: then squares are halves, and multiples of 1/ρ

    def allows(self, cost: Fraction) -> bool:
        return True

    def cost(self, steps: Mapping[NoiseAt, Fraction]) -> Fraction:
        return sum((step * step * self.prices[drawn.site] for drawn, step in steps.items()), Fraction(0))


def find_squares(program: Sketch, size: int, arguments: FixedArguments) -> Squares | Unknown:
    """What steps of Gaussian noise cost, where its scales are multiples of 1/gdp(ε, δ), or else of 1/ε; of 1/μ, or 1/√ρ."""
    if program.units:
        return Unknown(IN_UNITS)
    budget, power, half = program.budget.name, -2, Fraction(1)
    units = (budget,) if program.delta is None else (gdp_name(budget, program.delta.name), budget)
    if program.variant is Variant.ZCDP:
        power, half = -1, Fraction(1, 2)
    values = {name: value for name, value in arguments.items() if not isinstance(value, bool)}
    values |= {program.length_name: Fraction(size)}
    allowed = set(program.quantities()) & set(values)
    for unit in units:
        prices = {}
        for draw in program.draws:
            if draw.noise is not Noise.GAUSS or not isinstance(draw.scale, Scale):
                continue
            square = draw.scale.squared
            if dict(square.powers).get(unit) == power and square.names <= allowed | {unit}:
                prices[draw.site] = half / square.at({**values, unit: Fraction(1)})
        if prices:
            return Squares(prices, Fraction(0), unit)
    return Unknown("no Gaussian noise has a scale that follows the budget")


def recheck_union(certificate: Certificate, settings: ProofSettings = DEFAULTS) -> list[str]:
    """What is wrong with a certificate; nothing, if it is a proof."""
    try:
        document, program, claim = read_head(certificate, KIND)
        if program.holes:
            raise Rejected("the program has holes")
        like = twin(program)
        for arguments, size, entry in read_cases(document, like, settings):
            squares = find_squares(program, size, arguments)
            check = _UnionCheck(like, squares, size, arguments, settings, entry)
            check.run()
            assert isinstance(squares, Squares), "or the check has no prices"
            reasons = [too_long(program, claim, squares.unit, lengths) for lengths in check.lengths()]
            if all(reasons):
                raise check.flaw(reasons[-1])
    except (Flaw, Rejected, Malformed, KolahalError, RecursionError) as error:
        return [str(error)]
    return []


class _UnionCheck(CaseCheck):
    """One size and setting."""

    asked: list[tuple[Sequence[Row], list[DrawSteps]]]  # of each event, what a shift must satisfy, and its shifts

    def run(self) -> None:
        self.asked = []
        super().run()

    def check_event(self, rows: Sequence[Row], shifts: Sequence[DrawSteps]) -> None:
        if self.whole:
            raise self.flaw("whole noise has no price here")
        if reason := mixed_units(self.paths.sketch, rows):
            raise self.flaw(reason)
        self.asked.append((rows, sorted(shifts, key=self.budget.cost)))

    def lengths(self) -> Iterator[list[Fraction]]:
        """How long the shifts of each group of events are, at most, as squares: with one shift of all events for each
        extreme neighbour, where there is one; and with the shortest one of each event."""
        common = [steps for steps in self.asked[0][1] if all(steps in shifts for _, shifts in self.asked)]
        every = tuple(dict.fromkeys(row for rows, _ in self.asked for row in rows))
        together = self.choose(every, common)
        if together is not None:
            yield [max(map(self.budget.cost, together), default=Fraction(0))]
        groups: dict[tuple[frozenset[tuple[NoiseAt, Fraction]], ...], Fraction] = {}
        for rows, shifts in self.asked:
            chosen = self.choose(rows, shifts)
            if chosen is None:
                raise self.flaw("no shift hides some move of a neighbour")
            group = tuple(frozenset((drawn, step) for drawn, step in steps.items() if step) for steps in chosen)
            groups[group] = max(map(self.budget.cost, chosen), default=Fraction(0))
        yield list(groups.values())

    def choose(self, rows: Sequence[Row], shifts: Sequence[DrawSteps]) -> list[DrawSteps] | None:
        """For each extreme neighbour the first shift that satisfies all rows; None if some has none."""
        effects = [[effect_of(row, steps) for row in rows] for steps in shifts]
        chosen = []
        for move in self.moves():
            values: dict[Indeterminate, Number] = {MoveAt(i): step for i, step in enumerate(move)}
            changes = [row.change.at(values) for row in rows]
            found = next((steps for steps, effect in zip(shifts, effects) if satisfies(rows, effect, changes)), None)
            if found is None:
                return None
            chosen.append(found)
        return chosen

    def moves(self) -> Iterator[tuple[Fraction, ...]]:
        for count, move in enumerate(self.case.adjacency.vertices(self.case.size)):
            if count == MOST_MOVES:
                raise self.flaw(f"there are more than {MOST_MOVES} extreme neighbours")
            yield move

    def check_crossing(self, places: Sequence[int]) -> None:
        raise self.flaw("a comparison of answers has no noise that is shifted")


def too_long(program: Sketch, claim: Scale, unit: str, squares: Sequence[Fraction]) -> str:
    """Why shifts of these lengths, as squares in units of 1/`unit`, do not keep the claim for all that is accepted; or nothing."""
    long = sorted((square for square in squares if square), reverse=True)
    if not long:
        return ""
    if program.delta is None:
        if claim.root or claim.powers != ((program.budget.name, 1),):
            return f"the claim {claim} is not a multiple of the budget"
        limit = claim.coefficient if program.variant is Variant.ZCDP else claim.coefficient**2
        if len(long) > 1:
            return f"{len(long)} shifts that look ahead on Gaussian noise say nothing of {program.variant.words}"
        return "" if long[0] <= limit else f"a shift is {float(long[0] / limit) ** 0.5:.4g} times too long"
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
