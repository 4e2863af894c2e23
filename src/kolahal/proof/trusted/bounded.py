"""A proof for inputs of at most so many answers as a document, and the check that believes it or not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from kolahal.errors import KolahalError
from kolahal.lang.ir import Hole
from kolahal.lang.read.parse import parse
from kolahal.lang.scale import Scale, parse_scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.lang.unit_names import in_unit
from kolahal.logic.linear import Inequality, Number, number, unknowns_of
from kolahal.logic.solver import is_empty
from kolahal.nouns import dataclass
from kolahal.paths.events import OutputCell, is_union, normal
from kolahal.paths.state import Fault, Paths, affine_parts, discrete_part
from kolahal.paths.unknowns import Atom, Atoms, Indeterminate, MoveAt, NoiseAt
from kolahal.proof.trusted.documents import Malformed, read_json, read_number, read_whole, take, take_all
from kolahal.proof.trusted.passages import (
    Active,
    Piece,
    Row,
    SizedProgram,
    build_crossing,
    explore_released,
    find_fault,
    find_no_bound,
    find_rows,
    is_private_fact,
    mixed_units,
    move_answers,
    pinned_at,
    shape,
    whole_moves,
    worst_changes,
)
from kolahal.settings import ProofSettings
from kolahal.verdicts import AnyRecords, Bounded, Certificate, Exactly, Proved, Unknown, UpTo

DEFAULTS = ProofSettings()
WHOLE_VALUES = (1, 2, 3)  # of each whole argument
MOST_ANSWERS = 20  # of a document that is checked again
FixedArguments: TypeAlias = dict[str, Fraction | bool]  # the whole and boolean arguments
DrawSteps: TypeAlias = dict[NoiseAt, Fraction]  # how far each draw is shifted; what is not in it stays


def read_verdict(sketch: Sketch, most: int, certificate: Certificate) -> Proved | Bounded:
    """What a valid certificate for at most so many answers says: of a declared number, and all arguments, all there is."""
    condition = describe_scope(sketch)
    if sketch.private.count is not None and not condition:
        over_records = sketch.private.table is not None  # aggregates are as many as they are, whatever the records
        return Proved(certificate, AnyRecords() if over_records else Exactly(sketch.private.count))
    return Bounded(certificate, UpTo(most, condition, (WHOLE_VALUES[0], WHOLE_VALUES[-1]) if condition else None))


def describe_scope(sketch: Sketch) -> str:
    """Which arguments a bounded proof is about, where that is not all of them."""
    whole = [p.name for p in sketch.arguments if p.type is Type.INT]
    return ", ".join(f"{name} from {WHOLE_VALUES[0]} to {WHOLE_VALUES[-1]}" for name in whole)


def settings_of(sketch: Sketch, most: int) -> Iterator[tuple[FixedArguments, int]]:
    """The arguments and sizes that a proof must cover; without private answers there is nothing to hide."""
    values: list[list[tuple[str, Fraction | bool]]] = []
    for parameter in sketch.arguments:
        if parameter.type is Type.INT:
            values.append([(parameter.name, Fraction(value)) for value in WHOLE_VALUES])
        elif parameter.type is Type.BOOL:
            values.append([(parameter.name, False), (parameter.name, True)])
    for chosen in itertools.product(*values):
        for size in range(1 if sketch.private.count is None else most, most + 1):
            yield dict(chosen), size


def find_stop(sketch: Sketch, most: int, settings: ProofSettings) -> str:
    """That no run within the scope answers, and why, if so: then there is nothing to prove, and a proof would mislead."""
    codes: set[str] = set()
    for arguments, size in settings_of(sketch, most):
        paths = explore_released(sketch, size, arguments, settings.paths, ties=False)
        outputs = [] if isinstance(paths, Unknown) else [path.output for path in paths.paths]
        # A call that breaks an assertion answers None.
        if any(not isinstance(output, Fault) and (output is not None or not sketch.preconditions) for output in outputs):
            return ""
        codes |= {output.code for output in outputs if isinstance(output, Fault)}
    if not codes and sketch.preconditions:
        return f"what the program asserts is broken {f'at {scope}' if (scope := describe_scope(sketch)) else 'everywhere'}"
    where = f"with {most} answers" if sketch.private.count is not None else f"with up to {most} answers"
    return f"every run {where} stops with an error: {', '.join(sorted(codes))}"


def show_setting(arguments: FixedArguments, size: int) -> str:
    shown = [f"{name} = {value}" for name, value in arguments.items()]
    return ", ".join([f"{size} answer{'' if size == 1 else 's'}", *shown])


@dataclass(frozen=True, slots=True)
class Budget:
    """What a step of the noise at each site costs, and how much may be spent, both as a multiple of one power of ε."""

    prices: Mapping[int, Fraction]  # sites that are not in it cannot be shifted within the budget for all ε
    limit: Fraction

    @property
    def sites(self) -> Active:
        return frozenset(self.prices)

    def allows(self, cost: Fraction) -> bool:
        return cost <= self.limit

    def cost(self, steps: Mapping[NoiseAt, Fraction]) -> Fraction:
        return sum((abs(step) * self.prices[drawn.site] for drawn, step in steps.items()), Fraction(0))


def find_budget(sketch: Sketch, claim: Scale, size: int, arguments: FixedArguments) -> Budget | Unknown:
    """The claim and the scales at one size; a scale with another power of ε than the claim's cannot be used."""
    if sketch.holes:
        return Unknown("the program has holes")
    epsilon = sketch.epsilon.name
    numbers = {name: value for name, value in arguments.items() if not isinstance(value, bool)}
    values = numbers | {sketch.length_name: Fraction(size), epsilon: Fraction(1)}
    allowed = set(sketch.quantities())
    power = dict(claim.powers).get(epsilon, 0)
    if claim.root or not {name for name, _ in claim.powers} <= set(values) & allowed:
        return Unknown(f"the claim {claim} uses a quantity without a fixed value")
    prices = {}
    for draw in sketch.draws:
        assert not isinstance(draw.scale, Hole)
        known = in_unit(draw.scale, sketch.moved_in, sketch.factors)
        if known is None or not known[1].names <= set(values) & allowed:
            continue
        if dict(known[1].powers).get(epsilon, 0) == -power:
            prices[draw.site] = 1 / known[1].at(values)
    return Budget(prices, claim.at(values))


