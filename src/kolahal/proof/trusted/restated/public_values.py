"""Public arithmetic as sums of products: read from expressions, and written as such."""

from __future__ import annotations

from collections.abc import Callable, Set
from fractions import Fraction
from functools import reduce

from kolahal.lang import ir
from kolahal.lang.polynomial import Monomial, Polynomial
from kolahal.lang.scale import Scale, base_of, next_of
from kolahal.lang.sketch import Sketch


def polynomial_of(expr: ir.Expr, known: Callable[[ir.Expr], Polynomial | None], positive: Set[str]) -> Polynomial | None:
    """An expression as a sum of products, or None; `known` are its names, and it divides by products of `positive` ones alone."""
    match expr:
        case ir.Const(Fraction() as value):
            return Polynomial.constant(value)
        case ir.Negate(of):
            inner = polynomial_of(of, known, positive)
            return None if inner is None else inner.times(Fraction(-1))
        case ir.Binary("+" | "-" | "*" | "/" as op, left, right):
            one, two = polynomial_of(left, known, positive), polynomial_of(right, known, positive)
            return None if one is None or two is None else _combined(op, one, two, positive)
        case _:
            return known(expr)


def _combined(op: str, one: Polynomial, two: Polynomial, positive: Set[str]) -> Polynomial | None:
    match op:
        case "+":
            return one + two
        case "-":
            return one + two.times(Fraction(-1))
        case "*":
            return one * two
    if (divisor := product_of(two, positive)) is None:
        return None  # what a program divides by must not be 0
    coefficient, powers = divisor
    return one.divided(powers).times(1 / coefficient)


def product_of(polynomial: Polynomial, positive: Set[str]) -> tuple[Fraction, Scale] | None:
    """A number other than 0 and a product of powers of `positive` names, if it is that."""
    for sign in (Fraction(1), Fraction(-1)):
        found = polynomial.times(sign).as_product()
        if found is not None and {base_of(name) for name, _ in found.powers} <= positive:
            return sign * found.coefficient, Scale(Fraction(1), found.powers)
    return None


def expression_of(polynomial: Polynomial, sketch: Sketch, near: ir.Expr) -> ir.Expr:
    """A sum of products as an expression: its number first in each product, and what it is divided by last."""
    terms = [_term(coefficient, powers, sketch, near) for powers, coefficient in polynomial.terms]
    return reduce(lambda a, b: ir.Binary("+", a, b, span=near.span), terms) if terms else ir.Const(Fraction(0), span=near.span)


def _term(coefficient: Fraction, powers: Monomial, sketch: Sketch, near: ir.Expr) -> ir.Expr:
    factors = [_quantity(name, sketch, near) for name, power in powers for _ in range(power)]
    if coefficient != 1 or not factors:
        factors.insert(0, ir.Const(coefficient, span=near.span))
    top = reduce(lambda a, b: ir.Binary("*", a, b, span=near.span), factors)
    below = [_quantity(name, sketch, near) for name, power in powers for _ in range(-power)]
    return reduce(lambda a, b: ir.Binary("/", a, b, span=near.span), below, top)


def _quantity(name: str, sketch: Sketch, near: ir.Expr) -> ir.Expr:
    base = base_of(name)
    if base != name and name == next_of(base):
        return ir.Binary("+", _quantity(base, sketch, near), ir.Const(Fraction(1), span=near.span), span=near.span)
    if name == sketch.length_name:
        return ir.Length(ir.Var(sketch.private.name, span=near.span), span=near.span)
    return ir.Var(name, span=near.span)


def given_first(body: ir.Block) -> frozenset[str]:
    """The names that no run reads before they are given something: a statement of the body itself is the first to name them."""
    given: set[str] = set()
    named: set[str] = set()
    for statement in body:
        named |= ir.names_read(statement)
        if isinstance(statement, ir.Assign):
            given |= set(statement.targets) - named
        named |= {name for name, _ in ir.assignments((statement,))}
    return frozenset(given)
