"""Formulas as Python functions, for evaluating them many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from kolahal.logic.linear import Inequality, plain
from kolahal.logic.terms import Equation, Every, Formula, IfThenElse, Neither, Some, Sum, Symbol, Truth

Values: TypeAlias = Mapping[Symbol, Any]


def compile_sum(term: Sum) -> Callable[[Values], Any]:
    """A function that evaluates `term`; whole values stay int, which is what makes it fast."""
    constant: Any = plain(term.constant)
    known: list[tuple[Any, Symbol]] = []
    choices: list[tuple[Any, Callable[[Values], Any]]] = []
    for unknown, factor in term.terms.items():
        if isinstance(unknown, Symbol):
            known.append((plain(factor), unknown))
        else:
            choices.append((plain(factor), _choice(unknown)))
    if choices:
        return lambda values: (
            constant
            + sum(factor * values[symbol] for factor, symbol in known)
            + sum(factor * choice(values) for factor, choice in choices)
        )
    match known:  # most have one or two
        case []:
            return lambda values: constant
        case [(1, only)] if constant == 0:
            return lambda values: values[only]
        case [(a, x)]:
            return lambda values: constant + a * values[x]
        case [(a, x), (b, y)]:
            return lambda values: constant + a * values[x] + b * values[y]

    def evaluate(values: Values) -> Any:
        result = constant
        for factor, symbol in known:
            result += factor * values[symbol]
        return result

    return evaluate


def _choice(atom: IfThenElse) -> Callable[[Values], Any]:
    test, then, orelse = compile_formula(atom.test), compile_sum(atom.then), compile_sum(atom.orelse)
    return lambda values: then(values) if test(values) else orelse(values)


def compile_formula(formula: Formula) -> Callable[[Values], bool]:
    """A function that evaluates `formula`."""
    match formula:
        case Symbol():
            return lambda values: bool(values[formula])
        case Truth(value):
            return lambda values: value
        case Equation(form):
            inner = compile_sum(form)
            return lambda values: bool(inner(values) == 0)
        case Inequality(form, strict):
            inner = compile_sum(form)
            return (lambda values: bool(inner(values) < 0)) if strict else (lambda values: bool(inner(values) <= 0))
        case Every(parts):
            tests = [compile_formula(part) for part in parts]
            return lambda values: all(test(values) for test in tests)
        case Some(parts):
            tests = [compile_formula(part) for part in parts]
            return lambda values: any(test(values) for test in tests)
        case Neither(part):
            test = compile_formula(part)
            return lambda values: not test(values)
