"""Expressions on affine values: each comparison that is open forks the run."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import TypeAlias, TypeVar

from kolahal.engine.tape import Turns
from kolahal.lang import ir
from kolahal.lang.operators import OPERATORS
from kolahal.logic.linear import Inequality, LinearForm, Number, as_form, plain, variable
from kolahal.paths.feasibility import Feasibility
from kolahal.paths.state import MOST_TURNS, ChosenPlace, Item, Outside, State, Stop, Value
from kolahal.paths.unknowns import Affine, AnswerAt, Argument, Atoms, Indeterminate, NoiseAt, Public

T = TypeVar("T")


class Impossible(Exception):
    """No choice is left: the runs that came here have probability 0."""


Decisions: TypeAlias = tuple[tuple[int, bool], ...]  # which option each comparison took, and whether it had others


class Evaluation:
    """One computation on a state; `choices` says which way the first comparisons go."""

    def __init__(self, explorer: Feasibility, state: State, choices: Decisions, point: Mapping[Indeterminate, Number]):
        self.explorer, self.state = explorer, state
        self.names = state.names
        self.choices, self.made = choices, 0
        self.atoms, self.draws, self.point, self.picks = state.atoms, state.draws, point, state.picks
        self.others: list[tuple[Decisions, Mapping[Indeterminate, Number]]] = []

    def after(self) -> State:
        state = self.state
        return State(state.names, state.todo, self.atoms, self.point, self.draws, state.turns_left, self.picks)

    def decide(self, *options: Atoms) -> int:
        """Which of the options, of which always exactly one holds, holds on this path."""
        self.explorer.asked += 1
        if self.made == len(self.choices):
            points = [self.explorer.find_point(self.atoms, option, self.point) for option in options]
            possible = [(i, p) for i, p in enumerate(points) if p is not None]
            if not possible:
                raise Impossible
            (first, self.point), *others = possible
            self.others += [((*self.choices, (i, True)), p) for i, p in others]
            self.choices = (*self.choices, (first, bool(others)))
        choice, is_new = self.choices[self.made]
        self.made += 1
        new = options[choice]
        # One comparison that could go both ways is none of those before; only other ones have to be looked for.
        self.atoms += new if is_new and len(new) == 1 else tuple(a for a in new if a not in self.atoms)
        return choice

    def less(self, left: Affine | Number, right: Affine | Number, strict: bool) -> bool:
        form = as_form(left) - as_form(right)
        if not form.terms:
            return form.constant < 0 if strict else form.constant <= 0
        atom = Inequality(form, strict)
        return self.decide((atom,), (atom.negated(),)) == 0

    def equal(self, left: Value, right: Value) -> bool:
        if not isinstance(left, LinearForm) and not isinstance(right, LinearForm):
            return left == right
        if left is None or right is None or isinstance(left, tuple) or isinstance(right, tuple):
            return False
        form = as_form(left) - as_form(right)
        if not form.terms:
            return form.constant == 0
        sites = self.explorer.continuous_sites(form)
        if sites and not self.explorer.ties:
            # Continuous noise hits one value with probability 0.
            self.explorer.almost |= sites
            return False
        same = (Inequality(form, strict=False), Inequality(-form, strict=False))
        return self.decide(same, (Inequality(form, strict=True),), (Inequality(-form, strict=True),)) == 0

    def bit(self, form: Affine) -> bool:
        """Which of its two values an unknown has that is 0 or 1. Both are equations, so that a path pins every bit it saw."""
        zero, one = ((Inequality(f, False), Inequality(-f, False)) for f in (form, form - as_form(1)))
        return self.decide(zero, one) == 1

    def seen(self, value: Value) -> Value:
        """A value where it is looked at: a private answer that is a truth value is one from then on."""
        if self.explorer.bits and isinstance(value, LinearForm) and any(isinstance(s, AnswerAt) for s in value.terms):
            return self.bit(value)
        return value

    def numeric(self, expr: ir.Expr, turns: Turns) -> Affine | Number:
        value = self.value(expr, turns)
        if value is None or isinstance(value, bool | tuple):
            raise Stop("K403", expr)
        return value

    def truth(self, expr: ir.Expr, turns: Turns) -> bool:
        value = self.value(expr, turns)
        if not isinstance(value, bool):
            raise Stop("K406", expr)
        return value

    def known(self, expr: ir.Expr, turns: Turns, why: str) -> int:
        value = self.numeric(expr, turns)
        if isinstance(value, LinearForm):
            raise Outside(why, expr)
        return int(value)

    def listed(self, of: ir.Var, turns: Turns) -> tuple[Item, ...]:
        items = self.value(of, turns)
        assert isinstance(items, tuple), "the checker refuses what is not a list here"
        return items

    def items(self, over: ir.Var | ir.Range, turns: Turns) -> tuple[Item, ...]:
        if isinstance(over, ir.Var):
            return self.listed(over, turns)
        start, stop, step = (self.known(part, turns, "bound") for part in (over.start, over.stop, over.step))
        if step == 0:
            raise Stop("K402", over)
        turns_of_range = range(start, stop, step)
        if len(turns_of_range) > MOST_TURNS:
            raise Outside("turns", over)
        return tuple(turns_of_range)

    def grown(self, node: ir.Append, turns: Turns) -> Value:
        item, items = self.value(node.value, turns), self.listed(ir.Var(node.name, span=node.span), turns)
        assert not isinstance(item, tuple), "the checker refuses lists of lists"
        self.explorer.spend(len(items) // 32)
        return (item, *items) if node.front else (*items, item)

    def value(self, expr: ir.Expr, turns: Turns) -> Value:
        match expr:
            case ir.Const(value):
                return value if value is None or isinstance(value, bool) else plain(value)
            case ir.Var(name):
                if name not in self.names:
                    raise Stop("K405", expr)
                return self.seen(self.names[name])
            case ir.Length(of):
                return len(self.listed(of, turns))
            case ir.Index(of, at):
                items, place = self.listed(of, turns), self.known(at, turns, "place")
                if not -len(items) <= place < len(items):
                    raise Stop("K401", expr)
                return self.seen(items[place])
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
                return self.equal(self.value(left, turns), self.value(right, turns)) == (op == "==")
            case ir.Binary(_, left, right):
                return self.binary(expr, self.numeric(left, turns), self.numeric(right, turns))
            case ir.Call(function, arguments):
                return self.call(function, [self.numeric(a, turns) for a in arguments])
            case ir.Draw(of=ir.Var() as of):
                return self.chosen(expr, of, turns)
            case ir.Draw(noise, _, site):
                if site in self.explorer.silent:
                    return False if noise.finite else 0
                drawn = NoiseAt(site, turns)
                self.draws += (drawn,)
                return self.bit(variable(drawn)) if noise.finite else variable(drawn)
            case ir.ListOf(items) | ir.TupleOf(items):
                return tuple(self.item(item, turns) for item in items)
            case ir.Comprehension(item, name, over):
                return self.comprehension(item, name, over, turns)

    def chosen(self, expr: ir.Draw, of: ir.Var, turns: Turns) -> int:
        """A place of a list of scores: each is possible. Without noise it is the first of the largest."""
        scores = self.listed(of, turns)
        if not scores:
            raise Stop("K401", expr)
        numbers = [score for score in scores if isinstance(score, LinearForm | int | Fraction) and not isinstance(score, bool)]
        if len(numbers) < len(scores):
            raise Stop("K403", expr)
        if expr.site in self.explorer.silent:
            return reduce(lambda best, i: i if self.less(numbers[best], numbers[i], strict=True) else best, range(len(numbers)))
        drawn = NoiseAt(expr.site, turns)
        place = self.decide(*(() for _ in numbers))
        self.draws += (drawn,)
        self.picks += (ChosenPlace(drawn, place, tuple(map(as_form, numbers))),)
        return place

    def answer(self, expr: ir.Expr, turns: Turns) -> Value:
        value = self.value(expr, turns)
        return tuple(self.seen(item) for item in value) if isinstance(value, tuple) else value  # type: ignore[misc]

    def item(self, expr: ir.Expr, turns: Turns) -> Item:
        value = self.value(expr, turns)
        assert not isinstance(value, tuple), "the checker refuses lists of lists"
        return value

    def comprehension(self, item: ir.Expr, name: str, over: ir.Var | ir.Range, turns: Turns) -> tuple[Item, ...]:
        outer, result = self.names, []
        for turn, value in enumerate(self.items(over, turns)):
            self.explorer.spend(1)
            self.names = {**outer, name: value}
            result.append(self.item(item, (*turns, turn)))
        self.names = outer
        return tuple(result)

    def call(self, function: str, values: list[Affine | Number]) -> Affine | Number:
        match function:
            case "abs":
                (value,) = values
                return _number(-as_form(value)) if self.less(value, 0, strict=True) else value
            case "max":
                return reduce(lambda best, v: v if self.less(best, v, strict=True) else best, values)
            case _:
                return reduce(lambda best, v: v if self.less(v, best, strict=True) else best, values)

    def binary(self, expr: ir.Binary, left: Affine | Number, right: Affine | Number) -> Value:
        op = expr.op
        if op in ("/", "//", "%") and right == 0:
            raise Stop("K402", expr)
        match op:
            case "<" | "<=":
                return self.less(left, right, strict=op == "<")
            case ">" | ">=":
                return self.less(right, left, strict=op == ">")
        if not isinstance(left, LinearForm) and not isinstance(right, LinearForm):
            result = Fraction(left) / right if op == "/" else OPERATORS[op](left, right)
            return self.explorer.checked(plain(result), expr)
        match op:
            case "+":
                return self.explorer.checked(_number(as_form(left) + as_form(right)), expr)
            case "-":
                return self.explorer.checked(_number(as_form(left) - as_form(right)), expr)
            case "*":
                if not isinstance(right, LinearForm):
                    return self.explorer.checked(_number(as_form(left).times(right)), expr)
                if not isinstance(left, LinearForm):
                    return self.explorer.checked(_number(right.times(left)), expr)
                if _is_public(left) and _is_public(right):
                    return variable(Public("*", left, right))
                raise Outside("product", expr)
            case "/":
                if not isinstance(right, LinearForm):
                    return _number(as_form(left).times(1 / Fraction(right)))
                only_epsilon = not right.constant and set(right.terms) == {self.explorer.epsilon}
                if only_epsilon and _is_public(as_form(left)):
                    return variable(Public("/", as_form(left), right))
                raise Outside("quotient", expr)
            case _:
                raise Outside("floor", expr)


def _number(form: Affine) -> Affine | Number:
    """The form, or its constant if nothing else is left of it."""
    return form if form.terms else form.constant


def _is_public(form: Affine) -> bool:
    return all(isinstance(symbol, Argument | Public) for symbol in form.terms)
