"""Lists of noise that are drawn at once and looked at again and again: the noise of all winners moves, that of others keeps its
value, and each winner's shift is paid for in the turn that finds it. docs/theory-lengths.md, "Lists that are drawn at once"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kolahal.lang.sketch import Sketch
from kolahal.logic.linear import variable
from kolahal.logic.terms import (
    BOOL,
    TRUE,
    ZERO,
    Formula,
    Sum,
    Symbol,
    Term,
    at_most,
    below,
    choose,
    equal,
    every,
    implies,
    is_whole,
    magnitude,
    negate,
)
from kolahal.nouns import dataclass
from kolahal.proof.trusted.budget import Powers, powers_of
from kolahal.proof.trusted.named_items import FoundInTurns, NamedItems, shift_of
from kolahal.proof.trusted.neighbours import Neighbours
from kolahal.proof.trusted.others import forms_of
from kolahal.proof.trusted.shifts import Alignment, Always, AtGhost, FollowedSums, Form, Shift, ShiftRule
from kolahal.proof.trusted.symbols import LENGTH, ghost_value
from kolahal.proof.trusted.values import Goto, Maybe, NoisyItem, Read, Returned, Run, SegmentPath, Unsupported


@dataclass(frozen=True, slots=True)
class WinnersMove:
    """The items at the places that a renewed ghost names move by a form."""

    form: Form
    which: int
    ghost: str
    loop: int  # where it is renewed


@dataclass(frozen=True, slots=True)
class Charge:
    """What the coming winner's shift costs, what is known of its answer's move, and what has to be shown of the shift."""

    powers: Powers
    cost: Sum
    facts: tuple[Formula, ...]
    goals: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class NoisyLists:
    """The lists of a program that are drawn at once, under one alignment."""

    sketch: Sketch
    neighbours: Neighbours
    runs: tuple[Run, Run]
    items: tuple[NoisyItem, ...]
    rules: Mapping[int, WinnersMove]  # by site; the noise of others keeps its value
    within: Mapping[int, frozenset[int]]  # by loop, those that lead to it: an answer from there ends a turn, as an arrival does
    returning: Mapping[int, frozenset[int]]  # by loop, those from whose heads every way to an answer ends a turn of it
    named: NamedItems | None = None  # the list whose winners are the same for the whole run, if there is one
    turns: FoundInTurns | None = None  # the list whose winners are found in turns and may follow the first of the others

    def facts(self) -> tuple[Formula, ...]:
        """What is known all along."""
        leading = self.named or self.turns
        return tuple(leading.facts()) if leading else ()

    def seen(self, start: int | None, one: SegmentPath, two: SegmentPath, binding: Mapping[Symbol, Term]) -> Iterator[Formula]:
        """What the looks of both runs at items say, and where a step ends."""
        if self.named is not None:
            yield from (*self.named.seen(1, one.reads, {}), *self.named.seen(2, two.reads, binding))
        if self.turns is not None:
            yield from (*self.turns.items_read(one, 1, {}), *self.turns.items_read(two, 2, binding))
            yield from self.turns.coming() if self.returns(start, one, self.rules[self.turns.item.site]) else ()

    def symbols(self, loop: int) -> tuple[Symbol, ...]:
        """What a state at a loop head has of it."""
        return tuple(symbol for run in self.runs for symbol in self.turns.symbols(run.place(loop), run.which)) if self.turns else ()

    def updates(self, loop: int, one: SegmentPath, two: SegmentPath, binding: Mapping[Symbol, Term]) -> Iterator[tuple[Symbol, Term]]:
        """That state, where a step ends."""
        known: tuple[Mapping[Symbol, Term], ...] = ({}, binding)
        for run, path, terms in zip(self.runs, (one, two), known, strict=True):
            yield from self.turns.updates(run.place(loop), path, run.which, terms) if self.turns else ()

    def ends_turn(self, start: int | None, path: SegmentPath, rule: WinnersMove) -> bool:
        """Whether a way from the head of a loop ends a turn that may find a winner."""
        return path.end.loop == rule.loop if isinstance(path.end, Goto) else start in self.within[rule.loop]

    def returns(self, start: int | None, path: SegmentPath, rule: WinnersMove) -> bool:
        """Whether a run that goes this way is sure to end a turn before it answers, with the ghost's next value."""
        return self.ends_turn(start, path, rule) or (isinstance(path.end, Goto) and path.end.loop in self.returning[rule.loop])

    def read(self, index: int, read: Read, start: int | None, path: SegmentPath) -> tuple[Sum, tuple[Formula, ...]]:
        """What the second run finds where the first one looks at an item, and what is known of it."""
        assert read.noisy is not None, "the item is one of a list that was drawn at once"
        item, rule = read.noisy, self.rules.get(read.noisy.site)
        move, facts = self.neighbours.move(index, read.place)
        value = variable(read.symbol) + move.times(item.slope)
        if self.named is not None and item == self.named.item:
            return self.named.second(read.place, value), facts
        if rule is None:
            return value, facts
        wins = Symbol(f"wins.{index}", BOOL)  # whether some turn finds this place
        if self.returns(start, path, rule):
            facts = (*facts, implies(equal(read.place, variable(ghost_value(rule.which))), wins))
        if self.turns is not None:
            facts = (*facts, *self.turns.look(read.place, (variable(read.symbol), value), wins))
        return value + choose(wins, shift_of(rule.form, item, move, self.neighbours).times(item.factor), ZERO), facts

    def charges(self, start: int | None, one: SegmentPath, two: SegmentPath) -> Iterator[Charge]:
        """What is to be paid where a first run answers, or a turn ends, for the items that ghosts name there."""
        if isinstance(one.end, Returned) and self.named is not None:
            powers = powers_of(self.named.item.scale, self.sketch)
            yield from (Charge(powers, cost, (), goals) for cost, goals in self.named.costs(one))
        for index, item in enumerate(self.items, len(two.reads)):
            rule = self.rules.get(item.site)
            if rule is None or not self.ends_turn(start, one, rule) or (found := one.names.get(rule.ghost)) is None:
                continue
            place = variable(ghost_value(rule.which))
            move, facts = self.neighbours.move(index, place)
            shift = shift_of(rule.form, item, move, self.neighbours)
            if item.noise.whole and not is_whole(shift):
                raise Unsupported("noise on the whole numbers needs whole shifts")
            known = negate(found.none) if isinstance(found, Maybe) else TRUE
            inside = every([known, at_most(ZERO, place), below(place, variable(LENGTH))])
            goals = (implies(inside, at_most(ZERO, shift)),) if item.noise.one_sided else ()
            cost = choose(inside, magnitude(shift).times(1 / item.scale.coefficient), ZERO)
            yield Charge(powers_of(item.scale, self.sketch), cost, facts, goals)


