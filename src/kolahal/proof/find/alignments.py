"""Which alignments to try: counterexample-guided search over rules for the draws.

A draw's shift may depend on how the conditions of its turn are decided. Each draw with one outcome of its conditions is a
question (a `Use`), and the rules that it may have are its answers. Both runs are played on concrete numbers under a choice
of answers; where they part, differ or pay too much, the answers that were used by then are a combination that fails, and
is never chosen again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from kolahal.lang.ir import Append, Binary, Const, Draw, For, Return, Var, While, assigned_names, assignments, walk
from kolahal.lang.kinds import NONE, NUMBER, WHOLE, infer
from kolahal.lang.noise import Noise
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Type
from kolahal.logic.linear import number
from kolahal.logic.solver import Choices
from kolahal.logic.terms import is_whole, print_term, symbols_of
from kolahal.proof.find.compiled_paths import Use
from kolahal.proof.find.concrete_runs import Stage
from kolahal.proof.find.guesses import guessed
from kolahal.proof.find.observing import sensitivities
from kolahal.proof.find.scenarios import drawn_for, outer_loops
from kolahal.proof.trusted.flow import counters
from kolahal.proof.trusted.neighbours import MOST_GHOSTS
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import (
    Alignment,
    Always,
    Asked,
    AtGhost,
    AtValue,
    ByBranch,
    FollowedSums,
    Form,
    Shift,
    ShiftRule,
)
from kolahal.proof.trusted.symbols import Own
from kolahal.proof.trusted.values import Drawn, Logical, Numeric, Unsupported

MOST_TRIALS = 1_200  # of one ghost
MANY_ENDS = 4  # draws that move
AFRESH = 4  # every so many trials nothing is kept of the one before
TIERS = (6, 10, 100)  # how many of the answers to each question are tried before the rest

STAY, CANCEL, TURN = Form(), Form(cancel=True), Form(Fraction(1))
RuleTable = Mapping[Use, ShiftRule]
Options = Mapping[Use, Sequence[ShiftRule]]
GhostQuestion = tuple[tuple[str, ...], tuple[int | None, ...], Options, FollowedSums | None]  # as `_GhostSearch` takes them
Failing = frozenset[tuple[Use, ShiftRule]]  # rules that cannot be chosen together


class AlignmentSearch:
    """Alignments that no rehearsal speaks against, for one product and one set of moves."""

    def __init__(self, product: Product, stage: Stage, reach: Mapping[int, Scale], real: bool = False):
        self.product, self.stage = product, stage
        self.reach = reach  # of draws whose shift must not look ahead
        self.real = real  # whether noise is real and never ties
        self.units = _units(stage)
        self.widest = sorted(self.units, key=lambda unit: (unit < 0, -abs(unit)))
        self.uses = stage.uses()
        self.lone = _drawn_once(product)
        self.noted = _noted(product)
        self.failures: list[Failing] = []  # that hold for every ghost

    def alignments(self) -> Iterator[Iterator[Alignment]]:
        """Simple ones first; among these those without a ghost, and then those of each ghost and of two."""
        lists = self.product.first.noisy_items
        leads = (self.leads_of_lists() if lists else self.questions_of_leads()) if self.real else None
        others = self.watched if self.product.watched else self.at_once if lists else self.questions
        questions = leads or others()
        searches: list[_GhostSearch] = []
        for question in questions:  # each has a solver of its own, which most proofs end without
            searches.append(_GhostSearch(self, *question))
            yield searches[-1].passing(TIERS[0])
        for tier in TIERS[1:]:
            for search in searches:
                yield search.passing(tier)

    def at_once(self) -> Iterator[GhostQuestion]:
        """For lists that are drawn at once: each loop whose turns may find winners, and the rules that each use may have."""
        forms: dict[int, list[ShiftRule]] = {d.site: self.forms(d.site) for d in self.product.sketch.draws}
        lists = {item.site for item in self.product.first.noisy_items}
        moved = [*(Form(unit, True) for unit in self.units), *(Form(unit) for unit in self.widest), CANCEL]
        rules: list[ShiftRule] = [STAY, *(AtGhost(0, form, STAY) for form in moved)]
        for ghost in _ghosts(self.product):
            near = _sites_near(self.product, ghost) - self.reach.keys()
            for loop in _loops_around(self.product, ghost):
                options: dict[Use, list[ShiftRule]] = {use: rules if use[0] in lists else forms[use[0]] for use in self.uses}
                for use in self.uses:
                    if use[0] in near - lists:
                        options[use] = [STAY, *self.at_ghost(use[0]), *forms[use[0]][1:]]
                yield (ghost,), (loop,), options, None

    def questions(self) -> Iterator[GhostQuestion]:
        """For each choice of ghosts, of the loops at which they are renewed, and of sums to follow, the rules that each use
        may have."""
        forms = {site: self.forms(site) for site in range(len(self.product.sketch.draws))}
        yield (), (), {use: forms[use[0]] for use in self.uses}, None
        ghosts = _ghosts(self.product)
        around = {ghost: _sites_near(self.product, ghost) for ghost in ghosts}
        for ghost in ghosts:
            near = around[ghost]
            options = {
                use: self.near_ghost(use[0], forms[use[0]]) if use[0] in near - self.reach.keys() else forms[use[0]]
                for use in self.uses
            }
            for loop in _loops_around(self.product, ghost):
                yield (ghost,), (loop,), options, None
            yield (ghost,), (), options, None
        for pair in combinations(ghosts, 2):
            yield pair, (), {
                use: [STAY, *self.at_ghosts([use[0] in around[ghost] - self.reach.keys() for ghost in pair]), *forms[use[0]][1:]]
                if not (noise := self.product.sketch.draws[use[0]].noise).finite and not noise.selects
                else forms[use[0]]
                for use in self.uses
            }, None
        told = _told_places(self.product)
        if 3 <= len(told) <= MOST_GHOSTS:  # so many winners at once
            near = set.intersection(*(_sites_near(self.product, ghost) for ghost in told)) - self.reach.keys()
            moved = [*(Form(unit, True) for unit in self.units), CANCEL, *(Form(unit) for unit in self.widest)]
            rules = [STAY, *(_for_winners(form, len(told)) for form in moved)]
            real = {site for site in near if not (noise := self.product.sketch.draws[site].noise).finite and not noise.selects}
            yield told, (), {use: rules if use[0] in real else forms[use[0]] for use in self.uses}, None

    def watched(self) -> Iterator[GhostQuestion]:
        """The noise of the values of watched names moves, each its own way; all noise that they are made of by one rule."""
        level = [Form(unit, True) for unit in self.units]
        lone: list[ShiftRule] = [AtGhost(0, form, STAY) for form in level]
        pairs = [(a, b) for a in level for b in level if a.units * b.units < 0]
        two: list[ShiftRule] = [AtGhost(0, a, AtGhost(0, b, STAY, 1)) for a, b in pairs]
        rules = lone if len(self.product.watched) == 1 else two
        yield tuple(sorted(self.product.watched)), (), {u: rules if u[0] in self.noted else self.forms(u[0]) for u in self.uses}, None

    def questions_of_leads(self) -> Iterator[GhostQuestion]:
        """For each choice of winners whose noise may follow the first of the others, the rules that each use may have."""
        if not _tells_a_number(self.product):
            return
        forms = {site: self.forms(site) for site in range(len(self.product.sketch.draws))}
        ghosts = _ghosts(self.product)
        for named in [own for size in (1, 2) for own in combinations(ghosts, size)]:
            near = set.intersection(*(_sites_near(self.product, ghost) for ghost in named)) - self.reach.keys()
            for lead in self.leads(named, near):
                rule = _for_winners(Form(cancel=True, lead=True), len(named))
                yield named, (), {use: [rule] if use[0] in lead.sites else forms[use[0]] for use in self.uses}, lead

    def leads_of_lists(self) -> Iterator[GhostQuestion]:
        """The same for a list that is drawn at once: its winners are those that are told."""
        items = self.product.first.noisy_items
        if len(items) != 1 or not _is_real(items[0].noise) or items[0].site in self.reach:
            return
        site = items[0].site
        forms = {draw.site: self.forms(draw.site) for draw in self.product.sketch.draws}
        told, ghosts = _told_places(self.product), _ghosts(self.product)
        choices = [told[:MOST_GHOSTS], *(own for size in (1, 2) for own in combinations(ghosts, size))]
        for named in dict.fromkeys(own for own in choices if own):
            rule = _for_winners(Form(cancel=True, lead=True), len(named))
            options: Options = {use: [rule] if use[0] == site else forms[use[0]] for use in self.uses}
            yield from ((named, (), options, FollowedSums((site,), least)) for least in (False, True))
        for ghost, loop in [(name, around) for name in ghosts for around in _loops_around(self.product, name)]:
            options = {use: [_for_winners(Form(cancel=True, lead=True), 1)] if use[0] == site else forms[use[0]] for use in self.uses}
            yield from (((ghost,), (loop,), options, FollowedSums((site,), least)) for least in (False, True))

    def leads(self, ghosts: tuple[str, ...], near: set[int]) -> Iterator[FollowedSums]:
        """The sums that the noise of winners may follow."""
        sites = tuple(sorted(site for site in near if _is_real(self.product.sketch.draws[site].noise)))
        if not sites:
            return
        rule = _for_winners(STAY, len(ghosts))
        still = tuple(Always(rule) if isinstance(rule, Form) else rule for _ in self.product.sketch.draws)
        for least in (False, True):
            try:
                self.stage.others(Alignment(still, ghosts, lead=FollowedSums(sites, least)))
            except Unsupported:
                return
            yield FollowedSums(sites, least)

    def forms(self, site: int) -> list[ShiftRule]:
        """The shifts that a draw may have, simple ones first."""
        if self.product.sketch.draws[site].noise.finite:
            return _turns(self.product, site)
        if self.product.sketch.draws[site].noise.selects:
            gains = sorted({Fraction(1), Fraction(2), *(unit for unit in self.units if unit > 0), *map(Fraction, range(3, 9))})
            return [STAY, *(Form(unit) for unit in gains)]
        moved: list[ShiftRule] = [Form(unit) for unit in self.units]
        last: list[ShiftRule] = [
            AtValue(name, of, plus, STAY, form) for name, of, plus in _ends(self.product, site) for form in moved[:2]
        ]
        if not _differs(self.product, site):
            return [STAY, *moved, *last]
        gaps: list[ShiftRule] = [Form(Fraction(0), True, name) for name in _names_compared(self.product, site)]
        return [STAY, CANCEL, *moved, *gaps, *(Form(unit, True) for unit in self.units), *last]

    def near_ghost(self, site: int, forms: list[ShiftRule]) -> list[ShiftRule]:
        """The shifts that a draw may have that is added to answers near a ghost; one that is drawn once may just cancel."""
        once = [CANCEL] if CANCEL in forms and site in self.lone else []
        return [STAY, *once, *self.at_ghost(site), *(form for form in forms[1:] if form not in once)]

    def at_ghost(self, site: int) -> list[ShiftRule]:
        if self.product.sketch.draws[site].noise.finite:
            return [AtGhost(offset, form, STAY) for form in (TURN, CANCEL) for offset in (0, 1, -1)]
        if self.product.sketch.draws[site].noise.selects:
            return []
        moved = [*(Form(unit) for unit in self.widest), *(Form(unit, True) for unit in self.widest), CANCEL]
        return [AtGhost(offset, form, STAY) for form in moved for offset in (0, 1, -1)]

    def at_ghosts(self, near: Sequence[bool]) -> list[ShiftRule]:
        """Shifts for the answers that two ghosts name, the same for both or for one of them."""
        level = [*(Form(unit, True) for unit in self.units), CANCEL]  # which keeps those that move in their order
        moved = [*level, *(Form(unit) for unit in self.widest)]
        both = [AtGhost(0, form, AtGhost(0, form, STAY, 1)) for form in moved] if all(near) else []
        lone = [AtGhost(0, form, STAY, which) for form in moved for which, is_near in enumerate(near) if is_near]
        other = [AtGhost(0, a, AtGhost(0, b, STAY, 1)) for a in level for b in level if a != b] if all(near) else []
        return [*both, *lone, *other]


class _GhostSearch:
    """The search among alignments with the same ghosts."""

    def __init__(
        self,
        shared: AlignmentSearch,
        ghosts: tuple[str, ...],
        renewed: tuple[int | None, ...],
        options: Options,
        lead: FollowedSums | None,
    ):
        self.shared, self.stage, self.lead = shared, shared.stage, lead
        self.ghosts, self.renewed, self.options = ghosts, renewed, options
        self.ranks = {use: {rule: rank for rank, rule in enumerate(own)} for use, own in options.items()}
        self.numbers = {use: index for index, use in enumerate(options)}
        self.choices = Choices([len(own) for own in options.values()])
        self.learned = 0  # of the failures that are shared
        self.given: set[Alignment] = set()
        self.trials = 0
        for one, other in combinations(options, 2):
            alike = one[0] == other[0] and one[0] in shared.reach
            if alike or {one[0], other[0]} <= shared.noted:
                for a, b in permutations(range(len(options[one])), 2):
                    self.choices.exclude([(self.numbers[one], a), (self.numbers[other], b)])

    def passing(self, tier: int) -> Iterator[Alignment]:
        """Alignments that pass all rehearsals; each that is asked for after another differs from it in what was used."""
        for failing in self.shared.failures[self.learned :]:
            self.exclude(failing)
        kept: list[tuple[int, int]] = []
        release: RuleTable = {use: CANCEL if CANCEL in own else STAY for use, own in self.options.items()}
        if not self.trials and not self.ghosts and (guess := self.guess()) is not None:
            yield guess
        if not self.trials and not self.ghosts and self.stage.passes(self.alignment(release)):  # many releases in a row
            for alignment in dict.fromkeys((self.simpler(release), self.alignment(release))):
                self.given.add(alignment)
                yield alignment
        while self.trials < MOST_TRIALS and not self.stage.effort.is_over:
            picked = self.choices.pick(tier, kept if self.trials % AFRESH else ())
            if picked is None:
                break
            table = {use: own[rank] for (use, own), rank in zip(self.options.items(), picked, strict=True)}
            self.trials += 1
            blamed = self.stage.failures(self.alignment(table))
            if not blamed:
                simpler = self.simpler(table)
                if simpler not in self.given:
                    self.given.add(simpler)
                    yield simpler
                    self.stage.grow()
                if not (blamed := self.stage.failures(self.alignment(table))):
                    self.exclude(frozenset(table.items()))
            blame = frozenset().union(*blamed)  # what is not to blame stays as it is, as far as it can
            kept = [(self.numbers[use], rank) for use, rank in zip(self.options, picked, strict=True) if use not in blame]
            for uses in blamed:
                failing = frozenset((use, table[use]) for use in uses)
                if not any(isinstance(rule, AtGhost) for _, rule in failing):
                    self.shared.failures.append(failing)
                self.exclude(failing)
        self.learned = len(self.shared.failures)

    def exclude(self, failing: Failing) -> None:
        if all(rule in self.ranks[use] for use, rule in failing):
            self.choices.exclude([(self.numbers[use], self.ranks[use][rule]) for use, rule in failing])

    def alignment(self, table: RuleTable) -> Alignment:
        draws = self.shared.product.sketch.draws
        reach = tuple(self.shared.reach.get(draw.site) for draw in draws) if self.shared.reach else ()
        return Alignment(tuple(self.shift(draw.site, table) for draw in draws), self.ghosts, self.renewed, reach, self.lead)

    def guess(self) -> Alignment | None:
        """What keeps a program going between noisy ends, where these are so many that a search for their shifts takes long."""
        rules = guessed(self.shared.product, self.stage)
        moved = {site for (site, _), form in rules.items() if form.units}
        offered = all(form in self.ranks.get(use, ()) for use, form in rules.items())
        alignment = self.alignment({use: rules.get(use, own[0]) for use, own in self.options.items()})
        return alignment if len(moved) >= MANY_ENDS and offered and self.stage.passes(alignment) else None

    def simpler(self, table: RuleTable) -> Alignment:
        """The same with one rule for several uses of a draw where that passes too, the simplest first."""
        best = dict(table)
        for site in sorted({use[0] for use in table}):
            own = [use for use in table if use[0] == site]
            offered = self.options[own[0]]
            rules = sorted({*([STAY] if STAY in offered else []), *(best[use] for use in own)}, key=offered.index)
            for use in own:
                for rule in rules:
                    if rule == best[use]:
                        break
                    changed = {**best, use: rule}
                    if self.stage.passes(self.alignment(changed)):
                        best = changed
                        break
        return self.alignment(best)

    def shift(self, site: int, table: RuleTable) -> Shift:
        """The rules of a draw as one tree, which asks no more conditions than it needs to."""
        rows = {pattern: rule for (own, pattern), rule in table.items() if own == site}
        rule = _tree(self.stage.asked[site], rows) if rows else STAY
        return Always(rule) if isinstance(rule, Form) else rule


def _tree(asked: Sequence[Asked], rows: Mapping[tuple[bool, ...], ShiftRule]) -> ShiftRule:
    rules = list(dict.fromkeys(rows.values()))
    if len(rules) == 1:
        return rules[0]
    first, *others = asked
    ways = [{key[1:]: rule for key, rule in rows.items() if key[0] == outcome} for outcome in (True, False)]
    if not all(ways):
        return _tree(others, ways[0] or ways[1])
    then, orelse = (_tree(others, way) for way in ways)
    return then if then == orelse else ByBranch(first, then, orelse)


def _for_winners(form: Form, ghosts: int) -> ShiftRule:
    """A form for the places that the ghosts name."""
    rule: ShiftRule = STAY
    for which in reversed(range(ghosts)):
        rule = AtGhost(0, form, rule, which)
    return rule


def _is_real(noise: Noise) -> bool:
    return not (noise.whole or noise.finite or noise.selects)


def may_follow(product: Product, reach: Mapping[int, Scale]) -> bool:
    """Whether there may be winners whose noise follows the first of the others: that is all that real noise is looked at for."""
    near = [_sites_near(product, ghost) - reach.keys() for ghost in _ghosts(product)] if _tells_a_number(product) else []
    return bool(product.first.noisy_items) or any(_is_real(product.sketch.draws[site].noise) for sites in near for site in sites)


def _tells_a_number(product: Product) -> bool:
    """Whether a number that is not whole stands in an answer."""
    kinds = infer(product.sketch).names
    told = [node for ret in walk(product.sketch.body) if isinstance(ret, Return) for node in walk(ret.value)]
    return any(isinstance(node, Var) and NUMBER in kinds.get(node.name, ()) for node in told)


def _turns(product: Product, site: int) -> list[ShiftRule]:
    """When a coin may be turned over: where its truth value would differ, or a variable does; or always."""
    drawn = _drawn_at(product, site)
    names = dict.fromkeys(n for d in drawn for n, value in d.names.items() if isinstance(value, Logical))
    public = {p.name for p in product.sketch.parameters}
    follow: list[ShiftRule] = [Form(follow=name) for name in names if name not in public]
    follow.append(Form(follow=product.sketch.private.name))
    return [STAY, *([CANCEL] if any(d.factor for d in drawn) else []), *follow, TURN]


def _differs(product: Product, site: int) -> bool:
    """Whether the sum that a draw stands in, or would follow, may differ between the runs."""
    laws = {drawn.law for drawn in _drawn_at(product, site)}
    others = [d.site for d in product.sketch.draws]
    drawn = [d for other in others for d in _drawn_at(product, other) if d.law in laws]  # which it may go together with
    on_paths = {print_term(d.rest) for d in drawn}
    return len(on_paths) > 1 or any(isinstance(symbol, Own) for d in drawn for symbol in symbols_of(d.rest))


def _drawn_at(product: Product, site: int) -> list[Drawn]:
    return [d for paths in product.first.paths.values() for path in paths for d in path.draws if d.site == site]


def _ends(product: Product, site: int) -> list[tuple[str, str | None, int]]:
    """Values of counters that the program asks for, and that may be those from which on a draw is not used."""
    arguments = {p.name for p in product.sketch.arguments if p.type is Type.INT}
    counters = {n for d in _drawn_at(product, site) for n, v in d.names.items() if isinstance(v, Numeric) and is_whole(v.value)}
    changing = assigned_names(product.sketch.body)
    found: dict[tuple[str, str | None, int], None] = {}
    for node in walk(product.sketch.body):
        if isinstance(node, Binary) and node.op in COMPARISONS:
            for left, right in ((node.left, node.right), (node.right, node.left)):
                if isinstance(left, Var) and left.name in counters & changing:
                    if isinstance(right, Const) and isinstance(right.value, Fraction) and right.value.denominator == 1:
                        found[left.name, None, int(right.value)] = None
                    elif isinstance(right, Var) and right.name in arguments:
                        found[left.name, right.name, 0] = None
    return list(found)[:3]


def _units(stage: Stage) -> list[Fraction]:
    """The shifts to try, in units of the distance: once and twice what a sum can differ by, both ways."""
    sizes = sensitivities(stage)[:3] or [Fraction(1)]
    both = sorted({size * k for size in sizes for k in (1, 2)})
    return [sign * size for size in both for sign in (1, -1)]


def _sites_near(product: Product, ghost: str) -> set[int]:
    """The draws that are added to answers where the ghost's variable, or what it is computed from, gets its value."""
    body = product.sketch.body
    names, size = {ghost}, 0
    while len(names) > size:
        size = len(names)
        pairs = [pair for pair in assignments(body) if pair[0] in names]
        names |= {node.name for _, value in pairs for node in walk(value) if isinstance(node, Var)}
    loops = [node for node in walk(body) if isinstance(node, For | While)]
    near = [node for node in loops if assigned_names(node.body) & names]
    sites = {d.site for node in near for d in walk(node) if isinstance(d, Draw)}
    for paths in product.first.paths.values():
        for path in paths:
            answers = {read.symbol for read in path.reads if read.private}
            sites |= {d.site for d in path.draws if not d.spot and symbols_of(d.rest) & answers and not _in_a_loop(d.site, loops)}
    return sites | drawn_for(body, names, near)


