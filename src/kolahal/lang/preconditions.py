"""Whether what a program asserts of its public inputs holds for some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from kolahal.lang import ir
from kolahal.lang.operators import OPERATORS


def holds(test: ir.Expr, inputs: Mapping[str, Fraction | bool], length: int) -> bool:
    """Whether a test of public inputs holds; one that divides by zero does not."""
    try:
        return bool(_value(test, inputs, length))
    except ZeroDivisionError:
        return False


def bounds_of(tests: Iterable[ir.Expr], name: str) -> tuple[Fraction | None, Fraction | None]:
    """Between which numbers a public input is wherever all tests hold, as far as comparisons with numbers say."""
    low: Fraction | None = None
    high: Fraction | None = None
    todo = list(tests)
    while todo:
        match todo.pop():
            case ir.Binary("and", left, right):
                todo += [left, right]
            case ir.Binary("<" | "<=" | ">" | ">=" | "==" as op, left, right):
                for mine, other, turned in ((left, right, False), (right, left, True)):
                    bound = _number(other)
                    if mine != ir.Var(name) or bound is None:
                        continue
                    if op == "==" or (op[0] == ">") != turned:
                        low = bound if low is None else max(low, bound)
                    if op == "==" or (op[0] == "<") != turned:
                        high = bound if high is None else min(high, bound)
    return low, high


def _number(expr: ir.Expr) -> Fraction | None:
    """The value of an expression without names."""
    if any(isinstance(node, ir.Var | ir.Length) for node in ir.walk((expr,))):
        return None
    try:
        value = _value(expr, {}, 0)
    except (AssertionError, ZeroDivisionError, TypeError):
        return None
    return None if value is None or isinstance(value, bool) else Fraction(value)


def _value(expr: ir.Expr, inputs: Mapping[str, Fraction | bool], length: int) -> Any:
    def of(part: ir.Expr) -> Any:
        return _value(part, inputs, length)

    match expr:
        case ir.Const(value):
            return value
        case ir.Var(name):
            return inputs[name]
        case ir.Length():
            return Fraction(length)
        case ir.Not(inner):
            return not of(inner)
        case ir.Negate(inner):
            return -of(inner)
        case ir.IsNone(inner):
            return of(inner) is None
        case ir.Binary("and", left, right):
            return of(left) and of(right)
        case ir.Binary("or", left, right):
            return of(left) or of(right)
        case ir.Binary(op, left, right):
            return OPERATORS[op](of(left), of(right))
        case ir.Call("abs", (inner,)):
            return abs(of(inner))
        case ir.Call(function, parts):
            return (max if function == "max" else min)(map(of, parts))
        case _:
            raise AssertionError(f"no value of public inputs: {expr}")