def find_noisy_lists(
    alignment: Alignment, first_run: Run, second_run: Run, neighbours: Neighbours, sketch: Sketch
) -> NoisyLists | None:
    """The lists that are drawn at once and how they move; raises Unsupported where an alignment says what cannot be."""
    items = first_run.noisy_items
    if items != second_run.noisy_items:
        raise Unsupported("a list of noise is not made alike in both runs")
    if not items:
        return None
    if sketch.private.table is not None and sketch.private.table.depends_on_run:
        raise Unsupported("lists that are drawn at once do not go together with questions of the run")
    lead, named, turns = alignment.lead, None, None
    if lead is not None:
        item = _lone(alignment, lead, items)
        if any(loop is not None for loop in alignment.renewed):
            turns = FoundInTurns(item, 0, lead.least, neighbours)
        else:
            named = _named(alignment, lead, item, neighbours)
    rules: dict[int, WinnersMove] = {}
    for item in items:
        if named is not None and item == named.item:
            continue
        if alignment.limit(item.site) is not None:
            raise Unsupported("the shift of a list that is drawn at once looks ahead")
        if (rule := _rule(alignment.shifts[item.site], alignment)) is not None:
            rules[item.site] = rule
    within = {rule.loop: _within(first_run, rule.loop) for rule in rules.values()}
    returning = {loop: _returning(first_run, loop, inside) for loop, inside in within.items()}
    if turns is not None and (len(alignment.ghosts) != 1 or turns.item.site not in rules):
        raise Unsupported("one ghost names the winners of all turns")
    return NoisyLists(sketch, neighbours, (first_run, second_run), items, rules, within, returning, named, turns)