class Flaw(Exception):
    """Why a certificate proves nothing."""


def recheck_bounded(
    certificate: Certificate, settings: ProofSettings = DEFAULTS, sketch: Sketch | None = None
) -> tuple[str, ...]:
    """What is wrong with a certificate of a bounded proof; nothing if it proves what it says.

    With `sketch`, it must be about that program.
    """
    try:
        document = read_json(certificate.text)
        if take(document, "kind", str) != "bounded":
            raise Flaw("it is a certificate of another kind")
        program, claim = parse(take(document, "program", str)), parse_scale(take(document, "claim", str))
        if sketch is not None and program != sketch:
            raise Flaw("it is about another program")
        for arguments, size, entry in read_cases(document, program, settings):
            CaseCheck(program, find_budget(program, claim, size, arguments), size, arguments, settings, entry).run()
    except Flaw as flaw:
        return (str(flaw),)
    except (Malformed, RecursionError, KolahalError) as error:
        return (f"it is not a certificate: {type(error).__name__}: {error}",)
    return ()


def read_cases(
    document: dict[str, Any], program: Sketch, settings: ProofSettings
) -> Iterator[tuple[FixedArguments, int, dict[str, Any]]]:
    """The cases of a document, one for each size and setting; some run of them must answer."""
    most = read_whole(document.get("size"), MOST_ANSWERS)
    if most < 1 or (program.private.count or most) != most:
        raise Flaw(f"{most} is not a number of answers that it can be about")
    wanted, entries = list(settings_of(program, most)), take_all(document, "cases", dict)
    if len(wanted) != len(entries):
        raise Flaw("it does not have one case for each size and setting")
    for (arguments, size), entry in zip(wanted, entries, strict=True):
        told = take(entry, "arguments", dict)
        given = {n: v if isinstance(v, bool) else read_number(v) for n, v in told.items()}
        if take(entry, "size", int) != size or given != arguments:
            raise Flaw(f"the case {show_setting(arguments, size)} is missing")
        yield arguments, size, entry
    if stop := find_stop(program, most, settings):
        raise Flaw(stop)


