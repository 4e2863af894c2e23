"""Proofs with Gaussian noise at a fixed number of answers: one shift for all runs, or several that look ahead (Theorem E)."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from kolahal.lang.canonical import twin
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.law.cost import build_case, find_actives, find_passages
from kolahal.law.squares import shortest
from kolahal.paths.unknowns import MoveAt
from kolahal.proof.find import own_recheck
from kolahal.proof.find.bounded import Aligned, align, write_case
from kolahal.proof.trusted.bounded import (
    MOST_ANSWERS,
    Budget,
    FixedArguments,
    find_stop,
    read_verdict,
    settings_of,
    show_setting,
)
from kolahal.proof.trusted.union import KIND, MOST_MOVES, find_squares, recheck_union
from kolahal.settings import ProofSettings
from kolahal.verdicts import Bounded, Certificate, Proved, Unknown

CaseOf: TypeAlias = Callable[[Sketch, Sketch, int, FixedArguments, ProofSettings], dict[str, Any] | Unknown]
NO_DEFECT = ("add up to", "times too long", "such as `assert", "say nothing of")  # the shifts are right, and no proof


def prove_union(sketch: Sketch, claim: Scale, settings: ProofSettings) -> Proved | Bounded | Unknown:
    """Whether a program keeps (ε, δ) at its declared number of answers, or at small ones."""
    most = sketch.private.count or max(settings.sizes)
    like = twin(sketch)
    found: Proved | Bounded | Unknown = Unknown(f"{most} answers are too many to look at one by one")
    for size in [most] if sketch.private.count is not None else range(1, most + 1):
        tried = _prove(sketch, like, claim, size, settings) if most <= MOST_ANSWERS else found
        if isinstance(tried, Unknown):
            return tried if isinstance(found, Unknown) else found
        found = tried
    return found


def _prove(sketch: Sketch, like: Sketch, claim: Scale, most: int, settings: ProofSettings) -> Proved | Bounded | Unknown:
    """With one shift for all events, or else with one for each."""
    found = _prove_by(_together, sketch, like, claim, most, settings)
    ahead = isinstance(found, Unknown) and sketch.delta is not None
    return _prove_by(_apart, sketch, like, claim, most, settings) if ahead else found


def _prove_by(
    case_of: CaseOf, sketch: Sketch, like: Sketch, claim: Scale, most: int, settings: ProofSettings
) -> Proved | Bounded | Unknown:
    entries = []
    for arguments, size in settings_of(like, most):
        entry = case_of(sketch, like, size, arguments, settings)
        if isinstance(entry, Unknown):
            return Unknown(f"no shifts that look ahead at {show_setting(arguments, size)}: {entry.reason}")
        entries.append(entry)
    if stop := find_stop(like, most, settings):
        return Unknown(stop)
    document = {
        "kind": KIND,
        "variant": sketch.variant.value,
        "program": str(sketch),
        "claim": str(claim),
        "adjacency": str(sketch.adjacency),
        "size": most,
        "cases": entries,
    }
    certificate = Certificate(json.dumps(document, indent=1, ensure_ascii=False))
    faults = recheck_union(certificate, settings)
    if faults and any(words in faults[0] for words in NO_DEFECT):
        return Unknown(faults[0])
    if faults:
        return own_recheck.failed_recheck(f"a proof for {most} answers", faults)
    return read_verdict(sketch, most, certificate)


def _apart(
    sketch: Sketch, like: Sketch, size: int, arguments: FixedArguments, settings: ProofSettings
) -> dict[str, Any] | Unknown:
    """A shift for each event, that with the least sum of steps."""
    squares = find_squares(sketch, size, arguments)
    if isinstance(squares, Unknown):
        return squares
    case = build_case(like, size, arguments, settings, ties=True)
    if isinstance(case, Unknown):
        return case
    lines = Budget({site: Fraction(math.sqrt(price)).limit_denominator(1000) for site, price in squares.prices.items()}, Fraction(1))
    reason = Unknown("no noise can be shifted")
    for active in find_actives(case, squares.sites):
        found = align(case, active, lines, settings)
        if isinstance(found, Unknown):
            reason = found
            continue
        return write_case(case, active, squares, found)
    return reason


def _together(
    sketch: Sketch, like: Sketch, size: int, arguments: FixedArguments, settings: ProofSettings
) -> dict[str, Any] | Unknown:
    """One shift for all events, the same whatever the run does."""
    squares = find_squares(sketch, size, arguments)
    case = squares if isinstance(squares, Unknown) else build_case(like, size, arguments, settings, ties=True)
    if isinstance(squares, Unknown) or isinstance(case, Unknown):
        return squares if isinstance(squares, Unknown) else case  # type: ignore[return-value]
    active = case.sites & squares.sites
    passages = find_passages(case, active, settings.solver_steps)
    if isinstance(passages, Unknown):
        return passages
    moves = list(itertools.islice(case.adjacency.vertices(size), MOST_MOVES + 1))
    if len(moves) > MOST_MOVES or any(passage.piece is not None for passage in passages):
        return Unknown("there are too many extreme neighbours, or comparisons of answers without noise")
    rows = tuple(dict.fromkeys(row for passage in passages for row in passage.rows))
    shifts = []
    for move in moves:
        steps = shortest(case, rows, [row.change.at({MoveAt(i): step for i, step in enumerate(move)}) for row in rows], longest=True)
        if steps is None:
            return Unknown("no shift hides a move whatever the run does")
        shifts.append({drawn: step for drawn, step in steps.items() if step})
    every = tuple(steps for index, steps in enumerate(shifts) if steps not in shifts[:index])
    return write_case(case, active, squares, [Aligned(passage, every) for passage in passages])
