"""Two runs on neighbouring databases side by side, the second with the first one's noise, moved by an alignment → Horn
clauses. docs/theory-lengths.md says why that proves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile

from kolahal.lang import ir
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch, Type
from kolahal.logic.linear import LinearForm, number, variable
from kolahal.logic.terms import (
    BOOL,
    FALSE,
    INT,
    ZERO,
    Formula,
    Sum,
    Symbol,
    Term,
    at_most,
    choose,
    equal,
    every,
    implies,
    is_whole,
    magnitude,
    negate,
    put,
    put_in,
)
from kolahal.nouns import dataclass
from kolahal.proof.trusted.budget import Powers, Share, powers_of
from kolahal.proof.trusted.cells import Cells, is_ghost
from kolahal.proof.trusted.coins import chosen_alike, is_bit, paid_for, support, turn
from kolahal.proof.trusted.computed import bind_computed, known_of
from kolahal.proof.trusted.neighbours import Neighbours, public_facts, quantity
from kolahal.proof.trusted.noisy_lists import NoisyLists, find_noisy_lists
from kolahal.proof.trusted.obligations import Clause, System
from kolahal.proof.trusted.others import Others, find_others
from kolahal.proof.trusted.restated.released import before_last
from kolahal.proof.trusted.restated.released import released as answer_parts
from kolahal.proof.trusted.restated.rescaled import in_other_units, units_of
from kolahal.proof.trusted.restated.set_aside import set_aside
from kolahal.proof.trusted.restated.watched import Followed, watched
from kolahal.proof.trusted.segments import Machine
from kolahal.proof.trusted.shifts import Alignment, AtGhost, AtValue, ByBranch, Form, ShiftRule
from kolahal.proof.trusted.states import carried, state_symbols
from kolahal.proof.trusted.steps import decide_flags, settle_answers, spread_comprehensions
from kolahal.proof.trusted.symbols import LENGTH, Own, ghost_value, next_ghost_value, spent_on
from kolahal.proof.trusted.values import (
    Built,
    Drawn,
    Goto,
    NotLinear,
    Numeric,
    Returned,
    Run,
    SegmentPath,
    SegmentStart,
    Unsupported,
    bound,
    same,
    same_answer,
)

END = -1  # where both runs have answered, as a place of its own while the budget is still open


@dataclass(frozen=True, slots=True)
class Product:
    """Both runs of a program, cut at the loop heads: everything but the alignment."""

    sketch: Sketch
    first: Run
    second: Run
    monomials: tuple[Powers, ...]
    settled: bool  # whether answers of different places to answer cannot be compared
    units: tuple[Scale, ...]  # by site, what the user's noise is multiplied by
    watched: frozenset[str] = frozenset()  # names of ours, of the places that watched names' values are from

    def spent(self, powers: Powers) -> Symbol:
        return spent_on(self.monomials.index(powers))


def build_product(
    sketch: Sketch,
    released: frozenset[int],
    delayed: bool = False,
    at_once: bool = False,
    parts: bool = False,
    watches: tuple[Followed, ...] = (),
) -> Product:
    """Cut both runs of a program without holes, or of the one that gives away what its last statements are computed from
    (`parts`); raises Unsupported where the program is outside the language."""
    if sketch.holes:
        raise Unsupported("the program has holes")
    units, sketch = units_of(sketch, counted := in_other_units(sketch)), set_aside(counted) if delayed else counted
    sketch, places = watched(sketch, watches), frozenset(watch.place for watch in watches)
    monomials = tuple(sorted({powers_of(d.scale, sketch) for d in sketch.draws if isinstance(d.scale, Scale)}))
    whole = decide_flags(spread_comprehensions(sketch, released))
    if (spread := before_last(whole) if parts else whole) is None:
        raise Unsupported("the last statements need private values or noise")
    grown = frozenset(node.name for node in ir.walk(sketch.body) if isinstance(node, ir.Append))

    settled = settle_answers(spread)
    single = sum(isinstance(node, ir.Return) for node in ir.walk(sketch.body)) == 1
    ways = (settled, answer_parts(spread)) if single else (spread, settled)
    reasons: list[Unsupported] = []
    for again, program in enumerate((ways[0], *([ways[1]] if ways[1] != spread else []), ways[0])):
        computes = again > 0 and program is ways[0]  # whatever is computed, where nothing linear is as good
        if computes and (at_once or watches or not isinstance(reasons[-1], NotLinear)):
            break
        try:
            one, two = (
                Machine(program, which, sketch.private.whole, grown, delayed, at_once, places, computes).run() for which in (1, 2)
            )
            return Product(sketch, one, two, monomials, not single and again == 1 and not computes, units, places)
        except Unsupported as error:
            reasons += [] if computes else [error]
    raise reasons[-1]


def build_system(
    product: Product,
    neighbours: Neighbours,
    alignment: Alignment,
    shares: tuple[Share, ...] | None,
    assumed: tuple[str, ...],
) -> System:
    """All steps of the two runs under an alignment, with the goals that make it a proof of privacy.

    Without `shares` nothing is said of the cost, and the answers lead to a place END where it can be looked at.
    """
    draws = product.sketch.draws
    if len(alignment.shifts) != len(draws):
        raise Unsupported("the alignment has not one shift for each draw")
    if any(loop is not None and loop not in product.first.paths for loop in alignment.renewed):
        raise Unsupported("a ghost is renewed at a loop that does not exist")
    if shares is not None and tuple(share.powers for share in shares) != product.monomials:
        raise Unsupported("the shares of the budget do not match the scales")
    lists = find_noisy_lists(alignment, product.first, product.second, neighbours, product.sketch)
    others = None if lists and alignment.lead else find_others(alignment, product.first, product.second, product.sketch)
    states = {
        place.loop: tuple(dict.fromkeys([*state_symbols(place), *state_symbols(other)]))
        + tuple(map(product.spent, product.monomials))
        + (others.symbols() if others else ())
        + (lists.symbols(place.loop) if lists else ())
        for place, other in zip(product.first.places, product.second.places, strict=True)
        if place.loop is not None
    }
    if shares is None:
        states[END] = tuple(map(product.spent, product.monomials))
    cells = Cells(product.first, alignment, product.watched)
    pairing = _Pairing(product, neighbours, alignment, shares, others, lists, cells)
    clauses = (*pairing.clauses(), *cells.passed())
    facts = (*neighbours.fixed(), *(others.facts(neighbours) if others else ()), *(lists.facts() if lists else ()))
    return System((*public_facts(product.sketch, assumed), *facts), states, clauses)


@dataclass(frozen=True, slots=True)
class _Pairing:
    product: Product
    neighbours: Neighbours
    alignment: Alignment
    shares: tuple[Share, ...] | None
    others: Others | None
    lists: NoisyLists | None
    cells: Cells

    def clauses(self) -> Iterator[Clause]:
        for place in self.product.first.places:
            for i, one in enumerate(self.product.first.paths[place.loop]):
                for j, two in enumerate(self.product.second.paths[place.loop]):
                    name = f"from {_words(place.loop)}, path {i + 1} with path {j + 1}"
                    yield self.pair(name, place, one, two)

    def pair(self, name: str, place: SegmentStart, one: SegmentPath, two: SegmentPath) -> Clause:
        """The clause for a first run on path `one` and a second run on path `two`."""
        binding: dict[Symbol, Term] = {}
        premises: list[Formula] = [*one.conditions, *self.cells.counted(place.loop)]
        goals: list[Formula] = [negate(fault) for fault in one.faults]
        alike = self.alike(one, two)
        paired = list(takewhile(lambda pair: _go_together(*pair, alike), zip(one.draws, two.draws)))
        premises += chosen_alike(paired, binding)
        known, places = self.read_alike(place.loop, one, two, binding)
        premises += known
        begun = place.loop is not None
        spent = {p: variable(self.product.spent(p)) if begun else ZERO for p in self.product.monomials}
        passed = self.others.begin(begun) if self.others else None
        premises += known_of(one.computed)
        for mine, other in paired:
            bind_computed(one.computed, two.computed, mine.order, binding)
            premises += support(mine.noise, variable(mine.symbol))
            shift = self.shift(mine, other, one, binding)
            if mine.noise.whole and not is_whole(shift):
                raise Unsupported("noise on the whole numbers needs whole shifts")
            reach = self.alignment.limit(mine.site)
            goals += [] if reach is None else [at_most(magnitude(shift), self.longest(reach * self.product.units[mine.site]))]
            here = equal(mine.place, put(other.place, binding))
            places.append(here)
            if mine.rival is not None and other.rival is not None:
                bind_computed(one.computed, two.computed, mine.order + 1, binding)  # scores are computed once a place is chosen
                goals += paid_for(mine.rival, other.rival, shift, binding)
            else:
                moved = variable(mine.symbol) + shift
                binding[other.symbol] = choose(here, moved, variable(other.symbol))
                goals += support(mine.noise, moved)
            powers = powers_of(mine.scale, self.product.sketch)
            spent[powers] = spent[powers] + magnitude(shift).times(1 / mine.scale.coefficient)
            passed = self.others.after(passed, mine, other, binding) if self.others and passed else None
        bind_computed(one.computed, two.computed, len(two.draws), binding)
        premises += self.lists.seen(place.loop, one, two, binding) if self.lists else ()
        for charge in self.lists.charges(place.loop, one, two) if self.lists else ():
            premises += charge.facts
            goals += charge.goals
            spent[charge.powers] += charge.cost
        premises += [put_in(condition, binding) for condition in two.conditions]
        if not alike:
            return Clause(name, place.loop, tuple(premises), (FALSE,), None, ())
        goals += [negate(put_in(fault, binding)) for fault in two.faults]
        goals += [*places, *(passed.in_order if passed else ())]
        if isinstance(one.end, Returned) and isinstance(two.end, Returned):
            premises += self.others.known(passed) if self.others and passed else ()
            premises, goals = self.final(one, two, one.end, two.end, binding, premises, goals, spent)
            if self.shares is not None:
                return Clause(name, place.loop, tuple(premises), tuple(goals), None, ())
            costs = tuple((self.product.spent(powers), total) for powers, total in spent.items())
            return Clause(name, place.loop, tuple(premises), tuple(goals), END, costs)
        assert isinstance(one.end, Goto)
        updates, more = self.arrival(one.end.loop, one, two, binding, spent)
        premises += self.cells.arriving(one, settled=self.lists is not None and self.lists.named is not None)
        for counting, shown, renewed in self.renewals(one.end.loop, one, two, binding):
            premises, more, updates = [*premises, *counting], [*more, *shown], (*updates, *renewed)
        updates = (*updates, *(self.others.updates(passed) if self.others and passed else ()))
        updates = (*updates, *(self.lists.updates(one.end.loop, one, two, binding) if self.lists else ()))
        return Clause(name, place.loop, tuple(premises), (*goals, *more), one.end.loop, updates)

    def read_alike(
        self, start: int | None, one: SegmentPath, two: SegmentPath, binding: dict[Symbol, Term]
    ) -> tuple[list[Formula], list[Formula]]:
        """What is known of the reads of both runs, and that their places are equal, which has to be shown."""
        known: list[Formula] = []
        places: list[Formula] = []
        for index, read in enumerate(two.reads):
            twin = next((other for other in one.reads if other.spot == read.spot), None)
            if twin is None:
                continue  # nothing is known of what the second run alone looks at
            # Two reads are related only where their places are equal; that they are is a goal, not a premise.
            here = equal(twin.place, put(read.place, binding))
            places += [here] if read.noisy is None else []  # of noise that both runs have already, any place is as good
            if read.symbol.sort == BOOL:
                binding[read.symbol] = every([implies(here, twin.symbol), implies(negate(here), read.symbol)])
            elif read.private:
                move, facts = self.neighbours.move(index, twin.place)
                bits = is_bit(variable(twin.symbol), variable(twin.symbol) + move) if self.product.sketch.private.bits else ()
                known += [*facts, *bits]
                binding[read.symbol] = choose(here, variable(twin.symbol) + move, variable(read.symbol))
            elif self.lists is not None and twin.noisy is not None:
                value, told = self.lists.read(index, twin, start, one)
                known += told
                binding[read.symbol] = choose(here, value, variable(read.symbol))
            else:
                binding[read.symbol] = choose(here, variable(twin.symbol), variable(read.symbol))
        return known, places

    def alike(self, one: SegmentPath, two: SegmentPath) -> bool:
        """Whether the two paths draw and end alike, and come to the same rule for each draw."""
        return (
            [d.law for d in one.draws] == [d.law for d in two.draws]
            and (one.end == two.end if isinstance(one.end, Goto) else isinstance(two.end, Returned))
            and all(
                self.alignment.chosen(a.site, one.decisions) == self.alignment.chosen(b.site, two.decisions)
                and (self.others is None or self.others.are_alike(a, b))
                for a, b in zip(one.draws, two.draws, strict=True)
            )
        )

    def longest(self, reach: Scale) -> Sum:
        """How far a shift may go: so many units, or so many for every answer, where the unit is a number."""
        unit = self.neighbours.unit
        if reach.powers == ((self.product.sketch.length_name, 1),) and not reach.root and not unit.terms:
            return variable(LENGTH).times(unit.constant * reach.coefficient)
        if reach.powers or reach.root:
            raise Unsupported(f"shifts of up to {reach} units are not covered")
        return unit.times(reach.coefficient)

    def shift(self, mine: Drawn, other: Drawn, one: SegmentPath, binding: Mapping[Symbol, Term]) -> Sum:
        """By how much this draw moves; a function of what was drawn before it, of its settled rule and the ghosts."""
        return self.ruled(self.alignment.chosen(mine.site, one.decisions), mine, other, binding)

    def ruled(self, rule: ShiftRule, mine: Drawn, other: Drawn, binding: Mapping[Symbol, Term]) -> Sum:
        match rule:
            case AtGhost(offset, then, orelse, which):
                if not 0 <= which < len(self.alignment.ghosts):
                    raise Unsupported("a shift in the turn of the ghost needs a ghost")
                chosen = equal(mine.turn + number(offset), variable(ghost_value(which)))
                return choose(chosen, self.ruled(then, mine, other, binding), self.ruled(orelse, mine, other, binding))
            case AtValue(name, of, plus, then, orelse):
                here = mine.names.get(name)
                if not isinstance(here, Numeric) or not is_whole(here.value):
                    raise Unsupported(f"`{name}` is not a whole number where the noise is drawn")
                if of is not None and not any(p.name == of and p.type is Type.INT for p in self.product.sketch.arguments):
                    raise Unsupported(f"{of} is not a whole argument")
                value = number(plus) if of is None else variable(Symbol(of, INT)) + number(plus)
                ways = (self.ruled(way, mine, other, binding) for way in (then, orelse))
                return choose(equal(here.value, value), *ways)
            case Form():
                coin = mine.noise.finite
                return turn(rule, mine, other, binding, self.neighbours) if coin else self.form(rule, mine, other, binding)
            case ByBranch():
                raise AssertionError("conditions are decided on a path")

    def form(self, form: Form, mine: Drawn, other: Drawn, binding: Mapping[Symbol, Term]) -> Sum:
        result = self.neighbours.unit.times(form.units)
        if form.cancel:
            if not mine.factor or mine.factor != other.factor:
                raise Unsupported("noise that is not simply added cannot cancel a difference")
            difference = put(other.rest, binding) - mine.rest
            result -= difference.times(1 / mine.factor)
        if form.follow is not None:
            here, there = mine.names.get(form.follow), other.names.get(form.follow)
            if not isinstance(here, Numeric) or not isinstance(there, Numeric):
                raise Unsupported(f"`{form.follow}` is not a number where the noise is drawn")
            result += put(there.value, binding) - here.value
        if form.lead:
            assert self.others is not None, "a shift that follows the others has them"
            result += self.others.shift(mine.factor)
        return result

    def arrival(
        self,
        loop: int,
        one: SegmentPath,
        two: SegmentPath,
        binding: Mapping[Symbol, Term],
        spent: Mapping[Powers, Sum],
    ) -> tuple[tuple[tuple[Symbol, Term], ...], list[Formula]]:
        """The state at the next loop head, and what must hold for it to be one state of both runs."""
        updates: list[tuple[Symbol, Term]] = []
        goals: list[Formula] = []
        for run, path, known in ((self.product.first, one, {}), (self.product.second, two, binding)):
            place = run.place(loop)
            updates += carried(run, path, known)
            if path is two:
                grown = [name for name, value in place.names if isinstance(value, Built)]
                goals += [same(one.names[name], bound(two.names[name], known)) for name in grown]
            for ghost, symbol in place.ghosts:
                now = put(path.ghosts[ghost], known)
                if not isinstance(symbol, Own) and path is two:
                    goals.append(equal(one.ghosts[ghost], now))
                else:
                    updates.append((symbol, now))
        updates += [(self.product.spent(powers), total) for powers, total in spent.items()]
        for symbol, term in updates:
            if symbol.sort == INT and not (isinstance(term, LinearForm) and is_whole(term)):
                raise Unsupported(
                    f"{symbol.stem if isinstance(symbol, Own) else symbol.name} may not be a whole number"
                )
        return tuple(updates), goals

    def final(
        self,
        one: SegmentPath,
        two: SegmentPath,
        first: Returned,
        second: Returned,
        binding: Mapping[Symbol, Term],
        premises: list[Formula],
        goals: list[Formula],
        spent: Mapping[Powers, Sum],
    ) -> tuple[list[Formula], list[Formula]]:
        """The runs answer alike at the price that was agreed; only first runs with the ghost's value count."""
        alike = same_answer(first.value, second.value, binding)
        goals = [*goals, FALSE if self.product.settled and first.step != second.step else alike]
        for share in self.shares or ():
            per = number(1) if share.per is None else quantity(share.per, self.product.sketch)
            limit = per.times(share.bound)
            if self.neighbours.in_proportion:
                if share.per is not None and share.bound:
                    raise Unsupported("a cost in proportion to the move and to a public quantity is not linear")
                limit = self.neighbours.unit.times(share.bound / self.neighbours.distance)
            goals.append(at_most(spent[share.powers], limit))
        for which in range(len(self.alignment.ghosts)):
            if (shown := self.shows(which, one, two, binding)) is None:
                return premises, [FALSE]
            premises, goals = [*premises, *shown[0]], [*goals, *shown[1]]
        return premises, goals

    def shows(
        self, which: int, one: SegmentPath, two: SegmentPath, binding: Mapping[Symbol, Term]
    ) -> tuple[list[Formula], list[Formula]] | None:
        """Where a ghost's value is that of its variable: only first runs with it count, and the second run shows it too.
        None if only one of the runs has the variable."""
        here, there = (path.names.get(self.alignment.ghosts[which]) for path in (one, two))
        if here is None or there is None:
            return ([], []) if here is there else None
        return [is_ghost(here, variable(ghost_value(which)))], [same(here, bound(there, binding))]

    def renewals(
        self, loop: int, one: SegmentPath, two: SegmentPath, binding: Mapping[Symbol, Term]
    ) -> Iterator[tuple[list[Formula], list[Formula], list[tuple[Symbol, Term]]]]:
        """For the arrival at a loop head: premises, goals and new values of ghosts that get another value there, any, and
        premises of those that already have the value that counts next."""
        for which, name in enumerate(self.alignment.ghosts):
            end, names = self.alignment.renewal(which), dict(self.product.first.place(loop).names)
            if end == loop:
                shown = self.shows(which, one, two, binding) or ([], [FALSE])
                yield *shown, [(ghost_value(which), variable(next_ghost_value(which)))]
            elif end is not None and name in names and name not in self.product.first.unsettled[loop, end]:
                yield [is_ghost(one.names[name], variable(ghost_value(which)))], [], []


def _go_together(mine: Drawn, other: Drawn, alike: bool) -> bool:
    """Whether two draws are made alike. From the first pair that is not, the clause has the goal `false`, and noise of the
    second run stays unknown."""
    return mine.law == other.law and (mine.factor == other.factor or alike)


def _words(loop: int | None) -> str:
    return "the start" if loop is None else f"loop {loop + 1}"