class CaseCheck:
    """One size and setting of a certificate."""

    def __init__(
        self,
        program: Sketch,
        budget: Budget | Unknown,
        size: int,
        arguments: FixedArguments,
        settings: ProofSettings,
        entry: dict[str, Any],
    ):
        self.steps = settings.solver_steps
        self.where = show_setting(arguments, size)
        if reason := find_no_bound(program.adjacency, size, program.private.bits):
            raise Flaw(reason)
        paths = explore_released(program, size, arguments, settings.paths, ties=True)
        if isinstance(paths, Unknown) or isinstance(budget, Unknown):
            why = next(found.reason for found in (paths, budget) if isinstance(found, Unknown))
            raise Flaw(f"the program has no such proof: {why}")
        self.paths, self.budget = paths, budget
        self.active = frozenset(take_all(entry, "active", int))
        if not self.active <= budget.sites:
            raise self.flaw("noise is shifted whose scale does not fit the claim")
        self.draws: dict[str, NoiseAt] = {str(d): d for path in paths.paths for d in path.draws}
        events = tuple(self.event(e) for e in take_all(entry, "events", dict))
        self.passages = [(self.ways(e), e) for e in take_all(entry, "passages", dict)]
        moved = "moved" in entry and take(entry, "moved", bool)
        self.case = SizedProgram(paths, events, tuple(arguments.items()), moved)
        self.whole = self.case.is_whole(self.active)

    def flaw(self, what: str) -> Flaw:
        return Flaw(f"{self.where}: {what}")

    def run(self) -> None:
        named = sorted(place for event in self.case.events for place in event.paths)
        if named != list(range(len(self.paths.paths))):
            raise self.flaw("its events are not made of each path once")
        if not covers_all_runs(self.paths, self.steps):
            raise self.flaw("its paths do not cover all runs")
        crossing: dict[object, list[int]] = {}
        for place, event in enumerate(self.case.events):
            if any(is_private_fact(facet, self.active) for facet in event.facets):
                crossing.setdefault(shape(event, self.active, self.case.moved), []).append(place)
            else:
                rows = find_rows(event, event, self.active, move_answers(range(self.case.size)))
                self.check_event(rows, self.shifts(place, place, None)[0])
        for places in crossing.values():
            self.check_crossing(places)

    def check_event(self, rows: Sequence[Row], shifts: Sequence[DrawSteps]) -> None:
        """An event that the neighbour is in as well, whatever the database."""
        self.check_moves(rows, shifts)

    def event(self, entry: dict[str, Any]) -> OutputCell:
        places = take_all(entry, "paths", int)
        if not places or any(not 0 <= place < len(self.paths.paths) for place in places):
            raise self.flaw("an event is made of paths that do not exist")
        members = [self.paths.paths[place] for place in places]
        first = members[0]
        known: dict[str, Atom] = {}
        for atom in (atom for member in members for atom in normal(member.atoms)):
            if known.setdefault(str(atom), atom) != atom:
                raise self.flaw(f"two comparisons read alike: {atom}")
        texts = take_all(entry, "facets", str)
        if any(text not in known for text in texts):
            raise self.flaw("a facet of an event is not one of its paths'")
        facets: Atoms = tuple(known[text] for text in texts)
        for member in members[1:]:
            if (discrete_part(member.output), affine_parts(member.output), member.picks) != (
                discrete_part(first.output),
                affine_parts(first.output),
                first.picks,
            ):
                raise self.flaw("an event has two different outputs")
        same = len(members) == 1 and set(facets) == set(normal(first.atoms))
        if not same and not is_union(self.paths, facets, members, self.steps):
            raise self.flaw("the facets of an event are not those of its paths")
        return OutputCell(tuple(places), facets, first.output, first.picks)

    def ways(self, entry: dict[str, Any]) -> tuple[int, int, int | None]:
        """From where to where a passage leads, and the piece of the relation that it is about, if it is about one."""
        piece = None if entry.get("piece", 0) is None else take(entry, "piece", int)
        return take(entry, "from", int), take(entry, "to", int), piece

    def shifts(self, source: int, target: int, piece: int | None) -> tuple[list[DrawSteps], list[list[Fraction]] | None]:
        """The shifts that the certificate has for a passage, each within the budget, and the ends of its rows."""
        entries = [entry for ways, entry in self.passages if ways == (source, target, piece)]
        if len(entries) != 1:
            raise self.flaw(f"there is no way from event {source} to event {target}")
        found = [self.shift(e, source, target) for e in take_all(entries[0], "shifts", dict)]
        if entries[0].get("ends", 0) is None:
            return found, None
        ends = take_all(entries[0], "ends", list)
        if any(len(pair) != 2 for pair in ends):
            raise self.flaw("a row does not have two ends")
        return found, [[read_number(end) for end in pair] for pair in ends]

    def shift(self, entry: dict[str, Any], source: int, target: int) -> DrawSteps:
        told = take(entry, "steps", dict)
        if not set(told) <= set(self.draws):
            raise self.flaw("noise is shifted that no path draws")
        steps = {self.draws[name]: read_number(step) for name, step in told.items()}
        for drawn, step in steps.items():
            noise = self.paths.noises[drawn.site]
            if drawn.site not in self.active:
                raise self.flaw(f"{drawn} is shifted, which stays the same in both runs")
            if noise.finite and step:
                pins = [pinned_at(self.case.events[place], drawn) for place in (source, target)]
                if None in pins or pins[0] + step != pins[1]:  # type: ignore[operator]
                    raise self.flaw(f"{drawn} is turned over between events that do not say how it fell")
            elif noise.one_sided and step < 0:
                raise self.flaw(f"the shift of {drawn} leaves the noise's support")
            if noise.whole and step.denominator != 1:
                raise self.flaw(f"the shift of {drawn} is not a whole number")
        cost = self.budget.cost(steps)
        if not self.budget.allows(cost) or cost != read_number(entry.get("cost")):
            raise self.flaw(f"a shift costs {cost}, above {self.budget.limit} or not what is written")
        return steps

    def check_moves(self, rows: Sequence[Row], shifts: Sequence[DrawSteps]) -> None:
        """Some shift must satisfy all rows at each extreme move of a neighbour.

        A move between extreme ones is hidden by the same mixture of their shifts: rows and costs are convex. Whole
        noise has no mixtures: every whole move is looked at where answers are whole, and one shift must do for all
        moves where they are not.
        """
        if reason := mixed_units(self.paths.sketch, rows):
            raise self.flaw(reason)
        effects = [[effect_of(row, steps) for row in rows] for steps in shifts]
        if self.whole and not self.case.whole_answers:
            worst = worst_changes(self.case, rows)
            if isinstance(worst, Unknown):
                raise self.flaw(worst.reason)
            if not any(satisfies(rows, effect, worst) for effect in effects):
                raise self.flaw("no whole shift hides every move")
            return
        moves = whole_moves if self.whole else type(self.case.adjacency).vertices
        for move in moves(self.case.adjacency, self.case.size):
            values: dict[Indeterminate, Number] = {MoveAt(i): step for i, step in enumerate(move)}
            changes = [row.change.at(values) for row in rows]
            if not any(satisfies(rows, effect, changes) for effect in effects):
                raise self.flaw(f"no shift hides the move ({', '.join(map(str, move))})")

    def check_crossing(self, places: Sequence[int]) -> None:
        """Events that depend on the database: every event that a neighbour may be in must be reached."""
        crossing = build_crossing(self.case, places, self.active)
        fault = find_fault(self.case, crossing, self.steps)
        if fault or self.paths.sketch.units:
            raise self.flaw(fault or "a comparison without noise is of numbers that move by public units")
        for nth, piece in enumerate(self.case.relation()):
            after = crossing.moved(piece)
            for (source, known), (target, then) in itertools.product(
                zip(places, crossing.facts, strict=True), zip(places, after, strict=True)
            ):
                inside = [*crossing.domain, *known, *then, *piece.atoms]
                if not is_empty(inside, self.steps, bits=crossing.bits):
                    self.check_passage(source, target, nth, piece, inside)

    def check_passage(self, source: int, target: int, nth: int, piece: Piece, inside: Sequence[Atom]) -> None:
        events = self.case.events
        rows = find_rows(events[source], events[target], self.active, move_answers(piece.places))
        shifts, ends = self.shifts(source, target, nth)
        if ends is None:
            if any(not isinstance(symbol, MoveAt) for row in rows for symbol in row.change.terms):
                raise self.flaw("a change depends on the database, and no bounds are given")
            self.check_moves(rows, shifts)
            return
        if len(ends) != len(rows):
            raise self.flaw("there are not as many ends as rows")
        for row, (low, high) in zip(rows, ends, strict=True):
            outside = [Inequality(number(high) - row.change, strict=True)]
            if row.equal:
                outside.append(Inequality(row.change - number(low), strict=True))
            if not all(is_empty([*inside, atom], self.steps) for atom in outside):
                raise self.flaw(f"the change {row.change} goes beyond its bounds")
        corners = itertools.product(*(sorted({low, high}) if r.equal else [high] for r, (low, high) in zip(rows, ends)))
        effects = [[effect_of(row, steps) for row in rows] for steps in shifts]
        for corner in corners:
            if self.whole and any(low != high for r, (low, high) in zip(rows, ends) if r.equal):
                raise self.flaw("an output with whole noise changes by an amount that depends on the database")
            if not any(satisfies(rows, effect, corner) for effect in effects):
                raise self.flaw(f"no shift leads from event {source} to event {target}")


def effect_of(row: Row, steps: DrawSteps) -> Fraction:
    """What a shift adds to a row."""
    return sum((c * steps[s] for s, c in row.noise.terms.items() if isinstance(s, NoiseAt) and s in steps), Fraction(0))


def satisfies(rows: Sequence[Row], effects: Sequence[Fraction], changes: Sequence[Number]) -> bool:
    return all(e + c == 0 if r.equal else e + c <= 0 for r, e, c in zip(rows, effects, changes, strict=True))


def covers_all_runs(paths: Paths, steps: int) -> bool:
    """Whether it is proved that every run is on some path, ties included: on a grid they have a probability."""
    if paths.almost:  # `x == 0` was taken to be false, and no path says so
        return False
    inside = [path.atoms for path in paths.paths]
    asked = unknowns_of(atom for atoms in inside for atom in atoms)
    return is_empty(paths.domain(asked), steps, none_of=inside, bits=paths.bits(asked))