def _lone(alignment: Alignment, lead: FollowedSums, items: tuple[NoisyItem, ...]) -> NoisyItem:
    """The one list whose winners may follow the first of the others."""
    if len(items) != 1 or lead.sites != (items[0].site,) or alignment.closed:
        raise Unsupported("the winners of one list may follow the others of that list")
    (item,) = items
    if item.noise.whole:
        raise Unsupported("only real noise follows the others: other noise may tie with them")
    if alignment.limit(item.site) is not None:
        raise Unsupported("the shift of a list that is drawn at once looks ahead")
    if any(form.lead for site, shift in enumerate(alignment.shifts) if site != item.site for form in forms_of(shift)):
        raise Unsupported("only the noise of the list itself follows the others of it")
    return item


def _named(alignment: Alignment, lead: FollowedSums, item: NoisyItem, neighbours: Neighbours) -> NamedItems:
    """The list, if its winners are known for the whole run."""
    form = Form()
    rule: Shift | ShiftRule = alignment.shifts[item.site]
    for which in range(len(alignment.ghosts)):
        match rule:
            case AtGhost(0, Form(follow=None) as then, orelse, here) if here == which and (not which or then == form):
                form, rule = then, orelse
            case _:
                raise Unsupported("the items at the places of all ghosts move alike")
    if not alignment.ghosts or rule != Form():
        raise Unsupported("the noise of the others keeps its value")
    return NamedItems(item, form, alignment.ghosts, lead.least, neighbours)


def _rule(shift: Shift, alignment: Alignment) -> WinnersMove | None:
    match shift:
        case Always(Form(units=0, cancel=False, follow=None, lead=False)):
            return None
        case AtGhost(0, Form(follow=None) as form, Form(units=0, cancel=False, follow=None, lead=False), which):
            leads = form.lead and alignment.lead is None
            if 0 <= which < len(alignment.ghosts) and (loop := alignment.renewal(which)) is not None and not leads:
                return WinnersMove(form, which, alignment.ghosts[which], loop)
    raise Unsupported("in a list that is drawn at once only the items at a renewed ghost's places move")


def _within(run: Run, loop: int) -> frozenset[int]:
    """The other loops from whose heads a run may come to the head of `loop`: those in its turns, and before it."""
    after = {here: {path.end.loop for path in paths if isinstance(path.end, Goto)} for here, paths in run.paths.items()}
    found = {loop}
    while more := {here for here, ends in after.items() if here is not None and ends & found} - found:
        found |= more
    return frozenset(found - {loop})


def _returning(run: Run, loop: int, inside: frozenset[int]) -> frozenset[int]:
    """The loops from whose heads no run comes to an answer without ending a turn of `loop`; itself among them."""
    answering = {here for here, paths in run.paths.items() if here not in inside and any(isinstance(path.end, Returned) for path in paths)}
    while True:
        more = {
            here
            for here, paths in run.paths.items()
            if any(isinstance(path.end, Goto) and path.end.loop != loop and path.end.loop in answering for path in paths)
        }
        if more <= answering:
            return frozenset(here for here in run.paths if here is not None and (here == loop or here not in answering))
        answering |= more
