"""Exact linear forms over unknowns of any kind, and inequalities between such forms and 0.

Symbolic runs and formulas have unknowns of their own (`paths/unknowns.py`, `logic/terms.py`); what is computed with
them is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from kolahal.nouns import dataclass

Number: TypeAlias = int | Fraction  # whole values are ints, which are several times faster


class Keyed(Protocol):
    """What a form can have a coefficient for: its kind and its text together are unlike those of all others."""

    @property
    def kind(self) -> str: ...

    def __str__(self) -> str: ...


def key_of(unknown: Keyed) -> str:
    """The name of an unknown for a solver, and its place in the order in which forms are written."""
    return f"{unknown.kind}{unknown}"


U = TypeVar("U", bound=Keyed, covariant=True)  # forms are never changed, so forms over fewer unknowns are forms
V = TypeVar("V", bound=Keyed)


def plain(value: Number) -> Number:
    """The same number, as an int if it is whole."""
    return value.numerator if value.denominator == 1 else value


class KeptHash:
    """The hash of a form or formula, which is looked up all the time; copies to other processes find their own. And its text,
    where it is asked for its place among others."""

    __slots__ = ("known_hash", "known_text")
    known_hash: int
    known_text: str


@dataclass(frozen=True, slots=True)
class LinearForm(KeptHash, Generic[U]):
    """constant + Σ coefficient × unknown; no coefficient is 0. Nobody changes `terms` after it is built."""

    terms: Mapping[U, Number]
    constant: Number = 0

    def __hash__(self) -> int:
        try:
            return self.known_hash
        except AttributeError:
            object.__setattr__(self, "known_hash", hash((frozenset(self.terms.items()), self.constant)))
            return self.known_hash

    def __reduce__(self) -> tuple[Any, ...]:
        return LinearForm, (self.terms, self.constant)  # hashes of texts differ between processes

    def __add__(self, other: LinearForm[V]) -> LinearForm[U | V]:
        terms: dict[Any, Number] = dict(self.terms)
        for unknown, coefficient in other.terms.items():
            total = terms.get(unknown, 0) + coefficient
            if total:
                terms[unknown] = total
            else:
                del terms[unknown]
        return LinearForm(terms, self.constant + other.constant)

    def __neg__(self) -> LinearForm[U]:
        return LinearForm({unknown: -coefficient for unknown, coefficient in self.terms.items()}, -self.constant)

    def __sub__(self, other: LinearForm[V]) -> LinearForm[U | V]:
        return self + -other

    def times(self, factor: Number) -> LinearForm[U]:
        if not factor:
            return LinearForm({})
        terms = {unknown: plain(coefficient * factor) for unknown, coefficient in self.terms.items()}
        return LinearForm(terms, plain(self.constant * factor))

    def at(self, values: Mapping[U, Number]) -> Number:
        """The value where each unknown has its value in `values`."""
        return self.constant + sum(c * values[unknown] for unknown, c in self.terms.items())

    def replace(self, values: Mapping[U, LinearForm[U]]) -> LinearForm[U]:
        """The form with some unknowns replaced by forms."""
        kept = LinearForm({s: c for s, c in self.terms.items() if s not in values}, self.constant)
        for unknown, coefficient in self.terms.items():
            if unknown in values:
                kept += values[unknown].times(coefficient)
        return kept

    def part(self, keep: Callable[[U], bool]) -> LinearForm[U]:
        """The terms of the unknowns that `keep` accepts, without the constant."""
        return LinearForm({s: c for s, c in self.terms.items() if keep(s)})

    def ordered(self) -> list[tuple[U, Number]]:
        """The terms in a fixed order, so that equal forms are written alike."""
        terms = list(self.terms.items())
        return terms if len(terms) < 2 else sorted(terms, key=lambda term: key_of(term[0]))

    def __str__(self) -> str:
        """As `2*q[0] - T + 1`."""
        parts = [_term(c, str(s)) for s, c in self.ordered()]
        if self.constant or not parts:
            parts.append(("-" if self.constant < 0 else "+", str(abs(self.constant))))
        (sign, first), *others = parts
        return ("-" if sign == "-" else "") + first + "".join(f" {sign} {text}" for sign, text in others)


def _term(coefficient: Number, name: str) -> tuple[str, str]:
    size = abs(coefficient)
    return "-" if coefficient < 0 else "+", name if size == 1 else f"{size}*{name}"


def variable(unknown: V) -> LinearForm[V]:
    return LinearForm({unknown: 1})


def number(value: Number) -> LinearForm[V]:
    return LinearForm({}, plain(value))


def as_form(value: LinearForm[V] | Number) -> LinearForm[V]:
    return value if isinstance(value, LinearForm) else number(value)


class Inequality(NamedTuple, Generic[U]):
    """`form < 0` if strict, else `form <= 0`."""

    form: LinearForm[U]
    strict: bool

    def negated(self) -> Inequality[U]:
        return Inequality(-self.form, not self.strict)

    def holds(self, values: Mapping[U, Number]) -> bool:
        value = self.form.at(values)
        return value < 0 if self.strict else value <= 0

    def normal(self) -> Inequality[U]:
        """The same comparison with whole coefficients that have no common factor."""
        parts = [*self.form.terms.values(), self.form.constant]
        whole = math.lcm(*(part.denominator for part in parts))
        common = math.gcd(*(part.numerator * (whole // part.denominator) for part in parts)) or 1
        if whole == common == 1:
            return self
        *factors, constant = (part.numerator * (whole // part.denominator) // common for part in parts)
        return Inequality(LinearForm(dict(zip(self.form.terms, factors, strict=True)), constant), self.strict)

    def __str__(self) -> str:
        return f"{self.form} {'<' if self.strict else '<='} 0"


def unknowns_of(inequalities: Iterable[Inequality[V]]) -> frozenset[V]:
    return frozenset(unknown for inequality in inequalities for unknown in inequality.form.terms)
