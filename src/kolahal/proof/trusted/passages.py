"""From an event of the first run to one of the second: what a shift of the noise must satisfy to lead there."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from kolahal.lang.adjacency import Adjacency, EachWithin, Monotone, Move, OneWithin, SumWithin
from kolahal.lang.noise_units import unit_of
from kolahal.lang.records.moves import RecordRelation
from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import Inequality, LinearForm, Number, number, unknowns_of, variable
from kolahal.logic.solver import is_empty
from kolahal.nouns import dataclass
from kolahal.paths.events import OutputCell
from kolahal.paths.explore import explore
from kolahal.paths.state import Paths, affine_parts, discrete_part
from kolahal.paths.unknowns import Affine, AnswerAt, Atom, Atoms, Indeterminate, MoveAt, NoiseAt
from kolahal.proof.trusted.restated.released import released
from kolahal.proof.trusted.restated.told import told
from kolahal.verdicts import Unknown

MOST_BITS = 7  # answers, where several may be turned over at once
MOST_CORNERS = 4_096  # moves of neighbours that are looked at one by one for an event
Active: TypeAlias = frozenset[int]  # the sites whose noise is shifted; all other noise is the same in both runs


@dataclass(frozen=True, slots=True)
class SizedProgram:
    """A program of one size, its whole and boolean arguments fixed, fallen apart into events."""

    paths: Paths
    events: tuple[OutputCell, ...]
    arguments: tuple[tuple[str, Fraction | bool], ...]
    moved: bool = False  # whether the second run may choose another place than the first

    @property
    def adjacency(self) -> Adjacency:
        return self.paths.sketch.adjacency

    @property
    def size(self) -> int:
        return self.paths.size

    @property
    def sites(self) -> Active:
        return frozenset(range(len(self.paths.noises)))

    def is_whole(self, active: Active) -> bool:
        """Whether some shifted noise is on the whole numbers; then there is no shift between two others."""
        # A coin is turned over or not, from one cell to another; there is no moving between two ways.
        return any(self.paths.noises[site].whole and not self.paths.noises[site].finite for site in active)

    @property
    def whole_answers(self) -> bool:
        return self.paths.sketch.private.whole

    def relation(self) -> list[Piece]:
        """All moves of neighbours, each in at least one piece."""
        return relation(self.adjacency, self.size, self.paths.sketch.private.bits)


@dataclass(frozen=True, slots=True)
class Row:
    """A facet or an affine part of the answer: `noise` is what a shift adds to it, `change` what the move does."""

    noise: Affine  # active draws only
    change: Affine
    equal: bool  # an affine part of the answer must not change; a facet may move inwards


@dataclass(frozen=True, slots=True)
class TooLarge(Unknown):
    """Not known because a limit was reached, which says nothing about the program."""


def active_part(form: Affine, active: Active) -> Affine:
    return form.part(lambda symbol: isinstance(symbol, NoiseAt) and symbol.site in active)


def is_fact(atom: Atom, active: Active) -> bool:
    """Whether a comparison has no noise that is shifted."""
    return not active_part(atom.form, active).terms


def is_private_fact(atom: Atom, active: Active) -> bool:
    """Whether a comparison depends on the private answers and has no noise that is shifted."""
    return is_fact(atom, active) and any(isinstance(symbol, AnswerAt) for symbol in atom.form.terms)


def shape(event: OutputCell, active: Active, moved: bool) -> object:
    """What two events must have in common for a shift to lead from one to the other; the place that was chosen may be
    another one if it is `moved`, among scores without noise that is shifted."""
    noisy = frozenset((active_part(f.form, active), f.strict) for f in event.facets if not is_fact(f, active))
    outputs = tuple(active_part(form, active) for form in affine_parts(event.output))
    scores = [(p, tuple(active_part(score, active) for score in p.scores)) for p in event.picks]
    picks = tuple((p.draw, own, -1 if moved and not any(s.terms for s in own) else p.place) for p, own in scores)
    return discrete_part(event.output), noisy, outputs, picks


def pinned_at(event: OutputCell, drawn: NoiseAt) -> int | None:
    """How a coin fell in all runs of an event; None if the event does not say."""
    facets = {(facet.form, facet.strict) for facet in event.facets}
    forms = {value: variable(drawn) - number(value) for value in (0, 1)}
    return next((v for v, form in forms.items() if {(form, False), (-form, False)} <= facets), None)


def find_rows(
    source: OutputCell, target: OutputCell, active: Active, moved: Mapping[Indeterminate, Affine]
) -> tuple[Row, ...]:
    """What a shift must satisfy to lead from `source` on q to `target` on q + δ, where the facts of both hold."""
    rows = []
    for facet in target.facets:
        noise = active_part(facet.form, active)
        if not noise.terms:
            continue
        # Any facet of the source with the same noise will do; one whose change does not depend on q is best.
        twins = [f for f in source.facets if f.strict == facet.strict and active_part(f.form, active) == noise]
        changes = [facet.form.replace(moved) - twin.form for twin in twins]
        rows.append(Row(noise, min(changes, key=lambda c: (not is_move_only(c), c.constant)), equal=False))
    for before, after in zip(affine_parts(source.output), affine_parts(target.output), strict=True):
        rows.append(Row(active_part(after, active), after.replace(moved) - before, equal=True))
    for mine, other in zip(source.picks, target.picks, strict=True):
        # A place that falls behind every place of the list by at most `paid` is at most e^(paid/scale) times less likely.
        paid: Affine = variable(mine.draw) if mine.draw.site in active else number(0)
        for one, two in zip(mine.scores, other.scores, strict=True):
            before, after = one - mine.scores[mine.place], two - other.scores[other.place]
            rows.append(Row(active_part(after, active) - paid, after.replace(moved) - before, equal=False))
    return tuple(dict.fromkeys(rows))


def move_answers(places: Iterable[int]) -> dict[Indeterminate, Affine]:
    """The answers of a neighbour that moves at some places: q + δ."""
    return {AnswerAt(i): variable(AnswerAt(i)) + variable(MoveAt(i)) for i in places}


def is_move_only(change: Affine) -> bool:
    return all(isinstance(symbol, MoveAt) for symbol in change.terms)


def worst_changes(case: SizedProgram, rows: Sequence[Row]) -> tuple[Number, ...] | Unknown:
    """The largest change of each row over all moves, for whole noise on answers that move by any amount.

    A whole shift that covers all of these together covers every move, and mixtures of whole shifts are not whole; an
    affine part of an answer that moves at all cannot be covered.
    """
    if any(row.equal and row.change.terms for row in rows):
        return Unknown(
            "an output with whole noise moves by less than a whole number; declare whole answers, Private[int]"
        )
    worst: list[Number] = [row.change.constant for row in rows]
    for count, move in enumerate(case.adjacency.vertices(case.size)):
        if count == MOST_CORNERS:
            return TooLarge(f"an event has more than {MOST_CORNERS} extreme neighbours")
        values: dict[Indeterminate, Number] = {MoveAt(i): step for i, step in enumerate(move)}
        worst = [max(known, row.change.at(values)) for known, row in zip(worst, rows, strict=True)]
    return tuple(worst)


def whole_moves(adjacency: Adjacency, size: int) -> Iterator[Move]:
    """Every move of neighbours by whole numbers."""
    if isinstance(adjacency, RecordRelation):
        yield from adjacency.at(size).finite_moves()
        return
    reach = math.floor(adjacency.distance)
    if isinstance(adjacency, OneWithin):
        yield (Fraction(0),) * size
        for place in range(size):
            for step in (s for s in range(-reach, reach + 1) if s):
                yield tuple(Fraction(step if i == place else 0) for i in range(size))
        return
    steps = [Fraction(s) for s in range(-reach, reach + 1)]
    yield from (move for move in itertools.product(steps, repeat=size) if adjacency.allows(move))


@dataclass(frozen=True, slots=True)
class Piece:
    """Some moves of neighbours, as a polyhedron: only the answers at `places` move, and `atoms` hold of the moves."""

    places: tuple[int, ...]
    atoms: Atoms


def explore_released(
    sketch: Sketch, size: int, arguments: Mapping[str, Fraction | bool], most: int, ties: bool
) -> Paths | Unknown:
    """All paths to the answer; where it is not linear, to what it is computed from, which gives away no less."""
    paths, parts = explore(told(sketch), size, arguments, most, ties=ties), released(sketch)
    if isinstance(paths, Unknown) and parts != sketch:
        found = explore(told(parts), size, arguments, most, ties=ties)
        return paths if isinstance(found, Unknown) else found
    return paths


def find_no_bound(adjacency: Adjacency, size: int, bits: bool) -> str:
    """Why neighbours are not within any distance, so that no move can be hidden by finite noise, or are too many; or nothing."""
    if bits and size > MOST_BITS and not isinstance(adjacency, OneWithin):
        return f"the bits of more than {MOST_BITS} answers are turned over in too many ways"
    if isinstance(adjacency, RecordRelation) and adjacency.unbounded:
        return f"one record can move {adjacency.show(adjacency.unbounded[0])} by any amount; clip what it adds up"
    return ""


def mixed_units(sketch: Sketch, rows: Iterable[Row]) -> str:
    """Why moves and shifts in multiples of public units cannot be added, or nothing: those of a row must have one unit."""
    for row in rows if sketch.units else ():
        found = {unit_of(sketch, s.site) for s in row.noise.terms if isinstance(s, NoiseAt)} - {None}
        found |= {sketch.moved_in[s.place] for s in row.change.terms if isinstance(s, MoveAt)}
        if len(found) > 1 or not is_move_only(row.change) or row.change.constant:
            return f"it adds or compares numbers that move by different units: {', '.join(sorted(f or '1' for f in found))}"
    return ""


def relation(adjacency: Adjacency, size: int, bits: bool = False) -> list[Piece]:
    """All moves of neighbours, each in at least one piece; of answers that are bits, those that turn some of them over."""
    reach, every = adjacency.distance, tuple(range(size))
    if bits:
        moves = whole_moves(OneWithin(Fraction(1)), size) if isinstance(adjacency, OneWithin) else _bit_moves(size)
        return [turned_bits(move) for move in moves if adjacency.allows(move)]

    def box(places: tuple[int, ...], low: Number, high: Number) -> Piece:
        above = (Inequality(variable(MoveAt(i)) - number(high), strict=False) for i in places)
        below = (Inequality(number(low) - variable(MoveAt(i)), strict=False) for i in places)
        return Piece(places, (*above, *below))

    match adjacency:
        case EachWithin():
            return [box(every, -reach, reach)]
        case Monotone():
            return [box(every, 0, reach), box(every, -reach, 0)]
        case OneWithin():
            return [box((place,), -reach, reach) for place in every]
        case SumWithin():
            signs = itertools.product((1, -1), repeat=size)
            sums = (LinearForm({MoveAt(i): s for i, s in zip(every, sign, strict=True)}, -reach) for sign in signs)
            return [Piece(every, tuple(Inequality(total, strict=False) for total in sums))]
        case RecordRelation():
            # Boxes around the moves: more than can happen, which makes a proof harder and no less true.
            boxes = [[box((i,), *ends).atoms for i, ends in enumerate(way)] for way in adjacency.at(size).boxes()]
            return [Piece(every, tuple(itertools.chain.from_iterable(atoms))) for atoms in boxes]
        case _:
            raise AssertionError(f"{adjacency} has no polyhedra")


def _bit_moves(size: int) -> Iterator[Move]:
    steps = [Fraction(step) for step in (-1, 0, 1)]
    return itertools.product(steps, repeat=size)


def turned_bits(move: Move) -> Piece:
    """The neighbours in which some bits are turned over: a bit that rises was 0, one that falls was 1."""
    places = tuple(i for i, step in enumerate(move) if step)
    forms: list[Affine] = [variable(MoveAt(i)) - number(move[i]) for i in places]
    forms += [variable(AnswerAt(i)) - number(0 if move[i] > 0 else 1) for i in places]
    return Piece(places, tuple(Inequality(f, strict=False) for form in forms for f in (form, -form)))


@dataclass(frozen=True, slots=True)
class Crossing:
    """Events of one shape that differ in facts about the database: a neighbour may be in another one of them."""

    places: tuple[int, ...]
    facts: tuple[Atoms, ...]  # what the database satisfies in each event
    domain: Atoms
    bits: tuple[Indeterminate, ...]  # unknowns that are 0 or 1

    def moved(self, piece: Piece) -> tuple[Atoms, ...]:
        """What a database satisfies whose neighbour is in each event."""
        moved = move_answers(piece.places)
        return tuple(tuple(Inequality(f.form.replace(moved), f.strict) for f in known) for known in self.facts)


def build_crossing(case: SizedProgram, places: Sequence[int], active: Active) -> Crossing:
    facts = tuple(tuple(f for f in case.events[place].facets if is_fact(f, active)) for place in places)
    asked = unknowns_of(atom for known in facts for atom in known)
    return Crossing(tuple(places), facts, case.paths.domain(asked), case.paths.bits(asked))


def find_fault(case: SizedProgram, crossing: Crossing, steps: int) -> str:
    """Why the events of a crossing cannot answer for each other, or nothing.

    A database is in at most one of them, so two events of it never lead to the same event of a neighbour, and the
    shifts together stay one-to-one. A neighbour of a database that is in one of them must be in one of them too.
    """
    for first, second in itertools.combinations(crossing.facts, 2):
        if not is_empty([*crossing.domain, *first, *second], steps, bits=crossing.bits):
            return "a comparison without noise decides which of several equal outputs is given"
    for piece in case.relation():
        after = crossing.moved(piece)
        for known in crossing.facts:
            if not is_empty([*crossing.domain, *known, *piece.atoms], steps, none_of=after, bits=crossing.bits):
                shown = next(f for f in known if any(isinstance(s, AnswerAt) for s in f.form.terms))
                return f"the comparison {shown} has no noise, and a neighbour beyond it never gives the same output"
    return ""
