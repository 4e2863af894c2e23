"""Events → the cheapest shift of the noise that hides a neighbour's move: the privacy cost, for every scale at once.

A shift s sends every noise with which a database q gives some answer to a noise with which its neighbour q + δ gives
the same answer, if no facet of the event moves outwards and no affine part of the answer moves at all. Shifted noise
is less likely by at most exp(Σ |sᵢ|/cᵢ), so that sum bounds the privacy loss, for all q at once. It is convex in δ,
so the corners of the relation suffice.

A comparison without noise is a fact about the database, and the neighbour may be on the other side of it. Then the
shift goes from an event of q to the event with the same answer and the same noisy comparisons that q + δ is in.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, Move, OneWithin, SumWithin
from kolahal.lang.records.bins import RunBins
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.sketch import Sketch
from kolahal.law.linear_program import Column, Front, Line, Problem, find_front, is_weaker
from kolahal.logic.counting import take_steps
from kolahal.logic.linear import Number, plain
from kolahal.logic.simplex import find_point, find_supremum
from kolahal.logic.solver import contradict, is_empty
from kolahal.nouns import dataclass
from kolahal.paths.events import OutputCell, find_events
from kolahal.paths.state import Paths
from kolahal.paths.unknowns import Atom, Indeterminate, MoveAt, NoiseAt
from kolahal.proof.trusted.passages import (
    MOST_CORNERS,
    Active,
    Crossing,
    Piece,
    Row,
    SizedProgram,
    TooLarge,
    build_crossing,
    explore_released,
    find_fault,
    find_no_bound,
    find_rows,
    is_move_only,
    is_private_fact,
    mixed_units,
    move_answers,
    shape,
    whole_moves,
    worst_changes,
)
from kolahal.settings import ProofSettings
from kolahal.verdicts import Unknown

MOST_CROSSINGS = 400  # pairs of events between which a neighbour may cross: some milliseconds each


# ---------------------------------------------------------------- from which event to which, and what must hold


@dataclass(frozen=True, slots=True)
class Corner:
    """The change of each row at an extreme move of a neighbour."""

    offsets: tuple[Number, ...]
    move: Move | None  # None where the change depends on the database and was bounded row by row


@dataclass(frozen=True, slots=True)
class Passage:
    """From an event of the first run to one of the second: at every corner, some shift must satisfy all rows."""

    source: int
    target: int
    rows: tuple[Row, ...]
    corners: tuple[Corner, ...]
    piece: Piece | None = None  # the moves for which it is meant; None is all


def find_passages(case: SizedProgram, active: Active, steps: int) -> tuple[Passage, ...] | Unknown:
    """How every event of the first run is answered by the second, or why that is not known."""
    whole = case.is_whole(active)
    moved = move_answers(range(case.size))
    found: list[Passage] = []
    crossing: dict[object, list[int]] = {}
    for place, event in enumerate(case.events):
        if any(is_private_fact(facet, active) for facet in event.facets):
            crossing.setdefault(shape(event, active, case.moved), []).append(place)
            continue
        rows = find_rows(event, event, active, moved)
        corners = find_corners(case, rows, whole)
        if isinstance(corners, Unknown):
            return corners
        if reason := mixed_units(case.paths.sketch, rows):
            return Unknown(reason)
        found.append(Passage(place, place, rows, corners))
    for places in crossing.values():
        passages = _cross(case, build_crossing(case, places, active), active, whole, steps)
        if isinstance(passages, Unknown):
            return passages
        found += passages
    return tuple(found)


# ---------------------------------------------------------------- corners of the relation


def find_corners(case: SizedProgram, rows: Sequence[Row], whole: bool) -> tuple[Corner, ...] | Unknown:
    """The changes of the rows at the moves that matter: a shift for these gives one for every move.

    Moves whose changes are nowhere above another's are left out: what satisfies the rows there satisfies them here.
    """
    if whole and not case.whole_answers:
        worst = worst_changes(case, rows)
        return worst if isinstance(worst, Unknown) else (Corner(worst, None),)
    found: dict[tuple[Number, ...], Corner] = {}
    moves = itertools.islice(_moves(case.adjacency, case.size, rows, whole), MOST_CORNERS + 1)
    for count, move in enumerate(moves):
        if count == MOST_CORNERS:
            return TooLarge(f"an event has more than {MOST_CORNERS} extreme neighbours")
        take_steps(1 + len(rows) // 4)
        values: dict[Indeterminate, Number] = {MoveAt(i): plain(step) for i, step in enumerate(move)}
        offsets = tuple(row.change.at(values) for row in rows)
        found.setdefault(offsets, Corner(offsets, move))
    corners = list(found.values())
    if len(corners) <= 256 and not all(row.equal for row in rows):  # comparing more takes longer than it saves
        take_steps(len(corners) ** 2 // 4)
        corners = [c for c in corners if not any(d is not c and _covers(d, c, rows) for d in corners)]
    return tuple(corners)


def _covers(strong: Corner, weak: Corner, rows: Sequence[Row]) -> bool:
    return all(a == b if row.equal else a >= b for a, b, row in zip(strong.offsets, weak.offsets, rows, strict=True))


def _moves(adjacency: Adjacency, size: int, rows: Sequence[Row], whole: bool) -> Iterator[Move]:
    """Moves among which is the worst for every event with these rows."""
    if isinstance(adjacency, RunBins):
        adjacency = adjacency.wide  # whose corners need not all be looked at
    reach = adjacency.distance
    if whole:
        reach = Fraction(math.floor(reach))
    match adjacency:
        case EachWithin():
            boxes = [(-reach, reach)]
        case Monotone():
            boxes = [(Fraction(0), reach), (-reach, Fraction(0))]
        case OneWithin() | SumWithin() | RecordRelation() if whole:
            yield from whole_moves(adjacency, size)
            return
        case _:
            yield from adjacency.vertices(size)
            return
    for low, high in boxes:
        yield from itertools.product(*(_ends(low, high, MoveAt(i), rows, whole) for i in range(size)))


def _ends(low: Fraction, high: Fraction, change: MoveAt, rows: Sequence[Row], whole: bool) -> Sequence[Fraction]:
    """The worst steps of one answer between two bounds."""
    signs = {(row.change.terms[change] > 0, row.equal) for row in rows if change in row.change.terms}
    if not signs:
        return (Fraction(0),)
    if signs == {(True, False)}:  # it only ever pushes facets outwards by moving up
        return (high,)
    if signs == {(False, False)}:
        return (low,)
    return [low + i for i in range(int(high - low) + 1)] if whole else (low, high)


# ---------------------------------------------------------------- events that depend on the database


def _cross(case: SizedProgram, crossing: Crossing, active: Active, whole: bool, steps: int) -> list[Passage] | Unknown:
    """The passages from each event of a crossing to each that a neighbour may be in."""
    ways = list(itertools.islice(_ways(case, crossing), MOST_CROSSINGS + 1))
    if len(ways) > MOST_CROSSINGS:
        return TooLarge(f"a neighbour may cross between more than {MOST_CROSSINGS} pairs of events")
    fault = find_fault(case, crossing, steps)
    if fault or case.paths.sketch.units:
        return Unknown(fault or "a comparison without noise is of numbers that move by public units")
    found: list[Passage] = []
    for piece, source, target, inside in ways:
        if is_empty(inside, steps, bits=crossing.bits):
            continue
        rows = find_rows(case.events[source], case.events[target], active, move_answers(piece.places))
        corners = bound_corners(case, rows, inside, whole)
        if isinstance(corners, Unknown):
            return corners
        found.append(Passage(source, target, rows, corners, piece))
    return found


def _ways(case: SizedProgram, crossing: Crossing) -> Iterator[tuple[Piece, int, int, list[Atom]]]:
    """Moves, an event, an event, and what a database satisfies in the first whose neighbour is in the second.

    Pairs that plainly contradict each other are left out.
    """
    for piece in case.relation():
        for target, then in zip(crossing.places, crossing.moved(piece), strict=True):
            for source, known in zip(crossing.places, crossing.facts, strict=True):
                inside = [*crossing.domain, *known, *then, *piece.atoms]
                if not contradict(inside):
                    yield piece, source, target, inside


def bound_corners(case: SizedProgram, rows: Sequence[Row], inside: Sequence[Atom], whole: bool) -> tuple[Corner, ...] | Unknown:
    """The extreme changes of rows where `inside` holds, each row bounded on its own."""
    if find_point(inside) is None:
        return Unknown("the solver could not tell whether a neighbour may cross a comparison")
    ends: list[tuple[Number, ...]] = []
    for row in rows:
        high = find_supremum(row.change, inside)
        low = find_supremum(-row.change, inside) if row.equal else None
        if high is None or (row.equal and low is None):
            return Unknown(f"the change {row.change} between neighbours has no bound")
        # A facet may move inwards as far as it likes, so only the upper end counts.
        ends.append((high,) if low is None or -low == high else (-low, high))
    if all(is_move_only(row.change) for row in rows):
        # Where the facts leave every move possible, the corners of the relation say more: rows move together.
        corners = find_corners(case, rows, whole)
        if not isinstance(corners, Unknown) and corners and all(
            max(c.offsets[i] for c in corners) <= max(pair) for i, pair in enumerate(ends)
        ):
            return corners
    if whole and any(len(pair) > 1 for pair in ends):
        return Unknown("an output with whole noise changes by an amount that depends on the database")
    if math.prod(map(len, ends)) > MOST_CORNERS:
        return TooLarge(f"an event has more than {MOST_CORNERS} extreme neighbours")
    return tuple(Corner(offsets, None) for offsets in itertools.product(*ends))


# ---------------------------------------------------------------- the cost


def draws_of(rows: Iterable[Row]) -> list[NoiseAt]:
    found = {symbol for row in rows for symbol in row.noise.terms if isinstance(symbol, NoiseAt)}
    return sorted(found)


def build_problem(paths: Paths, rows: Sequence[Row], corner: Corner) -> tuple[Problem, list[NoiseAt]]:
    """The search for the cheapest shift at a corner, and which draw each of its columns stands for."""
    draws = draws_of(rows)
    place: dict[Indeterminate, int] = {drawn: i for i, drawn in enumerate(draws)}
    noises = [paths.noises[d.site] for d in draws]  # a coin goes both ways: its values are pinned by the rows
    columns = tuple(Column(d.site, n.one_sided and not n.finite, n.whole) for d, n in zip(draws, noises, strict=True))
    lines = tuple(
        Line(row.equal, offset, tuple(sorted((place[s], c) for s, c in row.noise.terms.items())))
        for row, offset in zip(rows, corner.offsets, strict=True)
    )
    return Problem(columns, lines), draws


@dataclass(frozen=True, slots=True)
class ShiftPlan:
    """What it costs to shift the noise of `active` sites only: the cheapest weights of each event, at the worst one."""

    active: Active
    fronts: tuple[Front, ...]
    reason: str = ""  # why there is no cost at all
    too_large: bool = False  # whether that is a limit of ours


def find_actives(case: SizedProgram, sites: Active | None = None) -> list[Active]:
    """Which of some sites to shift: all, and fewer where that turns comparisons into facts.

    Where it does not, the weights of fewer sites are among those of all sites.
    """
    every = case.sites if sites is None else sites
    sizes = range(1, len(every)) if len(every) <= 4 else (1,)
    facets = {facet for event in case.events for facet in event.facets}
    facts = {facet for facet in facets if is_private_fact(facet, every)}
    found = [every]
    for size in sizes:
        for chosen in map(frozenset, itertools.combinations(sorted(every), size)):
            fixed = any(case.paths.noises[site].finite for site in every - chosen)  # how a coin fell is a fact, too
            if fixed or {facet for facet in facets if is_private_fact(facet, chosen)} - facts:
                found.append(chosen)
    return found


def may_move(case: SizedProgram) -> Iterator[SizedProgram]:
    """The case with the same place on both runs, and with other places where one is chosen and bits or numbers decide."""
    yield case
    if any(event.picks for event in case.events):
        yield replace(case, moved=True)


def find_plan(case: SizedProgram, active: Active, settings: ProofSettings) -> ShiftPlan:
    """What it costs to shift the noise of `active` sites only."""
    plans = [_find_plan(case, active, settings)]
    if plans[0].reason:
        plans += [_find_plan(other, active, settings) for other in list(may_move(case))[1:]]
    return next((plan for plan in plans if not plan.reason), plans[0])


def _find_plan(case: SizedProgram, active: Active, settings: ProofSettings) -> ShiftPlan:
    passages = find_passages(case, active, settings.solver_steps)
    if isinstance(passages, Unknown):
        return ShiftPlan(active, (), passages.reason, isinstance(passages, TooLarge))
    fronts: dict[Front, None] = {}
    for passage in passages:
        for corner in passage.corners:
            problem, _ = build_problem(case.paths, passage.rows, corner)
            front = find_front(problem)
            if not front:
                return ShiftPlan(active, (), _hopeless(case.events[passage.source]))
            fronts[front] = None
    return ShiftPlan(active, tuple(_strictest(list(fronts))))


def _hopeless(event: OutputCell) -> str:
    shown = ", ".join(str(facet) for facet in event.facets[:3]) + (", …" if len(event.facets) > 3 else "")
    return f"no shift of the noise hides a neighbour's move where {shown or 'the output is ' + str(event.output)}"


def _strictest(fronts: list[Front]) -> list[Front]:
    """The fronts without those that are nowhere dearer than another."""
    kept: list[Front] = []
    for front in fronts:
        if not any(is_weaker(front, other) for other in kept):
            kept = [other for other in kept if not is_weaker(other, front)] + [front]
    return kept


def build_case(
    sketch: Sketch,
    size: int,
    arguments: Mapping[str, Fraction | bool],
    settings: ProofSettings,
    ties: bool = False,
    as_is: Paths | None = None,
) -> SizedProgram | Unknown:
    """The events of a program of one size, or why there are none; without `ties`, those of probability 0 are left out.

    Where the answer is not linear, they are events of what it is computed from, unless it is to be taken `as_is`, by paths
    that are known.
    """
    if reason := find_no_bound(sketch.adjacency, size, sketch.private.bits):
        return Unknown(reason)
    paths = as_is or explore_released(sketch, size, arguments, settings.paths, ties=ties)
    if isinstance(paths, Unknown):
        return paths
    fixed = tuple((p.name, arguments[p.name]) for p in sketch.arguments if p.name in arguments)
    return SizedProgram(paths, find_events(paths, settings.solver_steps), fixed)
