"""Proofs for inputs of up to some number of answers: a shift for every event and every extreme neighbour.

A certificate holds the program's text and the shifts. The re-check derives paths, events and rows from the text
again, and looks at each row in exact arithmetic; it does not trust whoever found the shifts.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kolahal.lang.claims import plain_claim
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.law.cost import Passage, build_case, build_problem, find_actives, find_passages, may_move
from kolahal.law.linear_program import SHIFT, find_shift
from kolahal.logic.counting import OutOfSteps, limited, take_steps
from kolahal.nouns import dataclass
from kolahal.paths.events import describe_tie
from kolahal.proof.find import own_recheck
from kolahal.proof.trusted import bounded as trusted
from kolahal.proof.trusted.passages import Active, SizedProgram
from kolahal.settings import ProofSettings
from kolahal.verdicts import Bounded, Certificate, Proved, Unknown


def prove_bounded(
    sketch: Sketch, claim: Scale | None = None, settings: ProofSettings = trusted.DEFAULTS, size: int | None = None
) -> Proved | Bounded | Unknown:
    """Whether a program without holes keeps its claim (ε, if none is given) for inputs of at most `size` answers.

    Whole arguments take the values 1 to 3. Where the program declares its number of answers, that is the only size; a
    proof for it, and for all arguments, is not a bounded one. A proof is given only if its certificate was checked again.
    """
    claim = claim or plain_claim(sketch)
    most = sketch.private.count or size or max(settings.sizes)
    if most > trusted.MOST_ANSWERS:
        return Unknown(f"{most} answers are too many to look at one by one")
    known: dict[tuple[object, int], dict[str, Any]] = {}
    for arguments, count in sorted(trusted.settings_of(sketch, most), key=lambda setting: setting[1]):
        try:
            with limited(settings.steps):
                entry = _prove_case(sketch, claim, count, arguments, settings)
        except OutOfSteps:
            entry = Unknown(f"it takes more than {settings.steps} steps")
            if count > 2 and sketch.private.count is None:
                most = count - 1  # what was found for fewer answers stands
                break
        if isinstance(entry, Unknown):
            return Unknown(f"no proof at {trusted.show_setting(arguments, count)}: {entry.reason}")
        known[tuple(arguments.items()), count] = entry
    entries = [known[tuple(arguments.items()), count] for arguments, count in trusted.settings_of(sketch, most)]
    document = {"kind": "bounded", "program": str(sketch), "claim": str(claim), "size": most, "cases": entries}
    certificate = Certificate(json.dumps(document, indent=1))
    if stop := trusted.find_stop(sketch, most, settings):
        return Unknown(stop)
    faults = trusted.recheck_bounded(certificate, settings, sketch)
    if faults:
        return own_recheck.failed_recheck(f"a proof for up to {most} answers", faults)
    return trusted.read_verdict(sketch, most, certificate)


def find_upper_bound(
    sketch: Sketch, claim: Scale | None = None, settings: ProofSettings = trusted.DEFAULTS, size: int | None = None
) -> Fraction | float:
    """The largest cost for inputs of at most `size` answers, in units of the claim; infinite if there is no bound."""
    claim = claim or plain_claim(sketch)
    worst: Fraction | float = Fraction(0)
    for arguments, count in trusted.settings_of(sketch, size or max(settings.sizes)):
        budget = trusted.find_budget(sketch, claim, count, arguments)
        case = build_case(sketch, count, arguments, settings, ties=True)
        if isinstance(budget, Unknown) or isinstance(case, Unknown):
            return math.inf
        ways = itertools.product(find_actives(case, budget.sites), may_move(case))
        costs = [_cost(align(way, active, budget, settings), budget) for active, way in ways]
        worst = max(worst, min(costs))
    return worst


# ---------------------------------------------------------------- finding and writing


@dataclass(frozen=True, slots=True)
class Aligned:
    """A passage with a shift for each of its corners."""

    passage: Passage
    steps: tuple[trusted.DrawSteps, ...]


def align(case: SizedProgram, active: Active, budget: trusted.Budget, settings: ProofSettings) -> list[Aligned] | Unknown:
    """The cheapest shifts for every passage, or why there are none."""
    passages = find_passages(case, active, settings.solver_steps)
    if isinstance(passages, Unknown):
        return passages
    found = []
    for passage in passages:
        steps = []
        for corner in passage.corners:
            problem, draws = build_problem(case.paths, passage.rows, corner)
            take_steps(SHIFT)
            shift = find_shift(problem, budget.prices)
            whole = [column.whole for column in problem.columns]
            if shift is None or any(w and s.denominator != 1 for w, s in zip(whole, shift.steps, strict=True)):
                return Unknown("no shift of the noise hides a neighbour's move" + _at_tie(case, passage))
            steps.append({drawn: step for drawn, step in zip(draws, shift.steps, strict=True) if step})
        found.append(Aligned(passage, tuple(steps)))
    return found


def _cost(aligned: list[Aligned] | Unknown, budget: trusted.Budget) -> Fraction | float:
    """The largest cost of some shifts, in units of the claim."""
    if isinstance(aligned, Unknown):
        return math.inf
    return max((_price(a, budget) for a in aligned), default=Fraction(0))


def _price(aligned: Aligned, budget: trusted.Budget) -> Fraction:
    return max((budget.cost(steps) / budget.limit for steps in aligned.steps), default=Fraction(0))


def _at_tie(case: SizedProgram, passage: Passage) -> str:
    """Why a passage of probability 0 matters, if it is one."""
    tie = describe_tie(case.paths, case.events[passage.source])
    return f" where {tie}, and on a grid, where programs draw their noise, that tie has a probability" if tie else ""


def _prove_case(
    sketch: Sketch, claim: Scale, size: int, arguments: trusted.FixedArguments, settings: ProofSettings
) -> dict[str, Any] | Unknown:
    budget = trusted.find_budget(sketch, claim, size, arguments)
    if isinstance(budget, Unknown):
        return budget
    case = build_case(sketch, size, arguments, settings, ties=True)
    if isinstance(case, Unknown):
        return case
    reasons = []
    for active, way in itertools.product(find_actives(case, budget.sites), may_move(case)):
        aligned = align(way, active, budget, settings)
        cost = _cost(aligned, budget)
        if not isinstance(aligned, Unknown) and cost <= 1:
            return write_case(way, active, budget, aligned)
        if isinstance(aligned, Unknown):
            reasons.append(aligned.reason)
        else:
            dearest = max(aligned, key=lambda a: _price(a, budget))
            reasons.append(f"the best shifts cost {cost} of the claim{_at_tie(case, dearest.passage)}")
    return Unknown(reasons[0])


def write_case(case: SizedProgram, active: Active, budget: trusted.Budget, aligned: Sequence[Aligned]) -> dict[str, Any]:
    pieces = case.relation()
    return {
        "size": case.size,
        "arguments": {name: value if isinstance(value, bool) else str(value) for name, value in case.arguments},
        "active": sorted(active),
        **({"moved": True} if case.moved else {}),
        "events": [{"paths": list(e.paths), "facets": [str(facet) for facet in e.facets]} for e in case.events],
        "passages": [
            {
                "from": a.passage.source,
                "to": a.passage.target,
                "piece": None if a.passage.piece is None else pieces.index(a.passage.piece),
                "ends": _ends(a.passage),
                "shifts": [
                    {"steps": {str(drawn): str(step) for drawn, step in steps.items()}, "cost": str(budget.cost(steps))}
                    for steps in a.steps
                ],
            }
            for a in aligned
        ],
    }


def _ends(passage: Passage) -> list[list[str]] | None:
    """How far each row may change, where that was bounded row by row; None where all moves were looked at."""
    if any(corner.move is not None for corner in passage.corners):
        return None
    columns = zip(*(corner.offsets for corner in passage.corners), strict=True)
    return [[str(min(column)), str(max(column))] for column in columns]
