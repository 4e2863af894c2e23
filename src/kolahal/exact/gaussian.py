"""Event probabilities with Gaussian noise as intervals that hold for certain, in ball arithmetic.

For a concrete database an event is a union of polyhedra of independent draws. Draws that comparisons tie together are
integrated in two cases: one direction (the sum of Gaussian draws is Gaussian), and a star, where each draw is compared
with one in the middle: then one integral of products of distribution functions remains, which Arb encloses. Laplace and
Exponential draws may be among them; between their kinks everything is analytic.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from kolahal.exact.balls import Interval, precision
from kolahal.exact.finite import picks_ball
from kolahal.exact.intervals import rigorous_probability
from kolahal.lang.accounting import gdp_of
from kolahal.lang.canonical import twin
from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale, base_of, gdp_name
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments, Database, Event
from kolahal.nouns import dataclass
from kolahal.paths.cuts import CannotIntegrate, cut
from kolahal.paths.joined import find_outcomes
from kolahal.paths.unknowns import Atom, NoiseAt

BITS = 256
FAR = 60  # standard deviations, or scales of exponential noise, beyond which a bound on the tail is added
MOST_PIECES = 200  # of one integral


def flint() -> Any:
    import flint  # lazily: only refutations need it

    return flint


def ball(value: Fraction | int) -> Any:
    value = Fraction(value)
    return flint().arb(value.numerator) / value.denominator


def twin_arguments(sketch: Sketch, arguments: Arguments) -> Arguments:
    """The same arguments for the twin, where δ is one of the others."""
    more = () if sketch.delta is None or arguments.delta is None else ((sketch.delta.name, arguments.delta),)
    return Arguments(arguments.epsilon, arguments.size, (*arguments.values, *more))


@lru_cache(maxsize=64)
def gdp_ball(epsilon: Fraction, delta: Fraction) -> Any:
    """The μ whose trade-off curve touches (ε, δ), enclosed: δ rises with μ."""
    near = Fraction(gdp_of(float(epsilon), float(delta)))
    with precision(BITS):
        width = Fraction(1, 2**40)  # doubled, because doubles may be far off where ε and δ are small
        low, high = near / (1 + width), near * (1 + width)
        while not delta_ball(ball(low), epsilon) < ball(delta):
            width *= 2
            low = near / (1 + width)
        while not delta_ball(ball(high), epsilon) > ball(delta):
            width *= 2
            high = near * (1 + width)
        for _ in range(120):
            middle = (low + high) / 2
            found = delta_ball(ball(middle), epsilon)
            if found < ball(delta):
                low = middle
            elif found > ball(delta):
                high = middle
            else:
                break
        return ball(low).union(ball(high))


def delta_ball(mu: Any, epsilon: Fraction) -> Any:
    """The least δ for which μ-GDP is (ε, δ)-DP."""
    e = ball(epsilon)
    return normal_below(-e / mu + mu / 2) - e.exp() * normal_below(-e / mu - mu / 2)


def normal_below(x: Any) -> Any:
    """Φ(x), for balls and for complex balls."""
    return (-x / flint().arb(2).sqrt()).erfc() / 2


def scale_ball(scale: Scale, sketch: Sketch, arguments: Arguments) -> Any:
    """A scale at some arguments; gdp(ε, δ) is enclosed."""
    names = {name: ball(value) for name, value in arguments.quantities(sketch).items()}
    if sketch.delta is not None and arguments.delta is not None:
        names[gdp_name(sketch.budget.name, sketch.delta.name)] = gdp_ball(arguments.epsilon, arguments.delta)
    result = ball(scale.coefficient)
    for name, power in scale.powers:
        result *= (names[base_of(name)] + (name != base_of(name))) ** power
    return result.sqrt() if scale.root else result


def budget_probability(
    sketch: Sketch, database: Database, arguments: Arguments, event: Event
) -> Interval | CannotIntegrate:
    """P(event) on a database, for a program without holes and of any budget."""
    like, given = twin(sketch), twin_arguments(sketch, arguments)
    scales = [draw.scale for draw in sketch.draws]
    if not any(draw.noise.bell for draw in sketch.draws):
        names = arguments.quantities(sketch)
        touches = any("gdp(" in name for scale in scales if isinstance(scale, Scale) for name, _ in scale.powers)
        exact = [None if not isinstance(s, Scale) or not _is_fraction(s, names) else s.at(names) for s in scales]
        if touches or None in exact:
            return CannotIntegrate("a scale is not a fraction here")
        return rigorous_probability(like, database, given, [s for s in exact if s is not None], event)
    if any(draw.noise.finite for draw in sketch.draws):
        return CannotIntegrate("coins stand beside Gaussian noise")
    outcomes = find_outcomes(like, given.size, given.environment(like), frozenset(), database, event)
    if isinstance(outcomes, CannotIntegrate):
        return outcomes
    with precision(BITS):
        widths = [scale_ball(scale, sketch, arguments) for scale in scales if isinstance(scale, Scale)]
        families = [draw.noise for draw in sketch.draws]
        total = flint().arb(0)
        for path in outcomes.paths:
            parts = cut(event, path.output, outcomes.noises)
            if isinstance(parts, CannotIntegrate):
                return parts
            if any(gap.terms for pick in path.picks for gap in pick.gaps):
                return CannotIntegrate("a place is chosen among scores with noise")
            chosen = picks_ball(path.picks, {}, lambda site, gap: (ball(gap) / widths[site]).exp())
            for part in parts:
                found = _polyhedron((*path.atoms, *part), widths, families)
                if isinstance(found, CannotIntegrate):
                    return found
                total += chosen * found
        return Interval(total)


def _is_fraction(scale: Scale, names: Mapping[str, Fraction]) -> bool:
    return Scale(scale.squared.at(names), (), True).root is False if scale.root else True


# ---------------------------------------------------------------- one polyhedron


@dataclass(frozen=True, slots=True)
class NoiseRow:
    """Σ coefficient × draw ≤ limit; `strict` matters for noise on the whole numbers."""

    noise: Mapping[NoiseAt, Fraction]
    limit: Fraction
    strict: bool


def _polyhedron(atoms: Sequence[Atom], widths: Sequence[Any], families: Sequence[Noise]) -> Any:
    """The probability that all comparisons hold, as a ball, or why it cannot be computed."""
    rows: list[NoiseRow] = []
    for atom in dict.fromkeys(atoms):
        noise = {s: Fraction(c) for s, c in atom.form.terms.items() if isinstance(s, NoiseAt)}
        if len(noise) < len(atom.form.terms):
            return CannotIntegrate("a comparison depends on something that has no value")
        limit = -Fraction(atom.form.constant)
        if noise:
            rows.append(NoiseRow(noise, limit, atom.strict))
        elif limit < 0 or (atom.strict and limit == 0):
            return flint().arb(0)
    product = flint().arb(1)
    for group in components(rows):
        found = _component(group, widths, families)
        if isinstance(found, CannotIntegrate):
            return found
        product *= found
    return product


def components(rows: Sequence[NoiseRow]) -> list[list[NoiseRow]]:
    """Rows that share draws, directly or through others, together."""
    groups: list[tuple[set[NoiseAt], list[NoiseRow]]] = []
    for row in rows:
        draws, members = set(row.noise), [row]
        apart = []
        for other_draws, others in groups:
            if draws & other_draws:
                draws |= other_draws
                members = [*others, *members]
            else:
                apart.append((other_draws, others))
        groups = [*apart, (draws, members)]
    return [members for _, members in groups]


def _component(rows: Sequence[NoiseRow], widths: Sequence[Any], families: Sequence[Noise]) -> Any:
    draws = sorted({draw for row in rows for draw in row.noise})
    kinds = {families[draw.site] for draw in draws}
    if any(kind.whole for kind in kinds):
        if len(draws) == 1 and kinds == {Noise.DISCRETE_GAUSS}:
            return _whole(rows, draws[0], widths[draws[0].site])
        return CannotIntegrate("draws of noise on the whole numbers are compared with each other")
    first = rows[0].noise
    lead = draws[0]
    if kinds == {Noise.GAUSS} and all(_parallel(row.noise, first) for row in rows):
        variance = sum((ball(c) ** 2 * widths[d.site] ** 2 for d, c in first.items()), flint().arb(0))
        low, high = _ends((row.noise[lead] / first[lead], row.limit) for row in rows)
        if low is not None and high is not None and low >= high:
            return flint().arb(0)
        deviation = variance.sqrt()
        return _between(None if low is None else ball(low) / deviation, None if high is None else ball(high) / deviation)
    for middle in draws:
        if all(len(row.noise) == 1 or (len(row.noise) == 2 and middle in row.noise) for row in rows):
            return Star(middle, draws, rows, widths, families).value()
    return CannotIntegrate("the comparisons tie Gaussian noise together in no star")


def _between(low: Any, high: Any) -> Any:
    """The chance of standard normal noise, from small numbers where it lies far out."""
    if low is None or high is None:
        return flint().arb(1) if low is high else normal_below(high) if low is None else normal_below(-low)
    return normal_below(-low) - normal_below(-high) if low > 0 else normal_below(high) - normal_below(low)


def _parallel(one: Mapping[NoiseAt, Fraction], other: Mapping[NoiseAt, Fraction]) -> bool:
    if one.keys() != other.keys():
        return False
    return len({one[draw] / other[draw] for draw in one}) == 1


def _ends(rows: Iterator[tuple[Fraction, Fraction]]) -> tuple[Fraction | None, Fraction | None]:
    """The bounds on x where every factor × x ≤ limit."""
    low: Fraction | None = None
    high: Fraction | None = None
    for factor, limit in rows:
        bound = limit / factor
        if factor > 0:
            high = bound if high is None else min(high, bound)
        else:
            low = bound if low is None else max(low, bound)
    return low, high


def _whole(rows: Sequence[NoiseRow], draw: NoiseAt, sigma: Any) -> Any:
    """The probability that discrete Gaussian noise is between two whole numbers."""
    least: int | None = None
    most: int | None = None
    for row in rows:
        factor = row.noise[draw]
        bound = row.limit / factor
        if factor > 0:
            end = -((-bound).__floor__()) - 1 if row.strict else bound.__floor__()
            most = end if most is None else min(most, end)
        else:
            end = bound.__floor__() + 1 if row.strict else -((-bound).__floor__())
            least = end if least is None else max(least, end)
    span = int(float(sigma.upper()) * 40) + 40
    start, stop = (least if least is not None else -span), (most if most is not None else span)
    if max(abs(start), abs(stop)) > 20 * span or span > 20_000:
        return CannotIntegrate("discrete Gaussian noise is too wide to be added up")
    mass = _mass(-span, span, sigma) + _tail(span, sigma) * 2
    inside = _mass(start, stop, sigma)
    if least is None:
        inside += _tail(span, sigma)
    if most is None:
        inside += _tail(span, sigma)
    return inside / mass


def _mass(start: int, stop: int, sigma: Any) -> Any:
    total = flint().arb(0)
    for k in range(start, stop + 1):
        total += (-flint().arb(k) ** 2 / (2 * sigma**2)).exp()
    return total


def _tail(span: int, sigma: Any) -> Any:
    """Σ over k > span of exp(−k²/2σ²), enclosed: each term is at most exp(−span/σ²) times the one before."""
    first = (-flint().arb(span + 1) ** 2 / (2 * sigma**2)).exp()
    bound = first / (1 - (-flint().arb(span) / sigma**2).exp())
    return flint().arb(0).union(bound)


# ---------------------------------------------------------------- a star


@dataclass(frozen=True, slots=True)
class Leaf:
    """A draw between bounds that are linear in the middle: each is (slope, constant)."""

    draw: NoiseAt
    low: tuple[tuple[Fraction, Fraction], ...]
    high: tuple[tuple[Fraction, Fraction], ...]


class Star:
    """The integral over the draw in the middle of the chance that all others keep to their bounds."""

    def __init__(
        self,
        middle: NoiseAt,
        draws: Sequence[NoiseAt],
        rows: Sequence[NoiseRow],
        widths: Sequence[Any],
        families: Sequence[Noise],
    ):
        self.middle, self.widths, self.families = middle, widths, families
        self.low, self.high = _ends((r.noise[middle], r.limit) for r in rows if list(r.noise) == [middle])
        self.leaves = [self.leaf(draw, rows) for draw in draws if draw != middle]

    def leaf(self, draw: NoiseAt, rows: Sequence[NoiseRow]) -> Leaf:
        low: list[tuple[Fraction, Fraction]] = []
        high: list[tuple[Fraction, Fraction]] = []
        for row in rows:
            if draw in row.noise:
                factor = row.noise[draw]
                line = (-row.noise.get(self.middle, Fraction(0)) / factor, row.limit / factor)
                (high if factor > 0 else low).append(line)
        return Leaf(draw, tuple(low), tuple(high))

    def value(self) -> Any:
        family, width = self.families[self.middle.site], self.widths[self.middle.site]
        reach = Fraction(int(float(width.upper()) * FAR) + 1)
        start, stop = (Fraction(0) if family.one_sided else -reach), reach
        tail = flint().arb(0)
        if self.low is None or self.low < start:
            tail = tail + (0 if family.one_sided else 1)
        if self.high is None or self.high > stop:
            tail = tail + 1
        start = start if self.low is None else max(start, self.low)
        stop = stop if self.high is None else min(stop, self.high)
        if start >= stop:
            return CannotIntegrate("the middle of a star lies too far out")
        beyond = flint().arb(0).union(self.tail(family, ball(reach) / width)) * tail
        cuts = sorted({start, stop, *(x for x in self.kinks() if start < x < stop)})
        if len(cuts) > MOST_PIECES:
            return CannotIntegrate("an integral has too many kinks")
        total = flint().arb(0)
        for left, right in itertools.pairwise(cuts):
            total += self.piece(left, right)
        return total + beyond

    def tail(self, family: Noise, distance: Any) -> Any:
        return normal_below(-distance) if family.bell else (-distance).exp()

    def kinks(self) -> Iterator[Fraction]:
        """Where a bound of a leaf changes from one line to another, or crosses the kink of its noise."""
        yield Fraction(0)
        for leaf in self.leaves:
            lines = (*leaf.low, *leaf.high)
            if not self.families[leaf.draw.site].bell:
                yield from (-constant / slope for slope, constant in lines if slope)
            for i, (slope, constant) in enumerate(lines):
                yield from ((other - constant) / (slope - more) for more, other in lines[:i] if slope != more)

    def piece(self, left: Fraction, right: Fraction) -> Any:
        """The integral between two kinks, where every part is analytic."""
        inside = (left + right) / 2
        middle, width = self.families[self.middle.site], self.widths[self.middle.site]
        bounds = []
        for leaf in self.leaves:
            low = max(leaf.low, key=lambda line: line[0] * inside + line[1], default=None)
            high = min(leaf.high, key=lambda line: line[0] * inside + line[1], default=None)
            if low and high and low[0] * inside + low[1] >= high[0] * inside + high[1]:
                return flint().arb(0)
            bounds.append((leaf.draw, low, high))

        def density(x: Any) -> Any:
            if middle.bell:
                return (-x * x / (2 * width**2)).exp() / (width * (2 * flint().arb.pi()).sqrt())
            sign = 1 if inside >= 0 else -1
            return (-sign * x / width).exp() / (width * (1 if middle.one_sided else 2))

        def below(draw: NoiseAt, line: tuple[Fraction, Fraction], x: Any) -> Any:
            family, scale = self.families[draw.site], self.widths[draw.site]
            at = (ball(line[0]) * x + ball(line[1])) / scale
            if family.bell:
                return normal_below(at)
            above = line[0] * inside + line[1] >= 0
            if family.one_sided:
                return 1 - (-at).exp() if above else at * 0
            return 1 - (-at).exp() / 2 if above else at.exp() / 2

        def integrand(x: Any, analytic: bool) -> Any:
            result = density(x)
            for draw, low, high in bounds:
                if high is None:
                    result *= 1 - below(draw, low, x) if low else 1
                else:
                    result *= below(draw, high, x) - (below(draw, low, x) if low else 0)
            return result

        found = flint().acb.integral(integrand, ball(left), ball(right), rel_tol=2.0**-100, abs_tol=2.0**-200)
        return found.real
