"""Sums of products of public quantities, such as 2*N or len(q) - 1: the coefficients of a law."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TypeAlias

from kolahal.lang.scale import Scale, base_of, next_of, value_of
from kolahal.nouns import dataclass

Monomial: TypeAlias = tuple[tuple[str, int], ...]  # (name, power), ascending, no power 0; powers may be negative


@dataclass(frozen=True, slots=True)
class Polynomial:
    terms: tuple[tuple[Monomial, Fraction], ...]  # ascending, no coefficient 0

    @staticmethod
    def constant(value: Fraction) -> Polynomial:
        return _collect({(): value})

    @staticmethod
    def name(name: str) -> Polynomial:
        return _collect({((name, 1),): Fraction(1)})

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Polynomial) -> Polynomial:
        total = dict(self.terms)
        for powers, coefficient in other.terms:
            total[powers] = total.get(powers, Fraction(0)) + coefficient
        return _collect(total)

    def __mul__(self, other: Polynomial) -> Polynomial:
        total: dict[Monomial, Fraction] = {}
        for first, a in self.terms:
            for second, b in other.terms:
                powers = _multiply(first, second)
                total[powers] = total.get(powers, Fraction(0)) + a * b
        return _collect(total)

    def times(self, factor: Fraction) -> Polynomial:
        return _collect({powers: coefficient * factor for powers, coefficient in self.terms})

    def divided(self, scale: Scale) -> Polynomial:
        """The polynomial divided by a scale that is not zero.

        A factor (x + 1) that does not divide it stays, as a name of its own.
        """
        whole, left = self, []
        for name, power in scale.powers:
            while power > 0 and base_of(name) != name and (fewer := whole.without_next(base_of(name))) is not None:
                whole, power = fewer, power - 1
            left.append((name, -power))
        inverse = tuple((name, power) for name, power in left if power)
        return _collect({_multiply(powers, inverse): c / scale.coefficient for powers, c in whole.terms})

    def without_next(self, name: str) -> Polynomial | None:
        """The polynomial divided by `name` + 1, if nothing is left over."""
        degrees = [dict(powers).get(name, 0) for powers, _ in self.terms]
        if not degrees or min(degrees) < 0:
            return None
        by_degree = [Polynomial(()) for _ in range(max(degrees) + 1)]
        for (powers, c), degree in zip(self.terms, degrees, strict=True):
            rest = tuple(item for item in powers if item[0] != name)
            by_degree[degree] = by_degree[degree] + _collect({rest: c})
        quotient, carried = Polynomial(()), Polynomial(())
        for degree in range(len(by_degree) - 1, 0, -1):
            carried = by_degree[degree] + carried.times(Fraction(-1))
            quotient = quotient + carried * _collect({((name, degree - 1),) if degree > 1 else (): Fraction(1)})
        return None if by_degree[0] + carried.times(Fraction(-1)) else quotient

    def as_product(self) -> Scale | None:
        """The polynomial as a number times powers of names and of names + 1, if it is one.

        >>> str(Polynomial(((((("k", 1),)), Fraction(1, 2)), (((("k", 2),)), Fraction(1, 2)))).as_product())
        'k*(k + 1)/2'
        """
        whole, factors = self, Scale(Fraction(1))
        for name in sorted({name for powers, _ in self.terms for name, _ in powers}):
            while len(whole.terms) > 1 and (fewer := whole.without_next(name)) is not None:
                whole, factors = fewer, factors * Scale(Fraction(1), ((next_of(name), 1),))
        if len(whole.terms) != 1 or whole.terms[0][1] < 0:
            return None
        powers, coefficient = whole.terms[0]
        return factors * Scale(coefficient, powers)

    def at(self, values: Mapping[str, Fraction]) -> Fraction:
        total = Fraction(0)
        for powers, coefficient in self.terms:
            for name, power in powers:
                coefficient *= value_of(name, values) ** power
            total += coefficient
        return total

    def put(self, values: Mapping[str, Polynomial]) -> Polynomial:
        """The polynomial with others in place of names; where these have negative powers, with products."""
        total = Polynomial(())
        for powers, coefficient in self.terms:
            rest = tuple((name, power) for name, power in powers if name not in values)
            term = _collect({rest: coefficient})
            for name, power in powers:
                if name in values and power < 0:
                    product = values[name].as_product()
                    assert product is not None, "only products have inverses"
                    term = term.divided(product**-power)
                for _ in range(power if name in values else 0):
                    term = term * values[name]
            total = total + term
        return total

    def depends_on(self, name: str) -> bool:
        return any(name == other for powers, _ in self.terms for other, _ in powers)

    def over(self, divisor: str | Scale) -> str:
        """This divided by a name or a scale, as text: 1/eta1, 2*N/eta2, (len(q) - 1)/eta2."""
        below = Scale(Fraction(1), ((divisor, 1),)) if isinstance(divisor, str) else divisor
        product = self.as_product()
        if product is not None and (len(self.terms) == 1 or len(product.powers) > 1):  # and not k + 1 alone
            return str(product / below)
        signs = []
        for powers, coefficient in sorted(self.terms, key=lambda term: (-sum(p for _, p in term[0]), term[0])):
            signs.append(("-" if coefficient < 0 else "+", str(Scale(abs(coefficient), powers))))
        (sign, first), *others = signs
        inside = ("-" if sign == "-" else "") + first + "".join(f" {s} {text}" for s, text in others)
        shown = str(below)
        return f"({inside})/{shown if isinstance(divisor, str) else f'({shown})'}"


def _collect(terms: Mapping[Monomial, Fraction]) -> Polynomial:
    return Polynomial(tuple(sorted((powers, c) for powers, c in terms.items() if c)))


def _multiply(first: Monomial, second: Monomial) -> Monomial:
    total = dict(first)
    for name, power in second:
        total[name] = total.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in total.items() if power))


@lru_cache(maxsize=65536)
def is_at_most_one(total: Polynomial) -> bool:
    """Whether it is certain that the value is at most 1 wherever every name is at least 1.

    Multiplied out so that no power is negative and written in x − 1 for each name x, the difference to 1 is never
    negative if none of its coefficients is. That is sufficient, and decides every sum that a grammar gives.
    Most sums are told by less: by their value where every name is 1, which those of positive terms and negative powers never exceed.
    """
    names = {base_of(name) for powers, _ in total.terms for name, _ in powers}
    if total.at(dict.fromkeys(names, Fraction(1))) > 1:
        return False
    if all(coefficient > 0 and all(power < 0 for _, power in powers) for powers, coefficient in total.terms):
        return True
    gap = Polynomial.constant(Fraction(1)) + total.times(Fraction(-1))
    powers_of = sorted({name for powers, _ in gap.terms for name, _ in powers})
    lowest = {name: min(0, *(dict(powers).get(name, 0) for powers, _ in gap.terms)) for name in powers_of}
    raised = gap * _collect({tuple((name, -low) for name, low in lowest.items() if low): Fraction(1)})
    one = Polynomial.constant(Fraction(1))
    raised = raised.put({name: Polynomial.name(base_of(name)) + one for name in powers_of if base_of(name) != name})
    for name in sorted(names):
        raised = _shift(raised, name)
    return all(coefficient >= 0 for _, coefficient in raised.terms)


def _shift(polynomial: Polynomial, name: str) -> Polynomial:
    """The polynomial with `name` + 1 in place of `name`."""
    total: dict[Monomial, Fraction] = {}
    for powers, coefficient in polynomial.terms:
        power = dict(powers).get(name, 0)
        rest = tuple((other, p) for other, p in powers if other != name)
        for k in range(power + 1):
            key = tuple(sorted((*rest, (name, k)))) if k else rest
            total[key] = total.get(key, Fraction(0)) + coefficient * comb(power, k)
    return _collect(total)
