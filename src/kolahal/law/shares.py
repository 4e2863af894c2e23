"""A law as shares of the budget: the scale at which the noise of a hole takes a given part of it, and what parts may add up to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from kolahal.lang.ir import Hole
from kolahal.lang.polynomial import Polynomial
from kolahal.lang.scale import NO_NOISE, Scale
from kolahal.lang.sketch import Completion, Sketch
from kolahal.law.hole_choices import HoleChoice, Holes, cover
from kolahal.law.law import print_rule
from kolahal.nouns import dataclass
from kolahal.results import Rule


@dataclass(frozen=True, slots=True)
class SharePlan:
    """The completions that keep to one rule: some holes with noise, each with a share of the budget.

    Where all shares of a row, times its weights, add up to no more than its room, a completion is within the budget.
    """

    holes: Holes
    whole: tuple[Scale, ...]  # by hole, the scale that takes all of the budget
    squares: tuple[bool, ...]  # by hole, whether its price falls with the square of its scale
    rows: tuple[tuple[Fraction, ...], ...]  # of each inequality, the weights of the shares
    room: tuple[Fraction, ...]  # of each inequality, what noise that is given leaves of the budget
    law: str
    sizes: tuple[int, ...]
    grows: bool  # whether its noise grows with the number of answers

    def even(self) -> tuple[Fraction, ...]:
        """The same share for every hole, as large as may be."""
        share = min(room / sum(row) for row, room in self._limits())
        return (share,) * len(self.holes)

    def fitted(self, parts: Sequence[float]) -> tuple[float, ...]:
        """Shares in these proportions that use up the budget."""
        most = min(float(room) / sum(float(w) * p for w, p in zip(row, parts, strict=True)) for row, room in self._limits())
        return tuple(part * most for part in parts)

    def allows(self, shares: Sequence[Fraction]) -> bool:
        return all(sum(w * s for w, s in zip(row, shares, strict=True)) <= room for row, room in self._limits())

    def completion(self, shares: Sequence[Fraction], count: int) -> Completion:
        """The scales of all `count` holes of the sketch; those without a share have no noise."""
        found = [NO_NOISE] * count
        for place, hole in enumerate(self.holes):
            taken = Scale(Fraction(shares[place]))
            whole = self.whole[place]
            found[hole] = (whole.squared / taken).rooted() if self.squares[place] else whole / taken
        return tuple(found)

    def numbers(self, shares: Sequence[float], names: Mapping[str, Fraction], count: int) -> tuple[float, ...]:
        """The same as numbers, where each name has its value."""
        found = [0.0] * count
        for place, hole in enumerate(self.holes):
            found[hole] = self.whole[place].near(names) / shares[place] ** (0.5 if self.squares[place] else 1.0)
        return tuple(found)

    def _limits(self) -> Iterable[tuple[tuple[Fraction, ...], Fraction]]:
        return [(row, room) for row, room in zip(self.rows, self.room, strict=True) if any(row)]


def plans_of(sketch: Sketch, choices: Iterable[HoleChoice]) -> Iterator[SharePlan]:
    """A plan for each rule of each choice of holes of a sketch with a pure budget."""
    for choice in choices:
        for rule in choice.laws.rules:
            plan = plan_of(sketch, rule, choice.laws.sizes)
            if plan is not None and plan.holes == choice.holes:
                yield plan


def plan_of(sketch: Sketch, rule: Rule, sizes: tuple[int, ...]) -> SharePlan | None:
    """The plan of a rule with linear prices, if it leaves a choice."""
    budget = Scale(Fraction(1), ((sketch.epsilon.name, 1),))
    whole = {hole: cover(weights) / budget for hole, weights in weights_by_hole(sketch, rule).items()}
    return build_plan(sketch, rule, whole, frozenset(), print_rule(sketch, rule), sizes)


def weights_by_hole(sketch: Sketch, rule: Rule) -> dict[int, list[Polynomial]]:
    """All weights that a rule gives to each hole, in the order of the holes."""
    found: dict[int, list[Polynomial]] = {}
    for site, weight in (item for inequality in rule.inequalities for item in inequality.coefficients):
        scale = sketch.draws[site].scale
        if isinstance(scale, Hole):
            found.setdefault(scale.index, []).append(weight)
    return dict(sorted(found.items()))


def build_plan(
    sketch: Sketch, rule: Rule, whole: Mapping[int, Scale], squares: frozenset[int], law: str, sizes: tuple[int, ...]
) -> SharePlan | None:
    """The plan of a rule; `whole` are the scales by hole that take all of the budget. None if given noise leaves nothing."""
    holes = tuple(sorted(whole))
    needs = {hole: cover(weights).coefficient for hole, weights in weights_by_hole(sketch, rule).items()}
    rows, rooms = [], []
    for inequality in rule.inequalities:
        row, room = dict.fromkeys(holes, Fraction(0)), Fraction(1)
        for site, weight in inequality.coefficients:
            scale = sketch.draws[site].scale
            if isinstance(scale, Hole):
                row[scale.index] += cover([weight]).coefficient / needs[scale.index]
            else:
                taken = weight.divided(scale * Scale(Fraction(1), ((sketch.budget.name, 1),)))
                room -= cover([taken]).coefficient
        rows.append(tuple(row.values()))
        rooms.append(room)
    if not holes or min(rooms) <= 0:
        return None
    return SharePlan(
        holes, tuple(whole[h] for h in holes), tuple(h in squares for h in holes), tuple(rows), tuple(rooms), law, sizes,
        rule.grows(sketch.length_name),
    )  # fmt: skip
