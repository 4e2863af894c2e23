"""The cost of a sketch with quadratic prices, as a formula: `1/(2*eta1**2) + len(q)/(2*eta2**2) <= rho`.

Shifts must not look ahead, so one shift of all draws has to hide a move whatever the answer is: the rows of all events
together. Two such shifts are looked at, that with the least longest step and the shortest: one of them is the cheapest
where steps are as long, or few. A law proposes, and only a proof makes a completion *Proved*.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from kolahal.inputs.arguments import whole_settings, with_flags
from kolahal.lang.places import fixed_places
from kolahal.lang.sketch import Sketch
from kolahal.law.cost import build_case, draws_of, find_passages
from kolahal.law.fitting import FitPoint, SizedFronts, fit_rules
from kolahal.law.law import Laws
from kolahal.law.linear_program import Front, Weights, is_below, is_weaker
from kolahal.logic.linear import Number
from kolahal.logic.simplex import minimise
from kolahal.paths.unknowns import Indeterminate, MoveAt, NoiseAt
from kolahal.proof.trusted.passages import Row, SizedProgram
from kolahal.settings import ProofSettings
from kolahal.verdicts import Unknown

MOST_MOVES = 64  # corners of the relation at one size


def find_square_laws(sketch: Sketch, settings: ProofSettings) -> Laws | Unknown:
    """The rules that fit Σ step² at several sizes; `sketch` is a pure program that stands for one with other noise."""
    fronts: dict[FitPoint, tuple[Front, ...]] = {}
    usual = range(1, max(settings.sizes) + 2)
    sizes = sketch.sizes(usual) if fixed_places(sketch) or sketch.private.count is not None else usual
    active: frozenset[int] = frozenset()
    for setting in whole_settings(sketch):
        for size in sizes:
            found: dict[Front, None] = {}
            for arguments in with_flags(sketch, setting):
                case = build_case(sketch, size, arguments, settings)
                weights = case if isinstance(case, Unknown) else _squares(case, settings)
                if isinstance(weights, Unknown):
                    if size == sizes[0]:
                        return weights
                    break
                assert isinstance(case, SizedProgram)
                active |= case.sites
                found.update((front, None) for front in weights)
            else:
                fronts[setting, size] = tuple(found)
    rules = list(dict.fromkeys(fit_rules(sketch, SizedFronts(active, fronts))))
    if not rules:
        return Unknown("the costs at small sizes follow no simple formula")
    steady = sorted(rules, key=lambda rule: (rule.grows(sketch.length_name), len(rule.sites)))
    return Laws(tuple(steady[:1]), tuple(sorted({size for _, size in fronts})), frozenset())


def _squares(case: SizedProgram, settings: ProofSettings) -> list[Front] | Unknown:
    """For each extreme move the squares of the steps that hide it, added up site by site: those of two shifts."""
    passages = find_passages(case, case.sites, settings.solver_steps)
    if isinstance(passages, Unknown):
        return passages
    rows = tuple(dict.fromkeys(row for passage in passages for row in passage.rows))
    if any(not isinstance(symbol, MoveAt) for row in rows for symbol in row.change.terms):
        return Unknown("what a shift must hide depends on the database")
    moves = list(itertools.islice(case.adjacency.vertices(case.size), MOST_MOVES + 1))
    if len(moves) > MOST_MOVES:
        return Unknown(f"there are more than {MOST_MOVES} extreme neighbours")
    found: dict[Front, None] = {}
    for move in moves:
        values: dict[Indeterminate, Number] = {MoveAt(i): step for i, step in enumerate(move)}
        changes = [row.change.at(values) for row in rows]
        both = [shortest(case, rows, changes, longest) for longest in (True, False)]
        weights = [_add_up(steps) for steps in both if steps is not None]
        if not weights:
            return Unknown("no shift that looks back alone hides a neighbour's move")
        found[tuple(w for w in dict.fromkeys(weights) if not any(v != w and is_below(v, w) for v in weights))] = None
    kept = list(found)
    return [f for i, f in enumerate(kept) if not any(is_weaker(f, o) and (i > j or not is_weaker(o, f)) for j, o in enumerate(kept) if o != f)]


def _add_up(steps: Mapping[NoiseAt, Fraction]) -> Weights:
    total: dict[int, Fraction] = {}
    for drawn, step in steps.items():
        if step:
            total[drawn.site] = total.get(drawn.site, Fraction(0)) + step * step
    return tuple(sorted(total.items()))


def shortest(
    case: SizedProgram, rows: Sequence[Row], changes: Sequence[Number], longest: bool
) -> dict[NoiseAt, Fraction] | None:
    """The shift whose longest step is least and of these the shortest, or the other way round; None if there is none."""
    draws = draws_of(rows)
    count = len(draws)
    place: dict[object, int] = {drawn: i for i, drawn in enumerate(draws)}
    lines: list[list[int]] = []
    limits: list[int] = []
    for row, change in zip(rows, changes, strict=True):
        scale = math.lcm(Fraction(change).denominator, *(Fraction(c).denominator for c in row.noise.terms.values()))
        line = [0] * (2 * count + 1)
        for symbol, coefficient in row.noise.terms.items():
            line[place[symbol]] = int(coefficient * scale)
            line[count + place[symbol]] = -int(coefficient * scale)
        limit = -int(change * scale)
        lines.append(line)
        limits.append(limit)
        if row.equal:
            lines.append([-a for a in line])
            limits.append(-limit)
    for i in range(count):
        lines.append([int(j in (i, count + i)) for j in range(2 * count)] + [-1])
        limits.append(0)
        if case.paths.noises[draws[i].site].one_sided:
            lines.append([int(j == count + i) for j in range(2 * count)] + [0])
            limits.append(0)
    costs = [[0] * (2 * count) + [1], [1] * (2 * count) + [0]]
    best = minimise(costs if longest else costs[::-1], lines, limits)
    if best is None:
        return None
    return {drawn: best.point[i] - best.point[count + i] for i, drawn in enumerate(draws)}
