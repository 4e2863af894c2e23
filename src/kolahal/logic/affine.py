"""Exact affine forms over the unknowns of a symbolic run, and comparisons of such forms with 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

Number: TypeAlias = int | Fraction  # whole values are ints, which are several times faster

# Symbols are tuples because forms hash and compare them all the time; `kind` keeps different ones apart.


class AnswerAt(NamedTuple):
    """The private answer at a place."""

    place: int
    kind: str = "answer"

    def __str__(self) -> str:
        return f"q[{self.place}]"


class MoveAt(NamedTuple):
    """How far the private answer at a place moves between two neighbours."""

    place: int
    kind: str = "change"

    def __str__(self) -> str:
        return f"d[{self.place}]"


class Argument(NamedTuple):
    """A real public argument, or ε."""

    name: str
    kind: str = "argument"

    def __str__(self) -> str:
        return self.name


class NoiseAt(NamedTuple):
    """The noise at an address: a site and the turns of all loops around it."""

    site: int
    turns: tuple[int, ...]
    kind: str = "drawn"

    def __str__(self) -> str:
        return f"noise{self.site + 1}" + "".join(f".{turn}" for turn in self.turns)


class Public(NamedTuple):
    """A product or quotient of public quantities: unknown, but the same on every database."""

    op: str
    left: Affine
    right: Affine
    kind: str = "public"

    def __str__(self) -> str:
        return f"({self.left}) {self.op} ({self.right})"


class Held(NamedTuple):
    """The value of a variable, where states in which it differs go on as one."""

    name: str
    kind: str = "held"

    def __str__(self) -> str:
        return self.name


Indeterminate: TypeAlias = AnswerAt | MoveAt | Argument | NoiseAt | Public | Held


def plain(value: Number) -> Number:
    """The same number, as an int if it is whole."""
    return value.numerator if value.denominator == 1 else value


@dataclass(frozen=True, slots=True)
class Affine:
    """constant + Σ coefficient × symbol; no coefficient is 0. Nobody changes `terms` after it is built."""

    terms: Mapping[Indeterminate, Number]
    constant: Number = 0

    def __hash__(self) -> int:
        return hash((frozenset(self.terms.items()), self.constant))

    def __add__(self, other: Affine) -> Affine:
        terms = dict(self.terms)
        for symbol, coefficient in other.terms.items():
            total = terms.get(symbol, 0) + coefficient
            if total:
                terms[symbol] = total
            else:
                del terms[symbol]
        return Affine(terms, self.constant + other.constant)

    def __neg__(self) -> Affine:
        return Affine({symbol: -coefficient for symbol, coefficient in self.terms.items()}, -self.constant)

    def __sub__(self, other: Affine) -> Affine:
        return self + -other

    def times(self, factor: Number) -> Affine:
        if not factor:
            return Affine({})
        terms = {symbol: plain(coefficient * factor) for symbol, coefficient in self.terms.items()}
        return Affine(terms, plain(self.constant * factor))

    def at(self, values: Mapping[Indeterminate, Number]) -> Number:
        """The value where each symbol has its value in `values`."""
        return self.constant + sum(c * values[symbol] for symbol, c in self.terms.items())

    def replace(self, values: Mapping[Indeterminate, Affine]) -> Affine:
        """The form with some symbols replaced by forms."""
        kept = Affine({s: c for s, c in self.terms.items() if s not in values}, self.constant)
        for symbol, coefficient in self.terms.items():
            if symbol in values:
                kept += values[symbol].times(coefficient)
        return kept

    def part(self, keep: Callable[[Indeterminate], bool]) -> Affine:
        """The terms of the symbols that `keep` accepts, without the constant."""
        return Affine({s: c for s, c in self.terms.items() if keep(s)})

    def __str__(self) -> str:
        """As `2*q[0] - T + 1`, symbols in a fixed order, so that equal forms print alike."""
        parts = [_term(c, str(s)) for s, c in sorted(self.terms.items(), key=lambda item: (item[0].kind, str(item[0])))]
        if self.constant or not parts:
            parts.append(("-" if self.constant < 0 else "+", str(abs(self.constant))))
        (sign, first), *others = parts
        return ("-" if sign == "-" else "") + first + "".join(f" {sign} {text}" for sign, text in others)


def _term(coefficient: Number, name: str) -> tuple[str, str]:
    size = abs(coefficient)
    return "-" if coefficient < 0 else "+", name if size == 1 else f"{size}*{name}"


def symbol_form(symbol: Indeterminate) -> Affine:
    return Affine({symbol: 1})


def constant_form(value: Number) -> Affine:
    return Affine({}, value)


class Atom(NamedTuple):
    """`form < 0` if strict, else `form <= 0`."""

    form: Affine
    strict: bool

    def negated(self) -> Atom:
        return Atom(-self.form, not self.strict)

    def holds(self, values: Mapping[Indeterminate, Number]) -> bool:
        value = self.form.at(values)
        return value < 0 if self.strict else value <= 0

    def normal(self) -> Atom:
        """The same comparison with whole coefficients that have no common factor."""
        parts = [*self.form.terms.values(), self.form.constant]
        whole = math.lcm(*(part.denominator for part in parts))
        common = math.gcd(*(int(part * whole) for part in parts)) or 1
        return Atom(self.form.times(Fraction(whole, common)), self.strict)

    def __str__(self) -> str:
        return f"{self.form} {'<' if self.strict else '<='} 0"


Atoms: TypeAlias = tuple[Atom, ...]


def symbols_of(atoms: Iterable[Atom]) -> frozenset[Indeterminate]:
    return frozenset(symbol for atom in atoms for symbol in atom.form.terms)
