"""Formulas that may be invariant: what two aligned runs usually have in common, kept where rehearsals agree.

Nothing here is trusted: the solver drops what is not kept by every step, and the re-check asks again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice
from itertools import product as product_of
from typing import Any

from kolahal.lang.kinds import NOTHING, NUMBER, infer
from kolahal.lang.scale import Scale
from kolahal.logic.compiled import compile_formula, compile_sum
from kolahal.logic.linear import LinearForm, number, variable
from kolahal.logic.terms import (
    INT,
    TRUE,
    ZERO,
    Every,
    Formula,
    Some,
    Sum,
    Symbol,
    at_most,
    below,
    equal,
    every,
    implies,
    is_whole,
    negate,
    same_truth,
    some,
    symbols_of,
)
from kolahal.nouns import dataclass
from kolahal.proof.find.compiled_paths import ConcreteState, ObservedStates
from kolahal.proof.find.cost_candidates import observed, spending
from kolahal.proof.find.named_candidates import following
from kolahal.proof.find.numbers import Both, null_space, steepest, whole_arguments
from kolahal.proof.find.watched_candidates import watched_candidates, watched_facts
from kolahal.proof.trusted.cells import Cells
from kolahal.proof.trusted.neighbours import Neighbours, public_symbols
from kolahal.proof.trusted.obligations import Invariant
from kolahal.proof.trusted.product import Product
from kolahal.proof.trusted.shifts import Alignment, AtGhost, AtValue, ByBranch, Shift, ShiftRule
from kolahal.proof.trusted.symbols import LENGTH, MOVED_AT, Turn, ghost_symbol, ghost_value, moved_by
from kolahal.proof.trusted.values import Built, Logical, Maybe, Numeric, SegmentStart, SymbolicValue

MOST_VALUES = 5  # of a variable that is taken for the state of a machine
MOST_STEPS = 2  # counters that a difference may grow with
MOST_PAIRS = 3  # of such variables


@dataclass(frozen=True, slots=True)
class _Scene:
    """The variables at a loop head, sorted by what can be said of them."""

    loop: int
    numbers: tuple[Both, ...]
    flags: tuple[tuple[Formula, Formula], ...]
    own: tuple[Sum, ...]  # whole numbers of the first run, and those common to both
    twins: tuple[tuple[Sum, Sum], ...]  # whole ghosts of each run
    places: tuple[Sum, ...]  # where answers are looked at in a turn
    pairs: tuple[tuple[Sum, Sum], ...]  # whole variables of both runs


def base_candidates(product: Product, alignment: Alignment, sample: ObservedStates) -> Invariant:
    """What the runs share: equal values, and relations between counters. Small, so that it is settled first."""
    result = {}
    for cells, condition, here, scene in _scenes(product, alignment, sample):
        found = [implies(both.known, equal(both.one, both.two)) for both in scene.numbers]
        found += [same_truth(a, b) for a, b in scene.flags]
        found += [equal(a, b) for a, b in scene.twins]
        found += _counters(product, scene, here)
        found += _first_values(scene, here)
        found += _orders(scene)
        found += following(product, cells, scene.loop, scene.numbers, scene.flags, scene.own, here)
        found += watched_facts(product, scene.loop) if product.watched else ()
        result[scene.loop] = tuple(implies(condition, formula) for formula in observed(found, here))
    return result


def _scenes(product: Product, alignment: Alignment, sample: ObservedStates) -> Iterator[tuple[Cells, Formula, list[ConcreteState], _Scene]]:
    """For each loop head which first runs are asked for anything, the states of these, and the variables there."""
    cells = Cells(product.first, alignment, product.watched)
    for loop in (place.loop for place in product.first.places if place.loop is not None):
        condition = every(cells.counted(loop))
        test = compile_formula(condition)
        here = [state for at, state in sample.states if at == loop and test(state)]
        yield cells, condition, here, _from_start(product, _scene(product, loop), here)


def rich_candidates(
    product: Product,
    neighbours: Neighbours,
    alignment: Alignment,
    claim: Scale,
    sample: ObservedStates,
    refuted: Mapping[int, Collection[Formula]] | None = None,
) -> Invariant:
    """Bounds on differences and on what was spent, outright and under conditions; what was `refuted` outright may hold
    under some, though rehearsals have not seen it fail."""
    result = {}
    scales = sorted({d.scale.coefficient * claim.coefficient for d in product.sketch.draws if isinstance(d.scale, Scale)})
    for cells, condition, here, scene in _scenes(product, alignment, sample):
        if product.watched:
            lean = watched_candidates(product, neighbours, cells, scene.loop, scene.numbers, [f for f, _ in scene.flags], sample, here)
            result[scene.loop] = tuple(dict.fromkeys(implies(condition, f) for f in lean if f != TRUE))
            continue
        guards = list(dict.fromkeys(_guards(product, scene, neighbours, alignment, here)))
        modes = {*_modes(scene, here), *(negate(flag) for flag, _ in scene.flags)}
        found: list[Formula] = []
        usual: set[Formula] = set()  # bounds on the cost that hold under no condition
        atoms = [*_difference_atoms(product, scene, neighbours, alignment, here, scales), *_balances(scene, here)]
        for guard in guards:
            test = compile_formula(guard)
            own = [state for state in here if test(state)]
            if not own or (guard != TRUE and len(own) == len(here)):
                continue
            held = observed(atoms, own)
            if guard == TRUE:
                # What seems to hold always is not repeated under conditions.
                fell = (refuted or {}).get(scene.loop, ())
                atoms = [atom for atom in atoms if atom not in set(held) or implies(condition, atom) in fell]
            found += [implies(guard, atom) for atom in held if not _is_idle(guard, atom)]
            costs = list(spending(product, scene.own, neighbours, sample, own))
            found += [implies(guard, atom) for atom in costs if atom not in usual]
            usual = usual or set(costs)
            if guard in modes:
                found += [implies(guard, atom) for atom in _limits(product, scene, own)]
                found += [implies(guard, atom) for atom in observed(_orders(scene), own)]
        result[scene.loop] = tuple(dict.fromkeys(implies(condition, f) for f in found if f != TRUE))
    return result


def counters_at(
    product: Product, alignment: Alignment, place: SegmentStart, sample: ObservedStates
) -> tuple[tuple[Sum, ...], list[ConcreteState]]:
    """What the cost may grow with at a loop head, and the states there of first runs that are asked for anything."""
    found = (scene for scene in _scenes(product, alignment, sample) if scene[-1].loop == place.loop)
    return next(((scene.own, here) for _, _, here, scene in found), ((), []))


def _is_idle(guard: Formula, atom: Formula) -> bool:
    """Whether an atom says nothing under a guard, because it is about something that is None there."""
    parts = guard.parts if isinstance(guard, Every) else (guard,)
    return isinstance(atom, Some) and any(part in atom.parts for part in parts)


def _scene(product: Product, loop: int) -> _Scene:
    first, second = product.first.place(loop), product.second.place(loop)
    numbers: list[Both] = []
    flags: list[tuple[Formula, Formula]] = []
    own: list[Sum] = []
    other_own: list[tuple[Sum, Sum]] = []
    other = dict(second.names)
    kinds = infer(product.sketch).names
    for name, value in first.names:
        for a, b, known in _components(value, other[name]):
            if isinstance(a, LinearForm) and isinstance(b, LinearForm):
                if a == b:
                    continue
                numbers.append(Both(a, b, known, is_whole(a) and NUMBER not in kinds.get(name, NOTHING)))
                if numbers[-1].counts and known == TRUE:
                    own.append(a)
                    other_own.append((a, b))
            elif not isinstance(a, LinearForm) and not isinstance(b, LinearForm) and a != b:
                flags.append((a, b))
    twins = []
    theirs = dict(second.ghosts)
    for ghost, symbol in first.ghosts:
        own.append(variable(symbol))
        if theirs[ghost] != symbol:
            twins.append((variable(symbol), variable(theirs[ghost])))
    reads = [read for path in product.first.paths[loop] for read in path.reads if read.private]
    visible = {symbol for term in own for symbol in symbols_of(term)} | set(public_symbols(product.sketch))
    places = dict.fromkeys(read.place for read in reads if symbols_of(read.place) <= visible)
    return _Scene(loop, tuple(numbers), tuple(flags), tuple(own), tuple(twins), tuple(places), tuple(other_own))


def _from_start(product: Product, scene: _Scene, states: Sequence[ConcreteState]) -> _Scene:
    """The scene with the way that counters have gone which begin elsewhere than at 0, or go down."""
    turn = compile_sum(variable(ghost_symbol(Turn(scene.loop), 1)))
    first = [state for state in states if not turn(state)]
    sizes = whole_arguments(product.sketch)
    more = []
    for term, size in product_of((a for a, _ in scene.pairs), (number(1), *sizes)):
        begin, unit = compile_sum(term), compile_sum(size)
        ratios = {Fraction(begin(state), unit(state)) if unit(state) else None for state in first}
        if len(ratios) != 1 or (ratio := ratios.pop()) is None or (size != number(1) and len({*map(unit, first)}) == 1):
            continue
        gone = term - size.times(ratio)
        if (seen := _range(gone, states)) is not None and seen[0] < 0 == seen[1]:
            more.append(number(0) - gone)
        elif ratio:
            more.append(gone)
    for term in scene.own:  # from the last answer, or from behind it, towards the first
        left = variable(LENGTH) - term
        begun, seen = _range(left, first), _range(left, states)
        if begun is not None and seen is not None and begun[0] == begun[1] == seen[0] < seen[1]:
            more.append(left - number(begun[0]))
    return replace(scene, own=(*scene.own, *more))


def _components(one: SymbolicValue, two: SymbolicValue) -> Iterator[tuple[Sum | Formula, Sum | Formula, Formula]]:
    match one, two:
        case Numeric(a), Numeric(b):
            yield a, b, TRUE
        case Logical(a), Logical(b):
            yield a, b, TRUE
        case Maybe(none, inner), Maybe(other, theirs):
            yield none, other, TRUE
            for a, b, _ in _components(inner, theirs):
                yield a, b, negate(none)
        case Built(length=a, inside=inside), Built(length=b, inside=other):
            yield a, b, TRUE
            yield inside, other, TRUE


def _range(term: Sum, states: Sequence[ConcreteState]) -> tuple[Any, Any] | None:
    values = list(map(compile_sum(term), states))
    return (min(values), max(values)) if values else None


def _counters(product: Product, scene: _Scene, states: Sequence[ConcreteState]) -> Iterator[Formula]:
    """Relations between whole numbers, with the constants that were seen."""
    fixed = [variable(LENGTH), *whole_arguments(product.sketch)]
    differing = [b for a, b in scene.pairs if _range(a - b, states) != (0, 0)]
    strides = [place for place in scene.places if all((place - term).terms for term in scene.own)]  # as in range(0, n, 2)
    own = [*scene.own, *strides, *differing]
    for term in own:
        yield at_most(ZERO, term)
        yield at_most(number(1), term)
        if (seen := _range(term, states)) is not None:
            yield at_most(term, number(seen[1]))
            yield at_most(number(seen[0]), term)
        for limit in fixed:
            if (seen := _range(term - limit, states)) is not None:
                if seen[0] == seen[1]:
                    yield equal(term, limit + number(seen[0]))
                yield at_most(term, limit + number(seen[1]))
                yield at_most(term, limit + number(min(seen[1] + 1, 1)))
            if (seen := _range(term - limit.times(2), states)) is not None and seen[1] <= 1:
                yield at_most(term, limit.times(2) + number(seen[1]))
    for a, b in combinations(own, 2):
        if (seen := _range(a - b, states)) is not None:
            if seen[0] == seen[1]:
                yield equal(a, b + number(seen[0]))
            else:
                yield at_most(a, b + number(seen[1]))
                yield at_most(b + number(seen[0]), a)
    turn = variable(ghost_symbol(Turn(scene.loop), 1))
    # What a first value hides: relations that hold from the second turn on.
    begun = below(ZERO, turn)
    later = list(filter(compile_formula(begun), states))
    for a, b in combinations(own, 2):
        first, then = _range(a - b, states), _range(a - b, later)
        if first is not None and then is not None:
            if then[1] < first[1]:
                yield implies(begun, at_most(a, b + number(then[1])))
            if then[0] > first[0]:
                yield implies(begun, at_most(b + number(then[0]), a))
    for both in scene.numbers:
        if both.counts and both.known != TRUE:
            there = list(filter(compile_formula(both.known), states))
            for term in (both.one, both.two):
                yield implies(both.known, at_most(ZERO, term))
                for b in (*scene.own, *fixed):
                    if (seen := _range(term - b, there)) is not None:
                        yield implies(both.known, at_most(term, b + number(seen[1])))


def _first_values(scene: _Scene, states: Sequence[ConcreteState]) -> Iterator[Formula]:
    """What is true of variables until the first turn or two are over."""
    turn = variable(ghost_symbol(Turn(scene.loop), 1))
    begun = below(ZERO, turn)
    # A first value that stands for none, such as -1.
    first_states = list(filter(compile_formula(negate(begun)), states))
    for term in (term for pair in scene.pairs for term in pair):
        seen = _range(term, first_states)
        if seen is not None and seen[0] == seen[1]:
            yield same_truth(equal(term, number(seen[0])), equal(turn, ZERO))
            yield same_truth(equal(term, number(seen[0])), at_most(turn, number(1)))
    for one, two in scene.pairs:
        seen = _range(one, states)
        if seen and seen[0] == -1 and not observed([same_truth(equal(one, number(-1)), equal(turn, ZERO))], states):
            yield same_truth(equal(one, number(-1)), equal(two, number(-1)))  # turns may pass it by, in both runs
    # A variable that is None before the first turn or two and never after it, or a flag that is true from then on.
    for flag, _ in scene.flags:
        yield same_truth(flag, equal(turn, ZERO))
        yield same_truth(flag, at_most(turn, number(1)))
        yield same_truth(flag, begun)
        yield implies(flag, equal(turn, ZERO))
        yield flag
        yield negate(flag)


def _orders(scene: _Scene) -> Iterator[Formula]:
    """How numbers of one run stand to each other: the second largest is at most the largest, and at another place."""
    for a, b in combinations([both for both in scene.numbers if not both.counts], 2):
        known = every([a.known, b.known])
        for one, two in ((a.one, b.one), (a.two, b.two)):
            yield implies(known, at_most(one, two))
            yield implies(known, at_most(two, one))
    for a, b in combinations([both for both in scene.numbers if both.counts], 2):
        for one, two in ((a.one, b.one), (a.two, b.two)):
            yield implies(every([a.known, b.known]), negate(equal(one, two)))
    for (flag, _), (other, _) in combinations(scene.flags, 2):
        yield same_truth(flag, other)


def _pairs_of_ghosts(scene: _Scene, turn: Sum) -> Iterator[Formula]:
    """Where two ghosts stand, both at once: passed or not, and whose value they are."""

    def known(ghost: Sum) -> list[Formula]:
        place = next(iter(scene.places), turn)
        counts = [both for both in scene.numbers if both.counts]
        values = [every([both.known, equal(both.one, ghost), at_most(ZERO, ghost)]) for both in counts]  # -1 is none
        return [at_most(place, ghost), below(ghost, place), *values[:3]]

    first, second = (known(variable(ghost_value(which))) for which in range(2))
    yield from (every(pair) for pair in product_of(first, second))


def _sets_of_ghosts(scene: _Scene, turn: Sum, count: int) -> Iterator[Formula]:
    """Where many ghosts stand: which of them were passed, and which variables hold one of them."""
    ghosts = [variable(ghost_value(which)) for which in range(count)]
    place = next(iter(scene.places), turn)
    for passed in product_of((True, False), repeat=count):
        yield every(below(g, place) if was else at_most(place, g) for g, was in zip(ghosts, passed, strict=True))
    counts = [both for both in scene.numbers if both.counts][: count + 1]
    held = [every([both.known, some(equal(both.one, ghost) for ghost in ghosts), at_most(ZERO, both.one)]) for both in counts]
    for size in range(1, count + 1):
        yield from map(every, combinations(held, size))


def _limits(product: Product, scene: _Scene, states: Sequence[ConcreteState]) -> Iterator[Formula]:
    """How far counters are from whole arguments."""
    for limit, term in product_of(whole_arguments(product.sketch), scene.own):
        if (seen := _range(term - limit, states)) is not None:
            yield at_most(term, limit + number(seen[1]))


def _guards(product: Product, scene: _Scene, neighbours: Neighbours, alignment: Alignment, states: Sequence[ConcreteState]) -> Iterator[Formula]:
    yield TRUE
    for counter, end in dict.fromkeys(_ends(product, scene.loop, alignment)):
        yield equal(counter, end)
        yield below(counter, end)
    turn = variable(ghost_symbol(Turn(scene.loop), 1))
    for flag, _ in scene.flags:
        yield flag
        yield negate(flag)
    yield from _modes(scene, states)
    if neighbours.single:
        at = variable(MOVED_AT)
        for place in dict.fromkeys([turn, *scene.places]):
            yield at_most(place, at)
            yield below(at, place)
            if place != turn:
                yield at_most(at, place)
                yield below(place, at)
        for both in scene.numbers:
            if not both.counts:
                yield every([both.known, negate(equal(both.difference, ZERO))])
                yield every([both.known, equal(both.difference, ZERO)])
    if len(alignment.ghosts) == 2:
        yield from _pairs_of_ghosts(scene, turn)
    elif len(alignment.ghosts) > 2:
        yield from _sets_of_ghosts(scene, turn, len(alignment.ghosts))
        return
    places = dict.fromkeys((*scene.places, turn) if alignment.renewed else scene.places or (turn,))
    for which in range(len(alignment.ghosts)):
        ghost = variable(ghost_value(which))
        for offset in sorted(_offsets(alignment) or {0}):
            for place in places:
                here = place + number(offset)
                yield at_most(here, ghost)
                yield below(ghost, here)
                if place != turn:
                    yield at_most(ghost, here)
                    yield below(here, ghost)
        for both in scene.numbers:
            if both.counts:
                chosen = every([both.known, equal(both.one, ghost)])
                yield chosen
                yield every([chosen, at_most(ZERO, ghost)])  # nor is -1, which stands for none
                # Where places are counted from 1, as 0 does.
                yield from (every([chosen, at_most(number(offset), ghost)]) for offset in _offsets(alignment) if offset > 0)
                yield from (every([chosen, flag]) for flag, _ in scene.flags if flag != negate(both.known))
                for place in places:
                    # a place that was only ever the first value is not chosen
                    yield every([chosen, below(ghost, place)])


def _modes(scene: _Scene, states: Sequence[ConcreteState]) -> Iterator[Formula]:
    """The states of a small state machine: values of flags and of numbers that have few, alone and two at a time."""
    missing = {negate(both.known) for both in scene.numbers}  # that a variable is None is no state of a machine
    kinds: list[list[Formula]] = [[flag, negate(flag)] for flag, _ in scene.flags if flag not in missing]
    for both in scene.numbers:
        if both.counts and both.known == TRUE:
            values = sorted(set(map(compile_sum(both.one), states)))
            if 2 <= len(values) <= MOST_VALUES:
                kinds.append([equal(both.one, number(value)) for value in values])
            elif values and values[0] == -1:  # which stands for none
                kinds.append([equal(both.one, number(-1)), at_most(ZERO, both.one)])
    for own in kinds:
        yield from own
    for first, second in islice(combinations(kinds, 2), MOST_PAIRS):
        yield from (every([a, b]) for a, b in product_of(first, second))


def _rules(alignment: Alignment) -> Iterator[Shift | ShiftRule]:
    todo: list[Shift | ShiftRule] = list(alignment.shifts)
    while todo:
        rule = todo.pop()
        yield rule
        if isinstance(rule, AtGhost | ByBranch | AtValue):
            todo += [rule.then, rule.orelse]


def _offsets(alignment: Alignment) -> set[int]:
    return {rule.offset for rule in _rules(alignment) if isinstance(rule, AtGhost)}


def _ends(product: Product, loop: int, alignment: Alignment) -> Iterator[tuple[Sum, Sum]]:
    """Counters that a shift asks for, and the values from which on it is another."""
    values = dict(product.first.place(loop).names)
    for rule in _rules(alignment):
        if isinstance(rule, AtValue) and isinstance(counter := values.get(rule.name), Numeric):
            yield counter.value, (ZERO if rule.of is None else variable(Symbol(rule.of, INT))) + number(rule.plus)


def _balances(scene: _Scene, states: Sequence[ConcreteState]) -> Iterator[Formula]:
    """Linear relations between three or more differences: what one variable gains, others lose."""
    terms = [both.difference for both in scene.numbers if both.known == TRUE][:8]
    evaluators = [compile_sum(term) for term in terms]
    rows = {tuple(Fraction(evaluate(state)) for evaluate in evaluators) for state in states}
    for weights in null_space(sorted(rows), len(terms)):
        if sum(weight != 0 for weight in weights) >= 3:
            total = ZERO
            for weight, term in zip(weights, terms, strict=True):
                total += term.times(weight)
            yield equal(total, ZERO)


def _difference_atoms(
    product: Product, scene: _Scene, neighbours: Neighbours, alignment: Alignment, states: Sequence[ConcreteState], scales: Sequence[Fraction]
) -> Iterator[Formula]:
    unit, unit_at = neighbours.unit, compile_sum(neighbours.unit)
    more = sorted({reach.coefficient for reach in alignment.reach if reach is not None and not reach.powers} - {1, 2})  # as far as shifts are promised to go
    far = [Fraction(sign) * reach for reach in more for sign in (-1, 1)]
    turn = variable(ghost_symbol(Turn(scene.loop), 1))
    most = whole_arguments(product.sketch)
    for both in scene.numbers:
        gap = both.difference
        atoms = [equal(gap, ZERO)]
        there = list(filter(compile_formula(both.known), states))
        if (seen := _range(gap, there)) is not None:
            atoms += [at_most(gap, number(seen[1])), at_most(number(seen[0]), gap)]  # such as the width of a clip
            if neighbours.single and not both.counts:  # of which only a part may have been seen
                width = max(map(abs, seen))
                for bound in dict.fromkeys((width, *(scale for scale in scales if scale > width))):
                    atoms += [at_most(gap, number(bound)), at_most(number(-bound), gap)]
        if both.counts:
            for size in (-1, 0, 1):
                atoms += [at_most(gap, number(size)), at_most(number(size), gap)]
        else:
            slopes = steepest(gap, unit_at, there) if neighbours.single else []
            for factor in [*map(Fraction, (-2, -1, 1, 2)), *far]:
                atoms.append(equal(gap, unit.times(factor)))
            for factor in dict.fromkeys([*map(Fraction, (-2, -1, 0, 1, 2)), *far, *slopes]):
                atoms.append(at_most(gap, unit.times(factor)))
                atoms.append(at_most(unit.times(factor), gap))
            if neighbours.single:
                by = variable(moved_by(neighbours.sort))
                for factor in dict.fromkeys([*map(Fraction, (1, -1)), *far, *slopes]):
                    atoms.append(equal(gap, by.times(factor)))
                    atoms.append(some([equal(gap, ZERO), equal(gap, by.times(factor))]))
            else:
                for steps in dict.fromkeys((turn, *(term for term, _ in scene.pairs[:MOST_STEPS]), *most)):
                    for slope in dict.fromkeys([neighbours.distance, *steepest(gap, compile_sum(steps), there, 3)]):
                        reach = steps.times(slope)
                        atoms += [at_most(gap, reach), at_most(-reach, gap)] if slope > 0 else []
                atoms += [at_most(ZERO, gap), at_most(gap, ZERO)]
        yield from (implies(both.known, atom) for atom in atoms)
    for a, b in combinations([both for both in scene.numbers if not both.counts and both.known == TRUE], 2):
        yield equal(a.difference, b.difference)