def _loops_around(product: Product, ghost: str) -> list[int]:
    """The loops that hold a loop in which a variable gets its value, by number: in each of their turns it is found anew."""
    return [loop for loop in outer_loops(product) if ghost in product.first.unsettled[loop, loop]]


def _noted(product: Product) -> set[int]:
    """The draws of segments in which the place of a watched name's value is noted."""
    found: set[int] = set()
    for place in product.first.places:
        before = dict(place.names)
        for path in product.first.paths[place.loop]:
            if any(path.names.get(name) != before.get(name, Numeric(number(-1))) for name in product.watched):
                found |= {d.site for d in path.draws if not d.noise.finite and not d.noise.selects}
    return found


def _drawn_once(product: Product) -> set[int]:
    """The draws that stand in no loop and are no items of lists."""
    loops = [node for node in walk(product.sketch.body) if isinstance(node, For | While)]
    sites = {draw.site for draw in product.sketch.draws}
    return {site for site in sites if not _in_a_loop(site, loops) and not any(d.spot for d in _drawn_at(product, site))}


def _in_a_loop(site: int, loops: Sequence[For | While]) -> bool:
    return any(isinstance(d, Draw) and d.site == site for loop in loops for d in walk(loop))


def _names_compared(product: Product, site: int) -> list[str]:
    """The real variables from before this turn that stand in a condition together with this draw."""
    found: dict[str, None] = {}
    for paths in product.first.paths.values():
        for path in paths:
            fresh = {read.symbol for read in path.reads} | {drawn.symbol for drawn in path.draws}
            for drawn in path.draws:
                tests = [symbols_of(test) for test in path.tests.values() if drawn.symbol in symbols_of(test)]
                for name, value in drawn.names.items():
                    if drawn.site != site or not isinstance(value, Numeric) or is_whole(value.value):
                        continue
                    own = symbols_of(value.value)
                    if not own & fresh and any(own & symbols for symbols in tests):
                        found[name] = None
    return list(found)


