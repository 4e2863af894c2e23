"""Whether what a program asserts of its public inputs holds for some of them."""

from __future__ import annotations

from collections.abc import Mapping
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
