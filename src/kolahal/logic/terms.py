"""Formulas of linear arithmetic as data: built simplified, printed as SMT-LIB, read back, evaluated.

Numbers are kept as linear sums over atoms, so that equal sums are equal values and a product of two unknowns
cannot even be written down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

INT, REAL, BOOL = "Int", "Real", "Bool"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable; `sort` is Int, Real or Bool."""

    name: str
    sort: str

    def __hash__(self) -> int:  # symbols are looked up all the time, and a text remembers its hash
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class IfThenElse:
    """`then` where `test` holds, `orelse` elsewhere."""

    test: Formula
    then: Sum
    orelse: Sum


@dataclass(frozen=True, slots=True)
class Sum:
    """constant + Σ coefficient × atom; the atoms are distinct and in a fixed order, no coefficient is 0."""

    parts: tuple[tuple[Symbol | IfThenElse, Fraction], ...]
    constant: Fraction

    @property
    def whole(self) -> bool:
        """Whether every value of this sum is a whole number, as far as sorts and coefficients tell."""
        return self.constant.denominator == 1 and all(
            factor.denominator == 1 and _is_whole(atom) for atom, factor in self.parts
        )

    def factor_of(self, atom: Symbol) -> Fraction:
        return next((factor for part, factor in self.parts if part == atom), Fraction(0))


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Compare:
    """`sum <= 0`, `sum < 0` or `sum = 0`."""

    op: str
    sum: Sum


@dataclass(frozen=True, slots=True)
class Every:
    """All of `parts` hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """One of `parts` holds."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Neither:
    """`part` does not hold."""

    part: Formula


Formula: TypeAlias = Symbol | Truth | Compare | Every | Some | Neither
Term: TypeAlias = Sum | Formula
TRUE, FALSE = Truth(True), Truth(False)
ZERO = Sum((), Fraction(0))


def _is_whole(atom: Symbol | IfThenElse) -> bool:
    return atom.sort == INT if isinstance(atom, Symbol) else atom.then.whole and atom.orelse.whole


# ---------------------------------------------------------------- building


def number(value: Fraction | int) -> Sum:
    return Sum((), Fraction(value))


def variable(symbol: Symbol) -> Sum:
    return Sum(((symbol, Fraction(1)),), Fraction(0))


def combine(*terms: tuple[Fraction | int, Sum]) -> Sum:
    """Σ factor × sum."""
    constant = Fraction(0)
    factors: dict[Symbol | IfThenElse, Fraction] = {}
    for factor, term in terms:
        constant += factor * term.constant
        for atom, own in term.parts:
            factors[atom] = factors.get(atom, Fraction(0)) + factor * own
    kept = [(atom, factor) for atom, factor in factors.items() if factor]
    if len(kept) > 1:
        kept.sort(key=_order)
    return Sum(tuple(kept), constant)


def _order(part: tuple[Symbol | IfThenElse, Fraction]) -> str:
    return part[0].name if isinstance(part[0], Symbol) else "~" + print_term(variable_of(part[0]))


def variable_of(atom: Symbol | IfThenElse) -> Sum:
    return Sum(((atom, Fraction(1)),), Fraction(0))


def add(*terms: Sum) -> Sum:
    return combine(*((1, term) for term in terms))


def subtract(left: Sum, right: Sum) -> Sum:
    return combine((1, left), (-1, right))


def scale(factor: Fraction | int, term: Sum) -> Sum:
    return combine((factor, term))


def choose(test: Formula, then: Sum, orelse: Sum) -> Sum:
    if isinstance(test, Truth):
        return then if test.value else orelse
    return then if then == orelse else variable_of(IfThenElse(test, then, orelse))


def magnitude(term: Sum) -> Sum:
    """|term|."""
    return choose(at_most(ZERO, term), term, scale(-1, term))


def _compare(op: str, term: Sum) -> Formula:
    if not term.parts:
        return Truth({"<=": term.constant <= 0, "<": term.constant < 0, "=": term.constant == 0}[op])
    return Compare(op, term)


def at_most(left: Sum, right: Sum) -> Formula:
    return _compare("<=", subtract(left, right))


def below(left: Sum, right: Sum) -> Formula:
    return _compare("<", subtract(left, right))


def equal(left: Sum, right: Sum) -> Formula:
    difference = subtract(left, right)
    if difference.parts and isinstance(difference.parts[0][0], Symbol) and difference.parts[0][1] < 0:
        difference = scale(-1, difference)  # a = b and b = a are one formula
    return _compare("=", difference)


def every(parts: Iterable[Formula]) -> Formula:
    flat: dict[Formula, None] = {}
    for part in parts:
        for piece in part.parts if isinstance(part, Every) else (part,):
            if piece == FALSE:
                return FALSE
            if piece != TRUE:
                flat[piece] = None
    return next(iter(flat)) if len(flat) == 1 else Every(tuple(flat)) if flat else TRUE


