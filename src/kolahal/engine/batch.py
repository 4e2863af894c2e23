"""All runs at once on arrays. A statement acts on the lanes of a mask; idle lanes may hold nonsense, never trap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from kolahal.engine.faults import MOST_TURNS, fault
from kolahal.engine.noise import FAMILIES, Array
from kolahal.engine.outputs import BOOLEAN, NONE, NUMBER, SCALAR, UNSET, KindCodes, Lengths, Mask, Outputs
from kolahal.engine.tape import Tape, Turns
from kolahal.lang import ir
from kolahal.lang.scale import Scale
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.nouns import dataclass

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.mod,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
BETTER: dict[str, Callable[[Any, Any], Any]] = {"max": np.greater, "min": np.less}


@dataclass(frozen=True, slots=True)
class Used:
    """The draws that each run really made at each hole: how many, and what their sizes add up to."""

    sums: Array  # (holes, runs), Σ|draw|
    counts: Array  # (holes, runs)


class Lanes(NamedTuple):  # made for every value of every expression
    """One scalar a lane; a kind or a value that all lanes share is a single one."""

    kind: int | KindCodes
    value: Any  # number or truth value, or an array of these


@dataclass(slots=True)
class Items:
    """One list a lane: `front` grows by insert(0, …) and is kept in reverse, `back` by append."""

    runs: int
    front: _Stack
    back: _Stack

    @property
    def lengths(self) -> Lengths:
        return self.front.lengths + self.back.lengths

    def at(self, place: Any) -> Lanes:
        """The items at `place`, counted from 0; out of range gives nonsense."""
        ahead = self.front.lengths
        if not in_some(ahead):
            return self.back.at(place)
        first, second = self.front.at(ahead - 1 - place), self.back.at(place - ahead)
        return _where(place < ahead, first, second)


@dataclass(slots=True)
class _Stack:
    lengths: Lengths  # (runs,)
    kinds: KindCodes  # (room, runs)
    values: Array  # (room, runs)

    @staticmethod
    def empty(runs: int, room: int = 4) -> _Stack:
        return _Stack(np.zeros(runs, dtype=np.int64), np.zeros((room, runs), dtype=np.uint8), np.zeros((room, runs)))

    def at(self, place: Any) -> Lanes:
        top = self.kinds.shape[0] - 1
        if is_single(place):
            row = min(max(int(place), 0), top)
            return Lanes(self.kinds[row], self.values[row])
        rows = np.clip(np.asarray(place, dtype=np.int64), 0, top)
        lanes = np.arange(len(self.lengths))
        return Lanes(self.kinds[rows, lanes], self.values[rows, lanes])

    def push(self, item: Lanes, mask: Mask) -> None:
        room = self.kinds.shape[0]
        if int(self.lengths.max(initial=0)) >= room:
            self.kinds = np.concatenate([self.kinds, np.zeros_like(self.kinds)])
            self.values = np.concatenate([self.values, np.zeros_like(self.values)])
        lanes = np.flatnonzero(mask)
        rows = self.lengths[lanes]
        if len(rows) and (rows == rows[0]).all():  # the common case: lanes in step
            row = int(rows[0])
            np.copyto(self.kinds[row], item.kind, where=mask)
            np.copyto(self.values[row], item.value, where=mask, casting="unsafe")
        else:
            self.kinds[rows, lanes] = np.broadcast_to(item.kind, mask.shape)[lanes]
            self.values[rows, lanes] = np.broadcast_to(item.value, mask.shape)[lanes]
        self.lengths[lanes] += 1

    def merged(self, mask: Mask, other: _Stack) -> _Stack:
        """This stack in the lanes of `mask`, `other` in the rest."""
        room = max(self.kinds.shape[0], other.kinds.shape[0])

        def wide(array: Any) -> Any:
            return array if array.shape[0] == room else np.pad(array, ((0, room - array.shape[0]), (0, 0)))

        return _Stack(
            np.where(mask, self.lengths, other.lengths),
            np.where(mask, wide(self.kinds), wide(other.kinds)),
            np.where(mask, wide(self.values), wide(other.values)),
        )


@dataclass(slots=True)
class PrivateLanes:
    """The private answers: the same list in every lane."""

    values: Array  # (answers,)
    kind: int = NUMBER

    def at(self, place: Any) -> Lanes:
        if not len(self.values):
            return Lanes(self.kind, 0.0)
        if is_single(place):
            return Lanes(self.kind, float(self.values[min(max(int(place), 0), len(self.values) - 1)]))
        return Lanes(self.kind, np.take(self.values, np.asarray(place, dtype=np.int64), mode="clip"))


def run(
    sketch: Sketch, database: Sequence[Fraction], arguments: Arguments, scales: Sequence[float], tape: Tape
) -> Outputs:
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
    broken: Mask
    continued: Mask


@dataclass(slots=True)
class BatchRun:
    sketch: Sketch
    database: Sequence[Fraction]
    arguments: Arguments
    scales: Sequence[float]
    tape: Tape
    used: Used | None = None
    names: dict[str, Any] = field(default_factory=dict)
    constants: dict[int, tuple[ir.Expr, Lanes]] = field(default_factory=dict)  # by their addresses
    turns: int = 0  # of the batch; no run has taken more
    answered: int = 0  # lanes
    taken: Lengths = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # turns of each run
    result_lengths: Lengths = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    result: _Stack = field(default_factory=lambda: _Stack.empty(0))

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
        self.result = _Stack.empty(runs, 1)
        with np.errstate(all="ignore"):
            left = self.block(self.sketch.body, np.ones(runs, dtype=bool), (), None)
        assert not in_some(left), "a checked program ends with an answer"
        return Outputs(self.result_lengths, self.result.kinds, self.result.values)

    # ---- statements; each returns the lanes that go on behind it

    def block(self, body: ir.Block, mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
        for statement in body:
            mask = self.statement(statement, mask, turns, loop)
            if not in_some(mask):
                break
        return mask

    def statement(self, node: ir.Stmt, mask: Mask, turns: Turns, loop: _Loop | None) -> Mask:
        match node:
            case ir.Assign(targets, values):
                for name, value in zip(targets, [self.value(v, mask, turns) for v in values], strict=True):
                    self.bind(name, value, mask)
            case ir.If(test, then, orelse):
                truth = mask & self.truth(test, mask, turns)
                rest = mask & ~truth
                after = self.block(then, truth, turns, loop) if in_some(truth) else truth
                return after | (self.block(orelse, rest, turns, loop) if orelse and in_some(rest) else rest)
            case ir.While():
                return self.while_loop(node, mask, turns)
            case ir.For():
                return self.for_loop(node, mask, turns)
            case ir.Append(name, value, front):
                item = self.scalar(value, mask, turns)
                target = self.value(ir.Var(name, span=node.span), mask, turns)
                (target.front if front else target.back).push(item, mask)
            case ir.Return(value):
                self.answer(self.value(value, mask, turns), mask)
                return np.zeros_like(mask)
            case ir.Break():
                assert loop is not None
                loop.broken |= mask
                return np.zeros_like(mask)
            case ir.Continue():
                assert loop is not None
                loop.continued |= mask
                return np.zeros_like(mask)
        return mask

    def bind(self, name: str, value: Any, mask: Mask) -> None:
        old = self.names.get(name)
        ended = self.answered if isinstance(value, Lanes) else 0  # lanes with an answer, which may hold nonsense
        if np.count_nonzero(mask) + ended == len(mask):
            self.names[name] = value
        elif isinstance(value, Lanes):
            self.names[name] = _where(mask, value, old if isinstance(old, Lanes) else Lanes(UNSET, 0.0))
        else:
            new, kept = self.as_items(value), self.as_items(old)
            self.names[name] = Items(new.runs, new.front.merged(mask, kept.front), new.back.merged(mask, kept.back))

    def as_items(self, value: Any) -> Items:
        """A list as one that can differ between lanes."""
        if isinstance(value, Items):
            return value
        runs = self.tape.runs
        made = Items(runs, _Stack.empty(runs), _Stack.empty(runs))
        if isinstance(value, PrivateLanes):
            for place in range(len(value.values)):
                made.back.push(value.at(place), np.ones(runs, dtype=bool))
        return made

    def answer(self, value: Any, mask: Mask) -> None:
        self.answered += int(np.count_nonzero(mask))
        if isinstance(value, Lanes):
            self.result_lengths[mask] = SCALAR
            found = _Stack.empty(self.tape.runs, 1)
            found.push(value, mask)
        else:
            items = self.as_items(value)
            self.result_lengths[mask] = items.lengths[mask]
            found = items.back
            if items.front.lengths.any():
                found = _Stack.empty(self.tape.runs, int(items.lengths.max(initial=1)))
                for place in range(int(items.lengths[mask].max(initial=0))):
                    found.push(items.at(np.full(self.tape.runs, place)), mask & (items.lengths > place))
        self.result = found if np.count_nonzero(mask) == len(mask) else found.merged(mask, self.result)

    def count_turn(self, loop: ir.Node, mask: Mask) -> None:
        self.turns += 1
        self.taken += mask
        if self.turns > MOST_TURNS and (self.taken > MOST_TURNS).any():
            raise fault(self.sketch, "K404", loop)

    def while_loop(self, node: ir.While, mask: Mask, turns: Turns) -> Mask:
        active, ended, turn = mask, np.zeros_like(mask), 0
        while in_some(active):
            inside = (*turns, turn)
            goes = active & self.truth(node.test, active, inside)
            ended |= active & ~goes
            if not in_some(goes):
                break
            active = self.turn(node, node.body, goes, inside, ended)
            turn += 1
        return ended

    def turn(self, node: ir.Node, body: ir.Block, mask: Mask, turns: Turns, ended: Mask) -> Mask:
        """One turn of a loop: the lanes that take another; those that break are added to `ended`."""
        self.count_turn(node, mask)
        loop = _Loop(np.zeros_like(mask), np.zeros_like(mask))
        rest = self.block(body, mask, turns, loop)
        ended |= loop.broken
        return rest | loop.continued

    def for_loop(self, node: ir.For, mask: Mask, turns: Turns) -> Mask:
        count, item = self.items(node.over, mask, turns)
        active, ended, turn = mask, np.zeros_like(mask), 0
        while True:
            goes = active & (turn < count)
            ended |= active & ~goes
            if not in_some(goes):
                return ended
            self.bind(node.name, item(turn), goes)
            active = self.turn(node, node.body, goes, (*turns, turn), ended)
            turn += 1

    def items(self, over: ir.Var | ir.Range, mask: Mask, turns: Turns) -> tuple[Any, Callable[[int], Lanes]]:
        """How many items a loop has in each lane, and the item of a turn."""
        if isinstance(over, ir.Var):
            found = self.value(over, mask, turns)
            return self.length(found), found.at
        start, stop, step = (self.number(part, mask, turns) for part in (over.start, over.stop, over.step))
        if _any(np.equal(step, 0), mask):
            raise fault(self.sketch, "K402", over)
        if any(_any(np.logical_not(np.isfinite(part)), mask) for part in (start, stop, step)):
            raise fault(self.sketch, "K404", over)
        count = np.maximum(0, np.ceil(np.divide(np.subtract(stop, start), step)))
        return count, lambda turn: Lanes(NUMBER, start + turn * step)

    # ---- expressions

    def length(self, found: Any) -> Any:
        return len(found.values) if isinstance(found, PrivateLanes) else found.lengths

    def scalar(self, expr: ir.Expr, mask: Mask, turns: Turns) -> Lanes:
        value = self.value(expr, mask, turns)
        assert isinstance(value, Lanes), "a checked program has no list here"
        return value

    def number(self, expr: ir.Expr, mask: Mask, turns: Turns) -> Any:
        lanes = self.scalar(expr, mask, turns)
        if _any(lanes.kind != NUMBER, mask):
            raise fault(self.sketch, "K403", expr)
        return lanes.value

    def truth(self, expr: ir.Expr, mask: Mask, turns: Turns) -> Any:
        lanes = self.scalar(expr, mask, turns)
        if _any(lanes.kind != BOOLEAN, mask):
            raise fault(self.sketch, "K406", expr)
        return lanes.value if np.asarray(lanes.value).dtype == bool else np.asarray(lanes.value) != 0

    def value(self, expr: ir.Expr, mask: Mask, turns: Turns) -> Any:
        match expr:
            case ir.Const(value=None):
                return Lanes(NONE, 0.0)
            case ir.Const(value=bool() as value):
                return Lanes(BOOLEAN, value)
            case ir.Const(value=Fraction() as value):
                if id(expr) not in self.constants:
                    self.constants[id(expr)] = expr, Lanes(NUMBER, float(value))
                return self.constants[id(expr)][1]
            case ir.Var(name):
                found = self.names.get(name)
                if found is None or (isinstance(found, Lanes) and _any(found.kind == UNSET, mask)):
                    raise fault(self.sketch, "K405", expr)
                return found
            case ir.Length(of):
                return Lanes(NUMBER, np.asarray(self.length(self.value(of, mask, turns)), dtype=float)[()])
            case ir.Index(of, at):
                return self.index(expr, self.value(of, mask, turns), self.number(at, mask, turns), mask)
            case ir.Not(of):
                return Lanes(BOOLEAN, np.logical_not(self.truth(of, mask, turns)))
            case ir.Negate(of):
                return Lanes(NUMBER, np.negative(self.number(of, mask, turns)))
            case ir.IsNone(of):
                return Lanes(BOOLEAN, self.scalar(of, mask, turns).kind == NONE)
            case ir.Binary("and" | "or" as op, left, right):
                return self.short_circuit(op, left, right, mask, turns)
            case ir.Binary("==" | "!=" as op, left, right):
                a, b = self.scalar(left, mask, turns), self.scalar(right, mask, turns)
                same = np.equal(a.kind, b.kind) & (np.equal(a.value, b.value) | np.equal(a.kind, NONE))
                return Lanes(BOOLEAN, same if op == "==" else np.logical_not(same))
            case ir.Binary(op, left, right):
                a, b = self.number(left, mask, turns), self.number(right, mask, turns)
                if op in ("/", "//", "%") and _any(np.equal(b, 0), mask):
                    raise fault(self.sketch, "K402", expr)
                return Lanes(NUMBER if op in ("+", "-", "*", "/", "//", "%") else BOOLEAN, OPERATORS[op](a, b))
            case ir.Call("abs", (argument,)):
                return Lanes(NUMBER, np.abs(self.number(argument, mask, turns)))
            case ir.Call(function, arguments):
                first, *others = [self.number(a, mask, turns) for a in arguments]
                for other in others:  # as Python does it, which matters where one is not a number
                    first = np.where(BETTER[function](other, first), other, first)
                return Lanes(NUMBER, first)
            case ir.Draw(of=ir.Var() as of):
                return Lanes(NUMBER, self.chosen(expr, self.value(of, mask, turns), mask, turns))
            case ir.Draw(noise):
                return Lanes(BOOLEAN if noise.finite else NUMBER, self.draw(expr, mask, turns))
            case ir.ListOf(items) | ir.TupleOf(items):
                made = self.as_items(None)
                for item in items:
                    made.back.push(self.scalar(item, mask, turns), mask)
                return made
            case ir.Comprehension(item, name, over):
                return self.comprehension(expr, item, name, over, mask, turns)

    def short_circuit(self, op: str, left: ir.Expr, right: ir.Expr, mask: Mask, turns: Turns) -> Lanes:
        first = self.truth(left, mask, turns)
        open_lanes = mask & (first if op == "and" else np.logical_not(first))
        if not in_some(open_lanes):
            return Lanes(BOOLEAN, first)
        second = self.truth(right, open_lanes, turns)
        return Lanes(BOOLEAN, np.logical_and(first, second) if op == "and" else np.logical_or(first, second))

    def index(self, expr: ir.Index, found: Any, place: Any, mask: Mask) -> Lanes:
        length, place = self.length(found), in_step(place, mask)
        if _any(np.logical_not((place >= np.negative(length)) & (place < length)), mask):
            raise fault(self.sketch, "K401", expr)
        if is_single(place) and place >= 0:
            lanes = found.at(place)
        else:
            lanes = found.at(np.where(np.less(place, 0), np.add(place, length), place))
        return lanes if isinstance(lanes, Lanes) else Lanes(NUMBER, lanes)

    def draw(self, node: ir.Draw, mask: Mask, turns: Turns, counted: bool = True) -> Any:
        hole = node.scale.index if isinstance(node.scale, ir.Hole) else None
        scale = self.scales[node.scale.index] if isinstance(node.scale, ir.Hole) else self.written_scale(node.scale)
        if is_single(scale) and scale == 0:  # a scale may differ between lanes
            return 0.0
        drawn = FAMILIES[node.noise].value(scale, list(self.tape.units(node.noise, node.site, turns)), np.floor)
        if self.used is not None and hole is not None and counted:
            self.used.sums[hole] += np.where(mask, np.abs(drawn), 0.0)
            self.used.counts[hole] += mask & np.not_equal(scale, 0)
        return drawn

    def chosen(self, node: ir.Draw, found: Any, mask: Mask, turns: Turns) -> Any:
        """The place of the largest noisy score in each lane; of several, the first."""
        lengths = np.broadcast_to(self.length(found), mask.shape)
        if _any(lengths == 0, mask):
            raise fault(self.sketch, "K401", node)
        best, place = np.full(mask.shape, -np.inf), np.zeros(mask.shape)
        for at in range(int(lengths[mask].max(initial=0))):
            lanes, inside = found.at(at), mask & (at < lengths)
            if _any(lanes.kind != NUMBER, inside):
                raise fault(self.sketch, "K403", node)
            noisy = lanes.value + self.draw(node, inside, (*turns, at), counted=False)
            ahead = inside & ((noisy > best) | (at == 0))
            best, place = np.where(ahead, noisy, best), np.where(ahead, float(at), place)
        return place

    def comprehension(
        self, node: ir.Node, item: ir.Expr, name: str, over: ir.Var | ir.Range, mask: Mask, turns: Turns
    ) -> Items:
        hidden = self.names.get(name)
        count, at = self.items(over, mask, turns)
        made, turn = self.as_items(None), 0
        while True:
            goes = mask & (turn < count)
            if not in_some(goes):
                break
            self.count_turn(node, goes)
            self.names[name] = at(turn)
            made.back.push(self.scalar(item, goes, (*turns, turn)), goes)
            turn += 1
        self.names.pop(name, None)
        if hidden is not None:
            self.names[name] = hidden
        return made


def in_some(lanes: Any) -> bool:
    """Whether something holds in a lane; as `any`, which goes through Python."""
    return bool(np.count_nonzero(lanes))


def is_single(value: Any) -> bool:
    """Whether all lanes share a value; np.ndim says the same and takes ten times as long for Python's own numbers."""
    return bool(getattr(value, "ndim", 0) == 0)


def in_step(values: Any, mask: Mask) -> Any:
    """The value that all lanes of `mask` share, as a single one, where they do: most loops count alike in every lane."""
    if is_single(values):
        return values
    own = values[mask]
    return own[0] if len(own) and (own == own[0]).all() else values


def _any(condition: Any, mask: Mask) -> bool:
    """Whether a condition holds in a lane of `mask`."""
    if is_single(condition):
        return bool(condition) and in_some(mask)
    return in_some(condition & mask)


def _where(mask: Any, new: Lanes, old: Lanes) -> Lanes:
    same_kind = is_single(new.kind) and is_single(old.kind) and int(new.kind) == int(old.kind)
    kind: Any = new.kind if same_kind else np.where(mask, new.kind, old.kind).astype(np.uint8)
    return Lanes(kind, np.where(mask, new.value, old.value))
