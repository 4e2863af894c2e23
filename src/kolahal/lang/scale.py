"""Exact symbolic noise scales: a coefficient times whole powers of public quantities, the root of one, or no noise."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

from kolahal.errors import UsageError
from kolahal.lang.noise import BY_NAME, Noise
from kolahal.lang.source import parse_expression
from kolahal.nouns import dataclass

LARGEST_POWER = 16  # keeps `eps**999999999` from a hostile file harmless
DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?")  # a double as Python prints it
MOST_BITS = 1023  # likewise for the two parts of a coefficient; both are doubles
WIDTH = re.compile(r"\((\w+) - (\w+)\)")
REACH = re.compile(r"max\(abs\((\w+)\), abs\((\w+)\)\)")
NEXT = re.compile(r"\((\w+|len\(\w+\)) \+ 1\)")
_NUMBER = re.compile(r"\s*[+-]?[0-9]{0,310}(\.[0-9]{0,310}(e[+-]?[0-9]{1,3})?|e[+-]?[0-9]{1,3}|/[0-9]{1,310})?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scale:
    """`coefficient` × Π name^power, where a name is `eps`, an argument, or `len(q)`; zero means no noise.

    `(k + 1)` is a name of its own, because sums of 1, 2, …, k have that factor; `names` has the k of it.

    With `root` it is the square root of that, which is none of these: those are written without a root.
    With `family` it is what fills an open place, `Noise(hole)`; arithmetic is on the number alone.
    """

    coefficient: Fraction
    powers: tuple[tuple[str, int], ...] = ()
    root: bool = False
    family: Noise | None = None

    def __post_init__(self) -> None:
        if self.coefficient < 0:
            raise UsageError(f"a scale is not negative, and {self.coefficient} is")
        powers: dict[str, int] = {}
        for name, power in self.powers if self.coefficient else ():
            powers[name] = powers.get(name, 0) + power
        coefficient, root = Fraction(self.coefficient), self.root
        if root and all(power % 2 == 0 for power in powers.values()) and (plain := _square_root(coefficient)) is not None:
            coefficient, root = plain, False
            powers = {name: power // 2 for name, power in powers.items()}
        object.__setattr__(self, "coefficient", coefficient)
        object.__setattr__(self, "powers", tuple(sorted((name, power) for name, power in powers.items() if power)))
        object.__setattr__(self, "root", root)
        object.__setattr__(self, "family", self.family if coefficient else None)

    def __bool__(self) -> bool:
        return self.coefficient != 0

    @property
    def names(self) -> frozenset[str]:
        """The public quantities that the scale depends on."""
        return frozenset(base_of(name) for name, _ in self.powers)

    @property
    def plain(self) -> Scale:
        """The scale without a family."""
        return self if self.family is None else Scale(self.coefficient, self.powers, self.root)

    def of(self, family: Noise) -> Scale:
        """The scale as one of a family."""
        return Scale(self.coefficient, self.powers, self.root, family)

    @property
    def squared(self) -> Scale:
        """The square, which has no root."""
        return Scale(self.coefficient, self.powers) if self.root else self * self

    def rooted(self) -> Scale:
        """The square root of a scale without one."""
        if self.root:
            raise UsageError(f"the root of {self} is not a scale: it has a root already")
        return Scale(self.coefficient, self.powers, True)

    def put(self, name: str, value: Scale) -> Scale:
        """The scale with another one in place of a name."""
        power = dict(self.powers).get(name, 0)
        rest = Scale(self.coefficient, tuple((n, p) for n, p in self.powers if n != name), self.root)
        if not power:
            return self
        return rest * ((value**power).rooted() if self.root else value**power)

    def renamed(self, name: str, other: str | Fraction) -> Scale:
        """The scale with another quantity, or a number, in place of a quantity."""
        if isinstance(other, str):
            new = {name: other, next_of(name): next_of(other)}
            return replace(self, powers=tuple((new.get(n, n), p) for n, p in self.powers))
        coefficient, rest = self.coefficient, []
        for known, power in self.powers:
            if base_of(known) == name:
                coefficient *= value_of(known, {name: other}) ** power
            else:
                rest.append((known, power))
        return replace(self, coefficient=coefficient, powers=tuple(rest))

    def __mul__(self, other: Scale) -> Scale:
        if self.root or other.root:
            return (self.squared * other.squared).rooted()
        return Scale(self.coefficient * other.coefficient, self.powers + other.powers)

    def __pow__(self, power: int) -> Scale:
        return Scale(self.coefficient**power, tuple((name, p * power) for name, p in self.powers), self.root)

    def __truediv__(self, other: Scale) -> Scale:
        return self * other**-1

    def at(self, values: Mapping[str, Fraction]) -> Fraction:
        """The exact value where each name has its value in `values`.

        >>> parse_scale("4*N/eps").at({"N": Fraction(3), "eps": Fraction(1, 2)})
        Fraction(24, 1)
        """
        if self.root:
            found = _square_root(self.squared.at(values))
            if found is None:
                raise UsageError(f"the scale {self} is not a fraction here")
            return found
        result = self.coefficient
        for name, power in self.powers:
            if base_of(name) not in values:
                raise UsageError(f"the scale {self} needs a value for {base_of(name)}")
            value = value_of(name, values)
            if power < 0 and value == 0:
                raise UsageError(f"the scale {self} divides by {name}, which is 0 here")
            result *= value**power
        if result < 0:
            raise UsageError(f"the scale {self} is negative here")
        return result

    def near(self, values: Mapping[str, Fraction]) -> float:
        """The value as a double, for engines: a root is rounded, everything else exact before it is."""
        return math.sqrt(self.squared.at(values)) if self.root else float(self.at(values))

    def compare(self, other: Scale, epsilon: str = "eps") -> int | None:
        """-1, 0 or 1 where one is never above the other for whole quantities ≥ 1 and every ε; else None.

        Powers of names other than ε can only raise a scale (names count at least 1), so they order two scales
        as coefficients do; different powers of ε never do, because ε may be small or large. With y = (x + 1)/2, both y
        and x/y are at least 1, so that x^p·(x + 1)^r = 2^r·(x/y)^p·y^(p + r) is such a product, too.
        """
        if not self or not other:
            return bool(self) - bool(other)
        if self.family is not other.family:
            return None
        ratio = self / other
        if any(name == epsilon for name, _ in ratio.powers):
            return None
        powers, coefficient = dict(ratio.powers), ratio.coefficient
        for name in ratio.names:
            after = powers.pop(next_of(name), 0)
            coefficient *= Fraction(2) ** after
            powers[next_of(name)] = powers.get(name, 0) + after
        signs = {(power > 0) - (power < 0) for power in powers.values()}
        signs.add((coefficient > 1) - (coefficient < 1))
        signs.discard(0)
        if len(signs) == 2:
            return None
        return signs.pop() if signs else 0

    def __str__(self) -> str:
        return self._print(lambda name, power: name if power == 1 else f"{name}**{power}", "*") if self else "None"

    def __repr__(self) -> str:
        return f"<{self}>"

    def pretty(self) -> str:
        """The scale as people read it: ⊥, 2/ε, 3·|q|/ε²."""
        return self._print(_typeset, "·") if self else "⊥"

    def latex(self) -> str:
        r"""The scale for LaTeX: \bot, \frac{2}{\varepsilon}, \frac{3 |q|}{\varepsilon^{2}}."""
        if not self:
            return r"\bot"
        if self.family is not None:
            return rf"\mathrm{{{self.family.value}}}\left({self.plain.latex()}\right)"
        if self.root:
            return rf"\sqrt{{{self.squared.latex()}}}"
        above, below = self._halves(_latex)
        top = " ".join(above) or "1"
        return rf"\frac{{{top}}}{{{' '.join(below)}}}" if below else top

    def _halves(self, factor: Callable[[str, int], str]) -> tuple[list[str], list[str]]:
        """The factors above and below the bar, as they are printed."""
        above = [str(self.coefficient.numerator)] if self.coefficient.numerator != 1 else []
        below = [str(self.coefficient.denominator)] if self.coefficient.denominator != 1 else []
        for name, power in sorted(self.powers, key=_in_order):
            (above if power > 0 else below).append(factor(name, abs(power)))
        return above, below

    def sympy(self) -> Any:
        """The scale as a SymPy expression of positive symbols; `len(q)` is the symbol of that name. Needs SymPy."""
        try:
            sympy = import_module("sympy")  # by name: nobody needs SymPy to find or to prove a mechanism
        except ImportError:
            raise UsageError("SymPy is not installed; install it with: pip install sympy") from None
        result = sympy.Rational(self.coefficient.numerator, self.coefficient.denominator)
        for name, power in self.powers:
            result *= (sympy.Symbol(base_of(name), positive=True) + int(name != base_of(name))) ** power
        return sympy.sqrt(result) if self.root else result

    def _print(self, factor: Callable[[str, int], str], times: str) -> str:
        if self.family is not None:
            return f"{self.family.value}({self.plain._print(factor, times)})"
        if self.root:
            return self._print_root(factor, times)
        above, below = self._halves(factor)
        top = times.join(above) or "1"
        if not below:
            return top
        return f"{top}/{below[0]}" if len(below) == 1 else f"{top}/({times.join(below)})"

    def _print_root(self, factor: Callable[[str, int], str], times: str) -> str:
        """What is a square stands before or below the root: sqrt(len(q))/mu, 2*sqrt(3/rho)."""
        above, inside_above = _parted(self.coefficient.numerator)
        below, inside_below = _parted(self.coefficient.denominator)
        halves = tuple((name, abs(power) // 2 * (1 if power > 0 else -1)) for name, power in self.powers)
        inside = Scale(Fraction(inside_above, inside_below), tuple((n, p - 2 * dict(halves)[n]) for n, p in self.powers))
        root = f"sqrt({inside._print(factor, times)})" if times == "*" else f"√({inside._print(factor, times)})"
        top = [*([str(above)] if above != 1 else []), *(factor(n, p) for n, p in halves if p > 0), root]
        bottom = [*([str(below)] if below != 1 else []), *(factor(n, -p) for n, p in halves if p < 0)]
        if not bottom:
            return times.join(top)
        return f"{times.join(top)}/{bottom[0] if len(bottom) == 1 else f'({times.join(bottom)})'}"


def next_of(name: str) -> str:
    """How scales name the whole number that comes after a quantity."""
    return f"({name} + 1)"


def base_of(name: str) -> str:
    """The quantity that a name of a scale is made of: k for `(k + 1)`, and otherwise itself."""
    found = NEXT.fullmatch(name)
    return found[1] if found else name


def value_of(name: str, values: Mapping[str, Fraction] | Mapping[str, int]) -> Fraction:
    """What a name of a scale is worth."""
    base = base_of(name)
    return Fraction(values[base]) + (base != name)


def _in_order(item: tuple[str, int]) -> tuple[str, str]:
    """By name, and k + 1 right after k."""
    name, _ = item
    return base_of(name), "" if name == base_of(name) else name


def _square_root(value: Fraction) -> Fraction | None:
    """The root of a number, if that is a fraction."""
    above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
    return Fraction(above, below) if above**2 == value.numerator and below**2 == value.denominator else None


def _parted(number: int) -> tuple[int, int]:
    """A whole number as a² × b, with a as large as small factors make it."""
    outside = math.isqrt(number)
    if outside**2 == number:
        return outside, 1
    outside = 1
    for factor in (2, 3, 5, 7, 11, 13):
        while number % factor**2 == 0:
            outside, number = outside * factor, number // factor**2
    return outside, number


def gdp_name(epsilon: str, delta: str) -> str:
    """How scales name the μ whose trade-off curve touches (ε, δ)."""
    return f"gdp({epsilon}, {delta})"


def _typeset(name: str, power: int) -> str:
    base = base_of(name)
    shown = {"eps": "ε", "epsilon": "ε", "rho": "ρ", "mu": "μ", "gdp(eps, delta)": "gdp(ε, δ)"}.get(base, base)
    if shown.startswith("len("):
        shown = f"|{shown[4:-1]}|"
    if base != name:
        shown = next_of(shown)
    return shown + ("" if power == 1 else str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")))


def _latex(name: str, power: int) -> str:
    if name != base_of(name):
        after = next_of(_latex(base_of(name), 1))
        return after if power == 1 else f"{after}^{{{power}}}"
    shown = {"eps": r"\varepsilon", "epsilon": r"\varepsilon", "rho": r"\rho", "mu": r"\mu"}.get(name)
    if name == "gdp(eps, delta)":
        shown = r"\mathrm{gdp}(\varepsilon, \delta)"
    if shown is None:
        length = name.startswith("len(")
        letters = (name[4:-1] if length else name).replace("_", r"\_")
        shown = letters if len(letters) == 1 else rf"\mathit{{{letters}}}"
        shown = f"|{shown}|" if length else shown
    return shown if power == 1 else f"{shown}^{{{power}}}"


NO_NOISE = Scale(Fraction(0))


class NotAScale(ValueError):
    """An expression that is not a coefficient times whole powers; the text says which part is at fault."""

    def __init__(self, what: str, node: ast.AST):
        super().__init__(what)
        self.node = node


def scale_of(node: ast.expr, known: Mapping[str, Scale] | None = None) -> Scale:
    """The scale that a Python expression denotes; `known` gives the scales that names stand for.

    With `known`, a name outside it is at fault; without it, every name is a public quantity.
    """
    scale = _scale_of(node, known)
    coefficient = scale.coefficient
    if max(coefficient.numerator.bit_length(), coefficient.denominator.bit_length()) > MOST_BITS:
        raise NotAScale("its number is too large or too small", node)
    if any(abs(power) > LARGEST_POWER for _, power in scale.powers):
        raise NotAScale(f"its powers go beyond {LARGEST_POWER}", node)
    return scale


def _scale_of(node: ast.expr, known: Mapping[str, Scale] | None) -> Scale:
    match node:
        case ast.Constant(value=bool()):
            raise NotAScale("a truth value is not a scale", node)
        case ast.Constant(value=int() | float() as value):
            coefficient = exact(value)
            if coefficient is None:
                raise NotAScale("this number is too large", node)
            return Scale(coefficient)
        case ast.Name(id=name):
            if known is None:
                return Scale(Fraction(1), ((name, 1),))
            if name not in known:
                raise NotAScale(f"`{name}` is not a public number that is fixed before the program runs", node)
            return known[name]
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]):
            key = f"len({name})"
            if known is not None and key not in known:
                raise NotAScale(f"`{key}` is not the length of the private input", node)
            return Scale(Fraction(1), ((key, 1),)) if known is None else known[key]
        case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right):
            return _sum(left, sign, right, known, node)
        case ast.Call(func=ast.Name(id="max"), keywords=[]):
            return _reach(node, known)
        case ast.Call(func=ast.Name(id="sqrt") | ast.Attribute(ast.Name(id="math"), "sqrt"), args=[inner], keywords=[]):
            try:
                return scale_of(inner, known).rooted()
            except UsageError as error:
                raise NotAScale(str(error), node) from None
        case ast.Call(func=ast.Name(id="gdp"), args=[ast.Name(id=epsilon), ast.Name(id=delta)], keywords=[]):
            key = gdp_name(epsilon, delta)
            if known is not None and key not in known:
                raise NotAScale(f"`{key}` is not made of the ε and the δ of an (ε, δ) budget", node)
            return Scale(Fraction(1), ((key, 1),))
        case ast.Call(func=ast.Name(id="Fraction"), args=[inner], keywords=[]):  # as emitted programs write numbers
            number = exact_literal(inner)
            return scale_of(inner, known) if number is None else Scale(number)
        case ast.BinOp(left, ast.Mult(), right):
            return scale_of(left, known) * scale_of(right, known)
        case ast.BinOp(left, ast.Div(), right):
            divisor = scale_of(right, known)
            if not divisor:
                raise NotAScale("this divides by zero", right)
            return scale_of(left, known) / divisor
        case ast.BinOp(left, ast.Pow(), ast.Constant(value=int() as power)):
            return _power(scale_of(left, known), power, node)
        case ast.BinOp(left, ast.Pow(), ast.UnaryOp(ast.USub(), ast.Constant(value=int() as power))):
            return _power(scale_of(left, known), -power, node)
        case ast.Subscript():
            raise NotAScale("it counts records or is read from a list; a number that is public may be an argument, such as n: int", node)
        case _:
            raise NotAScale("it is not a product of numbers and powers", node)


def _sum(left: ast.expr, sign: ast.operator, right: ast.expr, known: Mapping[str, Scale] | None, node: ast.expr) -> Scale:
    """`k + 1` and `hi - lo` are factors of their own; else the two are of one kind, as in eps - eps/4."""
    match left, sign, right:
        case ast.Name(high), ast.Sub(), ast.Name(low) if known is None or width_of(low, high) in known:
            return Scale(Fraction(1), ((width_of(low, high), 1),))
    first, second = scale_of(left, known), scale_of(right, known)
    if isinstance(sign, ast.Add) and (after := _next(first, second, known) or _next(second, first, known)):
        return after
    if first.root or second.root or first.powers != second.powers:
        raise NotAScale("a sum of unlike quantities is no product of numbers and powers; only 1 + a whole public quantity is", node)
    coefficient = first.coefficient + (second.coefficient if isinstance(sign, ast.Add) else -second.coefficient)
    if coefficient <= 0:
        raise NotAScale("this difference is not above zero", node)
    return Scale(coefficient, first.powers)


def _next(scale: Scale, one: Scale, known: Mapping[str, Scale] | None) -> Scale | None:
    """k + 1, for a quantity that a scale may count to."""
    match scale:
        case Scale(Fraction(numerator=1, denominator=1), ((name, 1),), False) if one == Scale(Fraction(1)):
            after = next_of(name)
            return Scale(Fraction(1), ((after, 1),)) if NEXT.fullmatch(after) and (known is None or after in known) else None
    return None


def width_of(low: str, high: str) -> str:
    return f"({high} - {low})"


def reach_of(low: str, high: str) -> str:
    return f"max(abs({low}), abs({high}))"


def _reach(node: ast.expr, known: Mapping[str, Scale] | None) -> Scale:
    """`max(abs(lo), abs(hi))`: a factor of its own, which has such a name."""
    match node:
        case ast.Call(args=[ast.Call(ast.Name("abs"), [ast.Name(one)], []), ast.Call(ast.Name("abs"), [ast.Name(other)], [])]):
            for key in (reach_of(one, other), reach_of(other, one)):
                if known is None or key in known:
                    return Scale(Fraction(1), ((key, 1),))
    raise NotAScale("it is not a product of numbers and powers, nor the reach of bounds that records are clipped to", node)


def _power(base: Scale, power: int, node: ast.expr) -> Scale:
    if not base and power <= 0:
        raise NotAScale("zero has no such power", node)
    if abs(power) > LARGEST_POWER:
        raise NotAScale(f"its powers go beyond {LARGEST_POWER}", node)
    return base**power


def exact(value: int | float) -> Fraction | None:
    """The number that the user wrote, exactly (0.1 is one tenth), or None if it is too large for a double."""
    try:
        finite = math.isfinite(value)
    except OverflowError:
        return None
    return Fraction(repr(value) if isinstance(value, float) else value) if finite else None


def parse_number(text: str) -> Fraction:
    """The number that a text is, such as 2, 0.5, 1/2 or 1e-3; ValueError if it is none, or so long that it cannot be meant.

    `Fraction("1e999999999")` would fill the memory.
    """
    try:
        if _NUMBER.fullmatch(text):
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise ValueError(f"{text[:40]!r} is not a number")


def exact_literal(node: ast.expr) -> Fraction | None:
    """The number that a text such as "0.1" inside `Fraction("0.1")` is, or None if it is no such text."""
    match node:
        case ast.Constant(value=str() as text) if DECIMAL.fullmatch(text):
            return exact(float(text))
        case _:
            return None


def parse_scale(text: str | None) -> Scale:
    """The scale that a text denotes, as printed by `str`; `None`, `⊥` and `0` mean no noise.

    >>> str(parse_scale("3*len(q)/eps**2"))
    '3*len(q)/eps**2'
    """
    if text is None:
        return NO_NOISE
    reason = ""
    if isinstance(text, str):
        if text.strip() in ("None", "⊥"):
            return NO_NOISE
        try:
            return scale_of(parse_expression(text))
        except NotAScale as error:
            reason = f": {error}"
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    shown = repr(text) if len(repr(text)) <= 60 else repr(text)[:59] + "…"
    raise UsageError(f"{shown} is not a scale{reason}. Write for example 2/eps or 4*N/eps.")


def parse_filling(text: str | None) -> Scale:
    """What may fill a hole: a scale, or one that names its family, as in "Exp(4/eps)"."""
    family, bracket, inner = text.strip().partition("(") if isinstance(text, str) else ("", "", "")
    known = BY_NAME.get(family)
    if known is None or not bracket or not inner.endswith(")"):
        return parse_scale(text)
    if known.open or known.finite or known.selects:
        raise UsageError(f"{text} names no family of noise that is added to values")
    return parse_scale(inner[:-1]).of(known)
