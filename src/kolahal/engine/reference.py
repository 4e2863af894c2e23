"""One run at a time in plain Python: the meaning of the language, to which every other engine is held."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any

from kolahal.engine.faults import MOST_TURNS, fault
from kolahal.engine.noise import FAMILIES
from kolahal.engine.tape import Turns, Units
from kolahal.lang import ir
from kolahal.lang.operators import OPERATORS
from kolahal.lang.sketch import Sketch
from kolahal.model import Arguments
from kolahal.nouns import dataclass

FUNCTIONS: dict[str, Callable[..., Any]] = {"max": max, "min": min, "abs": abs}


@dataclass(frozen=True, slots=True)
class Ended:
    """That a run is over, and its answer."""

    value: Any


Signal = None | ir.Break | ir.Continue | Ended  # how a block ended; None is by reaching its end
DrawnValue = tuple[int, Turns, Any]  # site, turns, value


def run(
    sketch: Sketch,
    database: Sequence[Fraction],
    arguments: Arguments,
    scales: Sequence[float],
    units: Units,
    number: Callable[[Any], Any] = float,
    log: list[DrawnValue] | None = None,
) -> Any:
    """The answer of one run: a number, True, False, None, or a tuple of these for a list.

    `number` is the arithmetic: doubles, or Fraction for exact runs. `log` receives the draws in their order.
    """
    names = _given(sketch, database, arguments, number)
    machine = _ReferenceRun(sketch, names, arguments, tuple(scales), units, number, [] if log is None else log)
    ended = machine.block(sketch.body, ())
    assert isinstance(ended, Ended), "a checked program ends with an answer"
    return tuple(ended.value) if isinstance(ended.value, list) else ended.value


def count_steps(
    sketch: Sketch, database: Sequence[Any], arguments: Arguments, scales: Sequence[float], units: Units
) -> int:
    """Loop turns and draws of one run."""
    machine = _ReferenceRun(sketch, _given(sketch, database, arguments, float), arguments, tuple(scales), units, float, [])
    before = machine.turns_left
    machine.block(sketch.body, ())
    return before - machine.turns_left + len(machine.log)


def _given(sketch: Sketch, database: Sequence[Any], arguments: Arguments, number: Callable[[Any], Any]) -> dict[str, Any]:
    """The arguments and the private answers as the program sees them."""
    given = arguments.environment(sketch).items()
    names: dict[str, Any] = {name: value if isinstance(value, bool) else number(value) for name, value in given}
    return names | {sketch.private.name: [bool(answer) if sketch.private.bits else number(answer) for answer in database]}


@dataclass(slots=True)
class _ReferenceRun:
    sketch: Sketch
    names: dict[str, Any]
    arguments: Arguments
    scales: tuple[float, ...]
    units: Units
    number: Callable[[Any], Any]
    log: list[DrawnValue]
    turns_left: int = field(default_factory=lambda: MOST_TURNS)

    def block(self, body: ir.Block, turns: Turns) -> Signal:
        for statement in body:
            ended = self.statement(statement, turns)
            if ended is not None:
                return ended
        return None

    def statement(self, node: ir.Stmt, turns: Turns) -> Signal:
        match node:
            case ir.Assign(targets, values):
                self.names |= dict(zip(targets, [self.value(v, turns) for v in values], strict=True))
            case ir.If(test, then, orelse):
                return self.block(then if self.truth(test, turns) else orelse, turns)
            case ir.While(test, body):
                turn = 0
                while self.truth(test, (*turns, turn)):
                    ended = self.turn(node, body, (*turns, turn))
                    if isinstance(ended, Ended):
                        return ended
                    if isinstance(ended, ir.Break):
                        break
                    turn += 1
            case ir.For(name, over, body):
                for turn, item in enumerate(self.items(over, turns)):
                    self.names[name] = item
                    ended = self.turn(node, body, (*turns, turn))
                    if isinstance(ended, Ended):
                        return ended
                    if isinstance(ended, ir.Break):
                        break
            case ir.Append(name, value, front):
                item, target = self.value(value, turns), self.value(ir.Var(name, span=node.span), turns)
                target.insert(0 if front else len(target), item)
            case ir.Return(value):
                return Ended(self.value(value, turns))
            case ir.Break() | ir.Continue():
                return node
        return None

    def turn(self, loop: ir.Stmt, body: ir.Block, turns: Turns) -> Signal:
        self.count_turn(loop)
        return self.block(body, turns)

    def count_turn(self, loop: ir.Node) -> None:
        self.turns_left -= 1
        if self.turns_left < 0:
            raise fault(self.sketch, "K404", loop)

    def items(self, over: ir.Var | ir.Range, turns: Turns) -> Iterator[Any]:
        if isinstance(over, ir.Var):
            yield from self.value(over, turns)
        else:
            start, stop, step = (self.numeric(part, turns) for part in (over.start, over.stop, over.step))
            if step == 0:
                raise fault(self.sketch, "K402", over)
            if not all(map(math.isfinite, (start, stop, step))):
                raise fault(self.sketch, "K404", over)
            yield from map(self.number, range(int(start), int(stop), int(step)))

    def numeric(self, expr: ir.Expr, turns: Turns) -> Any:
        value = self.value(expr, turns)
        if value is None or isinstance(value, bool | list):
            raise fault(self.sketch, "K403", expr)
        return value

    def truth(self, expr: ir.Expr, turns: Turns) -> bool:
        value = self.value(expr, turns)
        if not isinstance(value, bool):
            raise fault(self.sketch, "K406", expr)
        return value

    def value(self, expr: ir.Expr, turns: Turns) -> Any:
        match expr:
            case ir.Const(value):
                return value if value is None or isinstance(value, bool) else self.number(value)
            case ir.Var(name):
                if name not in self.names:
                    raise fault(self.sketch, "K405", expr)
                return self.names[name]
            case ir.Length(of):
                return self.number(len(self.value(of, turns)))
            case ir.Index(of, at):
                items, place = self.value(of, turns), self.numeric(at, turns)
                if not -len(items) <= place < len(items):
                    raise fault(self.sketch, "K401", expr)
                return items[int(place)]
            case ir.Not(of):
                return not self.truth(of, turns)
            case ir.Negate(of):
                return -self.numeric(of, turns)
            case ir.IsNone(of):
                return self.value(of, turns) is None
            case ir.Binary("and", left, right):
                return self.truth(left, turns) and self.truth(right, turns)
            case ir.Binary("or", left, right):
                return self.truth(left, turns) or self.truth(right, turns)
            case ir.Binary("==" | "!=" as op, left, right):
                return (self.value(left, turns) == self.value(right, turns)) == (op == "==")
            case ir.Binary(op, left, right):
                a, b = self.numeric(left, turns), self.numeric(right, turns)
                if op in ("/", "//", "%") and b == 0:
                    raise fault(self.sketch, "K402", expr)
                return OPERATORS[op](a, b)
            case ir.Call(function, arguments):
                return FUNCTIONS[function](*[self.numeric(a, turns) for a in arguments])
            case ir.Draw(of=ir.Var() as of):
                return self.chosen(expr, of, turns)
            case ir.Draw(noise, scale, site):
                size = self.scales[scale.index] if isinstance(scale, ir.Hole) else self.fixed_scale(scale)
                family, units = FAMILIES[noise], self.units(noise, site, turns)
                drawn = self.number(family.value(self.number(size), [self.number(u) for u in units], math.floor))
                self.log.append((site, turns, drawn))
                return bool(drawn) if noise.finite else drawn
            case ir.ListOf(items) | ir.TupleOf(items):
                return [self.value(item, turns) for item in items]
            case ir.Comprehension(item, name, over):
                return self.comprehension(expr, item, name, over, turns)

    def chosen(self, expr: ir.Draw, of: ir.Var, turns: Turns) -> Any:
        """The place of the largest noisy score; of several, the first."""
        scale = expr.scale
        size = self.number(self.scales[scale.index] if isinstance(scale, ir.Hole) else self.fixed_scale(scale))
        noisy: list[Any] = []
        for place, score in enumerate(self.value(of, turns)):
            if score is None or isinstance(score, bool):
                raise fault(self.sketch, "K403", expr)
            unit = self.number(self.units(expr.noise, expr.site, (*turns, place))[0]) if size else self.number(0)
            noisy.append(score + size * unit)
        if not noisy:
            raise fault(self.sketch, "K401", expr)
        return self.number(noisy.index(max(noisy)))

    def fixed_scale(self, scale: Any) -> float:
        return float(scale.near(self.arguments.quantities(self.sketch)))

    def comprehension(
        self, node: ir.Node, item: ir.Expr, name: str, over: ir.Var | ir.Range, turns: Turns
    ) -> list[Any]:
        hidden = self.names.get(name)
        was_set = name in self.names
        result = []
        for turn, value in enumerate(self.items(over, turns)):
            self.count_turn(node)
            self.names[name] = value
            result.append(self.value(item, (*turns, turn)))
        if was_set:
            self.names[name] = hidden
        else:
            self.names.pop(name, None)
        return result