def _told_places(product: Product) -> tuple[str, ...]:
    """The whole-number variables that stand in an answer themselves."""
    found = [node for ret in walk(product.sketch.body) if isinstance(ret, Return) for node in walk(ret.value)]
    told = {node.name for node in found if isinstance(node, Var)}
    return tuple(name for name in _ghosts(product, None) if name in told)


def _ghosts(product: Product, most: int | None = 2) -> list[str]:
    """Whole-number variables that the answer is computed from, those that are the answer first."""
    body = product.sketch.body
    types = infer(product.sketch)
    public = {p.name for p in product.sketch.parameters}
    found: list[str] = []
    todo: list[object] = [node.value for node in walk(body) if isinstance(node, Return)]
    while todo:
        names = [node.name for node in walk(todo.pop(0)) if isinstance(node, Var)]
        for name in dict.fromkeys(names):
            if name not in public and name not in found:
                found.append(name)
                todo += [value for target, value in assignments(body) if target == name]
                todo += [node.value for node in walk(body) if isinstance(node, Append) and node.name == name]
    changing = frozenset().union(*(assigned_names(n.body) for n in walk(body) if isinstance(n, For | While)))
    changing |= {name for name, value in assignments(body) if isinstance(value, Var) and value.name in changing}  # `noisy.index(max(noisy))`, with a name
    copies = [name for name in found if types.names.get(name, frozenset()) <= {WHOLE, NONE} and types.names.get(name)]
    told = {node.name for ret in walk(body) if isinstance(ret, Return) for node in walk(ret.value) if isinstance(node, Var)}
    ghosts = [name for name in copies if name in changing]
    steps = counters(product.sketch) - told  # which often end alike, whoever wins
    return ([name for name in ghosts if name not in steps] or ghosts)[:most]
