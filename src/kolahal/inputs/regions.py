"""Public inputs on every side of the conditions that look at nothing else.

`if T > U + 500` splits the calls of a program: values that are tried by habit may all lie on one side of it. The
comparisons of sums of arguments, ε and the number of answers cut the space of public inputs into regions; each that has a
point gets one, found by the exact simplex, away from its borders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product
from math import ceil, floor
from typing import NamedTuple, TypeAlias

from kolahal.lang.ir import Binary, Const, Expr, For, Index, Length, Negate, Var, assigned_names, assignments, walk
from kolahal.lang.operators import COMPARISONS
from kolahal.lang.sketch import Role, Sketch, Type
from kolahal.logic.linear import Inequality, LinearForm, number, variable
from kolahal.logic.simplex import find_point

MOST_COMPARISONS = 6
MOST_REGIONS = 12


class PublicInput(NamedTuple):
    """A number that a call gives."""

    name: str
    kind: str = "argument"

    def __str__(self) -> str:
        return self.name


PublicForm: TypeAlias = LinearForm[PublicInput]
RegionSide: TypeAlias = tuple[Inequality[PublicInput], ...]


@lru_cache(maxsize=64)
def public_points(sketch: Sketch, size: int) -> tuple[dict[str, Fraction], ...]:
    """Values of ε and of numeric arguments, one point a region; none where no comparison is of public inputs alone."""
    forms = list(dict.fromkeys(_compared(sketch, size)))[:MOST_COMPARISONS]
    if not forms:
        return ()
    whole = {p.name for p in sketch.parameters if p.type is Type.INT}
    limits = [Inequality(-variable(PublicInput(sketch.epsilon.name)), strict=True)]
    limits += [Inequality(number(1) - variable(PublicInput(name)), strict=False) for name in sorted(sketch.required)]
    return tuple(islice(_points(forms, limits, whole), MOST_REGIONS))


def _compared(sketch: Sketch, size: int) -> Iterator[tuple[PublicForm, bool]]:
    """Left minus right of each comparison of public inputs, where that is linear and not a constant; whether it asks for 0."""
    once = [target for target, _ in assignments(sketch.body)]
    loops = {node.name for node in walk(sketch.body) if isinstance(node, For)}
    known = {t: value for t, value in assignments(sketch.body) if once.count(t) == 1 and t not in loops}
    inputs = {p.name for p in sketch.parameters if p.role is not Role.PRIVATE and p.type is not Type.BOOL}
    inputs -= assigned_names(sketch.body)

    def form(expr: Expr, depth: int = 0) -> PublicForm | None:
        match expr:
            case Const(Fraction() as value):
                return number(value)
            case Length(Var(name)) if name == sketch.private.name:
                return number(size)
            case Var(name) if name in inputs:
                return variable(PublicInput(name))
            case Var(name) if name in known and depth < len(known):
                return form(known[name], depth + 1)
            case Negate(of):
                inner = form(of, depth)
                return None if inner is None else -inner
            case Binary(op, left, right) if op in ("+", "-", "*", "/"):
                a, b = form(left, depth), form(right, depth)
                return None if a is None or b is None else _combined(op, a, b)
            case _:
                return None

    for node in walk((*sketch.body, *sketch.asserted)):
        if isinstance(node, Binary) and node.op in COMPARISONS and not any(isinstance(n, Index) for n in walk(node)):
            a, b = form(node.left), form(node.right)
            if a is not None and b is not None and (a - b).terms:
                yield a - b, node.op in ("==", "!=")


def _combined(op: str, a: PublicForm, b: PublicForm) -> PublicForm | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*" if not a.terms or not b.terms:
            return b.times(a.constant) if not a.terms else a.times(b.constant)
        case "/" if not b.terms and b.constant:
            return a.times(1 / Fraction(b.constant))
        case _:
            return None


def _points(
    forms: Sequence[tuple[PublicForm, bool]], known: Sequence[Inequality[PublicInput]], whole: set[str]
) -> Iterator[dict[str, Fraction]]:
    """A point of every combination of signs that has one."""
    point = find_point(known)
    if point is None:
        return
    if forms:
        (form, is_equation), *rest = forms
        sides: list[RegionSide] = [(Inequality(-form, strict=True),), (Inequality(form, strict=True),)]
        level = (Inequality(form, strict=False), Inequality(-form, strict=False))
        for side in [level, *sides] if is_equation else sides:
            yield from _points(rest, [*known, *side], whole)
        return
    names = [unknown.name for unknown in point]
    near = [(floor(v), ceil(v)) if name in whole else (v,) for name, v in zip(names, point.values(), strict=True)]
    for values in islice(product(*near), 16):
        there = {PublicInput(name): value for name, value in zip(names, values, strict=True)}
        if all(atom.form.at(there) < 0 or (not atom.strict and atom.form.at(there) == 0) for atom in known):
            yield {name: Fraction(value) for name, value in zip(names, values, strict=True)}
            return