def some(parts: Iterable[Formula]) -> Formula:
    flat: dict[Formula, None] = {}
    for part in parts:
        for piece in part.parts if isinstance(part, Some) else (part,):
            if piece == TRUE:
                return TRUE
            if piece != FALSE:
                flat[piece] = None
    return next(iter(flat)) if len(flat) == 1 else Some(tuple(flat)) if flat else FALSE


def negate(part: Formula) -> Formula:
    match part:
        case Truth(value):
            return Truth(not value)
        case Neither(inner):
            return inner
        case Compare("<=", term):
            return Compare("<", scale(-1, term))
        case Compare("<", term):
            return Compare("<=", scale(-1, term))
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
    if not any(isinstance(atom, IfThenElse) or atom in binding for atom, _ in term.parts):
        return term
    pieces: list[tuple[Fraction | int, Sum]] = [(1, number(term.constant))]
    for atom, factor in term.parts:
        if isinstance(atom, IfThenElse):
            new = choose(put_in(atom.test, binding), put(atom.then, binding), put(atom.orelse, binding))
            pieces.append((factor, new))
        else:
            replacement = binding.get(atom)
            assert replacement is None or isinstance(replacement, Sum), "a number is replaced by a number"
            pieces.append((factor, variable(atom) if replacement is None else replacement))
    return combine(*pieces)


def put_in(formula: Formula, binding: Binding) -> Formula:
    """`formula` with the symbols of `binding` replaced."""
    match formula:
        case Symbol():
            replacement = binding.get(formula, formula)
            assert not isinstance(replacement, Sum), "a truth value is replaced by a truth value"
            return replacement
        case Truth():
            return formula
        case Compare("=", term):
            return equal(put(term, binding), ZERO)
        case Compare(op, term):
            return _compare(op, put(term, binding))
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
        case Sum(parts, _):
            found: set[Symbol] = set()
            for atom, _ in parts:
                if isinstance(atom, Symbol):
                    found.add(atom)
                else:
                    found |= symbols_of(atom.test) | symbols_of(atom.then) | symbols_of(atom.orelse)
            return frozenset(found)
        case Compare(_, inner):
            return symbols_of(inner)
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


def _print_number(value: Fraction, whole: bool) -> str:
    dot = "" if whole else ".0"
    size = abs(value)
    text = f"{size.numerator}{dot}" if size.denominator == 1 else f"(/ {size.numerator}.0 {size.denominator}.0)"
    return f"(- {text})" if value < 0 else text


def _print_sum(term: Sum, whole: bool) -> str:
    pieces = []
    for atom, factor in term.parts:
        if isinstance(atom, Symbol):
            text = print_symbol(atom.name)
            if not whole and atom.sort == INT:
                text = f"(to_real {text})"
        else:
            text = f"(ite {print_term(atom.test)} {_print_sum(atom.then, whole)} {_print_sum(atom.orelse, whole)})"
        pieces.append(text if factor == 1 else f"(* {_print_number(factor, whole)} {text})")
    if term.constant or not pieces:
        pieces.append(_print_number(term.constant, whole))
    return pieces[0] if len(pieces) == 1 else f"(+ {' '.join(pieces)})"


def print_term(term: Term) -> str:
    """`term` as SMT-LIB text; comparisons have what is subtracted on their right side."""
    match term:
        case Symbol(name, _):
            return print_symbol(name)
        case Truth(value):
            return "true" if value else "false"
        case Sum():
            return _print_sum(term, term.whole)
        case Compare(op, inner):
            left = Sum(tuple(p for p in inner.parts if p[1] > 0), max(inner.constant, Fraction(0)))
            right = Sum(tuple((a, -f) for a, f in inner.parts if f < 0), max(-inner.constant, Fraction(0)))
            return f"({op} {_print_sum(left, inner.whole)} {_print_sum(right, inner.whole)})"
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
            return add(*(_sum(part, symbols) for part in parts))
        case ["-", part]:
            return scale(-1, _sum(part, symbols))
        case ["-", left, right]:
            return subtract(_sum(left, symbols), _sum(right, symbols))
        case ["*" | "/" as op, left, right]:
            a, b = _sum(left, symbols), _sum(right, symbols)
            if op == "/":
                a, b = number(1 / b.constant) if not b.parts else b, a
            if a.parts:
                raise NotATerm(f"{tree} is not linear")
            return scale(a.constant, b)
        case ["ite", test, then, orelse]:
            return choose(_formula(test, symbols), _sum(then, symbols), _sum(orelse, symbols))
        case _:
            raise NotATerm(f"{tree} is not a number")
