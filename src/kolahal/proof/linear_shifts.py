"""Shifts that undo every change of a run, as linear functions of the move: these are on the grid wherever the moves are.

A bounded proof has a shift for each extreme move, and a move between them has the same mixture of these, whose weights may
be any fractions. Where noise can undo all changes at the same price, the shift of a move is a fixed matrix times it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from kolahal.lang.scale import parse_scale
from kolahal.lang.sketch import Sketch
from kolahal.paths.unknowns import MoveAt, NoiseAt
from kolahal.proof.trusted.bounded import CaseCheck, find_budget, settings_of
from kolahal.proof.trusted.passages import Row, find_rows, is_move_only, move_answers
from kolahal.settings import ProofSettings
from kolahal.verdicts import Certificate

LinearMove: TypeAlias = dict[int, Fraction]  # place of an answer → multiple of its move


def linear_parts(program: Sketch, certificate: Certificate) -> int | None:
    """Into how many parts a step of the grid must fall to contain the shifts of all moves; None if those of a proof are no such functions.

    Proofs for every length shift by what makes two sums equal, or by fixed multiples of the distance, whatever the move; those
    of affine releases shift by the same multiples of every move.
    """
    document = certificate.document()
    inner = document.get("proof", document)  # of another budget
    if "scope" in inner or "sizes" in inner:
        return 1
    if document.get("kind") != "bounded":
        return None
    claim, most = parse_scale(document["claim"]), document["size"]
    parts = 1
    for (arguments, size), entry in zip(settings_of(program, most), document["cases"], strict=True):
        case = CaseCheck(program, find_budget(program, claim, size, arguments), size, arguments, ProofSettings(), entry)
        moving = {i for move in case.case.adjacency.vertices(size) for i, step in enumerate(move) if step}
        for (source, target, _), passage in case.passages:
            events = case.case.events
            rows = find_rows(events[source], events[target], case.active, move_answers(range(size)))
            found = None if passage.get("ends") is not None else undo(rows, moving, case.budget.prices)
            if found is None or not _is_paid(case, found):
                return None
            parts = math.lcm(parts, *(c.denominator for form in found.values() for c in form.values()))
    return parts


def _is_paid(case: CaseCheck, shifts: Mapping[NoiseAt, LinearMove]) -> bool:
    """Whether the noise may be shifted so at every extreme move, and so, costs being convex, at every move."""
    noises = [case.paths.noises[drawn.site] for drawn, form in shifts.items() if form]
    if any(noise.one_sided or noise.whole or noise.finite for noise in noises):
        return False
    for move in case.case.adjacency.vertices(case.case.size):
        steps = {drawn: sum((c * move[i] for i, c in form.items()), Fraction(0)) for drawn, form in shifts.items()}
        if case.budget.cost(steps) > case.budget.limit:
            return False
    return True


def undo(rows: Sequence[Row], moving: Collection[int], prices: Mapping[int, Fraction]) -> dict[NoiseAt, LinearMove] | None:
    """Shifts with which no row changes, by elimination; of a row, the noise that costs least is shifted first.

    Only the answers at `moving` ever move.
    """
    solved: list[tuple[NoiseAt, dict[NoiseAt, Fraction], LinearMove]] = []
    for row in rows:
        if not is_move_only(row.change) or row.change.constant or any(not isinstance(s, NoiseAt) for s in row.noise.terms):
            return None
        noise: dict[Any, Fraction] = {s: Fraction(c) for s, c in row.noise.terms.items()}
        wanted: LinearMove = {s.place: -Fraction(c) for s, c in row.change.terms.items() if isinstance(s, MoveAt) and s.place in moving}
        for drawn, others, form in solved:
            factor = noise.pop(drawn, Fraction(0))
            _add(noise, others, -factor)
            _add(wanted, form, -factor)
        if not noise:
            if wanted:
                return None
            continue
        drawn = min(noise, key=lambda s: (prices[s.site], str(s)))
        own = noise.pop(drawn)
        solved.append((drawn, {s: c / own for s, c in noise.items()}, {i: c / own for i, c in wanted.items()}))
    shifts: dict[NoiseAt, LinearMove] = {}
    for drawn, others, form in reversed(solved):  # what no row has to shift stays
        for other, factor in others.items():
            _add(form, shifts.get(other, {}), -factor)
        shifts[drawn] = form
    return shifts


def _add(total: dict[Any, Fraction], other: Mapping[Any, Fraction], factor: Fraction) -> None:
    for key, value in other.items():
        total[key] = total.get(key, Fraction(0)) + factor * value
        if not total[key]:
            del total[key]
