"""Expressions on symbolic values: what a path reads and draws, and where it may fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from kolahal.lang.ir import (
    Binary,
    Call,
    Const,
    Draw,
    Expr,
    Index,
    IsNone,
    Length,
    Negate,
    Not,
    Var,
    assigned_names,
    walk,
)
from kolahal.lang.kinds import BOOLEAN, NUMBER, WHOLE, Types, infer
from kolahal.lang.noise import Noise
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Role, Sketch
from kolahal.logic.linear import number, variable
from kolahal.logic.terms import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    ZERO,
    Formula,
    Sum,
    Symbol,
    Truth,
    at_most,
    below,
    choose,
    equal,
    every,
    implies,
    is_whole,
    magnitude,
    negate,
    some,
    symbols_of,
)
from kolahal.proof.trusted.coins import in_truth
from kolahal.proof.trusted.computed import bounded_number, compute, public
from kolahal.proof.trusted.flow import assigned_once, counters, indexing_lists, may_be_none
from kolahal.proof.trusted.steps import remainder_key
from kolahal.proof.trusted.symbols import LENGTH, Computed, Cursor, Dividend, Remainder, in_common, own
from kolahal.proof.trusted.values import (
    Built,
    Drawn,
    Environment,
    Logical,
    Maybe,
    NoisyItem,
    NotLinear,
    Numeric,
    Opaque,
    Pending,
    PrivateAnswers,
    Read,
    Rival,
    SingleValue,
    Spot,
    SymbolicValue,
    Unsupported,
    View,
    Walk,
    in_sum,
    is_place,
    lift,
    pick,
    same,
)

UNDRAWN = Maybe(TRUE, Numeric(ZERO))


class Evaluator:
    """Computes values for one of the two runs (`which` is 1 or 2), and writes down what that takes in the path."""

    def __init__(self, sketch: Sketch, which: int, whole_answers: bool):
        self.which = which
        self.here = ZERO  # the number of the turn in which the current segment begins
        self.types: Types = infer(sketch)
        self.answer_sort = INT if whole_answers else REAL
        self.bits = sketch.private.bits
        self.fixed = {p.name for p in sketch.parameters} - assigned_names(sketch.body)
        self.once = assigned_once(sketch)
        self.indexing = indexing_lists(sketch, self.types)
        self.inputs = {p.name for p in sketch.parameters if p.role is not Role.PRIVATE}
        self.opaque: dict[Symbol, Opaque] = {}
        self.backwards: frozenset[int] = frozenset()  # comprehensions whose items are read from the last one on
        self.blank = may_be_none(sketch, self.types)
        self.counters = counters(sketch)
        self.computes = False  # whether products and quotients may be of any values
        self.late: frozenset[int] = frozenset()  # comprehensions whose first item no loop comes to
        self.noisy_items: dict[int, NoisyItem] = {}  # of the lists that are drawn at once
        self.followed: dict[int, tuple[tuple[str, str], ...]] = {}  # comprehension → variables, and the ghosts of their items

    def is_vector(self, name: str, state: Walk) -> bool:
        return isinstance(state.names.get(name), PrivateAnswers | View)

    def scalar(self, expr: Expr, state: Walk) -> SingleValue:
        first = len(state.draws)
        return self.claimed(first, self.plain(expr, state), state)

    def claimed(self, first: int, value: SingleValue, state: Walk) -> SingleValue:
        """A value, to whose sum the noise belongs that was drawn for it: all from number `first` on, and what has no sum yet."""
        if isinstance(value, Numeric):
            state.draws[:] = [in_sum(drawn, value.value, state.draws) for drawn in state.draws]
        elif isinstance(value, Logical):
            state.draws[first:] = [in_truth(drawn, value.value, state.draws[first:]) for drawn in state.draws[first:]]
        return value

    def plain(self, expr: Expr, state: Walk) -> SingleValue:
        match expr:
            case Const(value=None):
                return Maybe(TRUE, Numeric(ZERO))
            case Const(value=bool() as truth):
                return Logical(Truth(truth))
            case Const(value=Fraction() as exact):
                return Numeric(number(exact))
            case Var(name):
                value = self.known(name, state)
                if isinstance(value, Pending):
                    return self.drawn_now(name, value, state)
                if isinstance(value, PrivateAnswers | View | Built):
                    raise Unsupported(f"the list `{name}` stands where one value is needed")
                return value
            case Length(of):
                return Numeric(self.length(of, state))
            case Index(of, at):
                return self.item(self.known(of.name, state), of.name, self.numeric(at, state), state)
            case Not() | IsNone() | Binary("and" | "or" | "<" | "<=" | ">" | ">=" | "==" | "!="):
                return Logical(self.truth(expr, state))
            case Negate(of):
                return Numeric(-self.numeric(of, state))
            case Binary(op, left, right):
                return Numeric(self.arithmetic(expr, op, left, right, state))
            case Call(function, arguments):
                return Numeric(self.call(function, self.in_turn(arguments, self.whole_sum, state)))
            case Draw(of=Var(name)):
                return self.chosen(expr, name, state)
            case Draw(noise, scale_, site) if isinstance(scale_, Scale):
                return self.draw(noise, scale_, site, state)
            case _:
                raise Unsupported(f"{type(expr).__name__} is not covered")

    def known(self, name: str, state: Walk) -> SymbolicValue:
        value = state.names.get(name)
        if value is None:
            raise Unsupported(f"`{name}` may have no value yet where it is read")
        return value

    def whole_sum(self, expr: Expr, state: Walk) -> Sum:
        """A number that is complete here: noise inside it belongs to this sum and to no larger one."""
        return self.as_number(self.scalar(expr, state), state)

    def numeric(self, expr: Expr, state: Walk) -> Sum:
        return self.as_number(self.plain(expr, state), state)

    def as_number(self, value: SingleValue, state: Walk) -> Sum:
        if isinstance(value, Maybe):
            if value.none != FALSE:
                state.faults.append(value.none)
            value = value.value
        if not isinstance(value, Numeric):
            raise Unsupported("a truth value stands where a number is needed")
        return value.value

    def truth(self, expr: Expr, state: Walk) -> Formula:
        match expr:
            case Not(of):
                return negate(self.truth(of, state))
            case IsNone(of):
                value = self.scalar(of, state)
                return value.none if isinstance(value, Maybe) else FALSE
            case Binary("and" | "or" as op, left, right):
                return self.short_circuit(op, left, right, state)
            case Binary("==" | "!=" as op, left, right):
                alike = same(*(self.plain(e, state) if _is_coin(e) else self.scalar(e, state) for e in (left, right)))
                return alike if op == "==" else negate(alike)
            case Binary("<" | "<=" | ">" | ">=" as op, left, right):
                a, b = self.in_turn((left, right), self.whole_sum, state)
                a, b = (b, a) if op in (">", ">=") else (a, b)
                return below(a, b) if op in ("<", ">") else at_most(a, b)
            case _:
                value = self.plain(expr, state)
                if not isinstance(value, Logical):
                    raise Unsupported("a condition is not a truth value")
                return value.value

    def short_circuit(self, op: str, left: Expr, right: Expr, state: Walk) -> Formula:
        """Both sides as one formula; what can go wrong on the right counts only where the right is reached."""
        first = self.truth(left, state)
        reached = first if op == "and" else negate(first)
        if reached == FALSE:
            return first
        draws, ghosts, faults = len(state.draws), dict(state.ghosts), len(state.faults)
        second = self.truth(right, state)
        if reached != TRUE:
            if len(state.draws) > draws or state.ghosts != ghosts:
                raise Unsupported("noise or `%` on the right side of `and` or `or`, outside a condition")
            state.faults[faults:] = [every([reached, fault]) for fault in state.faults[faults:]]
        return every([first, second]) if op == "and" else some([first, second])

    def arithmetic(self, expr: Expr, op: str, left: Expr, right: Expr, state: Walk) -> Sum:
        first = len(state.draws)
        a, b = self.in_turn((left, right), self.numeric, state)
        match op:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*" if not a.terms:
                return bounded_number(b.times(a.constant))
            case "*" if not b.terms:
                return bounded_number(a.times(b.constant))
            case "/" if not b.terms and b.constant:
                return bounded_number(a.times(1 / Fraction(b.constant)))
            case "//" if not (a.terms or b.terms) and b.constant:
                return number(Fraction(a.constant // b.constant))
            case "%":
                return self.remainder(expr, a, b, state)
            case "*" | "/" if self.is_public(a) and self.is_public(b):
                opaque = public(op, a, b, state)
                self.opaque[opaque.symbol] = opaque
                return variable(opaque.symbol)
            case "*" | "/" if self.computes:
                for operand in (a, b):
                    self.claimed(first, Numeric(operand), state)
                return compute(op, a, b, self.which, state)
            case _:
                raise NotLinear(f"`{op}` of two values that are both unknown, or by zero, is not linear")

    def in_turn(self, parts: Sequence[Expr], number: Callable[[Expr, Walk], Sum], state: Walk) -> list[Sum]:
        """The parts of an operation, which have no effects but draws; last those that may read what is drawn for others."""
        turns = sorted(range(len(parts)), key=lambda i: self.looks_back(parts[i], state))
        known = {i: number(parts[i], state) for i in turns}
        return [known[i] for i in range(len(parts))]

    def is_public(self, value: Sum) -> bool:
        """Whether a value is made of public inputs alone, as they were when the run began."""
        return all(s == LENGTH or s.name in self.inputs or s in self.opaque for s in symbols_of(value))

    def remainder(self, expr: Expr, value: Sum, divisor: Sum, state: Walk) -> Sum:
        """value % divisor, followed from one evaluation to the next, which moves on by 0 or 1.

        The ghosts hold the last dividend and its remainder; they begin with 0 % divisor = 0.
        """
        symbols = symbols_of(divisor)
        if not (is_whole(value) and is_whole(divisor)) or any(symbol.name not in self.fixed for symbol in symbols):
            raise Unsupported("`%` is covered for whole numbers and a divisor that never changes")
        key = remainder_key(expr)
        of, last = state.ghosts[Dividend(key)], state.ghosts[Remainder(key)]
        moved = value - of
        stepped = last + number(1)
        result = choose(equal(moved, ZERO), last, choose(equal(stepped, divisor), ZERO, stepped))
        state.faults += [below(divisor, number(1)), negate(some([equal(moved, ZERO), equal(moved, number(1))]))]
        state.ghosts[Dividend(key)], state.ghosts[Remainder(key)] = value, result
        return result

    def call(self, function: str, values: list[Sum]) -> Sum:
        if function == "abs":
            return magnitude(values[0])
        result = values[0]
        for value in values[1:]:
            better = below(result, value) if function == "max" else below(value, result)
            result = choose(better, value, result)
        return result

    # ---- lists and noise

    def length(self, of: Var, state: Walk) -> Sum:
        value = state.names.get(of.name)
        match value:
            case Built(length=length) | View(over=Built(length=length)):
                return length
            case PrivateAnswers() | View():
                return variable(LENGTH)
            case _:
                raise Unsupported(f"`{of.name}` may not be a list here")

    def item(self, source: SymbolicValue, name: str, place: Sum, state: Walk) -> SingleValue:
        over = source.over if isinstance(source, View) else source
        length = over.length if isinstance(over, Built) else variable(LENGTH)
        # Other negative places, which Python counts from the end too, are a fault that must be shown not to happen.
        place = length + place if not place.terms and place.constant < 0 else place
        state.faults += [outside for outside in (below(place, ZERO), at_most(length, place)) if outside != FALSE]
        match source:
            case Built():
                return self.built_item(source, place, state)
            case PrivateAnswers():
                answer = variable(self.read(Spot(None, in_common(place)), place, self.answer_sort, True, state))
                return Logical(equal(answer, number(1))) if self.bits else Numeric(answer)
            case View():
                return self.view_item(source, place, state)
            case _:
                raise Unsupported(f"`{name}` is not a list here")

    def built_item(self, source: Built, place: Sum, state: Walk) -> SingleValue:
        """An item of a list of the program's own; a place outside it is a fault elsewhere, and any item will do."""
        known: list[tuple[Sum, SingleValue]] = [(number(i), item) for i, item in enumerate(source.front)]
        first = source.length - number(len(source.back))
        known += [(first + number(i), item) for i, item in enumerate(source.back)]
        tests = [(equal(place, at), item) for at, item in known]
        reached = [(test, item) for test, item in tests if test != FALSE]
        value: SingleValue | None = next((item for test, item in reached if test == TRUE), None)
        if value is None and source.base is not None:
            value = self.base_item(source.base, place - number(len(source.front)), state)
        for test, item in reached:
            value = item if value is None else pick(test, item, value)
        if value is None:
            raise Unsupported("a place of a list without items is read")
        return value

    def base_item(self, base: str, place: Sum, state: Walk) -> SingleValue:
        """An item of a list as it was where the segment began: equal places hold equal items in both runs."""
        kinds = self.types.items.get(base, frozenset())
        if kinds - {NUMBER, WHOLE} and kinds != {BOOLEAN}:
            raise Unsupported(f"the items of `{base}` are of several kinds")
        sort = BOOL if kinds == {BOOLEAN} else INT if kinds == {WHOLE} else REAL
        symbol = self.read(Spot(base, in_common(place)), place, sort, False, state)
        if base in self.indexing:
            state.conditions.append(implies(own(base, self.which, BOOL, ".inside"), is_place(Numeric(variable(symbol)))))
        return Logical(symbol) if sort == BOOL else Numeric(variable(symbol))

    def read(
        self, spot: Spot, place: Sum, sort: str, private: bool, state: Walk, noisy: NoisyItem | None = None
    ) -> Symbol:
        for known in state.reads:
            if known.spot == spot:
                return known.symbol
        if any(isinstance(unknown, Computed) for unknown in symbols_of(place)):
            raise Unsupported("a place is a product or quotient of values that may differ")
        symbol = own(f"read.{len(state.reads)}", self.which, sort)
        state.reads.append(Read(spot, place, symbol, private, noisy))
        return symbol

    def view_item(self, view: View, place: Sum, state: Walk) -> SingleValue:
        spot = None if view.drawn is None else Spot(view.drawn, in_common(place))
        drawn_before: list[tuple[Formula, SingleValue]] = []
        if spot is not None and spot in state.items:
            return state.items[spot][1]
        if spot is not None and (drawn := view.noisy) is not None:
            if (kept := self.kept_item(drawn.number, place, state)) is None:
                kept = Numeric(variable(self.read(spot, place, drawn.sort, False, state, drawn)))
                state.items[spot] = place, kept
                self.keep_item(spot, place, kept, state)
            return kept
        if view.cursor is not None:
            if (kept := self.kept_item(view.cursor, place, state)) is not None:
                return kept
            ghost = Cursor(view.cursor)
            # An item is drawn when it is first read, so no place may be read twice: places only grow, or only fall.
            back, last = view.cursor in self.backwards, state.ghosts[ghost]
            behind = at_most(last, place) if back else below(place, last)
            passed = place if back else place + number(1)
            if view.cursor in state.made:  # where all that were drawn are known, it may be one of those
                drawn_before = [(equal(place, at), item) for known, (at, item) in state.items.items() if known.of == view.cursor]
                passed = choose(behind, last, passed)
            elif behind != FALSE:
                state.faults.append(behind)
            state.ghosts[ghost] = passed
        inner = state.fork()
        inner.names = {n: v for n, v in state.names.items() if view.passing or n in self.fixed | self.once} | {
            view.name: Numeric(place) if view.over is None else self.item(view.over, view.name, place, state)
        }
        inner.reads, inner.draws, inner.items, inner.ghosts = state.reads, state.draws, state.items, state.ghosts
        inner.faults, inner.computed = state.faults, state.computed
        before = len(state.draws)
        # Noise alone belongs to the sum that it is read for.
        value = self.plain(view.item, inner) if isinstance(view.item, Draw) else self.scalar(view.item, inner)
        if spot is not None:
            state.draws[before:] = [replace(drawn, spot=spot, place=place) for drawn in state.draws[before:]]
            for test, item in drawn_before:
                value = pick(test, item, value)
            state.items[spot] = place, value
            self.keep_item(spot, place, value, state)
        return value

    # Ghosts of items: for a variable that some list of noise is read at, the item at its place, if that was drawn.

    def kept_item(self, cursor: int, place: Sum, state: Walk) -> SingleValue | None:
        """The item at the place of a variable, from where it was drawn; that it was drawn is to be shown, not believed.

        None if it was surely not drawn since the variable came there: then it is drawn now.
        """
        for name, ghost in self.followed[cursor]:
            at, item = state.names.get(name), state.names.get(ghost)
            if _number_of(at) == Numeric(place) and isinstance(item, Maybe) and item.none != TRUE:
                return Numeric(self.as_number(item, state))
        return None

    def keep_item(self, spot: Spot, place: Sum, value: SingleValue, state: Walk) -> None:
        """An item was drawn: whoever stands at its place has it."""
        assert isinstance(spot.of, int)
        for name, ghost in self.followed[spot.of]:
            at, item = state.names.get(name), state.names.get(ghost)
            inner = _number_of(at)
            if isinstance(inner, Numeric) and isinstance(item, Maybe) and isinstance(value, Numeric):
                known = negate(at.none) if isinstance(at, Maybe) else TRUE
                state.names[ghost] = lift(pick(every([known, equal(inner.value, place)]), value, item))

    def moved_ghosts(self, name: str, value: SymbolicValue, state: Walk) -> Environment:
        """The ghosts of a variable after it gets a value: an item drawn in this segment, or what another variable has."""
        changed: Environment = {}
        for cursor, pairs in self.followed.items():
            for own_name, ghost in pairs:
                if own_name != name or (ghost not in state.names and cursor not in self.noisy_items):
                    continue
                item: SingleValue = UNDRAWN
                for other, theirs in pairs:
                    if state.names.get(other) == value and isinstance(found := state.names.get(theirs), Maybe):
                        item = found
                if isinstance(value, Numeric):
                    late = cursor in self.late and value.value == ZERO
                    known = bool(value.value.terms) or value.value.constant >= 0  # -1 stands for no place
                    if item == UNDRAWN and (late or cursor in self.noisy_items or (known and name in self.blank)):
                        self.draw_item(cursor, value.value, state)
                    for spot, (place, drawn) in state.items.items():
                        if spot.of == cursor and isinstance(drawn, Numeric):
                            item = pick(equal(value.value, place), drawn, item)
                changed[ghost] = lift(item)
        return changed

    def draw_item(self, cursor: int, place: Sum, state: Walk) -> None:
        """Draw an item before it is read: a variable that was None may come to its place without a look at it."""
        for view in list(state.names.values()):
            if isinstance(view, View) and view.drawn == cursor:
                first = len(state.draws)
                item = self.item(view, "", place, state) if view.noisy is None else self.view_item(view, place, state)
                self.claimed(first, item, state)

    def looks_back(self, expr: Expr, state: Walk) -> bool:
        """Whether an expression reads an item that may have been drawn before; then the other side is looked at first."""
        lists = [(n.of.name, n.at.name) for n in walk(expr) if isinstance(n, Index) and isinstance(n.at, Var)]
        for of, at in lists:
            view = state.names.get(of)
            if isinstance(view, View) and view.drawn is not None:
                ghosts = [state.names.get(ghost) for name, ghost in self.followed[view.drawn] if name == at]
                if (ghosts and at not in self.counters) or at in self.blank or any(isinstance(ghost, Maybe) and ghost.none != TRUE for ghost in ghosts):
                    return True
        return False

    def drawn_now(self, name: str, pending: Pending, state: Walk) -> SingleValue:
        """Noise that was named before, drawn here; from now on the name stands for its value."""
        size = pending.draw.scale
        assert isinstance(size, Scale), "the program has no holes"
        state.names[name] = value = self.draw(pending.draw.noise, size, pending.draw.site, state)
        return value

    def chosen(self, expr: Draw, name: str, state: Walk) -> Numeric:
        """A place of a list of scores; what is asked of one other place is asked of all of them."""
        source = self.known(name, state)
        if isinstance(source, View) and source.cursor is not None:
            raise Unsupported("a place is chosen by scores that have noise of their own")
        assert isinstance(expr.scale, Scale), "the program has no holes"
        length = self.length(Var(name), state)
        state.faults.append(at_most(length, ZERO))
        value = self.draw(expr.noise, expr.scale, expr.site, state)
        assert isinstance(value, Numeric)
        index = len(state.draws) - 1
        rival = own(f"rival.{index}", self.which, INT)
        waiting = [drawn.waits for drawn in state.draws[:index]]
        scores = [self.as_number(self.item(source, name, at, state), state) for at in (variable(rival), value.value)]
        if waiting != [drawn.waits for drawn in state.draws[:index]]:
            raise Unsupported("noise that has a name is first added in scores, where its sum would be that of the rival")
        state.draws[index] = replace(state.draws[index], rival=Rival(rival, length, scores[0] - scores[1]))
        return value

    def draw(self, noise: Noise, size: Scale, site: int, state: Walk) -> SingleValue:
        sort = INT if noise.whole or noise.selects else REAL
        symbol = own(f"noise.{len(state.draws)}", self.which, sort)
        places = [read.place for read in state.reads if read.private]
        turn = places[-1] if places else self.here
        # No shift looks at noise that waits for its sum: what makes up for that may depend on all that comes before the sum.
        early = {drawn.symbol for drawn in state.draws if drawn.waits and drawn.rival is None}
        names = {n: v for n, v in state.names.items() if not (isinstance(v, Numeric) and early.intersection(symbols_of(v.value)))}
        state.draws.append(Drawn(site, len(state.draws), None, noise, size, symbol, ZERO, names, turn, ZERO, Fraction(0), not noise.finite))
        return Logical(equal(variable(symbol), number(1))) if noise.finite else Numeric(variable(symbol))


def _number_of(value: SymbolicValue | None) -> SymbolicValue | None:
    return value.value if isinstance(value, Maybe) else value


def _is_coin(expr: Expr) -> bool:
    return isinstance(expr, Draw) and expr.noise.finite
