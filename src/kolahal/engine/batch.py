"""All runs at once on arrays. A statement acts on the lanes of a mask; idle lanes may hold nonsense, never trap.

A program is taken apart once, into functions of a mask and of the turns of the loops around: to look at its nodes again in every turn
would take longer than the arrays do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from kolahal.engine.faults import MOST_TURNS, fault
from kolahal.engine.lanes import Items, Lanes, PrivateLanes, Stack, any_in, are_outside, in_some, in_step, is_single
from kolahal.engine.noise import FAMILIES, Array
from kolahal.engine.outputs import BOOLEAN, NONE, NUMBER, SCALAR, UNSET, Lengths, Mask, Outputs
from kolahal.engine.tape import Tape, Turns
from kolahal.lang import ir
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.nouns import dataclass

# Python's own where they do for single numbers what numpy does, in a tenth of the time.
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ROOM = 1 << 10  # items of a list for which there is room from the start
ARITHMETIC = ("+", "-", "*", "/", "//", "%")
BETTER: dict[str, Callable[[Any, Any], Any]] = {"max": np.greater, "min": np.less}


@dataclass(frozen=True, slots=True)
class Used:
    """The draws that each run really made at each hole: how many, and what their sizes add up to."""

    sums: Array  # (holes, runs), Σ|draw|
    counts: Array  # (holes, runs)


def run(sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape) -> Outputs:
    """The answers of all runs of `tape`."""
    return BatchRun(sketch, database, arguments, scales, tape).outputs()


def run_with_draws(
    sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape
) -> tuple[Outputs, Used]:
    """The answers, and what each run drew at the holes: all that the weight of a run depends on."""
    batch = BatchRun(sketch, database, arguments, scales, tape)
    holes = len(sketch.holes)
    batch.used = Used(np.zeros((holes, tape.runs)), np.zeros((holes, tape.runs)))
    return batch.outputs(), batch.used


@dataclass(slots=True)
class _Loop:
    """What became of the lanes of a loop in one of its turns."""

    broken: Mask
    continued: Mask


Compute: TypeAlias = Callable[[Mask, Turns], Any]  # of an expression: Lanes or a list, or values whose kind is known
Act: TypeAlias = Callable[[Mask, Turns, _Loop | None], Mask]  # a statement: the lanes that go on behind it


@dataclass(slots=True)
class BatchRun:
    sketch: Sketch
    database: Sequence[Fraction]
    arguments: Arguments
    scales: Sequence[float]
    tape: Tape
    used: Used | None = None
    names: dict[str, Any] = field(default_factory=dict)
    turns: int = 0  # of the batch; no run has taken more
    answered: int = 0  # lanes
    taken: Lengths = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # turns of each run
    result_lengths: Lengths = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    result: Stack = field(default_factory=lambda: Stack.empty(0))

    def bind_inputs(self) -> None:
        """The names that have a value before anything runs."""
        for name, value in self.arguments.environment(self.sketch).items():
            self.names[name] = Lanes(BOOLEAN, value) if isinstance(value, bool) else Lanes(NUMBER, float(value))
        private = self.sketch.private
        answers = np.array([float(a) for a in self.database])
        self.names[private.name] = PrivateLanes(answers, BOOLEAN if private.bits else NUMBER)

    def written_scale(self, scale: Scale) -> Any:
        """The value of a scale that the program gives itself."""
        return scale.near(self.arguments.quantities(self.sketch))

    def outputs(self) -> Outputs:
        runs = self.tape.runs
        self.bind_inputs()
        self.taken, self.result_lengths = np.zeros((2, runs), dtype=np.int64)
        self.result = Stack.empty(runs, 1)
        with np.errstate(all="ignore"):
            left = self.block(self.sketch.body)(np.ones(runs, dtype=bool), (), None)
        assert not in_some(left), "a checked program ends with an answer"
        return Outputs(self.result_lengths, self.result.all_kinds(), self.result.values)

    # ---- statements

    def block(self, body: ir.Block) -> Act:
        steps = [self.statement(node) for node in body]

        def run(mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
            for step in steps:
                left = step(mask, turns, loop)
                if left is not mask and not in_some(left):
                    return left
                mask = left
            return mask

        return run

    def statement(self, node: ir.Stmt) -> Act:
        match node:
            case ir.Assign(targets, expressions):
                values = [self.value(expression) for expression in expressions]

                def step(mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
                    for name, found in zip(targets, [value(mask, turns) for value in values]):
                        self.bind(name, found, mask)
                    return mask
            case ir.If():
                return self.branch(node)
            case ir.While():
                return self.while_loop(node)
            case ir.For():
                return self.for_loop(node)
            case ir.Append(name, expression, front):
                item, target = self.value(expression), self.value(ir.Var(name, span=node.span))

                def step(mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
                    added, items = item(mask, turns), target(mask, turns)
                    (items.front if front else items.back).push(added, mask)
                    return mask
            case ir.Return(expression):
                answer = self.value(expression)

                def step(mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
                    self.answer(answer(mask, turns), mask)
                    return np.zeros(mask.shape, dtype=bool)
            case ir.Break() | ir.Continue():
                breaks = isinstance(node, ir.Break)

                def step(mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
                    assert loop is not None
                    ended = loop.broken if breaks else loop.continued
                    ended |= mask
                    return np.zeros(mask.shape, dtype=bool)
        return step

    def branch(self, node: ir.If) -> Act:
        test, then, orelse = self.truth(node.test), self.block(node.then), self.block(node.orelse) if node.orelse else None

        def step(mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
            truth = mask & test(mask, turns)
            if not in_some(truth):
                return orelse(mask, turns, loop) if orelse else mask
            rest = mask & ~truth
            after = then(truth, turns, loop)
            return after | (orelse(rest, turns, loop) if orelse and in_some(rest) else rest)

        return step

    def bind(self, name: str, value: Any, mask: Mask) -> None:
        old = self.names.get(name)
        ended = self.answered if isinstance(value, Lanes) else 0  # lanes with an answer, which may hold nonsense
        if np.count_nonzero(mask) + ended == len(mask):
            self.names[name] = value
        elif isinstance(value, Lanes):
            self.names[name] = value.where(mask, old if isinstance(old, Lanes) else Lanes(UNSET, 0.0))
        else:
            new, kept = Items.of(value, self.tape.runs), Items.of(old, self.tape.runs)
            self.names[name] = Items(new.runs, new.front.merged(mask, kept.front), new.back.merged(mask, kept.back))

    def answer(self, value: Any, mask: Mask) -> None:
        self.answered += int(np.count_nonzero(mask))
        if isinstance(value, Lanes):
            np.copyto(self.result_lengths, SCALAR, where=mask)
            self.result.push(value, mask)
            return
        items = Items.of(value, self.tape.runs)
        self.result_lengths[mask] = items.lengths[mask]
        found = items.as_stack(mask)
        self.result = found if np.count_nonzero(mask) == len(mask) else found.merged(mask, self.result)

    def count_turn(self, loop: ir.Node, mask: Mask) -> None:
        self.turns += 1
        self.taken += mask
        if self.turns > MOST_TURNS and (self.taken > MOST_TURNS).any():
            raise fault(self.sketch, "K404", loop)

    def while_loop(self, node: ir.While) -> Act:
        test, take = self.truth(node.test), self.turn(node, node.body)

        def step(mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
            active, ended, turn = mask, np.zeros(mask.shape, dtype=bool), 0
            while in_some(active):
                inside = (*turns, turn)
                goes = active & test(active, inside)
                ended |= active & ~goes
                if not in_some(goes):
                    break
                active = take(goes, inside, ended)
                turn += 1
            return ended

        return step

    def for_loop(self, node: ir.For) -> Act:
        items, take = self.items(node.over), self.turn(node, node.body)
        leaves = any(isinstance(part, ir.Break | ir.Return) for part in ir.walk(node.body))

        def step(mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
            count, item = items(mask, turns)
            active, ended, turn = mask, np.zeros(mask.shape, dtype=bool), 0
            endless = not leaves and any_in(count > MOST_TURNS, mask)  # which one turn is enough to tell
            while True:
                if endless and turn:
                    raise fault(self.sketch, "K404", node)
                goes = active & (turn < count)
                ended |= active & ~goes
                if not in_some(goes):
                    return ended
                self.bind(node.name, item(turn), goes)
                active = take(goes, (*turns, turn), ended)
                turn += 1

        return step

    def turn(self, node: ir.Node, body: ir.Block) -> Callable[[Mask, Turns, Mask], Mask]:
        """One turn of a loop: the lanes that take another; those that break are added to what has ended."""
        block, leaves = self.block(body), any(isinstance(part, ir.Break | ir.Continue) for part in ir.walk(body))

        def take(mask: Mask, turns: Turns, ended: Mask) -> Mask:
            self.count_turn(node, mask)
            if not leaves:
                return block(mask, turns, None)
            loop = _Loop(np.zeros(mask.shape, dtype=bool), np.zeros(mask.shape, dtype=bool))
            rest = block(mask, turns, loop)
            ended |= loop.broken
            return rest | loop.continued

        return take

    def items(self, over: ir.Var | ir.Range) -> Callable[[Mask, Turns], tuple[Any, Callable[[int], Lanes]]]:
        """How many items a loop has in each lane, and the item of a turn."""
        if isinstance(over, ir.Var):
            of = self.value(over)
            return lambda mask, turns: ((found := of(mask, turns)).lengths, found.at)
        parts = [self.number(part) for part in (over.start, over.stop, over.step)]

        def read(mask: Mask, turns: Turns) -> tuple[Any, Callable[[int], Lanes]]:
            start, stop, step = (part(mask, turns) for part in parts)
            if any_in(np.equal(step, 0), mask):
                raise fault(self.sketch, "K402", over)
            if any(any_in(np.logical_not(np.isfinite(part)), mask) for part in (start, stop, step)):
                raise fault(self.sketch, "K404", over)
            count = np.maximum(0, np.ceil(np.divide(np.subtract(stop, start), step)))
            return count, lambda turn: Lanes(NUMBER, start + turn * step)

        return read

    # ---- expressions

    def value(self, expr: ir.Expr) -> Compute:
        """The values and their kind, or lists."""
        match expr:
            case ir.Const(value):
                kind = NONE if value is None else BOOLEAN if isinstance(value, bool) else NUMBER
                lanes = Lanes(kind, value if isinstance(value, bool) else float(value or 0))
                return lambda mask, turns: lanes
            case ir.Var(name):
                return self.name(expr, name)
            case ir.Index():
                return self.index(expr)
            case ir.ListOf(items) | ir.TupleOf(items):
                parts = [self.value(item) for item in items]

                def listed(mask: Mask, turns: Turns) -> Items:
                    made = Items.of(None, self.tape.runs)
                    for part in parts:
                        made.back.push(part(mask, turns), mask)
                    return made

                return listed
            case ir.Comprehension():
                return self.comprehension(expr)
        kind, values = self.of_one_kind(expr)
        return lambda mask, turns: Lanes(kind, values(mask, turns))

    def number(self, expr: ir.Expr) -> Compute:
        """The values of a number."""
        return self.of_kind(NUMBER, expr, "K403")

    def truth(self, expr: ir.Expr) -> Compute:
        """Truth values, of numpy's own type where they are in an array."""
        values = self.of_kind(BOOLEAN, expr, "K406")

        def read(mask: Mask, turns: Turns) -> Any:
            found = values(mask, turns)
            return found if getattr(found, "dtype", None) == np.bool_ else found != 0

        return values if isinstance(expr, ir.Binary | ir.Not | ir.IsNone) else read

    def of_kind(self, kind: int, expr: ir.Expr, otherwise: str) -> Compute:
        """The values of an expression, or a fault where they are of another kind."""
        if not isinstance(expr, ir.Const | ir.Var | ir.Index | ir.ListOf | ir.TupleOf | ir.Comprehension):
            its, values = self.of_one_kind(expr)
            if its == kind:
                return values
        value = self.value(expr)

        def read(mask: Mask, turns: Turns) -> Any:
            its, found = value(mask, turns)
            if its is not kind and any_in(its != kind, mask):
                raise fault(self.sketch, otherwise, expr)
            return found

        return read

    def of_one_kind(self, expr: ir.Expr) -> tuple[int, Compute]:
        """What has the same kind in every lane: the kind, and the values."""
        match expr:
            case ir.Length(of):
                items = self.value(of)
                return NUMBER, lambda mask, turns: np.asarray(items(mask, turns).lengths, dtype=float)[()]
            case ir.Not(of):
                truth = self.truth(of)
                return BOOLEAN, lambda mask, turns: np.logical_not(truth(mask, turns))
            case ir.Negate(of):
                number = self.number(of)
                return NUMBER, lambda mask, turns: -number(mask, turns)
            case ir.IsNone(of):
                value = self.value(of)
                return BOOLEAN, lambda mask, turns: value(mask, turns).kind == NONE
            case ir.Binary("and" | "or"):
                return BOOLEAN, self.short_circuit(expr)
            case ir.Binary("==" | "!="):
                return BOOLEAN, self.equality(expr)
            case ir.Binary(op):
                return NUMBER if op in ARITHMETIC else BOOLEAN, self.operation(expr)
            case ir.Call(function, arguments):
                return NUMBER, self.call(function, [self.number(argument) for argument in arguments])
            case ir.Draw(of=ir.Var()):
                return NUMBER, self.chosen(expr)
            case ir.Draw(noise):
                return BOOLEAN if noise.finite else NUMBER, self.draw(expr)
        raise AssertionError(f"{type(expr).__name__} may have any kind")

    def name(self, expr: ir.Expr, name: str) -> Compute:
        names = self.names

        def read(mask: Mask, turns: Turns) -> Any:
            found = names.get(name)
            if found is None or (found.__class__ is Lanes and found.kind is not NUMBER and any_in(found.kind == UNSET, mask)):
                raise fault(self.sketch, "K405", expr)
            return found

        return read

    def operation(self, expr: ir.Binary) -> Compute:
        left, right, operate, divides = self.number(expr.left), self.number(expr.right), OPERATORS[expr.op], expr.op in ("/", "//", "%")

        def compute(mask: Mask, turns: Turns) -> Any:
            a, b = left(mask, turns), right(mask, turns)
            if divides and any_in(np.equal(b, 0), mask):
                raise fault(self.sketch, "K402", expr)
            return operate(a, b)

        return compute

    def equality(self, expr: ir.Binary) -> Compute:
        left, right, wanted = self.value(expr.left), self.value(expr.right), expr.op == "=="

        def compare(mask: Mask, turns: Turns) -> Any:
            same = left(mask, turns).equals(right(mask, turns))
            return same if wanted else np.logical_not(same)

        return compare

    def short_circuit(self, expr: ir.Binary) -> Compute:
        left, right, both = self.truth(expr.left), self.truth(expr.right), expr.op == "and"

        def combine(mask: Mask, turns: Turns) -> Any:
            first = left(mask, turns)
            open_lanes = mask & (first if both else np.logical_not(first))
            if not in_some(open_lanes):
                return first
            second = right(open_lanes, turns)
            return first & second if both else first | second

        return combine

    def call(self, function: str, arguments: Sequence[Compute]) -> Compute:
        if function == "abs":
            return lambda mask, turns: np.abs(arguments[0](mask, turns))

        def best(mask: Mask, turns: Turns) -> Any:
            first, *others = [argument(mask, turns) for argument in arguments]
            for other in others:  # as Python does it, which matters where one is not a number
                first = np.where(BETTER[function](other, first), other, first)
            return first

        return best

    def index(self, expr: ir.Index) -> Compute:
        of, at = self.value(expr.of), self.number(expr.at)

        def read(mask: Mask, turns: Turns) -> Any:
            found, place = of(mask, turns), in_step(at(mask, turns), mask)
            length = found.lengths
            if any_in(are_outside(place, length), mask):
                raise fault(self.sketch, "K401", expr)
            if is_single(place) and place >= 0:
                return found.at(place)
            return found.at(np.where(np.less(place, 0), np.add(place, length), place))

        return read

    def draw(self, node: ir.Draw, counted: bool = True) -> Compute:
        hole = node.scale.index if isinstance(node.scale, ir.Hole) else None
        scale: Any = None if hole is None else self.scales[hole]  # which may differ between lanes
        make = FAMILIES[node.noise].value

        def drawn(mask: Mask, turns: Turns) -> Any:
            nonlocal scale
            if isinstance(node.scale, Scale):
                scale = self.written_scale(node.scale) if scale is None else scale
            if is_single(scale) and scale == 0:
                return 0.0
            found = make(scale, list(self.tape.units(node.noise, node.site, turns)), np.floor)
            if self.used is not None and hole is not None and counted:
                self.used.sums[hole] += np.where(mask, np.abs(found), 0.0)
                self.used.counts[hole] += mask & np.not_equal(scale, 0)
            return found

        return drawn

    def chosen(self, node: ir.Draw) -> Compute:
        """The place of the largest noisy score in each lane; of several, the first."""
        of, draw = self.value(node.of or ir.Var("")), self.draw(node, counted=False)

        def choose(mask: Mask, turns: Turns) -> Any:
            found = of(mask, turns)
            lengths = np.broadcast_to(found.lengths, mask.shape)
            if any_in(lengths == 0, mask):
                raise fault(self.sketch, "K401", node)
            best, place = np.full(mask.shape, -np.inf), np.zeros(mask.shape)
            for at in range(int(lengths[mask].max(initial=0))):
                lanes, inside = found.at(at), mask & (at < lengths)
                if any_in(lanes.kind != NUMBER, inside):
                    raise fault(self.sketch, "K403", node)
                noisy = lanes.value + draw(inside, (*turns, at))
                ahead = inside & ((noisy > best) | (at == 0))
                np.copyto(best, noisy, where=ahead)
                np.copyto(place, at, where=ahead)
            return place

        return choose

    def comprehension(self, node: ir.Comprehension) -> Compute:
        items, item, name = self.items(node.over), self.value(node.item), node.name

        def listed(mask: Mask, turns: Turns) -> Items:
            hidden = self.names.get(name)
            count, at = items(mask, turns)
            lengths = np.where(mask, count, 0).astype(np.int64)
            most = int(lengths.max(initial=0))
            made = Stack(lengths, UNSET, np.zeros((min(most, ROOM) or 1, self.tape.runs)))
            for turn in range(most):
                goes = mask if is_single(count) else mask & (turn < count)
                self.count_turn(node, goes)
                self.names[name] = at(turn)
                made.put(turn, item(goes, (*turns, turn)))
            self.names.pop(name, None)
            if hidden is not None:
                self.names[name] = hidden
            return Items(self.tape.runs, Stack.empty(self.tape.runs), made)

        return listed
