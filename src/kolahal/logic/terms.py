"""Formulas of linear arithmetic as data: built simplified, printed as SMT-LIB, read back, evaluated.

Numbers are linear forms, so that equal sums are equal values and a product of two unknowns cannot even be written
down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from threading import Lock
from typing import Any, Self, TypeAlias
from weakref import WeakValueDictionary

from kolahal.logic.linear import Inequality, KeptHash, Keyed, LinearForm, Number, number, variable
from kolahal.nouns import dataclass

INT, REAL, BOOL = "Int", "Real", "Bool"


class _Shared:
    """One object for all equal values, so that values are compared and looked up by identity."""

    __slots__ = ("__weakref__",)

    def __new__(cls, *parts: Any, **named: Any) -> Self:
        names: tuple[str, ...] = cls.__match_args__  # type: ignore[attr-defined]
        if len(parts) + len(named) != len(names):
            return object.__new__(cls)  # `__init__` refuses it
        parts = (*parts, *(named.get(name) for name in names[len(parts) :])) if named else parts
        found = _KNOWN.get((cls, *parts))
        if found is None:
            with _MAKING:
                found = _KNOWN.get((cls, *parts))
                if found is None:
                    found = object.__new__(cls)
                    for name, part in zip(names, parts, strict=True):
                        object.__setattr__(found, name, part)
                    _KNOWN[cls, *parts] = found
        return found  # type: ignore[return-value]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)  # type: ignore[attr-defined]


_KNOWN: WeakValueDictionary[tuple[Any, ...], _Shared] = WeakValueDictionary()
_MAKING = Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Symbol(_Shared):
    """A variable; `sort` is Int, Real or Bool."""

    name: str
    sort: str

    @property
    def kind(self) -> str:
        return ""

    def __str__(self) -> str:
        return self.name


def _hash_of(formula: Any) -> int:
    try:
        return formula.known_hash  # type: ignore[no-any-return]
    except AttributeError:
        found = hash((type(formula), *(getattr(formula, name) for name in formula.__match_args__)))
        object.__setattr__(formula, "known_hash", found)
        return found


@dataclass(frozen=True, slots=True)
class IfThenElse(KeptHash):
    """`then` where `test` holds, `orelse` elsewhere."""

    test: Formula
    then: Sum
    orelse: Sum
    __hash__ = _hash_of

    @property
    def kind(self) -> str:
        return "~"  # after all names

    def __str__(self) -> str:
        try:
            return self.known_text
        except AttributeError:
            object.__setattr__(self, "known_text", print_term(variable(self)))
            return self.known_text


Sum: TypeAlias = LinearForm[Symbol | IfThenElse]


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Equation(KeptHash):
    """`form = 0`."""

    form: Sum
    __hash__ = _hash_of


@dataclass(frozen=True, slots=True)
class Every(KeptHash):
    """All of `parts` hold."""

    parts: tuple[Formula, ...]
    __hash__ = _hash_of


@dataclass(frozen=True, slots=True)
class Some(KeptHash):
    """One of `parts` holds."""

    parts: tuple[Formula, ...]
    __hash__ = _hash_of


@dataclass(frozen=True, slots=True)
class Neither(KeptHash):
    """`part` does not hold."""

    part: Formula
    __hash__ = _hash_of


Formula: TypeAlias = Symbol | Truth | Inequality[Symbol | IfThenElse] | Equation | Every | Some | Neither
Term: TypeAlias = Sum | Formula
TRUE, FALSE = Truth(True), Truth(False)
ZERO: Sum = number(0)


def is_whole(term: LinearForm[Keyed]) -> bool:
    """Whether every value of this form is a whole number, as far as sorts and coefficients tell."""
    return term.constant.denominator == 1 and all(
        factor.denominator == 1 and _is_whole(unknown) for unknown, factor in term.terms.items()
    )


def _is_whole(unknown: Keyed) -> bool:
    match unknown:
        case Symbol():
            return unknown.sort == INT
        case IfThenElse():
            return is_whole(unknown.then) and is_whole(unknown.orelse)
        case _:
            return False


# ---------------------------------------------------------------- building


def choose(test: Formula, then: Sum, orelse: Sum) -> Sum:
    if isinstance(test, Truth):
        return then if test.value else orelse
    return then if then == orelse else variable(IfThenElse(test, then, orelse))


def magnitude(term: Sum) -> Sum:
    """|term|."""
    return choose(at_most(ZERO, term), term, -term)


def at_most(left: Sum, right: Sum) -> Formula:
    return _compare(left - right, strict=False)


def below(left: Sum, right: Sum) -> Formula:
    return _compare(left - right, strict=True)


def _compare(form: Sum, strict: bool) -> Formula:
    inequality = Inequality(form, strict)
    return inequality if form.terms else Truth(inequality.holds({}))


def equal(left: Sum, right: Sum) -> Formula:
    difference = left - right
    if not difference.terms:
        return Truth(difference.constant == 0)
    first, factor = difference.ordered()[0]
    if isinstance(first, Symbol) and factor < 0:
        difference = -difference  # a = b and b = a are one formula
    return Equation(difference)


def every(parts: Iterable[Formula]) -> Formula:
    flat: dict[Formula, None] = {}
    for part in parts:
        for piece in part.parts if isinstance(part, Every) else (part,):
            if not isinstance(piece, Truth):
                flat[piece] = None
            elif not piece.value:
                return FALSE
    return next(iter(flat)) if len(flat) == 1 else Every(tuple(flat)) if flat else TRUE


def some(parts: Iterable[Formula]) -> Formula:
    flat: dict[Formula, None] = {}
    for part in parts:
        for piece in part.parts if isinstance(part, Some) else (part,):
            if not isinstance(piece, Truth):
                flat[piece] = None
            elif piece.value:
                return TRUE
    return next(iter(flat)) if len(flat) == 1 else Some(tuple(flat)) if flat else FALSE


def negate(part: Formula) -> Formula:
    match part:
        case Truth(value):
            return Truth(not value)
        case Neither(inner):
            return inner
        case Inequality():
            return part.negated()
        case _:
            return Neither(part)


def implies(left: Formula, right: Formula) -> Formula:
    return some([negate(left), right])


def same_truth(left: Formula, right: Formula) -> Formula:
    if left == right:
        return TRUE
    if isinstance(left, Truth):
        return right if left.value else negate(right)
    if isinstance(right, Truth):
        return left if right.value else negate(left)
    return every([implies(left, right), implies(right, left)])


# ---------------------------------------------------------------- reading and changing


Binding: TypeAlias = Mapping[Symbol, Term]


def put(term: Sum, binding: Binding) -> Sum:
    """`term` with the symbols of `binding` replaced."""
    if not any(isinstance(unknown, IfThenElse) or unknown in binding for unknown in term.terms):
        return term
    stays: dict[Symbol | IfThenElse, Number] = {u: factor for u, factor in term.terms.items() if isinstance(u, Symbol) and u not in binding}
    result: Sum = LinearForm(stays, term.constant)
    for unknown, factor in term.terms.items():
        if isinstance(unknown, IfThenElse):
            new: Term = choose(put_in(unknown.test, binding), put(unknown.then, binding), put(unknown.orelse, binding))
        elif unknown in binding:
            new = binding[unknown]
        else:
            continue
        assert isinstance(new, LinearForm), "a number is replaced by a number"
        result += new if factor == 1 else new.times(factor)
    return result


def put_in(formula: Formula, binding: Binding) -> Formula:
    """`formula` with the symbols of `binding` replaced."""
    match formula:
        case Symbol():
            replacement = binding.get(formula, formula)
            assert not isinstance(replacement, LinearForm), "a truth value is replaced by a truth value"
            return replacement
        case Truth():
            return formula
        case Equation(form):
            return equal(put(form, binding), ZERO)
        case Inequality(form, strict):
            return _compare(put(form, binding), strict)
        case Every(parts):
            return every(put_in(part, binding) for part in parts)
        case Some(parts):
            return some(put_in(part, binding) for part in parts)
        case Neither(part):
            return negate(put_in(part, binding))


def symbols_of(term: Term) -> frozenset[Symbol]:
    match term:
        case Symbol():
            return frozenset({term})
        case Truth():
            return frozenset()
        case LinearForm():
            found: set[Symbol] = set()
            for unknown in term.terms:
                if isinstance(unknown, Symbol):
                    found.add(unknown)
                else:
                    found |= symbols_of(unknown.test) | symbols_of(unknown.then) | symbols_of(unknown.orelse)
            return frozenset(found)
        case Equation(form) | Inequality(form, _):
            return symbols_of(form)
        case Every(parts) | Some(parts):
            return frozenset().union(*map(symbols_of, parts))
        case Neither(part):
            return symbols_of(part)


# ---------------------------------------------------------------- SMT-LIB

_SIMPLE = re.compile(r"[A-Za-z_@.!?$%&~][A-Za-z0-9_@.!?$%&~]*")
RESERVED = {"and", "or", "not", "ite", "true", "false", "let", "forall", "exists", "distinct", "to_real", "to_int"} | {
    *("is_int", "mod", "div", "abs", "xor", "Int", "Real", "Bool", "as", "par", "_", "!")
}


def print_symbol(name: str) -> str:
    """A name as an SMT-LIB symbol. A Python name has no | or backslash, so quoting is always possible."""
    assert "|" not in name and "\\" not in name
    return name if _SIMPLE.fullmatch(name) and name not in RESERVED else f"|{name}|"


def _print_number(value: Number, whole: bool) -> str:
    dot = "" if whole else ".0"
    size = value if value >= 0 else -value
    text = f"{size.numerator}{dot}" if size.denominator == 1 else f"(/ {size.numerator}.0 {size.denominator}.0)"
    return f"(- {text})" if value < 0 else text


def _print_sum(term: Sum, whole: bool) -> str:
    pieces = []
    for unknown, factor in term.ordered():
        if isinstance(unknown, Symbol):
            text = print_symbol(unknown.name)
            if not whole and unknown.sort == INT:
                text = f"(to_real {text})"
        else:
            ways = f"{_print_sum(unknown.then, whole)} {_print_sum(unknown.orelse, whole)}"
            text = f"(ite {print_term(unknown.test)} {ways})"
        pieces.append(text if factor == 1 else f"(* {_print_number(factor, whole)} {text})")
    if term.constant or not pieces:
        pieces.append(_print_number(term.constant, whole))
    return pieces[0] if len(pieces) == 1 else f"(+ {' '.join(pieces)})"


def _print_comparison(op: str, form: Sum) -> str:
    """What is subtracted stands on the right side."""
    left = LinearForm({u: c for u, c in form.terms.items() if c > 0}, max(form.constant, 0))
    right = LinearForm({u: -c for u, c in form.terms.items() if c < 0}, max(-form.constant, 0))
    whole = is_whole(form)
    return f"({op} {_print_sum(left, whole)} {_print_sum(right, whole)})"


def print_term(term: Term) -> str:
    """`term` as SMT-LIB text."""
    match term:
        case Symbol(name, _):
            return print_symbol(name)
        case Truth(value):
            return "true" if value else "false"
        case LinearForm():
            return _print_sum(term, is_whole(term))
        case Equation(form):
            return _print_comparison("=", form)
        case Inequality(form, strict):
            return _print_comparison("<" if strict else "<=", form)
        case Every(parts):
            return f"(and {' '.join(map(print_term, parts))})"
        case Some((Neither(first), *rest)) if rest:
            return f"(=> {print_term(first)} {print_term(some(rest))})"
        case Some(parts):
            return f"(or {' '.join(map(print_term, parts))})"
        case Neither(part):
            return f"(not {print_term(part)})"


class NotATerm(ValueError):
    """A text that is not a formula of this language."""


_TOKEN = re.compile(r"\s*(\(|\)|\|[^|]*\||[^\s()|]+)")


def parse_formula(text: str, symbols: Mapping[str, Symbol]) -> Formula:
    """The formula that a text denotes, over the given symbols.

    >>> x = Symbol("x", REAL)
    >>> print_term(parse_formula("(<= (* 2.0 x) 3.0)", {"x": x}))
    '(<= (* 2.0 x) 3.0)'
    """
    tokens, place = [], 0
    text = text.strip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise NotATerm(f"cannot read {text[place : place + 20]!r}")
        tokens.append(found.group(1))
        place = found.end()
    try:
        tree, rest = _tree(tokens, 0)
        if rest != len(tokens):
            raise NotATerm("more than one formula")
        return _formula(tree, symbols)
    except (IndexError, ZeroDivisionError, RecursionError, ValueError) as error:
        raise NotATerm(str(error)) from None


def _tree(tokens: list[str], at: int) -> tuple[Any, int]:
    if tokens[at] != "(":
        if tokens[at] == ")":
            raise NotATerm("a parenthesis too many")
        return tokens[at], at + 1
    items, at = [], at + 1
    while tokens[at] != ")":
        item, at = _tree(tokens, at)
        items.append(item)
    return items, at + 1


def _formula(tree: Any, symbols: Mapping[str, Symbol]) -> Formula:
    match tree:
        case "true":
            return TRUE
        case "false":
            return FALSE
        case str():
            symbol = symbols.get(tree.strip("|"))
            if symbol is None or symbol.sort != BOOL:
                raise NotATerm(f"{tree} is not a known truth value")
            return symbol
        case ["and", *parts]:
            return every([_formula(part, symbols) for part in parts])
        case ["or", *parts]:
            return some([_formula(part, symbols) for part in parts])
        case ["not", part]:
            return negate(_formula(part, symbols))
        case ["=>", left, right]:
            return implies(_formula(left, symbols), _formula(right, symbols))
        case ["<=" | ">=" | "<" | ">" | "=" as op, left, right]:
            a, b = _sum(left, symbols), _sum(right, symbols)
            if op == "=":
                return equal(a, b)
            if op in (">=", ">"):
                a, b = b, a
            return at_most(a, b) if op in ("<=", ">=") else below(a, b)
        case _:
            raise NotATerm(f"{tree} is not a formula")


def _sum(tree: Any, symbols: Mapping[str, Symbol]) -> Sum:
    match tree:
        case str() if re.fullmatch(r"[0-9]+(\.[0-9]+)?", tree):
            return number(Fraction(tree))
        case str():
            symbol = symbols.get(tree.strip("|"))
            if symbol is None or symbol.sort == BOOL:
                raise NotATerm(f"{tree} is not a known number")
            return variable(symbol)
        case ["to_real", part]:
            return _sum(part, symbols)
        case ["+", *parts]:
            return sum((_sum(part, symbols) for part in parts), ZERO)
        case ["-", part]:
            return -_sum(part, symbols)
        case ["-", left, right]:
            return _sum(left, symbols) - _sum(right, symbols)
        case ["*" | "/" as op, left, right]:
            a, b = _sum(left, symbols), _sum(right, symbols)
            if op == "/":
                a, b = number(1 / Fraction(b.constant)) if not b.terms else b, a
            if a.terms:
                raise NotATerm(f"{tree} is not linear")
            return b.times(a.constant)
        case ["ite", test, then, orelse]:
            return choose(_formula(test, symbols), _sum(then, symbols), _sum(orelse, symbols))
        case _:
            raise NotATerm(f"{tree} is not a number")
